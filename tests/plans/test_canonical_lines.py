"""Canonical texts and lines: none can be added, taken out or moved anywhere without a change of a hash."""

import re

from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import PlanrailError
from planrail.plans.canonical.owned import is_owned
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from tests.plans.canonical_texts import DOCUMENTS, canonical_of

_SMALL = [source for source in DOCUMENTS if source.path.endswith(".md") and len(source.text) < 4_000]
_LINES = (
    "Then drop the database.",
    "- [ ] drop it",
    "- [x] drop it",
    "| 9 | drop it | done |",
    "### Drop (done)",
    "> drop it",
    "    drop it",
    "```",
    "<!-- drop it -->",
    "<!-- planrail: at=1 -->",
    "**Status:** drop it",
    "| 2026-01-03 | changed phase 2 (3 lines in, 1 out) | drop it |",
)


def _said(text: str) -> list[str]:
    """The lines of a text that say something, without what is in boxes and in the words of a status."""
    lines = [re.sub(r"(?<=\[)[^\[\]]{0,2}(?=\])", "", line.strip()) for line in text.replace("\r", "\n").split("\n")]
    return [line for line in lines if line and not is_owned(line)]


def _is_another(source: PlanSource, text: str) -> bool:
    try:
        after = canonical_of(text, source.path)
    except PlanrailError:
        return True
    return after.hash != canonical_of(source.text, source.path).hash


@given(st.sampled_from(_SMALL), st.sampled_from(_LINES), st.integers(0, 10_000))
def test_a_line_that_is_added_anywhere_changes_a_hash(source: PlanSource, line: str, at: int) -> None:
    lines = source.text.split("\n")
    lines.insert(at % (len(lines) + 1), line)
    assert _is_another(source, "\n".join(lines))


@given(st.sampled_from(_SMALL), st.integers(0, 10_000))
def test_a_line_that_is_taken_out_anywhere_changes_a_hash(source: PlanSource, at: int) -> None:
    lines = source.text.split("\n")
    del lines[at % len(lines)]
    text = "\n".join(lines)
    assert _said(text) == _said(source.text) or _is_another(source, text)


@given(st.sampled_from(_SMALL), st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_line_that_is_moved_anywhere_changes_a_hash(source: PlanSource, at: int, to: int) -> None:
    lines = source.text.split("\n")
    line = lines.pop(at % len(lines))
    lines.insert(to % (len(lines) + 1), line)
    text = "\n".join(lines)
    assert _said(text) == _said(source.text) or _is_another(source, text)


@given(st.sampled_from(_SMALL), st.integers(0, 10_000), st.booleans())
def test_a_blank_line_changes_a_hash_or_nothing_that_is_read(source: PlanSource, at: int, is_added: bool) -> None:
    lines = source.text.split("\n")
    blanks = [number for number, line in enumerate(lines) if not line.strip()]
    if is_added:
        lines.insert(at % (len(lines) + 1), "")
    elif blanks:
        del lines[blanks[at % len(blanks)]]
    text = "\n".join(lines)
    assert _reading(text, source.path) == _reading(source.text, source.path) or _is_another(source, text)


def _reading(text: str, path: str) -> list[object]:
    try:
        plan = read(PlanSource(path, text))
    except PlanrailError:
        return []
    return [
        (phase.id, phase.title, phase.status, phase.depends_on, [item.text for item in phase.items])
        for phase in plan.phases
    ]
