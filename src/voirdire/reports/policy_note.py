"""A policy as a Markdown note: for a pull request, a wiki, the person on call."""

from __future__ import annotations

from collections.abc import Iterator

from voirdire.records import AlertLimit, AlertPolicy, PolicyResult
from voirdire.reports.escape import markdown

__all__ = ["policy_note"]


def policy_note(result: PolicyResult) -> str:
    """The policies of a study as Markdown, with what each can see and how it was derived."""
    lines = [
        f"# Alert limits of {markdown(result.study)}",
        "",
        "| judge | signal | claims | centre | noise sd | warning | critical | false a year |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [_row(policy) for policy in result.policies]
    for policy in result.policies:
        lines += ["", *_section(policy)]
    lines += [
        "",
        f"Made {markdown(result.provenance.made_at)} with voirdire "
        f"{markdown(result.provenance.tool_version)}.",
    ]
    return "\n".join(lines) + "\n"


def _row(policy: AlertPolicy) -> str:
    yearly = f"{policy.warning.per_year or 0:.1f} / {policy.critical.per_year or 0:.1f}"
    cells = (
        markdown(policy.judge),
        policy.signal,
        f"{policy.items} {policy.claims}",
        "of the history" if policy.centre is None else f"{policy.centre:.4f}",
        "of the history" if policy.sd is None else f"{policy.sd:.4f}",
        _limit(policy.warning),
        _limit(policy.critical),
        yearly,
    )
    return f"| {' | '.join(cells)} |"


def _limit(limit: AlertLimit) -> str:
    if limit.drop is None:
        return f"exact counts, {100 * limit.promised_rate:g} %"
    return f"{limit.drop:.4f}"


def _section(policy: AlertPolicy) -> Iterator[str]:
    yield f"## {markdown(policy.judge)}: {policy.signal}"
    yield ""
    yield from (f"- {markdown(sentence)}" for sentence in policy.sentences)
    digests = ", ".join(f"`{one[:16]}`" for one in policy.fingerprints)
    guideline = ", ".join(policy.guidelines) or "not named"
    yield (
        f"- Holds for the judge {digests}, labels {markdown(policy.view)}, guideline "
        f"{markdown(guideline)}; for another one, repeat the judge and set new limits."
    )
    yield ""
    yield "How the numbers came about:"
    yield ""
    yield from (
        f"{number}. {markdown(step)}" for number, step in enumerate(policy.derivation, start=1)
    )
