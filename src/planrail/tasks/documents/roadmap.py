"""ROADMAP.md: what of it is open, and its items ticked when the task that brings them is completed."""

import re
from collections.abc import Iterator

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.scanning import scan
from planrail.tasks.model import Task

FILES = ("ROADMAP.md", "ROAD_MAP.md")
_SHORTEST = 8  # letters of a text that is looked for inside an item
_OPEN = " "
_MARKUP = re.compile(r"[*_`]+")
_BLANKS = re.compile(r"\s+")
_LETTERS = re.compile(r"\w")


@record
class _Item:
    text: str
    box: int
    end: int


def roadmap_places(folder: str = "specs") -> tuple[str, ...]:
    return (*(f"{folder}/{name}" for name in FILES), *FILES)


def open_items(text: str) -> list[str]:
    """The items of a roadmap that are not ticked, in its order; none where it cannot be read."""
    return [item.text for item in _items(text)]


def tick_roadmap(text: str, task: Task) -> str:
    """The roadmap with the items of a completed task ticked and annotated, and not one other byte changed.

    They are those that its `roadmap_items` name, and those that name the task: `(Task 7)`. A text that fits several
    items ticks none.
    """
    note = f" *(Completed: {', '.join(filter(None, (f'Task {task.number}', task.last_updated[:10])))})*"
    items, names = list(_items(text)), rf"\(tasks? #?{task.number}\)"
    chosen = {item.box: item for item in items if re.search(names, item.text, re.IGNORECASE)}
    for wanted in task.roadmap_items:
        found = _find(items, wanted)
        if found is not None:
            chosen[found.box] = found
    for box in sorted(chosen, reverse=True):
        end = chosen[box].end
        text = text[:box] + "x" + text[box + 1 : end] + note + text[end:]
    return text


def _find(items: list[_Item], wanted: str) -> _Item | None:
    """The item that a text names: the only one that is it, else the only one that has it in it."""
    words = _plain(wanted)
    equal = [item for item in items if _plain(item.text) == words]
    if not equal and len(_LETTERS.findall(words)) >= _SHORTEST:
        equal = [item for item in items if words in _plain(item.text)]
    return equal[0] if len(equal) == 1 else None


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", _MARKUP.sub("", text)).strip(" .:").casefold()


def _items(text: str) -> Iterator[_Item]:
    try:
        _, blocks = scan(text)
    except UnreadablePlan:
        return
    for at, block in enumerate(blocks):
        if isinstance(block, Item) and block.box == _OPEN and block.text:
            lines: list[Item | Text] = [block]
            for following in blocks[at + 1 :]:
                if not isinstance(following, Text) or following.line != lines[-1].line + 1:
                    break
                lines.append(following)
            words = " ".join(one.text for one in lines)
            yield _Item(words, block.box_start, lines[-1].start + len(lines[-1].text))
