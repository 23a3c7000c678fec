"""A model server that answers at once, in a process of its own: the client is all that is timed.

Run as a program: prints its port, then serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from types import TracebackType

BODY = json.dumps(
    {
        "id": "x", "object": "chat.completion", "created": 1, "model": "instant",
        "choices": [
            {
                "index": 0, "finish_reason": "stop",
                "message": {
                    "role": "assistant",
                    "content": '{"rationale": "It says so.", "label": "supported"}',
                },
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
).encode()  # fmt: skip
REPLY = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    + f"Content-Length: {len(BODY)}\r\n\r\n".encode()
    + BODY
)


class Instant(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.held = b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        while True:
            head, found, rest = self.held.partition(b"\r\n\r\n")
            if not found:
                return
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            if len(rest) < length:
                return
            self.held = rest[length:]
            self.transport.write(REPLY)


async def serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Instant, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


class InstantServer:
    def __enter__(self) -> str:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        return f"http://127.0.0.1:{int(self._process.stdout.readline())}/v1"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)


if __name__ == "__main__":
    asyncio.run(serve())
