"""Studies to report on, from ordinary to hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports import report_factory as make
from voirdire.records import AgreementResult, DecisionResult
from voirdire.store import StudyPaths, write_document

Results = tuple[AgreementResult, DecisionResult]


def extremes() -> dict[str, Results]:
    """Every kind of study a page must bear, by name."""
    blank = make.blank_judge()
    return {
        "ordinary": make.ordinary(),
        "large": make.large(),
        "hostile": make.hostile(),
        "no judge": (make.agreement(n_claims=0, n_families=0), make.decisions()),
        "nothing defined": (
            make.agreement(blank, humans=None, no_humans="Nobody labelled."),
            make.decisions(make.decision("silent")),
        ),
        "no decision": (make.agreement(make.judge()), make.decisions()),
        "only a reference line": (
            make.agreement(make.judge("constant", None, use="constant")),
            make.decisions(make.decision("constant")),
        ),
        "two classes": make.two_class(),
    }


@pytest.fixture(params=list(extremes()))
def any_results(request: pytest.FixtureRequest) -> Results:
    return extremes()[request.param]


@pytest.fixture
def study(tmp_path: Path) -> StudyPaths:
    """A study folder that holds results and nothing else."""
    paths = StudyPaths(tmp_path / "trial")
    agreement, decision = make.ordinary()
    write_document(paths.result("agreement"), agreement)
    write_document(paths.result("decision"), decision)
    return paths
