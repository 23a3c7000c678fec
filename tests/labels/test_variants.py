"""Variants: what each rule makes and where it keeps away; drafts on disk; a model's wording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.servers.faults import CONTENTS, FaultServer
from voirdire.errors import InputError, UsageError
from voirdire.labels import load_claim_set, references, write_claim_set
from voirdire.labels.variants import (
    FIRST_BATCH,
    PROPORTIONS,
    RULES,
    accept,
    add_drafts,
    maker_scores,
    originals_from_documents,
    propose_by_model,
    propose_by_rule,
    read_drafts,
    variant_language,
    variant_languages,
)
from voirdire.labels.variants.rewordings import denied, doubly_negated, formatted, negated
from voirdire.labels.variants.swaps import SWAPS
from voirdire.records import Claim, Draft, LabelRecord

EN, IT = variant_language("en-GB"), variant_language("it")


def claim(text: str, *context: str, language: str = "en", name: str = "f1", **more: str) -> Claim:
    return Claim(
        id=f"{name}-{more.get('variant', 'original')}",
        family=name,
        variant=more.get("variant", "original"),
        claim=text,
        context=context or ("There is nothing here.",),
        language=language,
    )


@pytest.mark.parametrize(
    ("rule", "language", "text", "context", "expected"),
    [
        ("number_swap", "en", "It holds 21 boxes.", "It holds 21 boxes.", "It holds "),
        ("number_swap", "en", "Six men sing.", "Six men sing in a hall.", " men sing."),
        (
            "number_swap",
            "it",
            "Il telaio dura cinque anni.",
            "Il telaio dura cinque anni.",
            "dura ",
        ),
        ("date_swap", "en", "It ends on 14 March 2025.", "It ends on 14 March 2025.", "14 "),
        ("date_swap", "it", "È nata nel 1968.", "Anna (nata nel 1968) canta.", "È nata nel 19"),
        ("unit_swap", "en", "It takes 3 days.", "It takes 3 days.", "It takes 3 "),
        ("unit_swap", "it", "Pesa 20 chilogrammi.", "Pesa 20 chilogrammi.", "Pesa 20 "),
    ],
)
def test_swaps_change_one_value(
    rule: str, language: str, text: str, context: str, expected: str
) -> None:
    words = variant_language(language)
    assert words is not None
    made = SWAPS[rule](text, context, words)
    assert made is not None
    assert made != text
    assert expected in made
    assert len(made.split()) == len(text.split())
    assert SWAPS[rule](text, context, words) == made  # the same every time


@pytest.mark.parametrize(
    ("rule", "language", "text", "context"),
    [
        ("number_swap", "en", "It holds at least 21 boxes.", "It holds 21 boxes."),
        ("number_swap", "en", "It made 400 films.", "It made more than 400 films."),
        ("number_swap", "en", "The Model 2 camera is old.", "The Model 2 camera is old."),
        ("number_swap", "en", "It is called 'Square Two'.", "It is called 'Square Two'."),
        ("number_swap", "en", "Fifty Shades sold well.", "Fifty Shades sold well."),
        ("number_swap", "en", "It was made in 1784.", "It was made in 1784."),
        ("number_swap", "en", "It opens on 14 May.", "It opens on 14 May."),
        ("number_swap", "en", "It holds 21 boxes.", "It holds many boxes."),
        ("number_swap", "it", "Negli anni '60 piacque.", "Piacque negli anni '60."),
        ("number_swap", "it", "Due uomini e mezzo piace.", "Due uomini e mezzo piace."),
        ("number_swap", "it", "È nella top 10.", "È nella top 10."),
        ("date_swap", "en", "They won the cup in 1998.", "They won the cup in 1998."),
        ("date_swap", "en", "Was he born in 1998?", "He was born in 1998."),
        ("date_swap", "en", "It may rain.", "It may rain."),
        ("unit_swap", "en", "It takes a few days.", "It takes 3 days."),
        ("unit_swap", "en", "It takes up to 3 days.", "It takes up to 3 days."),
    ],
)
def test_swaps_keep_away(rule: str, language: str, text: str, context: str) -> None:
    words = variant_language(language)
    assert words is not None
    assert SWAPS[rule](text, context, words) is None


def test_negations() -> None:
    assert EN is not None
    assert IT is not None
    assert negated("The pool is heated.", EN) == "The pool is not heated."
    assert negated("The tower has been closed.", EN) == "The tower has not been closed."
    assert negated("Il limite è di dieci siti.", IT) == "Il limite non è di dieci siti."
    assert denied("The pool is heated.", EN) == "It is not true that the pool is heated."
    assert denied("Tony Blair resigned.", EN) == "It is not true that Tony Blair resigned."
    assert denied("La piscina è calda.", IT) == "Non è vero che la piscina è calda."
    assert doubly_negated("The pool is heated.", EN) == (
        "It is not true that the pool is not heated."
    )


@pytest.mark.parametrize(
    "text",
    [
        "All rooms are heated.",
        "The pool is only heated in May.",
        "The pool is not heated.",
        "The pool isn't heated.",
        "The pool is heated and the gym is open.",
        "The pool is heated, says the guide.",
        "The pool is heated if it rains.",
        "Is the pool heated?",
        "The pool heats up.",
        "The pool is still heated.",
    ],
)
def test_no_negation_where_it_may_not_deny_the_whole(text: str) -> None:
    assert EN is not None
    assert negated(text, EN) is None


@pytest.mark.parametrize(
    "text", ["Si è laureato nel 2009.", "Marco si è laureato.", "Nessuno è uscito.", "È vero."]
)
def test_no_italian_negation_where_it_would_not_read_well(text: str) -> None:
    assert IT is not None
    assert negated(text, IT) is None


def test_no_denial_where_it_cannot_be_told_what_begins_it() -> None:
    assert EN is not None
    for text in ("Swimmers train here.", "Two cats. Two dogs.", "A fragment without a stop"):
        assert denied(text, EN) is None


@pytest.mark.parametrize("how", ["spaces", "markdown", "capitals"])
def test_formatting_keeps_the_words(how: str) -> None:
    made = formatted("The pool is heated.", how)
    assert made != "The pool is heated."
    assert made.replace("*", "").lower().split() == ["the", "pool", "is", "heated."]
    with pytest.raises(ValueError, match="how must be one of"):
        formatted("x", "blinking")


_PLACES = (
    "pool", "gym", "hall", "barn", "loft", "shed",
    "tower", "cabin", "studio", "lounge", "chapel", "stable",
)  # fmt: skip


def a_set(folder: Path, families: int = 12, *, label: str = "supported") -> Path:
    claims = [
        claim(
            f"The {word} is heated.",
            f"The {word} is heated all winter.",
            f"Guests like the {word}.",
            name=f"f{n:02}",
        )
        for n, word in enumerate(_PLACES[:families])
    ]
    labels = [
        LabelRecord(id=f"l{c.id}", claim_id=c.id, annotator="a", label=label)  # type: ignore[arg-type]
        for c in claims
    ]
    write_claim_set(folder, claims, labels)
    return folder


def test_predictions_follow_from_what_people_said(tmp_path: Path) -> None:
    found = load_claim_set(a_set(tmp_path / "s", 3, label="contradicted"))
    labels = references(found.claims, found.labels).labels
    made = propose_by_rule(found.claims, labels)
    told = {draft.variant: draft.predicted for draft in made.drafts}
    assert told["negation"] == "supported"
    assert told["double_negation"] == told["formatting_capitals"] == "contradicted"
    assert told["reported_speech"] == "unverifiable"
    assert "number_swap" not in told
    assert made.skipped["number_swap: the original is not called supported"] == 3
    unlabelled = propose_by_rule(found.claims, {}).drafts
    assert {d.predicted for d in unlabelled if d.rule == "negation"} == {None}
    assert all(draft.maker == "rule" and draft.rule in RULES for draft in made.drafts)


def test_dilution_adds_unrelated_chunks_and_order_turns_them(tmp_path: Path) -> None:
    found = load_claim_set(a_set(tmp_path / "s"))
    drafts = propose_by_rule(found.claims, {}, rules=("dilution", "context_order")).drafts
    first = {draft.variant: draft for draft in drafts if draft.family == "f00"}
    original = found.claims[0].context
    for k in (1, 3, 6):
        context = first[f"context_dilution_{k}"].context
        assert len(context) == len(original) + k
        assert [chunk for chunk in context if chunk in original] == list(original)
        assert not any("pool" in chunk for chunk in context if chunk not in original)
    assert first["context_order"].context == original[::-1]


def test_what_cannot_be_done_is_counted(tmp_path: Path) -> None:
    claims = [
        claim("Ein Satz.", language="de"),
        claim("A negation.", name="f2", variant="negation"),
    ]
    skipped = propose_by_rule(claims, {}).skipped
    assert skipped == {"family without original": 1, "no rules for the language de": 1}


def test_drafts_are_appended_once_and_survive_a_torn_line(tmp_path: Path) -> None:
    folder = a_set(tmp_path / "s")
    found = load_claim_set(folder)
    drafts = propose_by_rule(found.claims, {}, rules=("negation",)).drafts
    assert add_drafts(folder, drafts[:5]) == (5, 0)
    with (folder / "drafts.jsonl").open("ab") as handle:
        handle.write(b'{"id": "torn')
    assert add_drafts(folder, drafts) == (7, 5)
    assert [draft.id for draft in read_drafts(folder)] == [draft.id for draft in drafts]
    with (folder / "drafts.jsonl").open("ab") as handle:
        handle.write(b'{"id": "x"}\n')
    with pytest.raises(InputError, match=r"drafts\.jsonl:13"):
        read_drafts(folder)


def test_a_draft_that_stands_in_the_set_already_is_passed_over(tmp_path: Path) -> None:
    folder = a_set(tmp_path / "s", 2)
    original = load_claim_set(folder).claims[0]
    same = Draft(
        id="new", family="f00", variant="paraphrase", claim=original.claim,
        context=original.context, language="en", maker="m", rule="paraphrase",
    )  # fmt: skip
    assert add_drafts(folder, [same]) == (0, 1)


def test_accepting_makes_claims_that_await_labels_and_hides_the_prediction(tmp_path: Path) -> None:
    folder = a_set(tmp_path / "s")
    found = load_claim_set(folder)
    labels = references(found.claims, found.labels).labels
    add_drafts(folder, propose_by_rule(found.claims, labels).drafts)
    claims = accept(folder, rules=("negation", "dilution"))
    assert len(claims) == 12 + 36
    after = load_claim_set(folder)  # no fault: contexts and families are in order
    assert len(after.claims) == 12 + 48
    assert after.splits == found.splits
    assert after.labels == found.labels
    told = (folder / "claims.jsonl").read_text(encoding="utf-8")
    assert "predicted" not in told
    assert claims[0].meta == {"maker": "rule", "rule": "negation"}
    waiting = references(after.claims, after.labels)
    assert all(waiting.label_of(one.id) is None for one in claims)
    assert accept(folder, rules=("negation",)) == []
    with pytest.raises(UsageError, match="no usable draft"):
        accept(folder, ids=("nothing",))


def test_predictions_are_held_against_people(tmp_path: Path) -> None:
    folder = a_set(tmp_path / "s", 4)
    found = load_claim_set(folder)
    labels = references(found.claims, found.labels).labels
    add_drafts(folder, propose_by_rule(found.claims, labels, rules=("negation",)).drafts)
    claims = accept(folder)
    said = ["contradicted", "contradicted", "unverifiable"]
    with (folder / "labels.jsonl").open("a", encoding="utf-8") as handle:
        for one, label in zip(claims, said, strict=False):
            record = {"id": f"n{one.id}", "claim_id": one.id, "annotator": "a", "label": label}
            handle.write(json.dumps(record) + "\n")
    (score,) = maker_scores(folder)
    assert (score.drafts, score.accepted, score.labelled) == (4, 4, 3)
    assert (score.right, score.predicted) == (2, 3)


def test_every_language_has_all_prompts() -> None:
    keys = [set(variant_language(code).wording) for code in variant_languages()]  # type: ignore[union-attr]
    assert all(one == keys[0] for one in keys)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("openai", reason="THE EXTRA llm IS ABSENT")
    replies = {
        "words-well": json.dumps({"text": "Warm water fills the pool."}),
        "says-the-same": json.dumps({"text": "the pool is heated"}),
        "says-nothing": json.dumps({"text": "  "}),
        "speaks-italian": json.dumps({"text": "La piscina è riscaldata per tutti gli ospiti."}),
        "no-form": "I would rather not.",
        # What a model of 270 million parameters did write.
        "says-dots": json.dumps({"text": "..."}),
        "says-the-prompt": json.dumps({"text": "You write test claims. Read the context."}),
        "says-i-and-a": json.dumps({"text": "I am a student in a hall. I am in my third year."}),
    }
    for name, text in replies.items():
        monkeypatch.setitem(CONTENTS, name, (text, {}))
    with FaultServer() as running:
        yield running


def client(server: FaultServer, model: str):
    from voirdire.models import LlmClient, LlmSettings

    return LlmClient(LlmSettings(model=model, base_url=server.base_url, retries=0))


@pytest.mark.parametrize(
    ("model", "fault"),
    [
        ("words-well", ""),
        ("says-the-same", "same text"),
        ("says-nothing", "empty"),
        ("speaks-italian", "wrong language"),
        ("says-dots", "empty"),
        ("says-the-prompt", "the prompt again"),
        ("says-i-and-a", ""),
        ("no-form", "no JSON"),
        ("length", "truncated"),
        ("refusal", "refused"),
    ],
)
def test_what_a_model_writes_is_checked_and_kept(
    server: FaultServer, tmp_path: Path, model: str, fault: str
) -> None:
    folder = a_set(tmp_path / "s", 1)
    found = load_claim_set(folder)
    labels = references(found.claims, found.labels).labels
    asked = client(server, model)
    try:
        drafts = list(propose_by_model(asked, found.claims, labels, kinds=("paraphrase",)))
    finally:
        asked.close()
    (draft,) = drafts
    assert draft.fault == fault
    assert draft.maker == model
    assert draft.predicted == "supported"
    assert bool(draft.raw) == bool(fault)
    assert add_drafts(folder, drafts) == (1, 0)
    assert len(accept(folder)) == (0 if fault else 1)
    (score,) = maker_scores(folder)
    assert score.faults == ({fault: 1} if fault else {})
    sent = server.requests[-1]
    assert sent["response_format"]["type"] == "json_schema"
    prompt = sent["messages"][0]["content"]
    assert '{"text": "..."}' in prompt
    assert "supported" not in prompt  # the label is not told


def test_a_short_claim_must_be_short(server: FaultServer, tmp_path: Path) -> None:
    found = load_claim_set(a_set(tmp_path / "s", 1))
    asked = client(server, "words-well")
    try:
        (draft,) = propose_by_model(asked, found.claims, {}, kinds=("short",))
    finally:
        asked.close()
    assert draft.fault == "not short"
    assert "Warm water" in draft.claim


def test_ids_made_already_are_not_asked_for_again(server: FaultServer, tmp_path: Path) -> None:
    found = load_claim_set(a_set(tmp_path / "s", 3))
    asked = client(server, "words-well")
    try:
        drafts = list(propose_by_model(asked, found.claims, {}, kinds=("paraphrase",)))
        known = [draft.id for draft in drafts[:2]]
        before = len(server.requests)
        again = list(propose_by_model(asked, found.claims, {}, kinds=("paraphrase",), known=known))
    finally:
        asked.close()
    assert len(again) == 1
    assert len(server.requests) == before + 1


def test_originals_from_documents_keep_the_proportions(server: FaultServer, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "house rules.md").write_text(
        "# House\n\n" + "The pool is heated. " * 40 + "\n\nNo dogs."
    )
    asked = client(server, "words-well")
    try:
        drafts = list(originals_from_documents(asked, docs, language="en", count=40))
        with pytest.raises(UsageError, match="no document there"):
            list(originals_from_documents(asked, tmp_path / "empty", language="en"))
        with pytest.raises(UsageError, match="no prompts in 'xx'"):
            list(originals_from_documents(asked, docs, language="xx"))
    finally:
        asked.close()
    predicted = [draft.predicted for draft in drafts]
    assert predicted.count("supported") == predicted.count("contradicted") == 12
    refusals = [draft for draft in drafts if draft.variant == "refusal"]
    assert len(refusals) == 8 == 4 * sum(aim == "unanswerable" for _, aim in PROPORTIONS)
    assert all(draft.of is None and draft.context[0] for draft in drafts)


def test_the_first_batch_of_originals_goes_whole(tmp_path: Path) -> None:
    folder = a_set(tmp_path / "s", 2)
    drafts = [
        Draft(
            id=f"d{n}", family=f"d{n}", variant="original", claim=f"Claim {n}.",
            context=(f"Text {n}.",), language="en", maker="m", rule="single_fact, supported",
            predicted="supported",
        )
        for n in range(40)
    ]  # fmt: skip
    add_drafts(folder, drafts)
    taken = accept(folder, limit=5)
    assert [one.id for one in taken] == [f"d{n}" for n in range(FIRST_BATCH)]
    assert set(load_claim_set(folder).splits.families) >= {f"d{n}" for n in range(FIRST_BATCH)}


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("percentage_swap", "It holds 40% of the market.", "It holds "),
        ("percentage_swap", "It grew by 2.5 percent.", ".5 percent."),
        ("ordinal_swap", "It is the third largest town.", "It is the fourth largest town."),
        ("ordinal_swap", "This was his 2nd film.", "This was his 3rd film."),
    ],
)
def test_percentages_and_places_in_an_order(rule: str, text: str, expected: str) -> None:
    assert EN is not None
    made = SWAPS[rule](text, text, EN)
    assert made is not None
    assert made != text
    assert expected in made


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("percentage_swap", "It holds more than 40% of the market."),
        ("percentage_swap", "It is 8% larger."),  # an 8 %, a 12 %
        ("percentage_swap", "It is 99% full."),
        ("ordinal_swap", "The third section lists names."),  # so may the fourth
        ("ordinal_swap", "It was built in the third year."),
        ("ordinal_swap", "First came the lion, then the second cub."),
        ("ordinal_swap", "He fought in the Second World War."),
        ("ordinal_swap", "It is the second of three."),
        ("unit_swap", "It took 2 hours and 15 minutes."),
        ("unit_swap", "He wrote 21 Grams."),
        ("number_swap", "It holds a 90 percent share."),
    ],
)
def test_more_places_to_keep_away_from(rule: str, text: str) -> None:
    assert EN is not None
    assert SWAPS[rule](text, text, EN) is None


def test_italian_keeps_away_from_decades_and_leaves_shares_to_a_model() -> None:
    assert IT is not None
    for text in ("Fu fatto negli anni 90.", "Vale per il 40 per cento.", "Sono 53 879 persone."):
        assert SWAPS["number_swap"](text, text, IT) is None
    assert SWAPS["percentage_swap"]("Vale il 40%.", "Vale il 40%.", IT) is None
    assert SWAPS["ordinal_swap"]("È il terzo film.", "È il terzo film.", IT) is None


@pytest.mark.parametrize(
    "text",
    [
        "A dog running on the beach.",
        "Two men in hard hats.",
        "People in the street.",
        "in airplane glide ratio, higher numbers are better.",
        "One Flew Over the Cuckoo's Nest won an award.",
    ],
)
def test_no_denial_of_a_fragment_or_a_title(text: str) -> None:
    assert EN is not None
    assert denied(text, EN) is None


def test_no_negation_of_a_clause_inside() -> None:
    assert EN is not None
    for text in (
        "It charges for a filter on the day it is dispatched.",
        "It erases a loan once the book has been returned.",
        "Someone is at the desk.",
    ):
        assert negated(text, EN) is None
    assert negated("It is closed.", EN) == "It is not closed."
    assert negated("Guests can pay by card.", EN) == "Guests cannot pay by card."
