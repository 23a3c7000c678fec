"""Recorded exports of a real server, and those of others, through the pure part."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.labels.studio.conftest import FIXTURES, labels_in, standing
from tests.labels.studio.record import CLAIMS
from voirdire.labels import import_file, load_claim_set, write_claim_set
from voirdire.labels.options import ImportOptions
from voirdire.labels.studio.exports import looks_like_export, read_export
from voirdire.labels.studio.normalising import normalise, scrubbed
from voirdire.labels.studio.screen import verdict_words

ENGLISH = ImportOptions(language="en")
WORDS = verdict_words("three_class")


def tasks_in(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def contexts_of(tasks: list[dict[str, Any]]) -> dict[str, str]:
    return {task["data"]["item_id"]: task["data"]["context"] for task in tasks}


@pytest.fixture
def pushed(tmp_path: Path) -> Path:
    """The set that was recorded, as it lay beside the server."""
    folder = tmp_path / "labels" / "set"
    write_claim_set(folder, CLAIMS)
    (folder / "studio").mkdir()
    (folder / "studio" / "push.json").write_bytes((FIXTURES / "push.json").read_bytes())
    return folder


EXPECTED = {
    ("c1", "a1"): "supported",
    ("c1", "a2"): "supported",
    ("c1", "a3"): "contradicted",
    ("c2", "a1"): "contradicted",
    ("c5", "a2"): "unverifiable",
    ("c6", "a1"): "unverifiable",
}
"""What `record.act` says, when all is heard: people's labels, without what is no label."""


def test_an_export_made_by_hand_gives_what_people_did(pushed: Path) -> None:
    summary = import_file(FIXTURES / "export.json", pushed, add=True)
    found = standing(pushed)
    assert {key: value for key, value in found.items() if value in WORDS} == EXPECTED
    assert Counter(found.values())["skipped"] == 4
    assert Counter(found.values())["empty"] == 1
    assert summary.added == 0
    assert summary.annotators == {"a1": 3, "a2": 2, "a3": 1}
    first = next(row for row in labels_in(pushed) if row.get("comment") == "fine")
    assert first["evidence"] == [{"chunk": 0, "start": 12, "end": 20, "text": "12 euros"}]
    assert first["meta"]["url"].startswith("http://studio.example/projects/")
    pull = json.loads((pushed / "studio" / "pull.json").read_text(encoding="utf-8"))
    assert sorted(one["why"] for one in pull["unused"]) == [
        "no verdict in it",
        "several verdicts: supported, unverifiable",
        "superseded by annotation 5 of the same person",
        "unknown verdict 'definitely'",
    ]
    load_claim_set(pushed)


@pytest.mark.parametrize("name", ["export_min.json", "export.csv"])
def test_a_lossy_export_gives_the_labels_and_says_what_it_lost(pushed: Path, name: str) -> None:
    summary = import_file(FIXTURES / name, pushed, add=True)
    found = standing(pushed)
    assert {key: value for key, value in found.items() if value in WORDS} == EXPECTED
    assert "skipped" not in found.values()
    assert any("leaves out skipped annotations" in note for note in summary.notes)


def test_imported_twice_adds_nothing_and_a_part_takes_nothing_away(
    pushed: Path, tmp_path: Path
) -> None:
    import_file(FIXTURES / "export.json", pushed, add=True)
    before = labels_in(pushed)
    import_file(FIXTURES / "export.json", pushed, add=True)
    part = tmp_path / "part.json"
    part.write_text(json.dumps(tasks_in(FIXTURES / "export.json")[:3]), encoding="utf-8")
    import_file(part, pushed, add=True)
    assert labels_in(pushed) == before


def test_an_export_alone_becomes_a_claim_set(tmp_path: Path) -> None:
    folder = tmp_path / "labels" / "new"
    summary = import_file(FIXTURES / "export.json", folder, options=ENGLISH)
    assert (summary.claims, summary.added) == (8, 8)
    assert sum(summary.annotators.values()) == 6
    claims = {claim.id: claim for claim in load_claim_set(folder).claims}
    row = next(row for row in labels_in(folder) if row.get("comment") == "fine")
    span = row["evidence"][0]
    assert claims[row["claim_id"]].context[0][span["start"] : span["end"]] == span["text"]
    assert (row["confidence"], row["lead_seconds"]) == ("high", 12.5)
    assert any("4 skipped" in note for note in summary.notes)


def test_other_files_are_no_exports(tmp_path: Path, shared: Path) -> None:
    for name, text in {
        "a.json": '[{"id": "c1", "claim": "x"}]',
        "b.csv": "id,claim,context\n1,2,3\n",
        "c.json": "[",
        "d.json": "[]",
        "e.bin": "\ufeff",
        "f.json": '[{"annotations": [], "data": "text"}]',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert looks_like_export(tmp_path / name) is None
    (tmp_path / "g").write_bytes(b"\xff\xfe\x00")
    assert looks_like_export(tmp_path / "g") is None


def test_the_public_export_with_every_oddity(shared: Path) -> None:
    """12 tasks, 30 annotations, 17 labels, 13 that are none (label_studio.md, section 13)."""
    tasks = tasks_in(shared / "data" / "ls_exports" / "exp12_JSON_all_tasks.json")
    found = normalise(tasks, verdicts=WORDS, contexts=contexts_of(tasks))
    counts = found.counts
    assert (counts["tasks"], counts["annotations"], counts["labelled"]) == (12, 30, 17)
    assert counts["skipped"] + counts["empty"] + counts["not used"] == 13
    assert counts["drafts (not submitted)"] == 2
    by_key = {(one.item, one.user): one for one in found.said}
    assert by_key["itm-00003", 2].status == "skipped"
    assert by_key["itm-00011", 2].status == "skipped"  # with a verdict in its result
    assert by_key["itm-00008", 2].edited_by_other
    assert by_key["itm-00000", 2].spans == ((32, 46),)


def test_people_have_three_shapes_and_all_say_the_same(shared: Path) -> None:
    folder = shared / "data" / "ls_exports"
    one, two, three = (
        tasks_in(folder / name)
        for name in (
            "exp12_snapshot_default.json",
            "exp12_snapshot_completed_by_object.json",
            "exp12_JSON_all_tasks.json",
        )
    )
    found = [
        normalise(tasks, verdicts=WORDS, contexts=contexts_of(one)) for tasks in (one, two, three)
    ]
    assert found[0].said == found[1].said == found[2].said
    for task in three:
        for annotation in task["annotations"]:
            annotation["completed_by"] = None
    lost = normalise(three, verdicts=WORDS, contexts=contexts_of(three))
    assert not lost.said
    assert {one.why for one in lost.unused} == {"annotator deleted: nobody's label"}


def test_a_dump_is_kept_without_names(shared: Path) -> None:
    path = shared / "data" / "ls_exports" / "exp12_snapshot_completed_by_object.json"
    assert "ann1@example.com" in path.read_text(encoding="utf-8")
    kept = scrubbed(tasks_in(path))
    assert "@example.com" not in json.dumps(kept)
    assert kept[2]["annotations"][0]["completed_by"] == 2
    assert kept[2]["annotations"][0]["result"] == tasks_in(path)[2]["annotations"][0]["result"]
    assert scrubbed(kept) == kept


def test_what_the_browser_made(shared: Path) -> None:
    folder = shared / "data" / "ls_exports"
    tasks = tasks_in(folder / "browser_text_JSON_annotated_only.json")
    found = normalise(tasks, verdicts=WORDS, contexts=contexts_of(tasks))
    said = {one.user: one for one in found.said}
    assert (said[2].label, said[2].comment) == ("supported", "typed, no Add pressed")
    assert said[2].spans
    assert not said[2].problems
    assert (said[3].status, said[3].label) == ("skipped", None)
    tasks = tasks_in(folder / "browser_unicode_JSON_annotated_only.json")
    contexts = {
        str(task["data"].get("item_id")): str(task["data"].get("context")) for task in tasks
    }
    for one in normalise(tasks, verdicts=WORDS, contexts=contexts).said:
        assert not [problem for problem in one.problems if "evidence" in problem]


@pytest.mark.parametrize(
    "name",
    ["chat_data.json", "csv_test.json", "csv_test2.json", "longeval_squality_alignment.json"],
)
def test_exports_of_other_projects_do_not_break_it(shared: Path, name: str) -> None:
    path = shared / "data" / "label_studio" / name
    if looks_like_export(path) is None:
        return
    tasks = read_export(path).tasks
    contexts = {str(task["data"].get("item_id", "")): "" for task in tasks}
    found = normalise(tasks, verdicts=WORDS, contexts=contexts)
    counts = found.counts
    used = counts["labelled"] + counts["skipped"] + counts["empty"]
    assert used + counts["not used"] == counts["annotations"]


def mangled() -> list[tuple[str, Any]]:
    return [
        ("result", None),
        ("result", {"a": 1}),
        ("result", [1, "x", None]),
        ("result", [{"from_name": "verdict", "value": None}]),
        ("result", [{"from_name": "verdict", "value": {"choices": "supported"}}]),
        ("result", [{"from_name": "evidence", "value": {"start": "1", "end": 2}}]),
        ("completed_by", "a1"),
        ("completed_by", {"name": "x"}),
        ("completed_by", True),
        ("created_at", "yesterday"),
        ("updated_at", None),
        ("lead_time", "long"),
        ("lead_time", -3),
        ("lead_time", float("inf")),
        ("id", None),
    ]


@pytest.mark.parametrize(("field", "value"), mangled())
def test_no_annotation_is_lost_however_mangled(field: str, value: Any) -> None:
    tasks = tasks_in(FIXTURES / "export.json")
    for task in tasks:
        for annotation in task["annotations"]:
            annotation[field] = value
    found = normalise(tasks, verdicts=WORDS, contexts=contexts_of(tasks))
    assert len(found.said) + len(found.unused) == found.counts["annotations"]
    assert all(one.lead_seconds is None or one.lead_seconds >= 0 for one in found.said)
