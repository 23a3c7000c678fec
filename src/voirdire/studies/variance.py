"""How much does a judge move by itself? Repeats on fixed claims, in one session or in many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voirdire import stats
from voirdire.errors import NotEnoughEvidence, UsageError
from voirdire.labels import references, resolve_view
from voirdire.records import (
    SIGNALS,
    Components,
    EffectTest,
    Estimate,
    JudgeVariance,
    ReferenceLabel,
    Signal,
    SignalVariance,
    VarianceResult,
    View,
    view_labels,
)
from voirdire.store import claims_digest, nearest, write_document
from voirdire.studies.advice import advice_on
from voirdire.studies.provenance import provenance
from voirdire.studies.repeats import Repeats, asked_in, finished_runs, repeats_of
from voirdire.studies.signals import DIRECTIONS, item_scores, signal_value
from voirdire.studies.stability import duplicates, flip_table, unstable_claims
from voirdire.studies.study import Study

__all__ = ["judge_variance", "signal_variance", "vary"]

MAX_UNSTABLE = 200


def vary(
    study: Study,
    *,
    only: Sequence[str] = (),
    together: bool = False,
    command: Sequence[str] = (),
) -> VarianceResult:
    """Read the repeats of a study's judges, and write ``results/variance.json``.

    Parameters
    ----------
    study : Study
    only : sequence of str
        Names of judges; empty: all of the study.
    together : bool
        Take the judges as one instrument under several conditions (wording, temperature, batch
        size): every run of each is a session of it.
    command : sequence of str
        For the provenance.

    Raises
    ------
    UsageError
        If the study has no such judge.
    NotEnoughEvidence
        If a judge has fewer than two independent repeats over the claims as they are.
    SealBroken
        If a run's verdicts changed after it was sealed.
    StoreError
        If the result cannot be written.
    """
    names = _chosen(study, only)
    view = resolve_view(study.config.view, study.claims.claims)
    reference = references(study.claims.claims, study.claims.labels, view=view).labels
    groups = [names] if together else [[name] for name in names]
    repeats = [_read(study, group, view) for group in groups]
    result = VarianceResult(
        study=study.config.name,
        view=view,
        guidelines=guidelines_of(study),
        claims_sha256=claims_digest(study.claims.claims),
        judges=tuple(
            judge_variance(table, view=view, reference=reference, name="+".join(group), notes=notes)
            for group, (table, notes) in zip(groups, repeats, strict=True)
        ),
        provenance=provenance(
            seed=study.config.seed,
            sets={item.name: item.digest for item in study.claims.sets},
            runs={
                run.run_id: run.seal.sha256 if run.seal else ""
                for table, _ in repeats
                for run in table.runs
            },
            limits=study.limits,
            command=command,
        ),
    )
    write_document(study.paths.result("variance"), result)
    return result


def guidelines_of(study: Study) -> tuple[str, ...]:
    """The guidelines that the labels of a study name."""
    return tuple(sorted({one.guideline for one in study.claims.labels if one.guideline}))


def _chosen(study: Study, only: Sequence[str]) -> list[str]:
    known = [judge.name for judge in study.config.judges]
    for name in only:
        if name not in known:
            guess = nearest(name, known)
            raise UsageError(
                f"the study has no judge {name!r}",
                where=str(study.paths.config),
                allowed=", ".join(known),
                todo=f"did you mean {guess!r}?" if guess else "",
            )
    return [name for name in known if not only or name in only]


def _read(study: Study, names: Sequence[str], view: View) -> tuple[Repeats, list[str]]:
    runs, notes = [], []
    for name in names:
        found, left_out = finished_runs(study, name)
        if not found:
            raise NotEnoughEvidence(
                f"judge {name!r} has no finished run over the claims as they are now",
                where=str(study.paths.runs),
                todo=f"run 'voirdire run {study.paths.root} --repeats 5' first",
            )
        if left_out:
            notes.append(f"{left_out} run(s) of {name} with another fingerprint are left out")
        runs += found
    table = repeats_of(study.claims.claims, asked_in(study, runs), view=view)
    _refuse_too_few(table, study, " and ".join(names))
    return table, notes


def _refuse_too_few(table: Repeats, study: Study, judge: str) -> None:
    if len(table.sessions) >= 2:
        return
    again = f"'voirdire run {study.paths.root} --repeats 5 --fresh'"
    if table.cached:
        raise NotEnoughEvidence(
            f"the {table.cached + len(table.sessions)} repeats of judge {judge!r} are cache hits "
            "of one call: equal answers then say nothing about its stability",
            where=str(study.paths.runs),
            allowed="at least 2 repeats that were asked anew",
            todo=f"switch the cache off, then run {again}",
        )
    raise NotEnoughEvidence(
        f"judge {judge!r} was asked once: one run shows no variation",
        where=str(study.paths.runs),
        allowed="at least 2 repeats; 5 or more, on several days, to rest a limit on",
        todo=f"run {again}, and once more on another day",
    )


def judge_variance(
    repeats: Repeats,
    *,
    view: View = "three_class",
    reference: dict[str, ReferenceLabel] | None = None,
    name: str = "",
    notes: Sequence[str] = (),
) -> JudgeVariance:
    """Everything that the repeats of one judge show.

    Parameters
    ----------
    repeats : Repeats
        At least two columns.
    view : View
    reference : dict, optional
        Claim id to reference label, for agreement and kappa.
    name : str
        What to call it; default the name of its first run.
    notes : sequence of str
        To be shown with it.

    Raises
    ------
    ValueError
        If there are fewer than two columns, or no claims.
    """
    if len(repeats.sessions) < 2 or not repeats.claims:
        raise ValueError(
            "repeats must have at least 2 columns and 1 claim, got "
            f"{len(repeats.sessions)} and {len(repeats.claims)}"
        )
    table, family = repeats.labels, repeats.family
    labels = view_labels(view)
    flips = stats.flip_rates(table, family=family, labels=labels)
    deterministic = bool((repeats.answers == repeats.answers[:, :1]).all())
    signals = tuple(_signals(repeats, view, reference or {}))
    first = repeats.runs[0]
    all_notes = list(notes)
    if repeats.cached:
        all_notes.append(
            f"{repeats.cached} repeat(s) may be cache hits of another and are left out"
        )
    if repeats.claims_left_out:
        all_notes.append(
            f"{repeats.claims_left_out} claim(s) were not asked in every run and are left out"
        )
    unstable = unstable_claims(repeats)
    return JudgeVariance(
        judge=name or first.judge,
        use=first.use,
        fingerprints=tuple(dict.fromkeys(run.fingerprint.digest for run in repeats.runs)),
        runs=tuple(run.run_id for run in repeats.runs),
        sessions=repeats.sessions,
        claims=len(repeats.claims),
        families=len(set(family)),
        repeats=len(repeats.sessions),
        cached=repeats.cached,
        deterministic=deterministic,
        pairwise=flips.pairwise_disagreement,
        ever_flip=flips.ever_flip,
        minority=flips.minority_share,
        alpha=stats.krippendorff_alpha(table, family=family, labels=labels),
        flips=flip_table(repeats.answers),
        signals=signals,
        unstable=tuple(unstable[:MAX_UNSTABLE]),
        unstable_claims=len(unstable),
        duplicates=duplicates(repeats),
        advice=advice_on(
            signals, repeats.sessions, deterministic=deterministic, served=_served(repeats)
        ),
        notes=tuple(all_notes),
    )


def _served(repeats: Repeats) -> bool:
    """Whether a model server stands behind the judge, or behind a part of it."""
    return any(_names_a_server(run.fingerprint.parameters) for run in repeats.runs)


def _names_a_server(value: object) -> bool:
    if isinstance(value, Mapping):
        return "base_url" in value or any(map(_names_a_server, value.values()))
    return isinstance(value, list | tuple) and any(map(_names_a_server, value))


def _signals(
    repeats: Repeats, view: View, reference: dict[str, ReferenceLabel]
) -> Iterator[SignalVariance]:
    for signal in SIGNALS:
        if signal in ("contradicted", "unverifiable") and view != "three_class":
            continue
        found = signal_variance(repeats, signal, view=view, reference=reference)
        if found is not None:
            yield found


def signal_variance(
    repeats: Repeats, signal: Signal, *, view: View, reference: dict[str, ReferenceLabel]
) -> SignalVariance | None:
    """One signal over the repeats; None if it needs a reference and there is none."""
    truth = np.array([reference.get(claim.id) for claim in repeats.claims], dtype=object)
    if signal in ("agreement", "kappa"):
        rows = np.flatnonzero(truth != None)  # noqa: E711 - elementwise
        if not len(rows):
            return None
        table, truth = repeats.labels[rows], truth[rows]
    else:
        table = repeats.labels
    values = tuple(
        signal_value(signal, table[:, r], truth, view=view) for r in range(table.shape[1])
    )
    scores = item_scores(signal, table, truth)
    components, sd = None, None
    notes: tuple[str, ...] = ()
    if scores is not None:
        found = stats.run_components(scores)
        components = _components(found, scores)
        sd, notes = found.sd_run_means, found.notes
    noise = stats.session_noise(values, repeats.sessions, least=_call_noise(components))
    known = [value for value in values if value is not None]
    return SignalVariance(
        signal=signal,
        direction=DIRECTIONS[signal],
        values=values,
        mean=sum(known) / len(known) if known else None,
        sd=sd or _sd_of(values, len(table)),
        evaluation_sd=noise.sd,
        evaluation_df=noise.df,
        mean_n=noise.mean_n,
        within_sd=noise.within_sd,
        session_effect=_effect(stats.session_effect(values, repeats.sessions)),
        components=components,
        item_variance=_item_variance(signal, components, table, truth, view),
        item_df=_item_df(scores),
        notes=notes,
    )


def _call_noise(components: Components | None) -> float:
    """The sd that the residual variance alone gives the mean of the claims."""
    if components is None or components.residual is None or not components.items:
        return 0.0
    return math.sqrt(components.residual / components.items)


def _components(found: stats.RunComponents, scores: Any) -> Components:
    return Components(
        item=found.var_item,
        run=found.var_run,
        residual=found.var_residual,
        item_raw=found.var_item_raw,
        run_raw=found.var_run_raw,
        repeatability_sd=found.repeatability_sd,
        reproducibility_sd=found.reproducibility_sd,
        repeatability_limit=found.repeatability_limit,
        icc=stats.intraclass_correlations(scores).icc2,
        run_effect=_effect(found.run_effect),
        items=found.items,
        runs=found.runs,
        items_dropped=found.items_dropped,
        runs_dropped=found.runs_dropped,
        method=found.method,
        undefined=found.undefined,
        notes=found.notes,
    )


def _effect(found: stats.TestOutcome) -> EffectTest:
    return EffectTest(
        statistic=found.statistic,
        df=found.df,
        p_value=found.p_value,
        method=found.method,
        undefined=found.undefined,
    )


def _sd_of(values: Sequence[float | None], asked: int) -> Estimate:
    """Standard deviation of a signal that is no mean over claims."""
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    method = "sd of the repeats, chi-square interval"
    if len(known) < 2:
        return Estimate.not_defined("fewer than 2 runs", method=method, n=asked)
    sd = 0.0 if float(np.ptp(known)) == 0 else float(known.std(ddof=1))
    if sd == 0:
        why = "deterministic: nothing varied"
        return Estimate(value=0.0, n=asked, n_asked=asked, method=method, no_interval=why)
    low, high = stats.sd_bounds(sd, df=len(known) - 1)
    return Estimate(value=sd, low=low, high=high, n=asked, n_asked=asked, method=method)


def _item_variance(
    signal: Signal,
    components: Components | None,
    table: Any,
    truth: Any,
    view: View,
) -> float | None:
    """What one freshly drawn claim adds to the variance, per claim."""
    if components is not None:
        return components.item
    if signal != "kappa":
        return None
    errors = []
    for column in table.T:
        judged = np.flatnonzero(column != None)  # noqa: E711 - elementwise
        if len(judged) > 1:
            se = stats.kappa_se(_joint_counts(truth[judged], column[judged], view))
            if math.isfinite(se):
                errors.append(se**2 * len(judged))
    return sum(errors) / len(errors) if errors else None


def _item_df(scores: NDArray[np.float64] | None) -> float | None:
    """With how many degrees of freedom the variance between claims is known."""
    if scores is None:
        return None
    seen = scores[~np.isnan(scores).all(axis=1)]
    return stats.item_variance_df(np.nanmean(seen, axis=1)) if len(seen) > 1 else None


def _joint_counts(truth: Any, column: Any, view: View) -> NDArray[np.float64]:
    place = {label: i for i, label in enumerate(view_labels(view))}
    counts = np.zeros((len(place), len(place)))
    for one, two in zip(truth, column, strict=True):
        counts[place[one], place[two]] += 1
    return counts
