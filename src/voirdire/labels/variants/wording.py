"""Proposals by a language model: wording that no rule can make, and originals from documents.

One request a draft, with a JSON form for the answer. What comes back is checked before it is a
draft that can be used: the same text again, nothing, another language, no JSON. What fails is kept
with its fault and its raw text, and counted; nothing is dropped in silence.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from voirdire.errors import UsageError
from voirdire.labels.variants.languages import VariantLanguage, variant_language, variant_languages
from voirdire.labels.variants.rewordings import TURNED
from voirdire.models.llm import LlmClient, LlmRequest
from voirdire.models.replies import Reply
from voirdire.records import Claim, Draft, Label, ReferenceLabel

__all__ = ["PROPORTIONS", "WORDINGS", "originals_from_documents", "propose_by_model"]

WORDINGS: Final[tuple[str, ...]] = (
    "paraphrase",
    "lexical_negation",
    "equivalent_negation",
    "scoped_negation",
    "entity_swap",
    "short",
    "percentage_swap",
    "range_swap",
    "ordinal_swap",
    "comparison_swap",
)
PROPORTIONS: Final[tuple[tuple[str, str], ...]] = (
    ("single_fact", "supported"),
    ("single_fact", "contradicted"),
    ("several_facts", "supported"),
    ("single_fact", "unverifiable"),
    ("abstract", "supported"),
    ("several_facts", "contradicted"),
    ("unanswerable", "unanswerable"),
    ("abstract", "contradicted"),
    ("several_facts", "unverifiable"),
    ("unanswerable", "unanswerable"),
)
"""Of ten originals: three supported, three contradicted, two unverifiable, two that refuse."""
_FORM: Final[dict[str, Any]] = {
    "type": "json_schema",
    "json_schema": {
        "name": "claim",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    },
}
_CHUNK = 1200
_LEAST_SHARE = 0.2
_SHORT = 4
"""Words of a short claim, at most."""


def propose_by_model(
    client: LlmClient,
    claims: Sequence[Claim],
    labels: dict[str, ReferenceLabel],
    *,
    kinds: Sequence[str] = ("paraphrase", "lexical_negation", "equivalent_negation"),
    known: Iterable[str] = (),
) -> Iterator[Draft]:
    """Drafts as they come, one a kind for every original.

    Parameters
    ----------
    client : LlmClient
    claims : sequence of Claim
    labels : dict
        Reference labels; the prediction follows from the original's.
    kinds : sequence of str
        Of `WORDINGS`.
    known : iterable of str
        Ids made already; they are not asked for again.

    Raises
    ------
    UsageError
        For an unknown kind.
    JudgeUnavailable
        If the server is gone; drafts that came before were given out.
    """
    for kind in kinds:
        if kind not in WORDINGS:
            raise UsageError(f"no wording is called {kind!r}", allowed=", ".join(WORDINGS))
    there = set(known)
    wanted: dict[int, tuple[Draft, str, VariantLanguage]] = {}
    requests = []
    for claim in claims:
        language = variant_language(claim.language)
        if claim.variant != "original" or language is None:
            continue
        for kind in kinds:
            draft, prompt = _asked_for(claim, kind, language, labels.get(claim.id), client.model)
            if draft.id not in there:
                request = _request(prompt)
                requests.append(request)
                wanted[id(request)] = (draft, claim.claim, language)
    for request, reply in client.ask_all(requests):
        draft, original, language = wanted[id(request)]
        yield _filled(draft, reply, original, language)


def originals_from_documents(
    client: LlmClient,
    folder: Path,
    *,
    language: str,
    count: int = 30,
    known: Iterable[str] = (),
) -> Iterator[Draft]:
    """Originals for the documents of a folder (``.txt``, ``.md``), in `PROPORTIONS`.

    Raises
    ------
    UsageError
        If there is no such folder, no document in it, or no prompts in that language.
    """
    told = variant_language(language)
    if told is None:
        raise UsageError(
            f"there are no prompts in {language!r}",
            allowed=", ".join(variant_languages()),
            todo="write one file like labels/variants/en.toml",
        )
    chunks = _chunks(folder)
    there = set(known)
    wanted: dict[int, tuple[Draft, VariantLanguage]] = {}
    requests = []
    for number in range(count):
        form, aim = PROPORTIONS[number % len(PROPORTIONS)]
        name, chunk = chunks[number * len(chunks) // count if count <= len(chunks) else
                             number % len(chunks)]  # fmt: skip
        draft, prompt = _original(name, chunk, number, form, aim, told, client.model)
        if draft.id not in there:
            request = _request(prompt)
            requests.append(request)
            wanted[id(request)] = (draft, told)
    for request, reply in client.ask_all(requests):
        draft, told = wanted[id(request)]
        yield _filled(draft, reply, "", told)


def _asked_for(
    claim: Claim, kind: str, language: VariantLanguage, label: ReferenceLabel | None, model: str
) -> tuple[Draft, str]:
    words = language.wording
    context = "\n\n".join(claim.context)
    prompt = (
        words["instructions"].replace("{task}", words[kind]).replace("{{", "{").replace("}}", "}")
        + f"\n\n{words['context']}:\n{context}\n\n{words['claim']}: {claim.claim}"
    )
    draft = Draft(
        id=f"{claim.id}+{kind}+{_short(model)}",
        family=claim.family,
        variant=kind,
        claim="-",
        context=claim.context,
        language=claim.language,
        of=claim.id,
        maker=model,
        rule=kind,
        prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
        predicted=_predicted(kind, label),
    )
    return draft, prompt


def _predicted(kind: str, label: ReferenceLabel | None) -> Label | None:
    if label is None or label not in TURNED:
        return None
    if kind in ("paraphrase", "short"):
        return label
    if kind in ("lexical_negation", "equivalent_negation"):
        return TURNED[label]
    swapped = kind.endswith("_swap") and kind != "entity_swap" and label == "supported"
    return "contradicted" if swapped else None


def _original(
    name: str,
    chunk: str,
    number: int,
    form: str,
    aim: str,
    language: VariantLanguage,
    model: str,
) -> tuple[Draft, str]:
    words = language.wording
    task = (
        words["unanswerable"].replace("{refusal}", words["refusal"])
        if aim == "unanswerable"
        else f"{words[form]} {words[aim]}"
    )
    prompt = (
        words["from_documents"].replace("{task}", task).replace("{{", "{").replace("}}", "}")
        + f"\n\n{words['context']}:\n{chunk}"
    )
    family = f"{name}-{number:04}"
    predicted: Label = "unverifiable" if aim == "unanswerable" else aim  # type: ignore[assignment]
    draft = Draft(
        id=f"{family}+original+{_short(model)}",
        family=family,
        variant="original" if aim != "unanswerable" else "refusal",
        claim="-",
        context=(chunk,),
        language=language.code,
        maker=model,
        rule=f"{form}, {aim}",
        prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
        predicted=predicted,
    )
    return draft, prompt


def _request(prompt: str) -> LlmRequest:
    return LlmRequest(
        body={
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0.7,
            "max_tokens": 300,
            "response_format": _FORM,
        }
    )


def _filled(draft: Draft, reply: Reply, original: str, language: VariantLanguage) -> Draft:
    """The draft with its text, or with the fault that keeps it from use."""
    text, fault = _text(reply)
    if not fault:
        fault = _fault(text, original, draft.rule, language)
    if fault:
        return draft.model_copy(
            update={"claim": text, "fault": fault, "raw": (reply.text or reply.error)[:2000]}
        )
    return draft.model_copy(update={"claim": text})


def _text(reply: Reply) -> tuple[str, str]:
    if reply.status != "answered":
        return "", reply.status.replace("_", " ")
    raw = re.sub(r"^```\w*\s*|\s*```$", "", reply.text.strip())
    try:
        body = json.loads(raw)
    except ValueError:
        return "", "no JSON"
    text = body.get("text") if isinstance(body, dict) else None
    return (text.strip(), "") if isinstance(text, str) else ("", "no text in the JSON")


def _fault(text: str, original: str, kind: str, language: VariantLanguage) -> str:
    if not _plain(text):
        return "empty"
    if _plain(text).startswith(_plain(language.wording["instructions"].partition(".")[0])):
        return "the prompt again"
    if kind == "short" and len(_plain(text).split()) > _SHORT:
        return "not short"
    if _plain(text) == _plain(original):
        return "same text"
    if not _speaks(text, language):
        return "wrong language"
    return ""


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _speaks(text: str, language: VariantLanguage) -> bool:
    """Whether small words of another known language outnumber those of its own."""
    words = re.findall(r"\w+", text.lower())
    mine = language.small | language.scope
    for code in variant_languages():
        other = variant_language(code)
        if other is None or code == language.code:
            continue
        # Only what one of the two has: "i", "a" and "in" are words of English and of Italian.
        alien = other.small | other.scope
        own = sum(word in mine - alien for word in words)
        theirs = sum(len(word) > 1 and word in alien - mine for word in words)
        if theirs > own and theirs >= _LEAST_SHARE * len(words):
            return False
    return True


def _chunks(folder: Path) -> list[tuple[str, str]]:
    """Paragraphs of the documents, put together up to a length; name and text."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".txt", ".md"))
    found = []
    for path in files:
        held = ""
        for part in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
            part = " ".join(part.split())
            if held and len(held) + len(part) > _CHUNK:
                found.append((path.stem, held))
                held = ""
            held = f"{held} {part}".strip()
        if held:
            found.append((path.stem, held))
    if not found:
        raise UsageError(
            "no document there",
            where=str(folder),
            allowed="a folder with .txt or .md files",
        )
    return [(re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:60], chunk) for name, chunk in found]


def _short(model: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", model)[:40]
