"""Progress logs: checklists whose entries carry dates, as ExecPlans keep them."""

import re

from planrail.base.patterns import pattern
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Section
from planrail.plans.words.labels import read_label

_LOG_TITLE = pattern(r"\W*(?:progress|进度|進捗|прогресс|fortschritt|avancement|progreso)\b", re.IGNORECASE)

_STAMP = pattern(r"^\((?:\d{4}-[^)]*|pending|todo|in progress)\)\s*", re.IGNORECASE)


def is_log(section: Section) -> bool:
    """Whether a section is a log of work: a checklist headed "Progress" whose entries carry dates."""
    if not _LOG_TITLE.match(section.text):
        return False
    boxes = [block for block in section.blocks if isinstance(block, Item) and block.box is not None]
    return any(_STAMP.match(box.text) for box in boxes)


def without_stamp(text: str) -> str:
    """The text of an entry without the date in front of it."""
    return _STAMP.sub("", text) if text[:1] == "(" else text


def has_log(sections: list[Section]) -> bool:
    return any(is_log(section) for section in sections)


def is_logged(sections: list[Section], word: str) -> bool:
    """Whether the log names units by this word."""
    items = [block for section in sections if is_log(section) for block in section.blocks if isinstance(block, Item)]
    return any(read_label(without_stamp(item.text)).word == word for item in items)
