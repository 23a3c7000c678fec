"""voirdire examines a judge of claims before it is trusted, and says when to stop trusting it.

Library use needs no study on disk::

    from voirdire import stats
    stats.kappa(human, judge, family=family)

The rooms are loaded when first used, so that ``import voirdire`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

__all__ = [
    "__version__",
    "errors",
    "judges",
    "labels",
    "metrics",
    "records",
    "reports",
    "stats",
    "store",
    "studies",
]

_ROOMS = frozenset(__all__) - {"__version__"}

try:
    __version__ = version("voirdire")
except PackageNotFoundError:  # run from a tree that was never installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> ModuleType:
    if name in _ROOMS:
        return import_module(f"voirdire.{name}")
    raise AttributeError(f"module 'voirdire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
