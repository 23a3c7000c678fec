"""``voirdire ask``: one claim, one judge, the whole answer."""

from __future__ import annotations

import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, print_table, verb
from voirdire.errors import InputError, UsageError

if TYPE_CHECKING:
    from voirdire.judges import Judge
    from voirdire.records import JudgeAnswer, JudgeInput

__all__ = ["command", "parameters_of"]

_FLAGS = {
    "input_cut": "the judge did not read all of the context",
    "other_language": "the claim is in a language the model was not trained on",
    "two_state": "the model cannot tell contradicted from unverifiable",
    "context_overflow": "claim and context are longer than the model takes",
    "repaired": "the answer was broken JSON",
    "low_label_mass": "most of the model's probability lies on other words than the labels",
}
_A_SERVICE_FAILED = ("failed", "timed_out", "rate_limited")


@verb(
    epilog="""
voirdire ask --judge lexical --context "Basic costs 12 euro." --claim "Basic costs 19 euro."
voirdire ask --judge lexical:it --param threshold=0.8 --context-file page.txt --claim-file -
"""
)
@click.option("--judge", "use", required=True, metavar="NAME[:PRESET]", help="The judge to ask.")
@click.option("--claim", help="The claim.")
@click.option("--claim-file", metavar="FILE", help="A file that holds the claim; - is stdin.")
@click.option(
    "--context", "contexts", multiple=True, help="A chunk of context. Repeat for several."
)
@click.option(
    "--context-file",
    "context_files",
    multiple=True,
    metavar="FILE",
    help="A file that is a chunk of context; - is stdin. Repeat for several.",
)
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="KEY=VALUE",
    help="A parameter of the judge, its value as in TOML. Repeat for several.",
)
@as_json_option
def command(
    use: str,
    claim: str | None,
    claim_file: str | None,
    contexts: tuple[str, ...],
    context_files: tuple[str, ...],
    params: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask a judge about one claim.

    Exit code 0 for any answer, also for one without a label (not applicable, refused, not to be
    read); 5 if the judge or a service failed.
    """
    if (claim is None) == (claim_file is None):
        raise UsageError("a claim is needed, once", allowed="--claim TEXT or --claim-file FILE")
    if not contexts and not context_files:
        raise UsageError(
            "a context is needed",
            allowed="--context TEXT or --context-file FILE, each as often as there are chunks",
            todo='to ask without one, say so: --context ""',
        )
    if [claim_file, *context_files].count("-") > 1:
        raise UsageError("stdin can be read once only", todo="write the rest to files")
    text = claim if claim is not None else _read(claim_file or "")
    chunks = (*contexts, *(_read(name) for name in context_files))

    from voirdire.judges import load
    from voirdire.records import JudgeInput

    with closing(load(use, parameters=parameters_of(params))) as judge:
        answer = _answer(judge, JudgeInput(id="asked", claim=text, context=chunks))
    if as_json:
        print_json({"judge": use, **answer.model_dump(mode="json")})
    else:
        print_table(("", "answer"), _rows(use, answer))
    return 5 if answer.outcome in _A_SERVICE_FAILED else 0


def _answer(judge: Judge, item: JudgeInput) -> JudgeAnswer:
    """The judge's answer, or the outcome a run would write down."""
    from voirdire.judges.asking import Irregular, ask

    answers = ask(judge, [item.id], lambda _: iter([item]), repeat=0, irregular=Irregular())
    return next(answer for _, answer in answers)


def _rows(use: str, answer: JudgeAnswer) -> list[tuple[str, str]]:
    rows = [
        ("judge", use),
        ("label", answer.label or f"none ({answer.outcome.replace('_', ' ')})"),
        ("coverage" if use.partition(":")[0] == "lexical" else "score", _number(answer.score)),
        ("probabilities", _shares(answer.probabilities)),
        ("evidence", answer.evidence or ""),
        ("rationale", answer.rationale or ""),
        ("error", answer.error or ""),
        ("flags", "; ".join(map(_plain, answer.flags))),
    ]
    return [(name, text) for name, text in rows if text]


def _plain(flag: str) -> str:
    return f"{flag} ({_FLAGS[flag]})" if flag in _FLAGS else flag


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def _shares(probabilities: Any) -> str:
    return ", ".join(f"{label} {share:.3f}" for label, share in (probabilities or {}).items())


def _read(name: str) -> str:
    """A file's text, or what comes in on stdin."""
    from voirdire.store import read_text

    if name != "-":
        return read_text(Path(name))
    data = sys.stdin.buffer.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8",
            where="stdin",
            allowed="UTF-8 text",
        ) from error


def parameters_of(params: tuple[str, ...]) -> dict[str, Any]:
    """``key=value`` pairs; a value that is no TOML is the text itself."""
    found: dict[str, Any] = {}
    for param in params:
        key, equals, value = param.partition("=")
        if not equals or not key:
            raise UsageError(f"not a parameter: {param!r}", where="--param", allowed="KEY=VALUE")
        try:
            table = tomllib.loads(f"value = {value}")
        except tomllib.TOMLDecodeError:
            table = {}
        # A line end in the value could smuggle in a second key: then it is text.
        found[key] = table["value"] if list(table) == ["value"] else value
    return found
