"""A server on the loopback that answers as the model hub does, for one repository."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType


class FakeHub:
    """Serves the files of `folder` as the repository `name` at one commit."""

    def __init__(self, name: str, folder: Path, *, commit: str) -> None:
        self.asked: list[str] = []
        self.fetched: set[str] = set()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_HEAD(self) -> None:
                self._answer(body=False)

            def do_GET(self) -> None:
                self._answer(body=True)

            def log_message(self, *args: object) -> None:
                pass

            def _answer(self, *, body: bool) -> None:
                path = self.path.partition("?")[0]
                hub.asked.append(path)
                if path.startswith(f"/api/models/{name}"):
                    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*"))
                    if "/tree/" in path:
                        listed = [
                            {"type": "file", "path": file, "size": 1, "oid": "0" * 40}
                            for file in files
                        ]
                        self._send(
                            json.dumps(listed).encode(), {"Content-Type": "application/json"}
                        )
                        return
                    info = {
                        "id": name,
                        "sha": commit,
                        "siblings": [{"rfilename": f} for f in files],
                    }
                    self._send(json.dumps(info).encode(), {"Content-Type": "application/json"})
                    return
                file = path.removeprefix(f"/{name}/resolve/").partition("/")[2]
                if not path.startswith(f"/{name}/resolve/") or not (folder / file).is_file():
                    headers = {"X-Error-Code": "RepoNotFound", "X-Error-Message": "not found"}
                    self._send(b"", headers, status=404, body=body)
                    return
                if body:
                    hub.fetched.add(file)
                data = (folder / file).read_bytes()
                etag = f'"{hashlib.sha1(data, usedforsecurity=False).hexdigest()}"'
                self._send(data, {"ETag": etag, "X-Repo-Commit": commit}, body=body)

            def _send(
                self, data: bytes, headers: dict[str, str], *, status: int = 200, body: bool = True
            ) -> None:
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if body:
                    self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeHub:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
