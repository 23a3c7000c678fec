"""The command line called in this process: what a user sees, without paying for a new one."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from voirdire.cli.main import run

__all__ = ["Done", "voirdire"]


@dataclass(frozen=True)
class Done:
    """What a finished command left: exit code and both streams."""

    returncode: int
    stdout: str
    stderr: str


def voirdire(*args: str | Path, cwd: Path, env: dict[str, str] | None = None) -> Done:
    """Run a command line in a folder, with some environment variables set."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, env or {}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = run([str(arg) for arg in args])
    return Done(code, out.getvalue(), err.getvalue())
