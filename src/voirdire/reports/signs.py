"""The sign and the tone of every decision and answer: a state is never told by colour alone."""

from __future__ import annotations

from typing import Final

__all__ = ["SIGN", "TONE"]

SIGN: Final = {
    "adopt": "✓",
    "adopt_narrower": "◐",
    "do_not_adopt": "✗",
    "not_enough_evidence": "?",
    "accept": "✓",
    "reject": "✗",
    "inconclusive": "?",
    "waived": "–",
    True: "✓",
    False: "✗",
    None: "–",
}
TONE: Final = {
    "adopt": "accept",
    "adopt_narrower": "open",
    "do_not_adopt": "reject",
    "not_enough_evidence": "open",
    "accept": "accept",
    "reject": "reject",
    "inconclusive": "open",
    "waived": "open",
    True: "accept",
    False: "reject",
    None: "open",
}
