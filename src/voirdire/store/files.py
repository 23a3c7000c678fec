"""Whole files: written to the side and renamed, so a reader never meets half of one."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voirdire.errors import InputError, StoreError, UsageError

__all__ = ["make_folder", "read_text", "reported", "write_bytes", "write_text"]

_TODO = {
    errno.ENOSPC: "free some space, then run the same command again; what was written is kept",
    errno.EDQUOT: "free some of your quota, then run the same command again",
    errno.EACCES: "give yourself write permission there, or name another folder",
    errno.EPERM: "give yourself permission there, or name another folder",
    errno.EROFS: "the file system is read-only: name another folder",
    errno.ENOTDIR: "a file stands where a folder is needed: move it away, or name another folder",
    errno.EEXIST: "a file stands where a folder is needed: move it away, or name another folder",
    errno.EISDIR: "a folder stands where a file is needed: name a file",
}


@contextmanager
def reported(path: Path, doing: str) -> Iterator[None]:
    """Turn an `OSError` into a `StoreError` that says what to do about it."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise StoreError(
            f"cannot {doing}: {reason}",
            where=str(path),
            todo=_TODO.get(error.errno or 0, "mend that and run the same command again"),
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder and those above it.

    Raises
    ------
    StoreError
        If the file system refuses.
    """
    with reported(path, "make the folder"):
        path.mkdir(parents=True, exist_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file, or leave what was there: to the side, flushed, renamed.

    Raises
    ------
    StoreError
        If the file system refuses; nothing half-written stays behind.
    """
    make_folder(path.parent)
    with reported(path, "write the file"):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Write a whole text file as UTF-8 with ``\\n`` line ends; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def read_text(path: Path) -> str:
    """Read a whole UTF-8 text file.

    Raises
    ------
    UsageError
        If it is not there.
    InputError
        If it is not UTF-8; the message names the byte.
    StoreError
        If the file system refuses.
    """
    if not path.exists():
        raise UsageError("no such file", where=str(path), todo="check the path")
    with reported(path, "read the file"):
        data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8",
            where=str(path),
            allowed="UTF-8 text",
            todo="save the file as UTF-8",
        ) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
