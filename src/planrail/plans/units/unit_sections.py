"""Units that are sections without a word for them: counted headings, the parts of a checklist, marked headings."""

from planrail.plans.states import State
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Section, is_aside, is_criteria, is_document_part, key_of
from planrail.plans.units.systems import is_marked, is_under_criteria
from planrail.plans.units.trackers import is_tracker_title
from planrail.plans.units.units import Unit, id_key, section_unit, told_apart, with_unique_ids, without_stamp
from planrail.plans.words.labels import may_be_named, read_name
from planrail.plans.words.marks import group_state
from planrail.plans.words.names import STATUS_KEYS, STEP_TITLES, TODO_TITLES


def numbered_sections(sections: list[Section]) -> list[Unit]:
    """Sections counted 1, 2, 3 with boxes in them: `## 1. Core types`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if section.label.word == "number" and section.label.id:
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        tracked = [section for section in levels[level] if section.has_boxes or is_marked(section)]
        own = tracked[0].items() if tracked else []
        if len(tracked) > 1 or any(item.text.startswith(f"{tracked[0].label.id}.") for item in own):
            known = set(tracked)
            others = [section for section in levels[level] if section in known or not is_document_part(section.text)]
            members = others if len(tracked) * 2 >= len(levels[level]) else tracked
            return told_apart([section_unit(section) for section in members])
    return []


def counted_steps(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, under a heading that says they are steps: `## Implementation Steps`."""
    for parent in sorted(sections, key=lambda section: section.level == 1):  # the title of the document comes last
        steps = _steps(parent.children) if _is_named(parent, STEP_TITLES) else []
        if len(steps) > 1:
            return told_apart([section_unit(section) for section in steps])
    return []


def _steps(sections: list[Section]) -> list[Section]:
    """Those that are counted, without what all documents have; none where that is too much of them."""
    counted = [section for section in sections if section.label.word == "number"]
    steps = [section for section in counted if not is_document_part(section.label.title)]
    return steps if len(steps) * 3 >= len(counted) * 2 else []


def _is_plan(sections: list[Section]) -> bool:
    """Whether a document has one title, which calls it a plan."""
    titles = [section.text for section in sections if section.level == 1]
    return len(titles) == 1 and is_tracker_title(titles[0])


def counted_sections(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, in a document that is called a plan; what all documents have is none."""
    steps = _steps([section for section in sections if section.level == 2]) if _is_plan(sections) else []
    return told_apart([section_unit(section) for section in steps]) if len(steps) > 2 else []


def named_series(sections: list[Section]) -> list[Unit]:
    """Headings without any mark that are named in a series, in a document that is called a plan: "v0.1", "v0.2"."""
    series: dict[tuple[int, str], list[Section]] = {}
    for section in sections if _is_plan(sections) else ():
        if section.label.id and section.level > 1 and not is_under_criteria(section):
            series.setdefault((section.level, section.label.word), []).append(section)
    for _, members in sorted(series.items()):
        if len({id_key(section.label.id) for section in members}) == len(members) > 2:
            return [section_unit(section) for section in members]
    return []


def todo_sections(sections: list[Section]) -> list[Unit]:
    """Plain headings without any mark, in a document that is called a list of work: `# Refactor TODO`."""
    titles = [section for section in sections if section.level == 1]
    if len(titles) != 1 or not _is_named(titles[0], TODO_TITLES):
        return []
    named = [child for child in titles[0].children if group_state(child.label.title) is None]
    steps = [child for child in named if not is_document_part(child.text)]
    return with_unique_ids([section_unit(section) for section in steps]) if len(steps) > 1 else []


def buckets(root: Section) -> list[Unit]:
    """The sections of a plain checklist, or its boxes themselves where they are not divided."""
    node, boxed = root, [child for child in root.children if _has_work(child)]
    while len(boxed) == 1 and not node.boxes():
        node, boxed = boxed[0], [child for child in boxed[0].children if _has_work(child)]
    own = node.boxes()
    if not boxed:
        return [] if node.level > 1 and is_aside(node.text) else flat_units(_tasks(node))
    states = [group_state(section.label.title) for section in boxed]
    is_flat = not any(child.has_boxes for section in boxed for child in section.children)
    if not own and len(boxed) > 1 and None not in states and is_flat:  # the columns of a board
        tasks = [(state, task) for state, section in zip(states, boxed, strict=True) for task in _tasks(section)]
        for state, task in tasks:
            if state in (State.IN_PROGRESS, State.BLOCKED) and task.state is State.TODO:
                task.said = state  # the open ones are as far as the heading says
        return flat_units([task for _, task in tasks])
    named = [section for section in boxed if _is_named(section, STEP_TITLES) and not section.label.id]
    steps = [section for section in named if sum(bool(task.number) for task in _tasks(section)) > 1]
    if not own and len(boxed) > len(steps) == 1:  # the tasks, counted one by one: "Task Breakdown"
        return flat_units(_tasks(steps[0]))
    return with_unique_ids([section_unit(part) for section in boxed for part in _parts(section)])


def _is_named(section: Section, titles: tuple[str, ...]) -> bool:
    lower = section.text.lower()
    return any(word in lower for word in titles)


def _tasks(section: Section) -> list[Item]:
    return [box for box in section.boxes() if not box.depth]


def _parts(section: Section) -> list[Section]:
    """The sections that hold the work of one: those inside it, where its heading only announces a checklist of all."""
    inside = [child for child in section.children if _has_work(child)]
    divides = is_tracker_title(section.text) or is_aside(section.text) or group_state(section.text) is not None
    is_list = section.level > 1 and not section.label.id and divides
    return inside if is_list and len(inside) > 1 and not section.boxes() else [section]


def _has_work(section: Section) -> bool:
    if section.level > 1 and is_aside(section.text):  # the title of the document never is
        parts = [child for child in section.children if _has_work(child)]
        return len(parts) > 1 and not is_criteria(section.text) and not section.boxes()
    return bool(section.boxes()) or any(_has_work(child) for child in section.children)


def flat_units(items: list[Item]) -> list[Unit]:
    units: list[Unit] = []
    for item in items:
        text = without_stamp(item.text)
        word, identity, title = read_name(text) if may_be_named(text) else ("", "", text)
        units.append(Unit(identity or str(len(units) + 1), title or item.text, word, item.line, None, item, None))
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
    level, marked = next(((level, found) for level, found in sorted(levels.items()) if len(found) > 1), (0, []))
    # With those beside them that have no mark yet, where half of all that may be work are marked.
    parents, known = {section.parent for section in marked}, set(marked)
    beside = [part for part in sections if part.parent in parents and part.level == level]
    work = [part for part in beside if part in known or not (is_document_part(part.text) or _is_about_all(part))]
    return with_unique_ids([section_unit(section) for section in (work if len(marked) * 2 >= len(work) else marked)])
