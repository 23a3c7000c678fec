"""The labelling server through its SDK: few calls, each with its failures told apart.

The SDK would repeat requests that write, after failures that may have come after the work was
done. Its retries are off; a request that reads is repeated here, and one that writes only when
the server said that it did not carry it out (429).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from voirdire.errors import InputError, UsageError
from voirdire.labels.studio.connection import Server, public_url
from voirdire.labels.studio.failures import StudioError, UnknownOutcome, detail_of, refused

__all__ = ["Project", "Studio", "TaskRow", "check_offline"]

R = TypeVar("R")

TIMEOUT: Final = 600.0
"""Seconds; a dump of some thousand tasks takes minutes on a busy server."""
READ_TRIES, WAIT_TRIES = 3, 6
PAGE = 1000
_MAX_WAIT = 60.0
_ONCE: Final = {"max_retries": 0}


@dataclass(frozen=True, slots=True)
class Project:
    """A project as the server has it."""

    id: int
    title: str
    description: str
    screen: str
    instruction: str
    overlap: int


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task's number on the server and our opaque id; empty if it is no task of ours."""

    id: int
    item: str


def check_offline(screen: str, where: str = "labelling screen") -> None:
    """Have the client's own parser check a screen: tags, names and what they refer to.

    Raises
    ------
    InputError
        If it refuses.
    """
    from label_studio_sdk import label_interface

    parser: Any = label_interface
    try:
        parser.LabelInterface(screen).validate()
    except Exception as error:  # its own classes share no base
        raise InputError(
            f"Label Studio's parser refuses the screen: {detail_of(str(error))}", where=where
        ) from error


class _NoProject(StudioError):
    """The project is not there (any more)."""


class Studio:
    """A labelling server.

    Parameters
    ----------
    server : Server
    timeout : float
        Seconds for one request.
    sleep : callable
        Takes seconds.
    """

    def __init__(
        self,
        server: Server,
        *,
        timeout: float = TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        import label_studio_sdk

        client: Any = label_studio_sdk.LabelStudio
        self.server = server
        self.url = public_url(server.url)
        self._sleep = sleep
        with self._translated("use the address and the token"):
            self._sdk: Any = client(base_url=server.url, api_key=server.key, timeout=timeout)

    def check(self) -> str:
        """Prove that Label Studio answers there and knows the token; returns its release.

        Raises
        ------
        StudioError
            If it does not.
        """
        found = self._read("ask who I am", lambda: self._sdk.users.whoami(request_options=_ONCE))
        if not isinstance(getattr(found, "email", None), str):
            raise refused(
                200, "", doing="ask who I am", url=self.url, token=self.server.token_words
            )
        version = self._read(
            "ask for the release", lambda: self._sdk.versions.get(request_options=_ONCE)
        )
        return str(getattr(version, "release", "") or "")

    def project(self, project_id: int) -> Project | None:
        """A project; None if there is none of that number."""
        try:
            found = self._read(
                "look the project up",
                lambda: self._sdk.projects.get(id=project_id, request_options=_ONCE),
            )
        except _NoProject:
            return None
        return Project(
            id=project_id,
            title=str(found.title or ""),
            description=str(found.description or ""),
            screen=str(found.label_config or ""),
            instruction=str(getattr(found, "expert_instruction", "") or ""),
            overlap=int(getattr(found, "maximum_annotations", 1) or 1),
        )

    def marked(self, marker: str) -> list[int]:
        """Numbers of the projects whose description holds a marker, oldest first."""

        def listed() -> list[int]:
            pages = self._sdk.projects.list(
                include="id,title,description", page_size=PAGE, request_options=_ONCE
            )
            return sorted(int(one.id) for one in pages if marker in str(one.description or ""))

        return self._read("list the projects", listed)

    def create(self, *, title: str, **settings: Any) -> int:
        """Make a project; its number.

        Raises
        ------
        UnknownOutcome
            If there was no answer: look for the marker.
        """
        made = self._write(
            "make a project",
            lambda: self._sdk.projects.create(title=title, request_options=_ONCE, **settings),
        )
        if not isinstance(getattr(made, "id", None), int):
            raise UnknownOutcome("the server's answer holds no project number", where=self.url)
        return int(made.id)

    def update(self, project_id: int, **settings: Any) -> None:
        """Change a project's settings; the same twice is no harm."""
        self._read(
            "change the project's settings",
            lambda: self._sdk.projects.update(id=project_id, request_options=_ONCE, **settings),
        )

    def validate(self, project_id: int, screen: str) -> None:
        """Have the server check a screen against its own rules and the labels given so far."""
        self._read(
            "put the labelling screen to the server",
            lambda: self._sdk.projects.validate_label_config(
                id=project_id, label_config=screen, request_options=_ONCE
            ),
        )

    def tasks(self, project_id: int) -> list[TaskRow]:
        """Every task of a project.

        Raises
        ------
        StudioError
            If fewer came than the server announced: the project changed meanwhile, or is gone.
        """
        return self._read("list the tasks", lambda: self._tasks(project_id))

    def send(self, project_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Import tasks in one call, which the server carries out whole or not at all.

        Raises
        ------
        UnknownOutcome
            If there was no answer.
        """
        body = [{"data": dict(row)} for row in rows]
        done = self._write(
            f"import {len(body):,} tasks",
            lambda: self._sdk.projects.import_tasks(
                id=project_id, request=body, return_task_ids=True, request_options=_ONCE
            ),
        )
        if getattr(done, "task_count", None) != len(body):
            raise UnknownOutcome(
                f"of {len(body):,} tasks the server counts {getattr(done, 'task_count', None)}",
                where=self.url,
            )

    def snapshot(self, project_id: int) -> list[dict[str, Any]]:
        """Everything in a project: tasks with all annotations, skipped ones too.

        Raises
        ------
        StudioError
            If it cannot be had whole.
        """
        data = self._read("take a snapshot of the project", lambda: self._dump(project_id))
        try:
            found = json.loads(data)
        except ValueError as error:
            raise StudioError(
                f"the snapshot is cut off or no JSON ({len(data):,} bytes)",
                where=self.url,
                todo="run the same command again; nothing was changed",
            ) from error
        if not isinstance(found, list) or not all(isinstance(task, dict) for task in found):
            raise StudioError("the snapshot is no list of tasks", where=self.url)
        return found

    def emails(self) -> dict[int, str]:
        """Person's number to e-mail; only called when a user asks for it."""
        found = self._read("list the people", lambda: self._sdk.users.list(request_options=_ONCE))
        return {int(one.id): str(one.email) for one in found}

    def _tasks(self, project_id: int) -> list[TaskRow]:
        pages = self._sdk.tasks.list(
            project=project_id,
            page_size=PAGE,
            fields="task_only",
            include="id,data",
            request_options=_ONCE,
        )
        rows = []
        for task in pages:
            data = task.data if isinstance(task.data, dict) else {}
            rows.append(TaskRow(int(task.id), str(data.get("item_id") or "")))
        # The pager takes a 404 for the end of the list: only the announced total tells.
        total = getattr(getattr(pages, "response", None), "total", None)
        if isinstance(total, int) and total != len(rows):
            raise StudioError(
                f"{len(rows):,} tasks came, {total:,} were announced: the project changed or "
                "was deleted meanwhile",
                where=self.url,
                todo="run the same command again; nothing was changed",
            )
        return rows

    def _dump(self, project_id: int) -> bytes:
        exports = self._sdk.projects.exports
        made = exports.create(project_id, title="voirdire pull", request_options=_ONCE)
        try:
            parts = exports.download(id=project_id, export_pk=made.id, request_options=_ONCE)
            return b"".join(parts)
        finally:
            with suppress(Exception):  # a dump that stays on the server is no reason to fail
                exports.delete(id=project_id, export_pk=made.id, request_options=_ONCE)

    def _read(self, doing: str, function: Callable[[], R]) -> R:
        """Call what changes nothing, or what does no harm twice; three times if it must be."""
        for attempt in range(1, READ_TRIES + 1):
            try:
                return self._patiently(doing, function)
            except UnknownOutcome:
                if attempt == READ_TRIES:
                    raise
                self._sleep(0.5 * attempt)
        raise AssertionError("unreachable")

    def _write(self, doing: str, function: Callable[[], R]) -> R:
        """Call what must not happen twice: once, unless the server says it did nothing."""
        return self._patiently(doing, function)

    def _patiently(self, doing: str, function: Callable[[], R]) -> R:
        for attempt in range(1, WAIT_TRIES + 1):
            try:
                with self._translated(doing):
                    return function()
            except _Later as later:
                if attempt == WAIT_TRIES:
                    raise later.error from later.__cause__
                self._sleep(min(later.seconds, _MAX_WAIT))
        raise AssertionError("unreachable")

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        """Turn what the client raises into errors that say what to do."""
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield
        except ApiError as error:
            raise self._answered(error, doing) from None
        except httpx.ConnectError:
            raise StudioError(
                f"cannot {doing}: nobody answers there",
                where=self.url,
                todo="start the server ('label-studio start'), or check LABEL_STUDIO_URL",
            ) from None
        except httpx.TimeoutException as error:
            raise UnknownOutcome(
                f"cannot {doing}: no answer in time ({type(error).__name__})",
                where=self.url,
                todo="the server may still be at work: wait, then run the same command again",
            ) from None
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL) as error:
            raise UsageError(f"cannot {doing}: {error}", where=self.url) from None
        except (httpx.HTTPError, json.JSONDecodeError) as error:
            raise UnknownOutcome(
                f"cannot {doing}: the connection broke or the answer was cut off "
                f"({type(error).__name__})",
                where=self.url,
                todo="run the same command again, nothing is sent twice",
            ) from None

    def _answered(self, error: Any, doing: str) -> Exception:
        status = error.status_code
        told = refused(status, error.body, doing=doing, url=self.url, token=self.server.token_words)
        if status == 404:
            return _NoProject(told.fault.what, where=told.fault.where, todo=told.fault.todo)
        if status == 429:
            return _Later(told, _retry_after(error))
        # A page with status 200 may come from a proxy in between, after the work was done.
        if status is not None and (status >= 500 or status < 300):
            return UnknownOutcome(told.fault.what, where=told.fault.where, todo=told.fault.todo)
        return told


class _Later(Exception):
    """The server did nothing and asks to be asked later."""

    def __init__(self, error: StudioError, seconds: float) -> None:
        super().__init__()
        self.error = error
        self.seconds = seconds


def _retry_after(error: Any) -> float:
    headers = getattr(error, "headers", None) or {}
    lowered = {str(name).lower(): value for name, value in headers.items()}
    try:
        return max(float(lowered.get("retry-after", 2)), 0.1)
    except ValueError:
        return 2.0
