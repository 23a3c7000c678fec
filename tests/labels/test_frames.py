"""Claim sets to pandas and back, and through a folder."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import ClaimSetError, UsageError
from voirdire.labels import (
    ImportOptions,
    SourceError,
    from_frame,
    labels_frame,
    to_frame,
    write_claim_set,
)
from voirdire.records import Claim, LabelRecord

WORD = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: bool(text.strip())
)
META = st.dictionaries(
    WORD, st.none() | st.booleans() | st.integers(-9, 9) | WORD | st.lists(WORD), max_size=2
)


@st.composite
def claim_sets(draw: Any) -> tuple[list[Claim], list[LabelRecord]]:
    claims, labels = [], []
    for number in range(draw(st.integers(1, 4))):
        space = draw(st.sampled_from(["three_class", "two_class"]))
        claim = Claim(
            id=f"c{number}",
            family=f"f{number}",
            variant=draw(st.sampled_from(["original", "negation"])),
            claim=draw(WORD),
            context=tuple(draw(st.lists(WORD, min_size=1, max_size=3))),
            language=draw(st.sampled_from(["en", "it", "de-CH"])),
            label_space=space,
            topic=draw(st.none() | WORD),
            source=draw(st.none() | WORD),
            licence=draw(st.none() | WORD),
            meta=draw(META),
        )
        claims.append(claim)
        words = ["supported", "not_supported"]
        if space == "three_class":
            words = ["supported", "contradicted", "unverifiable"]
        people = draw(st.dictionaries(st.sampled_from("abc"), st.none() | st.sampled_from(words)))
        people = {("annotator", code): said for code, said in people.items()}
        if draw(st.booleans()):
            people["published", "published"] = draw(st.sampled_from(words))
        for (role, code), said in people.items():
            values = {"role": role, "annotator": code, "label": said, "claim_id": claim.id}
            status = "labelled" if said else "empty"
            labels.append(
                LabelRecord.model_validate(
                    {"id": f"{claim.id}#{role}/{code}", "status": status, **values}
                )
            )
    return claims, labels


@settings(deadline=None, max_examples=80)
@given(claim_sets())
def test_to_a_frame_and_back(data: tuple[list[Claim], list[LabelRecord]]) -> None:
    claims, labels = data
    back, back_labels, _ = from_frame(to_frame(claims, labels))
    assert list(back) == claims
    assert sorted(back_labels, key=lambda one: one.id) == sorted(labels, key=lambda one: one.id)
    assert len(labels_frame(labels)) == len(labels)


@settings(deadline=None, max_examples=30)
@given(claim_sets())
def test_to_a_folder_and_back(data: tuple[list[Claim], list[LabelRecord]]) -> None:
    claims, labels = data
    with tempfile.TemporaryDirectory() as folder:
        made = write_claim_set(Path(folder) / "set", claims, labels)
    assert list(made.claims) == claims
    assert list(made.labels) == labels


def test_frames_as_people_have_them() -> None:
    frame = pd.DataFrame(
        {
            "n": np.array([1, 2]),
            "text": ["It costs 12.", "It is free."],
            "source one": ["Costs 12.", "Costs 12."],
            "source two": ["Two seats.", np.nan],
            "anna": ["supported", pd.NA],
            "ben": pd.Categorical(["supported", "contradicted"]),
            "price": [12.0, np.nan],
        }
    )
    options = ImportOptions(
        language="en",
        columns={"id": ("n",), "claim": ("text",), "context": ("source one", "source two")},
        annotator_columns={"a": "anna", "b": "ben"},
    )
    claims, labels, made = from_frame(frame, options=options)
    assert [claim.id for claim in claims] == ["1", "2"]
    assert claims[0].context == ("Costs 12.", "Two seats.")
    assert claims[1].context == ("Costs 12.",)
    assert [claim.meta for claim in claims] == [{"price": 12.0}, {}]
    assert [(one.annotator, one.label) for one in labels] == [
        ("a", "supported"), ("b", "supported"), ("a", None), ("b", "contradicted"),
    ]  # fmt: skip
    assert "2 claims had no family: each is a family of its own" in made.notes


def test_faults_name_the_row() -> None:
    frame = pd.DataFrame({"claim": ["a", ""], "context": ["b", "c"], "language": ["en", "en"]})
    with pytest.raises(SourceError, match="row 1: the claim is empty"):
        from_frame(frame)
    with pytest.raises(UsageError, match="no column 'text'. allowed: claim, context, language"):
        from_frame(frame, options=ImportOptions(columns={"claim": ("text",)}))


def test_writing_holds_the_rules(tmp_path: Path) -> None:
    claim = Claim(id="c", family="f", variant="original", claim="x", context=("y",), language="en")
    other = claim.model_copy(update={"family": "g", "claim": "z"})
    with pytest.raises(ClaimSetError, match="the id 'c' stands already in line 1"):
        write_claim_set(tmp_path / "set", [claim, other])
    with pytest.raises(ClaimSetError, match="no claims"):
        write_claim_set(tmp_path / "set", [])
    assert list(tmp_path.iterdir()) == []
    write_claim_set(tmp_path / "set", [claim])
    with pytest.raises(UsageError, match="there is a claim set already"):
        write_claim_set(tmp_path / "set", [claim])
