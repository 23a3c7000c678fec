"""``voirdire score``: answers of a RAG system, measured by a judge."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, say, verb
from voirdire.cli.spending import guard_of
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.models import SpendGuard
    from voirdire.records import ScoreSummary
    from voirdire.studies.scoring import Instruments, ScoreOptions, Scoring

__all__ = ["command"]

_METRICS = ("faithfulness", "context_precision", "context_recall", "answer_relevancy")


@verb(
    epilog="""
voirdire score answers.jsonl --judge lexical --into scores/march --history scores/history.jsonl
voirdire score traffic.parquet --judge llm --param model=gpt-5-mini --pilot 10
    --into scores/week-9
voirdire score answers.csv --judge nli-mini --sample 5% --strata kind --into scores/april
voirdire score answers.jsonl --judge lexical --into scores/march --queue labels/traffic
"""
)
@click.argument("answers", type=click.Path(path_type=Path), metavar="ANSWERS")
@click.option("--judge", "use", required=True, metavar="NAME[:PRESET]", help="What judges claims.")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the judge, its value as in TOML. Repeat for several.",
)
@click.option(
    "--into",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for rows, scores and summary; goes on where it stood.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(_METRICS),
    help="What to measure. Repeat for several.  [default: faithfulness]",
)
@click.option(
    "--split",
    type=click.Choice(("sentences", "llm")),
    default="sentences",
    show_default=True,
    help="What takes answers apart into claims.",
)
@click.option(
    "--model-param",
    "model_params",
    multiple=True,
    metavar="KEY=VALUE",
    help="Of the model for --split llm and answer relevancy: model, base_url ...",
)
@click.option(
    "--split-max-tokens",
    type=click.IntRange(16),
    default=2048,
    show_default=True,
    help="Most tokens of the reply that takes an answer apart.",
)
@click.option(
    "--per-chunk",
    is_flag=True,
    help="Judge each claim with each chunk alone, too: shows chunks that disagree.",
)
@click.option(
    "--attribution",
    type=click.Choice(("evidence", "tfidf", "none")),
    default="evidence",
    show_default=True,
    help="How a claim is put down to its chunk.",
)
@click.option(
    "--second",
    metavar="NAME[:PRESET]",
    help="Another judge, asked the same claims; where they differ is a dispute.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Which column holds a field, where its name is not known.",
)
@click.option("--language", help="Language of answers that do not say, such as en.")
@click.option(
    "--sample",
    default="100%",
    show_default=True,
    metavar="SHARE",
    help="Share of the answers to draw at random: 5% or 0.05.",
)
@click.option(
    "--strata",
    multiple=True,
    metavar="FIELD",
    help="Draw within language, kind, should_refuse, stratum.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the sample, the pilot and the queue.",
)
@click.option(
    "--pilot",
    type=click.IntRange(1),
    metavar="N",
    help="Score N answers first, show what all will cost, and ask.",
)
@click.option("--yes", is_flag=True, help="After the pilot go on without asking.")
@click.option("--max-calls", type=click.IntRange(0), help="Stop before a request more than this.")
@click.option("--max-cost", type=click.FloatRange(0), help="Stop before this cost is exceeded.")
@click.option("--retry-failed", is_flag=True, help="Ask again what got no judgment.")
@click.option(
    "--difference",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="The smallest difference of means you are going to call one.",
)
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append one line for 'voirdire watch'.",
)
@click.option(
    "--study",
    type=click.Path(path_type=Path),
    help="A study of this very judge: corrects the share of supported claims.",
)
@click.option(
    "--labels-are",
    "design",
    type=click.Choice(("random", "weighted", "enriched")),
    default="enriched",
    show_default=True,
    help="How the labelled claims of the study were drawn.",
)
@click.option(
    "--queue",
    type=click.Path(path_type=Path),
    metavar="SET",
    help="Write claims for people to judge as a claim set, ready to push.",
)
@click.option("--queue-size", type=click.IntRange(1), default=50, show_default=True)
@click.option(
    "--operating-point",
    type=float,
    help="Score at which the label turns.  [default: the judge's threshold, else 0.5]",
)
@click.option(
    "--margin",
    type=click.FloatRange(0),
    default=0.1,
    show_default=True,
    help="How near to the operating point is near.",
)
@as_json_option
def command(answers: Path, as_json: bool, **given: Any) -> int:
    """Measure answers: claims, faithfulness, and what could not be measured.

    ANSWERS is JSON lines, CSV or Parquet with question, contexts, answer and, optional,
    reference, should_refuse, language, kind; the column names of Ragas and DeepEval are known
    too. The folder gets claims.jsonl (a line a judgment), answers.jsonl and summary.json. A
    missing score is never a low score: it is counted by its reason, and every mean is shown with
    the missing ones as 0 and as 1. At a limit it stops with exit code 3 and keeps all.
    """
    from voirdire.cli.studies import study_folder
    from voirdire.studies.scoring import check_history, check_queue, open_scoring

    # What can be wrong is said before hours are spent.
    if given["history"]:
        check_history(given["history"])
    if given["queue"]:
        check_queue(given["queue"])
    if given["study"]:
        given["study"] = study_folder(given["study"])
    options = _options(given)
    guard = guard_of(given["max_cost"], given["max_calls"])
    with ExitStack() as stack:
        tools = _instruments(given, options, guard, stack)
        scoring = stack.enter_context(
            open_scoring(answers, given["into"], tools, options, tell=say)
        )
        for note in scoring.notes:
            say(note)
        if options.pilot and not _pilot(scoring, yes=given["yes"], as_json=as_json):
            return 0
        summary = _run(scoring, tools, given)
    if as_json:
        print_json(summary.model_dump(mode="json"))
    else:
        from voirdire.cli.scores import show_summary

        show_summary(summary)
    return 0


def _options(given: dict[str, Any]) -> ScoreOptions:
    from voirdire.metrics import parse_share
    from voirdire.studies.scoring import ScoreOptions

    columns = {}
    for text in given["columns"]:
        field, mark, column = text.partition("=")
        if not mark or not field or not column:
            raise UsageError(f"not a column: {text!r}", where="--column", allowed="FIELD=COLUMN")
        columns[field.strip()] = column.strip()
    chosen = given["metrics"] or ("faithfulness",)
    return ScoreOptions(
        metrics=tuple(metric for metric in _METRICS if metric in chosen),  # type: ignore[misc]
        per_chunk=given["per_chunk"],
        attribution=given["attribution"],
        share=parse_share(given["sample"]),
        seed=given["seed"],
        stratify=given["strata"],
        pilot=given["pilot"] or 0,
        retry_failed=given["retry_failed"],
        difference=given["difference"],
        columns=columns,
        language=given["language"],
    )


def _instruments(
    given: dict[str, Any], options: ScoreOptions, guard: SpendGuard | None, stack: ExitStack
) -> Instruments:
    from voirdire.cli.ask_ import parameters_of
    from voirdire.judges import load
    from voirdire.judges.spending import limit_spending
    from voirdire.metrics import LlmQuestions, LlmSplitter, SentenceSplitter
    from voirdire.models import LlmSettings
    from voirdire.store import checked
    from voirdire.studies.scoring import Instruments

    judge = stack.enter_context(
        closing(load(given["use"], parameters=parameters_of(given["params"])))
    )
    second = None
    if given["second"]:
        second = stack.enter_context(closing(load(given["second"])))
    splitter: Any = SentenceSplitter(language=options.language or "en")
    questions = None
    asks_questions = "answer_relevancy" in options.metrics
    if given["split"] == "llm" or asks_questions:
        settings = checked(LlmSettings, parameters_of(given["model_params"]), where="--model-param")
        if given["split"] == "llm":
            splitter = LlmSplitter(
                settings, language=options.language or "en", max_tokens=given["split_max_tokens"]
            )
            stack.enter_context(closing(splitter))
        if asks_questions:
            questions = stack.enter_context(closing(LlmQuestions(settings)))
    if guard is not None:
        for one in (judge, second):
            if one is not None:
                limit_spending(one, guard)
        for client in (getattr(splitter, "client", None), getattr(questions, "client", None)):
            if client is not None:
                client.guard = guard
    return Instruments(
        judge=judge,
        use=given["use"],
        splitter=splitter,
        second=second,
        second_use=given["second"] or "",
        questions=questions,
    )


def _pilot(scoring: Scoring, *, yes: bool, as_json: bool) -> bool:
    """Run the pilot and say whether to go on."""
    from voirdire.cli.scores import show_pilot

    result = scoring.pilot()
    left = result.of - result.answers
    if yes or not left:  # stdout is for the summary then
        show_pilot(result, to_stderr=True)
        return True
    if as_json:
        print_json(result.model_dump(mode="json"))
    else:
        show_pilot(result)
    if sys.stdin.isatty() and not as_json:
        return click.confirm(f"Score the other {left} answers?", err=True)
    say(f"{left} answers are left; run the same command with --yes to score them: the pilot's "
        "judgments stand")  # fmt: skip
    return False


def _run(scoring: Scoring, tools: Instruments, given: dict[str, Any]) -> ScoreSummary:
    from datetime import UTC, datetime

    from voirdire.cli.studies import progress_bar
    from voirdire.store import write_document
    from voirdire.studies.scoring import (
        append_to_history,
        corrected_share,
        history_line,
        operating_point,
        write_queue,
    )

    with progress_bar() as progress:
        summary, tally = scoring.run(progress=progress if sys.stderr.isatty() else None)
    if given["study"]:
        corrected, why = corrected_share(summary, tally, given["study"], design=given["design"])
        summary = summary.model_copy(update={"corrected": corrected, "corrected_why": why})
    # The summary goes first: killed between the two, the next call looks for its line.
    write_document(scoring.paths.summary, summary)
    if given["history"]:
        line = history_line(summary, tally, at=datetime.now(UTC))
        # Looking at a finished scoring again is no second evaluation.
        if not append_to_history(given["history"], line, unless_known=scoring.finished_before):
            say(f"{given['history']} holds this evaluation already; nothing was appended")
    if given["queue"]:
        point = given["operating_point"]
        claim_set, kinds = write_queue(
            scoring.paths,
            scoring.answers,
            given["queue"],
            size=given["queue_size"],
            point=operating_point(tools.judge) if point is None else point,
            margin=given["margin"],
            seed=given["seed"],
        )
        drawn = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        say(f"{given['queue']}: {len(claim_set.claims)} claims for people ({drawn}); next: "
            f"'voirdire push {given['queue']}'")  # fmt: skip
    return summary
