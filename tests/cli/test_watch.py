"""``voirdire watch`` as it is typed: states, exit codes and every refusal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Done, voirdire
from tests.studies import repeating as made

WEEKLY = [0.88, 0.86, 0.89, 0.87, 0.85, 0.84, 0.82, 0.76]
POLICY = "reports/s/results/policy.json"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("watch")
    made.noisy_study(root, n=200, days=6)
    assert voirdire("vary", "reports/s", cwd=root).returncode == 0
    assert voirdire("limits", "reports/s", cwd=root).returncode == 0
    return root


def written(root: Path, scores: list[object], *, name: str = "h.csv", **columns: object) -> str:
    head = ["time", "score", *columns]
    rows = [
        ",".join(
            map(str, [f"2026-03-{day:02d}", "" if score is None else score, *columns.values()])
        )
        for day, score in enumerate(scores, start=1)
    ]
    (root / name).write_text("\n".join([",".join(head), *rows]) + "\n", encoding="utf-8")
    return name


def watch(root: Path, history: str, *args: str, policy: str = POLICY) -> Done:
    return voirdire("watch", history, "--policy", policy, *args, cwd=root)


def centre(root: Path) -> float:
    return float(json.loads((root / POLICY).read_text("utf-8"))["policies"][0]["centre"])


def limit(root: Path, severity: str) -> float:
    return float(json.loads((root / POLICY).read_text("utf-8"))["policies"][0][severity]["drop"])


def test_the_usual_rule(root: Path) -> None:
    done = watch(root, written(root, list(WEEKLY)), policy="naive")
    assert done.returncode == 1
    assert "10.1 % below the mean of the last 4, 0.845" in done.stdout
    assert "fires without cause in" in done.stderr
    assert watch(root, written(root, WEEKLY[:7]), policy="naive").returncode == 0
    assert watch(root, written(root, WEEKLY[:4]), policy="naive").returncode == 3


def test_ok_warning_critical(root: Path) -> None:
    level = centre(root)
    assert watch(root, written(root, [level] * 6)).returncode == 0
    between = level - (limit(root, "warning") + limit(root, "critical")) / 2
    history = written(root, [level] * 5 + [between])
    assert watch(root, history).returncode == 0
    done = watch(root, history, "--fail-on", "warning")
    assert done.returncode == 1
    assert done.stdout.startswith("Warning: faithfulness")
    done = watch(root, written(root, [level] * 5 + [level - 0.4]))
    assert done.returncode == 1
    assert done.stdout.startswith("Critical: faithfulness")
    assert "--canary" in done.stderr


def test_json_chart_and_metrics(root: Path) -> None:
    history = written(root, [centre(root)] * 6)
    done = watch(root, history, "--json", "--chart", "c.svg", "--prometheus", "m.prom")
    assert json.loads(done.stdout)["state"] == "ok"
    assert (root / "c.svg").stat().st_size > 3000
    assert "voirdire_watch_state{" in (root / "m.prom").read_text("utf-8")


def test_another_judge_is_exit_code_4(root: Path) -> None:
    done = watch(root, written(root, [0.8] * 5, judge="f" * 64))
    assert done.returncode == 4
    assert "holds for another instrument" in done.stderr
    done = watch(root, written(root, [0.8] * 5, guideline="other"))
    assert done.returncode == 4
    assert "guideline" in done.stderr
    done = watch(root, written(root, [0.8] * 5, label_set="supported_or_not"))
    assert done.returncode == 4


def test_too_little_history_is_exit_code_3(tmp_path: Path) -> None:
    made.noisy_study(tmp_path, days=1, repeats=5)
    for verb in ("vary", "limits"):
        assert voirdire(verb, "reports/s", cwd=tmp_path).returncode == 0
    done = watch(tmp_path, written(tmp_path, [0.8, 0.8, 0.8]))
    assert done.returncode == 3
    assert "cannot be judged: no noise estimate" in done.stderr
    assert watch(tmp_path, written(tmp_path, [])).returncode == 3


def test_a_gap_at_the_end_is_no_zero(root: Path) -> None:
    done = watch(root, written(root, [centre(root)] * 6 + [None]))
    assert done.returncode == 3
    assert "latest evaluation missing" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,score\n2026-03-01,NaN\n", "h.csv:2 score: 'NaN' is not a number"),
        ("time,score\n2026-03-01,good\n", "'good' is not a number"),
        ("time,score\n2026-03-01,1.7\n", "the score 1.7 is out of range"),
        ("time,score\n2026-03-01,.8\n2026-03-01,.9\n", "two evaluations have the time"),
        ("time,score\n2026-03-01T09:00Z,.8\n2026-03-02,.9\n", "some times carry a zone"),
        ("time,score,n\n2026-03-01,.8,-3\n", "'-3' is not a count"),
        ("time,score,n,failures\n2026-03-01,.8,3,4\n", "failures must be <= n"),
    ],
)
def test_a_history_with_faults_is_exit_code_2(root: Path, text: str, words: str) -> None:
    (root / "h.csv").write_text(text, encoding="utf-8")
    for policy in (POLICY, "naive"):
        done = watch(root, "h.csv", policy=policy)
        assert done.returncode == 2
        assert words in done.stderr


def test_an_unsorted_history_is_sorted_and_said(root: Path) -> None:
    lines = [f"2026-03-{day:02d},{score}" for day, score in enumerate(WEEKLY, start=1)]
    (root / "h.csv").write_text("\n".join(["time,score", *lines[::-1]]) + "\n", encoding="utf-8")
    done = watch(root, "h.csv", policy="naive")
    assert done.returncode == 1
    assert "not in the order of time: they are sorted" in done.stderr


def test_a_policy_of_a_newer_schema(root: Path) -> None:
    text = (root / POLICY).read_text("utf-8").replace('"schema_version": "1.0"',
                                                      '"schema_version": "2.0"')  # fmt: skip
    (root / "new.json").write_text(text, encoding="utf-8")
    done = watch(root, written(root, [0.8] * 5), policy="new.json")
    assert done.returncode == 2
    assert "schema_version '2.0' is not known here" in done.stderr
    assert "upgrade voirdire" in done.stderr
    assert watch(root, "h.csv", policy="none.json").returncode == 2
    assert watch(root, "h.csv", policy="reports/s/results/variance.json").returncode == 2


def test_wrong_calls(root: Path) -> None:
    history = written(root, [0.8] * 5)
    assert watch(root, history, "--canary", "reports/s", policy="naive").returncode == 2
    assert watch(root, history, "--chart", "c.docx").returncode == 2
    done = watch(root, history, "--judge", "other")
    assert done.returncode == 2
    assert "no policy of that kind" in done.stderr


def test_several_judges_and_none_named_is_a_wrong_call(root: Path) -> None:
    document = json.loads((root / POLICY).read_text("utf-8"))
    document["policies"] += [one | {"judge": "other"} for one in document["policies"]]
    (root / "two.json").write_text(json.dumps(document), encoding="utf-8")
    history = written(root, [centre(root)] * 6)
    done = watch(root, history, policy="two.json")
    assert done.returncode == 2
    assert "--judge" in done.stderr
    assert watch(root, history, "--judge", "other", policy="two.json").returncode == 0


def test_a_history_of_another_scale_is_warned_of(root: Path) -> None:
    document = json.loads((root / POLICY).read_text("utf-8"))
    document["policies"][0]["centre"] = 0.2
    (root / "low.json").write_text(json.dumps(document), encoding="utf-8")
    history = written(root, [0.8, 0.81, 0.8, 0.79, 0.8, 0.8])
    done = watch(root, history, policy="low.json")
    assert done.returncode == 0
    assert done.stderr.count("Warning: history and policy do not match") == 1
    assert "voirdire limits STUDY --history FILE" in done.stderr
    done = watch(root, history, "--json", policy="low.json")
    assert "do not match" in done.stderr
    assert any("do not match" in note for note in json.loads(done.stdout)["notes"])


def test_the_canary_says_what_moved(tmp_path: Path) -> None:
    claims = made.claims_of(20)
    made.write_claims(tmp_path, claims, {claim.id: ["supported"] for claim in claims})
    folder = made.write_study(tmp_path, "constant", use="constant:supported")
    from voirdire.judges import load

    mark = load("constant:supported").fingerprint()
    for day in range(2):
        made.write_run(folder, claims, [["supported"] * 20], judge="constant", day=day, mark=mark)
    for verb in ("vary", "limits"):
        assert voirdire(verb, "reports/s", cwd=tmp_path).returncode == 0
    history = written(tmp_path, [0.9] * 8 + [0.6], n=200, failures=0)
    done = watch(tmp_path, history, "--signal", "faithfulness", "--canary", "reports/s")
    assert done.returncode == 1
    assert "What moved: the system under test (-0.300 against the baseline)." in done.stdout
    assert "0 of 20 answers changed" in done.stdout
