"""``voirdire train-nli``: an NLI model fitted to the labels of a claim set."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from voirdire.cli.output import as_json_option, print_json, print_table, say, verb

if TYPE_CHECKING:
    from voirdire.labels import ClaimSet
    from voirdire.models.training import Pair

__all__ = ["command"]

_SPLIT = "dev"
_HELD_BACK = 0.1


@verb(
    epilog="""
voirdire train-nli labels/my-set --out models/my-nli
voirdire train-nli labels/my-set --out models/my-nli --also public-pairs.jsonl.gz --epochs 2
"""
)
@click.argument("labels", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder for the new model."
)
@click.option(
    "--base",
    type=click.Path(path_type=Path),
    help="Folder of the model to start from: config.json, model.safetensors, tokenizer.json.  "
    "[default: nli-mini, as shipped]",
)
@click.option(
    "--also",
    multiple=True,
    type=click.Path(path_type=Path),
    help="More labelled pairs: JSON lines with context, claim, label; repeat for several files.",
)
@click.option("--epochs", type=click.FloatRange(0, min_open=True), default=3.0, show_default=True)
@click.option(
    "--learning-rate", type=click.FloatRange(0, min_open=True), default=5e-5, show_default=True
)
@click.option("--max-length", type=click.IntRange(16, 512), default=128, show_default=True)
@click.option("--threads", type=click.IntRange(1, 256), default=1, show_default=True)
@click.option("--seed", type=int, default=7, show_default=True)
@click.option("--no-rules", is_flag=True, help="Add no pairs made by rule (negations, numbers …).")
@as_json_option
def command(
    labels: Path,
    out: Path,
    base: Path | None,
    also: tuple[Path, ...],
    epochs: float,
    learning_rate: float,
    max_length: int,
    threads: int,
    seed: int,
    no_rules: bool,
    as_json: bool,
) -> int:
    """Fit an NLI model to the labels of a claim set, to be examined like any other judge.

    Only families of the dev split are learned from, so that the others can still test the model.
    The new model is used with: [judges.mine] use = "nli", model = "<out>". Needs the extra
    train: python -m pip install 'voirdire[train]'.
    """
    from voirdire.labels import load_claim_set
    from voirdire.labels.splits import families_digest
    from voirdire.models.training import TrainingSettings, augmented, hold_out, read_pairs
    from voirdire.models.training.making import base_folder, check_ready, make_model

    check_ready(out)
    claim_set = load_claim_set(labels)
    own = _own_pairs(claim_set, max_length)
    pairs = own + [pair for path in also for pair in read_pairs(path)]
    learn, back = hold_out(pairs, share=_HELD_BACK, seed=seed)
    made = [] if no_rules else augmented(learn, seed=seed, amounts=_amounts(len(learn)))
    say(
        f"{len(own)} claims of the {_SPLIT} split, {len(pairs) - len(own)} other pairs, "
        f"{len(made)} made by rule; {len(back)} held back for the calibration"
    )
    settings = TrainingSettings(
        epochs=epochs,
        learning_rate=learning_rate,
        max_length=max_length,
        threads=threads,
        seed=seed,
    )
    with TemporaryDirectory() as scratch:
        told = make_model(
            learn + made,
            back,
            base=base_folder(base, Path(scratch)),
            out=out,
            settings=settings,
            tell=say,
            checkpoint_every=500,
            trained_on={
                "set": claim_set.name,
                "digest": claim_set.digest,
                "split": _SPLIT,
                "families_sha256": families_digest(claim_set.splits, _SPLIT),
            },
        )
    if as_json:
        print_json(told)
    else:
        print_table(
            ("model", "pairs", "steps", "minutes", "temperature", "next"),
            [_row(out, told)],
        )
    return 0


def _own_pairs(claim_set: ClaimSet, max_length: int) -> list[Pair]:
    from voirdire.errors import NotEnoughEvidence
    from voirdire.judges.nli.learning import pairs_from
    from voirdire.labels import references

    families = claim_set.splits.families
    claims = [claim for claim in claim_set.claims if families.get(claim.family) == _SPLIT]
    found = references(claims, claim_set.labels, view="source").labels
    pairs = pairs_from(claims, found, max_length=max_length)
    if not pairs:
        raise NotEnoughEvidence(
            f"none of the {len(claims)} claims in the {_SPLIT} split has one of the three labels",
            where=str(claim_set.paths.root),
            todo="label some of them, or make the split larger",
        )
    return pairs


def _amounts(pairs: int) -> dict[str, int]:
    """A third more pairs than there are, in the proportions of the shipped model."""
    from voirdire.models.training import DEFAULT_AMOUNTS

    total = sum(DEFAULT_AMOUNTS.values())
    return {kind: round(pairs * amount / total / 3) for kind, amount in DEFAULT_AMOUNTS.items()}


def _row(out: Path, told: dict[str, object]) -> tuple[str, ...]:
    calibration = told["calibration"]
    assert isinstance(calibration, dict)
    return (
        str(out),
        str(told["pairs"]),
        str(told["steps"]),
        f"{float(str(told['wall_seconds'])) / 60:.1f}",
        f"{calibration['temperature']:.2f}",
        f"voirdire ask --judge nli --param model={out}",
    )
