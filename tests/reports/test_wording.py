"""What the page says of rewording: what is not known, what was set aside, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reports import report_factory as make
from tests.studies.real_rewording import certificate
from voirdire.records import JudgeInvariance
from voirdire.records.invariance import InvarianceResult
from voirdire.reports import make_report, render_page


def page_of(found: JudgeInvariance, language: str) -> str:
    """A page whose only judge has that certificate."""
    result = InvarianceResult(
        study="trial",
        view="three_class",
        families_with={},
        judges=(found.model_copy(update={"judge": "lexical"}),),
        provenance=make.PROVENANCE,
    )
    agreed, decided = make.agreement(make.judge()), make.decisions(make.decision("lexical"))
    return render_page(make_report(agreed, decided, language=language, invariance=result))


@pytest.mark.parametrize(
    ("language", "blind", "twins", "aside"),
    [
        (
            "en",
            "It does not see what the negation does",
            "no claim of this set has a labelled twin in another language",
            "× negation that people did not turn",
        ),
        (
            "it",
            "Non vede che cosa fa la negazione",
            "nessuna affermazione di questo insieme ha una gemella etichettata",
            "× negazione che le persone non hanno rovesciato",
        ),
    ],
)
def test_scone_fails_a_judge_of_words_on_the_page(
    shared: Path, language: str, blind: str, twins: str, aside: str
) -> None:
    page = page_of(certificate(shared, "scone_train", "lexical", families=300), language)
    assert blind in page
    assert "sees a negation is not known" not in page
    assert twins in page
    assert aside in page


def test_twins_in_two_languages_are_told(shared: Path) -> None:
    page = page_of(certificate(shared, "fever_it_a", "lexical:auto", families=150), "en")
    assert "Said in another language, a claim gets the same answer from lexical in" in page
    assert "a labelled twin in another language" not in page
