"""Colours by role: the light value is written into every mark, a class lets the page darken it."""

from __future__ import annotations

from typing import Final

__all__ = ["INK_ON_STEP", "JUDGES", "MARKERS", "STEPS", "THEME", "class_of", "light", "step_of"]

THEME: Final[dict[str, tuple[str, str]]] = {
    "ink": ("#1a1d24", "#e8eaed"),
    "muted": ("#555d6b", "#a9b1bd"),
    "rule": ("#c9ced6", "#3a4250"),
    "band": ("#e3e6ea", "#2c3440"),
    "ground": ("#ffffff", "#12161d"),
    "c0": ("#0060a8", "#58a6ff"),
    "c1": ("#b54708", "#f0883e"),
    "c2": ("#007a5e", "#3fc9a0"),
    "c3": ("#a83e7c", "#e58ac0"),
    "c4": ("#8c6d00", "#d9b530"),
    "s0": ("#f3f7fc", "#18202b"),
    "s1": ("#d5e5f6", "#1d3045"),
    "s2": ("#a3c8eb", "#264a70"),
    "s3": ("#2a71b5", "#63a9ea"),
    "s4": ("#0b4f8a", "#a9d2ff"),
    "faint": ("#1a1d25", "#e8eaee"),
    "strong": ("#fffffe", "#0b0f15"),
}
"""Role to (light, dark). No light value stands twice: a colour in a figure names its role."""

JUDGES: Final[tuple[str, ...]] = ("c0", "c1", "c2", "c3", "c4")
MARKERS: Final[tuple[str, ...]] = ("o", "D", "s", "^", "v", "P", "X", "p", "h", "<")
"""Shapes tell judges apart where colours do not."""

STEPS: Final[tuple[str, ...]] = ("s0", "s1", "s2", "s3", "s4")
INK_ON_STEP: Final[tuple[str, ...]] = ("faint", "faint", "faint", "strong", "strong")
_EDGES = (0.5, 0.7, 0.85, 0.95)
_ROLES = {light: role for role, (light, _) in THEME.items()}


def light(role: str) -> str:
    """The colour of a role on paper, in mail and in a notebook."""
    return THEME[role][0]


def class_of(colour: str) -> str | None:
    """The role a colour stands for, None if it is not of this palette."""
    return _ROLES.get(colour.lower())


def step_of(share: float) -> int:
    """The step of strength for a share: stronger is higher, and errors above 15 % stand out."""
    return sum(share >= edge for edge in _EDGES)
