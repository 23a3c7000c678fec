"""What the verbs that talk to a labelling server share."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["duration", "set_argument", "share", "url_option"]

set_argument = click.argument("claim_set", type=click.Path(path_type=Path), metavar="SET")
"""A claim set's folder."""

url_option = click.option(
    "--url", metavar="URL", help="Of the server.  [default: LABEL_STUDIO_URL]"
)


def share(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """``5%`` or ``0.05`` as a share."""
    if value is None:
        return None
    text = value.strip()
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1
    if not 0 <= found <= 1:
        raise click.BadParameter(f"must be a share such as 5% or 0.05, got {value!r}")
    return found


def duration(seconds: float | None) -> str:
    """Seconds as a person says them."""
    if seconds is None:
        return "unknown"
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"
