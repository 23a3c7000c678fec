"""A real Label Studio for tests: SQLite, loopback only, nothing leaves the machine.

The program is found by ``LS_SERVER_BIN`` or as ``label-studio`` on the path; it lives in an
environment of its own, since it pins what ours does not. The first start runs all migrations
(about 40 s of CPU); the migrated folder is kept in a cache and copied from then on.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import http.cookiejar
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest

ABSENT = (
    "LABEL STUDIO ABSENT: install label-studio into an environment of its own and set "
    "LS_SERVER_BIN to its program; the tests against a real server did not run"
)
ADMIN, PASSWORD = "admin@example.com", "admin-password-1"
TOKEN = hashlib.sha1(b"voirdire tests").hexdigest()
START_SECONDS = 400.0

_QUIET = {
    "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
    "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
    "LABEL_STUDIO_SENTRY_DSN": "",
    "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    "LABEL_STUDIO_FEATURE_FLAGS_OFFLINE": "true",
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
    "LABEL_STUDIO_TASK_LOCK_TTL": "3600",
    "NO_PROXY": "*",
}


def program() -> Path:
    """The server's program; skips the test loudly where there is none."""
    found = os.environ.get("LS_SERVER_BIN") or shutil.which("label-studio")
    if not found or not Path(found).exists():
        pytest.skip(ABSENT)
    return Path(found).absolute()


@dataclass(frozen=True)
class Person:
    """An account that can log in; the token and the personal access token of its owner."""

    id: int
    email: str
    token: str
    personal: str


class LabelStudio:
    """A server with a folder of its own, gone with it when it stops."""

    def __init__(self, binary: Path) -> None:
        self.binary = binary
        self.port = 0
        self.token = TOKEN
        self._process: subprocess.Popen[bytes] | None = None
        fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._root = Path(tempfile.mkdtemp(prefix="voirdire-ls-", dir=fast))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        try:
            template = (
                _cache()
                / f"{_version(self.binary)}-{hashlib.sha256(TOKEN.encode()).hexdigest()[:8]}"
            )
            template.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with Path(f"{template}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # parallel workers: one migrates, others copy
                fresh = not template.is_dir()
                if not fresh:
                    shutil.copytree(template, self._data)
                self._run()
                if fresh:
                    part = Path(tempfile.mkdtemp(dir=template.parent)) / "data"
                    shutil.copytree(self._data, part)
                    part.rename(template)
                    part.parent.rmdir()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(20)
            self._process = None
        shutil.rmtree(self._root, ignore_errors=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def api(
        self, method: str, path: str, body: Any = None, *, token: str = "", timeout: float = 300
    ) -> Any:
        """A call of the API as its owner, or as whose token is given."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Token {token or self.token}"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with _opener().open(request, timeout=timeout) as answer:
                raw = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from None
        return json.loads(raw) if raw else None

    def person(self, name: str) -> Person:
        """Sign somebody up through the invite link, the only way to an account that can log in."""
        email = f"{name}@example.com"
        invite = self.api("GET", "/api/invite")["token"]
        jar = http.cookiejar.CookieJar()
        opener = _opener(urllib.request.HTTPCookieProcessor(jar), _NoRedirect())
        path = f"/user/signup/?token={invite}"
        opener.open(self.url + path, timeout=60).read()
        csrf = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
        form = {
            "email": email,
            "password": PASSWORD,
            "allow_newsletters": "",
            "csrfmiddlewaretoken": csrf,
        }
        request = urllib.request.Request(self.url + path, urllib.parse.urlencode(form).encode())
        request.add_header("Referer", self.url + path)
        with contextlib.suppress(urllib.error.HTTPError):  # 302: done
            opener.open(request, timeout=60).read()

        def own(method: str, path: str, data: bytes | None = None) -> Any:
            call = urllib.request.Request(self.url + path, data, method=method)
            call.add_header("Content-Type", "application/json")
            return json.loads(opener.open(call, timeout=60).read())

        me = own("GET", "/api/current-user/whoami")
        assert me["email"] == email, me
        token = own("GET", "/api/current-user/token")["token"]
        return Person(me["id"], email, token, own("POST", "/api/token/", b"{}")["token"])

    def log(self) -> str:
        """The end of what the server said."""
        path = self._root / "server.log"
        return path.read_text(errors="replace")[-3000:] if path.exists() else ""

    @property
    def _data(self) -> Path:
        return self._root / "data"

    def _run(self) -> None:
        self._data.mkdir(exist_ok=True)
        for _ in range(4):
            self.port = _free_port()
            self._spawn()
            if self._ready():
                return
        raise AssertionError(f"no free port for Label Studio:\n{self.log()}")

    def _spawn(self) -> None:
        with (self._root / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(str(self.binary), "start", "--no-browser", "--internal-host", "127.0.0.1"),
                    *("--port", str(self.port), "--enable-legacy-api-token"),
                    *("--log-level", "ERROR"),
                ],
                cwd=self._root,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _environment(self) -> dict[str, str]:
        # Not ours: the server reads bare names too (HOST, PORT, DEBUG, SECRET_KEY …).
        kept = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR")
        home = self._root / "home"
        home.mkdir(exist_ok=True)
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            **_QUIET,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "LABEL_STUDIO_BASE_DATA_DIR": str(self._data),
            "LABEL_STUDIO_USERNAME": ADMIN,
            "LABEL_STUDIO_PASSWORD": PASSWORD,
            "LABEL_STUDIO_USER_TOKEN": TOKEN,
        }

    def _ready(self) -> bool:
        """Wait until it answers as ours; False if another took the port."""
        assert self._process is not None
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise AssertionError(f"Label Studio ended during its start:\n{self.log()}")
            if f"Port {self.port} is in use" in self.log():
                self._process.terminate()
                self._process.wait(20)
                return False
            with contextlib.suppress(OSError, ValueError, AssertionError):
                who = self.api("GET", "/api/current-user/whoami", timeout=10)
                return bool(who["email"] == ADMIN)
            time.sleep(0.2)
        raise AssertionError(f"Label Studio was not ready in time:\n{self.log()}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(*handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _cache() -> Path:
    named = os.environ.get("LS_SERVER_CACHE")
    return Path(named) if named else Path(tempfile.gettempdir()) / f"voirdire-ls-{os.getuid()}"


def _version(binary: Path) -> str:
    """The release, without running the program (that costs seconds)."""
    for folder in sorted(
        binary.parent.parent.glob("lib/python*/site-packages/label_studio-*.dist-info")
    ):
        found = re.fullmatch(r"label_studio-([0-9][^-]*)\.dist-info", folder.name)
        if found:
            return found.group(1)
    return f"unknown-{binary.stat().st_size}"
