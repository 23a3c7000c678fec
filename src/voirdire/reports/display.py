"""For notebooks: results that draw on an axis of yours and show themselves as a table.

In a notebook::

    report = report_of_study(StudyPaths(Path("reports/my-study")))
    ReportDisplay(report)
    AgreementDisplay(report.agreement, kind="recall").plot(ax=ax)
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from voirdire.records import AgreementResult, ReportDocument
from voirdire.reports import facts
from voirdire.reports.escape import visible
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["AgreementDisplay", "ReportDisplay"]

Kind = Literal["forest", "recall", "variants"]


class AgreementDisplay:
    """One figure of an agreement study, in the manner of scikit-learn's displays.

    Parameters
    ----------
    agreement : AgreementResult
    kind : {"forest", "recall", "variants"}
        Agreement beyond chance, share caught by label, equal answers by kind of wording.
    language : {"en", "it"}

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes or None
        Where it was drawn last.

    Raises
    ------
    ValueError
        If there is no such kind or language.
    """

    def __init__(
        self, agreement: AgreementResult, *, kind: Kind = "forest", language: str = "en"
    ) -> None:
        if kind not in get_args(Kind):
            raise ValueError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
        load_words(language)
        self.agreement, self.kind, self.language = agreement, kind, language
        self.ax_: Axes | None = None

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on an axis, or on a new one of a size that fits; returns itself."""
        if ax is None:
            from voirdire.reports.figures.svg import WIDTH

            ax = _new_axis(WIDTH, self._height())
        self._draw(ax)
        self.ax_ = ax
        return self

    def _repr_html_(self) -> str:
        """The figure as inline SVG."""
        from voirdire.reports.figures import inline_svg

        return inline_svg(
            self._draw,
            key=f"display-{self.kind}",
            title=self.kind,
            description=", ".join(judge.judge for judge in self.agreement.judges),
            height=self._height(),
        )

    def _draw(self, ax: Axes) -> None:
        from voirdire.reports import figures

        draw: dict[str, Any] = {
            "forest": figures.draw_forest,
            "recall": figures.draw_recall,
            "variants": figures.draw_variant_grid,
        }
        draw[self.kind](ax, self.agreement, language=self.language)

    def _height(self) -> float:
        from voirdire.reports import figures

        height: dict[str, Any] = {
            "forest": figures.forest_height,
            "recall": figures.recall_height,
            "variants": figures.grid_height,
        }
        return float(height[self.kind](self.agreement))


class ReportDisplay:
    """A report as a table: one row a judge, with its decision and the numbers it rests on.

    Parameters
    ----------
    report : ReportDocument
    """

    def __init__(self, report: ReportDocument) -> None:
        self.report = report

    def to_frame(self) -> pd.DataFrame:
        """One row a judge: numbers as numbers, None where undefined."""
        import pandas as pd

        return pd.DataFrame(self._records())

    def _records(self) -> list[dict[str, Any]]:
        found = []
        for judge in self.report.agreement.judges:
            made = facts.decision_of(judge.judge, self.report.decision.decisions)
            found.append(
                {
                    "judge": judge.judge,
                    "decision": None if made is None else made.decision,
                    "kappa": judge.kappa.value,
                    "kappa_low": judge.kappa.low,
                    "kappa_high": judge.kappa.high,
                    "caught": judge.caught.value,
                    "caught_k": judge.caught.k,
                    "caught_n": judge.caught.n,
                    "judged": judge.n_asked - facts.unjudged(judge),
                    "asked": judge.n_asked,
                }
            )
        return found

    def _repr_html_(self) -> str:
        """Headline, decisions and numbers as plain HTML; every text is escaped."""
        words = load_words(self.report.language)
        formats = Formats(words)
        head = [words("page.judge"), words("markdown.decision"), words("page.kappa")]
        head += [words("catches.heading"), words("numbers.judged")]
        rows = []
        for judge in self.report.agreement.judges:
            made = facts.decision_of(judge.judge, self.report.decision.decisions)
            judged = judge.n_asked - facts.unjudged(judge)
            decided = words(f"decision.{made.decision}") if made else words("page.reference_line")
            if facts.is_reference_line(judge):
                decided = words("page.reference_line")
            rows.append(
                [
                    judge.judge,
                    decided,
                    formats.short(judge.kappa),
                    formats.short(judge.caught, share=True),
                    words(
                        "basis.rate.other",
                        k=formats.count(judged),
                        n=formats.count(judge.n_asked),
                    ),
                ]
            )
        return (
            f"<table><caption>{_safe(self.report.headline)}</caption>"
            f"<thead>{_line(head, 'th')}</thead>"
            f"<tbody>{''.join(_line(row, 'td') for row in rows)}</tbody></table>"
        )


def _line(cells: list[str], tag: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return "<tr>" + "".join(f"<{tag}{scope}>{_safe(cell)}</{tag}>" for cell in cells) + "</tr>"


def _safe(text: str) -> str:
    return escape(visible(text))


def _new_axis(width: float, height: float) -> Axes:
    """An axis of a figure that no global state holds: it is drawn when it is shown or saved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()
