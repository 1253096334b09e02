"""Units that are sections without a word for them: counted headings, the parts of a checklist, marked headings."""

from planrail.plans.states import State
from planrail.plans.text.blocks import Item, is_box
from planrail.plans.text.outline import Section, is_aside, is_criteria, is_document_part, key_of
from planrail.plans.units.systems import is_marked, is_under_criteria
from planrail.plans.units.trackers import is_tracker_title
from planrail.plans.units.units import Unit, id_key, section_unit, told_apart, with_unique_ids, without_stamp
from planrail.plans.words.groups import group_state
from planrail.plans.words.labels import may_be_named, read_name
from planrail.plans.words.names import STATUS_KEYS, STEP_TITLES, TODO_TITLES


def numbered_sections(sections: list[Section]) -> list[Unit]:
    """Sections counted 1, 2, 3 with boxes in them: `## 1. Core types`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if section.label.word == "number" and section.label.id:
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        tracked = [section for section in levels[level] if section.has_boxes or is_marked(section)]
        if len(tracked) > 1 or (tracked and _counts_its_items(tracked[0])):
            known = set(tracked)
            others = [section for section in levels[level] if section in known or not is_document_part(section.text)]
            members = others if len(tracked) * 2 >= len(levels[level]) else tracked
            return told_apart([section_unit(section) for section in members])
    return []


def counted_steps(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, under a heading that says they are steps: `## Implementation Steps`."""
    for parent in sorted(sections, key=lambda section: section.level == 1):  # the title of the document comes last
        if any(word in parent.text.lower() for word in STEP_TITLES):
            counted = [child for child in parent.children if child.label.word == "number"]
            steps = [child for child in counted if not is_document_part(child.label.title)]
            if len(steps) > 1 and len(steps) * 3 >= len(counted) * 2:
                return told_apart([section_unit(section) for section in steps])
    return []


def counted_sections(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, in a document that is called a plan; what all documents have is none."""
    titles = [section.text for section in sections if section.level == 1]
    if len(titles) != 1 or not is_tracker_title(titles[0]):
        return []
    counted = [section for section in sections if section.level == 2 and section.label.word == "number"]
    steps = [section for section in counted if not is_document_part(section.label.title)]
    if len(steps) < 3 or len(steps) * 3 < len(counted) * 2:
        return []
    return told_apart([section_unit(section) for section in steps])


def named_series(sections: list[Section]) -> list[Unit]:
    """Headings without any mark that are named in a series, in a document that is called a plan: "v0.1", "v0.2"."""
    titles = [section.text for section in sections if section.level == 1]
    series: dict[tuple[int, str], list[Section]] = {}
    for section in sections if len(titles) == 1 and is_tracker_title(titles[0]) else ():
        if section.label.id and section.level > 1 and not is_under_criteria(section):
            series.setdefault((section.level, section.label.word), []).append(section)
    for _, members in sorted(series.items()):
        if len({id_key(section.label.id) for section in members}) == len(members) > 2:
            return [section_unit(section) for section in members]
    return []


def todo_sections(sections: list[Section]) -> list[Unit]:
    """Plain headings without any mark, in a document that is called a list of work: `# Refactor TODO`."""
    titles = [section for section in sections if section.level == 1]
    if len(titles) != 1 or not any(word in titles[0].text.lower() for word in TODO_TITLES):
        return []
    named = [child for child in titles[0].children if group_state(child.label.title) is None]
    steps = [child for child in named if not is_document_part(child.text)]
    return with_unique_ids([section_unit(section) for section in steps]) if len(steps) > 1 else []


def _counts_its_items(section: Section) -> bool:
    prefix = section.label.id + "."
    return any(isinstance(block, Item) and block.text.startswith(prefix) for block in section.blocks)


def buckets(root: Section) -> list[Unit]:
    """The sections of a plain checklist, or its boxes themselves where they are not divided."""
    node, boxed = root, [child for child in root.children if _has_work(child)]
    while len(boxed) == 1 and not any(map(is_box, node.blocks)):
        node, boxed = boxed[0], [child for child in boxed[0].children if _has_work(child)]
    own = any(map(is_box, node.blocks))
    if not boxed:
        return [] if node.level > 1 and is_aside(node.text) else flat_units(_tasks(node))
    if not own and len(boxed) > 1 and all(map(_is_column, boxed)):
        return flat_units([task for section in boxed for task in _tasks_of_column(section)])
    steps = [section for section in boxed if _is_called_steps(section)]
    if not own and len(boxed) > len(steps) == 1:
        return flat_units(_tasks(steps[0]))
    units = [section_unit(part) for section in boxed for part in _parts(section)]
    return with_unique_ids(units)


def _tasks(section: Section) -> list[Item]:
    return [block for block in section.blocks if isinstance(block, Item) and block.box is not None and not block.depth]


def _tasks_of_column(section: Section) -> list[Item]:
    """The tasks in a column of a board; the open ones are as far as its heading says."""
    state = group_state(section.label.title)
    for task in _tasks(section):
        if state in (State.IN_PROGRESS, State.BLOCKED) and task.state is State.TODO:
            task.said = state
    return _tasks(section)


def _is_column(section: Section) -> bool:
    """Whether a section is a column of a board: its heading is a state, and its boxes are the tasks in it."""
    return group_state(section.label.title) is not None and not any(child.has_boxes for child in section.children)


def _is_called_steps(section: Section) -> bool:
    """Whether a heading says that its boxes are the tasks, counted one by one: "Task Breakdown"."""
    counted = [task for task in _tasks(section) if task.number]
    return len(counted) > 1 and any(word in section.text.lower() for word in STEP_TITLES) and not section.label.id


def _parts(section: Section) -> list[Section]:
    """The sections that hold the work of one: those inside it, where its heading only announces a checklist of all."""
    inside = [child for child in section.children if _has_work(child)]
    divides = is_tracker_title(section.text) or is_aside(section.text) or group_state(section.text) is not None
    is_list = section.level > 1 and not section.label.id and divides
    return inside if is_list and len(inside) > 1 and not any(map(is_box, section.blocks)) else [section]


def _has_work(section: Section) -> bool:
    if section.level > 1 and is_aside(section.text):  # the title of the document never is
        parts = [child for child in section.children if _has_work(child)]
        return len(parts) > 1 and not is_criteria(section.text) and not any(map(is_box, section.blocks))
    return any(is_box(block) for block in section.blocks) or any(_has_work(child) for child in section.children)


def flat_units(items: list[Item]) -> list[Unit]:
    """Boxes as units, by the ids that they carry, else counted."""
    units: list[Unit] = []
    for item in items:
        text = without_stamp(item.text)
        word, identity, title = read_name(text) if may_be_named(text) else ("", "", text)
        identity = identity or str(len(units) + 1)
        units.append(Unit(identity, title or item.text, word, item.line, None, item, None))
    if len({id_key(unit.id) for unit in units}) != len(units):
        for number, unit in enumerate(units, 1):
            unit.id = str(number)
    return units


def _is_about_all(section: Section) -> bool:
    """Whether a heading groups others by their state, or states that of the whole plan: "Completed", "Status: done"."""
    key = key_of(section.text)
    return (group_state(section.text) is not None and bool(section.children)) or key.split(" ")[-1] in STATUS_KEYS


def marked_sections(sections: list[Section]) -> list[Unit]:
    """Plain headings that carry marks, two or more on one level: `## API 🚧`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if is_marked(section) and section.level > 1 and not is_aside(section.text) and not _is_about_all(section):
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        if len(levels[level]) > 1:
            return with_unique_ids([section_unit(section) for section in _with_open_ones(levels[level], sections)])
    return []


def _with_open_ones(marked: list[Section], sections: list[Section]) -> list[Section]:
    """Marked headings with those beside them that have no mark yet, where half of all that may be work are marked."""
    parents = {section.parent for section in marked}
    known = set(marked)
    beside = [part for part in sections if part.parent in parents and part.level == marked[0].level]
    work = [part for part in beside if part in known or not (is_document_part(part.text) or _is_about_all(part))]
    return work if len(marked) * 2 >= len(work) else marked
