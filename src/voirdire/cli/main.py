"""The command: a group that loads a verb's file when the verb is called, and not before."""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any, NoReturn, TextIO

import click

from voirdire.errors import VoirdireError

__all__ = ["VERBS", "cli", "main", "run"]

VERBS: dict[str, str] = {
    "import": "Read a file of claims into a claim set.",
    "check": "List every fault of a claim set; change nothing.",
    "variants": "Propose paraphrases, negations and swapped numbers as drafts to be labelled.",
    "push": "Send a claim set to Label Studio, or what is new in it.",
    "pull": "Fetch what people labelled there.",
    "status": "Say how far labelling is.",
    "adjudicate": "Send disagreements to an adjudicator and fetch the decisions.",
    "judges": "List the judges, what each lacks and how to mend it.",
    "train-nli": "Fit an NLI model to the dev split of a claim set.",
    "ask": "Ask a judge about one claim.",
    "probe": "Try a judge on minimal pairs: negations, numbers, dates, injections.",
    "run": "Put the claims of a study to its judges; resumes.",
    "agree": "Compare a study's verdicts with people's labels.",
    "compare": "Hold two runs against each other: does an upgrade do, and what does it change.",
    "operate": "Set a judge's threshold for stated costs of its errors.",
    "vary": "Say how much each judge of a study moves by itself.",
    "limits": "Derive alert limits from that, as a policy.",
    "score": "Measure answers of a RAG system with a judge; count what cannot be.",
    "watch": "Hold a score history against its policy; an exit code.",
    "plan": "Say how many families, people, hours and repeats a decision takes.",
    "report": "Make the page, the JSON and the rows from the results.",
    "gate": "Let a build pass or fail by the decision on a judge.",
    "verify": "Recompute every number of a study; list what differs.",
    "bundle": "Pack a study into one file that verifies on another machine.",
    "examine": "Walk the whole way for one study: run, agree, decide, report.",
    "demo": "Examine the built-in judges on the starter set.",
}
"""Verb to one line of help, in the order of the work. `--help` reads this and imports no verb."""


class LazyGroup(click.Group):
    """Lists verbs without importing them; imports ``voirdire.cli.<verb>`` on call."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = import_module(f"voirdire.cli.{cmd_name.replace('-', '_')}_")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from voirdire.cli.output import nearest_verb

            raise click.UsageError(f"No such verb {args[0]!r}.{nearest_verb(args[0], VERBS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs, in the order of the work"):
            formatter.write_dl(list(VERBS.items()))


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with 'voirdire demo'. Every option also reads VOIRDIRE_<OPTION>. "
    "Exit codes: 0 fine, 1 gate failed or alert, 2 usage, 3 not enough evidence, "
    "4 inputs changed or another judge, 5 the tool or a service failed.",
)
@click.version_option(package_name="voirdire", message="%(prog)s %(version)s")
def cli() -> None:
    """Decide whether a judge of claims may be trusted, and when to stop trusting it."""


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command and end the process with the exit code of its outcome."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure:  # a console that cannot show a character shows its code instead
            reconfigure(errors="backslashreplace")
    if not sys.stdout.isatty():
        sys.stdout = _unbreakable(sys.stdout)
    sys.exit(run(args))


class _Unbreakable(io.RawIOBase):
    """Bytes to a pipe; once its reader has gone (``| head``), to nowhere.

    So a verb ends as it would have: a gate's exit code does not depend on who read its text.
    """

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def write(self, data: Any) -> int | None:
        try:
            return self._raw.write(data)
        except BrokenPipeError:
            return len(data)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()


def _unbreakable(stream: TextIO) -> TextIO:
    """The same stream on an `_Unbreakable`; itself if it is no file of this process."""
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # PYTHONUNBUFFERED: the buffer is none
    if not isinstance(raw, io.RawIOBase):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_Unbreakable(raw)), encoding=stream.encoding, errors=stream.errors
    )


def run(args: list[str] | None = None) -> int:
    """Run the command and return the exit code of its outcome."""
    try:
        result = cli.main(args, prog_name="voirdire", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except VoirdireError as error:
        return _fail(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; what was written is kept, run the same command again", 130)
    except Exception as error:
        if os.environ.get("VOIRDIRE_DEBUG"):
            raise
        return _fail(
            f"{type(error).__name__}: {error}. This is a fault of voirdire; "
            "set VOIRDIRE_DEBUG=1 and run again for the trace",
            5,
        )


def _fail(message: str, code: int) -> int:
    from voirdire.cli.output import say

    say(f"Error: {message}")
    return code
