"""One process at a time may write to a study."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voirdire.errors import StoreError
from voirdire.store.files import make_folder, reported

__all__ = ["exclusive"]

try:
    import fcntl
except ImportError:  # Windows has no flock: two writers are then the user's to avoid
    fcntl = None  # type: ignore[assignment]


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock file for the time of the block.

    The kernel drops the lock when the process ends, however it ends, so a crash leaves nothing
    to clean up.

    Raises
    ------
    StoreError
        If another process holds it; the message names that process.
    """
    make_folder(path.parent)
    with reported(path, "open the lock file"):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if fcntl is not None:
            _take(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
        raise StoreError(
            f"another voirdire process (pid {holder}) is writing to this study",
            where=str(path.parent),
            todo="wait until it ends, or stop it, then run the same command again",
        ) from error
    with reported(path, "write the lock file"):
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode("ascii"))
