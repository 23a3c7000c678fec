"""What a look at a claim set found: faults, which stop it, and warnings, which do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from voirdire.errors import Fault

__all__ = ["Finding", "count_kinds", "only_faults", "only_warnings"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found, with the short name under which its kind is counted.

    Attributes
    ----------
    kind : str
        The reason in a few words ("empty context"); the same for every case of the kind.
    line : int
        Line (or element) of the file, counted from 1; 0 if it concerns the whole file.
    fault : Fault
        The full message.
    warning : bool
        Whether the set can be used all the same.
    """

    kind: str
    line: int
    fault: Fault
    warning: bool = False


def only_faults(findings: Iterable[Finding]) -> list[Fault]:
    """The messages of those that stop the set."""
    return [finding.fault for finding in findings if not finding.warning]


def only_warnings(findings: Iterable[Finding]) -> list[Fault]:
    """The messages of those that do not."""
    return [finding.fault for finding in findings if finding.warning]


def count_kinds(findings: Iterable[Finding]) -> dict[str, int]:
    """How often each kind was found, most frequent first, then by name."""
    counts = Counter(finding.kind for finding in findings)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
