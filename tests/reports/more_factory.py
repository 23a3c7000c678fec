"""The other results of a study, made by hand: wording, repeats, limits, people."""

from __future__ import annotations

from typing import Any

from tests.reports import report_factory as make
from voirdire.records import (
    AgreementResult,
    AlertLimit,
    AlertPolicy,
    AmbiguousClaim,
    AnnotatorReport,
    BrokenFamily,
    Components,
    Confusion,
    DuplicateClaims,
    EffectTest,
    InvarianceResult,
    JudgeInvariance,
    JudgeVariance,
    PairAgreement,
    PeopleResult,
    PolicyResult,
    ReplayNoise,
    RunCircumstances,
    SignalVariance,
    StudyCircumstances,
    UnstableClaim,
    VarianceResult,
    WordingTest,
)

NOTHING = make.rate(0, 0)


def wording(name: str, *, text: str = "The plan includes support.") -> JudgeInvariance:
    """A judge that overlooks negation."""
    broken = make.family("f1", text=text)
    return JudgeInvariance(
        judge=name,
        run_id=f"{name}-001",
        tests=(
            WordingTest(
                name="paraphrase_stability", estimate=make.rate(88, 112), constant=1, better="high"
            ),
            WordingTest(
                name="negation_flip", estimate=make.rate(8, 145), constant=0, better="high"
            ),
            WordingTest(name="order_stability", estimate=NOTHING, better="high"),
            WordingTest(name="number_blind", estimate=make.rate(2, 5), constant=1, better="low"),
            WordingTest(
                name="short_claim_difference",
                estimate=make.estimate(-0.16),
                constant=None,
                better="zero",
            ),
        ),
        variants=(),
        replay=ReplayNoise(repeats=3, floor=make.rate(12, 400), excess={}),
        broken=tuple(
            BrokenFamily(
                family=f"{broken.family}-{place}",
                language="en",
                context=broken.context,
                breaks=(
                    "negation: people turn contradicted to supported, "
                    "the answer stays unverifiable",
                    text,
                ),
                pairs=6,
                members=broken.members,
            )
            for place in range(3)
        ),
        families_broken=9,
        families_paired=100,
        set_aside={"number edit not from supported to contradicted": 3},
        sentences=(text,),
    )


def repeats(name: str, *, deterministic: bool = False, text: str = "A claim.") -> JudgeVariance:
    """A judge that flips on 40 of 400 claims, or never."""
    flips = 0 if deterministic else 40
    return JudgeVariance(
        judge=name,
        use="lexical",
        fingerprints=("ab" * 32,),
        runs=(f"{name}-001",),
        sessions=("one",) * 5,
        claims=400,
        families=100,
        repeats=5,
        deterministic=deterministic,
        pairwise=make.rate(flips // 2, 400, half=0.02),
        ever_flip=make.rate(flips, 400, half=0.03),
        minority=make.rate(flips // 4, 400, half=0.01),
        alpha=make.estimate(1.0 if deterministic else 0.93),
        flips={"supported": {"supported": 900, "timed_out": 3}, "timed_out": {"supported": 3}},
        signals=(
            SignalVariance(
                signal="faithfulness",
                direction="low",
                values=(0.8, 0.81, 0.79, 0.8, 0.82),
                mean=0.804,
                sd=make.estimate(0.0114, 0.005),
                session_effect=EffectTest(method="F", undefined="fewer than 2 sessions"),
                components=Components(
                    repeatability_sd=make.estimate(0.2, 0.01),
                    reproducibility_sd=make.estimate(None),
                    icc=make.estimate(0.9),
                    run_effect=EffectTest(method="F", undefined="too few"),
                    items=400,
                    runs=5,
                    method="two-way ANOVA",
                ),
            ),
        ),
        unstable=(
            UnstableClaim(
                claim_id="c1", family="f1", claim=text, answers=("supported", "timed_out"),
                disagreement=0.5,
            ),
        ),
        unstable_claims=flips,
        duplicates=DuplicateClaims(groups=0, differing=NOTHING),
        advice=(text,),
    )  # fmt: skip


def policy(name: str, signal: str = "faithfulness", *, counted: bool = False) -> AlertPolicy:
    """Limits by prediction, or by counts."""
    drops = (None, None) if counted else (0.0402, 0.0804)
    one, two = (
        AlertLimit(
            severity=severity,
            promised_rate=rate,
            margin=0.05,
            drop=drop,
            value=None if drop is None else 0.804 - drop,
            per_year=None if drop is None else 52 * rate,
            detectable_drop=None if drop is None else 0.05,
        )
        for severity, rate, drop in (("warning", 0.05, drops[0]), ("critical", 0.01, drops[1]))
    )
    return AlertPolicy(
        study="trial",
        judge=name,
        signal=signal,
        direction="low",
        rule="counts" if counted else "prediction",
        claims="fixed",
        items=400,
        centre=None if counted else 0.804,
        warning=one,
        critical=two,
        per_year=52,
        wanted_drop=0.05,
        baseline_runs=("r",),
        calibration=(0.8, 0.81, 0.79, 0.8, 0.82),
        fingerprints=("ab" * 32,),
        view="three_class",
        label_set=make.LABELS,
    )


def people(*codes: str, text: str = "A claim.") -> PeopleResult:
    """Some people, one judge, one claim on which they are split."""
    table = Confusion(
        labels=make.LABELS,
        columns=(*make.LABELS, "no_judgment"),
        counts=((10, 1, 0, 0), (2, 9, 0, 1), (0, 0, 5, 0)),
    )
    return PeopleResult(
        study="trial",
        view="three_class",
        annotators=codes,
        judges=("lexical",),
        pairs=tuple(
            PairAgreement(one=one, other=other, raw=make.rate(80, 100), kappa=make.estimate(0.7))
            for place, one in enumerate(codes)
            for other in codes[place + 1 :]
        ),
        reports=tuple(
            AnnotatorReport(
                annotator=code,
                labelled=100,
                skipped=2,
                with_others=make.rate(80, 100),
                confusion=table,
                consistency=make.rate(0, 0),
                median_seconds=None,
                remark=text,
            )
            for code in codes
        ),
        ambiguous=tuple(
            AmbiguousClaim(claim_id=f"c{n}", claim=text, votes={"supported": 1}, reason="split")
            for n in range(7)
        ),
        guidelines={"ab12": 300},
    )


def everything(agreement: AgreementResult, *, text: str = "A claim.", study: str = "trial") -> Any:
    """All optional results for the judges of a study, as keyword arguments of `make_report`."""
    names = [judge.judge for judge in agreement.judges]
    found = {
        "invariance": InvarianceResult(
            study=study,
            view="three_class",
            families_with={},
            judges=tuple(wording(name, text=text) for name in names),
            provenance=make.PROVENANCE,
        ),
        "variance": VarianceResult(
            study=study,
            view="three_class",
            claims_sha256="00",
            judges=tuple(
                repeats(name, deterministic=place == 1, text=text)
                for place, name in enumerate(names)
            ),
            provenance=make.PROVENANCE,
        ),
        "people": people("A1", "A2", text if text == make.HOSTILE else "A3", text=text).model_copy(
            update={"study": study}
        ),
        "circumstances": StudyCircumstances(),
    }
    if names:
        found["policy"] = PolicyResult(
            study=study,
            claims_sha256="00",
            policies=tuple(
                policy(name, signal, counted=signal == "failures")
                for name in names
                for signal in ("faithfulness", "failures")
            ),
            provenance=make.PROVENANCE,
        )
    return found


def troubled(judge: str) -> StudyCircumstances:
    """A folder in which everything is amiss that a flag may tell."""
    return StudyCircumstances(
        sets_changed=("trial-set",),
        guidelines={"aa": 3, "bb": 4},
        test_looks=3,
        runs=(
            RunCircumstances(
                judge=judge,
                identity_missing=("revision",),
                cut=7,
                verdicts=1200,
                failures_go_with={"language": 0.01, "label": 0.02},
            ),
        ),
    )
