"""What a bundle says of itself."""

from __future__ import annotations

from pydantic import Field

from voirdire.records.estimates import Record

__all__ = ["BundleManifest"]


class BundleManifest(Record):
    """``manifest.json``, the first file of a bundle.

    Attributes
    ----------
    study : str
        Name of the study.
    folder : str
        Where it lies in the bundle.
    tool_version : str
        Which voirdire packed it.
    files : dict of str to str
        Path to the SHA-256 of its bytes; every file but this one.
    redacted : dict of str to int
        Kind to how many places were replaced; empty: files are as they lay on disk.
    remade : tuple of str
        Results that were made again on the redacted files, because a digest, or a number that
        depends on the text, is another one there.
    """

    study: str
    folder: str
    tool_version: str
    files: dict[str, str]
    redacted: dict[str, int] = Field(default_factory=dict)
    remade: tuple[str, ...] = ()
