"""``voirdire limits``: alert limits from a judge's own noise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, print_table, verb
from voirdire.cli.studies import study_argument, study_folder

if TYPE_CHECKING:
    from voirdire.records import AlertLimit, AlertPolicy, PolicyResult

_SIGNALS = ("faithfulness", "agreement", "kappa", "contradicted", "unverifiable", "failures")
_RATE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
_MARGIN = click.FloatRange(0, 1, max_open=True)


@verb(
    epilog="voirdire limits reports/my-study\n"
    "voirdire limits reports/my-study --signal faithfulness --fresh --items 200 --explain\n"
    "voirdire limits reports/my-study --prometheus alerts --note limits.md"
)
@study_argument
@click.option("--judge", "judges", multiple=True, metavar="NAME",
              help="Which.  [default: all but constant]")  # fmt: skip
@click.option(
    "--signal",
    "signals",
    multiple=True,
    type=click.Choice(_SIGNALS),
    help="Which; repeat for several.  [default: all]",
)
@click.option(
    "--fresh/--fixed", help="Claims drawn anew for each evaluation, or the same.  [default: fixed]"
)
@click.option("--items", type=click.IntRange(2), help="Claims of an evaluation.")
@click.option("--base", "k", type=click.IntRange(1), default=4, show_default=True,
              help="Evaluations that the newest is compared with.")  # fmt: skip
@click.option("--warning-rate", type=_RATE, default=0.05, show_default=True,
              help="False warnings per evaluation.")  # fmt: skip
@click.option("--critical-rate", type=_RATE, default=0.01, show_default=True,
              help="False criticals per evaluation.")  # fmt: skip
@click.option("--warning-margin", type=_MARGIN, default=0.05, show_default=True,
              help="Smallest relative drop worth a warning.")  # fmt: skip
@click.option("--critical-margin", type=_MARGIN, default=0.10, show_default=True,
              help="Smallest relative drop that is critical.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Allow for the error of the noise estimate itself.")
@click.option("--per-year", type=click.FloatRange(0, min_open=True), default=52.0,
              show_default=True, help="Evaluations in a year.")  # fmt: skip
@click.option("--drop", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05,
              show_default=True, help="Relative drop that must be seen.")  # fmt: skip
@click.option("--history", type=click.Path(path_type=Path), metavar="FILE",
              help="Earlier scores of one --signal as the frozen centre (re-base).")  # fmt: skip
@click.option("--explain", is_flag=True, help="Show how each number came about.")
@click.option("--prometheus", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Write metrics and alerting rules there.")  # fmt: skip
@click.option("--note", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the policy as a Markdown note.")  # fmt: skip
@as_json_option
def command(study: Path, as_json: bool, explain: bool, **options: Any) -> None:
    """Derive alert limits from the repeats of a study's judges.

    Reads results/variance.json (made by 'voirdire vary'), writes results/policy.json: a policy
    for each signal, that holds for this judge, these labels and this guideline only.
    """
    from voirdire.store import read_history
    from voirdire.studies import open_study, set_limits

    signals = options["signals"]
    history = options["history"]
    result = set_limits(
        open_study(study_folder(study)),
        _options(options),
        judges=options["judges"],
        signals=signals,
        history=None
        if history is None
        else read_history(history, signal=signals[0] if len(signals) == 1 else "faithfulness"),
        command=sys.argv[1:],
    )
    _write(result, options["prometheus"], options["note"])
    if as_json:
        print_json(result.model_dump(mode="json"))
        return
    _show(result, explain=explain)


def _options(options: dict[str, Any]) -> Any:
    from voirdire.errors import UsageError
    from voirdire.studies import LimitOptions

    for what in ("rate", "margin"):
        one, two = options[f"warning_{what}"], options[f"critical_{what}"]
        if (one < two) if what == "rate" else (one > two):
            raise UsageError(
                f"the critical {what} {two:g} is milder than the warning's {one:g}",
                todo="critical alarms are rarer and their margin is wider",
            )
    return LimitOptions(
        claims="fresh" if options["fresh"] else "fixed",
        items=options["items"],
        k=options["k"],
        warning_rate=options["warning_rate"],
        critical_rate=options["critical_rate"],
        warning_margin=options["warning_margin"],
        critical_margin=options["critical_margin"],
        strict=options["strict"],
        per_year=options["per_year"],
        wanted_drop=options["drop"],
    )


def _write(result: PolicyResult, prometheus: Path | None, note: Path | None) -> None:
    from voirdire.reports import policy_note
    from voirdire.reports.prometheus import alert_rules, policy_metrics
    from voirdire.store import write_text

    if prometheus is not None:
        write_text(prometheus / "voirdire_policy.prom", policy_metrics(result))
        write_text(prometheus / "voirdire_alerts.yml", alert_rules(result))
    if note is not None:
        write_text(note, policy_note(result))


def _show(result: PolicyResult, *, explain: bool) -> None:
    print_table(
        ("judge", "signal", "centre", "noise sd", "warning", "critical", "seen at 80 %"),
        map(_cells, result.policies),
    )
    several = len(result.policies) > 1
    for policy in result.policies:
        if several and not explain and policy.signal != "faithfulness":
            continue
        click.echo(f"\n{policy.judge}, {policy.signal}:")
        for sentence in policy.sentences:
            click.echo(f"  {sentence}")
        if explain:
            for number, step in enumerate(policy.derivation, start=1):
                click.echo(f"  {number}. {step}")


def _cells(policy: AlertPolicy) -> tuple[str, ...]:
    seen = policy.warning.detectable_drop
    return (
        policy.judge,
        policy.signal,
        "of the history" if policy.centre is None else f"{policy.centre:.4f}",
        "of the history" if policy.sd is None else f"{policy.sd:.4f}",
        _limit(policy.warning, policy.rule),
        _limit(policy.critical, policy.rule),
        "" if seen is None else f"{seen:.4f}",
    )


def _limit(limit: AlertLimit, rule: str) -> str:
    if limit.drop is None:
        return f"counts, {100 * limit.promised_rate:g} %" if rule == "counts" else "of the history"
    return f"{limit.drop:.4f}"
