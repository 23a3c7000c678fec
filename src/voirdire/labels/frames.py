"""Claim sets as pandas frames and back, under the keys of the JSON layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from voirdire.errors import UsageError
from voirdire.labels.assembling import Assembled, assemble
from voirdire.labels.findings import count_kinds, only_faults
from voirdire.labels.importing import SourceError
from voirdire.labels.options import ImportOptions
from voirdire.labels.reference import standing_labels
from voirdire.labels.sources import SourceRow
from voirdire.records import Claim, LabelRecord

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_frame", "labels_frame", "to_frame"]

_PLAIN_ROLES = ("published", "author")


def to_frame(claims: Iterable[Claim], labels: Iterable[LabelRecord] = ()) -> pd.DataFrame:
    """One row a claim, with what people said of it.

    Parameters
    ----------
    claims : iterable of Claim
    labels : iterable of LabelRecord
        Of several by one annotator the standing one is shown; see `labels_frame` for all.

    Returns
    -------
    DataFrame, C rows
        The fields of `Claim` (``context`` is a list of chunks, ``meta`` a dict), ``label`` (the
        published or the author's, None if none) and ``labels_by_annotator`` (code to label,
        None where a person gave none).
    """
    import pandas as pd

    plain: dict[str, str] = {}
    given: dict[str, dict[str, Any]] = defaultdict(dict)
    for label in standing_labels(labels):
        said: Any = label.label or label.meta.get("label_set")
        if label.role == "annotator":
            given[label.claim_id][label.annotator] = said
        elif label.role in _PLAIN_ROLES and label.label is not None:
            plain.setdefault(label.claim_id, label.label)
    rows = []
    for claim in claims:
        row = claim.model_dump()
        row["context"] = list(claim.context)
        row["label"] = plain.get(claim.id)
        row["labels_by_annotator"] = dict(given.get(claim.id, {}))
        rows.append(row)
    columns = [*Claim.model_fields, "label", "labels_by_annotator"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def labels_frame(labels: Iterable[LabelRecord]) -> pd.DataFrame:
    """Every label record, superseded ones too, one row each under the record's field names."""
    import pandas as pd

    rows = [label.model_dump() for label in labels]
    return pd.DataFrame(rows, columns=list(LabelRecord.model_fields), dtype=object)


def from_frame(
    frame: pd.DataFrame, *, options: ImportOptions | None = None
) -> tuple[tuple[Claim, ...], tuple[LabelRecord, ...], Assembled]:
    """Claims and labels of a frame; the third part says what was counted and assumed.

    Columns go by the names of the JSON layout (``claim``, ``context``, ``label``,
    ``labels_by_annotator`` …) or by ``options.columns`` and ``options.annotator_columns``; others
    go into meta. A missing value (None, NaN, NaT, NA) is an absent one.

    Raises
    ------
    UsageError
        If a named column is not there.
    SourceError
        If rows break a rule; it carries every fault with its row, counted from 0.
    """
    options = options or ImportOptions()
    wanted = [name for names in options.columns.values() for name in names]
    for name in [*wanted, *options.annotator_columns.values()]:
        if name not in frame.columns:
            allowed = ", ".join(str(column) for column in frame.columns)
            raise UsageError(f"no column {name!r}", where="the frame", allowed=allowed)
    rows = []
    for number, values in enumerate(frame.to_dict(orient="records")):
        plain = {str(key): _present(value) for key, value in values.items()}
        rows.append(SourceRow(number + 1, f"row {number}", _mapped(plain, options)))
    made = assemble(rows, [], options, path="the frame")
    faults = only_faults(made.findings)
    if faults:
        broken = [finding for finding in made.findings if not finding.warning]
        raise SourceError(faults, where="the frame", kinds=count_kinds(broken))
    return tuple(claim for _, claim in made.claims), made.labels, made


def _present(value: Any) -> Any:
    """A cell as JSON would have it: numpy values as Python's, what is missing as None."""
    import numpy as np
    import pandas as pd

    if isinstance(value, np.ndarray | tuple):
        return [_present(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str | list | dict | bool):
        return value
    if value is None or bool(pd.isna(value)):
        return None
    return value if isinstance(value, int | float) else str(value)


def _mapped(values: dict[str, Any], options: ImportOptions) -> dict[str, Any]:
    taken: set[str] = set()
    mapped: dict[str, Any] = {}
    for field, names in options.columns.items():
        taken.update(names)
        cells = [values[name] for name in names if values[name] is not None]
        if field == "context":
            mapped[field] = [text for cell in cells for text in _chunks(cell, options)]
        elif cells:
            mapped[field] = cells[0]
    if options.annotator_columns:
        taken.update(options.annotator_columns.values())
        mapped["labels_by_annotator"] = {
            code: values[name] for code, name in options.annotator_columns.items()
        }
    rest = {key: value for key, value in values.items() if key not in taken and value is not None}
    return {**rest, **mapped}


def _chunks(cell: Any, options: ImportOptions) -> list[Any]:
    if isinstance(cell, list):
        return cell
    if options.context_separator and isinstance(cell, str):
        parts = [part.strip() for part in cell.split(options.context_separator)]
        return [part for part in parts if part]
    return [cell]
