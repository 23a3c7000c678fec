"""The outcome of a significance test, as a record."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from voirdire.records.estimates import Record

__all__ = ["TestOutcome"]


class TestOutcome(Record):
    """A test statistic with its p-value, or the reason why there is none.

    Attributes
    ----------
    statistic : float or None
        The statistic.
    df : tuple of float
        Degrees of freedom, empty for a normal or exact test.
    p_value : float or None
        In 0..1.
    n : int
        Items that entered.
    method : str
        Name of the test and of its alternative.
    undefined : str or None
        Why there is no p-value.
    """

    __test__ = False  # pytest takes every Test* class for a test

    statistic: float | None
    df: tuple[float, ...] = ()
    p_value: float | None = Field(ge=0, le=1)
    n: int = Field(ge=0)
    method: str = Field(min_length=1)
    undefined: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.p_value is None) != bool(self.undefined):
            raise ValueError(
                "p_value must be null exactly when 'undefined' gives a reason, "
                f"got {self.p_value!r}, {self.undefined!r}"
            )
        return self
