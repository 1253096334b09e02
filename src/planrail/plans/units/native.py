"""Units of a plan as coding agents write it in their plan modes: context, changes, files, verification.

Its steps are what stands under a heading for changes: the headings there, the entries of a list, one for each file; or
counted headings, wherever they stand. No heading names a phase and nothing is marked, so that these rules come last,
and only where a document has two of the parts that such plans have; or a list under its title, and a verification.
"""

import re

from planrail.base.patterns import pattern
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Outline, Section, is_aside, is_document_part, is_verification
from planrail.plans.units.trackers import is_tracker_title
from planrail.plans.units.units import Unit, section_unit, with_unique_ids
from planrail.plans.words.labels import read_label
from planrail.plans.words.native import (
    BESIDE_CHANGES,
    BESIDE_FILES,
    CHANGES,
    FILES,
    OTHER_CHANGES,
    OTHER_FILES,
    OTHER_PARTS,
    PARTS,
)
from planrail.plans.words.verifying import OTHER_SCRIPTS

_LETTERS = pattern(r"[^\W\d_]+")
_MOST = 8  # words of such a heading
_FILE = pattern(
    r"\[(?:NEW|MODIFY|DELETE|RENAME|MOVE|ADD|UPDATE|CREATE)\]|[`*\[]*[\w@./-]+\.[A-Za-z]{1,6}\b", re.IGNORECASE
)

_NAMED_FILE = pattern(r"`[\w@./-]+\.[A-Za-z]{1,6}`")
_FILE_ACTION = pattern(r"\W*(?:new|modif(?:y|ied)|create|add|update|change|edit|delete|remove)d?\b", re.IGNORECASE)


def find_changes(document: Outline) -> list[Unit]:
    """The steps of an agent's plan; none where the document is none."""
    sections = [section for section in document.sections if section.level > 0]
    if not _is_plan(document, sections):
        return _under_title(sections)
    for find in (_under_changes, _counted, _listed_under_changes, _file_headings, _by_headings, _by_files):
        units = find(sections)
        if units:
            return units
    return _under_title(sections)


def _is_plan(document: Outline, sections: list[Section]) -> bool:
    """Whether a document has what such a plan has: it is called one, or has two of context, changes, files, checks."""
    titles = [section.text for section in sections if section.level == 1]
    kinds = {kind for section in sections if (kind := _kind(section)) and not (section.level == 1 and section.children)}
    is_called = len(titles) == 1 and is_tracker_title(titles[0])
    return len(kinds) > 1 and (not kinds.isdisjoint(("changes", "files", "checks")) or is_called)


def _kind(section: Section) -> str:
    """What a heading announces: context, changes, files or checks; "" for any other."""
    title = re.split(r"[(（:：]", section.label.title or section.text, maxsplit=1)[0]
    words = [word.lower() for word in _LETTERS.findall(title)]
    if not words or len(words) > _MOST:
        return ""
    if not title.isascii():
        for kind, parts in (
            ("checks", OTHER_SCRIPTS),
            ("files", OTHER_FILES),
            ("changes", OTHER_CHANGES),
            ("context", OTHER_PARTS),
        ):
            if any(part in title.lower() for part in parts):
                return kind
    if is_verification(title):
        return "checks"
    if not FILES.isdisjoint(words) and all(
        word in FILES or word in CHANGES or word in BESIDE_CHANGES or word in BESIDE_FILES for word in words
    ):
        return "files"
    if not CHANGES.isdisjoint(words) and all(word in CHANGES or word in BESIDE_CHANGES for word in words):
        return "changes"
    return "context" if words[0] in PARTS or words[-1] in PARTS else ""


def _is_step(section: Section) -> bool:
    """Whether a heading can be a step: no part that all documents have, no list of files, no verification."""
    if _is_counted(section):
        return _kind(section) not in ("checks", "context") and not is_aside(section.label.title)
    return not _kind(section) and not is_aside(section.text) and not is_document_part(section.text)


def _is_counted(section: Section) -> bool:
    return section.label.word == "number" and bool(section.label.id)


def _under_changes(sections: list[Section]) -> list[Unit]:
    """The headings under one for changes; where that is the title of the document, those that are counted."""
    for parent in sections:
        if _kind(parent) != "changes" or (parent.level == 1 and parent.children and not _has_text(parent)):
            continue
        steps = [child for child in parent.children if _is_step(child) or _is_counted(child) or _FILE.match(child.text)]
        steps = steps or [child for child in parent.children if _kind(child) == "files"]
        if len(steps) > 1:
            return with_unique_ids([section_unit(section) for section in steps])
    return []


def _has_text(section: Section) -> bool:
    return bool(section.items())


def _counted(sections: list[Section]) -> list[Unit]:
    """Headings beside each other that are counted 1, 2, 3: the first row of at least two that are steps."""
    rows: dict[tuple[int, int], list[Section]] = {}
    for section in sections:
        if _is_counted(section) and section.parent is not None:
            rows.setdefault((section.level, section.parent.line), []).append(section)
    for row in sorted(rows.values(), key=lambda found: (found[0].level, found[0].line)):
        steps = [section for section in row if _is_step(section)]
        above = row[0].parent
        is_other = (
            above is not None and above.level > 1 and (_kind(above) in ("checks", "files") or is_aside(above.text))
        )
        if len(steps) > 1 and len(steps) * 3 >= len(row) * 2 and not is_other:
            return with_unique_ids([section_unit(section) for section in steps])
    return []


def _listed_under_changes(sections: list[Section]) -> list[Unit]:
    """The entries of the lists under a heading for changes, counted ones before others."""
    for parent in sections:
        if _kind(parent) == "changes":
            parts = [parent] if parent.level == 1 else parent.walk()
            entries = [item for part in parts if _kind(part) in ("", "changes") for item in part.items()]
            units = _listed(entries)
            if units:
                return units
    return []


def _under_title(sections: list[Section]) -> list[Unit]:
    """The list right under the title of a document that is verified below, and has no other heading that may be a step.

    Entries that are not counted have to say what is done, or with which file; links are a table of contents.
    """
    titles, below = sections[:1], sections[1:]
    if not titles or titles[0].level != 1 or any(section.level == 1 or _is_step(section) for section in below):
        return []
    if not any(_kind(section) == "checks" and any(part.blocks for part in section.walk()) for section in below):
        return []
    entries = [item for item in titles[0].items() if not item.depth and item.text.strip()]
    counted = [item for item in entries if item.number]
    said = [item for item in entries if _FILE_ACTION.match(item.text) or _NAMED_FILE.search(item.text)]
    chosen = counted or (entries if len(said) == len(entries) else [])
    is_contents = any(item.text.lstrip(" *_").startswith("[") for item in chosen)
    return _listed(chosen) if len(chosen) > 1 and not is_contents else []


def _listed(items: list[Item]) -> list[Unit]:
    entries = [item for item in items if not item.depth and item.text.strip()]
    counted = [item for item in entries if item.number]
    chosen = counted if len(counted) > 1 else entries
    return with_unique_ids([_item_unit(item, str(number)) for number, item in enumerate(chosen, 1)])


def _item_unit(item: Item, number: str) -> Unit:
    label = read_label(item.text)
    unmarked = item.text if label.mark is None else item.text[: label.mark.start] + item.text[label.mark.end :]
    title = label.title if label.id else unmarked.strip()
    return Unit(label.id or number, title or item.text, label.word or "number", item.line, None, item, None)


def _file_headings(sections: list[Section]) -> list[Unit]:
    """Headings beside each other of which each says what is done with a file: "New: `src/menu.ts`"."""
    rows: dict[tuple[int, int], list[Section]] = {}
    for section in sections:
        if section.parent is not None and _FILE_ACTION.match(section.text) and "`" in section.text:
            rows.setdefault((section.level, section.parent.line), []).append(section)
    row = max(rows.values(), key=len, default=[])
    return with_unique_ids([section_unit(section) for section in row]) if len(row) > 1 else []


def _by_headings(sections: list[Section]) -> list[Unit]:
    """The headings on the uppermost level that are none of the parts of such a plan."""
    titles = [section for section in sections if section.level == 1]
    level = 2 if len(titles) == 1 else 1 if len(titles) > 2 else 0
    kinds = {_kind(section) for section in sections}
    level = 0 if kinds.isdisjoint(("checks", "files")) else level
    steps = [section for section in sections if section.level == level and _is_step(section)] if level else []
    steps = [section for section in steps if any(part.blocks for part in section.walk())]
    return with_unique_ids([section_unit(section) for section in steps]) if steps else []


def _by_files(sections: list[Section]) -> list[Unit]:
    """One step for each file, where the plan says what is done by its list of files alone."""
    for parent in sections:
        if _kind(parent) != "files":
            continue
        steps = [child for child in parent.children if not _kind(child)]
        if len(steps) > 1:
            return with_unique_ids([section_unit(section) for section in steps])
        units = _listed(parent.items())
        if units:
            return units
    return []
