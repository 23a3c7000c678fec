"""Replay: the recorded answers, under any seed, and nothing but them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.judges.conftest import make_claims
from voirdire.errors import SealBroken, UsageError
from voirdire.judges import load, read_verdicts, run_judge
from voirdire.records import JudgeRun
from voirdire.store import JudgeConfig, StudyPaths


@pytest.fixture
def recorded(paths: StudyPaths, config: JudgeConfig) -> JudgeRun:
    return run_judge(load("lexical"), make_claims(9), paths=paths, config=config, repeats=2, seed=1)


def answers(paths: StudyPaths, run: JudgeRun) -> dict[tuple[str, int], tuple[str, str | None]]:
    columns = read_verdicts(paths, run.run_id)
    return dict(
        zip(
            zip(columns.claim_id, columns.repeat, strict=True),
            zip(columns.outcome, columns.label, strict=True),
            strict=True,
        )
    )


@pytest.mark.parametrize("whole_folder", [True, False])
def test_same_answers_under_another_seed(
    paths: StudyPaths, recorded: JudgeRun, tmp_path: Path, whole_folder: bool
) -> None:
    path = paths.run(recorded.run_id) if whole_folder else paths.verdicts(recorded.run_id)
    judge = load("replay", parameters={"path": path.name if whole_folder else str(path)},
                 folder=paths.runs)  # fmt: skip
    other = StudyPaths(tmp_path / "other")
    config = JudgeConfig(name="again", use="replay")
    replayed = run_judge(judge, make_claims(9), paths=other, config=config, repeats=2, seed=99)
    assert answers(other, replayed) == answers(paths, recorded)
    columns = read_verdicts(other, replayed.run_id)
    assert set(columns.cached) == {True}
    assert set(columns.evidence) == set(read_verdicts(paths, recorded.run_id).evidence)


def test_fingerprint_is_the_recorded_one_marked(paths: StudyPaths, recorded: JudgeRun) -> None:
    judge = load("replay", parameters={"path": str(paths.run(recorded.run_id))})
    fingerprint = judge.fingerprint()
    assert fingerprint.judge == "lexical"
    assert fingerprint.parts == (recorded.fingerprint.digest,)
    assert fingerprint.version == "1+replay1"
    assert recorded.seal is not None
    assert fingerprint.parameters["replayed_sha256"] == recorded.seal.sha256
    assert fingerprint.digest != recorded.fingerprint.digest


def test_what_was_not_recorded_is_an_outcome(
    paths: StudyPaths, recorded: JudgeRun, tmp_path: Path
) -> None:
    judge = load("replay", parameters={"path": str(paths.run(recorded.run_id))})
    other = StudyPaths(tmp_path / "other")
    config = JudgeConfig(name="again", use="replay")
    run = run_judge(judge, make_claims(10), paths=other, config=config, repeats=3, seed=1)
    assert run.seal is not None
    assert run.seal.outcomes == {"judged": 18, "failed": 12}
    errors = [e for e in read_verdicts(other, run.run_id).error if e]
    assert "no answer to claim 'fam0-original-0', repeat 2, is recorded" in errors


def test_verdicts_alone_and_torn(paths: StudyPaths, recorded: JudgeRun, tmp_path: Path) -> None:
    lone = tmp_path / "verdicts.jsonl"
    lone.write_bytes(paths.verdicts(recorded.run_id).read_bytes()[:-20])
    judge = load("replay", parameters={"path": str(lone)})
    assert judge.fingerprint().judge == "replay"
    other = StudyPaths(tmp_path / "other")
    config = JudgeConfig(name="again", use="replay")
    run = run_judge(judge, make_claims(9), paths=other, config=config, repeats=2, seed=1)
    assert run.seal is not None
    assert run.seal.outcomes == {"judged": 17, "failed": 1}


def test_changed_recording_is_refused(paths: StudyPaths, recorded: JudgeRun) -> None:
    path = paths.verdicts(recorded.run_id)
    path.write_bytes(path.read_bytes() + b"{}\n")
    with pytest.raises(SealBroken):
        load("replay", parameters={"path": str(path)})


def test_no_recording(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no recorded verdicts"):
        load("replay", parameters={"path": str(tmp_path)})
