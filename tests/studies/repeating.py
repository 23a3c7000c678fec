"""Studies with a judge that moves by itself, written to disk without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from voirdire.records import LABELS, Claim, Fingerprint, JudgeRun, RunSeal
from voirdire.store import (
    JudgeConfig,
    StudyConfig,
    StudyPaths,
    claims_digest,
    dump_study,
    file_digest,
    write_document,
    write_text,
)
from voirdire.studies import Study, open_study

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
Answers = list[list[str]]
"""Per repeat, per claim: a label, or an outcome other than judged."""


def fingerprint(name: str = "noisy", version: str = "1") -> Fingerprint:
    return Fingerprint(judge=name, version=version)


def write_claims(root: Path, claims: Sequence[Claim], labels: dict[str, list[str]]) -> None:
    """A claim set as it lies on disk; people a0, a1 … by claim."""
    folder = root / "labels" / "s"
    rows = [claim.model_dump(mode="json") for claim in claims]
    write_text(folder / "claims.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    said = [
        {
            "id": f"{claim_id}-{person}",
            "claim_id": claim_id,
            "annotator": f"a{person}",
            "label": label,
            "guideline": "g1",
        }
        for claim_id, given in labels.items()
        for person, label in enumerate(given)
    ]
    write_text(folder / "labels.jsonl", "".join(json.dumps(row) + "\n" for row in said))
    write_text(folder / "set.toml", 'name = "s"\n')


def write_study(root: Path, *judges: str, use: str = "constant", repeats: int = 5) -> Path:
    folder = root / "reports" / "s"
    config = StudyConfig(
        name="s",
        labels=("../../labels/s",),
        judges=tuple(JudgeConfig(name=name, use=use) for name in judges or ("noisy",)),
        repeats=repeats,
    )
    write_text(folder / "study.toml", dump_study(config))
    return folder


def write_run(
    folder: Path,
    claims: Sequence[Claim],
    answers: Answers,
    *,
    judge: str = "noisy",
    day: int = 0,
    mark: Fingerprint | None = None,
    cached: Callable[[int], bool] = lambda repeat: False,
) -> str:
    """A sealed run with these answers; ``cached`` says which repeats came from a cache."""
    paths = StudyPaths(folder)
    at = START + timedelta(days=day)
    run_id = f"{judge}-{at:%Y%m%dT%H%M%SZ}-{len(list(folder.glob('runs/*'))):06d}"
    lines = []
    for repeat, given in enumerate(answers):
        for claim, answer in zip(claims, given, strict=True):
            judged = answer in LABELS
            line: dict[str, Any] = {
                "run_id": run_id,
                "repeat": repeat,
                "claim_id": claim.id,
                "at": at.isoformat(),
                "outcome": "judged" if judged else answer,
                "cached": cached(repeat),
            }
            lines.append(json.dumps(line | ({"label": answer} if judged else {})) + "\n")
    write_text(paths.verdicts(run_id), "".join(lines))
    seal = RunSeal(
        sha256=file_digest(paths.verdicts(run_id)),
        verdicts=len(lines),
        outcomes={},
        finished_at=at + timedelta(hours=1),
    )
    run = JudgeRun(
        run_id=run_id,
        judge=judge,
        use="constant",
        fingerprint=mark or fingerprint(judge),
        claims_sha256=claims_digest(claims),
        n_claims=len(claims),
        repeats=len(answers),
        started_at=at,
        seal=seal,
    )
    write_document(paths.run_document(run_id), run)
    return run_id


def claims_of(n: int, *, size: int = 1, language: str = "en") -> list[Claim]:
    """n claims in families of a size."""
    return [
        Claim(
            id=f"{language}{i}",
            family=f"{language}f{i // size}",
            variant="original",
            claim=f"Claim {i} in {language}.",
            context=(f"Context {i}.",),
            language=language,
        )
        for i in range(n)
    ]


def chances(rng: np.random.Generator, n: int) -> np.ndarray:
    """72 % near-certain, 8 % near-zero, 20 % uncertain: logits of *supported*."""
    kind = rng.random(n)
    return np.where(
        kind < 0.72,
        rng.normal(5, 1, n),
        np.where(kind < 0.8, rng.normal(-4, 1, n), rng.normal(0.5, 1, n)),
    )


def asked(
    rng: np.random.Generator, logit: np.ndarray, *, shift: float = 0.0, run_sd: float = 0.25
) -> list[str]:
    """One asking of all claims; a run effect on the logit."""
    moved = logit + shift + rng.normal(0, run_sd)
    yes = rng.random(len(logit)) < 1 / (1 + np.exp(-moved))
    other = rng.random(len(logit)) < 0.5
    return [
        "supported" if one else "contradicted" if two else "unverifiable"
        for one, two in zip(yes, other, strict=True)
    ]


def noisy_study(
    root: Path,
    *,
    n: int = 60,
    days: int = 5,
    repeats: int = 1,
    seed: int = 1,
    run_sd: float = 0.25,
) -> tuple[Path, list[Claim]]:
    """A study whose judge was asked on several days."""
    rng = np.random.default_rng(seed)
    claims = claims_of(n)
    logit = chances(rng, n)
    truth = ["supported" if x > 0 else "contradicted" for x in logit]
    write_claims(root, claims, {c.id: [t, t] for c, t in zip(claims, truth, strict=True)})
    folder = write_study(root)
    for day in range(days):
        answers = [asked(rng, logit, run_sd=run_sd) for _ in range(repeats)]
        write_run(folder, claims, answers, day=day)
    return folder, claims


def opened(folder: Path) -> Study:
    return open_study(folder)
