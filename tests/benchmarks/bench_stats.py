"""What the statistics cost, and what the same costs elsewhere: prints a Markdown table.

    python tests/benchmarks/bench_stats.py [--scale 1.0] [--peers PYTHON]

Each row runs in a process of its own, on one thread; CPU seconds are those of the work, without
imports and without making the data; peak memory is that of the whole process, the interpreter and
the data included. ``--peers`` names an interpreter in which the other tools are installed (default:
this one; or the environment variable VOIRDIRE_PEERS); a tool that is not there is said to be not
installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass

DATA = """
import numpy as np
rng = np.random.default_rng(11)
human = rng.integers(0, 3, items)
judge = np.where(rng.random(items) < 0.75, human, rng.integers(0, 3, items))
family = np.arange(items) // 3
"""

OURS = """
from voirdire import stats
from voirdire.stats.coefficients import of_sums
from voirdire.stats.tables import kappa
function = of_sums(kappa, 3)
"""


@dataclass(frozen=True)
class Task:
    """One row: what is measured, on how many items, and the program's two parts."""

    name: str
    items: int
    setup: str
    work: str
    target: str = ""
    peer: bool = False


TASKS = [
    Task(
        "counts per family, integer labels",
        1_000_000,
        DATA + OURS,
        "stats.family_counts(human, judge, family=family)",
    ),
    Task(
        "counts per family, string labels",
        1_000_000,
        DATA
        + OURS
        + "names = np.array(['contradicted', 'unverifiable', 'supported'])\n"
        + "human, judge = names[human].tolist(), names[judge].tolist()\n"
        + "family = [f'f{x}' for x in family.tolist()]\n",
        "stats.family_counts(human, judge, family=family)",
    ),
    Task(
        "kappa, linearised standard error (with counting)",
        1_000_000,
        DATA + OURS,
        "counts = stats.family_counts(human, judge, family=family)\n"
        "stats.linearised_se(counts, function)",
    ),
    Task(
        "kappa, full delete-one-family jackknife interval (with counting)",
        1_000_000,
        DATA + OURS,
        "stats.kappa(human, judge, family=family)",
        "<= 0.8 s",
    ),
    Task(
        "kappa, 200 Poisson resamples (with counting)",
        1_000_000,
        DATA + OURS,
        "counts = stats.family_counts(human, judge, family=family)\n"
        "stats.bootstrap_replicates(counts, function, resamples=200, rng=1, poisson=True)",
    ),
    Task(
        "kappa, 2,000 resamples of items",
        100_000,
        DATA + OURS,
        "counts = stats.family_counts(human, judge)\n"
        "stats.bootstrap_replicates(counts, function, resamples=2000, rng=1)",
        "< 1 s, < 300 MB",
    ),
    Task(
        "kappa, 2,000 resamples of families",
        100_000,
        DATA + OURS,
        "counts = stats.family_counts(human, judge, family=family)\n"
        "stats.bootstrap_replicates(counts, function, resamples=2000, rng=1)",
        "< 1 s, < 300 MB",
    ),
    Task(
        "kappa, 2,000 resamples of families of 30, all tables different",
        100_000,
        DATA + OURS + "family = np.arange(items) // 30\n",
        "counts = stats.family_counts(human, judge, family=family)\n"
        "stats.bootstrap_replicates(counts, function, resamples=2000, rng=1)",
        "< 1 s, < 300 MB",
    ),
    Task(
        "alpha of two raters, 2,000 resamples of items",
        100_000,
        DATA
        + OURS
        + "from voirdire.stats.krippendorff import alpha_recipe\n"
        + "ratings = np.column_stack([human, judge])\n",
        "sums, recipe, _ = alpha_recipe(ratings, None, None)\n"
        "stats.bootstrap_replicates(sums, recipe.value, resamples=2000, rng=1)",
        "< 1 s, < 300 MB",
    ),
    Task(
        "corrected success rate, 2,000 resamples of items",
        100_000,
        DATA
        + OURS
        + "def corrected(T):\n"
        + "    spec, sens = T[..., 0] / T[..., :2].sum(-1), T[..., 3] / T[..., 2:].sum(-1)\n"
        + "    return ((judge > 1).mean() + spec - 1) / (sens + spec - 1)\n",
        "counts = stats.family_counts((human > 1).astype(int), (judge > 1).astype(int))\n"
        "stats.bootstrap_replicates(counts, corrected, resamples=2000, rng=1)",
        "< 1 s, < 300 MB",
    ),
    Task(
        "evalaudit: alpha of two raters, 2,000 resamples of items",
        100_000,
        DATA
        + "import pandas as pd\n"
        + "from evalaudit import rater_agreement\n"
        + "n = np.arange(items)\n"
        + "frame = pd.DataFrame({'item_id': np.tile(n, 2),"
        + " 'rater_id': np.repeat(['a', 'b'], items), 'rating': np.concatenate([human, judge])})\n",
        "rater_agreement(frame, level='nominal', n_boot=2000)",
        peer=True,
    ),
    Task(
        "judgy: corrected success rate, 2,000 resamples of items",
        100_000,
        DATA
        + "from judgy import estimate_success_rate\n"
        + "human, judge = (human > 1).astype(int), (judge > 1).astype(int)\n",
        "estimate_success_rate(human, judge, judge, bootstrap_iterations=2000)",
        peer=True,
    ),
]

PROGRAM = """
import json, resource, time
items = {items}
{setup}
before = time.process_time()
{work}
seconds = time.process_time() - before
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"seconds": seconds, "peak": peak}}))
"""


def run(task: Task, scale: float, peers: str) -> dict[str, float] | str:
    """CPU seconds and peak megabytes of one task, or why there are none."""
    program = PROGRAM.format(
        items=max(300, int(task.items * scale)),
        setup=textwrap.dedent(task.setup),
        work=textwrap.dedent(task.work),
    )
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(
        [peers if task.peer else sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **single},
        check=False,
    )
    if done.returncode == 0:
        result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
        return result
    last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "failed"
    return "not installed" if "ModuleNotFoundError" in last else last


def table(scale: float, peers: str) -> str:
    """All tasks as a Markdown table."""
    lines = ["| what | items | CPU s | peak MB | target |", "|---|---:|---:|---:|---|"]
    for task in TASKS:
        found = run(task, scale, peers)
        items = f"{max(300, int(task.items * scale)):,}"
        if isinstance(found, str):
            lines.append(f"| {task.name} | {items} | {found} | | {task.target} |")
        else:
            numbers = f"{found['seconds']:.3f} | {found['peak']:.0f}"
            lines.append(f"| {task.name} | {items} | {numbers} | {task.target} |")
    return "\n".join(lines)


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full sizes")
    parser.add_argument(
        "--peers",
        default=os.environ.get("VOIRDIRE_PEERS", sys.executable),
        help="interpreter in which the other tools are installed",
    )
    options = parser.parse_args()
    print(table(options.scale, options.peers))


if __name__ == "__main__":
    main()
