"""A claim set onto the disk: built beside its place and moved there whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from voirdire.errors import ClaimSetError, Fault, UsageError
from voirdire.labels.claim_set import ClaimSet, SetInfo, dump_info, load_claim_set
from voirdire.labels.families import family_findings, record_findings, twin_findings
from voirdire.labels.findings import only_faults
from voirdire.labels.rules import claim_findings, label_findings
from voirdire.labels.splits import make_splits
from voirdire.records import Claim, LabelRecord, Splits
from voirdire.store import ClaimSetPaths, dump_document, write_bytes, write_text
from voirdire.store.files import make_folder, reported
from voirdire.store.jsonl import dump_line

__all__ = ["claim_line", "label_line", "write_claim_set"]

_OURS = ("claims.jsonl", "labels.jsonl", "set.toml", "splits.json")


def write_claim_set(
    path: Path | str,
    claims: Iterable[Claim],
    labels: Iterable[LabelRecord] = (),
    *,
    info: SetInfo | None = None,
    splits: Splits | None = None,
    seed: int = 0,
    replace: bool = False,
) -> ClaimSet:
    """Write a claim set, whole or not at all, and read it back.

    Parameters
    ----------
    path : Path or str
        Of its folder. Other files that lie in it stay.
    claims, labels
        What goes in; held against every rule first.
    info : SetInfo, optional
        Default: the folder's name and the claims' languages.
    splits : Splits, optional
        Default: drawn with `seed`.
    seed : int
    replace : bool
        Whether a set that is there already may be replaced. One that holds the work of
        annotators is kept beside the new one as ``<set>.replaced-<n>``.

    Raises
    ------
    UsageError
        If there is a set already and `replace` is false.
    ClaimSetError
        If claims or labels break a rule; nothing is written then.
    StoreError
        If the file system refuses; what was there before stands.
    """
    folder = Path(path)
    claims, labels = tuple(claims), tuple(labels)
    info = info or _info_of(folder, claims)
    if ClaimSetPaths(folder).claims.exists() and not replace:
        raise UsageError(
            "there is a claim set already",
            where=str(folder),
            todo="name another folder, or say --add to add claims or --replace to replace it",
        )
    faults = _faults(claims, labels, info, folder)
    if faults:
        raise ClaimSetError(faults, where=str(folder))
    splits = splits or make_splits(claims, labels, seed=seed)
    place = _resolved(folder)
    make_folder(place.parent)
    with reported(folder, "write the claim set"):
        built = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part"))
    try:
        _fill(ClaimSetPaths(built), claims, labels, info, splits)
        with reported(folder, "write the claim set"):
            _copy_others(place, built)
            _set_mode(built, place)
            _swap(built, place)
    except BaseException:
        shutil.rmtree(built, ignore_errors=True)
        raise
    return load_claim_set(folder)


def claim_line(claim: Claim) -> bytes:
    """A claim as its line of claims.jsonl; what is empty is left out."""
    body = claim.model_dump(mode="json")
    return dump_line({key: value for key, value in body.items() if value not in (None, {}, [])})


def label_line(label: LabelRecord) -> bytes:
    """A label as its line of labels.jsonl; what is empty is left out."""
    body = label.model_dump(mode="json")
    return dump_line({key: value for key, value in body.items() if value not in (None, {}, [])})


def _info_of(folder: Path, claims: tuple[Claim, ...]) -> SetInfo:
    languages = tuple(sorted({claim.language for claim in claims}))
    return SetInfo(name=_resolved(folder).name, languages=languages)


def _resolved(folder: Path) -> Path:
    with reported(folder, "find the folder"):
        return folder.resolve()


def _faults(
    claims: tuple[Claim, ...], labels: tuple[LabelRecord, ...], info: SetInfo, folder: Path
) -> list[Fault]:
    """The rules of `voirdire check`, with the places the records are about to have."""
    paths = ClaimSetPaths(folder)
    if not claims:
        return [Fault("no claims", str(folder), "at least one claim")]
    placed, given = list(enumerate(claims, start=1)), list(enumerate(labels, start=1))
    findings = twin_findings(((n, one.id) for n, one in placed), path=str(paths.claims))
    findings += twin_findings(((n, one.id) for n, one in given), path=str(paths.labels))
    findings += family_findings(placed, path=str(paths.claims), kind=info.families)
    for line, claim in placed:
        findings += claim_findings(claim, line=line, where=f"{paths.claims}:{line}")
    known = {claim.id: claim for claim in claims}
    for line, label in given:
        findings += label_findings(label, known, line=line, where=f"{paths.labels}:{line}")
    return only_faults(findings + record_findings(given, path=str(paths.labels)))


def _fill(
    paths: ClaimSetPaths,
    claims: tuple[Claim, ...],
    labels: tuple[LabelRecord, ...],
    info: SetInfo,
    splits: Splits,
) -> None:
    write_bytes(paths.claims, b"".join(map(claim_line, claims)))
    write_bytes(paths.labels, b"".join(map(label_line, labels)))
    write_text(paths.splits, dump_document(splits))
    write_text(paths.info, dump_info(info))


def _copy_others(old: Path, built: Path) -> None:
    """What else lies in the folder (guidelines, notes) goes along."""
    if not old.is_dir():
        return
    for child in sorted(old.iterdir()):
        if child.name in _OURS:
            continue
        if child.is_dir():
            shutil.copytree(child, built / child.name, symlinks=True)
        else:
            shutil.copy2(child, built / child.name, follow_symlinks=False)


def _set_mode(built: Path, place: Path) -> None:
    """A temporary folder is its maker's alone; a claim set is as open as a new folder."""
    if place.is_dir():
        built.chmod(place.stat().st_mode & 0o7777)
        return
    mask = os.umask(0)
    os.umask(mask)
    built.chmod(0o777 & ~mask)


def _swap(built: Path, place: Path) -> None:
    """Put the built folder in its place; if that fails, the old one is back."""
    if not place.exists():
        built.rename(place)
        return
    kept = _has_work(place)
    aside = _free(place) if kept else place.parent / f".{place.name}.old-{os.getpid()}"
    place.rename(aside)
    try:
        built.rename(place)
    except BaseException:
        aside.rename(place)
        raise
    if not kept:
        shutil.rmtree(aside, ignore_errors=True)


def _free(place: Path) -> Path:
    number = 1
    while (found := place.parent / f"{place.name}.replaced-{number}").exists():
        number += 1
    return found


def _has_work(place: Path) -> bool:
    """Whether people labelled here: labels with a time, or by an adjudicator.

    Labels that came with a source have no time and can be had from it again.
    """
    labels = ClaimSetPaths(place).labels
    if not labels.is_file():
        return False
    data = labels.read_bytes()
    return b'"at":' in data or b'"adjudicator"' in data
