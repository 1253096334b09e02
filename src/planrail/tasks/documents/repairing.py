"""Bring a document into its format by adding what is missing. Nothing that was there is changed or lost.

Every addition is tried before it is kept: the document is judged again, and one that does not help, or changes how
something else is read, is not made. So a repair of what was repaired changes nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from planrail.base.records import record
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.plans.text.lines import split_lines
from planrail.tasks.documents import validating
from planrail.tasks.documents.formats import FORMATS, PHASES_SECTION, WAVES_LABEL, wave_table
from planrail.tasks.documents.texts import common_fields, one_line
from planrail.tasks.model import PLAN, SUMMARY, Task
from planrail.tasks.statuses import NOT_STARTED, marker

Finder = Callable[["Document", "Mapping[str, str]"], "Iterator[Addition]"]


@record
class Addition:
    """Something to put into a text at some offsets, and what it is called."""

    pieces: tuple[tuple[int, str], ...]
    what: tuple[str, ...]

    def apply(self, text: str) -> str:
        for at, piece in sorted(self.pieces, reverse=True):
            text = text[:at] + piece + text[at:]
        return text


@record
class Document:
    """A text that is to be repaired, its lines and what was read in it."""

    text: str
    type: str
    page: validating.Page
    lines: Sequence[str]
    starts: Sequence[int]

    @property
    def newline(self) -> str:
        return next((end for end in ("\r\n", "\n", "\r") if end in self.text), "\n")

    def insert_after(self, line: int, added: Sequence[str], what: Sequence[str]) -> Addition:
        """Lines behind a line, 0 for the top of the text; a blank line keeps them apart from a paragraph below."""
        end = self.newline
        body = end.join(added) + end
        if line >= len(self.lines):
            return Addition(((len(self.text), end + body),), tuple(what))
        following = self.lines[line]
        at = self.starts[line] + (1 if not line and self.text.startswith("\ufeff") else 0)
        is_apart = not following.strip() or following.lstrip("\ufeff").startswith(("#", "- "))
        return Addition(((at, body if is_apart else body + end),), tuple(what))


@record
class Repaired:
    text: str
    changes: tuple[str, ...]
    left: tuple[validating.Problem, ...]


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
    return Repaired(text, tuple(changes), tuple(validating.validate(text, type_)))


def facts_of(task: Task, type_: str, path: str = "") -> dict[str, str]:
    facts = {**common_fields(task, type_, [path] if path else []), "Title": task.title, "Effort": task.effort}
    if type_ == PLAN:
        facts |= {"Status": f"[{marker(NOT_STARTED)}]", "Type": "markdown"}
    elif type_ == SUMMARY:
        facts["Status"] = f"[{marker(task.status)}]"
    return facts


def _first_that_helps(text: str, type_: str, find: Finder, facts: Mapping[str, str]) -> Addition | None:
    page = validating.read_page(text, type_)
    if page is None:
        return None  # it is empty, or cannot be read
    candidates = find(open_document(text, type_, page), facts)
    return next((addition for addition in candidates if _helps(text, addition.apply(text), type_)), None)


def _helps(before: str, after: str, type_: str) -> bool:
    """Whether a document says more of what its format asks for, and nothing else of it is read differently."""
    old, new = (
        {
            problem.message
            for problem in validating.validate(text, type_)
            if validating.PLACEHOLDER not in problem.message
        }
        for text in (before, after)
    )
    return len(new) < len(old) and new <= old and (type_ != PLAN or _phases(before) == _phases(after))


def _phases(text: str) -> object:
    plan = validating.read_plan(text)
    if plan is None:
        return None
    return [(phase.id, phase.title, phase.status, phase.depends_on, len(phase.items)) for phase in plan.phases]


def open_document(text: str, type_: str, page: validating.Page) -> Document:
    return Document(text, type_, page, *split_lines(text))


def add_title(document: Document, facts: Mapping[str, str]) -> Iterator[Addition]:
    if document.page.title is None:
        name, title = FORMATS[document.type].title, one_line(facts.get("Title", ""), 200)
        line = f"# {name}: {title}" if title else f"# {name}"
        yield document.insert_after(document.page.front_end, [line], [line])


def add_fields(document: Document, facts: Mapping[str, str]) -> Iterator[Addition]:
    """The missing fields: behind the last one that is there, before the first, behind the title, at the top."""
    page = document.page
    missing = validating.missing_fields(page, FORMATS[document.type])
    if not missing:
        return
    lines = [f"- **{field}**: {one_line(facts.get(field, '')) or validating.PLACEHOLDER}" for field in missing]
    known = sorted(field.line for field in page.fields.values())
    if known:
        yield document.insert_after(_block_end(document, known[-1]), lines, lines)
        yield document.insert_after(known[0] - 1, lines, lines)
    if page.title is not None:
        yield document.insert_after(page.title.line, lines, lines)
        yield document.insert_after(page.title.line + 1, ["", *lines], lines)
    yield document.insert_after(page.front_end, lines, lines)


def add_waves(document: Document, _facts: Mapping[str, str]) -> Iterator[Addition]:
    section = validating.section_of(document.page, PHASES_SECTION)
    if document.type != PLAN or document.page.has_waves or section is None:
        return
    plan = validating.read_plan(document.text)
    needs = _stated_needs(plan.phases if plan else [])
    if needs:
        yield document.insert_after(section.line, ["", *wave_table(needs), ""], [f"**{WAVES_LABEL}**"])


def add_tags(document: Document, _facts: Mapping[str, str]) -> Iterator[Addition]:
    """The status of phases whose heading has none, where nothing of them has begun."""
    plan = validating.read_plan(document.text) if document.type == PLAN else None
    if plan is None:
        return
    unmarked = [phase for phase in plan.phases if phase.claim is None or not phase.claim.is_explicit]
    todo = {phase.first_line for phase in unmarked if phase.status is State.TODO}
    bare = [heading for heading in document.page.headings if validating.is_phase(heading) and "[" not in heading.text]
    tag = f" [{marker(NOT_STARTED)}]"
    pieces = [(heading.start + len(heading.text), tag) for heading in bare if heading.line in todo]
    if pieces:
        what = [f"### {heading.text}{tag}" for heading in bare if heading.line in todo]
        yield Addition(tuple(pieces), tuple(what))


STEPS: tuple[Finder, ...] = (add_title, add_fields, add_waves, add_tags)


def _block_end(document: Document, line: int) -> int:
    """The last line of an entry: what is indented under it belongs to it."""
    while line < len(document.lines) and document.lines[line][:1] in (" ", "\t") and document.lines[line].strip():
        line += 1
    return line


def _stated_needs(phases: Sequence[Phase]) -> list[list[int]]:
    """The phases that each phase waits for, by number; nothing where one does not say, or names a later one."""
    ids = [phase.id for phase in phases]
    if ids != [str(number) for number in range(1, len(ids) + 1)]:
        return []
    if not all(any(section.needs for section in phase.sections) for phase in phases):
        return []
    needs = [[int(name) for name in phase.depends_on] for phase in phases]
    return needs if all(other < number for number, names in enumerate(needs, 1) for other in names) else []
