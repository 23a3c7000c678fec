"""Prompts in files: read, checked and filled in; texts to be judged stand between marks."""

from __future__ import annotations

from voirdire.judges.prompts.examples import Example, read_examples
from voirdire.judges.prompts.template import Prompt, read_prompt

__all__ = ["Example", "Prompt", "read_examples", "read_prompt"]
