"""What can be set of an NLI judge."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from voirdire.judges.nli.evidence import RULES, Aggregation
from voirdire.models.nli import Precision
from voirdire.records import Label, Record

__all__ = ["NliParameters", "WindowParameters"]


class WindowParameters(Record):
    """How a context is read, whichever the model."""

    threads: int = Field(default=1, ge=1, le=256, description="of the processor")
    batch: int | None = Field(
        default=None,
        ge=1,
        le=1024,
        description="pairs at once at most, of like length; none: 16 in fp32, 1 in int8, where "
        "an answer would else depend on what is asked beside it",
    )
    max_length: int | None = Field(
        default=None, ge=16, description="tokens of a pair at most; none: the model's own limit"
    )
    sentences: int = Field(default=3, ge=1, description="sentences of a window at most")
    overlap: int = Field(default=1, ge=0, description="sentences that neighbouring windows share")
    aggregation: Aggregation = Field(
        default="contradiction-first",
        description="which window decides: "
        + "; ".join(f"{name}, {what}" for name, what in RULES.items()),
    )

    @model_validator(mode="after")
    def _moves_on(self) -> Self:
        if self.overlap >= self.sentences:
            raise ValueError(
                f"overlap must be below sentences, got {self.overlap} and {self.sentences}"
            )
        return self


class NliParameters(WindowParameters):
    """What can be set of the judge ``nli``."""

    model: str | None = Field(
        default=None, description="directory with config.json, tokenizer.json and an ONNX file"
    )
    hub: str | None = Field(
        default=None, description="name of a model on the hub, instead of a directory"
    )
    revision: str | None = Field(default=None, description="commit or tag on the hub")
    precision: Precision = Field(
        default="auto", description="fp32, int8, or auto: fp32 if it is there"
    )
    labels: tuple[Label, ...] | None = Field(
        default=None,
        description="what each output means, in order; needed only where neither the names in "
        "config.json nor the self-test say so",
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.model is None) == (self.hub is None):
            given = "neither" if self.model is None else "both"
            raise ValueError(
                f"one of model (a directory) and hub (a name) must be given, got {given}"
            )
        if self.revision is not None and self.hub is None:
            raise ValueError("revision must go with hub, got it with a directory")
        return self
