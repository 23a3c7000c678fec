"""Claims as the server gets them: opaque ids, shuffled, three fields, and nothing more.

The id is a keyed hash over claim, copy and content. It tells an annotator nothing; and a claim
whose text changed is another task, so no label ever comes to stand under a text it was not given
for. The way back from id to claim lies on our side only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voirdire.records import Claim, EvidenceSpan, PushedItem
from voirdire.store import json_digest
from voirdire.store.redaction import Redacted, Redaction

__all__ = ["Sent", "SentText", "item_id", "planted", "send_order", "sent_items", "sent_text"]

_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class _Chunk:
    start: int
    redacted: Redacted


@dataclass(frozen=True, slots=True)
class SentText:
    """A claim's texts as they go up, and the way back from places in them.

    Attributes
    ----------
    claim, context : str
        Redacted; the chunks joined, each with its number in front.
    redactions : int
        Pieces that were taken out.
    """

    claim: str
    context: str
    redactions: int
    _chunks: tuple[_Chunk, ...]
    _original: tuple[str, ...]

    @property
    def content(self) -> str:
        """SHA-256 of what is sent."""
        return json_digest([self.claim, self.context])

    def evidence(self, start: int, end: int) -> list[EvidenceSpan]:
        """A span of the joined context as spans of the chunks; what lies between them is cut.

        Parameters
        ----------
        start, end : int
            Code points, end exclusive.
        """
        spans = []
        for number, chunk in enumerate(self._chunks):
            low = max(start, chunk.start)
            high = min(end, chunk.start + len(chunk.redacted.text))
            if low < high:
                first, last = chunk.redacted.original_span(low - chunk.start, high - chunk.start)
                text = self._original[number][first:last]
                if text.strip():
                    spans.append(EvidenceSpan(chunk=number, start=first, end=last, text=text))
        return spans


@dataclass(frozen=True, slots=True)
class Sent:
    """A task: what we know of it, and what goes up."""

    item: PushedItem
    text: SentText

    def data(self) -> dict[str, str]:
        """The fields of the task."""
        return {"item_id": self.item.item, "claim": self.text.claim, "context": self.text.context}


def sent_text(claim: Claim, redaction: Redaction) -> SentText:
    """A claim as it is shown to people."""
    said = redaction.traced(claim.claim)
    pieces: list[str] = []
    chunks: list[_Chunk] = []
    place, count = 0, said.count
    for number, text in enumerate(claim.context, start=1):
        mark = f"[{number}] " if len(claim.context) > 1 else ""
        gap = _GAP if pieces else ""
        redacted = redaction.traced(text)
        place += len(gap) + len(mark)
        chunks.append(_Chunk(place, redacted))
        place += len(redacted.text)
        count += redacted.count
        pieces += [gap, mark, redacted.text]
    return SentText(said.text, "".join(pieces), count, tuple(chunks), claim.context)


def item_id(key: str, *parts: str | int) -> str:
    """An opaque id: 20 hex digits of a keyed hash."""
    digest = hashlib.blake2b(key=bytes.fromhex(key), digest_size=10)
    for part in parts:
        digest.update(str(part).encode("utf-8", "backslashreplace") + b"\0")
    return "t" + digest.hexdigest()


def sent_items(
    claims: Sequence[Claim], *, key: str, redaction: Redaction, copies: Iterable[str] = ()
) -> list[Sent]:
    """Every claim once, and the claims of `copies` once more."""
    texts = {claim.id: sent_text(claim, redaction) for claim in claims}
    wanted = [(claim.id, 0) for claim in claims] + [(name, 1) for name in copies if name in texts]
    return [Sent(_item(key, name, copy, texts[name]), texts[name]) for name, copy in wanted]


def _item(key: str, claim_id: str, copy: int, text: SentText) -> PushedItem:
    return PushedItem(
        item=item_id(key, "labels", claim_id, copy, text.content),
        claim_id=claim_id,
        copy_number=copy,
        content=text.content,
    )


def planted(
    claims: Sequence[Claim], *, share: float, key: str, already: Iterable[str] = ()
) -> list[str]:
    """Claims that are asked twice: a fixed share, the same ones on every push.

    Parameters
    ----------
    claims : sequence of Claim
    share : float
        Of the claims, rounded to the nearest number, at least one if it is not 0.
    key : str
        Of the push; it decides which.
    already : iterable of str
        Ids of claims that were planted before; they stay.
    """
    known = [claim.id for claim in claims]
    kept = [name for name in known if name in set(already)]
    number = max(round(share * len(known)), 1) if share else 0
    others = sorted(set(known) - set(kept), key=lambda name: item_id(key, "planted", name))
    return kept + others[: max(number - len(kept), 0)]


def send_order(items: Sequence[Sent], *, key: str, part: int = 0) -> list[Sent]:
    """The items in an order that says nothing, another one in each project.

    Members of a family lie side by side in a set; people who see them so compare them.
    """
    return sorted(items, key=lambda sent: item_id(key, "order", part, sent.item.item))
