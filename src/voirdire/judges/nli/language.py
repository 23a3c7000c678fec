"""Whether a claim is in a language the model was not trained on, by its stop words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from voirdire.judges.text import cleaned, load_language, shipped_languages, tokens

__all__ = ["looks_foreign"]


def looks_foreign(text: str, *, own: Sequence[str]) -> bool:
    """Whether the text holds more stop words of a shipped language than of the model's own.

    A text without any stop word is not called foreign: the rule needs evidence.

    Parameters
    ----------
    text : str
    own : sequence of str
        Codes of the model's languages; none: it is not known, and nothing looks foreign.

    Examples
    --------
    >>> looks_foreign("Il museo è aperto di lunedì.", own=("en",))
    True
    >>> looks_foreign("The museum is open on Monday.", own=("en",))
    False
    """
    if not own:
        return False
    found = tokens(cleaned(text))
    counts = {code: sum(token in words for token in found) for code, words in _stop_words().items()}
    at_home = max((counts.get(code, 0) for code in own), default=0)
    return max(counts.values(), default=0) > at_home


@lru_cache(maxsize=1)
def _stop_words() -> dict[str, frozenset[str]]:
    return {code: frozenset(load_language(code).stop_words) for code in shipped_languages()}
