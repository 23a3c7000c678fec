"""What lies on disk beside the results, found in a real study that is then meddled with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from voirdire.records import AgreementResult, DecisionResult, Fingerprint
from voirdire.reports import find_circumstances
from voirdire.reports.circumstances import identity_missing
from voirdire.store import StudyPaths, read_document, write_document
from voirdire.studies import agree, open_study, run_study
from voirdire.studies.looks import look_at

EXAMPLE = Path(__file__).parents[2] / "reports" / "example"


@pytest.fixture
def examined(tmp_path: Path) -> tuple[StudyPaths, AgreementResult]:
    """The example, examined anew."""
    folder = tmp_path / "example"
    folder.mkdir()
    shutil.copy(EXAMPLE / "study.toml", folder)
    shutil.copytree(EXAMPLE / "recorded", folder / "recorded")
    study = open_study(folder)
    run_study(study)
    agree(study)
    paths = StudyPaths(folder)
    return paths, read_document(paths.result("agreement"), AgreementResult)


def test_a_sound_study_and_then_a_meddled_one(
    examined: tuple[StudyPaths, AgreementResult],
) -> None:
    paths, agreement = examined
    found = find_circumstances(paths, agreement)
    assert (found.sets_changed, found.test_looks) == ((), 1)
    lexical = found.of("lexical")
    assert lexical is not None
    assert (lexical.verdicts, lexical.cut, lexical.identity_missing) == (832, 0, ())
    assert lexical.failures_go_with == {}

    run = next(judge.run_id for judge in agreement.judges if judge.judge == "lexical")
    lines = paths.verdicts(run).read_text(encoding="utf-8").splitlines()
    paths.verdicts(run).write_text("\n".join(map(_meddled, lines)) + "\n", encoding="utf-8")
    origin = agreement.provenance
    other = origin.model_copy(update={"sets": dict.fromkeys(origin.sets, "00" * 32)})
    found = find_circumstances(paths, agreement.model_copy(update={"provenance": other}))
    assert found.sets_changed == tuple(origin.sets)
    lexical = found.of("lexical")
    assert lexical is not None
    assert lexical.answer_flags == {"input_cut": lexical.cut}
    assert lexical.cut == sum("-paraphrase" in line for line in lines)
    assert "variant" in lexical.failures_go_with
    assert "language" not in lexical.failures_go_with


def _meddled(line: str) -> str:
    """Negations fail, paraphrases were cut."""
    body = json.loads(line)
    if body["claim_id"].endswith("-negation"):
        body |= {"outcome": "timed_out", "label": None}
    if body["claim_id"].endswith("-paraphrase"):
        body["flags"] = ["input_cut"]
    return json.dumps(body)


def test_looks_at_the_test_part_are_those_of_the_decision(
    examined: tuple[StudyPaths, AgreementResult],
) -> None:
    paths, agreement = examined
    run = next(judge.run_id for judge in agreement.judges if judge.judge == "lexical")
    shutil.copytree(paths.run(run), paths.run(f"{run}-again"))
    assert find_circumstances(paths, agreement).test_looks == 1, "the same verdicts, the same look"
    decision = read_document(paths.result("decision"), DecisionResult)
    assert decision.look is not None
    third = look_at(3, level=0.95, digest=decision.look.digest)
    write_document(paths.result("decision"), decision.model_copy(update={"look": third}))
    assert find_circumstances(paths, agreement).test_looks == 3
    paths.result("decision").unlink()
    assert find_circumstances(paths, agreement).test_looks == 0


def test_broken_files_are_no_circumstance(examined: tuple[StudyPaths, AgreementResult]) -> None:
    paths, agreement = examined
    for judge in agreement.judges:
        paths.run_document(judge.run_id).write_text("{", encoding="utf-8")
        paths.verdicts(judge.run_id).write_bytes(b"\xff\xfe{")
    found = find_circumstances(paths, agreement)
    assert [run.verdicts for run in found.runs] == [0] * len(agreement.judges)


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ({"judge": "lexical"}, ()),
        ({"judge": "replay"}, ("judge",)),
        ({"judge": "llm", "model": "some-model"}, ("revision",)),
        ({"judge": "llm", "model": "some-model", "revision": "2030-01-02"}, ()),
        ({"judge": "nli", "model": "m", "weights_sha256": "ab"}, ()),
    ],
)
def test_identity(fields: dict[str, str], missing: tuple[str, ...]) -> None:
    assert identity_missing(Fingerprint(version="1", **fields)) == missing
