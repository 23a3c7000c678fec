"""All calibrators under one roof: fit by name, store, read back.

====================  ==========================================================================
``identity``          the raw score; the yardstick of the others
``platt``             the default
``beta``              from 200 labels
``venn_abers``        coarse scores, or an interval is wanted
``isotonic``          from 1000 labels
====================  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from .beta_calibration import BetaMap, fit_beta
from .calibration_map import BaseRateMap, CalibrationMap, IdentityMap
from .isotonic import IsotonicMap, fit_isotonic
from .platt import OneVsRestMap, PlattMap, fit_platt
from .registry import formula
from .scores import scored_labels
from .temperature import TemperatureMap
from .venn_abers import VennAbersMap, fit_venn_abers

__all__ = ["CALIBRATORS", "calibrator_from_dict", "default_candidates", "fit_calibrator"]

_MAPS: dict[str, type[CalibrationMap]] = {
    get_args(one.model_fields["kind"].annotation)[0]: one
    for one in (
        IdentityMap,
        BaseRateMap,
        PlattMap,
        BetaMap,
        IsotonicMap,
        VennAbersMap,
        TemperatureMap,
        OneVsRestMap,
    )
}


def _fit_identity(scores: Any, y: Any) -> CalibrationMap:
    return IdentityMap(n=scored_labels(scores, y).n)


#: Calibrators of a single score, simplest first: the order in which ties are broken.
CALIBRATORS: dict[str, Callable[[Any, Any], CalibrationMap]] = {
    "identity": _fit_identity,
    "platt": fit_platt,
    "beta": fit_beta,
    "venn_abers": fit_venn_abers,
    "isotonic": fit_isotonic,
}


@formula
def fit_calibrator(scores: Any, y: Any, *, method: str = "platt") -> CalibrationMap:
    """Fit a calibrator by name.

    Parameters
    ----------
    scores : sequence, shape (n,)
        Probabilities.
    y : sequence, shape (n,)
        Labels 0 or 1.
    method : str
        A key of `CALIBRATORS`.

    Returns
    -------
    CalibrationMap
        With ``predict``, ``to_dict`` and, where another map had to be taken, `reason`.

    Raises
    ------
    ValueError
        On an unknown method or differing lengths.

    Examples
    --------
    >>> fit_calibrator([0.1, 0.9], [1, 1]).reason
    'one label only'
    """
    if method not in CALIBRATORS:
        raise ValueError(f"method must be one of {sorted(CALIBRATORS)}, got {method!r}")
    return CALIBRATORS[method](scores, y)


@formula
def calibrator_from_dict(data: Mapping[str, Any]) -> CalibrationMap:
    """Read back what `to_dict` of a map wrote.

    Raises
    ------
    ValueError
        On an unknown ``kind`` or on fields that do not belong to it.

    Examples
    --------
    >>> calibrator_from_dict({"kind": "base_rate", "n": 8, "rate": 0.9}).predict([0.3])
    array([0.9])
    """
    kind = data.get("kind")
    if kind not in _MAPS:
        raise ValueError(f"kind must be one of {sorted(_MAPS)}, got {kind!r}")
    return _MAPS[kind].model_validate(dict(data))


def default_candidates(n: int) -> tuple[str, ...]:
    """Which calibrators deserve a try with `n` labels.

    Examples
    --------
    >>> default_candidates(60)
    ('identity', 'platt', 'venn_abers')
    """
    out = ["identity", "platt"]
    if n >= 200:
        out.append("beta")
    out.append("venn_abers")
    if n >= 1000:
        out.append("isotonic")
    return tuple(out)
