"""A prompt file: sections with fields that are filled in once, and never again inside a filling."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from voirdire.errors import UsageError
from voirdire.store import read_text

__all__ = ["Prompt", "read_prompt"]

_SECTION: Final = re.compile(r"^=== *(?P<name>[a-z ]+?) *$", re.MULTILINE)
_FIELD: Final = re.compile(r"\{(context|claims|claim)\}")
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "system": (),
    "answer before": (),
    "answer after": (),
    "answer none": (),
    "answer batch": (),
    "user": ("claim", "context"),
    "user batch": ("claims", "context"),
    "completion": ("claim", "context"),
}


class Prompt:
    """A prompt as its file says it.

    Parameters
    ----------
    text : str
        Of the file. Each line ``=== name`` begins a section; what stands before the first is a
        note and is not sent.
    where : str
        For messages.

    Attributes
    ----------
    sha256 : str
        Of the text.

    Raises
    ------
    UsageError
        If a section is not known, or lacks a field; which one is named.
    """

    def __init__(self, text: str, *, where: str) -> None:
        self.sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()
        self._where = where
        self._sections = _sections(text, where)

    def require(self, section: str) -> str:
        """A section's text.

        Raises
        ------
        UsageError
            If the file does not have it.
        """
        if section not in self._sections:
            raise UsageError(
                f"the prompt file has no section '=== {section}'",
                where=self._where,
                allowed=", ".join(f"=== {name}" for name in _FIELDS),
                todo=f"add the section{_naming(_FIELDS.get(section, ()))}",
            )
        return self._sections[section]

    def system(self, answer: str) -> str:
        """The instruction: the section ``system`` and that of the form of answer."""
        return f"{self.require('system')}\n\n{self.require(f'answer {answer}')}"

    def user(self, claim: str, context: Sequence[str]) -> str:
        """One claim and its context, each between marks."""
        mark = _mark((claim, *context))
        filling = {"claim": _enclosed("claim", claim, mark), "context": _chunks(context, mark)}
        return _filled(self.require("user"), filling)

    def user_batch(self, claims: Sequence[str], context: Sequence[str]) -> str:
        """Several claims, numbered from 1, and their context, each between marks."""
        mark = _mark((*claims, *context))
        numbered = [_enclosed(f"claim {n}", claim, mark) for n, claim in enumerate(claims, 1)]
        filling = {"claims": "\n".join(numbered), "context": _chunks(context, mark)}
        return _filled(self.require("user batch"), filling)

    def completion(self, claim: str, context: Sequence[str]) -> str:
        """One claim and its context for a model that continues a text; on one line each."""
        filling = {
            "claim": " ".join(claim.split()),
            "context": " ".join(" ".join(chunk.split()) for chunk in context),
        }
        return _filled(self.require("completion"), filling)


def read_prompt(path: str, *, language: str) -> Prompt:
    """A prompt from a file, or where none is named the one that ships for a language.

    Raises
    ------
    UsageError
        If the file is not there or is not a prompt, or none ships for the language.
    """
    if path:
        return Prompt(read_text(Path(path)), where=path)
    source = files("voirdire.judges.prompts").joinpath(f"{language}.txt")
    if not source.is_file():
        raise UsageError(
            f"no prompt ships for the language {language!r}",
            where="parameter language",
            allowed="en, it",
            todo="name a prompt file of your own with the parameter prompt",
        )
    return Prompt(source.read_text(encoding="utf-8"), where=f"the prompt {language}")


def _sections(text: str, where: str) -> dict[str, str]:
    parts = _SECTION.split(text.replace("\r\n", "\n"))
    sections: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name not in _FIELDS or name in sections:
            raise UsageError(
                f"the section '=== {name}' "
                + ("stands twice" if name in sections else "is unknown"),
                where=where,
                allowed=", ".join(f"=== {one}" for one in _FIELDS),
            )
        found = set(_FIELD.findall(body))
        missing = [field for field in _FIELDS[name] if field not in found]
        if missing:
            raise UsageError(
                f"the section '=== {name}' lacks the field {{{missing[0]}}}",
                where=where,
                todo=f"write {{{missing[0]}}} where it is to be filled in",
            )
        sections[name] = body.strip()
    if not sections:
        raise UsageError(
            "the prompt file has no sections",
            where=where,
            allowed=", ".join(f"=== {one}" for one in _FIELDS),
        )
    return sections


def _filled(template: str, filling: Mapping[str, str]) -> str:
    """Fields filled in, in one pass: a claim that says "{context}" stays what it says."""
    return _FIELD.sub(lambda match: filling.get(match[1], match[0]), template)


def _mark(texts: Sequence[str]) -> str:
    """A code that the texts cannot contain but by chance of 1 in 2^40: it is made from them."""
    joined = "\x00".join(texts).encode("utf-8", "backslashreplace")
    return hashlib.blake2b(joined, digest_size=5).hexdigest()


def _enclosed(name: str, text: str, mark: str) -> str:
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


def _chunks(context: Sequence[str], mark: str) -> str:
    numbered = [_enclosed(f"context {n}", chunk, mark) for n, chunk in enumerate(context, 1)]
    return "\n".join(numbered)


def _naming(fields: Sequence[str]) -> str:
    return f" with {' and '.join('{' + field + '}' for field in fields)}" if fields else ""
