"""Evidence that annotators marked, found again in a context whose text was replaced in places.

A span's text alone would not do: half of an address is none to a pattern, and would stay.
"""

from __future__ import annotations

import json
from typing import Any

from voirdire.store import ClaimSetPaths, read_lines
from voirdire.store.files import write_text
from voirdire.store.pseudonyms import Pseudonyms

__all__ = ["point_again"]


def point_again(old: ClaimSetPaths, new: ClaimSetPaths, names: Pseudonyms) -> None:
    """Let the spans in a redacted label file point into the redacted contexts.

    Where a span touched what was replaced, it becomes the whole replacement. A span that did not
    hold its text in the original context either is kept as it is.

    Parameters
    ----------
    old, new : ClaimSetPaths
        The claim set as it lies, and its redacted copy; ``new.labels`` is written again.
    names : Pseudonyms
        What the copy was redacted with.
    """
    contexts = {line.value["id"]: line.value["context"] for line in read_lines(old.claims)}
    lines, changed = [], False
    for before, after in zip(read_lines(old.labels), read_lines(new.labels), strict=True):
        record = dict(after.value)
        spans = before.value.get("evidence")
        context = contexts.get(before.value["claim_id"])
        if spans and context:
            record["evidence"] = [
                _again(span, context, names) or kept
                for span, kept in zip(spans, record["evidence"], strict=True)
            ]
        changed = changed or record != after.value
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    if changed:
        write_text(new.labels, "".join(lines))


def _again(span: dict[str, Any], context: list[str], names: Pseudonyms) -> dict[str, Any] | None:
    chunk, start, end = span["chunk"], span["start"], span["end"]
    if chunk >= len(context) or context[chunk][start:end] != span["text"]:
        return None
    traced = names.traced(context[chunk])
    found = traced.redacted_span(start, end)
    if found is None:
        return None
    return {**span, "start": found[0], "end": found[1], "text": traced.text[slice(*found)]}
