"""Bring a document into its format by adding what is missing. Nothing that was there is changed or lost.

Every addition is tried before it is kept: the document is judged again, and one that does not help, or changes how
something else is read, is not made. So a repair of what was repaired changes nothing.
"""

from collections.abc import Mapping

from planrail.base.records import record
from planrail.tasks.documents.additions import STEPS, Addition, Finder, open_document
from planrail.tasks.documents.pages import common_fields
from planrail.tasks.documents.plan_reading import read_plan
from planrail.tasks.documents.validating import PLACEHOLDER, Problem, read_page, validate
from planrail.tasks.model import PLAN, SUMMARY, Task
from planrail.tasks.statuses import NOT_STARTED, marker


@record
class Repaired:
    """A document after its repair: what was added to it, and what is still wrong."""

    text: str
    changes: tuple[str, ...]
    left: tuple[Problem, ...]


def repair(text: str, type_: str, facts: Mapping[str, str] | None = None) -> Repaired:
    """A document with its missing title, fields, table of waves and statuses of phases.

    `facts` are values of fields by name, `Title` among them; a field that nobody knows gets a placeholder. Sections are
    not invented: an empty one would only hide the gap.
    """
    changes: list[str] = []
    for find in STEPS:
        addition = _first_that_helps(text, type_, find, facts or {})
        if addition is not None:
            text = addition.apply(text)
            changes += addition.what
    return Repaired(text, tuple(changes), tuple(validate(text, type_)))


def facts_of(task: Task, type_: str, path: str = "") -> dict[str, str]:
    """What is known of a task's document without reading it."""
    facts = {**common_fields(task, type_, [path] if path else []), "Title": task.title, "Effort": task.effort}
    if type_ == PLAN:
        facts |= {"Status": f"[{marker(NOT_STARTED)}]", "Type": "markdown"}
    elif type_ == SUMMARY:
        facts["Status"] = f"[{marker(task.status)}]"
    return facts


def _first_that_helps(text: str, type_: str, find: Finder, facts: Mapping[str, str]) -> Addition | None:
    page = read_page(text, type_)
    if page is None:
        return None  # it is empty, or cannot be read
    candidates = find(open_document(text, type_, page), facts)
    return next((addition for addition in candidates if _helps(text, addition.apply(text), type_)), None)


def _helps(before: str, after: str, type_: str) -> bool:
    """Whether a document says more of what its format asks for, and nothing else of it is read differently."""
    old, new = (_lacks(text, type_) for text in (before, after))
    return len(new) < len(old) and new <= old and (type_ != PLAN or _phases(before) == _phases(after))


def _lacks(text: str, type_: str) -> set[str]:
    """What a document lacks. A placeholder is better than nothing, so it does not count here."""
    return {problem.message for problem in validate(text, type_) if PLACEHOLDER not in problem.message}


def _phases(text: str) -> object:
    plan = read_plan(text)
    if plan is None:
        return None
    return [(phase.id, phase.title, phase.status, phase.depends_on, len(phase.items)) for phase in plan.phases]
