"""Rules about the whole document: the sections of a good plan, its length, and whether there is anything to do."""

import re
from collections.abc import Iterator
from functools import lru_cache

from planrail.plans.checks import read_checks
from planrail.plans.lint.document import Document, Line
from planrail.plans.lint.problems import Problem, error, warning
from planrail.plans.lint.section_names import NON_SCOPE, SECTION_NAMES
from planrail.plans.text.blocks import Item

_LABEL = re.compile(r"^\W*[*_]{2}(?P<bold>[^*_]{2,60})[*_]{2}|^(?P<plain>[^:：.`]{2,40})[:：](?:\s|$)")
_BOTH = re.compile(r"goals?\s*(?:&|and|/|\+|,|und|et|y|e)\s*non-?\s?goals?")
_OUTSIDE_PHASES = frozenset(("Goal", "Scope", "Non-Scope", "Open Questions"))


def find_missing_sections(document: Document) -> Iterator[Problem]:
    """Each section of a good plan that no heading and no label announces."""
    if _is_task_list(document):
        return
    titles = list(_titles(document))
    for name in document.settings.sections:
        if name == "Steps" and document.plan.phases:
            continue
        if name == "Verification" and read_checks(document.outline.sections):
            continue
        if name == "Scope" and _has(titles, "Goal") and _has(titles, "Non-Scope"):
            continue  # what is to be reached and what is not: together they say it
        if not _has(titles, name):
            yield warning("missing-section", 1, f"no section is headed {name}, or anything that means it")


def _has(titles: list[tuple[str, bool]], name: str) -> bool:
    return any(_announces(name, title, in_phase=in_phase) for title, in_phase in titles)


def _is_task_list(document: Document) -> bool:
    """A list of boxes, or the file of a tool that keeps goal and scope in files of its own."""
    plan = document.plan
    if not document.is_markdown or plan.dialect != "markdown" or plan.format == "checklist":
        return True
    return plan.path.lower().endswith("tasks.md") or _is_mostly_boxes(document)


def _is_mostly_boxes(document: Document) -> bool:
    """Whether nearly every line that is not a heading is a box, or stands under one."""
    lines = [line for line in document.lines if line.kind in ("item", "text")]
    boxed = sum(1 for line in lines if _is_boxed(line.item))
    return len(lines) > 3 and boxed >= len(lines) * 0.8


def _is_boxed(item: Item | None) -> bool:
    while item is not None:
        if item.box is not None:
            return True
        item = item.parent
    return False


def _titles(document: Document) -> Iterator[tuple[str, bool]]:
    """The headings and labels in lower case, each with whether it stands inside a phase."""
    for line in document.lines:
        title = line.text if line.kind == "heading" else _label_of(line)
        if title and not (line.kind == "heading" and line.section.level == 1):
            yield title.lower().replace("’", "'"), line.phase is not None


def _label_of(line: Line) -> str:
    if line.kind == "row" or (line.item is not None and line.item.depth > 0):
        return ""
    label = _LABEL.match(line.text)
    return (label["bold"] or label["plain"]) if label else ""


def _announces(name: str, title: str, *, in_phase: bool) -> bool:
    if in_phase and name in _OUTSIDE_PHASES:
        return False
    if name in ("Goal", "Scope", "Non-Scope") and _BOTH.search(title):
        return True
    if name in ("Goal", "Scope"):
        title = _pattern(NON_SCOPE).sub("", title)
    return bool(_pattern(SECTION_NAMES.get(name, re.escape(name.lower()))).search(title))


@lru_cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-zà-ÿа-я])(?:{words})")


def measure_length(document: Document) -> Iterator[Problem]:
    """A text that is longer than people read with care."""
    length, limit = len(document.source.text), document.settings.max_characters
    if length > limit and document.is_markdown:
        message = (
            f"the plan has {length:,} characters, more than {limit:,}; reviewers reject 20 % of plans under 2,000 "
            "characters and 50 % of those over 20,000: split it, or move reference material to files of its own"
        )
        yield warning("length", 1, message)


def find_no_phases(document: Document) -> Iterator[Problem]:
    """A document without anything to execute."""
    if not document.plan.phases:
        message = "there is no phase to execute: no tracker, no phase headings, no boxes"
        yield error("no-phases", 1, message, "## Phase 1 — Title")
