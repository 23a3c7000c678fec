"""The bounds of every gate, made a second time by a route of their own.

Plain Python over lists, one family left out at a time by counting again, no code of the package's
statistics. Slow, short, and free to be wrong in other ways than what it checks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from scipy.special import ndtri, stdtrit

from voirdire.studies import Aligned, GateLimits

Item = tuple[object, ...]
FURTHEST = {"supported": "contradicted", "contradicted": "supported", "unverifiable": "supported"}


def lower_bound(aligned: Aligned, gate: str, level: float) -> float | None:
    """The one-sided lower bound of a gate; None where there is none.

    For the three on rewording ``level`` is that of a single one: the widest claim an acceptance
    under Holm may ever rest on.
    """
    return _BOUNDS[gate](aligned, level)


def _ceiling(aligned: Aligned, level: float) -> float | None:
    rows = zip(aligned.family, aligned.people, strict=True)
    return _fisher([(f, [v for v in people if v is not None]) for f, people in rows], _alpha, level)


def _comparison(aligned: Aligned, level: float) -> float | None:
    rows = zip(aligned.family, aligned.judge, aligned.people, strict=True)
    return _difference([(f, j, list(people)) for f, j, people in rows if j is not None], level)


def _against(aligned: Aligned) -> list[tuple[str, str, str]]:
    """Family, people's label, the judge's: a missing one counted as wrong."""
    rows = zip(aligned.family, aligned.human, aligned.judge, strict=True)
    return [(f, h, FURTHEST[h] if j is None else j) for f, h, j in rows]


def _caught(aligned: Aligned, level: float) -> float | None:
    rows = [(f, j == "contradicted") for f, h, j in _against(aligned) if h == "contradicted"]
    return _share(rows, level)


def _flips(aligned: Aligned, level: float) -> float | None:
    rows = [
        (f, FURTHEST[j1] == j2 and j1 != "unverifiable")
        for f, h1, h2, j1, j2 in _pairs(aligned, "negation")
        if h1 != "unverifiable" and h2 == FURTHEST[h1]
    ]
    return _share(rows, level)


def _seen(aligned: Aligned, level: float) -> float | None:
    rows = [
        (f, j2 != "supported")
        for f, h1, h2, j1, j2 in _pairs(aligned, "number_swap")
        if (h1, h2) == ("supported", "contradicted") and j1 == "supported"
    ]
    return _share(rows, level)


def enough_data(aligned: Aligned, limits: GateLimits) -> bool:
    """Whether families suffice, in all and for each label."""
    per_label = {
        label: {f for f, h in zip(aligned.family, aligned.human, strict=True) if h == label}
        for label in FURTHEST
    }
    return len(set(aligned.family)) >= limits.min_families and all(
        len(families) >= limits.min_families_per_label for families in per_label.values()
    )


def _pairs(aligned: Aligned, variant: str) -> list[tuple[str, str, str, str, str]]:
    """(family, people's two labels, the judge's two), a missing one counted against it."""
    found = []
    home = {c.family: i for i, c in enumerate(aligned.claims) if c.variant == "original"}
    for i, claim in enumerate(aligned.claims):
        if claim.variant == variant:
            k = home[claim.family]
            h1, h2, j1, j2 = aligned.human[k], aligned.human[i], aligned.judge[k], aligned.judge[i]
            if j1 is None or j2 is None:  # the original right, the variant wrong
                j1, j2 = h1, "contradicted" if h2 == "supported" else "supported"
            found.append((claim.family, h1, h2, j1, j2))
    return found


def _without_each(items: Sequence[Item]) -> list[list[Item]]:
    names = list(dict.fromkeys(item[0] for item in items))
    return [[item for item in items if item[0] != name] for name in names]


def _jackknife(
    items: Sequence[Item], statistic: Callable[[Sequence[Item]], float]
) -> tuple[float, float, int]:
    values = [statistic(rest) for rest in _without_each(items)]
    mean, count = math.fsum(values) / len(values), len(values)
    squares = math.fsum((value - mean) ** 2 for value in values)
    return statistic(items), math.sqrt((count - 1) / count * squares), count


def _zero_errors(families: int, level: float) -> float:
    return float((1 - level) ** (1 / families))


def _fisher(
    items: Sequence[Item], statistic: Callable[[Sequence[Item]], float], level: float
) -> float | None:
    value, se, families = _jackknife(items, statistic)
    if value > 1 - 1e-9:  # nobody erred: the share of agreement that none in F families allows
        share, expected = _zero_errors(families, level), _chance(items, statistic)
        return (share - expected) / (1 - expected)
    if se < 1e-9:
        return None
    step = float(stdtrit(families - 1, level)) * se / (1 - value**2)
    return math.tanh(math.atanh(value) - step)


def _chance(items: Sequence[Item], statistic: Callable[[Sequence[Item]], float]) -> float:
    labels = [str(label) for item in items for label in _all_labels(item)]
    n, counts = len(labels), Counter(labels)
    if statistic is _alpha:
        return sum(c * (c - 1) for c in counts.values()) / (n * (n - 1))
    return sum((c / n) ** 2 for c in counts.values())


def _all_labels(item: Item) -> Sequence[object]:
    return item[1] if isinstance(item[1], list) else item[1:]


def _kappa(items: Sequence[Item]) -> float:
    n = len(items)
    observed = sum(h == j for _, h, j in items) / n
    rows, columns = Counter(h for _, h, _ in items), Counter(j for _, _, j in items)
    expected = sum(rows[label] * columns[label] for label in rows) / n**2
    return (observed - expected) / (1 - expected)


def _alpha(items: Sequence[Item]) -> float:
    apart, counts = 0.0, Counter()
    for votes, times in Counter(tuple(votes) for _, votes in items).items():
        if len(votes) < 2:
            continue
        within = Counter(votes)
        for label, count in within.items():
            counts[label] += times * count
        m = len(votes)
        apart += times * sum(c * (m - c) for c in within.values()) / (m - 1)
    n = sum(counts.values())
    expected = sum(c * (n - c) for c in counts.values()) / (n - 1)
    return 1 - apart / expected


def _difference(items: Sequence[Item], level: float) -> float | None:
    """Judge against the other people less each person against the other people."""

    def delta(chosen: Sequence[Item]) -> float:
        gains = []
        alike = Counter((answer, tuple(people)) for _, answer, people in chosen)
        for who in range(len(chosen[0][2])):
            judge = person = count = 0.0
            for (answer, people), times in alike.items():
                others = [v for k, v in enumerate(people) if k != who and v is not None]
                if people[who] is None or not others:
                    continue
                count += times
                judge += times * others.count(answer) / len(others)
                person += times * others.count(people[who]) / len(others)
            gains.append((judge - person) / count)
        return sum(gains) / len(gains)

    value, se, families = _jackknife(items, delta)
    if se < 1e-9:
        if abs(value) > 1e-9:
            return None
        z = float(ndtri(level))
        return -(z**2) / (families + z**2)
    return value - float(stdtrit(families - 1, level)) * se


def _share(items: Sequence[tuple[str, bool]], level: float) -> float | None:
    families = list(dict.fromkeys(f for f, _ in items))
    if len(families) < 2:
        return None
    n, k = len(items), sum(hit for _, hit in items)
    if k == n:
        return _zero_errors(len(families), level)
    p, count = k / n, len(families)
    if k == 0:
        return 0.0
    residuals = [sum(hit - p for f, hit in items if f == name) for name in families]
    variance = count / (count - 1) * sum(r * r for r in residuals) / n**2
    effect = max(1.0, variance * n / (p * (1 - p)))
    z = float(ndtri(level))
    m = n / effect * (z / float(stdtrit(count - 1, level))) ** 2
    centre, spread = p + z * z / (2 * m), z * math.sqrt(p * (1 - p) / m + z * z / (4 * m * m))
    return (centre - spread) / (1 + z * z / m)


def _kept(aligned: Aligned, level: float) -> float | None:
    """Lower bound of accuracy on paraphrases less that on originals; one pair a family."""
    pairs = _pairs(aligned, "paraphrase")
    if len(pairs) < 2:
        return None
    assert len({pair[0] for pair in pairs}) == len(pairs)
    lost = sum(j1 == h1 and j2 != h2 for _, h1, h2, j1, j2 in pairs)
    won = sum(j1 != h1 and j2 == h2 for _, h1, h2, j1, j2 in pairs)
    return _tango_low(won, lost, len(pairs), level)


def _tango_low(won: int, lost: int, n: int, level: float) -> float:
    """Smallest difference that the score test does not reject, by bisection (Tango 1998)."""

    def rejected(delta: float) -> bool:
        # The restricted estimate of P(lost) by scanning its likelihood, with no closed form.
        low, high = max(0.0, -delta), (1 - delta) / 2
        for _ in range(80):
            one, two = low + (high - low) / 3, high - (high - low) / 3
            if _log_likelihood(one, delta, won, lost, n) < _log_likelihood(
                two, delta, won, lost, n
            ):
                low = one
            else:
                high = two
        share = (low + high) / 2
        variance = n * (2 * share + delta * (1 - delta))
        return (won - lost - n * delta) ** 2 > ndtri(level) ** 2 * variance

    low, high = -1.0, (won - lost) / n
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rejected(middle) else (low, middle)
    return high


def _log_likelihood(share: float, delta: float, won: int, lost: int, n: int) -> float:
    cells = ((lost, share), (won, share + delta), (n - won - lost, 1 - 2 * share - delta))
    return sum(k * math.log(max(p, 1e-300)) for k, p in cells if k)


_BOUNDS: dict[str, Callable[[Aligned, float], float | None]] = {
    "human_ceiling": _ceiling,
    "human_comparison": _comparison,
    "kappa": lambda aligned, level: _fisher(_against(aligned), _kappa, level),
    "contradicted_recall": _caught,
    "paraphrase_kept": _kept,
    "negation_flip": _flips,
    "number_seen": _seen,
}
