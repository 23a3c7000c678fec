"""Every fault of a claim set, found without changing anything."""

from __future__ import annotations

from pathlib import Path

from voirdire.errors import Fault
from voirdire.labels.claim_set import inspect_claim_set

__all__ = ["check_claim_set"]


def check_claim_set(path: Path | str) -> list[Fault]:
    """List every fault of a claim set, in the order of files and lines.

    Warnings are not among them; see `voirdire.labels.inspect_claim_set` for both.

    Parameters
    ----------
    path : Path or str
        Of the set's folder.

    Returns
    -------
    list of Fault
        Empty if the set can be used.

    Raises
    ------
    UsageError
        If there is no such set.
    StoreError
        If a file cannot be read.
    """
    return inspect_claim_set(path).faults
