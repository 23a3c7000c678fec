"""The runner: blind, shuffled, appended, resumed, sealed."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges.conftest import make_claims
from tests.judges.helpers import SUPPORTED, Logging, Made, all_supported
from voirdire.errors import (
    InputError,
    JudgeUnavailable,
    SealBroken,
    StoreError,
    UsageError,
    VoirdireError,
)
from voirdire.judges import (
    Judge,
    latest_sealed_runs,
    opaque_id,
    read_runs,
    read_verdicts,
    run_judge,
)
from voirdire.judges.blinding import asking_order
from voirdire.records import JudgeInput, JudgeRun, Verdict
from voirdire.store import JudgeConfig, StudyPaths, read_lines

Told = list[str]


def run(judge: Judge, claims: Any, paths: StudyPaths, **changes: Any) -> JudgeRun:
    settings: dict[str, Any] = {
        "config": JudgeConfig(name="j", use="made"), "repeats": 2, "seed": 7,
    }  # fmt: skip
    return run_judge(judge, claims, paths=paths, **{**settings, **changes})


def test_whole_run(paths: StudyPaths) -> None:
    claims = make_claims(12)
    shown: list[tuple[int, int]] = []
    done = run(Made(all_supported), claims, paths, progress=lambda *p: shown.append(p))
    assert done.seal is not None
    assert done.seal.verdicts == 24
    assert done.seal.outcomes == {"judged": 24}
    assert shown[-1] == (24, 24)
    verdicts = [
        Verdict.model_validate(line.value) for line in read_lines(paths.verdicts(done.run_id))
    ]
    assert Counter((v.repeat, v.claim_id) for v in verdicts) == Counter(
        (k, claim.id) for k in range(2) for claim in claims
    )
    assert all(v.run_id == done.run_id for v in verdicts)
    assert all(v.at.utcoffset().total_seconds() == 0 for v in verdicts)  # type: ignore[union-attr]
    assert latest_sealed_runs(paths) == {"j": done}


def test_judge_sees_nothing_that_tells(paths: StudyPaths) -> None:
    seen: list[list[JudgeInput]] = []

    def keeps(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        seen.append([])
        for item in inputs:
            seen[-1].append(item)
            yield item.id, SUPPORTED

    claims = make_claims(30)
    run(Made(keeps), claims, paths)
    assert len(seen) == 2
    assert [i.id for i in seen[0]] != [i.id for i in seen[1]], "another order for each repeat"
    in_set_order = [opaque_id(claim.id, seed=7) for claim in claims]
    for asked in seen:
        assert sorted(i.id for i in asked) == sorted(in_set_order)
        assert [i.id for i in asked] != in_set_order
        assert set(JudgeInput.model_fields) == {"id", "claim", "context"}
        for item in asked:
            assert not any(word in item.id for word in ("fam", "neg", "orig", "para"))
    assert opaque_id("c", seed=1) != opaque_id("c", seed=2)
    assert asking_order(30, seed=7, repeat=0) == asking_order(30, seed=7, repeat=0)


def test_sealed_run_is_reused_unless_fresh(paths: StudyPaths, tmp_path: Path) -> None:
    claims, judge, told = make_claims(6), Logging(tmp_path / "log"), Told()
    first = run(judge, claims, paths)
    again = run(judge, claims, paths, tell=told.append)
    assert again == first
    assert "finished and is used as it is" in told[0]
    assert len(judge.asked()) == 12
    fresh = run(judge, claims, paths, fresh=True)
    assert fresh.run_id != first.run_id
    assert len(judge.asked()) == 24
    assert latest_sealed_runs(paths)["j"].run_id == fresh.run_id
    assert run(judge, claims, paths).run_id == fresh.run_id, "the latest one"


@pytest.mark.parametrize("change", ["claims", "judge", "repeats", "name"])
def test_another_question_is_another_run(paths: StudyPaths, change: str) -> None:
    claims = make_claims(6)
    first = run(Made(all_supported), claims, paths)
    second = run(
        Made(all_supported, name="other" if change == "judge" else "made"),
        claims[:5] if change == "claims" else claims,
        paths,
        repeats=3 if change == "repeats" else 2,
        config=JudgeConfig(name="k" if change == "name" else "j", use="made"),
    )
    assert second.run_id != first.run_id
    assert len(read_runs(paths)) == 2


def test_run_ids_never_collide(paths: StudyPaths) -> None:
    ids = {run(Made(all_supported), make_claims(1), paths, fresh=True).run_id for _ in range(20)}
    assert len(ids) == 20


def test_refusals(paths: StudyPaths) -> None:
    with pytest.raises(UsageError, match="no claims to ask"):
        run(Made(all_supported), (), paths)
    with pytest.raises(ValueError, match="repeats must be >= 1, got 0"):
        run(Made(all_supported), make_claims(1), paths, repeats=0)
    with pytest.raises(ValueError, match="must be unique"):
        run(Made(all_supported), make_claims(1) * 2, paths)


def test_failing_claims_are_outcomes_and_are_told(paths: StudyPaths) -> None:
    def raises(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        for item in inputs:
            if "number 3 " in item.claim:
                raise KeyError("boom")
            yield item.id, SUPPORTED

    told = Told()
    done = run(Made(raises), make_claims(6), paths, tell=told.append)
    assert done.seal is not None
    assert done.seal.outcomes == {"judged": 10, "failed": 2}
    columns = read_verdicts(paths, done.run_id)
    assert {c for c, e in zip(columns.claim_id, columns.error, strict=True) if e} == {
        "fam1-original-3"
    }
    assert any("4 exceptions" in message for message in told)


def test_unavailable_keeps_what_was_answered(paths: StudyPaths) -> None:
    def gone(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        for number, item in enumerate(inputs):
            if number == 4:
                raise JudgeUnavailable("gone", todo="run: mend")
            yield item.id, SUPPORTED

    with pytest.raises(JudgeUnavailable):
        run(Made(gone), make_claims(6), paths)
    (open_run,) = read_runs(paths)
    assert open_run.seal is None
    assert len(read_verdicts(paths, open_run.run_id, allow_open=True)) == 4
    with pytest.raises(UsageError, match="not finished"):
        read_verdicts(paths, open_run.run_id)
    done = run(Made(all_supported), make_claims(6), paths)
    assert done.run_id == open_run.run_id


# ---- stopped and resumed ------------------------------------------------------------------


def interrupted_after(n: int) -> Made:
    def stops(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        for number, item in enumerate(inputs):
            if number == n:
                raise KeyboardInterrupt
            yield item.id, SUPPORTED

    return Made(stops, name="logging")


def test_ctrl_c_loses_nothing_also_when_fresh(paths: StudyPaths, tmp_path: Path) -> None:
    claims, judge, told = make_claims(8), Logging(tmp_path / "log"), Told()
    first = run(judge, claims, paths, repeats=1)
    for _ in range(2):  # the second Ctrl-C comes in the run that the first left open
        with pytest.raises(KeyboardInterrupt):
            run(interrupted_after(3), claims, paths, repeats=1, fresh=True)
    before = len(judge.asked())
    done = run(judge, claims, paths, repeats=1, fresh=True, tell=told.append)
    assert done.run_id != first.run_id
    assert len(read_runs(paths)) == 2
    assert len(judge.asked()) - before == 2
    assert "6 verdicts stand" in told[0]


def verdict_keys(path: Path) -> set[tuple[int, str]]:
    if not path.exists():
        return set()
    return {(line.value["repeat"], line.value["claim_id"]) for line in read_lines(path)}


def test_kill_at_fifty_random_points(paths: StudyPaths, tmp_path: Path) -> None:
    """Nothing that stands in the file is asked again; a kill costs at most the one in flight."""
    claims, rng = make_claims(150), random.Random(5)
    judge = Logging(tmp_path / "log", seconds=0.0005)
    names = {opaque_id(claim.id, seed=7): claim.id for claim in claims}
    kills = 0
    for _ in range(50):
        child = os.fork()
        if child == 0:  # no exit handlers of the test runner in the child
            try:
                run(judge, claims, paths)
            finally:
                os._exit(0)
        time.sleep(rng.uniform(0.002, 0.05))
        os.kill(child, signal.SIGKILL)
        kills += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        runs = [r for r in read_runs(paths) if r.seal is None]
        standing = verdict_keys(paths.verdicts(runs[0].run_id)) if runs else set()
        asked_before = len(judge.asked())
        again = run_or_none(judge, claims, paths, stop_after=rng.choice([0, 1, 2]))
        asked_now = {(k, names[i]) for k, i in judge.asked()[asked_before:]}
        assert not asked_now & standing, "asked what stood in the file"
        if again is not None:
            break
    done = run(judge, claims, paths)
    assert done.seal is not None
    assert done.seal.verdicts == 300
    assert len(verdict_keys(paths.verdicts(done.run_id))) == 300
    assert len(read_runs(paths)) == 1
    assert kills >= 5, "too few runs were killed under way to show anything"
    twice = Counter(judge.asked())
    assert sum(n - 1 for n in twice.values()) <= kills


def run_or_none(judge: Logging, claims: Any, paths: StudyPaths, *, stop_after: int) -> Any:
    """A few claims of the run, stopped gently."""

    def some(inputs: Iterable[JudgeInput], repeat: int) -> Iterator[Any]:
        stream = iter(inputs)
        for _ in range(stop_after):
            item = next(stream, None)
            if item is None:
                return
            yield from judge([item], repeat=repeat)
        raise KeyboardInterrupt

    try:
        return run(Made(some, name="logging"), claims, paths)
    except KeyboardInterrupt:
        return None


def test_torn_tail_at_every_byte(paths: StudyPaths, tmp_path: Path) -> None:
    claims = make_claims(2)
    with pytest.raises(KeyboardInterrupt):
        run(interrupted_after(1), claims, paths, repeats=1)
    (open_run,) = read_runs(paths)
    path = paths.verdicts(open_run.run_id)
    whole = path.read_bytes()
    document = paths.run_document(open_run.run_id).read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        paths.run_document(open_run.run_id).write_bytes(document)
        judge = Logging(tmp_path / f"log{cut}")
        kept = len([line for line in whole[:cut].split(b"\n") if line.endswith(b"}")])
        done = run(judge, claims, paths, repeats=1)
        assert done.seal is not None
        assert done.seal.verdicts == 2
        assert len(judge.asked()) == 2 - kept
        assert len(verdict_keys(path)) == 2


def test_killed_before_the_seal(paths: StudyPaths, tmp_path: Path) -> None:
    judge = Logging(tmp_path / "log")
    done = run(judge, make_claims(4), paths)
    document = paths.run_document(done.run_id)
    body = json.loads(document.read_text(encoding="utf-8"))
    document.write_text(json.dumps({**body, "seal": None}), encoding="utf-8")
    again = run(judge, make_claims(4), paths)
    assert len(judge.asked()) == 8
    assert again.seal is not None
    assert done.seal is not None
    assert again.seal.sha256 == done.seal.sha256


def test_folder_without_document_is_passed_over(paths: StudyPaths) -> None:
    (paths.runs / "j-killed-early").mkdir(parents=True)
    run(Made(all_supported), make_claims(2), paths)
    assert len(read_runs(paths)) == 1


# ---- damage and refusals of the file system -----------------------------------------------


def test_seal_broken(paths: StudyPaths) -> None:
    done = run(Made(all_supported), make_claims(3), paths)
    path = paths.verdicts(done.run_id)
    path.write_bytes(path.read_bytes().replace(b"supported", b"contradicted", 1))
    with pytest.raises(SealBroken, match="changed since"):
        read_verdicts(paths, done.run_id)
    with pytest.raises(SealBroken, match="--fresh"):
        run(Made(all_supported), make_claims(3), paths)
    path.unlink()
    with pytest.raises(SealBroken, match="gone"):
        read_verdicts(paths, done.run_id)
    assert run(Made(all_supported), make_claims(3), paths, fresh=True).seal is not None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"claim_id": "zzz", "repeat": 0, "outcome": "failed"}', "it was not asked"),
        ('{"claim_id": "fam0-original-0", "repeat": 9, "outcome": "failed"}', "it was not asked"),
        ('{"claim_id": "fam0-original-0", "repeat": 0, "outcome": "maybe"}', "not a verdict"),
        ('{"claim_id": "fam0-original-0", "repeat": 0, "outcome": "judged"}', "not a verdict"),
        ("{torn}", "not a JSON object"),
    ],
)
def test_damaged_open_run_is_refused(paths: StudyPaths, line: str, message: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(interrupted_after(0), make_claims(3), paths)
    (open_run,) = read_runs(paths)
    with paths.verdicts(open_run.run_id).open("a", encoding="utf-8") as handle:
        handle.write(line + "\n")
    with pytest.raises(InputError, match=message):
        run(interrupted_after(0), make_claims(3), paths)


def test_verdict_that_stands_twice_is_refused(paths: StudyPaths) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(interrupted_after(1), make_claims(3), paths)
    (open_run,) = read_runs(paths)
    path = paths.verdicts(open_run.run_id)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(InputError, match="stands there twice"):
        run(interrupted_after(1), make_claims(3), paths)


def test_full_disk_keeps_what_was_written(paths: StudyPaths, tmp_path: Path) -> None:
    """A file size limit stands for a full disk: both end a write in its middle."""
    claims, judge = make_claims(40), Logging(tmp_path / "log")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
            run(Logging(tmp_path / "first"), claims, paths)
        except StoreError as error:
            code = 0 if "append to the file" in str(error) or "close the file" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    (open_run,) = read_runs(paths)
    standing = verdict_keys(paths.verdicts(open_run.run_id))
    assert len(standing) > 10
    done = run(judge, claims, paths)
    assert done.run_id == open_run.run_id
    assert len(judge.asked()) == 80 - len(standing)


def test_read_only_folder() -> None:
    """As an ordinary user: root may write anywhere."""
    folder = Path(tempfile.mkdtemp())
    was = os.geteuid()
    try:
        folder.chmod(0o555)
        if was == 0:
            os.seteuid(65534)
        with pytest.raises(StoreError, match="write permission"):
            run(Made(all_supported), make_claims(2), StudyPaths(folder / "study"))
    finally:
        os.seteuid(was)
        shutil.rmtree(folder)


def test_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "study").write_text("x")
    with pytest.raises(VoirdireError, match="cannot make the folder"):
        run(Made(all_supported), make_claims(2), StudyPaths(tmp_path / "study"))


def test_columns_read_fast(paths: StudyPaths) -> None:
    done = run(Made(all_supported), make_claims(500), paths, repeats=20)
    started = time.process_time()
    columns = read_verdicts(paths, done.run_id)
    assert len(columns) == 10_000
    assert time.process_time() - started < 2  # 250,000 in about 2 s on an idle machine
    assert set(columns.label) == {"supported"}
    assert set(columns.attempts) == {1}
    assert set(columns.cached) == {False}
    assert columns.score[0] is None
