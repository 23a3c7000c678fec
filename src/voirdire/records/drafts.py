"""A proposed variant: a draft until people labelled it."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from voirdire.records.estimates import Record
from voirdire.records.labels import Label

__all__ = ["Draft"]


class Draft(Record):
    """One line of ``drafts.jsonl``.

    The prediction is never shown to people and never enters a study; it is only compared, once
    people labelled the claim, to say how good the maker is.

    Attributes
    ----------
    id : str
        Becomes the claim's id.
    family, variant, claim, context, language
        As of a claim.
    of : str or None
        The claim it was made from; None for an original made from documents.
    maker : str
        ``rule`` or the model's name.
    rule : str
        Name of the rule, or of the prompt.
    prompt_sha256 : str or None
        Of the whole prompt, for a model.
    predicted : Label or None
        What people should say if the maker did its work.
    fault : str
        Why it cannot be used (``same text``, ``empty`` …); empty if it can. Such drafts are kept
        and counted.
    raw : str or None
        What the model wrote, where it could not be used.
    """

    id: str = Field(min_length=1, max_length=200)
    family: str = Field(min_length=1, max_length=200)
    variant: str = Field(min_length=1, max_length=80)
    claim: str = ""
    context: tuple[str, ...] = Field(min_length=1)
    language: str
    of: str | None = None
    maker: str = Field(min_length=1)
    rule: str = Field(min_length=1)
    prompt_sha256: str | None = None
    predicted: Label | None = None
    fault: str = ""
    raw: str | None = None

    @model_validator(mode="after")
    def _usable_has_text(self) -> Self:
        if not self.fault and not self.claim.strip():
            raise ValueError("a draft without text must say so in 'fault'")
        return self
