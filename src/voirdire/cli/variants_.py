"""``voirdire variants``: drafts of variants, accepted, and held against what people said."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb
from voirdire.errors import UsageError

if TYPE_CHECKING:
    from voirdire.labels import ClaimSet
    from voirdire.records import Draft

__all__ = ["command"]


@verb(
    epilog="""
voirdire variants labels/support                       # by rule, no model needed
voirdire variants labels/support --wording paraphrase --model qwen2.5 --base-url http://localhost:8080/v1
voirdire variants labels/support --accept --rule negation --limit 20
voirdire variants labels/support --status
"""
)
@click.argument("target", type=click.Path(path_type=Path), metavar="SET")
@click.option("--rule", "rules", multiple=True, metavar="RULE",
              help="A rule; with --accept a wording, too. Repeat.  [default: all]")  # fmt: skip
@click.option("--wording", "wordings", multiple=True, metavar="KIND",
              help="Ask a model for this kind of variant. Repeat for several.")  # fmt: skip
@click.option("--from-docs", type=click.Path(path_type=Path), metavar="DIR",
              help="Ask a model for originals about the documents of a folder.")  # fmt: skip
@click.option("--count", type=click.IntRange(1), default=30, show_default=True,
              help="Originals to ask for with --from-docs.")  # fmt: skip
@click.option("--language", default="en", show_default=True, help="Of --from-docs.")
@click.option("--model", metavar="NAME", help="The model that words; a server of the OpenAI kind.")
@click.option("--base-url", metavar="URL", help="Of its server.")
@click.option("--accept", "accepting", is_flag=True,
              help="Write drafts into the set as claims that await labels.")  # fmt: skip
@click.option("--id", "ids", multiple=True, metavar="DRAFT", help="With --accept: only this one.")
@click.option("--limit", type=click.IntRange(1), help="With --accept: at most so many.")
@click.option(
    "--status", is_flag=True, help="Show what became of the drafts, and how good they were."
)
@as_json_option
def command(target: Path, accepting: bool, status: bool, as_json: bool, **options: Any) -> int:
    """Propose variants of the originals of a claim set: drafts, until people labelled them.

    Swaps of numbers, shares, ranks, dates and units, negations, formatting, order, dilution and
    reported speech come by rule, in the languages there are rules for; wording comes from a model.
    Drafts lie in drafts.jsonl of the set. A prediction goes with each and is shown to nobody who
    labels; it is only compared with what people say (--status). A killed run goes on from there.
    """
    _one_thing(accepting, status, options)
    if status:
        return _show_scores(target, as_json)
    if accepting:
        return _accept(target, options, as_json)
    return _propose(target, options, as_json)


def _one_thing(accepting: bool, status: bool, options: dict[str, Any]) -> None:
    """Refuse what would be passed over in silence."""
    made = {
        "--accept": accepting,
        "--status": status,
        "--wording": bool(options["wordings"]),
        "--from-docs": bool(options["from_docs"]),
    }
    named = [name for name, given in made.items() if given]
    if len(named) > 1:
        raise UsageError(
            f"{' and '.join(named)} are different things", todo="run the command once for each"
        )
    if options["rules"] and named and not accepting:
        raise UsageError(
            f"--rule says nothing beside {named[0]}", todo="leave it out, or run it by itself"
        )


def _propose(target: Path, options: dict[str, Any], as_json: bool) -> int:
    from voirdire.labels import load_claim_set
    from voirdire.labels.variants import RULES, add_drafts, propose_by_rule, read_drafts

    for name in options["rules"]:
        if name not in RULES:
            raise UsageError(f"no rule is called {name!r}", allowed=", ".join(RULES))
    claim_set = load_claim_set(target)
    before = len(read_drafts(target))
    skipped: dict[str, int] = {}
    if options["wordings"] or options["from_docs"]:
        added, passed = _by_model(target, claim_set, options)
    else:
        found = propose_by_rule(claim_set.claims, _labels(claim_set), rules=options["rules"])
        skipped = dict(found.skipped)
        added, passed = add_drafts(target, found.drafts)
    made = read_drafts(target)[before:]
    if as_json:
        print_json({"added": added, "already_there": passed, "skipped": skipped,
                    "drafts": [one.model_dump(mode="json") for one in made]})  # fmt: skip
        return 0
    print_table(("rule", "drafts", "unusable", "first"), _counts(made))
    for reason, count in sorted(skipped.items()):
        say(f"passed over: {reason}: {count}")
    drafts = "draft" if added == 1 else "drafts"
    say(f"{added} {drafts} added, {passed} there already; "
        f"next: voirdire variants {target} --accept, then have people label them")  # fmt: skip
    return 0


def _by_model(target: Path, claim_set: ClaimSet, options: dict[str, Any]) -> tuple[int, int]:
    from voirdire.labels.variants import (
        add_drafts,
        originals_from_documents,
        propose_by_model,
        read_drafts,
    )
    from voirdire.models.llm import LlmClient, LlmSettings

    if not options["model"]:
        raise UsageError("wording needs a model", todo="name one with --model and --base-url")
    settings = {"model": options["model"]}
    if options["base_url"]:
        settings["base_url"] = options["base_url"]
    known = [draft.id for draft in read_drafts(target)]
    with closing(LlmClient(LlmSettings(**settings))) as client:
        if options["from_docs"]:
            drafts = originals_from_documents(
                client,
                options["from_docs"],
                language=options["language"],
                count=options["count"],
                known=known,
            )
        else:
            drafts = propose_by_model(
                client,
                claim_set.claims,
                _labels(claim_set),
                kinds=options["wordings"],
                known=known,
            )
        return add_drafts(target, drafts)


def _labels(claim_set: ClaimSet) -> dict[str, Any]:
    from voirdire.labels import references

    return dict(references(claim_set.claims, claim_set.labels, view="source").labels)


def _counts(drafts: list[Draft]) -> list[tuple[str, str, str, str]]:
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.rule, []).append(draft)
    return [
        (
            rule,
            str(len(found)),
            str(sum(bool(draft.fault) for draft in found)),
            next((draft.claim for draft in found if not draft.fault), found[0].fault),
        )
        for rule, found in groups.items()
    ]


def _accept(target: Path, options: dict[str, Any], as_json: bool) -> int:
    from voirdire.labels.variants import accept, read_drafts

    there = sorted({draft.rule for draft in read_drafts(target)})
    for name in options["rules"]:
        if name not in there:
            raise UsageError(
                f"no draft was made by {name!r}",
                allowed=", ".join(there) or "none: there are no drafts",
                todo=f"make some: voirdire variants {target}",
            )
    claims = accept(target, rules=options["rules"], ids=options["ids"], limit=options["limit"])
    if as_json:
        print_json([claim.model_dump(mode="json") for claim in claims])
    else:
        print_table(("claim", "variant", "text"), [(c.id, c.variant, c.claim) for c in claims])
    say(f"{len(claims)} claims await labels; next: voirdire push {target}")
    return 0


def _show_scores(target: Path, as_json: bool) -> int:
    from dataclasses import asdict

    from voirdire.labels.variants import maker_scores

    scores = maker_scores(target)
    if as_json:
        print_json([asdict(score) for score in scores])
        return 0
    print_table(
        ("maker", "rule", "drafts", "unusable", "accepted", "labelled", "predicted right"),
        [
            (
                score.maker,
                score.rule,
                str(score.drafts),
                ", ".join(f"{fault}: {n}" for fault, n in score.faults.items()) or "0",
                str(score.accepted),
                str(score.labelled),
                f"{score.right} of {score.predicted}",
            )
            for score in scores
        ],
    )
    return 0
