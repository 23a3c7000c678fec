"""Recorded English said in Italian where its form is known, and left alone where it is not."""

from __future__ import annotations

import pytest

from voirdire.reports.retelling import retell
from voirdire.reports.words import load_words


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Cohen's kappa, family jackknife t, Fisher z",
         "kappa di Cohen, jackknife per famiglie, t, z di Fisher"),
        ("rate; rate, zero-error bound over families",
         "quota; quota, limite a zero errori, sulle famiglie"),
        ("rate, a way of my own", None),
        ("mine: class 'contradicted' lives in 7 families (fewer than 8): interval may be too "
         "narrow",
         "mine: l'etichetta «contraddetta» compare in 7 famiglie (meno di 8): l'intervallo può "
         "essere troppo stretto"),
        ("mine: prevalence: 82% of the labels are 'supported'; agreement on 'supported' 1.00, on "
         "'contradicted' 0.50",
         "mine: prevalenza: il 82 % delle etichette è «sostenuta»; accordo su sostenuta 1,00, "
         "contraddetta 0,50"),
        ("prevalence: kappa 0.00 and AC1 0.20 differ by more than 0.2; agreement on 'supported' "
         "0.56",
         "prevalenza: kappa 0,00 e AC1 0,20 differiscono di più di 0,2; accordo su sostenuta "
         "0,56"),
        ("mean over 2 of 3 classes: no judged item has the human label 'unverifiable'",
         "media su 2 classi di 3: nessuna affermazione giudicata ha l'etichetta umana «non "
         "verificabile»"),
        ("a note of another kind", None),
        ("", None),
        ("{judge.__class__}", None),
    ],
)  # fmt: skip
def test_in_italian(text: str, told: str | None) -> None:
    assert retell(text, load_words("it")) == told


def test_english_has_nothing_to_retell() -> None:
    assert retell("rate", load_words("en")) is None
