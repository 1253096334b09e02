"""From an agent's answer to the text of the plan file: the plan in a message, a revision of some sections, its length.

Nothing of a plan is lost on the way, however long it is, and what is no plan does not come out as one.
"""

import re

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.planning.answers.front_matter import split_front_matter, without_claims
from planrail.planning.answers.judging import AnswerProblem
from planrail.planning.answers.page import Page, top_level
from planrail.planning.answers.promises import find_promises, strip_promises
from planrail.planning.answers.section_titles import names_unit
from planrail.plans.text.blocks import Fence, split_lines

_ORDER = {name: number for number, name in enumerate(SECTIONS)}
_WRAPS = re.compile(r"(?:markdown|md|mdx|text|txt|plaintext|plan)?\s*$", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*$")
_KEYS_ABOVE = re.compile(r"---[ \t]*\r?\n(?:[^\r\n]*[^\r\n-][^\r\n]*\r?\n){1,60}---[ \t]*(?:\r?\n)+$")
_LONGEST_KEYS = 20_000  # characters of front matter that stands below a preamble
# A line that may head a section: ATX, underlined, bold, or an item.
_HEADED = re.compile(r"^ {0,3}(?:#|\*\*|__|[-*+] |\d{1,3}[.)] |=+[ \t]*$|--+[ \t]*$)", re.MULTILINE)
_MOST_FENCES = 500
_LENGTH = re.compile(r"(?:under|below|less than|at most|max(?:imum)?)?\s*(\d[\d,_]*)\s*(lines?|char(?:acter)?s?)?")


# ---- a revision of some sections ----


@record
class _Part:
    """A section of a plan: which of the seven it is, or its title; its title; and its text."""

    key: str
    title: str
    text: str


def merge_sections(plan: str, revision: str) -> str:
    """The plan with the sections that a revision holds in place of its own; a whole plan replaces all of it.

    Nothing is lost: what means a section that is not there goes where the seven have their place, all else to the end.
    """
    head, parts = _parts(plan)
    new_head, new_parts = _parts(revision)
    if not new_parts or not parts:
        return revision if new_parts else plan
    given = {part.key for part in new_parts}
    has_title = any(mark.level == 1 for mark in Page(new_head).marks)
    is_whole = {part.key for part in parts} & set(SECTIONS) <= given
    if is_whole and has_title:
        return revision
    rest = [part for part in parts if part.key not in given]
    joined = [*new_parts, *rest] if is_whole else _replaced(parts, new_parts)
    texts = [
        text.rstrip() for text in (new_head if has_title else head, *(part.text for part in joined)) if text.strip()
    ]
    newline = "\r\n" if any("\r\n" in text for text in texts) else "\n"
    return (newline * 2).join(texts) + newline


def _parts(text: str) -> tuple[str, list[_Part]]:
    marks = Page(text).marks
    level = top_level(marks)
    tops = [mark for mark in marks if mark.level == level and (mark.names or mark.level <= 6)] if level else []
    starts = [mark.start for mark in tops]
    parts = []
    for mark, end in zip(tops, [*starts[1:], len(text)], strict=False):
        title = " ".join(mark.text.lower().split())
        key = mark.names[0] if len(mark.names) == 1 else title
        parts.append(_Part(key, title, text[mark.start : end]))
    return text[: starts[0]] if parts else text, parts


def _replaced(parts: list[_Part], new_parts: list[_Part]) -> list[_Part]:
    """The sections with new ones in the place of those that they revise: of the same title, else of one meaning.

    Others go behind those that the seven have before them, or to the end.
    """
    revised: dict[int, int] = {}
    for name in ("title", "key"):
        free = {getattr(parts[at], name): at for at in reversed(range(len(parts))) if at not in revised}
        used = set(revised.values())
        for at, new in enumerate(new_parts):
            old = free.pop(getattr(new, name), None) if at not in used else None
            if old is not None:
                revised[old] = at
    result = [new_parts[revised[at]] if at in revised else part for at, part in enumerate(parts)]
    used = set(revised.values())
    left = [new for at, new in enumerate(new_parts) if at not in used]
    for key, order in _ORDER.items():
        before = (at for at in range(len(result), 0, -1) if _ORDER.get(result[at - 1].key, len(_ORDER)) <= order)
        place = next(before, 0)
        result[place:place] = [new for new in left if new.key == key]
    return result + [new for new in left if new.key not in _ORDER]


# ---- the plan in an answer ----


def extract_plan(answer: str) -> str:
    """The plan in a message: without preamble, enclosing fence, promise, and remarks behind it; "" if it holds none."""
    text = _cut(_opened(Page(answer.removeprefix("\ufeff"))))
    if not text:
        return ""
    text = strip_promises(without_claims(text)).strip("\r\n")
    return text.rstrip() + ("\r\n" if "\r\n" in text else "\n")


def _opened(page: Page) -> Page:
    """What is inside the fence that encloses the plan, if one does: where it names more sections than the rest."""
    fences = [block for block in page.blocks if isinstance(block, Fence) and not block.depth]
    fences = [fence for fence in fences if _WRAPS.match(fence.info) and _HEADED.search(fence.body)]
    longest = sorted(fences, key=lambda fence: -len(fence.body))[:_MOST_FENCES]
    fences = sorted(longest, key=lambda fence: fence.line)
    held = [(fence, names) for fence in fences if (names := _names(Page(_inside(page, fence, fence.end_line))))]
    if not held:
        return page
    around = _names(page)
    first, inside = held[0]
    rest = [around, *(names for _, names in held[1:])]
    follows = all(line > first.line for line in around.values())
    if any(rest) and follows and not any(names.keys() & inside.keys() for names in rest):
        # A fence inside the plan has closed the enclosing one too early: the rest of the sections follow it.
        return Page(_inside(page, first, _last_closing(page, first)))
    fence, names = max(held, key=lambda pair: (len(pair[1]), pair[0].line))
    return page if len(around) >= len(names) else Page(_inside(page, fence, fence.end_line))


def _names(page: Page) -> dict[str, int]:
    return {name: mark.line for mark in reversed(page.marks) for name in mark.names}


def _inside(page: Page, fence: Fence, last: int) -> str:
    """What stands in a fence, up to its last line."""
    if fence.line >= len(page.lines):
        return ""  # it opens on the last line, and there is nothing behind it
    is_closed = fence.line < last <= len(page.lines) and _FENCE.match(page.lines[last - 1])
    return page.text[page.starts[fence.line] : page.starts[last - 1] if is_closed else len(page.text)]


def _last_closing(page: Page, fence: Fence) -> int:
    opening = page.lines[fence.line - 1].lstrip()
    length = len(opening) - len(opening.lstrip(opening[0]))
    for number in range(len(page.lines), fence.line, -1):
        closing = _FENCE.match(page.lines[number - 1])
        if closing and closing[1][0] == opening[0] and len(closing[1]) >= length:
            return number
    return fence.end_line


def _cut(page: Page) -> str:
    """The text from the plan's title, or front matter, to its end; "" where it has no section and no phase."""
    text = page.text
    if not any(mark.names for mark in page.marks):
        return ""
    end = _end(page)
    if split_front_matter(text.lstrip()).has_front_matter:
        return text[:end].lstrip()
    start = _start(page)
    above = _KEYS_ABOVE.search(text, max(0, start - _LONGEST_KEYS), start)
    if above and split_front_matter(text[above.start() :]).has_front_matter:
        start = above.start()
    return text[start:end]


def _start(page: Page) -> int:
    """Where the plan begins: at the last title that has all its sections below it, else at the first heading."""
    level, everything = top_level(page.marks), set(_names(page))
    below: set[str] = set()
    for mark in reversed(page.marks):
        below.update(mark.names)
        if mark.level == 1 < level and everything <= below:
            return mark.start
    return page.marks[0].start


def _end(page: Page) -> int:
    """Where the plan ends: behind the promise, where nothing of a plan follows that was not there before."""
    for promise in list(find_promises(page))[-1:]:
        before = {name for mark in page.marks if mark.start <= promise.start for name in mark.names}
        after = [mark for mark in page.marks if mark.start > promise.start]
        if before and not any(names_unit(mark.text) or set(mark.names) - before for mark in after):
            return promise.end
    return len(page.text)


# ---- length ----


def count_lines(plan: str) -> int:
    """How many lines a plan has, its front matter and the blank lines around it not counted."""
    body = split_front_matter(plan).body.strip("\r\n")
    return len(split_lines(body)[0]) if body.strip() else 0


def read_length(target: str) -> str:
    """A length target in its one spelling ("free", "under 40 lines"), or a `UsageError` where it is none."""
    plain = " ".join(target.lower().split())
    if plain in ("", "free", "any", "none"):
        return "free"
    match = _LENGTH.fullmatch(plain)
    number = int(match[1].replace(",", "").replace("_", "")) if match else 0
    if match is None or not number:
        raise UsageError(
            f"{target!r} is no length for a plan", remedy='say free, "under 40 lines" or "under 5000 characters"'
        )
    return f"under {number} {'characters' if (match[2] or 'l').startswith('c') else 'lines'}"


def length_problem(plan: str, target: str) -> AnswerProblem | None:
    limit, unit = _limit(target)
    length = count_lines(plan) if unit == "lines" else len(split_front_matter(plan).body.strip())
    if not limit or length < limit:
        return None
    message = f"the plan has {length:,} {unit}; keep it under {limit:,}: merge or cut what a reader can do without"
    return AnswerProblem("length", message)


def describe_length(target: str) -> str:
    limit, unit = _limit(target)
    if not limit:
        return ""
    return f"Keep the whole plan under {limit:,} {unit}, all sections included: long plans are rejected more often."


def _limit(target: str) -> tuple[int, str]:
    words = read_length(target).split()
    return (int(words[1]), words[2]) if len(words) == 3 else (0, "lines")
