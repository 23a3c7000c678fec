"""How long to wait before asking again: what the server says, else longer each time."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["retry_after", "wait_before"]

_FIRST_SECONDS = 0.5
_LONGEST_BACK_OFF = 30.0


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks us to wait; None if it does not say or says nonsense.

    Understands ``retry-after-ms``, and ``Retry-After`` as seconds or as a date (RFC 9110, 10.2.3).
    """
    try:
        milliseconds = headers.get("retry-after-ms")
        if milliseconds:
            return max(float(milliseconds) / 1000, 0.0)
        said = headers.get("retry-after")
        if not said:
            return None
        try:
            seconds = float(said)
        except ValueError:
            when = parsedate_to_datetime(said)
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            seconds = (when - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
    return max(seconds, 0.0) if seconds < float("inf") else None


def wait_before(attempt: int, *, asked: float | None, random_share: float | None = None) -> float:
    """Seconds to wait before an attempt.

    Parameters
    ----------
    attempt : int
        2 for the first repetition.
    asked : float or None
        What the server asked for, taken as it is.
    random_share : float or None
        Within 0 to 1; None: drawn. Calls that failed together must not come back together.

    Returns
    -------
    float
        Else between half and all of 0.5 s, 1 s, 2 s … up to 30 s.
    """
    if asked is not None:
        return asked
    # Nothing that is measured depends on this number: it needs no seed.
    share = random.random() if random_share is None else random_share  # noqa: S311
    longest = min(_FIRST_SECONDS * 2.0 ** (attempt - 2), _LONGEST_BACK_OFF)
    return longest * (0.5 + share / 2)
