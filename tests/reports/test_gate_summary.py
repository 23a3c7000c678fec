"""The Markdown of a gate: every gate a row, nothing a host would act on."""

from __future__ import annotations

from voirdire.records import Decision, Gate
from voirdire.reports.gate_summary import gate_summary

OPEN = Gate(
    name="kappa",
    question="?",
    limit=0.6,
    lower=0.51,
    upper=0.82,
    answer="inconclusive",
    reason="<img src=x> | @everyone `x`",
)
WAIVED = Gate(name="number_seen", question="?", limit=0.9, answer="reject", reason="r", waived=True)


def decision(**settings: object) -> Decision:
    common: dict[str, object] = {
        "judge": "words",
        "decision": "not_enough_evidence",
        "sentence": "There is not enough evidence to adopt words.",
        "rule": "r",
        "gates": (OPEN, WAIVED),
        "missing": ("kappa",),
        "families_missing": 12,
        "next_step": "label more families",
    }
    return Decision.model_validate(common | settings)


def test_every_gate_is_a_row_with_bounds_and_limit() -> None:
    text = gate_summary([decision()], study="support")
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert [row.split(" | ")[0].strip("| `") for row in rows] == ["kappa", "number_seen"]
    assert "❔ open | 0\\.51 to 0\\.82, limit 0\\.60 |" in rows[0]
    assert "waived (reject) | – |" in rows[1]
    assert "Missing: about 12 more families." in text
    assert text.endswith("Next: label more families\\.\n")


def test_hostile_words_are_inert() -> None:
    row = next(
        line
        for line in gate_summary([decision()], study="a|b<script>").splitlines()
        if line.startswith("| `kappa`")
    )
    assert "<img" not in row
    assert "@everyone" not in row
    assert row.count(" | ") == 3 + row.count("\\ | ")
    assert "<script>" not in gate_summary([decision()], study="a|b<script>")


def test_a_narrower_use_shows_both_tables() -> None:
    text = gate_summary(
        [
            decision(
                decision="adopt_narrower",
                part="language:en",
                part_gates=(OPEN.model_copy(update={"answer": "accept"}),),
                left_out="Italian",
                missing=(),
                families_missing=None,
            )
        ],
        study="s",
    )
    assert text.count("| gate | answer |") == 2
    assert "Without Italian:" in text
    assert "✅ accept" in text
