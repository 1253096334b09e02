"""What may be added to a document to bring it into its format, and where: the best place first."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from planrail.base.records import record
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.plans.text.lines import split_lines
from planrail.tasks.documents.formats import FORMATS, PHASES_SECTION, WAVES_LABEL
from planrail.tasks.documents.plan_reading import read_plan
from planrail.tasks.documents.plan_waves import wave_table
from planrail.tasks.documents.texts import one_line
from planrail.tasks.documents.validating import PLACEHOLDER, Page, is_phase, missing_fields, section_of
from planrail.tasks.model import PLAN
from planrail.tasks.statuses import NOT_STARTED, marker

Finder = Callable[["Document", "Mapping[str, str]"], "Iterator[Addition]"]


@record
class Addition:
    """Something to put into a text at some offsets, and what it is called."""

    pieces: tuple[tuple[int, str], ...]
    what: tuple[str, ...]

    def apply(self, text: str) -> str:
        """The text with the pieces in it."""
        for at, piece in sorted(self.pieces, reverse=True):
            text = text[:at] + piece + text[at:]
        return text


@record
class Document:
    """A text that is to be repaired, its lines and what was read in it."""

    text: str
    type: str
    page: Page
    lines: Sequence[str]
    starts: Sequence[int]

    @property
    def newline(self) -> str:
        """How this text ends its lines."""
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


def open_document(text: str, type_: str, page: Page) -> Document:
    """A text with its lines."""
    return Document(text, type_, page, *split_lines(text))


def add_title(document: Document, facts: Mapping[str, str]) -> Iterator[Addition]:
    """A title at the top, behind the front matter."""
    if document.page.title is None:
        name, title = FORMATS[document.type].title, one_line(facts.get("Title", ""), 200)
        line = f"# {name}: {title}" if title else f"# {name}"
        yield document.insert_after(document.page.front_end, [line], [line])


def add_fields(document: Document, facts: Mapping[str, str]) -> Iterator[Addition]:
    """The missing fields: behind the last one that is there, before the first, behind the title, at the top."""
    page = document.page
    missing = missing_fields(page, FORMATS[document.type])
    if not missing:
        return
    lines = [f"- **{field}**: {one_line(facts.get(field, '')) or PLACEHOLDER}" for field in missing]
    known = sorted(field.line for field in page.fields.values())
    if known:
        yield document.insert_after(_block_end(document, known[-1]), lines, lines)
        yield document.insert_after(known[0] - 1, lines, lines)
    if page.title is not None:
        yield document.insert_after(page.title.line, lines, lines)
        yield document.insert_after(page.title.line + 1, ["", *lines], lines)
    yield document.insert_after(page.front_end, lines, lines)


def add_waves(document: Document, _facts: Mapping[str, str]) -> Iterator[Addition]:
    """The table of waves, where every phase says what it depends on."""
    section = section_of(document.page, PHASES_SECTION)
    if document.type != PLAN or document.page.has_waves or section is None:
        return
    plan = read_plan(document.text)
    needs = _stated_needs(plan.phases if plan else [])
    if needs:
        yield document.insert_after(section.line, ["", *wave_table(needs), ""], [f"**{WAVES_LABEL}**"])


def add_tags(document: Document, _facts: Mapping[str, str]) -> Iterator[Addition]:
    """The status of phases whose heading has none, where nothing of them has begun."""
    plan = read_plan(document.text) if document.type == PLAN else None
    if plan is None:
        return
    unmarked = [phase for phase in plan.phases if phase.claim is None or not phase.claim.is_explicit]
    todo = {phase.first_line for phase in unmarked if phase.status is State.TODO}
    bare = [heading for heading in document.page.headings if is_phase(heading) and "[" not in heading.text]
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
