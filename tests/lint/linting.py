"""Linting a text in a test: what the rules say, in a tree of files that exists in memory only."""

import re
import textwrap

from planrail.base.settings import DEFAULT_LINT, LintSettings
from planrail.plans.lint.document import Problem
from planrail.plans.lint.rules import lint
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource


class MemoryTree:
    """Files by name. Searching them is one regular expression over each."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def files(self) -> list[str]:
        return sorted(self._files)

    def read(self, path: str) -> str | None:
        return self._files.get(path)

    def find_words(self, expression: str, *, excluding: str) -> set[str] | None:
        pattern = re.compile(rf"\b(?:{expression})\b")
        texts = (text for path, text in self._files.items() if path != excluding)
        return {match[0] for text in texts for match in pattern.finditer(text)}


def problems_of(
    text: str,
    *,
    files: dict[str, str] | None = None,
    path: str = "PLAN.md",
    settings: LintSettings = DEFAULT_LINT,
    principles: bool = False,
) -> list[Problem]:
    """All problems of a document; its citations are looked up only where there are files."""
    source = PlanSource(path, textwrap.dedent(text).lstrip("\n"))
    tree = MemoryTree({**files, path: source.text}) if files is not None else None
    return lint(source, read(source), settings=settings, tree=tree, principles=principles)


def messages(rule: str, text: str, *, files: dict[str, str] | None = None, path: str = "PLAN.md") -> list[str]:
    """What one rule says about a document."""
    return [problem.message for problem in problems_of(text, files=files, path=path) if problem.rule == rule]


def in_phase(line: str) -> str:
    """A plan with one open phase that contains a line."""
    return f"# Plan\n\n## Phase 1 — Work\n\n{line}\n"
