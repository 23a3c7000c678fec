"""The benchmark script stays runnable; timings are printed by hand, never asserted."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bench_stats


def test_every_row_of_ours_runs_small() -> None:
    for task in bench_stats.TASKS:
        if not task.peer and "resamples" in task.name:
            assert isinstance(bench_stats.run(task, 0.001, sys.executable), dict), task.name


def test_a_missing_tool_is_said_to_be_missing() -> None:
    absent = bench_stats.Task("x", 10, "import no_such_tool_anywhere", "pass", peer=True)
    assert bench_stats.run(absent, 1.0, sys.executable) == "not installed"


def test_an_error_is_shown_not_hidden() -> None:
    broken = bench_stats.Task("x", 10, "", "1 / 0")
    assert bench_stats.run(broken, 1.0, sys.executable) == "ZeroDivisionError: division by zero"
