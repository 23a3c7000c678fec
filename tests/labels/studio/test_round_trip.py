"""The whole way in one test: import, push, three people, pull, adjudicate, examine, report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.labels.studio.conftest import Hand, labels_in
from tests.servers.label_studio import LabelStudio
from voirdire.cli.main import main
from voirdire.records import AgreementResult
from voirdire.store import read_document
from voirdire.studies import open_study
from voirdire.studies.people import (
    label_error_candidates,
    people_study,
    planted_repeats,
    verdicts_of_study,
)

LABELS = ("supported", "contradicted", "unverifiable")


def source(path: Path) -> dict[str, str]:
    """60 claims of 20 families, and what is true of each."""
    truth: dict[str, str] = {}
    rows = []
    for n in range(20):
        context = [f"Plan {n} costs {10 + n} euros a month.", "It can be cancelled at any time."]
        members = (
            ("original", f"Plan {n} costs {10 + n} euros a month.", "supported"),
            ("number_swap", f"Plan {n} costs {50 + n} euros a month.", "contradicted"),
            ("other", f"Plan {n} includes a phone.", "unverifiable"),
        )
        for variant, claim, label in members:
            name = f"c{n}-{variant}"
            truth[name] = label
            row = {"id": name, "family": f"f{n}", "variant": variant, "claim": claim}
            rows.append(json.dumps({**row, "context": context}))
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return truth


def test_from_claims_to_the_page(
    tmp_path: Path,
    studio: LabelStudio,
    hands: list[Hand],
    tasks_of: Callable[..., dict[str, int]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABEL_STUDIO_URL", studio.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", studio.token)

    def call(*args: str) -> tuple[int, Any]:
        with pytest.raises(SystemExit) as ended:
            main(list(args))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert ended.value.code != 5, err
        return int(ended.value.code or 0), json.loads(out) if "--json" in args else out

    truth = source(tmp_path / "claims.jsonl")
    folder = tmp_path / "labels" / "plans"
    set_name = "labels/plans"
    assert call("import", "claims.jsonl", "--into", set_name, "--language", "en")[0] == 0
    code, plan = call(
        "push", set_name, "--overlap", "3", "--duplicates", "5%", "--dry-run", "--json"
    )
    assert (code, plan["tasks"], plan["planted"]) == (0, 63, 3)
    assert not (folder / "studio").exists()
    code, pushed = call("push", set_name, "--overlap", "3", "--duplicates", "5%", "--json")
    assert (code, pushed["added"]) == (0, 63)

    # The third person takes every fourth contradiction for unverifiable, and on one claim all
    # three say something else; the second answers a planted repeat otherwise than at first.
    tasks = tasks_of(folder)
    repeats = [name for name in tasks if name.endswith("+1")]
    torn = next(name for name in truth if name + "+1" not in repeats and name.endswith("original"))
    differ = [
        name
        for name in truth
        if name.endswith("number_swap") and int(name[1:].split("-")[0]) % 4 == 0
    ]
    for name, task in tasks.items():
        base = name.removesuffix("+1")
        for place, hand in enumerate(hands):
            said = truth[base]
            if base == torn:
                said = LABELS[place]
            elif place == 2 and base in differ:
                said = "unverifiable"
            elif place == 1 and name == repeats[0]:
                said = LABELS[(LABELS.index(said) + 1) % 3]
            hand.label(task, said)

    code, far = call("status", set_name, "--json")
    assert (code, far["given"], far["wanted"]) == (0, 189, 189)
    code, pulled = call("pull", set_name, "--json")
    assert (code, pulled["counts"]["labels"]) == (0, 180)
    assert pulled["added"] == {"new": 180, "changed": 0, "gone": 0}
    assert call("check", set_name)[0] == 0

    code, listed = call("adjudicate", set_name, "--dry-run", "--json")
    assert {one["claim_id"] for one in listed} == {torn, *differ}
    code, round_one = call("adjudicate", set_name, "--json")
    assert (code, round_one["sent"], round_one["open"]) == (0, 6, 6)
    for name, task in tasks_of(folder, "adjudication").items():
        hands[0].label(task, truth[name])
    code, round_two = call("adjudicate", set_name, "--json")
    assert (round_two["sent"], round_two["decided"], round_two["open"]) == (0, 6, 0)
    assert sum(row["role"] == "adjudicator" for row in labels_in(folder)) == 6

    code, _ = call(
        *("examine", set_name, "--judge", "constant", "--judge", "lexical:en"),
        *("--into", "reports/plans"),
    )
    assert code in (0, 1, 3)
    study = tmp_path / "reports" / "plans"
    agreement = read_document(study / "results" / "agreement.json", AgreementResult)
    assert agreement.n_claims == 60
    assert agreement.reference_counts == dict.fromkeys(LABELS, 20)
    assert "adjudicated (6)" in agreement.reference_rule
    assert agreement.humans is not None
    assert agreement.humans.annotators == ("a1", "a2", "a3")
    # Two pairs of the three are a1·a3 and a2·a3: 6 of 60 claims differ; a1·a2: only the torn one.
    pairs = 2 * 54 / 60 + 59 / 60
    assert agreement.humans.raw.value == pytest.approx(pairs / 3)
    assert (study / "report.html").stat().st_size > 10_000

    opened = open_study(study)
    verdicts = verdicts_of_study(opened)
    answers = {
        judge: {
            name: said[judge] if said[judge] in LABELS else None for name, said in verdicts.items()
        }
        for judge in ("constant", "lexical-en")
    }
    found = people_study(
        opened.claims,
        answers,  # type: ignore[arg-type]
        study="plans",
        view="three_class",
        repeats=planted_repeats(opened.claims),
    )
    assert found.annotators == ("a1", "a2", "a3")
    assert len(found.pairs) == 10
    first = next(pair for pair in found.pairs if (pair.one, pair.other) == ("a1", "a2"))
    assert (first.raw.k, first.raw.n, first.differ) == (59, 60, (torn,))
    assert found.links[torn].startswith(f"{studio.url}/projects/{pushed['projects'][0]}/")
    by_code = {one.annotator: one for one in found.reports}
    assert (by_code["a1"].consistency.k, by_code["a1"].consistency.n) == (3, 3)
    assert (by_code["a2"].consistency.k, by_code["a2"].consistency.n) == (2, 3)
    assert [one.claim_id for one in found.ambiguous] == [torn]
    assert list(found.guidelines.values()) == [180]
    assert label_error_candidates(opened) == []  # one judge beside the constant: not several
