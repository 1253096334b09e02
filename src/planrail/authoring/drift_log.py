"""The drift log: what changed in a plan after its approval, and why; a table at its end to which rows are only added.

It is text for people. The reader takes nothing in it for a phase or a mark, and lint has nothing to say about it: what
could be read as code, a link or a tag is written so that it cannot.
"""

import re
from collections import Counter

from planrail.authoring.plan_sections import blocks_of
from planrail.authoring.plan_spans import PhaseSpan, locate_phases
from planrail.plans.blocks import Fence, Heading, Table
from planrail.plans.canonical_markdown import DRIFT_COLUMNS, DRIFT_LOG
from planrail.plans.lines import split_lines
from planrail.plans.reading import read
from planrail.plans.source import Source
from planrail.plans.units import id_key
from planrail.records import record

_TITLE = DRIFT_LOG.lower()
_COLUMNS = DRIFT_COLUMNS
_BOX = re.compile(r"(?<=\[)[^\[\]]{0,2}(?=\])")


@record
class Drift:
    """One row of the log."""

    date: str
    what: str
    why: str


@record
class Changes:
    """How two versions of a plan differ: phases by id, and how many lines came and went."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    is_changed_elsewhere: bool = False
    lines_added: int = 0
    lines_removed: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs that a reader could see."""
        return self == Changes()


# ---- the log ----


def add_drift_log(text: str, drift: Drift) -> str:
    """The plan with one more row in its drift log, which is made where there is none. No other byte changes."""
    newline = "\r\n" if "\r\n" in text else "\n"
    row = f"| {_cell(drift.date)} | {_cell(drift.what)} | {_cell(drift.why)} |"
    table = newline.join([f"| {' | '.join(_COLUMNS)} |", "|---|---|---|", row])
    span = find_log(text)
    if span is None:
        return _with_new_log(text, table, newline)
    at = _end_of_table(text, span)
    if at is None:
        end = span[0] + len(text[span[0] : span[1]].rstrip())
        return text[:end] + newline * 2 + table + (text[end:] or newline)
    return text[:at] + newline + row + (text[at:] or newline)


def _with_new_log(text: str, table: str, newline: str) -> str:
    """The text with a log at its end. What is quoted there and never closed is closed, or the log would be quoted."""
    heading = "#" * min([2, *_phase_levels(text)])
    start = text if text.endswith(("\n", "\r")) else text + newline
    log = f"{newline}{heading} {DRIFT_LOG}{newline}{newline}{table}{newline}"
    tries = (f"{start}{end}{newline if end else ''}{log}" for end in ("", *_open_fences(text), "-->"))
    return next((tried for tried in tries if find_log(tried)), start + log)


def _open_fences(text: str) -> list[str]:
    """What would close the fence at the end of the text, if one is open there."""
    lines = split_lines(text)[0]
    fences = [block for block in blocks_of(text)[1] if isinstance(block, Fence)]
    opening = lines[fences[-1].line - 1].lstrip() if fences else ""
    return [opening[: len(opening) - len(opening.lstrip(opening[0]))]] if opening else []


def find_log(text: str) -> tuple[int, int] | None:
    """Where the section of the drift log stands, its heading included; None where the plan has none."""
    headings = [block for block in blocks_of(text)[1] if isinstance(block, Heading)]
    starts = split_lines(text)[1]
    for at, heading in enumerate(headings):
        if heading.text.strip(" *_:").lower() == _TITLE:
            after = (other for other in headings[at + 1 :] if other.level <= heading.level)
            following = next(after, None)
            return starts[heading.line - 1], starts[following.line - 1] if following else len(text)
    return None


def keep_drift_log(original: str, revised: str) -> str:
    """The revision with the log of the original, byte for byte: whoever revises a plan does not revise its history."""
    kept, written = find_log(original), find_log(revised)
    log = original[kept[0] : kept[1]].rstrip() if kept else ""
    if written is not None:
        end = written[0] + len(revised[written[0] : written[1]].rstrip())
        return revised[: written[0]] + (log + revised[end:] if log else revised[written[1] :])
    newline = "\r\n" if "\r\n" in original else "\n"
    return revised.rstrip() + newline * 2 + log + newline if log else revised


def _phase_levels(text: str) -> list[int]:
    phases = read(Source("PLAN.md", text)).phases
    return [phase.sections[0].level for phase in phases if phase.sections]


def _end_of_table(text: str, span: tuple[int, int]) -> int | None:
    """Where the last row of the log's table ends; None where the section has no such table."""
    lines, starts = split_lines(text)
    tables = [block for block in blocks_of(text)[1] if isinstance(block, Table)]
    tables = [table for table in tables if tuple(cell.text for cell in table.header) == _COLUMNS]
    inside = [table for table in tables if span[0] <= starts[table.line - 1] < span[1]]
    if not inside:
        return None
    last = inside[-1].rows[-1][0] if inside[-1].rows else inside[-1].line + 1
    return starts[last - 1] + len(lines[last - 1])


def _cell(text: str) -> str:
    plain = " ".join(text.replace("<", "&lt;").replace("`", "'").replace("](", "] (").split())
    return re.sub(r"\\*\|", r"\\|", plain) or "-"


# ---- what changed ----


def describe_changes(before: str, after: str) -> Changes:
    """What differs between two versions of a plan. Marks of progress and moved lines are no changes."""
    old, new = _phases(before), _phases(after)
    shared = [key for key in old if key in new]
    renamed = [key for key in shared if _plain(old[key][1]) != _plain(new[key][1])]
    changed = [key for key in shared if old[key][2] != new[key][2] and key not in renamed]
    lines, new_lines = Counter(_lines(before)), Counter(_lines(after))
    return Changes(
        tuple(new[key][0] for key in new if key not in old),
        tuple(old[key][0] for key in old if key not in new),
        tuple(new[key][0] for key in renamed),
        tuple(new[key][0] for key in changed),
        _rest(before) != _rest(after),
        sum((new_lines - lines).values()),
        sum((lines - new_lines).values()),
    )


def render_changes(changes: Changes) -> str:
    """The changes as one line of text, for the log and for people."""
    named = (
        ("added", changes.added),
        ("removed", changes.removed),
        ("renamed", changes.renamed),
        ("changed", changes.changed),
    )
    parts = [f"{verb} phase{'s' * (len(ids) > 1)} {', '.join(ids)}" for verb, ids in named if ids]
    parts += ["changed text outside the phases"] if changes.is_changed_elsewhere else []
    count = f"{changes.lines_added} lines in, {changes.lines_removed} out"
    return f"{'; '.join(parts)} ({count})" if parts else "nothing but marks of progress"


def _phases(text: str) -> dict[str, tuple[str, str, str]]:
    """The id, the title and the text of each phase, marks of progress left out, by key."""
    spans = locate_phases(read(Source("PLAN.md", text)), text)
    return {id_key(span.id): (span.id, span.title, _described(span)) for span in spans}


def _described(span: PhaseSpan) -> str:
    section = span.section or span.row
    return _unmarked(section.text.partition("\n")[2]) if section else ""


def _rest(text: str) -> str:
    """What stands outside the phases and the log."""
    log = find_log(text)
    text = text[: log[0]] + text[log[1] :] if log else text
    spans = locate_phases(read(Source("PLAN.md", text)), text)
    stretches = [stretch for span in spans for stretch in (span.section, span.row) if stretch]
    kept, at = [], 0
    for stretch in sorted(stretches, key=lambda stretch: stretch.start):
        kept.append(text[at : max(stretch.start, at)].strip())
        at = max(stretch.end, at)
    return "\n".join(part for part in [*kept, text[at:].strip()] if part)


def _lines(text: str) -> list[str]:
    return [line for line in (line.strip() for line in _unmarked(text).splitlines()) if line]


def _unmarked(text: str) -> str:
    return "\n".join(_BOX.sub(" ", line.rstrip()) for line in text.splitlines()).strip()


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.lower()))
