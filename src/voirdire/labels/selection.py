"""What a study takes from its claim sets: found, narrowed by split and language, put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from voirdire.errors import UsageError
from voirdire.labels.claim_set import ClaimSet, load_claim_set, sets_in
from voirdire.records import Claim, LabelRecord
from voirdire.store import StudyConfig, nearest

__all__ = [
    "STARTER_SETS",
    "SelectedSet",
    "StudyClaims",
    "claims_of_study",
    "find_claim_set",
    "select_claims",
    "starter_set",
]

STARTER_SETS: Final[tuple[str, ...]] = ("starter-en", "starter-it")


@dataclass(frozen=True, slots=True)
class SelectedSet:
    """A set a study draws on, and how much of it.

    Attributes
    ----------
    name : str
    path : Path
    digest : str
        Of the whole set, selected or not.
    claims : int
        Selected of it.
    families : int
        Selected of it.
    redact : tuple of str
        Patterns of what must not leave this machine, from set.toml.
    """

    name: str
    path: Path
    digest: str
    claims: int
    families: int
    redact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudyClaims:
    """The claims a study examines and what people said of them.

    Attributes
    ----------
    claims : tuple of Claim
        Ids unique over all sets.
    labels : tuple of LabelRecord
        Of these claims only.
    sets : tuple of SelectedSet
    excluded : dict of str to int
        Claims left out, by reason.
    notes : tuple of str
        What was done that a reader would want to know.
    """

    claims: tuple[Claim, ...]
    labels: tuple[LabelRecord, ...]
    sets: tuple[SelectedSet, ...]
    excluded: dict[str, int]
    notes: tuple[str, ...] = ()


def starter_set(name: str) -> Path:
    """The folder of a starter set: inside an installed package, or in the checkout.

    Raises
    ------
    UsageError
        If there is no starter set of that name.
    """
    if name not in STARTER_SETS:
        guess = nearest(name, list(STARTER_SETS))
        raise UsageError(
            f"no starter set {name!r}",
            allowed=", ".join(STARTER_SETS),
            todo=f"did you mean {guess!r}?" if guess else "",
        )
    packaged = Path(__file__).parent / "starter" / name
    checkout = Path(__file__).parents[3] / "labels" / name
    return packaged if packaged.is_dir() else checkout


def find_claim_set(name: str, folder: Path) -> Path:
    """The folder a study means by a set's name.

    The names of the starter sets are theirs alone; any other is a path from the folder of
    study.toml or, failing that, from the working directory.

    Raises
    ------
    UsageError
        If there is none; the message names the paths tried and the sets beside them.
    """
    if name in STARTER_SETS:
        return starter_set(name)
    tried = [(folder / name).resolve(), Path(name).resolve()]
    for path in tried:
        if (path / "claims.jsonl").is_file():
            return path
    beside = sorted({found for path in tried for found in sets_in(path.parent)})
    guess = nearest(Path(name).name, [*beside, *STARTER_SETS])
    raise UsageError(
        f"no claim set {name!r}, neither at {tried[0]} nor at {tried[1]}",
        where=f"{folder / 'study.toml'}, field labels",
        allowed=", ".join([*beside, *STARTER_SETS]),
        todo=f"did you mean {guess!r}?" if guess else "make it with 'voirdire import'",
    )


def claims_of_study(config: StudyConfig, folder: Path) -> StudyClaims:
    """The claims and labels of a study, over all its sets.

    Parameters
    ----------
    config : StudyConfig
        Its ``labels``, ``split`` and ``languages`` are used.
    folder : Path
        Where study.toml lies.

    Raises
    ------
    UsageError
        If a set is not there, is named twice, or nothing is left to examine.
    ClaimSetError
        If a set has faults.
    """
    sets = [load_claim_set(find_claim_set(name, folder)) for name in config.labels]
    selected = select_claims(sets, split=config.split, languages=config.languages)
    if not selected.claims:
        reasons = ", ".join(f"{reason}: {n}" for reason, n in selected.excluded.items())
        raise UsageError(
            f"no claim is left to examine ({reasons or 'the sets are empty'})",
            where=f"{folder / 'study.toml'}, fields split and languages",
            todo="widen split or languages",
        )
    return selected


def select_claims(
    sets: Sequence[ClaimSet], *, split: str = "all", languages: Sequence[str] = ()
) -> StudyClaims:
    """Claims of one split and some languages over several sets, with unique ids.

    Where two sets use the same claim id, the ids of both get their set's name in front. So do
    families, unless the claims that share one name the same source: translations of one corpus
    are one family, and two sets that both count from 1 are not.

    Raises
    ------
    UsageError
        If two sets have the same name or are the same folder.
    """
    _refuse_twins(sets)
    excluded: Counter[str] = Counter()
    kept: list[tuple[ClaimSet, list[Claim]]] = []
    for claim_set in sets:
        kept.append((claim_set, _kept(claim_set, split, languages, excluded)))
    rename = _Renaming(kept)
    claims: list[Claim] = []
    labels: list[LabelRecord] = []
    for claim_set, chosen in kept:
        ids = {claim.id for claim in chosen}
        claims += [rename.claim(claim, claim_set.name) for claim in chosen]
        labels += [
            rename.label(one, claim_set.name) for one in claim_set.labels if one.claim_id in ids
        ]
    return StudyClaims(
        claims=tuple(claims),
        labels=tuple(labels),
        sets=tuple(_selected(claim_set, chosen) for claim_set, chosen in kept),
        excluded=dict(sorted(excluded.items())),
        notes=rename.notes(),
    )


def _kept(
    claim_set: ClaimSet, split: str, languages: Sequence[str], excluded: Counter[str]
) -> list[Claim]:
    kept = []
    for claim in claim_set.claims:
        if split != "all" and claim_set.splits.families[claim.family] != split:
            excluded["in another split"] += 1
        elif languages and not any(_speaks(claim.language, wanted) for wanted in languages):
            excluded["in another language"] += 1
        else:
            kept.append(claim)
    return kept


def _speaks(language: str, wanted: str) -> bool:
    """``en`` asks for en-GB too; ``en-GB`` asks for nothing else."""
    found, asked = language.lower(), wanted.lower()
    return found == asked or found.startswith(asked + "-")


def _selected(claim_set: ClaimSet, chosen: list[Claim]) -> SelectedSet:
    families = len({claim.family for claim in chosen})
    return SelectedSet(
        claim_set.name,
        claim_set.paths.root,
        claim_set.digest,
        len(chosen),
        families,
        redact=claim_set.info.redact,
    )


def _refuse_twins(sets: Sequence[ClaimSet]) -> None:
    for what, values in (
        ("are called", [claim_set.name for claim_set in sets]),
        ("lie at", [str(claim_set.paths.root.resolve()) for claim_set in sets]),
    ):
        twins = [value for value, count in Counter(values).items() if count > 1]
        if twins:
            raise UsageError(
                f"two claim sets {what} {twins[0]!r}",
                where="study.toml, field labels",
                todo="name each set once, and give each a name of its own in set.toml",
            )


class _Renaming:
    """Which ids and families get their set's name in front."""

    def __init__(self, kept: Sequence[tuple[ClaimSet, list[Claim]]]) -> None:
        ids: Counter[str] = Counter()
        homes: dict[str, dict[str, set[str | None]]] = defaultdict(lambda: defaultdict(set))
        for claim_set, chosen in kept:
            ids.update({claim.id for claim in chosen})
            for claim in chosen:
                homes[claim.family][claim_set.name].add(claim.source)
        self._ids = {claim_id for claim_id, count in ids.items() if count > 1}
        shared = {family for family, by_set in homes.items() if len(by_set) > 1}
        self._families = {family for family in shared if not _one_source(homes[family])}
        self._joined = len(shared) - len(self._families)
        # All claims of a set that collides are renamed, so that its ids stay of one kind.
        self._sets = {
            claim_set.name
            for claim_set, chosen in kept
            if any(claim.id in self._ids for claim in chosen)
        }

    def claim(self, claim: Claim, name: str) -> Claim:
        change: dict[str, str] = {}
        if name in self._sets:
            change["id"] = f"{name}/{claim.id}"
        if claim.family in self._families:
            change["family"] = f"{name}/{claim.family}"
        return claim.model_copy(update=change) if change else claim

    def label(self, label: LabelRecord, name: str) -> LabelRecord:
        if name not in self._sets:
            return label
        old = f"{name}/{label.supersedes}" if label.supersedes is not None else None
        return label.model_copy(
            update={
                "id": f"{name}/{label.id}",
                "claim_id": f"{name}/{label.claim_id}",
                "supersedes": old,
            }
        )

    def notes(self) -> tuple[str, ...]:
        notes = []
        if self._ids:
            notes.append(
                f"{len(self._ids)} claim ids stand in several sets: "
                f"ids of {', '.join(sorted(self._sets))} carry their set's name"
            )
        if self._families:
            notes.append(
                f"{len(self._families)} family names stand in several sets and are kept apart "
                "by their set's name"
            )
        if self._joined:
            notes.append(f"{self._joined} families of one source reach over several sets")
        return tuple(notes)


def _one_source(by_set: Mapping[str, set[str | None]]) -> bool:
    sources = set().union(*by_set.values())
    return len(sources) == 1 and None not in sources
