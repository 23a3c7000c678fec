"""An estimate: a number that never travels without its n, its interval and its method."""

from __future__ import annotations

from functools import cache
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Estimate", "Record", "trusted"]


class Record(BaseModel):
    """Base of all records: frozen, unknown fields refused, no NaN or infinity in any number."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="null"
    )


_R = TypeVar("_R", bound=Record)


def trusted(kind: type[_R], values: dict[str, Any]) -> _R:
    """A record without a check of its fields, in a quarter of the time.

    Only for values that this package worked out itself, of the right types to the letter, where
    there may be millions of them.

    Parameters
    ----------
    kind : type of Record
    values : dict of str to object
        Fields that differ from their defaults, the required ones among them.
    """
    record = kind.__new__(kind)
    put = object.__setattr__
    put(record, "__dict__", {**_blank(kind), **values})
    put(record, "__pydantic_fields_set__", set(values))
    put(record, "__pydantic_extra__", None)
    put(record, "__pydantic_private__", None)
    return record


@cache
def _blank(kind: type[Record]) -> dict[str, Any]:
    """Every field in its order, at its default; what is required is to be overwritten."""
    return {
        name: None if field.is_required() else field.get_default(call_default_factory=True)
        for name, field in kind.model_fields.items()
    }


class Estimate(Record):
    """A statistic with what is needed to believe it.

    ``value is None`` if and only if ``undefined`` gives the reason. A value may stand without an
    interval (one family, say); then ``low`` and ``high`` are None and ``no_interval`` says why.

    Attributes
    ----------
    value : float or None
        The point estimate.
    low, high : float or None
        Two-sided interval at ``level``; each one-sided bound at ``(1 + level) / 2``.
    level : float
        Confidence level of the two-sided interval, default 0.95.
    n : int
        Items that entered the number.
    n_asked : int
        Items that were asked for; ``n_asked - n`` were not judged, not labelled or not eligible.
    families : int or None
        Claim families behind ``n`` (the unit of resampling); None where there is no such unit.
    k : int or None
        Numerator of a rate (k of n), None for other statistics.
    method : str
        How value and interval were made, for the page and for the auditor.
    undefined : str or None
        Why there is no value.
    no_interval : str or None
        Why there is a value but no interval.
    notes : tuple of str
        Warnings that belong to this number ("one family carries a class").
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = Field(default=0.95, gt=0, lt=1)
    n: int = Field(ge=0)
    n_asked: int = Field(ge=0)
    families: int | None = Field(default=None, ge=0)
    k: int | None = Field(default=None, ge=0)
    method: str = Field(min_length=1)
    undefined: str | None = None
    no_interval: str | None = None
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.value is None) != bool(self.undefined):
            raise ValueError(
                "value must be null exactly when 'undefined' gives a reason, "
                f"got value={self.value!r}, undefined={self.undefined!r}"
            )
        if (self.low is None) != (self.high is None):
            raise ValueError(
                f"low and high must both be set or both be null, got {self.low}, {self.high}"
            )
        if self.value is not None and (self.low is None) != bool(self.no_interval):
            raise ValueError("an estimate without interval must say why in 'no_interval'")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low must be <= high, got {self.low} > {self.high}")
        if self.n > self.n_asked:
            raise ValueError(f"n must be <= n_asked, got {self.n} > {self.n_asked}")
        return self

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    @classmethod
    def not_defined(
        cls,
        reason: str,
        *,
        method: str,
        n: int = 0,
        n_asked: int | None = None,
        families: int | None = None,
        level: float = 0.95,
        k: int | None = None,
        notes: tuple[str, ...] = (),
    ) -> Estimate:
        """An estimate that says why it has no value."""
        return cls(
            value=None,
            undefined=reason,
            method=method,
            n=n,
            n_asked=n if n_asked is None else n_asked,
            families=families,
            level=level,
            k=k,
            notes=notes,
        )
