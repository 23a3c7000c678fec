"""Which judges there are: entry points of the group ``voirdire.judges``, loaded when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from voirdire.errors import JudgeUnavailable, UsageError, VoirdireError
from voirdire.judges.parameters import refuse_unknown
from voirdire.judges.protocol import Judge
from voirdire.store import nearest

__all__ = ["GROUP", "JudgeDescription", "describe", "load", "names"]

GROUP: Final = "voirdire.judges"


@dataclass(frozen=True, slots=True)
class JudgeDescription:
    """What `voirdire judges` shows of a judge.

    Attributes
    ----------
    name, distribution : str
        Registered name and the package it came with.
    description : str
        One line; empty where the judge cannot be imported.
    presets, parameters : mapping of str to str
        Name to one line.
    lacks, mend : str
        What keeps it from working and the command that mends it; empty if nothing does.
    """

    name: str
    distribution: str
    description: str = ""
    presets: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    lacks: str = ""
    mend: str = ""


def names() -> tuple[str, ...]:
    """Names of all registered judges, sorted; none is imported."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def describe(name: str) -> JudgeDescription:
    """What a judge says of itself; one that cannot be imported is described by what it lacks.

    Raises
    ------
    UsageError
        If no judge has that name.
    """
    point = _entry_point(name)
    package = point.dist.name if point.dist else "unknown"
    try:
        module = import_module(point.module)
        lacks, mend = _lacking(module)
    except Exception as error:  # a plug-in may fail in any way: the list must still be shown
        return JudgeDescription(
            name, package, lacks=f"{type(error).__name__}: {error}", mend=_install(point)
        )
    return JudgeDescription(
        name=name,
        distribution=package,
        description=(module.__doc__ or "").strip().partition("\n")[0],
        presets=dict(getattr(module, "PRESETS", {})),
        parameters=dict(getattr(module, "PARAMETERS", {})),
        lacks=lacks,
        mend=mend,
    )


def load(
    use: str, *, parameters: Mapping[str, Any] | None = None, folder: Path | None = None
) -> Judge:
    """Make a judge.

    Parameters
    ----------
    use : str
        Registered name, with a preset after a colon: ``"lexical:didactic-it"``.
    parameters : mapping or None
        What is set differently from the preset.
    folder : Path or None
        Where paths among the parameters start; None: the working folder.

    Raises
    ------
    UsageError
        If judge, preset or parameter is unknown (the nearest is suggested) or a value is not
        allowed.
    JudgeUnavailable
        If something is lacking; the message ends with the command that mends it.
    """
    name, colon, preset = use.partition(":")
    given = dict(parameters or {})
    point = _entry_point(name)
    make, module = _loaded(point)
    if colon:
        _refuse("preset", [preset], module, "PRESETS", name)
    _refuse("parameter", list(given), module, "PARAMETERS", name)
    lacks, mend = _lacking(module)
    if lacks:
        raise JudgeUnavailable(f"the judge {name!r} lacks {lacks}", todo=f"run: {mend}")
    for key in getattr(module, "PATH_PARAMETERS", ()):
        if folder is not None and isinstance(given.get(key), str):
            given[key] = str(folder / given[key])
    # A judge made of judges passes the folder on: their parameters may hold paths too.
    placed = {"folder": folder} if getattr(module, "TAKES_FOLDER", False) else {}
    try:
        judge: Judge = make(given, preset if colon else None, **placed)
    except VoirdireError:
        raise
    except (TypeError, ValueError) as error:
        raise UsageError(f"the judge refuses its parameters: {error}", where=use) from error
    return judge


def _entry_point(name: str) -> EntryPoint:
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    targets = sorted({point.value for point in points})
    if not points:
        known = list(names())
        guess = nearest(name, known)
        raise UsageError(
            f"no judge is called {name!r}",
            allowed=", ".join(known) or "none: voirdire is not installed as a package",
            todo=f"did you mean {guess!r}?" if guess else "'voirdire judges' lists them",
        )
    if len(targets) > 1:
        raise UsageError(
            f"two installed packages offer a judge called {name!r}: {', '.join(targets)}",
            todo="uninstall one of them",
        )
    return points[0]


def _loaded(point: EntryPoint) -> tuple[Any, ModuleType]:
    try:
        return point.load(), import_module(point.module)
    except Exception as error:
        raise JudgeUnavailable(
            f"the judge {point.name!r} cannot be imported: {type(error).__name__}: {error}",
            where=point.value,
            todo=f"run: {_install(point)}",
        ) from error


def _lacking(module: ModuleType) -> tuple[str, str]:
    ask = getattr(module, "lacks", None)
    answer = ask() if callable(ask) else None
    return (str(answer[0]), str(answer[1])) if answer else ("", "")


def _refuse(what: str, given: list[str], module: ModuleType, attribute: str, judge: str) -> None:
    """Hold names against what the module declares; a module may leave that to its `make`."""
    known = getattr(module, attribute, None)
    if isinstance(known, Mapping):
        refuse_unknown(what, given, known=known, judge=judge)


def _install(point: EntryPoint) -> str:
    package = point.dist.name if point.dist else point.module.partition(".")[0]
    extras = f"[{','.join(point.extras)}]" if point.extras else ""
    force = "" if extras else "--force-reinstall "
    return f"python -m pip install {force}'{package}{extras}'"
