"""Against a real Label Studio: out, labelled, back; twice; changed; deleted; blind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.labels.studio.conftest import Hand, labels_in, standing, verdict_result
from tests.servers.label_studio import LabelStudio, Person
from voirdire.errors import UsageError
from voirdire.labels import load_claim_set
from voirdire.labels.studio import (
    PushOptions,
    Server,
    StudioError,
    adjudicate,
    pull,
    push,
    review_with_judges,
    second_look,
    status,
)

Tasks = Callable[..., dict[str, int]]
Make = Callable[..., Path]


@pytest.fixture
def folder(make_set: Make, claim: Callable[..., dict[str, Any]]) -> Path:
    rows = [claim(n) for n in range(1, 7)]
    rows[0] |= {"family": "secret-family", "topic": "secret-topic", "meta": {"gold": "secret-gold"}}
    rows[1] |= {"family": "secret-family", "variant": "negation", "context": rows[0]["context"]}
    rows[1] |= {"claim": "Plan 1 does not cost 12 euros."}
    return make_set(claims=rows, labels=[])


def test_only_three_fields_go_up_and_none_tells_anything(
    folder: Path, server: Server, raw_tasks: Callable[[int], list[dict[str, Any]]]
) -> None:
    report = push(folder, server, PushOptions(overlap=2))
    assert report.added == 6
    tasks = raw_tasks(report.projects[0])
    assert all(set(task["data"]) == {"item_id", "claim", "context"} for task in tasks)
    assert all(not task["predictions"] and not task["meta"] for task in tasks)
    everything = json.dumps(tasks)
    for told in ("secret", "negation", "original", "supported", '"c1"', "family"):
        assert told not in everything
    order = [task["data"]["claim"] for task in tasks]
    assert order != [one.claim for one in load_claim_set(folder).claims]


def test_the_project_is_set_up_for_blind_labelling(
    folder: Path, server: Server, studio: LabelStudio
) -> None:
    (folder / "guideline.md").write_text("Read <b>twice</b> & decide.", encoding="utf-8")
    report = push(folder, server, PushOptions(overlap=3, title="Plans"))
    project = studio.api("GET", f"/api/projects/{report.projects[0]}")
    assert project["maximum_annotations"] == 3
    assert project["show_collab_predictions"] is False
    assert project["expert_instruction"] == "<p>Read &lt;b&gt;twice&lt;/b&gt; &amp; decide.</p>"
    assert project["show_instruction"] is True
    assert project["title"] == "Plans"
    for hotkey in "123":
        assert f'hotkey="{hotkey}"' in project["label_config"]


def test_pushed_twice_adds_nothing(folder: Path, server: Server) -> None:
    first = push(folder, server)
    again = push(folder, server)
    assert (first.added, again.added, again.there) == (6, 0, 6)
    assert again.projects == first.projects


def test_the_marker_finds_the_project_and_the_title_does_not(
    folder: Path, server: Server, studio: LabelStudio
) -> None:
    stranger = studio.api("POST", "/api/projects", {"title": "set", "description": "mine"})["id"]
    report = push(folder, server)
    assert report.projects[0] != stranger
    assert studio.api("GET", f"/api/projects/{stranger}")["task_number"] == 0
    # The number is lost (another checkout, an older copy of push.json): the marker is enough.
    path = folder / "studio" / "push.json"
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, "projects": []}))
    assert push(folder, server).projects == report.projects


def test_a_changed_claim_is_a_new_task_and_its_old_labels_go(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    tasks = tasks_of(folder)
    hands[0].label(tasks["c3"], "supported")
    hands[0].label(tasks["c4"], "contradicted")
    pull(folder, server)
    path = folder / "claims.jsonl"
    path.write_text(path.read_text().replace("Plan 3 costs 12", "Plan 3 costs 13"))
    report = push(folder, server)
    assert (report.added, report.outdated) == (1, 1)
    assert tasks_of(folder)["c3"] != tasks["c3"]
    result = pull(folder, server)
    assert standing(folder) == {("c3", "a1"): "cancelled", ("c4", "a1"): "contradicted"}
    assert [one.why for one in result.unused] == [
        "the claim, or what is redacted in it, changed since: this label was given for another text"
    ]
    gone = labels_in(folder)[-1]
    assert gone["meta"]["why"].startswith("the claim, or what is redacted in it, changed")


def test_what_people_do_comes_back_exactly(
    folder: Path, server: Server, hands: list[Hand], people: list[Person], tasks_of: Tasks
) -> None:
    push(folder, server, PushOptions(overlap=3))
    tasks = tasks_of(folder)
    start = len("[1] ") + len("Plan 3 is ")
    hands[0].label(
        tasks["c3"],
        "supported",
        confidence="high",
        comment="plain",
        spans=[(start, start + 8, "12 euros"), (0, 4, "not the text there")],
    )
    hands[1].label(tasks["c3"], "contradicted")
    hands[2].skip(tasks["c3"], verdict_result("supported"))  # as the browser skips: clicks stay
    hands[0].give(tasks["c4"], [])
    result = pull(folder, server)
    rows = {(row["claim_id"], row["annotator"]): row for row in labels_in(folder)}
    first = rows["c3", "a1"]
    assert (first["label"], first["confidence"], first["comment"]) == ("supported", "high", "plain")
    assert first["evidence"] == [{"chunk": 0, "start": 10, "end": 18, "text": "12 euros"}]
    assert first["meta"]["problems"] == ["evidence 0 to 4 is not the text that stands there"]
    assert (first["lead_seconds"], first["role"]) == (12.5, "annotator")
    guideline = json.loads((folder / "studio/push.json").read_text())["guidelines"][0]["sha256"]
    assert first["guideline"] == guideline
    assert rows["c3", "a2"]["label"] == "contradicted"
    assert (rows["c3", "a3"]["status"], "label" in rows["c3", "a3"]) == ("skipped", False)
    assert rows["c4", "a1"]["status"] == "empty"
    assert result.counts["labels"] == 2
    assert result.counts["skipped"] == 1
    assert load_claim_set(folder)  # the set is still without fault
    for path in (folder / "studio").rglob("*"):
        if path.is_file():
            assert "@" not in path.read_text(encoding="utf-8"), path
    pull(folder, server, with_emails=True)
    assert people[0].email in (folder / "studio" / "annotators.json").read_text()
    assert people[0].email not in (folder / "labels.jsonl").read_text()


def test_pulled_twice_is_identical_to_the_byte(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    hands[0].label(tasks_of(folder)["c1"], "supported")
    pull(folder, server)

    def seen() -> dict[str, bytes]:
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != ".lock"
        }

    before = seen()
    again = pull(folder, server)
    assert again.added == {"new": 0, "changed": 0, "gone": 0}
    assert seen() == before


def test_an_update_supersedes_and_a_deletion_is_recorded(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    tasks = tasks_of(folder)
    kept = hands[0].label(tasks["c1"], "supported")
    gone = hands[0].label(tasks["c2"], "contradicted")
    pull(folder, server)
    hands[0].change(kept, "unverifiable")
    hands[1].delete(gone)  # anybody may, on this server
    result = pull(folder, server)
    assert result.added == {"new": 0, "changed": 1, "gone": 1}
    rows = labels_in(folder)
    assert len(rows) == 4
    changed = next(row for row in rows if row.get("label") == "unverifiable")
    assert changed["supersedes"] == next(
        row["id"] for row in rows if row.get("label") == "supported"
    )
    assert standing(folder) == {("c1", "a1"): "unverifiable", ("c2", "a1"): "cancelled"}
    assert rows[-1]["meta"]["why"] == "deleted on the server"
    archives = sorted((folder / "studio" / "archive").iterdir())
    assert len(archives) == 2
    assert f'"id": {gone},' in archives[0].read_text() + archives[1].read_text()


def test_another_persons_edit_and_a_second_label_are_noticed(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    tasks = tasks_of(folder)
    first = hands[0].label(tasks["c1"], "supported")
    hands[1].change(first, "contradicted")
    old = hands[0].label(tasks["c2"], "supported")
    hands[0].label(tasks["c2"], "contradicted")
    result = pull(folder, server)
    rows = {row["claim_id"]: row for row in labels_in(folder)}
    assert rows["c1"]["meta"]["edited_by_other"] is True
    assert "somebody else" in " ".join(result.notes)
    assert rows["c2"]["label"] == "contradicted"
    assert [(one.annotation, one.why.partition(" by ")[0]) for one in result.unused] == [
        (old, "superseded")
    ]


def test_garbage_through_the_api_is_listed_and_erases_nothing(
    folder: Path, server: Server, hands: list[Hand], people: list[Person], tasks_of: Tasks
) -> None:
    push(folder, server)
    task = tasks_of(folder)["c1"]
    hands[0].label(task, "supported")
    hands[0].give(task, [{"foo": 1}])
    hands[0].give(task, verdict_result("definitely"))
    hands[0].give(task, verdict_result("supported") + verdict_result("contradicted"))
    hands[0].give(task, [{"from_name": "x", "value": 3}])
    result = pull(folder, server)
    assert standing(folder) == {("c1", "a1"): "supported"}
    assert sorted(one.why for one in result.unused) == [
        "no verdict in it",
        "no verdict in it",
        "several verdicts: supported, contradicted",
        "unknown verdict 'definitely'",
    ]
    counts = result.counts
    assert counts["annotations"] == 5
    used = counts["labelled"] + counts["skipped"] + counts["empty"]
    assert used + counts["not used"] == counts["annotations"]


def test_most_labels_gone_is_asked_about_first(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    given = [hands[0].label(task, "supported") for task in tasks_of(folder).values()]
    pull(folder, server)
    for annotation in given:
        hands[0].delete(annotation)
    before = labels_in(folder)
    with pytest.raises(
        UsageError, match="6 of 6 labels would no longer stand .deleted on the .*--accept-del"
    ):
        pull(folder, server)
    assert labels_in(folder) == before
    assert pull(folder, server, accept_deletions=True).added["gone"] == 6


def test_a_choice_removed_on_the_server_is_noticed_and_put_back(
    folder: Path, server: Server, studio: LabelStudio, hands: list[Hand], tasks_of: Tasks
) -> None:
    report = push(folder, server)
    path = f"/api/projects/{report.projects[0]}/"
    config = studio.api("GET", path)["label_config"]
    lines = [line for line in config.splitlines() if '"contradicted"' not in line]
    hands[0].label(tasks_of(folder)["c1"], "contradicted")
    studio.api("PATCH", path, {"label_config": "\n".join(lines)})
    result = pull(folder, server)
    assert "changed the labelling screen" in result.notes[0]
    assert standing(folder) == {("c1", "a1"): "contradicted"}
    said: list[str] = []
    push(folder, server, tell=said.append)
    assert "put back" in said[0]
    assert studio.api("GET", path)["label_config"] == config


def test_a_project_each_keeps_annotators_apart(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    report = push(folder, server, PushOptions(per_annotator=2))
    assert len(report.projects) == 2
    assert report.added == 12
    one, two = tasks_of(folder, part=1), tasks_of(folder, part=2)
    ranked = [sorted(tasks, key=tasks.__getitem__) for tasks in (one, two)]
    assert ranked[0] != ranked[1]  # each project has an order of its own
    hands[0].label(one["c1"], "supported")
    hands[1].label(two["c1"], "contradicted")
    hands[2].label(two["c2"], "supported")
    result = pull(folder, server)
    assert standing(folder) == {
        ("c1", "a1"): "supported",
        ("c1", "a2"): "contradicted",
        ("c2", "a3"): "supported",
    }
    assert "2 people labelled in it" in " ".join(result.notes)
    assert push(folder, server).added == 0
    with pytest.raises(UsageError, match="--per-annotator"):
        push(folder, server, PushOptions(per_annotator=1))


def test_status_counts_for_itself(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server, PushOptions(overlap=2))
    tasks = tasks_of(folder)
    for name in ("c1", "c2", "c3"):
        hands[0].label(tasks[name], "supported")
    hands[1].label(tasks["c1"], "supported")
    hands[1].skip(tasks["c2"])
    found = status(folder, server)
    assert [(one.annotator, one.labelled, one.skipped) for one in found.annotators] == [
        ("a1", 3, 0),
        ("a2", 1, 1),
    ]
    assert (found.items, found.wanted, found.given, found.finished) == (6, 12, 4, 1)
    assert found.by_labels == {0: 3, 1: 2, 2: 1}
    assert found.median_lead == 12.5
    assert found.seconds_left == 8 * 12.5 / 2
    assert not (folder / "studio" / "pull.json").exists()


def test_people_who_submit_at_once_are_all_counted(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    """The server's own counters go wrong under this; ours are made from what is there."""
    from concurrent.futures import ThreadPoolExecutor

    push(folder, server, PushOptions(overlap=3))
    tasks = tasks_of(folder)
    work = [(hand, task) for task in tasks.values() for hand in hands]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: one[0].label(one[1], "supported"), work))
    found = status(folder, server)
    assert (found.given, found.wanted, found.finished) == (18, 18, 6)
    assert pull(folder, server).counts["labels"] == 18


def test_disagreements_are_settled_and_decisions_go_stale(
    folder: Path,
    server: Server,
    hands: list[Hand],
    tasks_of: Tasks,
    raw_tasks: Callable[[int], list[dict[str, Any]]],
) -> None:
    push(folder, server, PushOptions(overlap=2))
    tasks = tasks_of(folder)
    changed = hands[0].label(tasks["c1"], "supported", comment="says so")
    hands[1].label(tasks["c1"], "contradicted")
    hands[0].label(tasks["c2"], "supported")
    hands[1].label(tasks["c2"], "supported")
    pull(folder, server)
    report = adjudicate(folder, server)
    assert (report.candidates, report.sent, report.open) == (1, 1, 1)
    project = int(report.link.split("/projects/")[1].split("/")[0])
    shown = raw_tasks(project)[0]["data"]
    assert set(shown) == {"item_id", "claim", "context", "votes"}
    assert sorted(vote["verdict"] for vote in shown["votes"]) == ["contradicted", "supported"]
    assert "a1" not in json.dumps(shown["votes"])
    hands[2].label(tasks_of(folder, "adjudication")["c1"], "contradicted")
    report = adjudicate(folder, server)
    assert (report.sent, report.decided, report.new, report.open) == (0, 1, 1, 0)
    decision = labels_in(folder)[-1]
    assert (decision["role"], decision["label"]) == ("adjudicator", "contradicted")
    votes = [row["id"] for row in labels_in(folder) if row["claim_id"] == "c1"][:2]
    assert decision["meta"]["decides"] == sorted(votes)
    assert adjudicate(folder, server).new == 0
    # One of the labels changes: the decision decides on what is no longer said.
    hands[0].change(changed, "unverifiable")
    pull(folder, server)
    report = adjudicate(folder, server)
    assert (report.stale, report.sent, report.decided, report.open) == (1, 1, 0, 1)
    assert labels_in(folder)[-1]["status"] == "cancelled"
    assert labels_in(folder)[-1]["meta"]["why"].startswith("stale")
    load_claim_set(folder)


def test_a_second_look_is_blind_and_settles_nothing_by_itself(
    folder: Path,
    server: Server,
    hands: list[Hand],
    tasks_of: Tasks,
    raw_tasks: Callable[[int], list[dict[str, Any]]],
) -> None:
    push(folder, server, PushOptions(overlap=2))
    tasks = tasks_of(folder)
    for hand in hands[:2]:
        hand.label(tasks["c1"], "supported")
    pull(folder, server)
    assert adjudicate(folder, server).candidates == 0
    report = second_look(folder, server, ["c1"])
    project = int(report.link.split("/projects/")[1].split("/")[0])
    assert set(raw_tasks(project)[0]["data"]) == {"item_id", "claim", "context"}
    hands[2].label(tasks_of(folder, "second_look")["c1"], "contradicted")
    assert second_look(folder, server, ["c1"]).decided == 1
    assert ("c1", "a3") not in standing(folder)
    looked = (folder / "studio" / "second_looks.jsonl").read_text()
    assert '"second_look":true' in looked
    report = adjudicate(folder, server)
    assert (report.candidates, report.sent) == (1, 1)
    hands[2].label(tasks_of(folder, "adjudication")["c1"], "contradicted")
    adjudicate(folder, server)
    decision = labels_in(folder)[-1]
    assert decision["meta"]["second_look"] is True
    with pytest.raises(UsageError, match="no claim 'c99'"):
        second_look(folder, server, ["c99"])


def test_judges_are_shown_only_after_labelling_is_closed(
    folder: Path,
    server: Server,
    hands: list[Hand],
    tasks_of: Tasks,
    raw_tasks: Callable[[int], list[dict[str, Any]]],
) -> None:
    push(folder, server, PushOptions(overlap=1))
    verdicts = {"c1": {"lexical": "contradicted"}}
    with pytest.raises(UsageError, match="labelling is not closed: 0 of 6"):
        review_with_judges(folder, server, verdicts)
    for task in tasks_of(folder).values():
        hands[0].label(task, "supported")
    report = review_with_judges(folder, server, verdicts)
    project = int(report.link.split("/projects/")[1].split("/")[0])
    votes = raw_tasks(project)[0]["data"]["votes"]
    assert votes == [{"judge": "lexical", "verdict": "contradicted"}]
    hands[0].label(tasks_of(folder, "review")["c1"], "contradicted")
    review_with_judges(folder, server, verdicts)
    assert not labels_in(folder)  # a review is no label
    assert "contradicted" in (folder / "studio" / "reviews.jsonl").read_text()


def test_planted_repeats_measure_people_and_are_no_votes(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    report = push(folder, server, PushOptions(duplicates=0.3))
    assert report.added == 8
    tasks = tasks_of(folder)
    planted = [name for name in tasks if name.endswith("+1")]
    assert len(planted) == 2
    name = planted[0].removesuffix("+1")
    hands[0].label(tasks[name], "supported")
    hands[0].label(tasks[planted[0]], "contradicted")
    result = pull(folder, server)
    assert standing(folder) == {(name, "a1"): "supported"}
    assert result.counts["planted repeats answered"] == 1
    repeat = json.loads((folder / "studio" / "repeats.jsonl").read_text())
    assert (repeat["claim_id"], repeat["label"]) == (name, "contradicted")
    assert push(folder, server).added == 0  # the share is remembered


def test_redacted_text_never_goes_up_and_spans_find_their_way_back(
    folder: Path,
    server: Server,
    hands: list[Hand],
    tasks_of: Tasks,
    raw_tasks: Callable[[int], list[dict[str, Any]]],
) -> None:
    with (folder / "set.toml").open("a", encoding="utf-8") as handle:
        handle.write("redact = ['Plan \\d+']\n")
    report = push(folder, server)
    tasks = raw_tasks(report.projects[0])
    assert "Plan" not in json.dumps(tasks)
    context = next(task["data"]["context"] for task in tasks)
    start = context.index("12 euros")
    hands[0].label(tasks_of(folder)["c3"], "supported", spans=[(start, start + 8, "12 euros")])
    pull(folder, server)
    assert labels_in(folder)[0]["evidence"] == [
        {"chunk": 0, "start": 10, "end": 18, "text": "12 euros"}
    ]


def test_tokens_of_both_kinds_work(folder: Path, studio: LabelStudio, people: list[Person]) -> None:
    assert push(folder, Server(studio.url + "/", people[0].token)).added == 6
    assert push(folder, Server(studio.url + "/", people[0].personal)).there == 6
    with pytest.raises(
        StudioError, match=r"given was a legacy token of 40 characters.*Access Token"
    ):
        push(folder, Server(studio.url + "/", "0" * 40))


def test_legacy_tokens_switched_off_are_said_to_be(folder: Path, studio: LabelStudio) -> None:
    settings = {"api_tokens_enabled": True, "legacy_api_tokens_enabled": True}
    path = "/api/jwt/settings"
    owner = studio.api("POST", "/api/token/", {})["token"]
    studio.api("POST", path, {**settings, "legacy_api_tokens_enabled": False})
    try:
        with pytest.raises(StudioError, match="legacy tokens switched off: make a personal"):
            push(folder, Server(studio.url + "/", studio.token))
        assert push(folder, Server(studio.url + "/", owner)).added == 6
    finally:
        from label_studio_sdk import LabelStudio as Client

        client: Any = Client(base_url=studio.url, api_key=owner)
        client.jwt_settings.update(api_token_ttl_days=30, **settings)


def test_a_deleted_project_is_said_to_be_gone(
    folder: Path, server: Server, studio: LabelStudio, hands: list[Hand], tasks_of: Tasks
) -> None:
    report = push(folder, server)
    hands[0].label(tasks_of(folder)["c1"], "supported")
    pull(folder, server)
    before = labels_in(folder)
    studio.api("DELETE", f"/api/projects/{report.projects[0]}/")
    for call in (pull, push, status):
        with pytest.raises(StudioError, match="is gone: no project's description holds"):
            call(folder, server)
    assert labels_in(folder) == before
    assert push(folder, server, PushOptions(new_project=True)).added == 6


def test_somebody_elses_tasks_in_the_project_are_passed_over(
    folder: Path, server: Server, studio: LabelStudio, hands: list[Hand]
) -> None:
    report = push(folder, server)
    body = [{"data": {"item_id": "theirs", "claim": "x", "context": "y"}}]
    path = f"/api/projects/{report.projects[0]}/import?return_task_ids=true"
    task = studio.api("POST", path, body)["task_ids"][0]
    hands[0].label(task, "supported")
    assert push(folder, server).foreign == 1
    result = pull(folder, server)
    assert result.counts["tasks not ours"] == 1
    assert [one.why for one in result.unused] == ["unknown item: no task of this set"]
    assert not labels_in(folder)


def test_the_same_item_twice_on_the_server_is_one_claim(
    folder: Path,
    server: Server,
    studio: LabelStudio,
    hands: list[Hand],
    tasks_of: Tasks,
    raw_tasks: Callable[[int], list[dict[str, Any]]],
) -> None:
    report = push(folder, server)
    first = tasks_of(folder)["c1"]
    data = next(task["data"] for task in raw_tasks(report.projects[0]) if task["id"] == first)
    path = f"/api/projects/{report.projects[0]}/import?return_task_ids=true"
    twin = studio.api("POST", path, [{"data": data}])["task_ids"][0]
    hands[0].label(first, "supported")
    hands[0].label(twin, "contradicted")
    hands[1].label(first, "unverifiable")
    result = pull(folder, server)
    assert standing(folder) == {("c1", "a1"): "contradicted", ("c1", "a2"): "unverifiable"}
    assert result.counts["tasks twice on the server"] == 1
    assert "which is the same item" in result.unused[0].why


def test_a_new_guideline_stands_on_the_labels_given_under_it(
    folder: Path, server: Server, hands: list[Hand], tasks_of: Tasks
) -> None:
    push(folder, server)
    hands[0].label(tasks_of(folder)["c1"], "supported")
    (folder / "guideline.md").write_text("A new guideline.\n", encoding="utf-8")
    push(folder, server)
    hands[0].label(tasks_of(folder)["c2"], "supported")
    pull(folder, server)
    one, two = (row["guideline"] for row in labels_in(folder))
    assert one != two
    kept = {path.stem for path in (folder / "studio" / "guidelines").iterdir()}
    assert kept == {one[:16], two[:16]}
