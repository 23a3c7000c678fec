"""What a notebook does, cell by cell, also while an event loop runs, as in every notebook."""

from __future__ import annotations

import asyncio
import io

import pytest

from tests.reports import report_factory as make
from voirdire.reports import AgreementDisplay, ReportDisplay, make_report


def cells() -> list[str]:
    """A notebook-shaped script; what each cell would show."""
    # 1: results in
    report = make_report(*make.ordinary())
    shown = [ReportDisplay(report)._repr_html_()]
    # 2: frames out
    frame = ReportDisplay(report).to_frame()
    assert list(frame["judge"]) == ["lexical", "nli-base", "constant"]
    assert frame["kappa"].isna().tolist() == [False, False, True]
    shown.append(frame.to_html())
    # 3: figures on an axis of one's own, and on a new one
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    display = AgreementDisplay(report.agreement).plot(ax=ax)
    assert display.ax_ is ax
    assert ax.texts
    for kind in ("forest", "recall", "variants"):
        one = AgreementDisplay(report.agreement, kind=kind).plot()
        buffer = io.BytesIO()
        assert one.ax_ is not None
        one.ax_.figure.savefig(buffer, format="png")
        assert buffer.getvalue().startswith(b"\x89PNG")
        shown.append(one._repr_html_())
    return shown


def test_cells_run() -> None:
    table, frame, *figures = cells()
    assert table.startswith("<table><caption>")
    assert "Do not adopt" in table
    assert "lexical" in frame
    assert all(svg.startswith("<svg") for svg in figures)


def test_cells_run_inside_a_running_loop() -> None:
    async def notebook() -> list[str]:
        return cells()

    assert len(asyncio.run(notebook())) == 5


def test_no_global_state_of_matplotlib_is_touched() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before = pyplot.get_fignums(), dict(pyplot.rcParams)
    AgreementDisplay(make.ordinary()[0]).plot()
    assert (pyplot.get_fignums(), dict(pyplot.rcParams)) == before
