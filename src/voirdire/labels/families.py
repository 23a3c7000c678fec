"""What holds among the rows of a set: ids once, families of one original and one context.

A family is an original with its variants, so its members share the context, except where the
variant's name says that the context was changed (``context_swap``, ``negation_context``,
``negation_both``, ``translation`` …). One original may be put to several contexts, as in fact
checking: then every original has the same wording. Languages are looked at one by one.

Some sources group otherwise: all claims about one page, or contexts edited under variant names
that do not say so. There a family is a cluster: still the unit of splitting and resampling, but
without one original. ``families = "clusters"`` in set.toml says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from voirdire.errors import Fault
from voirdire.labels.findings import Finding
from voirdire.labels.text import shown
from voirdire.records import Claim, LabelRecord

__all__ = [
    "FAMILY_KINDS",
    "FamilyKind",
    "cluster_evidence",
    "family_findings",
    "looks_like_clusters",
    "record_findings",
    "twin_findings",
]

FamilyKind = Literal["variants", "clusters"]
FAMILY_KINDS: tuple[FamilyKind, ...] = ("variants", "clusters")

Placed = tuple[int, Claim]

_CONTEXT_CHANGED = re.compile(r"context|translat|(^|[_+])both($|[_+])", re.IGNORECASE)

# A slip touches a few families; where most of them, and many, do the same it is the source's way.
_CLUSTERS_AT_LEAST, _CLUSTERS_SHARE = 20, 0.5


def twin_findings(ids: Iterable[tuple[int, Any]], *, path: str) -> list[Finding]:
    """Ids that stand twice, given as (line, id); each later one names the first.

    Ids of rows that are broken otherwise count too, and what is no text is passed over.
    """
    first: dict[str, int] = {}
    findings = []
    for line, name in ids:
        if not isinstance(name, str):
            continue
        if name in first:
            what = f"the id {shown(name)} stands already in {_place(first[name])}"
            fault = Fault(what, f"{path}:{line}", "every id once", "rename or delete one of them")
            findings.append(Finding("duplicated id", line, fault))
        first.setdefault(name, line)
    return findings


def family_findings(rows: Sequence[Placed], *, path: str, kind: FamilyKind) -> list[Finding]:
    """Families with two originals or two contexts (faults), none original or twins (warnings)."""
    families = _by_family(rows)
    findings: list[Finding] = []
    if kind == "variants":
        for name, members in families.items():
            findings += _shape_findings(name, members, path)
        findings += _without_original(families, path)
    return findings + _same_text(rows, path)


def cluster_evidence(rows: Sequence[Placed]) -> tuple[int, int]:
    """Families that are not an original with variants, and families of several members."""
    several = [members for members in _by_family(rows).values() if len(members) > 1]
    odd = sum(any(True for _ in _shape_findings("", members, "")) for members in several)
    return odd, len(several)


def looks_like_clusters(rows: Sequence[Placed]) -> bool:
    """Whether so many families break the shape that it is the source's way and no slip."""
    odd, several = cluster_evidence(rows)
    return odd >= _CLUSTERS_AT_LEAST and odd > _CLUSTERS_SHARE * several


def record_findings(rows: Sequence[tuple[int, LabelRecord]], *, path: str) -> list[Finding]:
    """What is wrong among the labels: a superseded record that is not there, or another's."""
    findings = []
    by_id = {record.id: record for _, record in rows}
    for line, record in rows:
        if record.supersedes is None:
            continue
        old = by_id.get(record.supersedes)
        where = f"{path}:{line}"
        if old is None or old is record:
            what = f"supersedes {shown(record.supersedes)}, which is no other record of this file"
            todo = "name the id of the record that this one replaces, or null"
            findings.append(Finding("supersedes nothing", line, Fault(what, where, todo=todo)))
        elif (old.claim_id, old.annotator) != (record.claim_id, record.annotator):
            what = f"supersedes {shown(old.id)}, which is another claim's or annotator's"
            allowed = "a record of the same claim by the same annotator"
            findings.append(Finding("supersedes another's", line, Fault(what, where, allowed)))
    return findings


def _place(line: int) -> str:
    """Where the first one stands; 0 is the set that rows are added to."""
    return f"line {line}" if line else "the set"


def _by_family(rows: Iterable[Placed]) -> dict[str, list[Placed]]:
    families: dict[str, list[Placed]] = defaultdict(list)
    for row in rows:
        families[row[1].family].append(row)
    return families


def _shape_findings(name: str, members: list[Placed], path: str) -> Iterator[Finding]:
    if len(members) == 1:
        return
    languages: dict[str, list[Placed]] = defaultdict(list)
    for row in members:
        languages[row[1].language].append(row)
    for rows in languages.values():
        originals = [row for row in rows if row[1].variant == "original"]
        yield from _second_originals(name, originals, path)
        yield from _second_contexts(name, rows, originals, path)


def _second_originals(name: str, originals: list[Placed], path: str) -> Iterator[Finding]:
    for line, claim in originals[1:]:
        if claim.claim != originals[0][1].claim:
            what = f"family {shown(name)} has a second original, after {_place(originals[0][0])}"
            allowed = "one original a family and language (one wording, on one or more contexts)"
            todo = "name the variant, or give the claim a family of its own"
            fault = Fault(what, f"{path}:{line}", allowed, todo + _OR_CLUSTERS)
            yield Finding("family with two originals", line, fault)


def _second_contexts(
    name: str, rows: list[Placed], originals: list[Placed], path: str
) -> Iterator[Finding]:
    fixed = [row for row in rows if not _CONTEXT_CHANGED.search(row[1].variant)]
    home = originals or fixed[:1]
    contexts = {claim.context for _, claim in home}
    for line, claim in fixed:
        if claim.context not in contexts:
            what = f"family {shown(name)} has a second context, other than in {_place(home[0][0])}"
            allowed = "the original's context, unless the variant's name says 'context'"
            todo = "mend the context, or name the variant for it (context_edit)"
            fault = Fault(what, f"{path}:{line}", allowed, todo + _OR_CLUSTERS)
            yield Finding("family with two contexts", line, fault)


_OR_CLUSTERS = "; if families are looser groups in this source: families = 'clusters'"


def _without_original(families: dict[str, list[Placed]], path: str) -> list[Finding]:
    bare = [
        name
        for name, members in families.items()
        if all(claim.variant != "original" for _, claim in members)
    ]
    if not bare:
        return []
    what = f"{len(bare):,} of {len(families):,} families have no original, first {shown(bare[0])}"
    todo = "paraphrase and negation are then compared among the variants only"
    return [Finding("family without original", 0, Fault(what, path, todo=todo), warning=True)]


def _same_text(rows: Iterable[Placed], path: str) -> list[Finding]:
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    twins: list[tuple[int, int]] = []
    for line, claim in rows:
        key = (claim.claim, claim.context)
        if key in first:
            twins.append((line, first[key]))
        first.setdefault(key, line)
    if not twins:
        return []
    what = f"{len(twins):,} claims stand twice with the same context under other ids"
    where = f"{path}:{twins[0][0]}"
    fault = Fault(f"{what}, first lines {twins[0][1]} and {twins[0][0]}", where)
    return [Finding("same claim twice", twins[0][0], fault, warning=True)]
