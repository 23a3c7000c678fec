"""One scoring as a line of the history that ``watch`` reads."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from voirdire.errors import UsageError
from voirdire.records import ScoreSummary
from voirdire.store import Appender, read_history, read_lines
from voirdire.studies.scoring.tally import Tally

__all__ = ["append_to_history", "check_history", "history_line"]


def history_line(summary: ScoreSummary, tally: Tally, *, at: datetime) -> dict[str, Any]:
    """The line: the score is the share of judged claims that are supported, as limits have it.

    ``n`` counts claims put to the judge, ``failures`` those without a judgment; the slices are
    the strata, or the kinds of question where there are none. A scoring without a judged claim is
    a gap: its score is left out, never zero.
    """
    judged = summary.claims - summary.failed
    line: dict[str, Any] = {
        "time": at.astimezone(UTC).isoformat(timespec="milliseconds"),
        "score": summary.supported / judged if judged else None,
        "n": summary.claims,
        "failures": summary.failed,
        "contradicted": summary.contradicted,
        "unverifiable": summary.unverifiable,
        "judge": summary.settings.judge_digest,
    }
    if len(tally.slices) > 1:
        line["slices"] = {
            name: {"n": n, "score": supported / n}
            for name, (n, supported) in sorted(tally.slices.items())
        }
    return line


def check_history(path: Path) -> bool:
    """Whether lines stand in a history that one can be appended to.

    Raises
    ------
    UsageError
        If the file is not JSON lines.
    InputError
        If what stands there is no history.
    """
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        raise UsageError(
            f"a history ends in {path.suffix or 'nothing'!r}",
            where=str(path),
            allowed=".jsonl or .ndjson, a JSON object a line",
        )
    if not path.exists() or not path.stat().st_size:
        return False
    read_history(path)
    return True


def append_to_history(path: Path, line: dict[str, Any], *, unless_known: bool = False) -> bool:
    """Append one line; a history that cannot be read is left as it is.

    Parameters
    ----------
    path : Path
        JSON lines.
    line : dict
        From `history_line`.
    unless_known : bool
        Leave it out if the same numbers by the same judge stand there already.

    Returns
    -------
    bool
        Whether it was appended.

    Raises
    ------
    UsageError
        If the file is not JSON lines.
    InputError
        If what stands there is no history.
    """
    if check_history(path):
        said = {name: value for name, value in line.items() if name != "time"}
        known = ({**one.value, "time": None} for one in read_lines(path))
        if unless_known and {**said, "time": None} in list(known):
            return False
    with Appender(path) as appender:
        appender.append(line)
    return True
