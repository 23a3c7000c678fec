"""Records refuse what the design forbids, and say what was wrong."""

from __future__ import annotations

import json
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from voirdire.records import (
    LABELS,
    OUTCOMES,
    Claim,
    Decision,
    Estimate,
    Fingerprint,
    JudgeAnswer,
    LabelRecord,
    Verdict,
    apply_view,
    trusted,
    view_labels,
)


def estimate(**changes: Any) -> Estimate:
    fields: dict[str, Any] = {
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "n": 10,
        "n_asked": 12,
        "method": "test",
    } | changes
    return Estimate(**fields)


def test_estimate_keeps_what_it_is_given() -> None:
    found = estimate(families=5, k=5, notes=("a note",))
    assert (found.value, found.low, found.high, found.n, found.n_asked) == (0.5, 0.4, 0.6, 10, 12)
    assert found.defined


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": None}, "value must be null exactly when"),
        ({"undefined": "no items"}, "value must be null exactly when"),
        ({"low": None}, "low and high must both be set"),
        ({"low": None, "high": None}, "must say why in 'no_interval'"),
        ({"low": 0.7}, "low must be <= high"),
        ({"n": 13}, "n must be <= n_asked"),
        ({"value": float("nan")}, "finite"),
        ({"high": float("inf")}, "finite"),
        ({"method": ""}, "at least 1 character"),
        ({"level": 1.0}, "less than 1"),
        ({"surprise": 1}, "Extra inputs"),
    ],
)
def test_estimate_refuses(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        estimate(**changes)


def test_undefined_estimate_has_a_reason_and_no_value() -> None:
    found = Estimate.not_defined("one label only", method="kappa", n=5)
    assert found.value is None
    assert found.undefined == "one label only"
    assert found.n_asked == 5
    assert not found.defined


def test_estimates_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        estimate().value = 1.0  # type: ignore[misc]


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_nan_or_infinity_reaches_a_file(value: float) -> None:
    try:
        record = estimate(value=value, low=value, high=value)
    except ValidationError:
        return
    text = record.model_dump_json()
    assert json.loads(text, parse_constant=lambda _: pytest.fail("NaN in JSON"))["value"] == value


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_label_if_and_only_if_judged(outcome: str) -> None:
    label = "supported" if outcome == "judged" else None
    assert JudgeAnswer(outcome=outcome, label=label).label == label  # type: ignore[arg-type]
    other = None if label else "supported"
    with pytest.raises(ValidationError, match="label must be set exactly when"):
        JudgeAnswer(outcome=outcome, label=other)  # type: ignore[arg-type]


def test_an_answer_has_a_label_or_an_error() -> None:
    with pytest.raises(ValidationError, match="exclude each other"):
        JudgeAnswer(outcome="judged", label="supported", error="boom")


@pytest.mark.parametrize("shares", [(0.5, 0.4, 0.0), (1.2, -0.2, 0.0), (0.0, 0.0, 0.0)])
def test_probabilities_sum_to_one_or_are_absent(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValidationError, match="sum to 1"):
        JudgeAnswer(
            outcome="judged",
            label="supported",
            probabilities=dict(zip(LABELS, shares, strict=True)),
        )


def test_a_label_outside_the_set_is_refused_with_the_value() -> None:
    with pytest.raises(ValidationError, match="supportedd"):
        JudgeAnswer(outcome="judged", label="supportedd")  # type: ignore[arg-type]


def test_verdicts_need_a_time_zone() -> None:
    fields: dict[str, Any] = {
        "outcome": "judged",
        "label": "supported",
        "run_id": "r",
        "repeat": 0,
        "claim_id": "c",
    }
    with pytest.raises(ValidationError, match="timezone"):
        Verdict(**fields, at=datetime(2026, 1, 1))
    assert Verdict(**fields, at=datetime(2026, 1, 1, tzinfo=UTC)).repeat == 0


@pytest.mark.parametrize("status", ["skipped", "cancelled", "empty"])
def test_a_label_record_is_labelled_or_not(status: str) -> None:
    fields: dict[str, Any] = {"id": "1", "claim_id": "c", "annotator": "a1"}
    assert LabelRecord(**fields, status=status).label is None
    with pytest.raises(ValidationError, match="label must be set exactly when"):
        LabelRecord(**fields, status=status, label="supported")
    with pytest.raises(ValidationError, match="label must be set exactly when"):
        LabelRecord(**fields)


def test_a_claim_needs_a_context() -> None:
    with pytest.raises(ValidationError, match="context"):
        Claim(id="c", family="f", variant="original", claim="x", context=(), language="en")


@pytest.mark.parametrize("language", ["", "EN", "english language", "e"])
def test_language_is_a_tag(language: str) -> None:
    with pytest.raises(ValidationError, match="language"):
        Claim(id="c", family="f", variant="original", claim="x", context=("y",), language=language)


def test_fingerprint_digest_covers_every_field() -> None:
    base = Fingerprint(judge="lexical", version="1", parameters={"threshold": 0.75})
    changes: list[dict[str, Any]] = [
        {"judge": "other"},
        {"version": "2"},
        {"parameters": {"threshold": 0.8}},
        {"model": "m"},
        {"revision": "r"},
        {"weights_sha256": "w"},
        {"prompt_sha256": "p"},
        {"label_map": {"0": "supported"}},
        {"packages": {"numpy": "2"}},
        {"parts": ("x",)},
    ]
    assert {key for change in changes for key in change} == set(Fingerprint.model_fields)
    digests = {base.digest, *(base.model_copy(update=change).digest for change in changes)}
    assert len(digests) == len(changes) + 1


def test_fingerprint_digest_ignores_the_order_of_keys() -> None:
    one = Fingerprint(judge="j", version="1", parameters={"a": 1, "b": 2})
    two = Fingerprint(judge="j", version="1", parameters={"b": 2, "a": 1})
    assert one.digest == two.digest


def test_two_class_labels_have_no_place_in_three_classes() -> None:
    assert apply_view("contradicted", "supported_or_not") == "not_supported"
    assert apply_view("unverifiable", "supported_or_not") == "not_supported"
    assert apply_view("not_supported", "supported_or_not") == "not_supported"
    assert [apply_view(label, "three_class") for label in LABELS] == list(LABELS)
    assert view_labels("supported_or_not") == ("supported", "not_supported")
    with pytest.raises(ValueError, match="no place"):
        apply_view("not_supported", "three_class")


def decision(**changes: Any) -> Decision:
    fields: dict[str, Any] = {
        "judge": "j",
        "decision": "adopt",
        "sentence": "s",
        "rule": "r",
        "gates": (),
        "next_step": "n",
    } | changes
    return Decision(**fields)


def test_a_narrower_adoption_names_its_part() -> None:
    with pytest.raises(ValidationError, match="'part' is named exactly when"):
        decision(decision="adopt_narrower")
    with pytest.raises(ValidationError, match="'part' is named exactly when"):
        decision(part="language:en")
    assert decision(decision="adopt_narrower", part="language:en").part == "language:en"


def test_not_enough_evidence_says_what_is_missing() -> None:
    with pytest.raises(ValidationError, match="must say what is missing"):
        decision(decision="not_enough_evidence")


def test_a_trusted_record_is_the_checked_one() -> None:
    said: dict[str, Any] = {"outcome": "judged", "label": "supported", "score": 0.5}
    fast, checked = trusted(JudgeAnswer, dict(said)), JudgeAnswer(**said)
    assert fast == checked
    assert list(fast.__dict__) == list(checked.__dict__)
    assert fast.model_fields_set == checked.model_fields_set
    assert fast.model_dump_json() == checked.model_dump_json()
    assert pickle.loads(pickle.dumps(fast)) == checked
    with pytest.raises(ValidationError):
        fast.label = None  # type: ignore[misc]
