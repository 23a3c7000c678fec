"""``voirdire probe``: minimal pairs put to a judge, passed k of n for each kind."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb

if TYPE_CHECKING:
    from voirdire.judges import ProbeResult

__all__ = ["command"]


@verb(
    epilog="""
voirdire probe --judge lexical --language en
voirdire probe --judge lexical:it --language it --kind double_negation
"""
)
@click.option("--judge", "use", required=True, metavar="NAME[:PRESET]", help="The judge to try.")
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Language of the probes. Repeat for several.  [default: those the judge reads, else all]",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Kind of probe. Repeat for several.  [default: all]",
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
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    params: tuple[str, ...],
    as_json: bool,
) -> int:
    """Try a judge on minimal pairs: negations, numbers, units, dates, injections, empty contexts.

    A probe is a trap and its control, the same without the trap; it is passed if the judge is
    right on both. Probes show what a judge cannot do; they are no evidence for your domain, and
    exit code 0 says only that all were put. Exit code 5 if the judge cannot work at all.
    """
    from voirdire.cli.ask_ import parameters_of
    from voirdire.judges import languages_read, load, probe_languages, put_probes

    with closing(load(use, parameters=parameters_of(params))) as judge:
        left = set(probe_languages()) - set(languages or languages_read(judge))
        results = put_probes(judge, languages=languages, kinds=kinds)
    if as_json:
        print_json(
            [
                {"kind": r.probe.kind, "passed": r.passed, **r.model_dump(mode="json")}
                for r in results
            ]
        )
        return 0
    print_table(("kind", "what it tries", "language", "passed", "first failure"), _rows(results))
    from voirdire.records import LABELS

    passed = sum(result.passed for result in results)
    say(f"{use}: passed {passed} of {len(results)} probes; {_by_language(results)}")
    if left and not languages:
        say(f"{use} does not read {', '.join(sorted(left))}: not asked "
            f"(--language {min(left)} asks it anyway)")  # fmt: skip
    unanswered = sum(
        said not in (*LABELS, *right)
        for one in results
        for said, right in (
            (one.said, one.probe.expect),
            (one.control_said, one.probe.control_expect),
        )
    )
    if unanswered:
        say(f"{unanswered} of {2 * len(results)} claims got no label: "
            "these probes say nothing of what the judge can read")  # fmt: skip
    return 0


def _by_language(results: list[ProbeResult]) -> str:
    groups: dict[str, list[bool]] = {}
    for result in results:
        groups.setdefault(result.language, []).append(result.passed)
    return ", ".join(f"{code} {sum(one)} of {len(one)}" for code, one in sorted(groups.items()))


def _rows(results: list[ProbeResult]) -> list[tuple[str, str, str, str, str]]:
    from voirdire.judges import PROBE_KINDS

    groups: dict[tuple[str, str], list[ProbeResult]] = {}
    for result in results:
        groups.setdefault((result.probe.kind, result.language), []).append(result)
    return [
        (
            kind.replace("_", " "),
            PROBE_KINDS[kind],
            language,
            f"{sum(result.passed for result in found)} of {len(found)}",
            next((_failure(result) for result in found if not result.passed), ""),
        )
        for (kind, language), found in groups.items()
    ]


def _failure(result: ProbeResult) -> str:
    probe = result.probe
    if result.said not in probe.expect:
        return f"{probe.claim!r} is {probe.expect[0]}, it said {result.said}"
    return f"control {probe.control!r} is {probe.control_expect[0]}, it said {result.control_said}"
