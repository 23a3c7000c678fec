"""Results made by hand: ordinary, extreme and hostile, without any study behind them."""

from __future__ import annotations

from typing import Any

from voirdire.records import (
    AgreementResult,
    Confusion,
    Decision,
    DecisionResult,
    Estimate,
    FamilyError,
    FamilyMember,
    Gate,
    HumanAgreement,
    JudgeAgreement,
    Ledger,
    Provenance,
    SliceAgreement,
)

LABELS = ("supported", "contradicted", "unverifiable")
HOSTILE = (
    "<script>alert(1)</script></style></title></svg>\"'`{{7*7}} \u202egnp.exe\u202c \x1b[31m \x00 "
    "]]><img src=http://evil.example/x onerror=alert(2)> $x^2$ 漢字 🧪"
)


def estimate(value: float | None, half: float = 0.06, **changes: Any) -> Estimate:
    """An estimate of 400 claims; undefined for None."""
    if value is None:
        fields: dict[str, Any] = {
            "value": None, "undefined": "one label only", "method": "m", "n": 0, "n_asked": 400,
        }  # fmt: skip
    else:
        fields = {
            "value": value, "low": max(value - half, -1), "high": min(value + half, 1), "n": 400,
            "n_asked": 400, "families": 100, "method": "Cohen's kappa, jackknife t, Fisher z",
        }  # fmt: skip
    return Estimate(**(fields | changes))


def rate(k: int, n: int, *, asked: int | None = None, half: float = 0.07) -> Estimate:
    """A rate k of n."""
    asked = n if asked is None else asked
    if n == 0:
        return Estimate(value=None, undefined="no items", method="rate", n=0, n_asked=asked, k=0)
    value = k / n
    return Estimate(
        value=value,
        low=max(value - half, 0),
        high=min(value + half, 1),
        n=n,
        n_asked=asked,
        k=k,
        families=min(n, 100),
        method="Wilson on the effective n",
    )


def family(
    name: str = "f1", *, text: str = "The plan includes support.", repeats: int = 3
) -> FamilyError:
    """A family of three with two wrong answers."""
    answers = {"original": "supported", "negation": "supported", "number": "failed"}
    people = {"original": "supported", "negation": "contradicted", "number": "contradicted"}
    return FamilyError(
        family=name,
        language="en",
        context=(f"Context of {name}: {text}", "A second chunk."),
        wrong=2,
        n=3,
        members=tuple(
            FamilyMember(
                claim_id=f"{name}-{variant}",
                variant=variant,
                claim=f"{text} ({variant})",
                reference=people[variant],
                people={"A1": people[variant], "A2": "unverifiable"},
                answers=(answers[variant],) * (repeats - 1) + ("contradicted",),
                rationale="coverage 0.80" if variant == "original" else None,
            )
            for variant in answers
        ),
    )


def judge(name: str = "lexical", kappa: float | None = 0.55, **changes: Any) -> JudgeAgreement:
    """A judge on 400 claims, 10 of them without judgment."""
    slices = changes.pop("variants", ("original", "paraphrase", "negation", "number"))
    shares = {value: 0.9 - 0.2 * place for place, value in enumerate(slices)}
    recalls = {"supported": (150, 160), "contradicted": (70, 140), "unverifiable": (60, 90)}
    fields: dict[str, Any] = {
        "judge": name,
        "use": "lexical",
        "run_id": f"{name}-001",
        "fingerprint": "ab" * 32,
        "view": "three_class",
        "repeats": 3,
        "n_asked": 400,
        "outcomes": {"judged": 390, "failed": 10},
        "confusion": Confusion(
            labels=LABELS,
            columns=(*LABELS, "no_judgment"),
            counts=((150, 6, 4, 3), (50, 70, 20, 4), (10, 20, 60, 3)),
        ),
        "raw": rate(280, 390, asked=400),
        "kappa": estimate(kappa),
        "ac1": estimate(None if kappa is None else kappa + 0.05),
        "mcc": estimate(kappa),
        "balanced_accuracy": estimate(0.6),
        "kappa_if_failures_right": estimate(kappa),
        "kappa_if_failures_wrong": estimate(kappa),
        "recall": {label: rate(*recalls[label], asked=recalls[label][1] + 3) for label in LABELS},
        "precision": {label: rate(70, 100) for label in LABELS},
        "dangerous": rate(50, 140, asked=144),
        "constant": rate(163, 400),
        "slices": tuple(
            SliceAgreement(
                kind="variant",
                value=value,
                raw=rate(round(80 * max(shares[value], 0)), 80),
                kappa=estimate(None if place else 0.5),
            )
            for place, value in enumerate(slices)
        ),
        "worst": tuple(family(f"f{number}") for number in range(5)),
        "families_wrong": 41,
        "seconds_per_claim": 0.0004,
        "caught": rate(91, 100),
        "ledger": Ledger(fresh=1200, cached=0, failed=0, retried=0, seconds=0.48),
    }
    return JudgeAgreement(**(fields | changes))


def blank_judge(name: str = "silent") -> JudgeAgreement:
    """A judge about which nothing is defined."""
    nothing = estimate(None)
    return judge(
        name,
        None,
        n_asked=0,
        outcomes={},
        confusion=Confusion(
            labels=LABELS, columns=(*LABELS, "no_judgment"), counts=((0,) * 4,) * 3
        ),
        raw=nothing,
        balanced_accuracy=nothing,
        recall=dict.fromkeys(LABELS, nothing),
        precision=dict.fromkeys(LABELS, nothing),
        dangerous=nothing,
        constant=nothing,
        slices=(),
        worst=(),
        families_wrong=0,
        seconds_per_claim=None,
        caught=rate(0, 0),
        ledger=Ledger(fresh=0, cached=0, failed=0, retried=0),
    )


def humans(value: float | None = 0.72) -> HumanAgreement:
    """Three people."""
    return HumanAgreement(
        annotators=("A1", "A2", "A3"),
        n_claims=400,
        ceiling=estimate(value, 0.04),
        alpha=estimate(value, 0.04),
        raw=rate(980, 1200),
        pairs={"A1 · A2": estimate(value), "A1 · A3": estimate(value)},
    )


PROVENANCE = Provenance(
    tool_version="0.1.0",
    python="3.12.1",
    packages={"numpy": "2.2.0", "scipy": "1.17.0"},
    seed=7,
    made_at="2030-01-02T03:04:05+00:00",
    command="voirdire agree trial",
    sets={"trial-set": "12" * 32},
    runs={"lexical-001": "34" * 32},
)


def agreement(*judges: JudgeAgreement, **changes: Any) -> AgreementResult:
    """A study of some judges, with three people unless told otherwise."""
    fields: dict[str, Any] = {
        "study": "trial",
        "sets": ("trial-set",),
        "languages": ("en", "it"),
        "view": "three_class",
        "reference_rule": "unanimous (300), majority (100)",
        "reference_counts": {"supported": 163, "contradicted": 144, "unverifiable": 93},
        "n_claims": 400,
        "n_families": 100,
        "families_per_label": {"supported": 90, "contradicted": 80, "unverifiable": 70},
        "exclusions": {"no reference: tie": 12},
        "humans": humans(),
        "judges": judges,
        "provenance": PROVENANCE,
    }
    return AgreementResult(**(fields | changes))


def gates(answer: str = "inconclusive", *, waived: str = "") -> tuple[Gate, ...]:
    """The usual gates; kappa has the given answer."""
    return (
        Gate(
            name="data_adequacy",
            question="Are there at least 50 families, and 8 for each label?",
            limit=50,
            answer="accept",
            reason="100 families; with each label: supported 90, contradicted 80, unverifiable 70",
        ),
        Gate(
            name="human_ceiling",
            question="Do people agree with each other (alpha at least 0.60)?",
            limit=0.6,
            lower=0.68,
            upper=0.76,
            estimate=estimate(0.72, 0.04),
            answer="accept",
            reason="0.72, bounds 0.68 to 0.76: even the lower bound keeps 0.60",
            waived=waived == "human_ceiling",
        ),
        Gate(
            name="kappa",
            question="Does it agree with people beyond chance (kappa at least 0.60)?",
            limit=0.6,
            lower=0.49,
            upper=0.61,
            estimate=estimate(0.55),
            answer=answer,
            reason="0.55, bounds 0.49 to 0.61: 0.60 lies between them",
            families_needed=160,
        ),
        Gate(
            name="contradicted_recall",
            question="Does it catch at least 70 of 100 claims that people call contradicted?",
            limit=0.7,
            lower=0.4,
            upper=0.55,
            estimate=rate(70, 144),
            answer=answer,
            reason="0.49, bounds 0.40 to 0.55: 0.70 lies between them",
        ),
    )


def decision(name: str, made: str = "not_enough_evidence", **changes: Any) -> Decision:
    """A decision on a judge."""
    heads = {
        "adopt": "Adopt",
        "adopt_narrower": "Adopt for claims whose language is en only:",
        "do_not_adopt": "Do not adopt",
        "not_enough_evidence": "There is not enough evidence to adopt",
    }
    answers = {"adopt": "accept", "adopt_narrower": "reject", "do_not_adopt": "reject"}
    fields: dict[str, Any] = {
        "judge": name,
        "decision": made,
        "sentence": f"{heads[made]} {name}: of 100 claims people call contradicted it catches 49.",
        "rule": "any gate rejects: do not adopt; all accept: adopt; otherwise: not enough evidence",
        "gates": gates(answers.get(made, "inconclusive")),
        "missing": ("kappa: about 160 families in all",) if made == "not_enough_evidence" else (),
        "families_missing": 60 if made == "not_enough_evidence" else None,
        "next_step": "label more families (two or three people each), then examine again",
    }
    if made == "adopt_narrower":
        fields |= {
            "part": "language:en",
            "part_gates": gates("accept"),
            "left_out": "all but claims whose language is en (120 of 400 claims)",
        }
    return Decision(**(fields | changes))


def decisions(*made: Decision, **changes: Any) -> DecisionResult:
    """The decisions of a study."""
    fields: dict[str, Any] = {
        "study": "trial",
        "decisions": made,
        "gates": {
            "min_families": 50,
            "min_families_per_label": 8,
            "max_failure_share": 0.02,
            "kappa_floor": 0.6,
            "waive": "",
        },
        "provenance": PROVENANCE,
    }
    return DecisionResult(**(fields | changes))


def ordinary() -> tuple[AgreementResult, DecisionResult]:
    """Two candidates and a reference line."""
    nli = judge("nli-base", 0.71, outcomes={"judged": 400}, repeats=1)
    line = judge("constant", None, use="constant:supported")
    return (
        agreement(judge(), nli, line),
        decisions(decision("lexical", "do_not_adopt"), decision("nli-base"), decision("constant")),
    )


def large() -> tuple[AgreementResult, DecisionResult]:
    """Five judges by ten variants, every decision, names as long as they may be."""
    variants = tuple(f"kind-of-wording-number-{n}" for n in range(10))
    made = ("adopt", "adopt_narrower", "do_not_adopt", "not_enough_evidence", "adopt")
    names = [
        f"a-judge-with-a-very-long-name-that-fills-sixty-four-characters-{n}" for n in range(5)
    ]
    judges = [
        judge(
            name,
            0.3 + 0.12 * place,
            variants=variants,
            worst=tuple(family(f"f{n}", repeats=10) for n in range(12)),
        )
        for place, name in enumerate(names)
    ]
    return agreement(*judges), decisions(*map(decision, names, made))


def hostile() -> tuple[AgreementResult, DecisionResult]:
    """Hostile text wherever text may stand."""
    bad = judge(
        HOSTILE,
        variants=(HOSTILE[:70], "original"),
        worst=(family(HOSTILE, text=HOSTILE), family("=cmd|' /C calc'!A0", text="x" * 1_000_000)),
        notes=(HOSTILE,),
    )
    return (
        agreement(
            bad,
            study=HOSTILE,
            sets=(HOSTILE,),
            no_humans=HOSTILE,
            reference_rule=HOSTILE,
            exclusions={HOSTILE: 1},
            humans=HumanAgreement(
                annotators=(HOSTILE, "A2"),
                n_claims=1,
                ceiling=estimate(0.5),
                alpha=estimate(None, undefined=HOSTILE),
                raw=rate(1, 1),
                pairs={HOSTILE: estimate(0.1)},
            ),
        ),
        decisions(decision(HOSTILE, sentence=HOSTILE, next_step=HOSTILE), study=HOSTILE),
    )


def small() -> tuple[AgreementResult, DecisionResult]:
    """One judge, one family: for snapshots."""
    one = judge(worst=(family(),), variants=("original", "negation"), families_wrong=3)
    return agreement(one), decisions(decision("lexical"))


def two_class() -> tuple[AgreementResult, DecisionResult]:
    """A source that tells supported from not supported, and no more."""
    labels = ("supported", "not_supported")
    one = judge(
        view="supported_or_not",
        confusion=Confusion(
            labels=labels, columns=(*labels, "no_judgment"), counts=((300, 10, 5), (20, 60, 5))
        ),
        recall={"supported": rate(300, 310), "not_supported": rate(60, 80)},
        precision={"supported": rate(300, 320), "not_supported": rate(60, 70)},
    )
    found = agreement(
        one,
        view="supported_or_not",
        humans=None,
        no_humans="One label was published.",
        reference_rule="published (400)",
        reference_counts={"supported": 340, "not_supported": 60},
        families_per_label={"supported": 60, "not_supported": 5},
    )
    return found, decisions(decision("lexical"))
