"""Answers into claims: in any language, with lists, quotes, decimals; each claim in its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.metrics import SentenceSplitter
from voirdire.metrics.blocks import blocks
from voirdire.metrics.checkable import not_a_claim, tidy
from voirdire.metrics.languages import language_of, question_kind, words_of
from voirdire.metrics.sentences import sentences

SPLITTER = SentenceSplitter()


def texts(answer: str, language: str | None = None) -> list[str]:
    return [claim.text for claim in SPLITTER.split(answer, language=language).claims]


@pytest.mark.parametrize(
    ("answer", "language", "wanted"),
    [
        ("東京は日本の首都です。人口は約1400万人です！", None,
         ["東京は日本の首都です。", "人口は約1400万人です！"]),
        ("彼は「そうです。」と言った。次に帰った。", None,
         ["彼は「そうです。」と言った。", "次に帰った。"]),
        ("北京是中国的首都。人口约2100万！", None, ["北京是中国的首都。", "人口约2100万！"]),
        ("Dr. Smith paid $3.50 for it. The U.S. economy grew 2.5 percent.", "en",
         ["Dr. Smith paid $3.50 for it.", "The U.S. economy grew 2.5 percent."]),
        ("See e.g. fig. 3. It costs approx. five euro.", "en",
         ["See e.g. fig. 3.", "It costs approx. five euro."]),
        ("Das kostet z. B. 3,50 Euro am 3. Mai. Er sagte: „Das stimmt nicht.“ Dann ging er.", "de",
         ["Das kostet z. B. 3,50 Euro am 3. Mai.", "Er sagte: „Das stimmt nicht.“",
          "Dann ging er."]),
        ("Il piano costa 12,50 euro. Il dott. Rossi lavora a Roma.", "it",
         ["Il piano costa 12,50 euro.", "Il dott. Rossi lavora a Roma."]),
        ("M. Dupont habite à Paris. Il est là.", "fr",
         ["M. Dupont habite à Paris.", "Il est là."]),
        ("باريس عاصمة فرنسا. روما عاصمة إيطاليا.", None,
         ["باريس عاصمة فرنسا.", "روما عاصمة إيطاليا."]),
        ("दिल्ली भारत की राजधानी है। यहाँ लोग हैं।", None,
         ["दिल्ली भारत की राजधानी है।", "यहाँ लोग हैं।"]),
        ("Paris", "en", ["Paris"]),
    ],
)  # fmt: skip
def test_sentences_in_many_languages(answer, language, wanted) -> None:
    assert texts(answer, language) == wanted


def test_markdown_is_read_as_a_reader_sees_it() -> None:
    answer = (
        "# Plans\n\n- **Basic** costs 12 euro\n- Pro costs\n  19 euro [1].\n\n"
        "| plan | price |\n|---|---|\n| Team | 49 euro |\n\n```\ncode = 1\n```\n"
        "All plans\ninclude [support](https://a.example/x). See you at 5 p.m. in Rome."
    )
    split = SPLITTER.split(answer)
    assert [claim.text for claim in split.claims] == [
        "Basic costs 12 euro",
        "Pro costs 19 euro.",
        "| Team | 49 euro |",
        "All plans include support.",
        "See you at 5 p.m. in Rome.",
    ]
    assert split.claims[0].flags == ("list_item",)
    assert split.claims[2].flags == ("table_row",)
    assert split.not_claims == {"heading": 2, "code": 1}


def test_every_claim_is_traced_to_its_place() -> None:
    answer = "Hello!\n\n* The plan costs 12 euro.\n* It has  support."
    split = SPLITTER.split(answer)
    assert [answer[one.start : one.end] for one in split.claims] == [
        "The plan costs 12 euro.",
        "It has  support.",
    ]


def test_pronouns_are_flagged() -> None:
    flags = [one.flags for one in SPLITTER.split("Basic is cheap. It costs 12 euro.").claims]
    assert flags == [(), ("pronoun",)]
    assert SPLITTER.split("Essa costa 12 euro.", language="it").claims[0].flags == ("pronoun",)


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("I don't know.", "en"), ("I don’t know", "en"), ("I cannot answer that.", "en"),
        ("Hello!", "en"), ("Thank you for your question!", "en"),
        ("The provided context does not mention the price.", "en"),
        ("I'm unable to find this information.", "en"),
        ("There is no information about fees.", "en"), ("Unknown.", "en"),
        ("I could not find an answer. Would you like to know more?", "en"),
        ("Non lo so.", "it"), ("Il contesto non menziona il prezzo.", "it"),
        ("Ich kann das leider nicht beantworten.", "de"), ("Ich weiß es nicht.", "de"),
        ("Je ne sais pas.", "fr"), ("No lo sé.", "es"), ("Não sei.", "pt"),
        ("わかりません。", "ja"), ("我不知道。", "zh"), ("???", "en"), ("- \n- ", "en"),
    ],
)  # fmt: skip
def test_an_answer_without_a_claim_is_not_applicable(answer, language) -> None:
    split = SPLITTER.split(answer, language=language)
    assert split.claims == ()
    assert split.status == "nothing_to_check"


def test_declining_and_asserting_is_a_claim() -> None:
    assert texts("I don't know the fee, but the plan costs 12 euro.") != []
    assert texts("The plan does not include support.") == ["The plan does not include support."]
    assert texts("Customers cannot cancel after 14 days.") != []
    assert texts("Non costa nulla.", "it") == ["Non costa nulla."]


def test_refusing_is_seen() -> None:
    assert SPLITTER.split("I'm sorry. I don't know.").refused
    assert not SPLITTER.split("Hello!").refused
    assert not SPLITTER.split("I don't know. The plan costs 12 euro.").refused


def test_an_empty_answer_is_told_apart_from_one_that_says_nothing() -> None:
    assert SPLITTER.split("").status == SPLITTER.split(" \n ").status == "empty_answer"
    assert SPLITTER.split("Hi!").status == "nothing_to_check"


def test_citation_marks_are_no_numbers_of_the_claim() -> None:
    assert tidy("Basic costs 12 euro [1][2, 3] 【4†source】.") == "Basic costs 12 euro."
    assert tidy("The array a[0] and snake_case stay.") == "The array a[0] and snake_case stay."
    assert tidy("3 * 4 is 12") == "3 * 4 is 12"


def test_every_refusal_holds_a_hint() -> None:
    """The hints are looked for first: a refusal without one would never be seen."""
    for language, said in {
        "en": ["i do not know", "i cant help", "i am unable to say", "no answer", "unknown",
               "there is no information", "insufficient information", "i won't help you"],
        "it": ["non lo so", "non ho informazioni"],
        "de": ["ich weiß nicht", "ich habe keine angaben", "der text enthält nichts"],
        "fr": ["je ne sais pas", "aucune information", "pas d'information"],
        "es": ["no lo sé", "no hay información"],
        "pt": ["não sei"],
        "ja": ["わかりません", "記載されていません"],
        "zh": ["我不知道", "无法回答", "文档中未提及"],
    }.items():  # fmt: skip
        for sentence in said:
            assert any(hint in sentence for hint in words_of(language).hints), sentence
            assert not_a_claim(sentence, language=language) == "refusal", sentence


def test_language_by_script_and_kind_of_question() -> None:
    assert language_of("서울은 수도입니다.") == "ko"
    assert language_of("ok", told="pt-BR") == "pt"
    assert question_kind("Is it free?", language="en") == "yes or no"
    assert question_kind("Quando scade?", language="it") == "when"
    assert question_kind("いつですか", language="ja") == "when"
    assert question_kind("", language="en") == "other"


PARTS = st.sampled_from(
    ["The plan costs 12 euro.", "Hi!", "e.g. 3.5", "。", "東京です", "\n", "\n\n", "- ", "1. ",
     "# ", "|a|b|", "|---|", "```", "> ", "*", "**x**", "[1]", " ", "\t", "?", "A. B.", "…",
     "“q.”", "」", "\u2028", "\x00", "\ud800", "a\u0301", "😀", "Dr.", ":", "\r\n"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=20).map("".join))
def test_places_are_ordered_and_inside_whatever_comes(answer: str) -> None:
    last = 0
    for block in blocks(answer):
        assert last <= block.start <= block.end <= len(answer)
        last = block.end
    if "\ud800" in answer:
        answer = answer.encode("utf-8", "replace").decode()
    last = 0
    for one in sentences(answer, language="en"):
        assert last <= one.start <= len(answer)
        assert one.end <= len(answer)
        last = max(one.end, one.start)
    for claim in SPLITTER.split(answer).claims:
        assert claim.text.strip()
        assert 0 <= claim.start < claim.end <= len(answer)


def test_a_megabyte_without_a_stop_is_one_claim_and_soon_done() -> None:
    assert len(texts("word " * 200_000)) == 1
    assert len(texts("." * 100_000)) == 0
