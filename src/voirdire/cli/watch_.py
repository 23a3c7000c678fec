"""``voirdire watch``: a score history against its policy, as an exit code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb

if TYPE_CHECKING:
    from voirdire.records import AlertPolicy, Attribution, PolicyResult, Signal, WatchResult
    from voirdire.store import History

_SIGNALS = ("faithfulness", "agreement", "kappa", "contradicted", "unverifiable", "failures")


@verb(
    epilog="voirdire watch scores.csv --policy reports/my-study/results/policy.json\n"
    "voirdire watch scores.csv --policy naive\n"
    "voirdire watch scores.jsonl --policy policy.json --canary reports/my-study"
)
@click.argument("history", type=click.Path(path_type=Path), metavar="HISTORY")
@click.option(
    "--policy",
    required=True,
    metavar="FILE",
    help="A policy.json, or 'naive': 5 and 10 % below the mean of the last 4.",
)
@click.option("--judge", metavar="NAME", help="Which judge of the policy file.")
@click.option("--signal", type=click.Choice(_SIGNALS), help="What the scores are.")
@click.option("--fail-on", type=click.Choice(("critical", "warning")), default="critical",
              show_default=True, help="From which state on to end with 1.")  # fmt: skip
@click.option("--canary", type=click.Path(path_type=Path), metavar="STUDY",
              help="Ask the study's claims again and say what moved.")  # fmt: skip
@click.option("--prometheus", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the newest evaluation as metrics.")  # fmt: skip
@click.option("--chart", type=click.Path(path_type=Path), metavar="FILE",
              help="Draw the control chart: .svg, .png or .pdf.")  # fmt: skip
@as_json_option
@click.pass_context
def command(
    context: click.Context,
    history: Path,
    policy: str,
    judge: str | None,
    signal: Signal | None,
    fail_on: Literal["critical", "warning"],
    canary: Path | None,
    prometheus: Path | None,
    chart: Path | None,
    as_json: bool,
) -> None:
    """Say ok, warning or critical of the newest evaluation, and why.

    HISTORY is CSV or JSON lines: time, score, and as far as known n, failures, contradicted,
    unverifiable, judge (its fingerprint), guideline, label_set, slices. An empty score is a gap.
    Ends with 1 on critical (with --fail-on warning on warning too), 3 with too little history, 4
    if the judge, label set or guideline is another than the policy's.
    """
    result = _result(history, policy, judge, signal, canary)
    if prometheus is not None:
        from voirdire.reports.prometheus import evaluation_metrics
        from voirdire.store import write_text

        write_text(prometheus, evaluation_metrics(result))
    if chart is not None:
        from voirdire.reports.figures.charts import save_control_chart

        save_control_chart(result, chart)
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        _show(result)
    _warn_of_mismatch(result)
    alarming = ("critical",) if fail_on == "critical" else ("critical", "warning")
    context.exit(1 if result.state in alarming else 0)


def _result(
    path: Path, policy: str, judge: str | None, signal: Signal | None, canary: Path | None
) -> WatchResult:
    from voirdire.errors import UsageError
    from voirdire.records import PolicyResult
    from voirdire.store import read_document, read_history
    from voirdire.studies import choose_policy, watch, watch_naively

    if policy == "naive":
        if canary is not None:
            raise UsageError("--canary needs a policy of the study", todo="name its policy.json")
        found = read_history(path, signal=signal or "faithfulness")
        _tell(found)
        return watch_naively(found, signal=signal or "faithfulness")
    document = read_document(Path(policy), PolicyResult)
    chosen = choose_policy(document.policies, judge=judge, signal=signal)
    found = read_history(path, signal=chosen.signal)
    _tell(found)
    result = watch(chosen, found)
    if canary is not None:
        result = result.model_copy(
            update={"attribution": _what_moved(document, chosen, found, canary)}
        )
    return result


def _what_moved(
    document: PolicyResult, policy: AlertPolicy, history: History, canary: Path
) -> Attribution:
    from voirdire.cli.studies import progress_bar, study_folder
    from voirdire.studies import ask_canary, open_study, what_moved

    study = open_study(study_folder(canary))
    with progress_bar() as progress:
        asked = ask_canary(study, document, policy, progress=progress, tell=say)
    return what_moved(policy, history, asked)


def _tell(history: History) -> None:
    for note in history.notes:
        say(f"Note: {note}")


def _show(result: WatchResult) -> None:
    from voirdire.studies.watching import MISMATCH

    click.echo(result.sentence)
    rows = [
        (one.channel, one.state or "–", one.reason or one.undefined or "")
        for one in result.channels
    ]
    print_table(("channel", "state", "why"), rows)
    print_table(("time", "score", "base", "warning", "critical", "drift", "state"), _points(result))
    if result.attribution is not None:
        click.echo(f"\n{result.attribution.sentence}")
        print_table(
            ("cause", "change", "share of the move", "stands out", "evidence"),
            [
                (
                    one.cause,
                    _signed(one.change.value, one.change.low, one.change.high),
                    "" if one.share.value is None else f"{100 * one.share.value:.0f} %",
                    "yes" if one.moved else "no",
                    one.evidence,
                )
                for one in result.attribution.causes
            ],
        )
        for line in result.attribution.assumptions:
            click.echo(f"  {line}")
    elif result.state != "ok" and result.rule == "policy":
        say("What moved (judge, labels, data mix or system) takes a canary: --canary STUDY")
    for note in result.notes:
        if not note.startswith(MISMATCH):
            say(f"Note: {note}")


def _warn_of_mismatch(result: WatchResult) -> None:
    """Said on stderr with --json too: a build that reads the state only must not miss it."""
    from voirdire.studies.watching import MISMATCH

    for note in result.notes:
        if note.startswith(MISMATCH):
            say(f"Warning: {note}")


def _points(result: WatchResult) -> list[tuple[str, ...]]:
    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.3f}"

    return [
        (
            point.time.isoformat(timespec="minutes").removesuffix("+00:00"),
            "gap" if point.score is None else f"{point.score:.3f}",
            number(point.base),
            number(point.warning_limit),
            number(point.critical_limit),
            number(point.drift) + (" !" if point.drifted else ""),
            point.state or ("baseline" if point.baseline else "–"),
        )
        for point in result.points[-12:]
    ]


def _signed(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "undefined"
    span = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
    return f"{value:+.3f}{span}"
