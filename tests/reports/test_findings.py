"""Titles say what the numbers say, down to no numbers at all."""

from __future__ import annotations

import pytest

from tests.reports import more_factory as more
from tests.reports import report_factory as make
from voirdire.records import AgreementResult, Confusion, PowerPoint
from voirdire.reports.findings import Findings
from voirdire.reports.formats import Formats
from voirdire.reports.words import load_words


def titles(agreement: AgreementResult, language: str = "en") -> Findings:
    words = load_words(language)
    return Findings(agreement, words, Formats(words))


@pytest.mark.parametrize(
    ("made", "title"),
    [
        ((), "No judge was examined"),
        (("adopt",), "The judge may be adopted"),
        (("not_enough_evidence",), "There is not enough evidence to adopt the judge"),
        (("adopt", "do_not_adopt", "adopt"), "2 of 3 judges may be adopted"),
        (("adopt_narrower", "do_not_adopt"), "1 of 2 judges may be adopted for a narrower use"),
        (("do_not_adopt", "do_not_adopt"), "None of 2 judges should be adopted"),
        (("not_enough_evidence",) * 5, "There is not enough evidence to adopt any of 5 judges"),
        (("not_enough_evidence", "do_not_adopt"), "None of 2 judges can be adopted now"),
    ],
)
def test_headline(made: tuple[str, ...], title: str) -> None:
    names = [f"j{number}" for number in range(len(made))]
    found = titles(make.agreement(*map(make.judge, names)))
    assert found.headline(tuple(map(make.decision, names, made))) == title


def test_a_reference_line_is_no_candidate() -> None:
    found = titles(make.agreement(make.judge("constant", None, use="constant")))
    assert found.headline((make.decision("constant", "adopt"),)) == "No judge was examined"
    assert found.forest() == "No judge was examined"


@pytest.mark.parametrize(
    ("kappas", "humans", "title"),
    [
        ((), 0.7, "No judge was examined"),
        ((None,), 0.7, "Agreement beyond chance is undefined for j0"),
        ((None, None), 0.7, "Agreement beyond chance is undefined for every judge"),
        ((0.5,), 0.7, "j0 agrees with people less than people agree with each other"),
        ((0.7,), 0.7, "j0 cannot be told apart from people's agreement with each other"),
        ((0.9,), 0.7, "j0 agrees with people more than people agree with each other"),
        ((0.5,), None, "j0 agrees with people at kappa 0.50; people's own agreement is not known"),
        (
            (0.5, 0.3),
            None,
            "j0 agrees best with people, at kappa 0.50; people's own agreement is not known",
        ),
        (
            (0.3, 0.7),
            0.7,
            "1 of 2 judges agrees with people less than people do with each other; j1 agrees best",
        ),
        (
            (0.7, 0.9, None),
            0.7,
            "None of 3 judges is below people's agreement with each other; j1 agrees best",
        ),
        (
            (0.1, 0.2, 0.3, 0.4, 0.5),
            0.7,
            "5 of 5 judges agree with people less than people do with each other; j4 agrees best",
        ),
    ],
)
def test_forest(kappas: tuple[float | None, ...], humans: float | None, title: str) -> None:
    judges = [make.judge(f"j{place}", kappa) for place, kappa in enumerate(kappas)]
    people = None if humans is None else make.humans(humans)
    assert titles(make.agreement(*judges, humans=people)).forest() == title


def test_recall_names_best_and_worst() -> None:
    good = make.judge("good", recall={"contradicted": make.rate(91, 100)})
    bad = make.judge("bad", recall={"contradicted": make.rate(20, 100)})
    assert titles(make.agreement(good)).recall() == (
        "good catches 91 of 100 claims that people call contradicted"
    )
    assert titles(make.agreement(bad, good)).recall() == (
        "Of 100 claims people call contradicted, good catches 91 and bad catches 20"
    )
    assert titles(make.agreement(good, good)).recall() == (
        "Every judge catches 91 of 100 claims that people call contradicted"
    )
    assert titles(make.agreement(make.blank_judge())).recall() == (
        "How many contradicted claims are caught is not known"
    )


def test_variants() -> None:
    assert titles(make.agreement(make.judge())).variants() == (
        "Agreement is lowest on number: lexical agrees on 30\xa0% there, on 90\xa0% of original"
    )
    assert titles(make.agreement(make.judge(variants=("original",)))).variants() == (
        "Only one kind of wording was examined: original"
    )
    assert titles(make.agreement(make.blank_judge())).variants() == "No wording could be compared"
    flat = make.judge()
    same = tuple(part.model_copy(update={"raw": make.rate(60, 80)}) for part in flat.slices)
    flat = flat.model_copy(update={"slices": same})
    assert "differs by less than 5 points" in titles(make.agreement(flat)).variants()


def test_a_small_slice_makes_no_title() -> None:
    one = make.judge()
    tiny = one.slices[-1].model_copy(update={"raw": make.rate(0, 3)})
    one = one.model_copy(update={"slices": (*one.slices[:-1], tiny)})
    assert "lowest on negation" in titles(make.agreement(one)).variants()


def test_confusion() -> None:
    found = titles(make.agreement(make.judge()))
    assert found.confusion(make.judge()) == (
        "lexical errs most where people say contradicted and it says supported: 50 of 144 claims"
    )
    assert found.confusion(make.blank_judge()) == "silent gave no judgment"
    right = Confusion(
        labels=make.LABELS,
        columns=(*make.LABELS, "no_judgment"),
        counts=((3, 0, 0, 0), (0, 2, 0, 0), (0, 0, 1, 0)),
    )
    perfect = make.judge(confusion=right, outcomes={"judged": 6}, n_asked=6)
    assert found.confusion(perfect) == "lexical judged all 6 claims as people did"


def test_worst_and_people() -> None:
    agreement = make.agreement(make.judge(), humans=None)
    assert titles(agreement).worst(make.judge()) == "lexical is wrong in 41 of 100 families"
    none = make.judge(families_wrong=0)
    assert titles(agreement).worst(none) == "lexical is wrong in none of 100 families"
    assert titles(agreement).people() == "How well people agree with each other is not known"
    undefined = make.agreement(make.judge(), humans=make.humans(None))
    assert titles(undefined).people() == "People's agreement with each other is undefined"


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_title_is_said_of_every_study(language: str, any_results) -> None:
    agreement, decision = any_results
    found = titles(agreement, language).all(decision.decisions)
    assert all(found.values())
    assert {"headline", "forest", "recall", "variants", "people"} <= set(found)


@pytest.mark.parametrize(
    ("share", "title"),
    [
        (0.0, "All that j moves by is noise of single calls: more claims make it smaller"),
        (
            1.0,
            "All that j moves by lies between runs: more claims do not make it smaller, "
            "more runs do",
        ),
        (0.4, "60\u00a0% of what j moves by is noise of single calls: more claims make it smaller"),
        (
            0.9999,
            ">99.9\u00a0% of what j moves by lies between runs: more claims do not make it "
            "smaller, more runs do",
        ),
    ],
)
def test_noise(share: float, title: str) -> None:
    found = titles(make.agreement(make.judge())).noise("j", share)
    assert found == title


@pytest.mark.parametrize(
    ("seen", "title"),
    [
        (0.05, "One evaluation of lexical sees a drop of 0.0500 in 80 of 100 cases"),
        (None, "One evaluation of lexical sees not even a drop of 0.1000 in 80 of 100 cases"),
        (0.2, "One evaluation of lexical sees not even a drop of 0.1000 in 80 of 100 cases"),
    ],
)
def test_power(seen: float | None, title: str) -> None:
    made = more.policy("lexical")
    warning = made.warning.model_copy(update={"detectable_drop": seen})
    curve = tuple(PowerPoint(drop=d, warning=w, critical=0.0) for d, w in ((0.0, 0.1), (0.1, 0.7)))
    policy = made.model_copy(update={"warning": warning, "power": curve, "power_wanted": 0.8})
    assert titles(make.agreement(make.judge())).power(policy) == title


def test_wide_intervals_that_touch_are_not_as_good_as_people() -> None:
    wide = make.judge("j", kappa=0.3).model_copy(update={"kappa": make.estimate(0.3, half=0.58)})
    people = make.humans(0.9)
    told = "agrees with people at kappa 0.30; too few claims to say whether people agree more"
    assert told in titles(make.agreement(wide, humans=people)).forest()
    other = make.judge("k", kappa=None)
    told = "agrees best with people, at kappa 0.30; too few claims to say"
    assert told in titles(make.agreement(wide, other, humans=people)).forest()
