"""ROADMAP.md: what of it is open, and its items ticked when the task that brings them is completed."""

import re
from collections.abc import Iterable, Iterator

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.plans.text.blocks import Block, Heading, Item, Text
from planrail.plans.text.scanning import scan
from planrail.tasks.model import Task

FILES = ("ROADMAP.md", "ROAD_MAP.md")
_SHORTEST = 8  # letters of a text that is looked for inside an item
_OPEN = " "
_PRIORITY = re.compile(r"\((\w+) Priority\b")
_MARKUP = re.compile(r"[*_`]+")
_BLANKS = re.compile(r"\s+")
_LETTERS = re.compile(r"\w")


@record
class RoadmapItem:
    """An open item: its text, the headings that it stands under, and how urgent those say it is."""

    text: str
    section: str
    priority: str
    line: int


@record
class _Place:
    item: RoadmapItem
    box: int
    end: int


def roadmap_places(folder: str = "specs") -> tuple[str, ...]:
    return (*(f"{folder}/{name}" for name in FILES), *FILES)


def open_items(text: str) -> list[RoadmapItem]:
    """The items of a roadmap that are not ticked, in its order; none where it cannot be read."""
    return [place.item for place in _places(text)]


def tick_roadmap(text: str, task: Task, items: Iterable[str] = (), on: str = "") -> str:
    """The roadmap with the items of a completed task ticked and annotated, and not one other byte changed.

    They are those that `items` and the task's own `roadmap_items` name, and those that name the task: `(Task 7)`. A
    text that fits several items ticks none. `on` is the day; the task's last update where it is not given.
    """
    note = f" *(Completed: Task {task.number}, {on or task.last_updated[:10]})*" if on or task.last_updated else ""
    note = note or f" *(Completed: Task {task.number})*"
    places = list(_places(text))
    chosen = {place.box: place for place in places if _names_task(place.item.text, task.number)}
    for wanted in (*task.roadmap_items, *items):
        found = _find(places, wanted)
        if found is not None:
            chosen[found.box] = found
    for box in sorted(chosen, reverse=True):
        end = chosen[box].end
        text = text[:box] + "x" + text[box + 1 : end] + note + text[end:]
    return text


def _find(places: list[_Place], wanted: str) -> _Place | None:
    """The item that a text names: the only one that is it, else the only one that has it in it."""
    words = _plain(wanted)
    equal = [place for place in places if _plain(place.item.text) == words]
    if not equal and len(_LETTERS.findall(words)) >= _SHORTEST:
        equal = [place for place in places if words in _plain(place.item.text)]
    return equal[0] if len(equal) == 1 else None


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", _MARKUP.sub("", text)).strip(" .:").casefold()


def _names_task(text: str, number: int) -> bool:
    return re.search(rf"\(tasks? #?{number}\)", text, re.IGNORECASE) is not None


def _places(text: str) -> Iterator[_Place]:
    try:
        _, blocks = scan(text)
    except UnreadablePlan:
        return
    titles: dict[int, str] = {}
    for at, block in enumerate(blocks):
        if isinstance(block, Heading):
            titles = {level: title for level, title in titles.items() if level < block.level}
            titles[block.level] = block.text
        elif isinstance(block, Item) and block.box == _OPEN and block.text:
            yield _place(block, list(_continued(blocks, at)), [titles[level] for level in sorted(titles) if level > 1])


def _place(item: Item, following: list[Text], titles: list[str]) -> _Place:
    words = " ".join([item.text, *(block.text for block in following)])
    last = following[-1] if following else item
    found = [match[1] for title in titles if (match := _PRIORITY.search(title))]
    shown = RoadmapItem(words, " › ".join(titles), found[-1] if found else "", item.line)
    return _Place(shown, item.box_start, last.start + len(last.text))


def _continued(blocks: list[Block], at: int) -> Iterator[Text]:
    line = blocks[at].line
    for block in blocks[at + 1 :]:
        if not isinstance(block, Text) or block.line != line + 1:
            return
        line = block.line
        yield block
