"""Faults between us and a real Label Studio: no duplicate, no lost label, no traceback."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.labels.studio.conftest import Hand, labels_in
from tests.servers.fault_server import FaultServer, Rule
from tests.servers.label_studio import LabelStudio
from voirdire.labels import write_claim_set
from voirdire.labels.studio import PushOptions, Server, StudioError, pull, push
from voirdire.labels.studio import client as client_module
from voirdire.records import Claim

Make = Callable[..., Path]
Raw = Callable[[int], list[dict[str, Any]]]
IMPORT = "/import"


@pytest.fixture
def folder(make_set: Make, claim: Callable[..., dict[str, Any]]) -> Path:
    return make_set(claims=[claim(n) for n in range(1, 13)], labels=[])


def sent(raw_tasks: Raw, projects: tuple[int, ...]) -> list[str]:
    return [task["data"]["item_id"] for one in projects for task in raw_tasks(one)]


def through(faulty: FaultServer, studio: LabelStudio) -> Server:
    return Server(faulty.url + "/", studio.token)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("POST", IMPORT, when="after", status=500),
        Rule("POST", IMPORT, when="after", status=502, body="<html><title>Bad gateway</title>"),
        Rule("POST", IMPORT, when="after", what="drop"),
        Rule("POST", IMPORT, what="truncate"),
        Rule("POST", IMPORT, when="after", what="answer", status=200, body="<html>hello</html>"),
    ],
    ids=["500", "502", "dropped", "truncated", "html"],
)
def test_an_import_that_was_carried_out_and_not_confirmed_is_not_sent_again(
    rule: Rule, folder: Path, studio: LabelStudio, raw_tasks: Raw
) -> None:
    options = PushOptions(batch=5, patience=20)
    with FaultServer(studio.url, rules=[rule]) as faulty:
        report = push(folder, through(faulty, studio), options)
        assert faulty.count("POST", IMPORT) == 3
    found = sent(raw_tasks, report.projects)
    assert len(found) == len(set(found)) == 12


def test_a_timeout_after_which_the_server_goes_on_makes_no_duplicate(
    folder: Path, studio: LabelStudio, raw_tasks: Raw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        client_module.Studio.__init__, "__kwdefaults__", {"timeout": 5.0, "sleep": time.sleep}
    )
    rule = Rule("POST", IMPORT, when="after", what="hang", seconds=8)
    with FaultServer(studio.url, rules=[rule]) as faulty:
        report = push(folder, through(faulty, studio), PushOptions(patience=60))
        assert faulty.count("POST", IMPORT) == 1
    assert len(sent(raw_tasks, report.projects)) == 12


@pytest.mark.parametrize("what", ["answer", "drop"])
def test_an_import_that_was_not_carried_out_stops_and_the_next_push_goes_on(
    what: Any, folder: Path, studio: LabelStudio, raw_tasks: Raw
) -> None:
    rule = Rule("POST", IMPORT, what=what, skip=1)
    with FaultServer(studio.url, rules=[rule]) as faulty:
        with pytest.raises(
            StudioError, match="5 tasks got no answer and is not there.*run push again"
        ):
            push(folder, through(faulty, studio), PushOptions(batch=5, patience=1))
        report = push(folder, through(faulty, studio), PushOptions(batch=5))
    assert (report.added, report.there) == (7, 5)
    found = sent(raw_tasks, report.projects)
    assert len(found) == len(set(found)) == 12


def test_too_many_requests_are_waited_for(
    folder: Path, studio: LabelStudio, raw_tasks: Raw
) -> None:
    rules = [
        Rule("POST", IMPORT, status=429, headers={"Retry-After": "1"}, times=2),
        Rule("GET", "/api/tasks", status=429, headers={"Retry-After": "1"}),
    ]
    start = time.monotonic()
    with FaultServer(studio.url, rules=rules) as faulty:
        report = push(folder, through(faulty, studio))
        assert faulty.count("POST", IMPORT) == 3
    assert time.monotonic() - start >= 3
    assert len(sent(raw_tasks, report.projects)) == 12


def test_a_project_made_without_an_answer_is_found_by_its_marker(
    folder: Path, studio: LabelStudio
) -> None:
    rule = Rule("POST", "/api/projects", when="after", status=500)
    with FaultServer(studio.url, rules=[rule]) as faulty:
        report = push(folder, through(faulty, studio))
    key = json.loads((folder / "studio" / "push.json").read_text())["key"][:16]
    marked = [
        one["id"]
        for one in studio.api("GET", "/api/projects?page_size=1000")["results"]
        if key in (one["description"] or "")
    ]
    assert marked == list(report.projects)


def test_a_sub_path_is_part_of_the_address(folder: Path, studio: LabelStudio) -> None:
    with FaultServer(studio.url, prefix="/labels/here") as faulty:
        owner = studio.person(f"sub{os.getpid()}")
        assert push(folder, Server(faulty.url + "/", owner.token)).added == 12
        assert push(folder, Server(faulty.url + "/", owner.personal)).there == 12
        wrong = Server(faulty.url.removesuffix("/here") + "/", owner.token)
        with pytest.raises(StudioError, match="check LABEL_STUDIO_URL"):
            push(folder, wrong)


@pytest.mark.parametrize(
    "rule",
    [
        Rule("GET", "/download", what="truncate", times=-1),
        Rule("GET", "/download", status=200, body="[{}", times=-1),
        Rule("GET", "/download", what="drop", times=-1),
        Rule("GET", "/download", status=404, body="<html>", times=-1),
        Rule("POST", "/exports", status=500, times=-1),
        Rule("GET", "/api/tasks", what="drop", times=-1),
    ],
    ids=["truncated", "half json", "dropped", "404", "500", "listing"],
)
def test_a_dump_that_cannot_be_had_whole_changes_nothing(
    rule: Rule, folder: Path, studio: LabelStudio, server: Server, hands: list[Hand], raw_tasks: Raw
) -> None:
    report = push(folder, server)
    hands[0].label(raw_tasks(report.projects[0])[0]["id"], "supported")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with FaultServer(studio.url, rules=[rule]) as faulty, pytest.raises(StudioError):
        pull(folder, through(faulty, studio))
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    changed = {path.name for path in after if after[path] != before.get(path)}
    assert changed <= {".lock"}
    assert pull(folder, server).counts["labels"] == 1


def test_one_failure_of_a_dump_is_got_over(
    folder: Path, studio: LabelStudio, server: Server, hands: list[Hand], raw_tasks: Raw
) -> None:
    report = push(folder, server)
    hands[0].label(raw_tasks(report.projects[0])[0]["id"], "supported")
    rules = [
        Rule("GET", "/download", what="truncate"),
        Rule("POST", "/exports", what="drop"),
        Rule("GET", "/api/projects/", status=502),
        Rule("GET", "/whoami", status=503),
    ]
    with FaultServer(studio.url, rules=rules) as faulty:
        assert pull(folder, through(faulty, studio)).counts["labels"] == 1


@pytest.mark.parametrize("moment", ["/whoami", "/exports", "/download", "/api/tasks"])
def test_a_project_deleted_in_mid_pull_is_no_empty_project(
    moment: str,
    folder: Path,
    studio: LabelStudio,
    server: Server,
    hands: list[Hand],
    raw_tasks: Raw,
) -> None:
    report = push(folder, server)
    hands[0].label(raw_tasks(report.projects[0])[0]["id"], "supported")
    pull(folder, server)
    before = labels_in(folder)

    def delete() -> None:
        studio.api("DELETE", f"/api/projects/{report.projects[0]}/")

    method = "POST" if moment == "/exports" else "GET"
    rule = Rule(method, moment, what="act", action=delete)
    with FaultServer(studio.url, rules=[rule]) as faulty:
        with pytest.raises(StudioError, match="gone|changed or was deleted|answered 404"):
            pull(folder, through(faulty, studio))
    assert rule.times == 0
    assert labels_in(folder) == before


def test_an_empty_dump_of_a_full_project_is_refused(
    folder: Path, studio: LabelStudio, server: Server
) -> None:
    push(folder, server)
    empty = Rule("GET", "/download", status=200, body="[]")
    with FaultServer(studio.url, rules=[empty]) as faulty:
        with pytest.raises(StudioError, match="fewer tasks than the project"):
            pull(folder, through(faulty, studio))


def test_killed_in_mid_push_and_pushed_again_is_complete(
    make_set: Make, claim: Callable[..., dict[str, Any]], server: Server, raw_tasks: Raw
) -> None:
    folder = make_set(claims=[claim(n) for n in range(1, 201)], labels=[])
    process = multiprocessing.get_context("spawn").Process(
        target=_push_slowly, args=(str(folder), server.url, server.key)
    )
    process.start()
    state = folder / "studio" / "push.json"
    end = time.monotonic() + 60
    there = 0
    while time.monotonic() < end and there < 10:
        time.sleep(0.2)
        if state.exists() and (found := json.loads(state.read_text())["projects"]):
            there = len(raw_tasks(found[0]["id"]))
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    assert 10 <= there < 200
    report = push(folder, server)
    assert report.added > 0
    found = sent(raw_tasks, report.projects)
    assert len(found) == len(set(found)) == 200


def _push_slowly(folder: str, url: str, key: str) -> None:
    push(Path(folder), Server(url, key), PushOptions(batch=5))


def test_five_thousand_tasks_go_up_and_come_down(
    tmp_path: Path, server: Server, studio: LabelStudio, hands: list[Hand], raw_tasks: Raw
) -> None:
    claims = [
        Claim(
            id=f"c{n}",
            family=f"f{n}",
            variant="original",
            claim=f"Plan {n} costs {n % 50} euros a month.",
            context=(f"Plan {n} is {n % 50} euros a month.", "Two seats are included."),
            language="en",
        )
        for n in range(5000)
    ]
    folder = tmp_path / "labels" / "big"
    write_claim_set(folder, claims)
    start = time.monotonic()
    report = push(folder, server)
    assert report.added == 5000
    assert push(folder, server).added == 0
    found = studio.api("GET", f"/api/tasks?project={report.projects[0]}&page_size=3")["tasks"]
    for task in found:
        hands[0].label(task["id"], "supported")
    result = pull(folder, server)
    assert result.counts["tasks of ours"] == 5000
    assert result.counts["labels"] == 3
    assert time.monotonic() - start < 240
