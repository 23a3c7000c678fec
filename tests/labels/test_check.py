"""Every rule of a claim set, broken once: the fault, its place, what is allowed, what to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ClaimSetError, UsageError
from voirdire.labels import check_claim_set, inspect_claim_set, load_claim_set

Make = Callable[..., Path]
RowMaker = Callable[..., dict[str, Any]]


def only_fault(folder: Path) -> str:
    faults = check_claim_set(folder)
    assert len(faults) == 1, [str(fault) for fault in faults]
    return str(faults[0])


def warning_of(folder: Path, text: str) -> str:
    seen = inspect_claim_set(folder)
    assert seen.faults == []
    found = [str(fault) for fault in seen.warnings if text in str(fault)]
    assert len(found) == 1, [str(fault) for fault in seen.warnings]
    return found[0]


def test_a_clean_set_has_no_faults_and_loads(make_set: Make) -> None:
    folder = make_set()
    assert check_claim_set(folder) == []
    loaded = load_claim_set(folder)
    assert [claim.id for claim in loaded.claims] == ["c1", "c2", "c3"]
    assert [label.claim_id for label in loaded.labels] == ["c1", "c2", "c3"]
    assert loaded.name == "set"
    assert set(loaded.splits.families) == {"f1", "f2", "f3"}


@pytest.mark.parametrize("damaged", [False, True])
def test_checking_changes_nothing(make_set: Make, damaged: bool) -> None:
    folder = make_set([b"{not json", b'{"id": 1}'] if damaged else None)

    def state() -> dict[str, tuple[str, int]]:
        return {
            path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
            for path in sorted(folder.iterdir())
        }

    before = state()
    check_claim_set(folder)
    assert state() == before


def test_empty_file(make_set: Make) -> None:
    folder = make_set([])
    assert only_fault(folder).startswith(f"{folder}/claims.jsonl: the file is empty. allowed: one")


def test_one_broken_line_of_a_thousand(make_set: Make, claim: RowMaker) -> None:
    rows: list[Any] = [claim(n) for n in range(1000)]
    rows[617] = b'{"id": "c617", "claim": "cut'
    folder = make_set(rows)
    assert only_fault(folder) == (
        f"{folder}/claims.jsonl:618: not JSON: Invalid control character at character 29. "
        "allowed: one JSON object a line. mend the line or delete it."
    )


def test_every_fault_is_listed_not_the_first(make_set: Make, claim: RowMaker) -> None:
    folder = make_set(
        [claim(1, claim=" "), b"nonsense", claim(3, context=[]), claim(3, family="f4"), [1, 2]]
    )
    places = [fault.where.rpartition(":")[2] for fault in check_claim_set(folder)]
    assert sorted(places) == ["1", "2", "3", "4", "5"]  # 4 repeats the id of 3
    with pytest.raises(ClaimSetError) as caught:
        load_claim_set(folder)
    assert len(caught.value.faults) == 5
    assert caught.value.exit_code == 2
    assert "5 faults in the claim set, first: " in str(caught.value)


def test_unknown_label(make_set: Make, claim: RowMaker, label: RowMaker) -> None:
    folder = make_set([claim(1)], [label(1, label="suported")])
    assert only_fault(folder) == (
        f"{folder}/labels.jsonl:1: unknown label 'suported'. "
        "allowed: supported, contradicted, unverifiable, not_supported."
    )


def test_duplicated_id(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1), claim(2), claim(2, family="other", claim="Something else.")])
    assert only_fault(folder) == (
        f"{folder}/claims.jsonl:3: the id 'c2' stands already in line 2. "
        "allowed: every id once. rename or delete one of them."
    )


def test_family_with_two_originals(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1), claim(2, family="f1", context=claim(1)["context"])])
    fault = only_fault(folder)
    assert fault.startswith(
        f"{folder}/claims.jsonl:2: family 'f1' has a second original, after line 1. "
    )
    assert "families = 'clusters'" in fault


def test_family_with_two_contexts(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1), claim(2, family="f1", variant="paraphrase")])
    assert only_fault(folder).startswith(
        f"{folder}/claims.jsonl:2: family 'f1' has a second context, other than in line 1. "
    )


@pytest.mark.parametrize(
    "variant", ["context_swap", "negation_context", "negation_both", "claim_and_context_edit"]
)
def test_variants_named_for_it_may_change_the_context(
    make_set: Make, claim: RowMaker, variant: str
) -> None:
    assert check_claim_set(make_set([claim(1), claim(2, family="f1", variant=variant)])) == []


def test_translations_have_originals_and_contexts_of_their_own(
    make_set: Make, claim: RowMaker
) -> None:
    folder = make_set([claim(1), claim(2, family="f1", language="it")])
    assert check_claim_set(folder) == []


def test_one_wording_may_be_put_to_several_contexts(make_set: Make, claim: RowMaker) -> None:
    same = claim(1)["claim"]
    folder = make_set([claim(1), claim(2, family="f1", claim=same)])
    assert check_claim_set(folder) == []


def test_clusters_are_allowed_where_set_toml_says_so(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1), claim(2, family="f1")])
    assert len(check_claim_set(folder)) == 1
    with (folder / "set.toml").open("a", encoding="utf-8") as out:
        out.write('families = "clusters"\n')
    assert check_claim_set(folder) == []


def test_family_without_original_is_a_warning(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, variant="paraphrase"), claim(2)])
    assert "1 of 2 families have no original, first 'f1'" in warning_of(folder, "no original")


@pytest.mark.parametrize("context", [[], [""], ["  ", "\n"]])
def test_empty_context(make_set: Make, claim: RowMaker, context: list[str]) -> None:
    folder = make_set([claim(1, context=context)])
    assert only_fault(folder).startswith(f"{folder}/claims.jsonl:1: the context is empty. ")


def test_blank_chunk(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, context=["Twelve euros.", " "])])
    assert only_fault(folder) == (
        f"{folder}/claims.jsonl:1: chunk 2 of the context is blank. take the chunk out."
    )


def test_claim_of_a_hundred_thousand_characters(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, claim="x" * 100_000), claim(2, claim="x" * 10_000)])
    assert only_fault(folder) == (
        f"{folder}/claims.jsonl:1: the claim has 100,000 characters. allowed: at most 10,000. "
        "split it into single claims, or leave it out."
    )


def test_line_of_ten_megabytes(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1), claim(2, context=["y" * 10_000_000]), claim(3)])
    assert only_fault(folder).startswith(
        f"{folder}/claims.jsonl:2: the line is longer than 8 MB. allowed: lines of at most 8388608"
    )
    assert [one.id for one in inspect_claim_set(folder).claims] == ["c1", "c3"]


def test_nul_byte_with_its_offset(make_set: Make, claim: RowMaker) -> None:
    first = json.dumps(claim(1)).encode()
    folder = make_set([first, b'{"id": "c\x00"}'])
    assert f"claims.jsonl:2: byte {len(first) + 1 + 9} is NUL" in only_fault(folder)


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f"])
def test_escaped_control_characters(make_set: Make, claim: RowMaker, character: str) -> None:
    folder = make_set([claim(1, claim=f"Ring{character} me.")])
    what = f"field claim: control character U+{ord(character):04X} at character 5"
    assert f"{folder}/claims.jsonl:1: {what}" in only_fault(folder)


def test_tabs_and_line_ends_are_text(make_set: Make, claim: RowMaker) -> None:
    assert check_claim_set(make_set([claim(1, context=["a\tb\r\nc\u2028d"])])) == []


def test_not_utf8_names_byte_and_offset(make_set: Make, claim: RowMaker) -> None:
    first = json.dumps(claim(1)).encode()
    folder = make_set([first, b'{"id": "caf\xe9"}'])
    assert (
        f"claims.jsonl:2: byte {len(first) + 1 + 11} (0xe9) is not UTF-8. "
        "allowed: UTF-8 text. save the file as UTF-8." in only_fault(folder)
    )


def test_a_byte_order_mark_is_no_fault(make_set: Make, claim: RowMaker) -> None:
    assert check_claim_set(make_set([b"\xef\xbb\xbf" + json.dumps(claim(1)).encode()])) == []


def test_half_characters_are_read_as_replacement_with_a_warning(
    make_set: Make, claim: RowMaker
) -> None:
    folder = make_set([json.dumps(claim(1, claim="Half \ud83d here.")).encode()])
    assert "1 half character (lone surrogates) read as U+FFFD" in warning_of(
        folder, "1 half character"
    )
    assert load_claim_set(folder).claims[0].claim == "Half \ufffd here."


def test_mojibake_is_a_warning(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, claim="It\u00e2\u0080\u0099s 12 euros.")])
    assert "U+0080 at character 4 looks like UTF-8" in warning_of(folder, "Latin-1")


def test_label_for_unknown_claim(make_set: Make, claim: RowMaker, label: RowMaker) -> None:
    folder = make_set([claim(1)], [label(1), label(9)])
    assert only_fault(folder).startswith(
        f"{folder}/labels.jsonl:2: a label for claim 'c9', which is not in the set. restore"
    )


@pytest.mark.parametrize(
    ("space", "given", "allowed"),
    [
        ("three_class", "not_supported", "supported, contradicted, unverifiable"),
        ("two_class", "contradicted", "supported, not_supported"),
        ("two_class", "unverifiable", "supported, not_supported"),
    ],
)
def test_label_outside_its_label_space(
    make_set: Make, claim: RowMaker, label: RowMaker, space: str, given: str, allowed: str
) -> None:
    folder = make_set([claim(1, label_space=space)], [label(1, label=given)])
    fault = only_fault(folder)
    assert fault.startswith(f"{folder}/labels.jsonl:1: label {given!r} on a {space[:-6]}-class")
    assert f"allowed: {allowed}. " in fault


@pytest.mark.parametrize(
    ("old", "what"),
    [
        ("nowhere", "supersedes 'nowhere', which is no other record of this file"),
        ("new", "supersedes 'new', which is no other record of this file"),
        ("c2-a1", "supersedes 'c2-a1', which is another claim's or annotator's"),
    ],
)
def test_superseding_what_is_not_there(
    make_set: Make, claim: RowMaker, label: RowMaker, old: str, what: str
) -> None:
    rows = [label(1), label(2), label(1, id="new", supersedes=old)]
    folder = make_set([claim(1), claim(2)], rows)
    assert f"labels.jsonl:3: {what}" in only_fault(folder)


def test_time_without_zone(make_set: Make, claim: RowMaker, label: RowMaker) -> None:
    folder = make_set([claim(1)], [label(1, at="2025-03-01T09:30:00")])
    fault = only_fault(folder)
    assert "field at: the time '2025-03-01T09:30:00' says no time zone" in fault
    assert "with the offset from UTC" in fault


def test_email_address_as_annotator_is_a_warning(
    make_set: Make, claim: RowMaker, label: RowMaker
) -> None:
    folder = make_set([claim(1)], [label(1, annotator="anna@example.org")])
    assert "replace it by a code" in warning_of(folder, "looks like an e-mail address")


def test_unknown_key_with_the_nearest(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, langage="en", language=...)])
    faults = [str(fault) for fault in check_claim_set(folder)]
    assert any(
        "unknown key 'langage'" in one and "did you mean 'language'?" in one for one in faults
    )
    assert any("no field 'language'" in one for one in faults)


def test_missing_fields_and_wrong_types(make_set: Make, claim: RowMaker) -> None:
    folder = make_set([claim(1, claim=..., language="English", context="one string")])
    text = "\n".join(str(fault) for fault in check_claim_set(folder))
    assert "no field 'claim'" in text
    assert "field language: " in text
    assert "allowed: a language tag such as en, it or de-CH" in text
    assert "field context: " in text


def test_a_key_that_stands_twice_and_numbers_that_json_lacks(make_set: Make) -> None:
    folder = make_set([b'{"id": "a", "id": "b"}', b'{"id": NaN}', b'{"id": ' + b"[" * 99_999])
    texts = [str(fault) for fault in check_claim_set(folder)]
    assert "not JSON: the key 'id' stands twice" in texts[0]
    assert "not JSON: NaN is not a JSON number" in texts[1]
    assert "nested too deeply" in texts[2]


def test_torn_last_label_is_a_warning_and_what_stands_before_is_kept(make_set: Make) -> None:
    folder = make_set()
    with (folder / "labels.jsonl").open("ab") as out:
        out.write(b'{"id": "c4-a1", "cla')
    assert "labels.jsonl:4: the last line is torn" in warning_of(folder, "line is torn")
    assert len(load_claim_set(folder).labels) == 3


def test_labels_cut_at_every_byte_keep_every_whole_line(make_set: Make) -> None:
    folder = make_set()
    whole = (folder / "labels.jsonl").read_bytes()
    for cut in range(len(whole) + 1):
        (folder / "labels.jsonl").write_bytes(whole[:cut])
        complete = whole[:cut].count(b"\n")
        assert complete <= len(load_claim_set(folder).labels) <= complete + 1


def test_set_toml_with_unknown_key(make_set: Make) -> None:
    folder = make_set()
    (folder / "set.toml").write_text('name = "x"\nlicense = "CC0"\n', encoding="utf-8")
    assert "unknown key 'license'" in only_fault(folder)
    assert "did you mean 'licence'?" in only_fault(folder)


def test_splits_that_miss_a_family_or_name_an_unknown_split(make_set: Make) -> None:
    folder = make_set()
    body = {
        "schema": "voirdire/splits",
        "schema_version": "1.0",
        "seed": 1,
        "shares": {"dev": 0.5, "test": 0.5},
        "families": {"f1": "dev", "f2": "train", "f9": "dev"},
    }
    (folder / "splits.json").write_text(json.dumps(body), encoding="utf-8")
    texts = [str(fault) for fault in check_claim_set(folder)]
    assert "1 families have no split, first 'f3'" in texts[0]
    assert "unknown split 'train'. allowed: dev, test" in texts[1]
    assert any("'f9'" in str(one) for one in inspect_claim_set(folder).warnings)


def test_no_such_set_names_those_beside_it(make_set: Make) -> None:
    folder = make_set(name="support-en")
    make_set(name="tariffs")
    with pytest.raises(UsageError) as caught:
        load_claim_set(folder.parent / "suport-en")
    assert str(caught.value).startswith(f"{folder.parent}/suport-en: no such claim set. ")
    assert "the sets beside it: support-en, tariffs" in str(caught.value)
    assert f"did you mean {folder}?" in str(caught.value)
    assert caught.value.exit_code == 2


def test_digest_follows_claims_and_labels_but_not_the_title(make_set: Make) -> None:
    folder = make_set()
    first = load_claim_set(folder).digest
    with (folder / "set.toml").open("a", encoding="utf-8") as out:
        out.write('title = "Another title"\n')
    assert load_claim_set(folder).digest == first
    with (folder / "labels.jsonl").open("ab") as out:
        out.write(b'{"id":"n","claim_id":"c1","annotator":"a2","label":"supported"}\n')
    assert load_claim_set(folder).digest != first
