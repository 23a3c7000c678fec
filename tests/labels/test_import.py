"""Sources of every layout into a claim set, and what each does with bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import StoreError, UsageError
from voirdire.labels import (
    ImportOptions,
    SourceError,
    check_claim_set,
    import_file,
    load_claim_set,
    references,
)

RowMaker = Callable[..., dict[str, Any]]
Lines = Callable[[Path, list[Any]], Path]


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "labels" / "set"


@pytest.fixture
def source(tmp_path: Path, lines: Lines) -> Callable[..., Path]:
    def write(*rows: Any, name: str = "source.jsonl") -> Path:
        return lines(tmp_path / name, list(rows))

    return write


def nothing_written(into: Path) -> bool:
    """Neither the set nor anything beside it."""
    return not into.parent.exists() or list(into.parent.iterdir()) == []


def test_public_layout(source: Callable[..., Path], claim: RowMaker, into: Path) -> None:
    row = claim(
        1,
        context="One chunk only.",
        language=...,
        lang="en",
        label="supported",
        label_orig="YES",
        labels_by_annotator={"a": "supported", "b": "contradicted", "c": None},
        split="dev",
        claim_form="question",
        meta={"genre": "news"},
        source="made up",
        licence="CC0-1.0",
    )
    summary = import_file(source(row), into)
    made = load_claim_set(into)
    only = made.claims[0]
    assert only.context == ("One chunk only.",)
    assert only.meta == {
        "genre": "news", "label_orig": "YES", "split": "dev", "claim_form": "question",
    }  # fmt: skip
    assert (only.source, only.licence, only.label_space) == ("made up", "CC0-1.0", "three_class")
    given = {(one.annotator, one.role): (one.status, one.label) for one in made.labels}
    assert given == {
        ("a", "annotator"): ("labelled", "supported"),
        ("b", "annotator"): ("labelled", "contradicted"),
        ("c", "annotator"): ("empty", None),
        ("published", "published"): ("labelled", "supported"),
    }
    assert summary.without_reference == {"tie": 1}
    assert summary.annotators == {"a": 1, "b": 1, "published": 1}
    assert made.info.licence == "CC0-1.0"
    assert made.splits.seed == 0


def test_two_class_rows_stay_two_class(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    rows = [
        claim(1, label="not_supported", label_space="binary"),
        claim(2, label="contradicted"),
    ]
    import_file(source(*rows), into)
    made = load_claim_set(into)
    assert [one.label_space for one in made.claims] == ["two_class", "three_class"]
    assert references(made.claims, made.labels, view="source").counts == {
        "contradicted": 1, "not_supported": 1,
    }  # fmt: skip


def test_yes_and_no_are_two_classes_unless_the_source_has_a_third(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    rows = [claim(1, label="YES"), claim(2, label="No")]
    summary = import_file(source(*rows), into)
    assert summary.labels == {"supported": 1, "not_supported": 1}
    assert "read as two-class claims" in summary.notes[0]
    rows.append(claim(3, label="UNKNOWN"))
    summary = import_file(source(*rows), into, replace_set=True)
    assert summary.labels == {"supported": 1, "contradicted": 1, "unverifiable": 1}
    options = ImportOptions(label_space="three_class")
    summary = import_file(source(*rows[:2]), into, options=options, replace_set=True)
    assert summary.labels == {"supported": 1, "contradicted": 1}


@pytest.mark.parametrize(
    ("word", "language", "label"),
    [
        ("entailment", "en", "supported"),
        ("NOT ENOUGH INFO", "en", "unverifiable"),
        ("not_enough_info", "it", "unverifiable"),
        ("REFUTES", "it", "contradicted"),
        ("Supportata", "it", "supported"),
        ("non verificabile", "it", "unverifiable"),
        ("widerlegt", "de-CH", "contradicted"),
        ("nicht überprüfbar", "de", "unverifiable"),
        ("nicht u\u0308berpru\u0308fbar", "de", "unverifiable"),
        ("contredite", "fr", "contradicted"),
    ],
)
def test_aliases(
    source: Callable[..., Path], claim: RowMaker, into: Path,
    word: str, language: str, label: str,
) -> None:  # fmt: skip
    summary = import_file(source(claim(1, label=word, language=language)), into)
    assert summary.labels == {label: 1}


@pytest.mark.parametrize("word", ["supported?", "partially supported", "non", "1", 1, "belegt"])
def test_a_word_that_is_no_alias_is_a_fault_with_the_way_out(
    source: Callable[..., Path], claim: RowMaker, into: Path, word: Any
) -> None:
    path = source(claim(1), claim(2, label=word))
    with pytest.raises(SourceError) as caught:
        import_file(path, into)
    text = str(caught.value.faults[0])
    assert text.startswith(f"{path}:2: unknown label {word!r}. allowed: supported, contradicted")
    assert f"--map-label {str(word)!r}=supported" in text
    assert nothing_written(into)


def test_words_mapped_by_hand(source: Callable[..., Path], claim: RowMaker, into: Path) -> None:
    rows = [claim(1, label="OK"), claim(2, label="unsure"), claim(3, label="neutral")]
    options = ImportOptions(
        label_map={"ok": "supported", "unsure": "none", "neutral": "contradicted"}
    )
    summary = import_file(source(*rows), into, options=options)
    assert summary.labels == {"supported": 1, "contradicted": 1}
    assert summary.without_reference == {"no label": 1}
    options = ImportOptions(label_map={"a": "suported"})
    with pytest.raises(UsageError, match=r"which is no label.*did you mean 'supported'"):
        import_file(source(*rows), into, options=options, replace_set=True)


def test_a_set_of_labels_by_one_annotator_is_recorded_and_no_vote(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    said = {"a": ["supported", "unverifiable"], "b": ["supported"], "c": "supported"}
    summary = import_file(source(claim(1, label=None, labels_by_annotator=said)), into)
    made = load_claim_set(into)
    assert made.labels[0].status == "empty"
    assert made.labels[0].meta == {"label_set": ["supported", "unverifiable"]}
    assert summary.several_labels == 1
    assert summary.rules == {"unanimous": 1}


def test_families_with_members(source: Callable[..., Path], into: Path) -> None:
    family = {
        "family": "price-1",
        "topic": "prices",
        "context": ["The plan costs 12 euros."],
        "members": [
            {"variant": "original", "claim": "It costs 12 euros.", "label": "supported"},
            {"variant": "negation", "claim": "It does not.", "label": "contradicted"},
            {"variant": "negation", "claim": "It never does.", "label": "contradicted"},
        ],
    }
    import_file(source(family), into, options=ImportOptions(language="en", role="author"))
    made = load_claim_set(into)
    assert [one.id for one in made.claims] == [
        "price-1-original", "price-1-negation", "price-1-negation-2",
    ]  # fmt: skip
    assert {one.topic for one in made.claims} == {"prices"}
    assert {(one.annotator, one.role) for one in made.labels} == {("author", "author")}


@pytest.mark.parametrize(
    ("family", "what"),
    [
        ({"famly": "f", "members": [{"claim": "x"}]}, "no field 'family'"),
        ({"family": "f", "members": []}, "members must be a list of claims"),
        ({"family": "f", "members": ["x"]}, "a member must be an object, got 'x'"),
    ],
)
def test_broken_families(
    source: Callable[..., Path], into: Path, family: dict[str, Any], what: str
) -> None:
    with pytest.raises(SourceError, match=what):
        import_file(source(family), into, options=ImportOptions(language="en"))


@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"version": 1, "claims": rows}])
def test_json_array(tmp_path: Path, claim: RowMaker, into: Path, wrap: Callable[..., Any]) -> None:
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(wrap([claim(1), claim(2)]), indent=1), encoding="utf-8")
    assert import_file(path, into).claims == 2


def test_json_array_faults_name_the_element(tmp_path: Path, claim: RowMaker, into: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text(json.dumps([claim(1), 7, claim(3, clam="x", claim=...)]), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        import_file(path, into)
    texts = [str(fault) for fault in caught.value.faults]
    assert texts[0] == f"{path}, element 2: a JSON int and not an object. allowed: an object."
    assert texts[1].startswith(f"{path}, element 3: no field 'claim'. did you mean 'clam'?")


def test_ids_are_made_from_the_content(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    bare = [claim(n, id=..., family=...) for n in (1, 2, 1)]
    summary = import_file(source(*bare), into)
    made = load_claim_set(into)
    ids = [one.id for one in made.claims]
    assert len(set(ids)) == 3
    assert ids[2] == ids[0] + "-2"
    assert [one.family for one in made.claims] == ids
    assert "3 claims had no family: each is a family of its own" in summary.notes
    again = import_file(source(*bare[:2]), into, replace_set=True)
    assert [one.id for one in load_claim_set(into).claims] == ids[:2]
    assert again.claims == 2


BAD: list[tuple[str, Callable[[RowMaker], list[Any]], str]] = [
    ("empty file", lambda c: [], "the file is empty"),
    ("blank lines", lambda c: [b"", b"  "], "the file is empty"),
    ("broken line", lambda c: [c(n) for n in range(999)] + [b"{oops"], ":1000: not JSON: "),
    ("unknown label", lambda c: [c(1), c(2, label="maybe")], ":2: unknown label 'maybe'"),
    (
        "duplicated id",
        lambda c: [c(1), c(1, family="g")],
        ":2: the id 'c1' stands already in line 1",
    ),
    (
        "two originals",
        lambda c: [c(1), c(2, family="f1", context=c(1)["context"])],
        ":2: family 'f1' has a second original, after line 1",
    ),
    (
        "two contexts",
        lambda c: [c(1), c(2, family="f1", variant="paraphrase")],
        ":2: family 'f1' has a second context, other than in line 1",
    ),
    ("empty context", lambda c: [c(1, context="")], ":1: the context is empty"),
    ("no context", lambda c: [c(1, context=...)], ":1: no field 'context'"),
    ("long claim", lambda c: [c(1, claim="x" * 100_000)], ":1: the claim has 100,000 characters"),
    ("long line", lambda c: [c(1, context="y" * 10_000_000)], ":1: the line is longer than 8 MB"),
    ("NUL byte", lambda c: [b'{"id": "\x00"}'], ":1: byte 8 is NUL"),
    ("NUL escaped", lambda c: [c(1, claim="a\x00b")], "control character U+0000 at character 2"),
    ("Latin-1", lambda c: [b'{"id": "\xe9"}'], ":1: byte 8 (0xe9) is not UTF-8"),
    ("no language", lambda c: [c(1, language=...)], ":1: no field 'language'"),
    ("two-class label", lambda c: [c(1, label="contradicted", label_space="binary")], "two-class"),
]


@pytest.mark.parametrize(("rows", "what"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_bad_input_is_refused_whole(
    source: Callable[..., Path],
    claim: RowMaker,
    into: Path,
    rows: Callable[[RowMaker], list[Any]],
    what: str,
) -> None:
    path = source(*rows(claim))
    with pytest.raises(SourceError) as caught:
        import_file(path, into)
    assert len(caught.value.faults) == 1
    assert what in str(caught.value.faults[0])
    assert str(caught.value.faults[0]).startswith(str(path))
    assert caught.value.exit_code == 2
    assert nothing_written(into)


def test_all_faults_at_once_and_rows_left_out_on_request(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    rows = [
        claim(1), b"{", claim(3, context=""), claim(4, label="hm"), claim(1, family="x"), claim(6)
    ]  # fmt: skip
    path = source(*rows)
    with pytest.raises(SourceError) as caught:
        import_file(path, into)
    assert caught.value.kinds == {
        "broken line": 1, "duplicated id": 1, "empty context": 1, "unknown label": 1,
    }  # fmt: skip
    summary = import_file(path, into, options=ImportOptions(skip_faulty=True))
    assert summary.excluded == caught.value.kinds
    assert (summary.rows, summary.claims) == (6, 2)
    assert [one.id for one in load_claim_set(into).claims] == ["c1", "c6"]


def test_nothing_but_faulty_rows_is_refused_even_on_request(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    path = source(claim(1, context=""))
    with pytest.raises(SourceError, match=r"no claim is left \(empty context: 1\)"):
        import_file(path, into, options=ImportOptions(skip_faulty=True))
    assert nothing_written(into)


def test_many_families_of_one_shape_are_the_sources_way(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    def rows(loose: int, strict: int) -> list[Any]:
        return [claim(n, family=f"p{n // 2}") for n in range(2 * loose)] + [
            claim(n, family=f"q{n}", id=f"q{n}{variant}", variant=variant)
            for n in range(strict)
            for variant in ("original", "negation")
        ]

    summary = import_file(source(*rows(20, 5)), into)
    assert summary.families_are == "clusters"
    assert any("taken as clusters" in note for note in summary.notes)
    assert check_claim_set(into) == []
    options = ImportOptions(families="variants")
    with pytest.raises(SourceError):
        import_file(source(*rows(20, 5)), into, options=options, replace_set=True)
    with pytest.raises(SourceError) as caught:  # a slip in 19 of 119
        import_file(source(*rows(19, 100)), into, replace_set=True)
    assert caught.value.kinds == {"family with two originals": 19}


def test_existing_set_is_refused_replaced_or_added_to(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    first = source(*(claim(n, label="supported") for n in range(10)))
    import_file(first, into, options=ImportOptions(seed=5))
    before = load_claim_set(into)
    with pytest.raises(UsageError, match="there is a claim set already.*--add.*--replace"):
        import_file(first, into)
    more = source(*(claim(n, label="supported") for n in range(8, 14)), name="more.jsonl")
    summary = import_file(more, into, add=True)
    assert (summary.added, summary.claims) == (4, 14)
    assert "2 claims were in the set already" in summary.notes
    after = load_claim_set(into)
    assert after.labels[:10] == before.labels
    assert before.splits.families.items() <= after.splits.families.items()
    assert after.splits.seed == 5
    assert import_file(more, into, replace_set=True).claims == 6


def test_adding_an_id_with_other_content_is_a_fault(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    import_file(source(claim(1, label="supported")), into)
    before = (into / "claims.jsonl").read_bytes()
    other = source(claim(1, claim="Another."), claim(2, family="f1"), name="other.jsonl")
    with pytest.raises(SourceError) as caught:
        import_file(other, into, add=True)
    texts = [str(fault) for fault in caught.value.faults]
    assert any(
        "other.jsonl:1: the set has the id 'c1' already, with other content" in t for t in texts
    )
    assert any("has a second original, after the set" in t for t in texts)
    changed = source(claim(1, label="contradicted"), name="changed.jsonl")
    with pytest.raises(SourceError, match="the set has another label of 'published' for 'c1'"):
        import_file(changed, into, add=True)
    assert (into / "claims.jsonl").read_bytes() == before


def test_replacing_keeps_what_people_labelled(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    import_file(source(claim(1)), into)
    (into / "guideline.md").write_text("Read the context.", encoding="utf-8")
    work = (
        b'{"id":"w","claim_id":"c1","annotator":"a1","label":"supported",'
        b'"at":"2025-03-01T09:00:00Z"}\n'
    )
    with (into / "labels.jsonl").open("ab") as out:
        out.write(work)
    import_file(source(claim(2)), into, replace_set=True)
    assert work in (into.parent / "set.replaced-1" / "labels.jsonl").read_bytes()
    assert (into / "guideline.md").read_text(encoding="utf-8") == "Read the context."
    assert [one.id for one in load_claim_set(into).claims] == ["c2"]
    import_file(source(claim(3)), into, replace_set=True)
    assert sorted(child.name for child in into.parent.iterdir()) == ["set", "set.replaced-1"]


def test_set_toml_that_is_there_is_kept(
    source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    into.mkdir(parents=True)
    (into / "set.toml").write_text(
        'name = "mine"\ntitle = "A \\"title\\""\nnot_evidence_for = "anything"\n', encoding="utf-8"
    )
    import_file(source(claim(1)), into)
    info = load_claim_set(into).info
    assert (info.name, info.title, info.not_evidence_for) == ("mine", 'A "title"', "anything")
    assert info.languages == ("en",)


@pytest.mark.parametrize("stage", ["claims.jsonl", "splits.json", "swap"])
@pytest.mark.parametrize("there", [False, True])
def test_a_full_disk_leaves_what_was_there(
    source: Callable[..., Path],
    claim: RowMaker,
    into: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    there: bool,
) -> None:
    if there:
        import_file(source(claim(1)), into)
    before = {p.name: p.read_bytes() for p in into.iterdir()} if there else None
    real_replace, real_rename = Path.replace, Path.rename

    def replace(self: Path, target: Path) -> Path:
        if target.name == stage:
            raise OSError(28, "No space left on device")
        return real_replace(self, target)

    def rename(self: Path, target: Path) -> Path:
        if stage == "swap" and self.name.endswith(".part"):
            raise OSError(28, "No space left on device")
        return real_rename(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(StoreError, match=r"No space left on device. free some space") as caught:
        import_file(source(claim(2)), into, replace_set=there)
    assert caught.value.exit_code == 5
    monkeypatch.undo()
    if there:
        assert {p.name: p.read_bytes() for p in into.iterdir()} == before
        assert [child.name for child in into.parent.iterdir()] == ["set"]
    else:
        assert nothing_written(into)


def test_interrupted_while_writing_leaves_nothing_half(
    source: Callable[..., Path], claim: RowMaker, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import voirdire.labels.writing as writing

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_swap", interrupt)
    with pytest.raises(KeyboardInterrupt):
        import_file(source(claim(1)), into)
    assert nothing_written(into)


def test_same_source_same_bytes(source: Callable[..., Path], claim: RowMaker, into: Path) -> None:
    path = source(*(claim(n, label="supported") for n in range(20)))
    import_file(path, into)
    first = {child.name: child.read_bytes() for child in into.iterdir()}
    import_file(path, into, replace_set=True)
    assert {child.name: child.read_bytes() for child in into.iterdir()} == first
    assert sorted(first) == ["claims.jsonl", "labels.jsonl", "set.toml", "splits.json"]


def test_missing_file_folder_and_columns_on_json(
    tmp_path: Path, source: Callable[..., Path], claim: RowMaker, into: Path
) -> None:
    with pytest.raises(UsageError, match="no such file"):
        import_file(tmp_path / "none.jsonl", into)
    with pytest.raises(UsageError, match="a folder, and not a file"):
        import_file(tmp_path, into)
    with pytest.raises(UsageError, match="the file is no table"):
        import_file(source(claim(1)), into, options=ImportOptions(columns={"claim": ("x",)}))
    (tmp_path / "labels").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError, match="labels: cannot make the folder"):
        import_file(source(claim(1)), into)
