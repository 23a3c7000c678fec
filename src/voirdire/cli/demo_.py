"""``voirdire demo``: the main job on the starter set, with nothing but what was installed."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.examine_ import examine
from voirdire.cli.output import as_json_option, verb

JUDGES = ("constant", "lexical", "nli-mini")
SEED = 20260301


@verb(epilog="voirdire demo\nvoirdire demo --lang it --into reports/prova")
@click.option(
    "--lang",
    type=click.Choice(["en", "it"]),
    default="en",
    show_default=True,
    help="Which starter set, and the language of the page.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Where the study goes.  [default: reports/demo, reports/demo-it]",
)
@click.option("--fresh", is_flag=True, help="Ask anew, even where finished runs are at hand.")
@as_json_option
def command(lang: str, into: Path | None, fresh: bool, as_json: bool) -> None:
    """Examine the built-in judges on the starter set.

    Needs no key, no server and no network. Ends with the decision on each judge and the path of
    the page. The starter set is no evidence about anyone's own domain: the demo always ends
    with 0, whatever it decides.
    """
    from voirdire.store import JudgeConfig, StudyConfig, dump_study, write_text

    folder = into or Path("reports") / ("demo" if lang == "en" else f"demo-{lang}")
    config = StudyConfig(
        name=folder.name,
        labels=(f"starter-{lang}",),
        judges=tuple(
            JudgeConfig(name=name, use=f"{name}:{lang}" if name == "lexical" else name)
            for name in JUDGES
        ),
        seed=SEED,
        parts=("variant!*negation*",),
    )
    write_text(folder / "study.toml", dump_study(config))
    examine(folder, fresh=fresh, as_json=as_json, language=lang)
