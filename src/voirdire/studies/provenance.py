"""What an auditor needs to make the numbers again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from voirdire import __version__
from voirdire.records import Provenance
from voirdire.studies.gates import GateLimits

__all__ = ["provenance"]

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "pydantic")


def provenance(
    *,
    seed: int,
    sets: Mapping[str, str],
    runs: Mapping[str, str],
    limits: GateLimits,
    command: Sequence[str] = (),
) -> Provenance:
    """Versions, digests and limits as they are now.

    Parameters
    ----------
    seed : int
    sets : mapping
        Claim set to the digest of its claims and labels.
    runs : mapping
        Run id to the digest of its verdicts.
    limits : GateLimits
    command : sequence of str
        The command line, without the program.
    """
    gates = {
        name: ", ".join(value) if isinstance(value, tuple) else value
        for name, value in limits.model_dump().items()
    }
    return Provenance(
        tool_version=__version__,
        python=platform.python_version(),
        packages={name: _version(name) for name in _PACKAGES},
        seed=seed,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        command=" ".join(command),
        sets=dict(sets),
        runs=dict(runs),
        gates=gates,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
