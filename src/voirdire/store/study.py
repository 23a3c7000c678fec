"""study.toml: which sets, which judges, how often, and the limits of the gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from voirdire.errors import InputError
from voirdire.records import Record, View
from voirdire.store.documents import check_schema
from voirdire.store.tables import checked, nearest, read_toml

__all__ = ["JudgeConfig", "StudyConfig", "dump_study", "read_study"]

SCHEMA, SCHEMA_VERSION = "voirdire/study", "1.0"


class JudgeConfig(Record):
    """One ``[[judges]]`` table.

    Attributes
    ----------
    name : str
        What the study and the page call it; unique.
    use : str
        Registered judge, with a preset after a colon: ``lexical:didactic-it``.
    parameters : dict
        Passed to the judge as they are.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    use: str = Field(min_length=1)
    parameters: dict[str, Any] = Field(default_factory=dict)


class StudyConfig(Record):
    """The whole of study.toml.

    Attributes
    ----------
    name : str
        Of the study; its folder under ``reports/``.
    labels : tuple of str
        Claim sets, as paths from the folder of study.toml.
    judges : tuple of JudgeConfig
        The candidates.
    repeats : int
        How often each judge is asked each claim.
    seed : int
        The one seed.
    view : View or "auto"
        ``auto``: three classes, unless a set has only two.
    split : {"all", "dev", "cal", "test"}
        Which families are examined; ``all`` for judges fitted on nothing of the set.
    languages : tuple of str
        Empty: all.
    parts : tuple of str
        Pre-declared narrower uses, as ``kind:value`` (``language:en``) or ``kind!value`` (all but).
    slices : tuple of str
        Kinds to slice by: variant, language, topic, source, and the blind spots length, numbers,
        negation, implied, chunks and evidence (`voirdire.studies.slicing`).
    incumbent : str
        The judge in use now, which the others are compared with; empty: none.
    gates : dict
        Limits that differ from the defaults, and ``waive``: names of gates that do not count.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    labels: tuple[str, ...] = Field(min_length=1)
    judges: tuple[JudgeConfig, ...] = Field(min_length=1)
    repeats: int = Field(default=1, ge=1, le=1000)
    seed: int = Field(default=0, ge=0)
    view: View | Literal["auto"] = "auto"
    split: Literal["all", "dev", "cal", "test"] = "all"
    languages: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    slices: tuple[str, ...] = (
        "variant",
        "language",
        "topic",
        "length",
        "numbers",
        "negation",
        "implied",
        "chunks",
        "evidence",
    )
    incumbent: str = ""
    gates: dict[str, Any] = Field(default_factory=dict)


def read_study(path: Path) -> StudyConfig:
    """Read study.toml.

    Raises
    ------
    UsageError
        If it is not there.
    InputError
        If a key is unknown (the nearest is suggested), a value is not allowed, or two judges
        share a name.
    SchemaError
        If it is of a newer major version.
    """
    table = read_toml(path)
    table.setdefault("schema", SCHEMA)
    table.setdefault("schema_version", SCHEMA_VERSION)
    check_schema(table, schema=SCHEMA, version=SCHEMA_VERSION, where=str(path))
    judges = table.get("judges", [])
    if not isinstance(judges, list):
        raise InputError("judges must be a list of tables: [[judges]]", where=str(path))
    table["judges"] = tuple(
        checked(JudgeConfig, judge, where=f"{path} [[judges]] {number}")
        for number, judge in enumerate(judges, start=1)
    )
    config = checked(StudyConfig, table, where=str(path))
    _refuse_twins(config, path)
    _refuse_unknown_incumbent(config, path)
    return config


def dump_study(config: StudyConfig) -> str:
    """A study as the text of its file, ready to be edited."""
    lines = [f'schema = "{SCHEMA}"', f'schema_version = "{SCHEMA_VERSION}"']
    body = config.model_dump(mode="json", exclude={"judges", "gates"})
    lines += [f"{key} = {_toml(value)}" for key, value in body.items()]
    for judge in config.judges:
        lines += ["", "[[judges]]", f"name = {_toml(judge.name)}", f"use = {_toml(judge.use)}"]
        if judge.parameters:
            lines += ["[judges.parameters]"]
            lines += [f"{key} = {_toml(value)}" for key, value in judge.parameters.items()]
    if config.gates:
        lines += ["", "[gates]"]
        lines += [f"{key} = {_toml(value)}" for key, value in config.gates.items()]
    return "\n".join(lines) + "\n"


def _refuse_twins(config: StudyConfig, path: Path) -> None:
    names = [judge.name for judge in config.judges]
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise InputError(
            f"two judges are called {twins[0]!r}",
            where=str(path),
            todo="give each [[judges]] table a name of its own",
        )


def _refuse_unknown_incumbent(config: StudyConfig, path: Path) -> None:
    names = [judge.name for judge in config.judges]
    if config.incumbent and config.incumbent not in names:
        guess = nearest(config.incumbent, names)
        raise InputError(
            f"the incumbent {config.incumbent!r} is none of the study's judges",
            where=f"{path}, field incumbent",
            allowed=", ".join(names),
            todo=f"did you mean {guess!r}?" if guess else "give it a [[judges]] table",
        )


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + " }"
    # TOML basic strings escape as JSON strings do.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
