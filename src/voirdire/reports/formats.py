"""Numbers as the reader's language writes them; undefined is a word with its reason."""

from __future__ import annotations

from voirdire.records import Estimate
from voirdire.reports.words import Words

__all__ = ["Formats"]

MINUS = "\u2212"
NO_BREAK = "\u00a0"


class Formats:
    """Formats for one language.

    Shares are whole percents, other numbers have two decimals; a number that rounding would make
    a perfect 0 or 1 without being it keeps one more decimal or says ``>``.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._decimal = words("number.decimal")
        self._thousands = words("number.thousands")

    def count(self, value: int) -> str:
        """A whole number with its thousands apart."""
        return f"{value:,}".replace(",", self._thousands)

    def number(self, value: float) -> str:
        """Two decimals; the minus is a minus."""
        text = f"{abs(value):.2f}"
        sign = MINUS if value < 0 and text != "0.00" else ""
        if text == "1.00" and abs(value) < 1:
            return f"{'<' if sign else '>'}{sign}{self._local('0.99')}"
        return sign + self._local(text)

    def difference(self, value: float) -> str:
        """Two decimals and always a sign, but for zero."""
        text = self.number(value)
        return f"+{text}" if value > 0 and text != self._local("0.00") else text

    def share(self, value: float) -> str:
        """A share as percent."""
        percent = 100 * value
        text = f"{percent:.0f}"
        if text == "100" and percent < 100:
            text = f"{percent:.1f}" if f"{percent:.1f}" != "100.0" else ">99.9"
        elif text in ("0", "-0") and percent > 0:
            text = f"{percent:.1f}" if f"{percent:.1f}" != "0.0" else "<0.1"
        return f"{self._local(text)}{NO_BREAK}%"

    def per(self, value: float, scale: int) -> str:
        """A share as so many of ``scale``."""
        return self.count(round(scale * value))

    def money(self, value: float) -> str:
        """An amount with two decimals, four where it is below one; the currency is not said."""
        return self._local(f"{value:.4f}" if 0 < value < 1 else f"{value:,.2f}".replace(",", ""))

    def fine(self, value: float) -> str:
        """Four decimals: standard deviations and limits are small; the minus is a minus."""
        text = f"{abs(value):.4f}"
        return (MINUS if value < 0 and text != "0.0000" else "") + self._local(text)

    def tenth(self, value: float) -> str:
        """One decimal: alarms in a year."""
        return self._local(f"{value:.1f}")

    def seconds(self, value: float) -> str:
        """A time in the unit that fits it."""
        if value < 0.001:
            return self._words("time.under_millisecond")
        if value < 1:
            return self._words("time.milliseconds", n=self.count(round(1000 * value)))
        if value < 120:
            return self._words("time.seconds", n=self._local(f"{value:.1f}"))
        if value < 7200:
            return self._words("time.minutes", n=self.count(round(value / 60)))
        return self._words("time.hours", n=self._local(f"{value / 3600:.1f}"))

    def value(self, estimate: Estimate, *, share: bool = False) -> str:
        """The point estimate, or the word for undefined without its reason."""
        if estimate.value is None:
            return self._words("undefined")
        return self.share(estimate.value) if share else self.number(estimate.value)

    def interval(self, estimate: Estimate, *, share: bool = False) -> str:
        """``0.68 to 0.81``, or that there is none."""
        if estimate.low is None or estimate.high is None:
            return self._words("no_interval")
        show = self.share if share else self.number
        low, high = show(estimate.low), show(estimate.high)
        if share and low.endswith("%") and high.endswith("%"):
            low = low.removesuffix(f"{NO_BREAK}%")
        return self._words("interval", low=low, high=high)

    def short(self, estimate: Estimate, *, share: bool = False) -> str:
        """``0.74 (0.68 to 0.81)``, or undefined with its reason."""
        if estimate.value is None:
            return self.undefined(estimate)
        value = self.value(estimate, share=share)
        return f"{value} ({self.interval(estimate, share=share)})"

    def inline(self, estimate: Estimate) -> str:
        """``0.74, 0.69 to 0.79``, to stand in parentheses."""
        if estimate.value is None:
            return self.undefined(estimate)
        return f"{self.value(estimate)}, {self.interval(estimate)}"

    def undefined(self, estimate: Estimate) -> str:
        """``undefined: one label only``; the reason's fixed part in the reader's language."""
        return self._words("undefined_because", reason=self.reason(estimate.undefined or ""))

    def reason(self, reason: str) -> str:
        """A reason with its fixed part retold, the detail as it was recorded."""
        code, colon, detail = reason.partition(":")
        told = self._words.maybe(f"reason.{code.strip().replace(' ', '_')}")
        return f"{told}{colon}{detail}" if told else reason

    def basis(self, estimate: Estimate) -> str:
        """``91 of 100 claims`` or ``100 claims``, and how many were asked if more were."""
        n, asked = self.count(estimate.n), self.count(estimate.n_asked)
        if estimate.k is None:
            text = self._words.plural("basis.n", estimate.n, n=n)
        else:
            text = self._words.plural("basis.rate", estimate.n, k=self.count(estimate.k), n=n)
        if estimate.n_asked != estimate.n:
            return self._words("basis.asked", basis=text, asked=asked)
        return text

    def _local(self, text: str) -> str:
        return text.replace(".", self._decimal)
