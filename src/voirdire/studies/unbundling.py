"""A bundle opened and held against itself: every file, every seal, every number."""

from __future__ import annotations

import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path, PurePosixPath

from voirdire.errors import InputError, SealBroken
from voirdire.records.bundles import BundleManifest
from voirdire.store import read_document
from voirdire.store.files import reported, write_bytes
from voirdire.studies.bundling import MANIFEST
from voirdire.studies.study import open_study
from voirdire.studies.verification import Difference, verify

__all__ = ["verify_bundle"]

MAX_BYTES = 4 * 2**30
"""A bundle that unpacks to more is refused before it fills the disk."""


def verify_bundle(path: Path) -> list[Difference]:
    """Recompute every number inside a bundle, in a scratch folder; nothing else is touched.

    Returns
    -------
    list of Difference
        Empty if every number is confirmed.

    Raises
    ------
    InputError
        If it is no bundle, or names a file outside itself.
    SealBroken
        If a file is not the one that was packed, is missing, or was added.
    """
    with tempfile.TemporaryDirectory(prefix="voirdire-") as scratch:
        stage = Path(scratch)
        found = _unpack(path, stage)
        if MANIFEST not in found:
            raise InputError(
                f"no {MANIFEST} inside, so it is no bundle",
                where=str(path),
                todo="make one with 'voirdire bundle STUDY --into FILE.zip'",
            )
        manifest = read_document(stage / MANIFEST, BundleManifest)
        del found[MANIFEST]
        _refuse_changes(path, manifest.files, found)
        return verify(open_study(stage / _inside(path, manifest.folder)))


def _unpack(path: Path, stage: Path) -> dict[str, str]:
    """Write every file of a zip below a folder; name to the SHA-256 of its bytes."""
    digests: dict[str, str] = {}
    try:
        with reported(path, "read the bundle"), zipfile.ZipFile(path) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise InputError("it unpacks to more than 4 GiB", where=str(path))
            for entry in entries:
                name = _inside(path, entry.filename)
                if str(name) in digests:
                    raise InputError(f"{entry.filename!r} is in it twice", where=str(path))
                data = archive.read(entry)
                digests[str(name)] = sha256(data).hexdigest()
                write_bytes(stage / name, data)
    except (zipfile.BadZipFile, EOFError) as error:
        raise InputError(f"not a whole zip file: {error}", where=str(path)) from error
    return digests


def _inside(path: Path, name: str) -> PurePosixPath:
    place = PurePosixPath(name)
    odd = "\\" in name or ":" in name or "\0" in name
    if odd or place.is_absolute() or ".." in place.parts or not place.parts:
        raise InputError(
            f"it names {name!r}, a place outside itself",
            where=str(path),
            todo="do not open it with anything else",
        )
    return place


def _refuse_changes(path: Path, packed: dict[str, str], found: dict[str, str]) -> None:
    for what, names in (
        ("is missing", packed.keys() - found.keys()),
        ("was added", found.keys() - packed.keys()),
        ("was changed", {name for name in packed if found.get(name, "") != packed[name]}),
    ):
        if names:
            raise SealBroken(
                f"{len(names)} files are not as they were packed; {sorted(names)[0]} {what}",
                where=str(path),
                todo="ask whoever packed it for the file again",
            )
