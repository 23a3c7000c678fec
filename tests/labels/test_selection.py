"""What a study takes from its sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import UsageError
from voirdire.labels import (
    STARTER_SETS,
    claims_of_study,
    find_claim_set,
    load_claim_set,
    references,
    starter_set,
)
from voirdire.store import JudgeConfig, StudyConfig

Make = Callable[..., Path]
RowMaker = Callable[..., dict[str, Any]]


def study(*labels: str, **more: Any) -> StudyConfig:
    judges = (JudgeConfig(name="lexical", use="lexical"),)
    return StudyConfig(name="s", labels=labels, judges=judges, **more)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "reports" / "s"


def test_one_set_keeps_its_ids(make_set: Make, folder: Path) -> None:
    made = make_set()
    found = claims_of_study(study("../../labels/set"), folder)
    assert [claim.id for claim in found.claims] == ["c1", "c2", "c3"]
    assert [label.claim_id for label in found.labels] == ["c1", "c2", "c3"]
    only = found.sets[0]
    assert (only.name, only.claims, only.families) == ("set", 3, 3)
    assert only.digest == load_claim_set(made).digest
    assert found.excluded == {}


def test_paths_fall_back_to_the_working_directory(
    make_set: Make, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_set()
    monkeypatch.chdir(tmp_path)
    assert len(claims_of_study(study("labels/set"), folder).claims) == 3


def test_a_set_that_is_not_there(make_set: Make, folder: Path) -> None:
    make_set(name="support")
    with pytest.raises(UsageError) as caught:
        claims_of_study(study("../../labels/suport"), folder)
    text = str(caught.value)
    assert (
        f"no claim set '../../labels/suport', neither at {folder.parents[1]}/labels/suport nor"
        in text
    )
    assert "study.toml, field labels" in text
    assert "allowed: support, starter-en, starter-it" in text
    assert "did you mean 'support'?" in text
    assert caught.value.exit_code == 2


def test_split_and_language_leave_out_and_count(
    make_set: Make, claim: RowMaker, folder: Path
) -> None:
    rows = [claim(n, language=("en", "en-GB", "it")[n % 3]) for n in range(30)]
    made = make_set(rows)
    splits = load_claim_set(made).splits.families
    found = claims_of_study(study("../../labels/set", split="test", languages=("en",)), folder)
    assert {claim.language for claim in found.claims} == {"en", "en-GB"}
    assert all(splits[claim.family] == "test" for claim in found.claims)
    assert len(found.claims) + sum(found.excluded.values()) == 30
    assert found.excluded["in another split"] == sum(s != "test" for s in splits.values())


def test_nothing_left_is_said(make_set: Make, folder: Path) -> None:
    make_set()
    with pytest.raises(UsageError, match=r"no claim is left to examine \(in another language: 3\)"):
        claims_of_study(study("../../labels/set", languages=("de",)), folder)


def test_two_sets_that_both_count_from_one_are_kept_apart(
    make_set: Make, claim: RowMaker, label: RowMaker, folder: Path
) -> None:
    rows = [label(1), label(1, id="new", supersedes="c1-a1", label="contradicted")]
    make_set([claim(1)], rows, name="one")
    make_set([claim(1), claim(2)], [label(1), label(2)], name="two")
    found = claims_of_study(study("../../labels/one", "../../labels/two"), folder)
    assert [one.id for one in found.claims] == ["one/c1", "two/c1", "two/c2"]
    assert [one.family for one in found.claims] == ["one/f1", "two/f1", "f2"]
    assert references(found.claims, found.labels).labels == {
        "one/c1": "contradicted",
        "two/c1": "supported",
        "two/c2": "supported",
    }
    assert len({one.id for one in found.labels}) == 4
    assert "1 claim ids stand in several sets" in found.notes[0]


def test_families_of_one_source_stay_together(
    make_set: Make, claim: RowMaker, folder: Path
) -> None:
    make_set([claim(1, id="en-1", source="rte3")], name="en")
    make_set([claim(1, id="it-1", source="rte3", language="it")], name="it")
    found = claims_of_study(study("../../labels/en", "../../labels/it"), folder)
    assert [(one.id, one.family) for one in found.claims] == [("en-1", "f1"), ("it-1", "f1")]
    assert found.notes == ("1 families of one source reach over several sets",)


def test_the_same_set_twice_is_refused(make_set: Make, folder: Path) -> None:
    make_set()
    with pytest.raises(UsageError, match="two claim sets are called 'set'"):
        claims_of_study(study("../../labels/set", "../../labels/../labels/set"), folder)


def test_starter_names_are_theirs_alone(tmp_path: Path) -> None:
    for name in STARTER_SETS:
        assert find_claim_set(name, tmp_path) == starter_set(name)
        assert starter_set(name).name == name
    with pytest.raises(UsageError, match=r"no starter set 'starter-fr'.*did you mean 'starter-"):
        starter_set("starter-fr")
