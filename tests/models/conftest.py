from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.faults import FaultServer


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running
