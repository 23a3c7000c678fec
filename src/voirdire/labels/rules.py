"""What holds within one row: of a claim, and of a label beside its claim."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.errors import Fault
from voirdire.labels.findings import Finding
from voirdire.labels.text import (
    MAX_CLAIM_CHARACTERS,
    control_character,
    mojibake,
    odd_characters,
    shown,
)
from voirdire.records import Claim, LabelRecord, LabelSpace

__all__ = ["claim_findings", "label_findings", "space_fault"]


def claim_findings(claim: Claim, *, line: int, where: str) -> list[Finding]:
    """Everything wrong with one claim, whatever stands in the other rows."""
    return list(_claim_findings(claim, line, where))


def _claim_findings(claim: Claim, line: int, where: str) -> Iterator[Finding]:
    if not claim.claim.strip():
        yield Finding("empty claim", line, Fault("the claim is blank", where))
    if len(claim.claim) > MAX_CLAIM_CHARACTERS:
        what = f"the claim has {len(claim.claim):,} characters"
        allowed = f"at most {MAX_CLAIM_CHARACTERS:,}"
        todo = "split it into single claims, or leave it out"
        yield Finding("claim too long", line, Fault(what, where, allowed, todo))
    if not any(chunk.strip() for chunk in claim.context):
        todo = "give the text the claim is judged against, or leave the claim out"
        fault = Fault("the context is empty", where, "at least one chunk with text", todo)
        yield Finding("empty context", line, fault)
    else:
        for number, chunk in enumerate(claim.context, start=1):
            if not chunk.strip():
                what = f"chunk {number} of the context is blank"
                yield Finding("blank chunk", line, Fault(what, where, todo="take the chunk out"))
    texts = (claim.claim, claim.id, claim.family, claim.variant, claim.topic or "", *claim.context)
    if odd_characters("".join(texts)):  # one look at all of them: most claims are clean
        yield from _text_findings(claim, line, where)


def _text_findings(claim: Claim, line: int, where: str) -> Iterator[Finding]:
    texts = [("claim", claim.claim), ("id", claim.id), ("family", claim.family)]
    texts += [("variant", claim.variant), ("topic", claim.topic or "")]
    texts += [(f"context, chunk {n}", chunk) for n, chunk in enumerate(claim.context, start=1)]
    for field, text in texts:
        if found := control_character(text):
            what = f"field {field}: control character {found}"
            allowed = "text; of the control characters only tab and line ends"
            yield Finding("control character", line, Fault(what, where, allowed, "take it out"))
        elif found := mojibake(text):
            what = f"field {field}: {found} looks like UTF-8 that was read as Latin-1"
            yield Finding("looks mis-decoded", line, Fault(what, where), warning=True)


def space_fault(label: str | None, space: LabelSpace, *, where: str) -> Fault | None:
    """What is wrong with a label in its label space, or None.

    A two-class source cannot say contradicted; a three-class one does not say not_supported.
    """
    if label == "not_supported" and space == "three_class":
        return Fault(
            "label 'not_supported' on a three-class claim",
            where,
            "supported, contradicted, unverifiable",
            "say label_space 'two_class' if people could not tell the last two apart",
        )
    if label in ("contradicted", "unverifiable") and space == "two_class":
        return Fault(
            f"label {label!r} on a two-class claim",
            where,
            "supported, not_supported",
            "say label_space 'three_class' if people could tell contradicted from unverifiable",
        )
    return None


def label_findings(
    label: LabelRecord, claims: dict[str, Claim], *, line: int, where: str
) -> list[Finding]:
    """Everything wrong with one label, given the claims of its set."""
    findings = []
    claim = claims.get(label.claim_id)
    if claim is None:
        what = f"a label for claim {shown(label.claim_id)}, which is not in the set"
        fault = Fault(what, where, todo="restore the claim, or move the label out of the file")
        findings.append(Finding("label of no claim", line, fault))
    else:
        fault_found = space_fault(label.label, claim.label_space, where=where)
        if fault_found:
            findings.append(Finding("label outside the label space", line, fault_found))
    if "@" in label.annotator:
        what = f"annotator {shown(label.annotator)} looks like an e-mail address"
        fault = Fault(what, where, "a code that names nobody, such as a1", "replace it by a code")
        findings.append(Finding("annotator not a code", line, fault, warning=True))
    if found := control_character(label.annotator):
        what = f"field annotator: control character {found}"
        findings.append(Finding("control character", line, Fault(what, where)))
    return findings
