"""The labelling screen, and the screens that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.errors import InputError
from voirdire.labels.studio.client import check_offline
from voirdire.labels.studio.guideline import as_html, guideline_digest, shipped_guideline
from voirdire.labels.studio.plans import project_title
from voirdire.labels.studio.projects import marker_of
from voirdire.labels.studio.screen import (
    TASK_FIELDS,
    canonical,
    check_screen,
    labelling_screen,
    read_screen,
    verdicts_of,
)

GOOD = labelling_screen()


@pytest.mark.parametrize("space", ["three_class", "two_class"])
@pytest.mark.parametrize("table", [None, "What & why"])
def test_our_screens_pass_both_checks(space: str, table: str | None) -> None:
    screen = labelling_screen(space, table=table)  # type: ignore[arg-type]
    fields = (*TASK_FIELDS, "votes") if table else TASK_FIELDS
    check_screen(screen, fields=fields, space=space)  # type: ignore[arg-type]
    check_offline(screen)


def test_hotkeys_and_parts_are_there() -> None:
    for part in (
        *('value="supported" hotkey="1"', 'value="contradicted" hotkey="2"'),
        *('value="unverifiable" hotkey="3"', 'value="evidence"', 'name="confidence"'),
        *('name="comment"', 'value="$claim"', 'value="$context"', 'required="true"'),
    ):
        assert part in GOOD
    assert verdicts_of(labelling_screen("two_class")) == ("supported", "not_supported")


@pytest.mark.parametrize(
    ("screen", "message"),
    [
        ("<View>", "not XML"),
        ("<View/>", "no control, so nobody can label"),
        ('<View><Text name="claim" value="$claim"/></View>', "no control"),
        (GOOD.replace('hotkey="3"', 'hotkey="1"'), "hotkey '1' stands twice"),
        (GOOD.replace('hotkey="q"', 'hotkey="1"'), "hotkey '1' stands twice"),
        (GOOD.replace('value="low"', 'value="high"'), "choice of 'confidence' 'high' stands twice"),
        (GOOD.replace('value="contradicted"', 'value="supported"'), "'verdict' 'supported' stands"),
        (GOOD.replace('value="contradicted"', 'value="wrong"'), "exactly supported, contradicted"),
        (GOOD.replace('name="verdict"', 'name="answer"'), "'verdict' are not there"),
        (GOOD.replace("$claim", "$sentence"), r"field '\$sentence', which the tasks do not have"),
        (GOOD.replace("$claim", "claim"), "shows the same on every task"),
        (GOOD.replace('name="comment"', 'name="claim"'), "name 'claim' stands twice"),
        ('<!DOCTYPE x [<!ENTITY a "b">]>' + GOOD, "declares entities"),
    ],
)
def test_what_the_server_lets_pass_is_refused(screen: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_screen(screen, fields=TASK_FIELDS, space="three_class")


def test_what_the_parser_refuses_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Label Studio's parser refuses the screen"):
        check_offline(GOOD.replace('toName="context"', 'toName="nowhere"'))
    path = tmp_path / "own.xml"
    path.write_text(GOOD.replace('hotkey="4"', 'hotkey="x"'), encoding="utf-8")
    assert 'hotkey="x"' in read_screen(path, "three_class")


def test_spaces_do_not_make_another_screen() -> None:
    assert canonical(GOOD) == canonical(GOOD.replace("\n", "\n   "))
    assert canonical(GOOD) != canonical(GOOD.replace("$claim", "$context"))
    assert canonical("<broken") == "<broken"


def test_titles_and_markers_fit_the_server() -> None:
    for name in ("x", "a set", "long " * 30):
        for part, word in ((0, ""), (12, ""), (0, "second look")):
            assert 3 <= len(project_title(name, part, word)) <= 50
    markers = {marker_of("ab" * 16, kind, part) for kind in ("labels", "review") for part in (0, 1)}  # type: ignore[arg-type]
    assert len(markers) == 4
    assert not any(a != b and a in b for a in markers for b in markers)


def test_the_guideline_is_shown_as_text() -> None:
    text = shipped_guideline()
    assert "unverifiable (key 3)" in text
    assert "contradicted" not in shipped_guideline("two_class").split("\n")[2]
    assert as_html("a <b>\nc\n\nd & e") == "<p>a &lt;b&gt;<br>c</p><p>d &amp; e</p>"
    assert guideline_digest(text) != guideline_digest(text + " ")
