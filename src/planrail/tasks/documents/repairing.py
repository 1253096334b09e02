"""Bring a document into its format by adding what is missing. Nothing that was there is changed or lost.

Every addition is tried before it is kept: the document is judged again, and one that does not help, or changes how
something else is read, is not made. So a repair of what was repaired changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from planrail.base.records import record
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.plans.text.blocks import split_lines
from planrail.tasks.documents import validating
from planrail.tasks.documents.formats import FORMATS, WAVES_LABEL, wave_table
from planrail.tasks.documents.rendering import common_fields, one_line
from planrail.tasks.model import PLAN, SUMMARY, Task
from planrail.tasks.statuses import NOT_STARTED, marker

Proposals = Iterator[tuple[str, Sequence[str]]]


@record
class Repaired:
    text: str
    changes: tuple[str, ...]
    left: tuple[validating.DocumentProblem, ...]


def repair(text: str, type_: str, facts: Mapping[str, str] | None = None) -> Repaired:
    """A document with its missing title, fields, table of waves and statuses of phases.

    `facts` are values of fields by name, `Title` among them; a field that nobody knows gets a placeholder. Sections are
    not invented: an empty one would only hide the gap.
    """
    changes: list[str] = []
    for propose in (_add_title, _add_fields, _add_waves, _add_tags):
        page = validating.read_page(text, type_)
        for repaired, added in propose(page, facts or {}) if page is not None else ():  # else it cannot be read
            if _helps(text, repaired, type_):
                text = repaired
                changes += added
                break
    return Repaired(text, tuple(changes), tuple(validating.validate(text, type_)))


def facts_of(task: Task, type_: str, path: str = "") -> dict[str, str]:
    facts = {**common_fields(task, type_, [path] if path else []), "Title": task.title, "Effort": task.effort}
    if type_ == PLAN:
        facts |= {"Status": f"[{marker(NOT_STARTED)}]", "Type": "markdown"}
    elif type_ == SUMMARY:
        facts["Status"] = f"[{marker(task.status)}]"
    return facts


def _helps(before: str, after: str, type_: str) -> bool:
    """Whether a document says more of what its format asks for, and nothing else of it is read differently."""
    found = [[problem.message for problem in validating.validate(text, type_)] for text in (before, after)]
    old, new = ({message for message in messages if validating.PLACEHOLDER not in message} for messages in found)
    return len(new) < len(old) and new <= old and (type_ != PLAN or _phases(before) == _phases(after))


def _phases(text: str) -> object:
    plan = validating.read_plan(text)
    if plan is None:
        return None
    return [(phase.id, phase.title, phase.status, phase.depends_on, len(phase.items)) for phase in plan.phases]


def _insert_after(page: validating.DocumentPage, line: int, added: Sequence[str]) -> str:
    """The text with lines behind a line, 0 for its top; a blank line keeps them apart from a paragraph below."""
    end = next((end for end in ("\r\n", "\n", "\r") if end in page.text), "\n")
    body, (lines, starts) = end.join(added) + end, split_lines(page.text)
    if line >= len(lines):
        return page.text + end + body
    at = starts[line] + (1 if not line and page.text.startswith("\ufeff") else 0)
    is_apart = not lines[line].strip() or lines[line].lstrip("\ufeff").startswith(("#", "- "))
    return page.text[:at] + (body if is_apart else body + end) + page.text[at:]


# Each proposes texts to try, the best first, with what was added.


def _add_title(page: validating.DocumentPage, facts: Mapping[str, str]) -> Proposals:
    if page.title is None:
        name, title = FORMATS[page.type].title, one_line(facts.get("Title", ""), 200)
        line = f"# {name}: {title}" if title else f"# {name}"
        yield _insert_after(page, page.front_end, [line]), [line]


def _add_fields(page: validating.DocumentPage, facts: Mapping[str, str]) -> Proposals:
    """The missing fields: behind the last one that is there, before the first, behind the title, at the top."""
    lines = [f"- **{field}**: {one_line(facts.get(field, '')) or validating.PLACEHOLDER}" for field in page.missing]
    known = sorted(line for _, line in page.fields.values())
    places: list[tuple[int, list[str]]] = []
    if known:
        last, texts = known[-1], split_lines(page.text)[0]
        while last < len(texts) and texts[last][:1] in (" ", "\t") and texts[last].strip():
            last += 1  # what is indented under an entry belongs to it
        places += [(last, lines), (known[0] - 1, lines)]
    if page.title is not None:
        places += [(page.title.line, lines), (page.title.line + 1, ["", *lines])]
    for place, added in [*places, (page.front_end, lines)] if lines else []:
        yield _insert_after(page, place, added), lines


def _add_waves(page: validating.DocumentPage, _facts: Mapping[str, str]) -> Proposals:
    section = validating.phases_section(page)
    if page.type != PLAN or page.has_waves or section is None:
        return
    plan = validating.read_plan(page.text)
    needs = _stated_needs(plan.phases if plan else [])
    if needs:
        yield _insert_after(page, section.line, ["", *wave_table(needs), ""]), [f"**{WAVES_LABEL}**"]


def _add_tags(page: validating.DocumentPage, _facts: Mapping[str, str]) -> Proposals:
    """The status of phases whose heading has none, where nothing of them has begun."""
    plan = validating.read_plan(page.text) if page.type == PLAN else None
    unmarked = [one for one in plan.phases if one.claim is None or not one.claim.is_explicit] if plan else []
    todo = {phase.first_line for phase in unmarked if phase.status is State.TODO}
    bare = [one for one in page.headings if validating.is_phase(one) and "[" not in one.text and one.line in todo]
    text, tag = page.text, f" [{marker(NOT_STARTED)}]"
    for heading in reversed(bare):
        at = heading.start + len(heading.text)
        text = text[:at] + tag + text[at:]
    if bare:
        yield text, [f"### {heading.text}{tag}" for heading in bare]


def _stated_needs(phases: Sequence[Phase]) -> list[list[int]]:
    """The phases that each phase waits for, by number; nothing where one does not say, or names a later one."""
    ids = [phase.id for phase in phases]
    if ids != [str(number) for number in range(1, len(ids) + 1)]:
        return []
    if not all(any(section.needs for section in phase.sections) for phase in phases):
        return []
    needs = [[int(name) for name in phase.depends_on] for phase in phases]
    return needs if all(other < number for number, names in enumerate(needs, 1) for other in names) else []
