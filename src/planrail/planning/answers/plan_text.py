"""From an agent's answer to the text of the plan file: the plan in a message, a revision of some sections, its length.

Nothing of a plan is lost on the way, however long it is, and what is no plan does not come out as one.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.planning.answers.front_matter import split_front_matter, without_claims
from planrail.planning.answers.front_matter import with_front_matter as with_front_matter
from planrail.planning.answers.judging import Problem
from planrail.planning.answers.plan_sections import Mark, Scanned, names_unit, top_level
from planrail.plans.lint.inline import without_code
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Table, Text
from planrail.plans.text.lines import split_lines

_ORDER = {name: number for number, name in enumerate(SECTIONS)}


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
    known, given = {part.key for part in parts}, {part.key for part in new_parts}
    has_title = any(mark.level == 1 for mark in Scanned(new_head).marks)
    if known & set(SECTIONS) <= given:
        if has_title:
            return revision
        rest = [part for part in parts if part.key not in given]
        return _join(head, [*new_parts, *rest])
    return _join(new_head if has_title else head, _replaced(parts, new_parts))


def _parts(text: str) -> tuple[str, list[_Part]]:
    marks = Scanned(text).marks
    level = top_level(marks)
    tops = [mark for mark in marks if mark.level == level and (mark.names or mark.level <= 6)] if level else []
    if not tops:
        return text, []
    ends = [*(mark.start for mark in tops[1:]), len(text)]
    parts = [_Part(_key(mark), _title(mark), text[mark.start : end]) for mark, end in zip(tops, ends, strict=True)]
    return text[: tops[0].start], parts


def _key(mark: Mark) -> str:
    return mark.names[0] if len(mark.names) == 1 else _title(mark)


def _title(mark: Mark) -> str:
    return " ".join(mark.text.lower().split())


def _replaced(parts: list[_Part], new_parts: list[_Part]) -> list[_Part]:
    """The sections with new ones in the place of those that they revise; others go where the seven have their place."""
    revised = _revised(parts, new_parts)
    used = set(revised.values())
    spots = {key: _place(parts, key) for key in {new.key for new in new_parts} & _ORDER.keys()}
    places: dict[int, list[_Part]] = {}
    for at, new in enumerate(new_parts):
        if at not in used:
            places.setdefault(spots.get(new.key, len(parts)), []).append(new)
    result = []
    for at in range(len(parts) + 1):
        result += sorted(places.get(at, ()), key=lambda part: _ORDER.get(part.key, len(_ORDER)))
        if at < len(parts):
            result.append(new_parts[revised[at]] if at in revised else parts[at])
    return result


def _revised(parts: list[_Part], new_parts: list[_Part]) -> dict[int, int]:
    """Which section is revised by which new one: the one with its title, else one that means the same; each once."""
    found: dict[int, int] = {}
    left = list(range(len(new_parts)))
    for name in ("title", "key"):
        free: dict[str, int] = {}
        for at in range(len(parts) - 1, -1, -1):
            if at not in found:
                free[getattr(parts[at], name)] = at
        pairs = [(free.pop(getattr(new_parts[at], name), None), at) for at in left]
        found.update((old, at) for old, at in pairs if old is not None)
        left = [at for old, at in pairs if old is None]
    return found


def _place(parts: list[_Part], key: str) -> int:
    """Where a section belongs that is not there yet: behind those that the seven have before it."""
    return next((at + 1 for at in range(len(parts) - 1, -1, -1) if _ORDER.get(parts[at].key, 7) <= _ORDER[key]), 0)


def _join(head: str, parts: list[_Part]) -> str:
    newline = "\r\n" if "\r\n" in head or any("\r\n" in part.text for part in parts) else "\n"
    texts = [text.rstrip() for text in (head, *(part.text for part in parts)) if text.strip()]
    return (newline * 2).join(texts) + newline


Held = tuple[Fence, dict[str, int]]  # a fence and the sections that are named in it


_TAG = re.compile(r"<promise>[^<>\r\n]{0,200}</promise>", re.IGNORECASE)
_WRAPS = re.compile(r"(?:markdown|md|mdx|text|txt|plaintext|plan)?\s*$", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*$")
_KEYS_ABOVE = re.compile(r"---[ \t]*\r?\n(?:[^\r\n]*[^\r\n-][^\r\n]*\r?\n){1,60}---[ \t]*(?:\r?\n)+$")
_LONGEST_KEYS = 20_000  # characters of front matter that stands below a preamble
_LINE_END = re.compile(r"\r\n|\n|\r|$")
# A line that may head a section: ATX, underlined, bold, or an item.
_HEADED = re.compile(r"^ {0,3}(?:#|\*\*|__|[-*+] |\d{1,3}[.)] |=+[ \t]*$|--+[ \t]*$)", re.MULTILINE)
_MOST_FENCES = 500
_LENGTH = re.compile(r"(?:under|below|less than|at most|max(?:imum)?)?\s*(\d[\d,_]*)\s*(lines?|char(?:acter)?s?)?")


# ---- the plan in an answer ----


def extract_plan(answer: str) -> str:
    """The plan in a message: without preamble, enclosing fence, promise, and remarks behind it; "" if it holds none."""
    text = _cut(_opened(Scanned(answer.removeprefix("\ufeff"))))
    if not text:
        return ""
    text = strip_promises(without_claims(text)).strip("\r\n")
    newline = "\r\n" if "\r\n" in text else "\n"
    return text.rstrip() + newline


def _opened(page: Scanned) -> Scanned:
    """What is inside the fence that encloses the plan, if one does: where it names more sections than the rest."""
    held = [(fence, names) for fence in _wrappers(page) if (names := _names(Scanned(_inside(page, fence))))]
    if not held:
        return page
    first, around = held[0], _names(page)
    if _is_broken(first, around, held[1:]):
        return Scanned(_inside(page, first[0], _last_closing(page, first[0])))
    fence, names = max(held, key=lambda pair: (len(pair[1]), pair[0].line))
    return page if len(around) >= len(names) else Scanned(_inside(page, fence))


def _wrappers(page: Scanned) -> list[Fence]:
    fences = [block for block in page.blocks if isinstance(block, Fence) and not block.depth]
    fences = [fence for fence in fences if _WRAPS.match(fence.info) and _HEADED.search(fence.body)]
    if len(fences) > _MOST_FENCES:
        fences = sorted(sorted(fences, key=lambda fence: -len(fence.body))[:_MOST_FENCES], key=lambda fence: fence.line)
    return fences


def _is_broken(first: Held, around: dict[str, int], others: list[Held]) -> bool:
    """Whether a fence inside the plan has closed the enclosing one too early: the rest of the sections follow it."""
    rest = [around, *(names for _, names in others)]
    follows = all(line > first[0].line for line in around.values())
    return any(rest) and follows and not any(names.keys() & first[1].keys() for names in rest)


def _names(page: Scanned) -> dict[str, int]:
    return {name: mark.line for mark in reversed(page.marks) for name in mark.names}


def _inside(page: Scanned, fence: Fence, closing: int = 0) -> str:
    if fence.line >= len(page.lines):
        return ""  # it opens on the last line, and there is nothing behind it
    last = closing or fence.end_line
    is_closed = last > fence.line and last <= len(page.lines) and _FENCE.match(page.lines[last - 1])
    return page.text[page.starts[fence.line] : page.starts[last - 1] if is_closed else len(page.text)]


def _last_closing(page: Scanned, fence: Fence) -> int:
    opening = page.lines[fence.line - 1].lstrip()
    length = len(opening) - len(opening.lstrip(opening[0]))
    for number in range(len(page.lines), fence.line, -1):
        closing = _FENCE.match(page.lines[number - 1])
        if closing and closing[1][0] == opening[0] and len(closing[1]) >= length:
            return number
    return fence.end_line


def _cut(page: Scanned) -> str:
    """The text from the plan's title, or front matter, to its end; "" where it has no section and no phase."""
    text, marks = page.text, page.marks
    if not any(mark.names for mark in marks):
        return ""
    end = _end(text, page.blocks, marks)
    if split_front_matter(text.lstrip()).has_front_matter:
        return text[:end].lstrip()
    start = _start(marks)
    above = _KEYS_ABOVE.search(text, max(0, start - _LONGEST_KEYS), start)
    if above and split_front_matter(text[above.start() :]).has_front_matter:
        start = above.start()
    return text[start:end]


def _start(marks: list[Mark]) -> int:
    """Where the plan begins: at the last title that has all its sections below it, else at the first heading."""
    level = top_level(marks)
    everything = {name for mark in marks for name in mark.names}
    below: set[str] = set()
    for mark in reversed(marks):
        below.update(mark.names)
        if mark.level == 1 < level and everything <= below:
            return mark.start
    return marks[0].start


def _end(text: str, blocks: list[Block], marks: list[Mark]) -> int:
    """Where the plan ends: behind the promise, where nothing of a plan follows that was not there before."""
    tags = list(_tags(blocks))
    if not tags:
        return len(text)
    start, end = tags[-1]
    before = {name for mark in marks if mark.start <= start for name in mark.names}
    after = [mark for mark in marks if mark.start > start]
    is_remark = not any(names_unit(mark.text) or set(mark.names) - before for mark in after)
    return end if before and is_remark else len(text)


# ---- promises ----


def strip_promises(text: str) -> str:
    """The text without promise tags; those in code and comments are quoted, and stay."""
    if not _TAG.search(text):
        return text
    kept, at, page = [], 0, Scanned(text)
    for start, end in _tags(page.blocks):
        line_start = page.starts[bisect_right(page.starts, start) - 1]
        line_end = _LINE_END.search(text, end).end()  # type: ignore[union-attr] # it matches at the end of the text
        if not text[max(line_start, at) : start].strip() and not text[end:line_end].strip():
            start, end = max(line_start, at), line_end
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _tags(blocks: list[Block]) -> Iterator[tuple[int, int]]:
    for start, line in _lines(blocks):
        if "<" in line and _TAG.search(line):
            for match in _TAG.finditer(without_code(line)):
                yield start + match.start(), start + match.end()


def _lines(blocks: list[Block]) -> Iterator[tuple[int, str]]:
    for block in blocks:
        if isinstance(block, Heading | Item | Text):
            yield block.start, block.text
        elif isinstance(block, Table):
            yield from ((cell.start, cell.text) for cell in block.header)
            yield from ((start, row) for _, start, row in block.rows)


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


def length_problem(plan: str, target: str) -> Problem | None:
    limit, unit = _limit(target)
    length = count_lines(plan) if unit == "lines" else len(split_front_matter(plan).body.strip())
    if not limit or length < limit:
        return None
    message = f"the plan has {length:,} {unit}; keep it under {limit:,}: merge or cut what a reader can do without"
    return Problem("length", message)


def describe_length(target: str) -> str:
    limit, unit = _limit(target)
    if not limit:
        return ""
    return f"Keep the whole plan under {limit:,} {unit}, all sections included: long plans are rejected more often."


def _limit(target: str) -> tuple[int, str]:
    words = read_length(target).split()
    return (int(words[1]), words[2]) if len(words) == 3 else (0, "lines")
