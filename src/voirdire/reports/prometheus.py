"""A policy and its evaluations for Prometheus: metrics as text, and alerting rules.

The rules compare the newest score with the mean of the k evaluations before it. A score is a gauge
that stands until the next evaluation, so the time average over k cadences, one cadence ago, is the
mean of k earlier evaluations and never holds the newest one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from voirdire.records import AlertLimit, AlertPolicy, PolicyResult, WatchResult

__all__ = ["alert_rules", "evaluation_metrics", "policy_metrics"]

_YEAR = 365 * 24 * 3600
_STATES = {"ok": 0, "warning": 1, "critical": 2}
_SHORT = 12
"""Letters of a fingerprint in a label."""


def policy_metrics(result: PolicyResult) -> str:
    """The limits of a policy file in the text format, for lines in a dashboard."""
    samples: dict[str, list[str]] = {
        "voirdire_policy_info": [],
        "voirdire_policy_centre": [],
        "voirdire_policy_noise_sd": [],
        "voirdire_policy_drop": [],
        "voirdire_policy_false_alarm_rate": [],
    }
    for policy in result.policies:
        labels = _labels(policy)
        for digest in policy.fingerprints:
            info = labels | {"fingerprint": digest[:_SHORT], "claims": policy.claims}
            samples["voirdire_policy_info"].append(_sample("voirdire_policy_info", info, 1))
        for name, value in (
            ("voirdire_policy_centre", policy.centre),
            ("voirdire_policy_noise_sd", policy.sd),
        ):
            if value is not None:
                samples[name].append(_sample(name, labels, value))
        for limit in (policy.warning, policy.critical):
            marked = labels | {"severity": limit.severity}
            for name, value in (
                ("voirdire_policy_drop", limit.drop),
                ("voirdire_policy_false_alarm_rate", limit.promised_rate),
            ):
                if value is not None:
                    samples[name].append(_sample(name, marked, value))
    return _exposition(samples)


def evaluation_metrics(result: WatchResult) -> str:
    """The newest evaluation of a watched history in the text format.

    A gap yields no score: nothing is written for it, never a zero.
    """
    labels = {
        "study": result.study or "",
        "judge": result.judge or "",
        "signal": result.signal,
        "rule": result.rule,
    }
    samples: dict[str, list[str]] = {
        "voirdire_score": [],
        "voirdire_watch_state": [_sample("voirdire_watch_state", labels, _STATES[result.state])],
        "voirdire_watch_base": [],
        "voirdire_watch_limit": [],
        "voirdire_watch_drift": [],
        "voirdire_watch_time_seconds": [],
    }
    if result.points:
        newest = result.points[-1]
        samples["voirdire_watch_time_seconds"].append(
            _sample("voirdire_watch_time_seconds", labels, newest.time.timestamp())
        )
        for name, value in (
            ("voirdire_score", newest.score),
            ("voirdire_watch_base", newest.base),
            ("voirdire_watch_drift", newest.drift),
        ):
            if value is not None:
                samples[name].append(_sample(name, labels, value))
        for severity, value in (
            ("warning", newest.warning_limit),
            ("critical", newest.critical_limit),
        ):
            if value is not None:
                marked = labels | {"severity": severity}
                samples["voirdire_watch_limit"].append(
                    _sample("voirdire_watch_limit", marked, value)
                )
    return _exposition(samples)


def alert_rules(result: PolicyResult) -> str:
    """Alerting rules for the metrics that `evaluation_metrics` writes, as YAML.

    For each policy with a limit of its own: a warning and a critical on the drop below the mean of
    the last k evaluations. For every policy: an alert when evaluations stop, for a gap is no good
    news, and one on the state that ``watch`` itself found (drift, failures, counts).
    """
    groups = [
        {
            "name": f"voirdire-{policy.study}-{policy.judge}-{policy.signal}",
            "rules": list(_rules(policy)),
        }
        for policy in result.policies
    ]
    # JSON is YAML, and quotes every name and expression the same way
    return json.dumps({"groups": groups}, ensure_ascii=False, indent=2) + "\n"


def _rules(policy: AlertPolicy) -> Iterator[dict[str, Any]]:
    for rule in _unmarked_rules(policy):
        # without the policy's own labels two policies would hold rules that look the same
        yield rule | {"labels": _labels(policy) | rule["labels"]}


def _unmarked_rules(policy: AlertPolicy) -> Iterator[dict[str, Any]]:
    cadence = max(int(_YEAR / policy.per_year), 60)
    chosen = _selector(_labels(policy))
    for limit in (policy.warning, policy.critical):
        if limit.drop is not None:
            yield _drop_rule(policy, limit, chosen, cadence)
    for state, severity in ((1, "warning"), (2, "critical")):
        yield {
            "alert": f"VoirdireState{severity.capitalize()}",
            "expr": f"voirdire_watch_state{chosen} == {state}",
            "labels": {"severity": severity},
            "annotations": {
                "summary": f"voirdire watch says {severity} of {{{{ $labels.signal }}}} of "
                "{{ $labels.judge }}"
            },
        }
    yield {
        "alert": "VoirdireNoEvaluation",
        "expr": f"absent_over_time(voirdire_score{chosen}[{2 * cadence}s])",
        "labels": {"severity": "warning"},
        "annotations": {
            "summary": f"no {policy.signal} of {policy.judge} for two cadences: a gap, not a zero"
        },
    }


def _drop_rule(policy: AlertPolicy, limit: AlertLimit, chosen: str, cadence: int) -> dict[str, Any]:
    score = f"voirdire_score{chosen}"
    base = f"avg_over_time({score}[{policy.k * cadence}s] offset {cadence}s)"
    low = policy.direction == "low"
    move = f"{base} - {score}" if low else f"{score} - {base}"
    word = "dropped" if low else "risen"
    return {
        "alert": f"VoirdireScore{limit.severity.capitalize()}",
        "expr": f"({move}) > {limit.drop!r}",
        "labels": {"severity": limit.severity},
        "annotations": {
            "summary": f"{policy.signal} of {policy.judge} has {word} by {{{{ $value }}}}; "
            f"noise and margin explain {limit.drop:.4f}",
            "description": f"Against the mean of the {policy.k} evaluations before; at most "
            f"{100 * limit.promised_rate:g} % of evaluations fire while nothing changes. Holds "
            f"for the judge {', '.join(one[:_SHORT] for one in policy.fingerprints)} only.",
        },
    }


def _labels(policy: AlertPolicy) -> dict[str, str]:
    return {
        "study": policy.study,
        "judge": policy.judge,
        "signal": policy.signal,
        "rule": "policy",
    }


_HELP = {
    "voirdire_policy_info": "Judge that the policy holds for.",
    "voirdire_policy_centre": "Frozen centre of the signal.",
    "voirdire_policy_noise_sd": "Standard deviation of one evaluation.",
    "voirdire_policy_drop": "Move beyond which it fires, in units of the signal.",
    "voirdire_policy_false_alarm_rate": "False alarms per evaluation that are promised.",
    "voirdire_score": "The newest score.",
    "voirdire_watch_state": "What watch says: 0 ok, 1 warning, 2 critical.",
    "voirdire_watch_base": "Mean of the evaluations before the newest.",
    "voirdire_watch_limit": "Value beyond which the newest fires.",
    "voirdire_watch_drift": "Slow average of the scores.",
    "voirdire_watch_time_seconds": "Time of the newest evaluation.",
}


def _exposition(samples: dict[str, list[str]]) -> str:
    lines = []
    for name, found in samples.items():
        if found:
            lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} gauge", *found]
    return "\n".join(lines) + "\n"


def _sample(name: str, labels: dict[str, str], value: float) -> str:
    return f"{name}{_selector(labels)} {value!r}"


def _selector(labels: dict[str, str]) -> str:
    inside = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inside}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
