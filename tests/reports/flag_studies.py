"""Small studies on disk, walked the whole way by the command, for the flags they raise."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, Self

from tests.cli.calling import voirdire
from voirdire.records import LABELS, Claim, Fingerprint, JudgeRun
from voirdire.store import claims_digest, dump_document, write_text

__all__ = ["OTHER", "Made", "flags_of", "made_families", "report_anew", "step"]

OTHER = {"supported": "contradicted", "contradicted": "supported", "unverifiable": "supported"}
TURNED = {"supported": "contradicted", "contradicted": "supported", "unverifiable": "unverifiable"}
LEXICAL = Fingerprint(judge="lexical", version="1")
AT = datetime(2030, 1, 2, 9, tzinfo=UTC)

Vote = Callable[[int, int, str], str]
"""Place of a claim, number of a person, true label: what that person says."""
Answer = Callable[[int, int, str], Any]
"""Place of a claim, repeat, true label: a label, or an answer's whole body."""


def made_families(
    n: int, *, labels: Sequence[str] = LABELS, variants: Sequence[str] = ("original",)
) -> list[tuple[Claim, str]]:
    """Claims with their true labels; the labels take turns by family, negations turn round."""
    found = []
    for place in range(n):
        label = labels[place % len(labels)]
        for variant in variants:
            claim = Claim(
                id=f"c{place}-{variant}",
                family=f"f{place}",
                variant=variant,
                claim=f"Claim {place} as {variant}.",
                context=(f"Context {place}.",),
                language="en",
            )
            found.append((claim, TURNED[label] if variant == "negation" else label))
    return found


def _all_agree(place: int, person: int, truth: str) -> str:
    """Three people; every tenth claim has a dissenter."""
    return OTHER[truth] if place % 10 == 9 and person == 2 else truth


@dataclass(frozen=True)
class Made:
    """A study to be: people, a recorded judge and the study file; sound as it stands."""

    claims: list[tuple[Claim, str]] = field(default_factory=lambda: made_families(90))
    vote: Vote = _all_agree
    people: int = 3
    role: str = "annotator"
    guideline: Callable[[int], str] = lambda person: "one"
    answer: Answer = lambda place, repeat, truth: truth
    repeats: int = 1
    mark: Fingerprint | None = LEXICAL
    study: Mapping[str, Any] = field(default_factory=dict)
    gates: Mapping[str, Any] = field(default_factory=dict)

    def but(self, **changes: Any) -> Self:
        return replace(self, **changes)

    def put(self, root: Path) -> Self:
        """Write claim set, recording and study file."""
        self._put_set(root / "labels/s")
        self._put_recording(root / "recorded")
        lines = [
            'name = "s"',
            'labels = ["../../labels/s"]',
            f"repeats = {self.repeats}",
            *(f"{name} = {json.dumps(value)}" for name, value in self.study.items()),
            *(["[gates]"] if self.gates else []),
            *(f"{name} = {json.dumps(value)}" for name, value in self.gates.items()),
            '[[judges]]\nname = "mine"\nuse = "replay"',
            '[judges.parameters]\npath = "../../recorded"',
        ]
        write_text(root / "reports/s/study.toml", "\n".join(lines) + "\n")
        return self

    def flags(self, root: Path, *further: str) -> dict[str, dict[str, Any]]:
        """Write it, examine it, run further verbs on it and report anew; flags by code."""
        self.put(root)
        step(root, "examine")
        for verb in further:
            step(root, verb)
        return report_anew(root) if further else flags_of(root)

    def _put_set(self, folder: Path) -> None:
        write_text(folder / "set.toml", 'name = "s"\n')
        write_text(
            folder / "claims.jsonl", _lines(c.model_dump(mode="json") for c, _ in self.claims)
        )
        given = [
            {
                "id": f"{claim.id}-{person}",
                "claim_id": claim.id,
                "annotator": f"a{person}",
                "role": self.role,
                "label": self.vote(place, person, truth),
                "guideline": self.guideline(person),
            }
            for place, (claim, truth) in enumerate(self.claims)
            for person in range(self.people)
        ]
        write_text(folder / "labels.jsonl", _lines(given))

    def _put_recording(self, folder: Path) -> None:
        rows = []
        for repeat in range(self.repeats):
            for place, (claim, truth) in enumerate(self.claims):
                said = self.answer(place, repeat, truth)
                body = said if isinstance(said, dict) else {"outcome": "judged", "label": said}
                rows.append(
                    {
                        "run_id": "recorded",
                        "repeat": repeat,
                        "claim_id": claim.id,
                        "at": AT.isoformat(),
                        **body,
                    }
                )
        write_text(folder / "verdicts.jsonl", _lines(rows))
        if self.mark is None:
            return
        run = JudgeRun(
            run_id="recorded",
            judge="mine",
            use=self.mark.judge,
            fingerprint=self.mark,
            claims_sha256=claims_digest([claim for claim, _ in self.claims]),
            n_claims=len(self.claims),
            repeats=self.repeats,
            started_at=AT,
        )
        write_text(folder / "run.json", dump_document(run))


def step(root: Path, verb: str, *options: str) -> str:
    """One verb on the study; what it decides is no matter here, that it works is."""
    done = voirdire(verb, "reports/s", *options, cwd=root)
    assert done.returncode in (0, 1, 3), done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def report_anew(root: Path) -> dict[str, dict[str, Any]]:
    """The report made again from what lies on disk; flags by code."""
    done = voirdire("report", "reports/s", cwd=root)
    assert done.returncode == 0, done.stderr
    return flags_of(root)


def flags_of(root: Path) -> dict[str, dict[str, Any]]:
    """Flags of the report on disk by code; each stands on the page with what to do."""
    body = json.loads((root / "reports/s/report.json").read_text("utf-8"))
    page = unescape((root / "reports/s/report.html").read_text("utf-8"))
    for flag in body["flags"]:
        assert flag["todo"]
        assert flag["text"] in page
        assert flag["todo"] in page
    return {flag["code"]: flag for flag in body["flags"]}


def _claim_rows(claims: Sequence[tuple[Claim, str]]) -> list[dict[str, Any]]:
    return [claim.model_dump(mode="json") for claim, _ in claims]


def _lines(rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
