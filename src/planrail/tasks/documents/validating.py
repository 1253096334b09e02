"""Is a document of a task in its format? Every problem is found in one reading, and says where it is."""

from collections.abc import Iterator

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record
from planrail.base.settings import SMALL_SECTIONS
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.blocks import Block, Fence, Heading, Item, Table, Text, split_lines
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.tasks.documents.formats import FORMATS, PHASES_SECTIONS, WAVES_LABEL
from planrail.tasks.model import PLAN

ERROR, WARNING = "error", "warning"
PLACEHOLDER = "TBD"
_BLANK = "\ufeff \t\r\n"


@record
class DocumentProblem:
    """Something that the format asks for and the document lacks. `line` is 1 where nothing stands for it."""

    severity: str
    message: str
    line: int = 1


@record
class DocumentPage:
    """A document, in what its format asks for. `fields` are those at its top: value and line by name, folded."""

    text: str
    type: str
    title: Heading | None
    headings: list[Heading]
    fields: dict[str, tuple[str, int]]
    has_waves: bool
    front_end: int  # the last line of the front matter; 0 where there is none
    open_fence: int  # the line of a code block that is never closed; 0 where there is none

    @property
    def missing(self) -> list[str]:
        return [field for field in FORMATS[self.type].metadata if field.lower() not in self.fields]


def validate(text: str, type_: str, *, strict: bool = False) -> list[DocumentProblem]:
    """What is wrong with a document of a type of `FORMATS`. With `strict`, what is only advisable is an error too."""
    problems = list(_problems(text, type_))
    return [DocumentProblem(ERROR, found.message, found.line) for found in problems] if strict else problems


def has_errors(problems: list[DocumentProblem]) -> bool:
    return any(problem.severity == ERROR for problem in problems)


def _problems(text: str, type_: str) -> Iterator[DocumentProblem]:
    page, form = read_page(text, type_), FORMATS[type_]
    if page is None:
        is_empty = not text.strip(_BLANK)
        yield DocumentProblem(ERROR, "the file is empty" if is_empty else "the file is no text that planrail can read")
        return
    if page.title is None:
        yield DocumentProblem(ERROR, "there is no title: a heading of level 1")
    for name in page.missing:
        yield DocumentProblem(ERROR, f"the field **{name}**: is missing")
    for name in form.metadata:
        value, line = page.fields.get(name.lower(), ("", 0))
        if value == PLACEHOLDER:
            yield DocumentProblem(WARNING, f"the field **{name}**: says {PLACEHOLDER}", line)
    is_small = type_ == PLAN and sum(map(is_phase, page.headings)) == 1
    forms = [names for names in (form.sections, form.others, SMALL_SECTIONS if is_small else ()) if names]
    lacking = ([name for name in names if section_of(page, name) is None] for names in forms)
    for section in min(lacking, key=len):  # by the form of which least is missing
        yield DocumentProblem(ERROR, f"the section ## {section} is missing")
    if page.open_fence:
        yield DocumentProblem(WARNING, "a code block is never closed, so nothing behind it is read", page.open_fence)
    if type_ == PLAN:
        yield from _plan_problems(page)


def _plan_problems(page: DocumentPage) -> Iterator[DocumentProblem]:
    section = phases_section(page)
    line = section.line if section else 1
    phases = [heading for heading in page.headings if is_phase(heading)]
    if not phases:
        yield DocumentProblem(ERROR, "there is no phase: a heading ### Phase N: NAME [STATUS]", line)
    if not page.has_waves:
        yield DocumentProblem(WARNING, f"the table **{WAVES_LABEL}** is missing", line)
    for heading in phases:
        if "[" not in heading.text:
            yield DocumentProblem(WARNING, f"a phase has no status: {heading.text[:60]}", heading.line)


def read_page(text: str, type_: str) -> DocumentPage | None:
    """The parts of a document, less what is quoted, code or a comment; None where it is empty or no text."""
    try:
        front, blocks = scan(text)
    except UnreadablePlan:
        return None
    if not text.strip(_BLANK):
        return None
    headings = [block for block in blocks if isinstance(block, Heading)]
    title = next((heading for heading in headings if heading.level == 1 and heading.text.strip()), None)
    cells = (cell.text for block in blocks if isinstance(block, Table) for cell in block.header)
    texts = (block.text for block in blocks if isinstance(block, Heading | Item | Text))
    has_waves = any(WAVES_LABEL.lower() in part.lower() for part in (*texts, *cells))
    sections = (*FORMATS[type_].sections, *FORMATS[type_].others)
    first = next((heading.line for heading in headings if any(_names(heading, one) for one in sections)), None)
    fields: dict[str, tuple[str, int]] = {}
    for block in blocks:
        if isinstance(block, Item | Text) and (first is None or block.line < first):
            name, value = _field_of(block.text)
            if name is not None:
                fields.setdefault(name, (value, block.line))
    front_end, open_fence = front.end_line if front else 0, _open_fence(text, blocks)
    return DocumentPage(text, type_, title, headings, fields, has_waves, front_end, open_fence)


def _open_fence(text: str, blocks: list[Block]) -> int:
    fences = [block for block in blocks if isinstance(block, Fence)]
    lines = split_lines(text)[0]
    if not fences or fences[-1].end_line < len(lines):
        return 0
    last = lines[-1].strip()
    is_closed = fences[-1].line < len(lines) and last[:3] in ("```", "~~~") and not last.strip(last[0])
    return 0 if is_closed else fences[-1].line


def section_of(page: DocumentPage, name: str) -> Heading | None:
    return next((heading for heading in page.headings if _names(heading, name)), None)


def phases_section(page: DocumentPage) -> Heading | None:
    return next((found for name in PHASES_SECTIONS if (found := section_of(page, name)) is not None), None)


def is_phase(heading: Heading) -> bool:
    """Whether a heading is that of a phase: `### Phase 3: name [STATUS]`."""
    word, _, rest = heading.text.partition(" ")
    return heading.level == 3 and word.lower() == "phase" and rest.lstrip()[:1].isdecimal()


def _names(heading: Heading, name: str) -> bool:
    text = " ".join(heading.text.split()).lower()
    following = text[len(name) : len(name) + 1]
    return heading.level > 1 and text.startswith(name.lower()) and not (following.isalnum() or following == "_")


def _field_of(text: str) -> tuple[str | None, str]:
    """The field that a line states, `**Task**: 7` or `**Task:** 7`: its name, None where it states none, and value."""
    name, found, rest = text.removeprefix("**").partition("**")
    rest = rest.lstrip()
    if not text.startswith("**") or not found or not (rest.startswith(":") or name.endswith(":")):
        return None, ""
    return name.rstrip(": ").lower(), rest.removeprefix(":").strip()


def read_plan(text: str) -> Plan | None:
    try:
        return read(PlanSource("plan.md", text))
    except UnreadablePlan:
        return None
