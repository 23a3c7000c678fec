"""``pytest --voirdire-study PATH``: a build fails when a judge is no longer one to be trusted.

A test suite that uses a judge gets one test more, which fails unless the decision on the judge is
*adopt*. It stands above the rooms, beside the command line, and loads nothing but pytest until the
option is given.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from voirdire.records import Decision

__all__ = ["GateFailure", "GateItem", "pytest_addoption", "pytest_collection_modifyitems"]


class GateFailure(Exception):
    """The decision is not one that lets a build pass; the message is what to tell people."""


class GateItem(pytest.Item):
    """One judge of one study as a test.

    Parameters
    ----------
    folder : Path
        The study's.
    judge : str
        Its name; empty: the only one.
    inconclusive : {"fail", "skip", "pass"}
        What *not enough evidence* does.
    allow_narrower : bool
        Whether *adopt for a narrower use* passes.
    """

    def __init__(
        self, *, folder: Path, judge: str, inconclusive: str, allow_narrower: bool, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.folder = folder
        self.judge = judge
        self.inconclusive = inconclusive
        self.allow_narrower = allow_narrower

    def runtest(self) -> None:
        """Make the numbers again and hold the decision against what may pass.

        Raises
        ------
        GateFailure
            If it may not.
        VoirdireError
            If the study cannot be read, or its inputs or its judge changed.
        """
        from voirdire.studies import open_study
        from voirdire.studies.examined import examined_decision

        decision = examined_decision(
            open_study(self.folder), self.judge, tell=lambda text: warnings.warn(text, stacklevel=2)
        )
        self.add_report_section("call", "voirdire", _gates_of(decision))
        passing = ["adopt"] + (["adopt_narrower"] if self.allow_narrower else [])
        if decision.decision in passing:
            return
        if decision.decision == "not_enough_evidence" and self.inconclusive != "fail":
            if self.inconclusive == "skip":
                pytest.skip(decision.sentence)
            return
        raise GateFailure(_failure(decision))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The sentence alone where the gate or the study is the trouble, else the trace."""
        from voirdire.errors import VoirdireError

        if isinstance(excinfo.value, GateFailure | VoirdireError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is from and what it is called in reports."""
        return self.folder / "study.toml", None, self.name


def pytest_addoption(parser: pytest.Parser) -> None:
    """The four options."""
    group = parser.getgroup("voirdire", "hold a judge of claims to its study")
    group.addoption(
        "--voirdire-study",
        metavar="PATH",
        help="Add a test that fails unless the decision of this study is adopt.",
    )
    group.addoption(
        "--voirdire-judge",
        metavar="NAME",
        default="",
        help="Which judge; needed if the study has several.",
    )
    group.addoption(
        "--voirdire-inconclusive",
        choices=("fail", "skip", "pass"),
        default="fail",
        help="What 'not enough evidence' does (default: fail).",
    )
    group.addoption(
        "--voirdire-allow-narrower",
        action="store_true",
        help="Let 'adopt for a narrower use' pass.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Put the judge's test behind the suite's own; ``-k`` and ``-m`` see it as any other."""
    items.extend(_gate_items(session, config))


def _gate_items(session: pytest.Session, config: pytest.Config) -> Iterator[pytest.Item]:
    given = config.getoption("--voirdire-study")
    if not given:
        return
    path = config.invocation_params.dir / str(given)
    folder = path.parent if path.name == "study.toml" else path
    judge = str(config.getoption("--voirdire-judge"))
    name = f"voirdire[{folder.name}{'-' + judge if judge else ''}]"
    yield GateItem.from_parent(
        session,
        name=name,
        nodeid=name,
        folder=folder,
        judge=judge,
        inconclusive=config.getoption("--voirdire-inconclusive"),
        allow_narrower=config.getoption("--voirdire-allow-narrower"),
    )


def _failure(decision: Decision) -> str:
    lines = [decision.sentence, *(f"missing: {one}" for one in decision.missing)]
    if decision.left_out:
        lines.append(f"left out: {decision.left_out}")
    return "\n".join([*lines, f"next: {decision.next_step}"])


def _gates_of(decision: Decision) -> str:
    return "\n".join(
        f"{'waived' if gate.waived else gate.answer:<12}  {gate.name}: {gate.reason}"
        for gate in decision.gates
    )
