"""A real server for the session, people with accounts, and what they do through the API."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.label_studio import LabelStudio, Person, program
from voirdire.labels.studio import Server

FIXTURES = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def studio() -> Iterator[LabelStudio]:
    with LabelStudio(program()) as server:
        yield server


@pytest.fixture(scope="session")
def people(studio: LabelStudio) -> list[Person]:
    return [studio.person(name) for name in ("ann1", "ann2", "ann3")]


@pytest.fixture
def server(studio: LabelStudio) -> Server:
    return Server(studio.url + "/", studio.token)


class Hand:
    """What a person does on the server, through the API."""

    def __init__(self, studio: LabelStudio, person: Person) -> None:
        self.studio = studio
        self.person = person

    def label(self, task: int, verdict: str, **more: Any) -> int:
        return self.give(task, verdict_result(verdict, **more), lead_time=12.5)

    def give(self, task: int, result: Any, **fields: Any) -> int:
        body = {"result": result, **fields}
        found = self.studio.api(
            "POST", f"/api/tasks/{task}/annotations/", body, token=self.person.token
        )
        return int(found["id"])

    def skip(self, task: int, result: Any = ()) -> int:
        return self.give(task, list(result), was_cancelled=True)

    def change(self, annotation: int, verdict: str) -> None:
        body = {"result": verdict_result(verdict)}
        path = f"/api/annotations/{annotation}/"
        self.studio.api("PATCH", path, body, token=self.person.token)

    def delete(self, annotation: int) -> None:
        self.studio.api("DELETE", f"/api/annotations/{annotation}/", token=self.person.token)


def verdict_result(
    verdict: str,
    *,
    confidence: str | None = None,
    comment: str | None = None,
    spans: list[tuple[int, int, str]] | None = None,
) -> list[dict[str, Any]]:
    """A result as the browser makes it."""

    def part(name: str, to: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"{name}{len(value)}",
            "from_name": name,
            "to_name": to,
            "type": kind,
            "value": value,
        }

    result = [part("verdict", "claim", "choices", {"choices": [verdict]})]
    if confidence:
        result.append(part("confidence", "claim", "choices", {"choices": [confidence]}))
    if comment:
        result.append(part("comment", "claim", "textarea", {"text": [comment]}))
    for start, end, text in spans or []:
        value = {"start": start, "end": end, "text": text, "labels": ["evidence"]}
        result.append(part("evidence", "context", "labels", value))
    return result


@pytest.fixture
def hands(studio: LabelStudio, people: list[Person]) -> list[Hand]:
    return [Hand(studio, person) for person in people]


@pytest.fixture
def tasks_of(studio: LabelStudio) -> Callable[[Path], dict[str, int]]:
    """Claim id to task number of a pushed set; planted repeats as ``<claim id>+1``."""

    def found(folder: Path, kind: str = "labels", part: int = 0) -> dict[str, int]:
        state = json.loads((folder / "studio" / "push.json").read_text(encoding="utf-8"))
        project = next(
            one["id"] for one in state["projects"] if (one["kind"], one["part"]) == (kind, part)
        )
        names = {
            item["item"]: item["claim_id"]
            + (f"+{item['copy_number']}" if item["copy_number"] else "")
            for item in state["items"]
            if item["kind"] == kind
        }
        path = f"/api/tasks?project={project}&page_size=10000&fields=all"
        rows = studio.api("GET", path)["tasks"]
        return {
            names[row["data"]["item_id"]]: row["id"]
            for row in rows
            if row["data"]["item_id"] in names
        }

    return found


@pytest.fixture
def raw_tasks(studio: LabelStudio) -> Callable[[int], list[dict[str, Any]]]:
    """Every task of a project, as the API gives it."""

    def found(project: int) -> list[dict[str, Any]]:
        path = f"/api/tasks?project={project}&page_size=10000&fields=all"
        tasks: list[dict[str, Any]] = studio.api("GET", path)["tasks"]
        return tasks

    return found


def labels_in(folder: Path) -> list[dict[str, Any]]:
    """The lines of labels.jsonl."""
    path = folder / "labels.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def standing(folder: Path) -> dict[tuple[str, str], str | None]:
    """(claim, annotator) to label or status, of the records that stand."""
    rows = labels_in(folder)
    old = {row.get("supersedes") for row in rows}
    return {
        (row["claim_id"], row["annotator"]): row.get("label") or row["status"]
        for row in rows
        if row["id"] not in old
    }
