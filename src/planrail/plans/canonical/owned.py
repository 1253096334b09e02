"""The parts of a text that an approval leaves out, and how what is left is divided among the units.

Left out are marks of progress, planrail's own lines of a front matter, blanks at the ends of lines and planrail's audit
comments. Each is recognised by its form: a sentence in its place is the author's word, and part of what is approved.
"""

import re
from collections.abc import Iterator, Sequence

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Fence, FrontMatter, Item, Table, Text, split_lines
from planrail.plans.text.outline import Outline
from planrail.plans.words.marks import read_box, read_phrase, read_waiting
from planrail.plans.words.words import GLYPHS, LIVE, PREPARED

REST = -1  # the owner of what belongs to no unit
LOG = -2  # the owner of the drift log


@record
class OwnedSpan:
    """A part of the document and the index of the unit it belongs to."""

    start: int
    end: int
    owner: int


@record
class Division:
    """Which parts of a document belong to which unit, and which are left out. What no span covers is the rest."""

    units: Sequence[tuple[str, str]]  # key and title
    spans: Sequence[OwnedSpan]  # in order, none over another
    cuts: Sequence[tuple[int, int]]


@record
class Outside:
    """What stands outside all phases.

    `places` are the parts of phases as they follow each other, each with the number of lines of `text` before it;
    `log` are the lines of the drift log.
    """

    text: str
    places: tuple[tuple[str, int], ...] = ()
    log: tuple[str, ...] = ()


_LONGEST_MARK = 40  # characters
_SIGNS = pattern("[" + "".join(GLYPHS) + "\ufe0f*_~|\\[\\]【】()（）]")
_AMOUNT = pattern(r"\d{1,6}\s*(?:/|of)\s*\d{1,6}|\d{1,3}\s*%|\d{4}-\d\d-\d\d")  # or a date
_AND = pattern(r"[\s+&/]+")  # "done + verified"
_MARK_EDGE = " \t:：.!,-–—"


def is_mark(words: str) -> bool:
    """Whether nothing but a status stands there: signs, an amount, a date, and the words that name a state."""
    if not words.strip(" -–—") or read_box(words) is not None:
        return True
    bare = _AMOUNT.sub(" ", _SIGNS.sub(" ", words)).strip(_MARK_EDGE)
    is_state = not bare or bare.lower() in LIVE | PREPARED or read_phrase(bare) is not None
    is_label = " " not in bare and read_waiting(bare) is not None  # what a task waits for: "ready-for-agent"
    return len(words) <= _LONGEST_MARK and (is_state or is_label or all(map(read_phrase, _AND.split(bare))))


OWNED = ("id", "created", "author", "critic", "rounds", "status", "completed")
_FRONT_LINE = pattern(
    r"(?P<key>[a-z]+)[ \t]*+:[ \t]*+(?P<quote>[\"']?)(?P<value>[^\"'\r\n]*?)(?P=quote)[ \t]*(?:\r\n|\r|\n|$)"
)
_AGENT = pattern(r"\w{1,20}(?:-\w{1,20})?")  # the name of a program, too short for an order
_TIME = pattern(r"[\d:TZ+. -]{1,40}")
_FORMS = {
    "id": re.compile(r"[\w.-]{1,80}"),
    "created": _TIME,
    "completed": _TIME,
    "author": _AGENT,
    "critic": _AGENT,
    "rounds": re.compile(r"\d{1,3}"),
}
_BLANKS = pattern(r"(?:[ \t]*(?:\r\n|\r|\n))*")


def front_cuts(text: str, front_matter: FrontMatter | None) -> Iterator[tuple[int, int]]:
    """The spans of those lines; all of a front matter that has no others, its rules included."""
    if front_matter is None:
        return
    lines = list(_front_lines(text, front_matter))
    owned = [(start, end) for start, end in lines if is_owned(text[start:end])]
    if len(owned) == len(lines):
        rule = text.find("\n", front_matter.end)
        blanks = _BLANKS.match(text, rule + 1) if rule >= 0 else None
        yield (1 if text.startswith("\ufeff") else 0), blanks.end() if blanks else len(text)
    else:
        yield from owned


def read_id(text: str, front_matter: FrontMatter | None) -> str:
    """The id that a plan has in its front matter; "" where it has none of the form that planrail gives."""
    lines = _front_lines(text, front_matter) if front_matter is not None else ()
    matches = (match for start, end in lines if (match := _FRONT_LINE.fullmatch(text[start:end])))
    values = (match["value"] for match in matches if match["key"] == "id")
    return next((value for value in values if _FORMS["id"].fullmatch(value)), "")


def is_id(name: str) -> bool:
    """Whether a plan may be called so by its front matter."""
    return _FORMS["id"].fullmatch(name) is not None


def is_owned(line: str) -> bool:
    match = _FRONT_LINE.fullmatch(line)
    if match is None or match["key"] not in OWNED:
        return not line.strip()
    if match["key"] == "status":
        return is_mark(match["value"].strip())
    return _FORMS[match["key"]].fullmatch(match["value"]) is not None


def _front_lines(text: str, front_matter: FrontMatter) -> Iterator[tuple[int, int]]:
    start = front_matter.start
    while start < front_matter.end:
        end = text.find("\n", start, front_matter.end) + 1 or front_matter.end
        yield start, end
        start = end


# Blanks and comments are left out only in lines that the reader takes for plain Markdown. In code a blank behind a
# backslash makes two commands of one, and a comment is a redirection; there, every byte is a part of the text.
_STAMP = r"[0-9a-fA-F:TZ+.\-]{1,64}"
_STATES = "|".join(State)
# Values that cannot carry a sentence: a comment of planrail's form with other words in it is the author's.
_AUDIT = pattern(
    rf"[ \t]<!-- planrail:(?: (?:at|attempt|commit|evidence|run)={_STAMP}| (?:set|status|was)=(?:{_STATES})){{1,8}} -->"
    r"[ \t]*$"
)
_CODE = pattern(r"(?<!`)(`+)(?!`)[^`]++(?<!`)\1(?!`)")
_ENTRY = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?![ \t]|~~~)\S")  # more blanks would make it code


def find_blanks(text: str, front_matter: FrontMatter | None, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The blanks at the ends of lines of text, and those that are all of a line outside fences and front matter."""
    lines, starts = split_lines(text)
    plain = _plain_lines(blocks)
    kept = {line for fence in blocks if isinstance(fence, Fence) for line in range(fence.line, fence.end_line + 1)}
    first = front_matter.end_line if front_matter is not None else 0
    for number, line in enumerate(lines[first:], first + 1):
        if line[-1:] in (" ", "\t"):
            body = line.rstrip(" \t")
            if (number in plain and not body.endswith("\\")) or (not body and number not in kept):
                yield starts[number - 1] + len(body), starts[number - 1] + len(line)


def _plain_lines(blocks: Sequence[Block]) -> set[int]:
    """The lines that are headings, items, text or tables; one in which a fence opens is none."""
    fences = {block.line for block in blocks if isinstance(block, Fence)}
    rows = [range(table.line, table.line + 2 + len(table.rows)) for table in blocks if isinstance(table, Table)]
    return {block.line for block in blocks}.union(*rows) - fences


def find_audits(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The audit comments at the ends of headings, items and rows."""
    if "<!-- planrail:" not in text:
        return
    lines, starts = split_lines(text)
    items = {block.line for block in blocks if isinstance(block, Item)}
    for number in _plain_lines([block for block in blocks if not isinstance(block, Text)]):
        line = lines[number - 1]
        match = _AUDIT.search(line)
        before = line[: match.start()] if match else ""
        bare = _CODE.sub("", before)
        is_code = "`" in bare or "<" in bare or before.endswith("\\")  # or another tag is open there, or an escape
        if match and bare.strip() and not is_code and (number not in items or _ENTRY.match(before)):
            yield starts[number - 1] + match.start(), starts[number - 1] + match.end()


# The drift log is a part of its own: its rows are hashed, and adding one makes no phase another. So every line of it
# has to be of the form that planrail writes; what is of another form, or stands between, makes all of it plain text.
TITLE = "Drift Log"
COLUMNS = ("Date", "What changed", "Why")
HEADER = f"| {' | '.join(COLUMNS)} |"
DELIMITER = "|---|---|---|"
LONGEST_REASON = 300  # characters, entities and escapes counted
UNPRINTABLE = "\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"

_NAME = r"[^\s|<`,;()\\]{1,80}"
_PART = rf"(?:(?:added|removed|renamed|changed) phases? {_NAME}(?:, {_NAME})*+|changed text outside the phases)"
_COUNT = r"\(\d{1,9} lines? in, \d{1,9} out\)"
_WHAT = rf"(?:{_PART}(?:; {_PART})*+ {_COUNT}|nothing but marks of progress)"
_WHY = rf"(?:[^|<`\\{UNPRINTABLE}]|\\\|){{1,{LONGEST_REASON}}}"  # no code, no tag, no cell of its own
_ROW = pattern(rf"\| \d{{4}}-\d\d-\d\d \| {_WHAT} \| {_WHY} \|")
_HEADING = pattern(rf"#{{1,6}} {TITLE}")


def locate_log(text: str, document: Outline) -> tuple[int, int] | None:
    """The lines of the first drift log, from its heading to the end of its section; None where there is none."""
    logs = [at for at, section in enumerate(document.sections) if section.text.strip() == TITLE]
    lines = split_lines(text)[0] if logs else []
    for at in logs:
        section, following = document.sections[at], document.sections[at + 1 : at + 2]
        end = following[0].line if following else len(lines) + 1
        is_leaf = not following or following[0].level <= section.level
        if is_leaf and _is_log(lines[section.line - 1 : end - 1]):
            return section.line, end
    return None


def _is_log(lines: list[str]) -> bool:
    """Whether these lines are a log: a heading, a table of three columns, and blank lines around it."""
    body = [line.rstrip(" \t") for line in lines[1:]]
    table = [line for line in body if line]
    first = body.index(table[0]) if table else 0
    is_whole = body[first : first + len(table)] == table  # a blank line would end the table
    has_head = _HEADING.fullmatch(lines[0].rstrip(" \t")) is not None and first > 0
    return has_head and is_whole and table[:2] == [HEADER, DELIMITER] and all(map(_ROW.fullmatch, table[2:]))
