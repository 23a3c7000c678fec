"""The benchmark of traffic stays runnable; its timing is asserted when asked for by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import bench_score


def test_it_runs_small() -> None:
    found = bench_score.measure(50, corpus=20)
    assert found["cpu_seconds"] > 0
    assert found["peak_mb"] > 0


@pytest.mark.benchmark
def test_a_hundred_thousand_answers() -> None:
    found = bench_score.measure(100_000, corpus=20_000)
    assert found["cpu_seconds"] < 60
    assert found["peak_mb"] < 1000
