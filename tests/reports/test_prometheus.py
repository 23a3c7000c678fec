"""Metrics and alerting rules, checked by promtool and fired on a planted history."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.studies import repeating as made
from voirdire.records import AlertPolicy, HistoryPoint, PolicyResult
from voirdire.reports import policy_note
from voirdire.reports.prometheus import alert_rules, evaluation_metrics, policy_metrics
from voirdire.studies import set_limits, vary, watch

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    PROMTOOL is None, reason="PROMTOOL ABSENT: install the Debian package prometheus"
)
WEEK = 7 * 24 * 3600


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> PolicyResult:
    folder, _ = made.noisy_study(tmp_path_factory.mktemp("p"), n=100, days=6)
    vary(made.opened(folder))
    return set_limits(made.opened(folder))


def promtool(*args: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
    assert PROMTOOL is not None
    command = [PROMTOOL, *(str(arg) for arg in args)]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


def series(policy: AlertPolicy) -> str:
    return (
        f'voirdire_score{{study="{policy.study}",judge="{policy.judge}",'
        f'signal="{policy.signal}",rule="policy"}}'
    )


@needs_promtool
def test_the_rules_are_valid(result: PolicyResult, tmp_path: Path) -> None:
    path = tmp_path / "rules.yml"
    path.write_text(alert_rules(result), encoding="utf-8")
    done = promtool("check", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS" in done.stdout


@needs_promtool
def test_the_metrics_are_valid(result: PolicyResult) -> None:
    done = promtool("check", "metrics", given=policy_metrics(result))
    assert done.returncode == 0, done.stdout + done.stderr
    watched = watch(result.policies[0], planted(result.policies[0], drop=0.3))
    done = promtool("check", "metrics", given=evaluation_metrics(watched))
    assert done.returncode == 0, done.stdout + done.stderr


def planted(policy: AlertPolicy, *, drop: float) -> list[HistoryPoint]:
    assert policy.centre is not None
    scores = [policy.centre] * 6 + [policy.centre - drop]
    return [
        HistoryPoint(time=made.START + timedelta(weeks=week), score=score)
        for week, score in enumerate(scores)
    ]


@needs_promtool
@pytest.mark.parametrize(("drop", "firing"), [("none", ()), ("between", ("Warning",)),
                                               ("large", ("Warning", "Critical"))])  # fmt: skip
def test_a_planted_drop_fires(
    result: PolicyResult, tmp_path: Path, drop: str, firing: tuple[str, ...]
) -> None:
    policy = result.policies[0]
    assert policy.centre is not None
    assert policy.warning.drop is not None
    assert policy.critical.drop is not None
    size = {
        "none": 0.0,
        "between": (policy.warning.drop + policy.critical.drop) / 2,
        "large": policy.critical.drop + 0.02,
    }[drop]
    (tmp_path / "rules.yml").write_text(alert_rules(result), encoding="utf-8")
    # a score stands for its week; a day is the step
    values = f"{policy.centre}x41 {policy.centre - size}x13"
    expected = [
        {
            "eval_time": "48d",
            "alertname": f"VoirdireScore{name}",
            "exp_alerts": [{"exp_labels": {
                "severity": name.lower(), "study": policy.study, "judge": policy.judge,
                "signal": policy.signal, "rule": "policy",
            }, "exp_annotations": annotations(result, name, size)}] if name in firing else [],
        }
        for name in ("Warning", "Critical")
    ]  # fmt: skip
    test = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1d",
        "tests": [
            {
                "interval": "1d",
                "input_series": [{"series": series(policy), "values": values}],
                "alert_rule_test": expected,
            }
        ],
    }
    path = tmp_path / "test.yml"
    path.write_text(json.dumps(test), encoding="utf-8")
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


def annotations(result: PolicyResult, name: str, size: float) -> dict[str, str]:
    rules = json.loads(alert_rules(result))["groups"][0]["rules"]
    rule = next(one for one in rules if one["alert"] == f"VoirdireScore{name}")
    centre = result.policies[0].centre
    assert centre is not None
    shown = repr(centre - (centre - size))
    return {key: text.replace("{{ $value }}", shown) for key, text in rule["annotations"].items()}


@needs_promtool
def test_silence_is_no_good_news(result: PolicyResult, tmp_path: Path) -> None:
    policy = result.policies[0]
    (tmp_path / "rules.yml").write_text(alert_rules(result), encoding="utf-8")
    rules = json.loads(alert_rules(result))["groups"][0]["rules"]
    gap = next(one for one in rules if one["alert"] == "VoirdireNoEvaluation")
    labels = gap["labels"]
    test = {
        "rule_files": ["rules.yml"],
        "evaluation_interval": "1d",
        "tests": [
            {
                "interval": "1d",
                "input_series": [{"series": series(policy), "values": "0.8x7 _x40"}],
                "alert_rule_test": [
                    {"eval_time": "10d", "alertname": "VoirdireNoEvaluation",
                     "exp_alerts": others(result)},
                    {"eval_time": "30d", "alertname": "VoirdireNoEvaluation",
                     "exp_alerts": [{"exp_labels": labels,
                                     "exp_annotations": gap["annotations"]}, *others(result)]},
                ],
            }
        ],
    }  # fmt: skip
    path = tmp_path / "test.yml"
    path.write_text(json.dumps(test), encoding="utf-8")
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr


def others(result: PolicyResult) -> list[dict[str, Any]]:
    """The other signals of the policy file have no series in the test, so they are silent too."""
    found = []
    for group in json.loads(alert_rules(result))["groups"][1:]:
        rule = next(one for one in group["rules"] if one["alert"] == "VoirdireNoEvaluation")
        found.append({"exp_labels": rule["labels"], "exp_annotations": rule["annotations"]})
    return found


def test_a_gap_writes_no_score(result: PolicyResult) -> None:
    policy = result.policies[0]
    points = planted(policy, drop=0.0)
    watched = watch(policy, points)
    text = evaluation_metrics(watched)
    assert "voirdire_score{" in text
    gap = watched.points[-1].model_copy(update={"score": None, "base": None})
    without = evaluation_metrics(watched.model_copy(update={"points": (gap,)}))
    assert "voirdire_score{" not in without
    assert "voirdire_watch_state" in without


def test_hostile_names_stay_inside_their_label(result: PolicyResult) -> None:
    name = 'a"} 1\nvoirdire_evil 2\\'
    policy = result.policies[0].model_copy(update={"judge": name})
    hostile = result.model_copy(update={"policies": (policy,)})
    text = policy_metrics(hostile)
    assert not any(line.startswith("voirdire_evil") for line in text.splitlines())
    if PROMTOOL is not None:
        assert promtool("check", "metrics", given=text).returncode == 0
    assert json.loads(alert_rules(hostile))["groups"][0]["rules"]


def test_the_note_says_what_the_policy_says(result: PolicyResult) -> None:
    note = policy_note(result)
    assert note.startswith("# Alert limits of s\n")
    assert note.count("\n## ") == len(result.policies)
    assert "How the numbers came about" in note
    assert result.policies[0].fingerprints[0][:16] in note
    hostile = result.policies[0].model_copy(update={"judge": "<script>|x|"})
    assert "<script>" not in policy_note(result.model_copy(update={"policies": (hostile,)}))
