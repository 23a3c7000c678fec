"""A source file into a claim set: read whole, checked whole, then written or refused whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from voirdire.errors import ClaimSetError, Fault, InputError, UsageError
from voirdire.labels.assembling import Assembled, assemble
from voirdire.labels.claim_set import ClaimSet, SetInfo, load_claim_set, read_info
from voirdire.labels.families import FamilyKind, family_findings
from voirdire.labels.findings import Finding, count_kinds, only_faults, only_warnings
from voirdire.labels.options import ImportOptions
from voirdire.labels.reference import references
from voirdire.labels.sources import SourceRow, read_array_source, read_lines_source
from voirdire.labels.splits import make_splits
from voirdire.labels.studio.export_rows import assemble_export, export_of_pushed, is_export
from voirdire.labels.studio.exports import LOSSES, Export
from voirdire.labels.studio.pulling import pull_file
from voirdire.labels.tabular import read_table_source
from voirdire.labels.text import shown
from voirdire.labels.writing import write_claim_set
from voirdire.records import Claim, LabelRecord, Splits
from voirdire.store import ClaimSetPaths
from voirdire.store.files import reported

__all__ = ["ImportSummary", "SourceError", "check_source", "import_file", "read_source"]


class SourceError(ClaimSetError):
    """A source cannot become a claim set; `faults` holds every reason, `kinds` counts them."""

    def __init__(self, faults: list[Fault], *, where: str, kinds: Mapping[str, int]) -> None:
        self.faults = faults
        self.kinds = dict(kinds)
        count = f"{len(faults):,} fault{'s' if len(faults) != 1 else ''}"
        InputError.__init__(
            self,
            f"{count} in the source, first: {faults[0]}",
            where=where,
            todo="nothing was written: mend the source, or leave such rows out (skip_faulty)",
        )


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What an import read and wrote, counted.

    Attributes
    ----------
    path : str
        Of the claim set.
    rows : int
        Claims in the source.
    claims, families : int
        In the set now.
    added : int
        Claims of this source that are new in the set.
    variants, languages, label_spaces : dict of str to int
        Claims by each.
    labels, rules : dict of str to int
        Reference labels, and the rules that made them.
    without_reference : dict of str to int
        Claims without one, by reason.
    annotators : dict of str to int
        Labels given, by annotator code.
    several_labels : int
        Times that an annotator gave a set of labels; recorded, and no vote.
    excluded : dict of str to int
        Rows left out, by reason.
    splits : dict of str to int
        Families by split.
    seed : int
        Of the splits.
    families_are : FamilyKind
    notes : tuple of str
        What was assumed.
    warnings : tuple of str
        What should be looked at.
    """

    path: str
    rows: int
    claims: int
    families: int
    added: int
    variants: dict[str, int]
    languages: dict[str, int]
    label_spaces: dict[str, int]
    labels: dict[str, int]
    rules: dict[str, int]
    without_reference: dict[str, int]
    annotators: dict[str, int]
    several_labels: int
    excluded: dict[str, int]
    splits: dict[str, int]
    seed: int
    families_are: FamilyKind
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def import_file(
    path: Path | str,
    into: Path | str,
    *,
    options: ImportOptions | None = None,
    replace_set: bool = False,
    add: bool = False,
) -> ImportSummary:
    """Read a source and write it as a claim set, or add it to one.

    Parameters
    ----------
    path : Path or str
        JSON lines (a claim or a family a line), a JSON array, CSV or TSV.
    into : Path or str
        The claim set's folder.
    options : ImportOptions, optional
    replace_set : bool
        Replace the set that is there.
    add : bool
        Add to the set that is there: claims it has already are passed over, an id it has with
        other content is a fault, and families keep their splits.

    Raises
    ------
    UsageError
        If the source is not there, an option does not fit it, or there is a set already.
    SourceError
        If the source has faults; it carries every one, and nothing was written.
    ClaimSetError
        If the set that is added to has faults.
    StoreError
        If the file system refuses; what was there before stands.
    """
    options = options or ImportOptions()
    folder = Path(into)
    _refuse_existing(folder, replace_set=replace_set, add=add)
    if add and (export := export_of_pushed(Path(path), folder, options)) is not None:
        return _pulled(folder, export)
    assembled = read_source(path, options=options)
    old = load_claim_set(folder) if add and ClaimSetPaths(folder).claims.exists() else None
    if old is not None:
        assembled = _beside(old, assembled, str(path))
    faults = only_faults(assembled.findings)
    if faults:
        broken = [finding for finding in assembled.findings if not finding.warning]
        raise SourceError(faults, where=str(path), kinds=count_kinds(broken))
    claims = tuple(claim for _, claim in assembled.claims)
    all_claims = (*old.claims, *claims) if old else claims
    all_labels = (*old.labels, *assembled.labels) if old else assembled.labels
    written = write_claim_set(
        folder,
        all_claims,
        all_labels,
        info=_info(folder, options, all_claims, assembled, old),
        splits=_splits(all_claims, all_labels, options, old),
        replace=replace_set or add,
    )
    return _summary(written, assembled, len(claims))


def read_source(path: Path | str, *, options: ImportOptions | None = None) -> Assembled:
    """Read a source and say everything that is wrong with it; write nothing.

    Raises
    ------
    UsageError
        If the source is not there or an option does not fit it.
    StoreError
        If it cannot be read.
    """
    source = Path(path)
    options = options or ImportOptions()
    if not source.exists():
        raise UsageError("no such file", where=str(source), todo="check the path")
    if source.is_dir():
        raise UsageError("a folder, and not a file", where=str(source), todo="name the file in it")
    if is_export(source, options):
        assembled = assemble_export(source, options)
    else:
        rows, findings, notes = _read(source, options)
        assembled = assemble(rows, findings, options, path=str(source))
        assembled = replace(assembled, notes=(*notes, *assembled.notes))
    if assembled.claims or only_faults(assembled.findings):
        return assembled
    return replace(assembled, findings=(*assembled.findings, _nothing(source, assembled)))


def check_source(path: Path | str, *, options: ImportOptions | None = None) -> list[Fault]:
    """Every fault for which `import_file` would refuse a source."""
    return only_faults(read_source(path, options=options).findings)


def _pulled(folder: Path, export: Export) -> ImportSummary:
    """An export of tasks this set was pushed as: labels for claims that are here already."""
    found = pull_file(folder, export.tasks)
    claim_set = load_claim_set(folder)
    used = ", ".join(f"{what}: {count:,}" for what, count in found.added.items())
    notes = [f"Label Studio export of this set's own tasks; labels {used}", *found.notes]
    notes += [f"annotation {one.annotation} not used: {one.why}" for one in found.unused]
    if export.kind != "JSON":
        notes.append(LOSSES.format(kind=export.kind))
    nothing = Assembled((), (), claim_set.info.families, len(export.tasks), (), {}, tuple(notes))
    return _summary(claim_set, nothing, 0)


def _read(path: Path, options: ImportOptions) -> tuple[list[SourceRow], list[Finding], list[str]]:
    layout = _seen_layout(path) if options.layout == "auto" else options.layout
    if layout == "table":
        return read_table_source(path, options)
    if options.columns or options.annotator_columns:
        raise UsageError(
            "columns are named, but the file is no table",
            where=str(path),
            allowed="--column and --annotator-column with CSV and TSV",
            todo="leave them out, or say --layout table",
        )
    rows, findings = read_array_source(path) if layout == "json" else read_lines_source(path)
    return rows, findings, []


def _seen_layout(path: Path) -> str:
    """By the file's ending; failing that by its first character."""
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv", ".tab"):
        return "table"
    if ending in (".jsonl", ".ndjson"):
        return "jsonl"
    with reported(path, "read the file"), path.open("rb") as handle:
        start = handle.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"["):
        return "json"
    if not start.startswith(b"{"):
        return "json" if ending == ".json" else "table"
    # An object that ends with its line is one of many; one that goes on is the whole file.
    first_line = start.partition(b"\n")[0].rstrip()
    return "jsonl" if first_line.endswith(b"}") or len(first_line) == len(start) else "json"


def _nothing(path: Path, assembled: Assembled) -> Finding:
    if assembled.excluded:
        reasons = ", ".join(f"{reason}: {n:,}" for reason, n in assembled.excluded.items())
        fault = Fault(f"no claim is left ({reasons})", str(path), "at least one claim")
    else:
        fault = Fault("the file is empty", str(path), "at least one claim")
    return Finding("empty file", 0, fault)


def _refuse_existing(folder: Path, *, replace_set: bool, add: bool) -> None:
    if replace_set and add:
        raise UsageError("--add and --replace exclude each other", todo="choose one")
    if folder.exists() and not folder.is_dir():
        raise UsageError("a file, and not a folder", where=str(folder), todo="name a folder")
    if ClaimSetPaths(folder).claims.exists() and not (replace_set or add):
        raise UsageError(
            "there is a claim set already",
            where=str(folder),
            todo="name another folder, or say --add to add claims or --replace to replace it",
        )


def _beside(old: ClaimSet, new: Assembled, path: str) -> Assembled:
    """The part of a source that a set does not have yet, held against the set."""
    known = {claim.id: claim for claim in old.claims}
    fresh: list[tuple[int, Claim]] = []
    findings = list(new.findings)
    for line, claim in new.claims:
        if claim.id not in known:
            fresh.append((line, claim))
        elif known[claim.id] != claim:
            what = f"the set has the id {shown(claim.id)} already, with other content"
            fault = Fault(what, f"{path}:{line}", todo="give the new claim another id")
            findings.append(Finding("id with other content", line, fault))
    given = {label.id: label for label in old.labels}
    labels = []
    for label in new.labels:
        if label.id not in given:
            labels.append(label)
        elif given[label.id] != label:
            what = f"the set has another label of {label.annotator!r} for {shown(label.claim_id)}"
            todo = "give a changed mind in Label Studio, or import it under another annotator code"
            findings.append(Finding("label with other content", 0, Fault(what, path, todo=todo)))
    rows = [(0, claim) for claim in old.claims] + fresh
    shapes = family_findings(rows, path=path, kind=old.info.families)
    findings += [one for one in shapes if not one.warning and one not in findings]
    notes = new.notes
    if len(fresh) < len(new.claims):
        notes = (*notes, f"{len(new.claims) - len(fresh):,} claims were in the set already")
    return replace(
        new, claims=tuple(fresh), labels=tuple(labels), findings=tuple(findings), notes=notes
    )


def _info(
    folder: Path,
    options: ImportOptions,
    claims: Iterable[Claim],
    assembled: Assembled,
    old: ClaimSet | None,
) -> SetInfo:
    """set.toml: what is there already stays, what the import knows better is put in."""
    path = ClaimSetPaths(folder).info
    if old is not None:
        info = old.info
    elif path.is_file() and path.read_bytes().strip():
        info = read_info(path).model_copy(update={"families": assembled.family_kind})
    else:
        info = SetInfo(name=folder.resolve().name, families=assembled.family_kind)
    claims = list(claims)
    licences = sorted({claim.licence for claim in claims if claim.licence})
    sources = sorted({claim.source for claim in claims if claim.source})
    return info.model_copy(
        update={
            "name": options.name or info.name,
            "languages": tuple(sorted({claim.language for claim in claims})),
            "licence": info.licence or "; ".join(licences),
            "origin": info.origin or "; ".join(sources[:5]),
        }
    )


def _splits(
    claims: Iterable[Claim],
    labels: Iterable[LabelRecord],
    options: ImportOptions,
    old: ClaimSet | None,
) -> Splits:
    if old is None:
        return make_splits(claims, labels, seed=options.seed)
    return make_splits(
        claims, labels, seed=old.splits.seed, shares=old.splits.shares, keep=old.splits.families
    )


def _summary(written: ClaimSet, assembled: Assembled, added: int) -> ImportSummary:
    found = references(written.claims, written.labels, view="source")
    labelled = [label for label in written.labels if label.label is not None]
    return ImportSummary(
        path=str(written.paths.root),
        rows=assembled.rows,
        claims=len(written.claims),
        families=len({claim.family for claim in written.claims}),
        added=added,
        variants=_counted(claim.variant for claim in written.claims),
        languages=_counted(claim.language for claim in written.claims),
        label_spaces=_counted(claim.label_space for claim in written.claims),
        labels=found.counts,
        rules={rule: count for rule, count in found.rules.items() if rule != "none"},
        without_reference=found.reasons,
        annotators=_counted(label.annotator for label in labelled),
        several_labels=sum("label_set" in label.meta for label in written.labels),
        excluded=assembled.excluded,
        splits=_counted(written.splits.families.values()),
        seed=written.splits.seed,
        families_are=written.info.families,
        notes=assembled.notes,
        warnings=_shortened(assembled),
    )


def _shortened(assembled: Assembled) -> tuple[str, ...]:
    """One warning of each kind, with how many more there are."""
    warned = [finding for finding in assembled.findings if finding.warning]
    lines = []
    for kind, count in count_kinds(warned).items():
        first = next(one for one in only_warnings(one for one in warned if one.kind == kind))
        lines.append(f"{first}" + (f" (and {count - 1:,} more)" if count > 1 else ""))
    return tuple(lines)


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))
