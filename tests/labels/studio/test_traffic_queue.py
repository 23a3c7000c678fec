"""Traffic scored, its doubtful claims sent to people, and the judge validated on what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.labels.studio.conftest import Hand, labels_in
from tests.servers.label_studio import LabelStudio
from voirdire.cli.main import main
from voirdire.records import AgreementResult
from voirdire.store import read_document

PLANS = 12


def claims_of(n: int) -> dict[str, str]:
    """Claims about one plan and what a person says of each; the second fools a count of words."""
    return {
        f"Plan {n} costs {10 + n} euros a month.": "supported",
        f"Plan {n} can never be cancelled online by a customer.": "contradicted",
        f"Plan {n} includes a phone.": "unverifiable",
    }


def traffic(path: Path) -> dict[str, str]:
    truth: dict[str, str] = {}
    rows = []
    for n in range(PLANS):
        truth |= claims_of(n)
        context = f"Plan {n} costs {10 + n} euros a month. Plan {n} can be cancelled online."
        answer = " ".join(claims_of(n))
        rows.append({"id": f"a{n}", "question": f"What is plan {n}?", "contexts": [context],
                     "answer": answer})  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return truth


def test_people_judge_the_queue_and_the_judge_is_validated_on_it(
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

    def call(*args: str) -> int:
        with pytest.raises(SystemExit) as ended:
            main(list(args))
        err = capsys.readouterr().err
        assert "Traceback" not in err
        assert ended.value.code != 5, err
        return int(ended.value.code or 0)

    truth = traffic(tmp_path / "answers.jsonl")
    queue = "labels/traffic"
    folder = tmp_path / queue
    assert call("score", "answers.jsonl", "--judge", "lexical", "--into", "scores",
                "--queue", queue, "--queue-size", "24") == 0  # fmt: skip
    assert call("check", queue) == 0
    assert call("push", queue, "--overlap", "2") == 0
    lines = (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {one["id"]: one["claim"] for one in map(json.loads, lines)}
    assert len(texts) == 24
    tasks = tasks_of(folder)
    assert set(tasks) == set(texts)
    for name, task in tasks.items():
        for hand in hands[:2]:
            hand.label(task, truth[texts[name]])
    assert call("pull", queue) == 0
    assert len(labels_in(folder)) == 48

    assert call("examine", queue, "--judge", "lexical", "--into", "reports/traffic") in (0, 1, 3)
    path = tmp_path / "reports" / "traffic" / "results" / "agreement.json"
    found = read_document(path, AgreementResult)
    assert found.n_claims == 24
    # What the judge said when it scored is what it is validated on now.
    rows = map(json.loads, (tmp_path / "scores" / "claims.jsonl").read_text().splitlines())
    said = {row["text"]: row["label"] for row in rows}
    right = sum(said[text] == truth[text] for text in texts.values())
    (judge,) = [one for one in found.judges if "lexical" in one.judge]
    assert judge.raw.value == pytest.approx(right / 24)
    assert right < 24  # it is fooled: that is what people are asked for
