"""What a judge is: one call that takes a stream and gives a stream.

There is no base class. Any object with these three methods is a judge; a package offers one by
an entry point in the group ``voirdire.judges`` whose target is ``make(parameters, preset)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

from voirdire.records import Fingerprint, JudgeAnswer, JudgeInput

__all__ = ["Judge", "MakeJudge"]


@runtime_checkable
class Judge(Protocol):
    """A machine that says whether a claim is supported by its context.

    One that is shown several claims at once, so that an answer may hang on the claims beside it,
    has an attribute ``answers_alone`` that is False: its verdicts are then never carried over into
    another version of a set.
    """

    def __call__(
        self, inputs: Iterable[JudgeInput], *, repeat: int
    ) -> Iterator[tuple[str, JudgeAnswer]]:
        """Answer claims, in any order.

        Parameters
        ----------
        inputs : iterable of JudgeInput
            May be a stream: to be read as it is worked off, not gathered without need.
        repeat : int
            Which asking this is, from 0. It must reach whatever cache there is, so that repeats
            are asked anew; an answer from a cache says so with ``cached``.

        Yields
        ------
        tuple of str and JudgeAnswer
            The input's id and the answer, once for each input. A claim that cannot be judged
            is an outcome; nothing is raised for one claim.

        Raises
        ------
        JudgeUnavailable
            If the judge cannot work at all; the message ends with the command that mends it.
        """
        ...

    def fingerprint(self) -> Fingerprint:
        """Identity: changes whenever the answers may change."""
        ...

    def close(self) -> None:
        """Give back files, sessions and processes. A second call does nothing."""
        ...


class MakeJudge(Protocol):
    """Target of an entry point. Its module may also hold what `describe` shows of a judge:

    - the first line of its docstring: what the judge is;
    - ``PRESETS``, a mapping of preset name to one line;
    - ``PARAMETERS``, a mapping of parameter name to one line;
    - ``PATH_PARAMETERS``, names of parameters that are paths, taken from the study's folder;
    - ``TAKES_FOLDER``, true if ``make`` takes that folder as the keyword ``folder`` too, as a
      judge made of judges does;
    - ``lacks()``, None or the pair (what is lacking, the command that mends it).

    The module itself must import fast: what is heavy is imported when the judge is made.
    """

    def __call__(self, parameters: dict[str, Any], preset: str | None) -> Judge:
        """Make the judge.

        Raises
        ------
        UsageError
            For a preset or a parameter that is not known, or a value that is not allowed.
        JudgeUnavailable
            If something is lacking; the message ends with the command that mends it.
        """
        ...
