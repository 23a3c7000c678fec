"""What a person says about a source file that the file does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from voirdire.labels.families import FamilyKind
from voirdire.records import LabelSpace, Role

__all__ = ["LAYOUTS", "ImportOptions", "Layout"]

Layout = Literal["auto", "jsonl", "json", "table"]
LAYOUTS: tuple[Layout, ...] = ("auto", "jsonl", "json", "table")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """How to read a source.

    Attributes
    ----------
    name : str or None
        Of the set; None: the name of its folder.
    language, licence, source : str or None
        Of claims that do not say.
    label_space : LabelSpace or None
        Of claims that do not say; None: two classes if no label of the source tells
        contradicted from unverifiable, else three.
    families : FamilyKind or "auto"
        What a family is; ``auto`` takes a source for clusters if most of its families are.
    label_map : mapping of str to str
        Source word to label, before the closed list of aliases.
    role : Role
        Whose word the plain label is.
    annotator : str or None
        The code it is recorded under; None: the role's name.
    skip_faulty : bool
        Leave rows with faults out and count them by reason, instead of refusing the source.
    layout : Layout
    columns : mapping of str to tuple of str
        Field to the columns that hold it; only ``context`` may have several.
    annotator_columns : mapping of str to str
        Annotator code to the column of that person's labels.
    context_separator : str or None
        Splits one context cell into chunks.
    separator : str or None
        Of the cells of a table; None: seen from its first row.
    encoding : str or None
        Of a table; None: UTF-8, or UTF-16 if its first bytes say so.
    seed : int
        Of the splits.
    """

    name: str | None = None
    language: str | None = None
    licence: str | None = None
    source: str | None = None
    label_space: LabelSpace | None = None
    families: FamilyKind | Literal["auto"] = "auto"
    label_map: Mapping[str, str] = field(default_factory=dict)
    role: Role = "published"
    annotator: str | None = None
    skip_faulty: bool = False
    layout: Layout = "auto"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    annotator_columns: Mapping[str, str] = field(default_factory=dict)
    context_separator: str | None = None
    separator: str | None = None
    encoding: str | None = None
    seed: int = 0
