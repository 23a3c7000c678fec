"""Two annotators at the screen itself: they read, press keys, drag over words, skip, submit."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.labels.studio.conftest import labels_in
from tests.reports.browser import chromium
from tests.servers.label_studio import PASSWORD, LabelStudio, Person
from voirdire.labels import write_claim_set
from voirdire.labels.studio import PushOptions, Server, pull, push
from voirdire.records import Claim

CLAIMS = [
    Claim(
        id="price",
        family="price",
        variant="original",
        claim="The small plan costs 12 euros a month.",
        context=(
            "The small plan is 12 euros a month and can be cancelled at any time.",
            "Two seats are included. Further seats cost three euros each.",
        ),
        language="en",
    ),
    Claim(
        id="seats",
        family="seats",
        variant="original",
        claim="Five seats are included in the plan.",
        context=("🌉 The plan is for teams.", "Two seats are included. Further seats cost more."),
        language="en",
    ),
    Claim(
        id="refund",
        family="refund",
        variant="original",
        claim="A refund takes ten days.",
        context=("Refunds are paid to the card.", "Write to us for a refund."),
        language="en",
    ),
]
SUBMIT = 'button[aria-label="Submit current annotation"]'
SKIP = 'button[aria-label="skip-task"]'
SECONDS = 30.0


class Sitting:
    """A person before a browser."""

    def __init__(self, driver: Any, studio: LabelStudio, person: Person) -> None:
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        self.driver, self.keys, self.chains = driver, Keys, ActionChains
        driver.set_window_size(1180, 760)
        driver.get(f"{studio.url}/user/login/")
        self.one("[name=email]").send_keys(person.email)
        self.one("[name=password]").send_keys(PASSWORD, Keys.ENTER)
        self.wait(lambda: "/login" not in driver.current_url)

    def begin(self, link: str) -> None:
        self.driver.get(link)
        self.wait(self.claim)
        self.wait(lambda: "Judge by the context alone" in self.text())  # the guideline comes first
        self.press(self.keys.ESCAPE)
        self.wait(lambda: "Judge by the context alone" not in self.text())

    def claim(self) -> str:
        """The claim that is shown, or an empty string."""
        return str(
            self.driver.execute_script(
                "const e = document.querySelector('.vd-claim .lsf-richtext__line');"
                "return e ? e.textContent : ''"
            )
        )

    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.chains(self.driver).send_keys(key).perform()
            time.sleep(0.2)

    def choose(self, key: str, word: str) -> None:
        """Press a hotkey until its choice is chosen: keys are not heard while a task loads."""
        for _ in range(20):
            self.press(key)
            chosen = self.driver.execute_script(
                "return Array.from(document.querySelectorAll('input:checked'))"
                ".map(e => (e.closest('label') || e.parentElement).innerText)"
            )
            if any(str(text).startswith(word) for text in chosen):
                return
        raise AssertionError(f"{word} is not chosen, but {chosen}")

    def mark(self, words: str) -> None:
        """Choose the evidence label and drag over words of the context."""
        self.press("4")
        left, right, middle = self.driver.execute_script(
            """
            const walk = document.createTreeWalker(
                document.querySelector('.vd-context'), NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) {
                const at = walk.currentNode.data.indexOf(arguments[0]);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at);
                range.setEnd(walk.currentNode, at + arguments[0].length);
                const box = range.getBoundingClientRect();
                return [box.left, box.right, (box.top + box.bottom) / 2];
            }""",
            words,
        )
        chain = self.chains(self.driver, duration=100)
        chain.w3c_actions.pointer_action.move_to_location(int(left) + 2, int(middle))
        chain.w3c_actions.pointer_action.pointer_down()
        chain.w3c_actions.pointer_action.move_to_location(int(right) - 2, int(middle))
        chain.w3c_actions.pointer_action.pointer_up()
        chain.perform()
        self.wait(lambda: self.driver.find_elements("css selector", ".vd-context .htx-highlight"))

    def comment(self, words: str) -> None:
        box = self.one("textarea")
        box.click()
        box.send_keys(words)
        self.chains(self.driver).move_by_offset(0, 0).perform()

    def done(self, button: str) -> None:
        """Press a button, and wait for the next claim or the end."""
        before = self.claim()
        self.wait(lambda: self.clicked(button))
        self.wait(
            lambda: self.claim() not in ("", before) or "no more tasks" in self.text().lower()
        )

    def clicked(self, button: str) -> bool:
        """Whether a click arrived: while a task is loading something lies over the buttons."""
        from selenium.common.exceptions import WebDriverException

        if not self.one(button).is_enabled():
            return False
        try:
            self.one(button).click()
        except WebDriverException:
            return False
        return True

    def one(self, selector: str) -> Any:
        self.wait(lambda: self.driver.find_elements("css selector", selector))
        return self.driver.find_element("css selector", selector)

    def wait(self, ready: Callable[[], Any]) -> None:
        end = time.monotonic() + SECONDS
        while not ready():
            assert time.monotonic() < end, self.text()[:3000]
            time.sleep(0.1)


def first_person(sitting: Sitting, picture: Path | None) -> None:
    for _ in CLAIMS:
        claim = sitting.claim()
        if "12 euros" in claim:
            sitting.choose("1", "supported")
            sitting.choose("e", "high")
            sitting.mark("12 euros a month")
            if picture:
                sitting.driver.save_screenshot(str(picture))
            sitting.done(SUBMIT)
        elif "Five seats" in claim:
            sitting.choose("2", "contradicted")
            sitting.choose("w", "medium")
            sitting.comment("two, not five")
            sitting.done(SUBMIT)
        else:
            sitting.choose("3", "unverifiable")
            sitting.done(SKIP)


def second_person(sitting: Sitting) -> None:
    for _ in CLAIMS:
        claim = sitting.claim()
        if "12 euros" in claim:
            sitting.choose("1", "supported")
        elif "Five seats" in claim:
            sitting.choose("2", "contradicted")
            sitting.mark("Two seats are included")
        else:
            sitting.choose("3", "unverifiable")
            sitting.choose("q", "low")
        sitting.done(SUBMIT)


def test_what_two_people_do_in_the_browser_is_what_pull_gets(
    tmp_path: Path, studio: LabelStudio, server: Server, people: list[Person]
) -> None:
    folder = tmp_path / "labels" / "browser"
    write_claim_set(folder, CLAIMS)
    report = push(folder, server, PushOptions(overlap=2, title="Support claims"))
    named = os.environ.get("VOIRDIRE_LABELLING_PICTURE")
    with chromium() as driver:
        sitting = Sitting(driver, studio, people[0])
        sitting.begin(report.links[0])
        first_person(sitting, Path(named) if named else None)
    with chromium() as driver:
        sitting = Sitting(driver, studio, people[1])
        sitting.begin(report.links[0])
        assert "two, not five" not in driver.page_source  # nobody sees another's labels there
        second_person(sitting)
    result = pull(folder, server)
    rows = {(row["claim_id"], row["annotator"]): row for row in labels_in(folder)}
    assert {key: row.get("label", row["status"]) for key, row in rows.items()} == {
        ("price", "a1"): "supported",
        ("price", "a2"): "supported",
        ("seats", "a1"): "contradicted",
        ("seats", "a2"): "contradicted",
        ("refund", "a1"): "skipped",
        ("refund", "a2"): "unverifiable",
    }
    words = {key: [span["text"] for span in row.get("evidence", [])] for key, row in rows.items()}
    assert words["price", "a1"] == ["12 euros a month"]
    assert words["seats", "a2"] == ["Two seats are included"]
    assert not words["price", "a2"]
    claims = {claim.id: claim for claim in CLAIMS}
    for (claim_id, _), row in rows.items():
        for span in row.get("evidence", []):
            chunk = claims[claim_id].context[span["chunk"]]
            assert chunk[span["start"] : span["end"]] == span["text"]
    sure = {key: row.get("confidence") for key, row in rows.items()}
    assert [sure[key] for key in (("price", "a1"), ("seats", "a1"), ("refund", "a2"))] == [
        "high",
        "medium",
        "low",
    ]
    assert rows["seats", "a1"]["comment"] == "two, not five"
    assert all(row["lead_seconds"] > 0 for row in rows.values())
    assert result.counts["not used"] == 0
    assert json.loads((folder / "studio" / "pull.json").read_text())["unused"] == []
