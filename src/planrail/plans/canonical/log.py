"""The form of the drift log: what planrail writes about changes after an approval, and nothing else.

The log is a part of its own: its rows are hashed, and adding one makes no phase another. So every line of it has to be
of the form that planrail writes, and what is of another form, or stands between, makes all of it plain text.
"""

from planrail.base.patterns import pattern
from planrail.plans.text.lines import split_lines
from planrail.plans.text.outline import Outline

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
