"""False alarms and power of the alert limits, by simulation of claims, runs and days.

Nothing changes unless a drop is planted, so every alarm is false by construction. Run it by hand::

    python -m tests.simulations.alarms 4000

prints the table of the README: shares of evaluations that fire.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voirdire import stats

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Design:
    """How claims, runs and days vary.

    Attributes
    ----------
    name : str
    items : int
        Claims of an evaluation.
    fresh : bool
        Drawn anew for each evaluation.
    deterministic : bool
        The judge never changes its mind.
    run_sd, day_sd : float
        Effects of a run and of a day on the logit.
    sessions : tuple of int
        Session of each calibration repeat; empty: no calibration, the history alone.
    rate : float or None
        All claims supported with this chance, instead of the mixture.
    """

    name: str
    items: int
    fresh: bool = False
    deterministic: bool = False
    run_sd: float = 0.25
    day_sd: float = 0.0
    sessions: tuple[int, ...] = (0, 1, 2, 3, 4)
    rate: float | None = None


DESIGNS = (
    Design("60 fixed claims", 60),
    Design("200 fixed claims", 200),
    Design("60 fresh claims", 60, fresh=True),
    Design("200 fresh claims", 200, fresh=True),
    Design("deterministic judge, 60 fresh claims", 60, fresh=True, deterministic=True),
    Design("days differ, calibrated in one session", 200, run_sd=0.1, day_sd=0.3,
           sessions=(0,) * 5),
    Design("days differ, calibrated over 4 sessions of 3", 200, run_sd=0.1, day_sd=0.3,
           sessions=(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3)),
    Design("no calibration, history of 4", 60, sessions=()),
    Design("0/1 verdicts at rate .5, 60 claims", 60, rate=0.5, run_sd=0.0),
    Design("0/1 verdicts at rate .9, 60 claims", 60, rate=0.9, run_sd=0.0),
)  # fmt: skip


@dataclass
class Shares:
    """Shares of evaluations that fire."""

    name: str
    warning: float = 0.0
    critical: float = 0.0
    naive_warning: float = 0.0
    naive_critical: float = 0.0
    drift: float = 0.0
    seen: dict[float, float] = field(default_factory=dict)

    def row(self) -> str:
        cells = [self.warning, self.critical, self.naive_warning, self.naive_critical, self.drift]
        cells += list(self.seen.values())
        shown = " | ".join("–" if math.isnan(x) else f"{x:.3f}".lstrip("0") for x in cells)
        return f"| {self.name} | {shown} |"


def simulate(
    design: Design, replicates: int, *, seed: int, drops: tuple[float, ...] = ()
) -> Shares:
    """Calibrate, run a history of 4, and look at one more evaluation; many times.

    The limits are the noise limits alone (margins 0); `drops` are relative, planted in the last
    evaluation, and their share counts warnings.
    """
    rng = np.random.default_rng(seed)
    fired: dict[Any, int] = {}

    def count(key: Any, yes: bool) -> None:
        fired[key] = fired.get(key, 0) + bool(yes)

    for _ in range(replicates):
        logit = _claims(design, rng)
        sd, df, centre, n = _calibrate(design, logit, rng)
        history = [_evaluate(design, logit, rng) for _ in range(4)]
        newest = _evaluate(design, logit, rng)

        def alarm(score: float, sd: Any = sd, df: Any = df, history: Any = history) -> Any:
            return stats.evaluation_alarm(
                sd, df, history, score, margin_warning=0.0, margin_critical=0.0
            ).state

        state = alarm(newest)
        count("warning", state != "ok")
        count("critical", state == "critical")
        naive = stats.naive_alarm(history, newest).state
        count("naive warning", naive != "ok")
        count("naive critical", naive == "critical")
        if sd and centre is not None:
            chart = stats.drift_chart([*history, newest], centre=centre, centre_n=n, sd=sd, df=df)
            count("drift", chart.drifted[-1])
        for drop in drops:
            count(drop, alarm(_evaluate(design, logit, rng, drop=drop)) != "ok")
    share = {key: number / replicates for key, number in fired.items()}
    return Shares(
        design.name,
        share["warning"],
        share["critical"],
        share["naive warning"],
        share["naive critical"],
        share.get("drift", math.nan),
        {drop: share[drop] for drop in drops},
    )


def _claims(design: Design, rng: np.random.Generator) -> Array:
    """Logits: 72 % of claims near-certain, 8 % near-zero, 20 % uncertain; or all of one rate."""
    n = design.items
    if design.rate is not None:
        return np.full(n, math.log(design.rate / (1 - design.rate)))
    kind = rng.random(n)
    return np.where(
        kind < 0.72,
        rng.normal(5.0, 1.0, n),
        np.where(kind < 0.80, rng.normal(-4.0, 1.0, n), rng.normal(0.5, 1.0, n)),
    )


def _verdicts(
    design: Design, logit: Array, rng: np.random.Generator, day: float, drop: float = 0.0
) -> Array:
    if design.deterministic:
        yes = (logit > 0).astype(float)
        return yes * (rng.random(len(yes)) >= drop)
    moved = logit + day + rng.normal(0, design.run_sd)
    return (rng.random(len(logit)) < (1 - drop) / (1 + np.exp(-moved))).astype(float)


def _evaluate(
    design: Design, logit: Array, rng: np.random.Generator, *, drop: float = 0.0
) -> float:
    """One evaluation on one day."""
    claims = _claims(design, rng) if design.fresh else logit
    day = rng.normal(0, design.day_sd) if design.day_sd else 0.0
    return float(_verdicts(design, claims, rng, day, drop).mean())


def _calibrate(
    design: Design, logit: Array, rng: np.random.Generator
) -> tuple[float | None, float | None, float | None, int]:
    """As `vary` and `limits` do: noise by sessions, call noise as its least, fresh claims added."""
    if not design.sessions:
        return None, None, None, 0
    days = rng.normal(0, design.day_sd, max(design.sessions) + 1)
    table = np.column_stack([_verdicts(design, logit, rng, days[s]) for s in design.sessions])
    residual = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    items, repeats = table.shape
    ms = float((residual**2).sum()) / ((items - 1) * (repeats - 1))
    if (table == table[:, :1]).all():
        ms = 0.0
    values = table.mean(axis=0)
    noise = stats.session_noise(values, design.sessions, least=math.sqrt(ms / items))
    if noise.sd is None:
        return None, None, None, 0
    centre = None if design.fresh else float(values.mean())
    if not design.fresh:
        return noise.sd, noise.df, centre, max(int(noise.mean_n or 1), 1)
    item = max(float(repeats * table.mean(1).var(ddof=1) - ms) / repeats, 0.0)
    known = stats.item_variance_df(table.mean(1))
    sd, df = stats.fresh_items_noise(noise.sd, noise.df, var_item=item, items=items, item_df=known)
    return sd, df, centre, repeats


HEADER = """\
| design | warning | critical | naive 5 % | naive 10 % | drift | 5 % drop seen | 10 % drop seen |
|---|---|---|---|---|---|---|---|"""


def table(replicates: int, *, seed: int = 1, say: Callable[[str], None] = print) -> None:
    """Print the table."""
    say(HEADER)
    for place, design in enumerate(DESIGNS):
        say(simulate(design, replicates, seed=seed + place, drops=(0.05, 0.10)).row())


if __name__ == "__main__":
    table(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
