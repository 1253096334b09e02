"""Reports and summaries from values: in the format by construction, whatever the texts in them are. Bring a document
into its format by adding what is missing. Nothing that was there is changed or lost.

Texts from elsewhere say what they said, and cannot become the structure of a document.

Every addition is tried before it is kept: the document is judged again, and one that does not help, or changes how
something else is read, is not made. So a repair of what was repaired changes nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from planrail.base.records import record
from planrail.plans.model import Phase
from planrail.plans.states import State
from planrail.plans.text.blocks import split_lines
from planrail.tasks.documents import validating
from planrail.tasks.documents.formats import FORMATS, STANDARDS, WAVES_LABEL, Report, wave_table
from planrail.tasks.documents.validating import validate
from planrail.tasks.model import PLAN, REPORT, SUMMARY, Task
from planrail.tasks.statuses import COMPLETED, NOT_STARTED, marker

NOTHING = "None."
LONGEST_LINE = 2_000  # characters of one entry of a list
LONGEST_PROSE = 60_000
_WIDEST = 4_000  # characters of one line of prose; the scanner refuses lines of 256 thousand
_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff]"
)
_BLANKS = re.compile(r"\s+")
_NEWLINE = re.compile("\r\n|\r|\u2028|\u2029|\x85|\x0b|\x0c")
_HEADING = re.compile(r"^(?P<indent>[ \t]*)(?P<signs>#{1,6})(?=[ \t]|$)[ \t]*(?P<text>.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$")
_NOT_PLAIN = re.compile(r"[^\w\s.,;!?'\"/+=@%&-]")
_UNDERLINE = re.compile(r"^[ \t]*(=+|-+)[ \t]*$")


def render_report(task: Task, report: Report, path: str = "") -> str:
    """A research report. `path` is where it will lie; its texts cannot end a section or hide what follows."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **common_fields(task, REPORT, [path] if path else []),
            "Started": one_line(report.started),
            "Completed": one_line(report.completed),
            "Effort": one_line(report.effort) or one_line(task.effort),
            "Sources/Inputs": ", ".join(filter(None, map(one_line, report.sources))),
        }
        sections = {
            "Executive Summary": bullets(report.executive_summary),
            "Context & Scope": body(report.context),
            "Findings": _findings(report, body),
            "Decisions": bullets(report.decisions),
            "Recommendations": bullets(report.recommendations),
            "Risks & Mitigations": pairs(report.risks, "Risk", "Mitigation"),
            "Appendix": body(report.appendix),
        }
        return write_page(REPORT, safe_title(report.title, task.title), fields, sections)

    return _whole(REPORT, write)


def render_summary(
    task: Task, sections: Mapping[str, Sequence[str]], artifacts: Iterable[str] = (), *times: str
) -> str:
    """A summary of a completed task. `sections` are entries by heading; `times` when it was started and completed."""

    def write(body: Callable[[str], list[str]]) -> str:
        fields = {
            **common_fields(task, SUMMARY, artifacts),
            "Status": f"[{marker(COMPLETED)}]",
            **dict(zip(("Started", "Completed"), map(one_line, times), strict=False)),
        }
        entries = {name: bullets(sections.get(name, ())) for name in FORMATS[SUMMARY].sections}
        overview = body("\n".join(sections.get("Overview", ())))
        title = safe_title(task.title, task.title)
        return write_page(SUMMARY, title, fields, {**entries, "Overview": overview})

    return _whole(SUMMARY, write)


def _findings(report: Report, body: Callable[[str], list[str]]) -> list[str]:
    lines: list[str] = []
    for title, text in report.findings:
        name = plain_words(title)
        part = [*([f"### {name}", ""] if name else []), *body(text)]
        lines += ["", *part] if lines else part
    return lines


def _whole(type_: str, write: Callable[[Callable[[str], list[str]]], str]) -> str:
    """The document with its prose as Markdown, or as quotations where that would break its form."""
    text = write(prose)
    return write(quoted) if validate(text, type_) else text


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A text on one line, without controls; clipped where it is too long for an entry."""
    flat = _BLANKS.sub(" ", _CONTROLS.sub(" ", text)).strip()
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"


def plain_words(text: str) -> str:
    """A text on one line in letters, digits and harmless signs: nothing in it is Markdown."""
    return one_line(_NOT_PLAIN.sub(" ", one_line(text)).replace("_", " ")).strip("-+=.,;!?'\"/@%& ")


def prose(text: str) -> list[str]:
    """The lines of a text as a part of a section: its headings are bold lines, its fences are closed."""
    lines, fence = [], ""
    for line in _lines_of(text):
        match = _FENCE.match(line)
        if match and not fence and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
        elif match and fence and match[1].startswith(fence) and not match[2].strip():
            fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            line = f"**{heading['text']}**" if heading["text"].strip("*# ") else ""
        elif not fence:
            line = "" if _UNDERLINE.match(line) else line.replace("<!--", "&lt;!--")
        lines.append(line)
    return [*lines, fence] if fence else lines


def quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in _lines_of(text)]


def bullets(entries: Iterable[str]) -> list[str]:
    lines = [f"- {text}" for entry in entries if (text := one_line(entry))]
    return lines or [NOTHING]


def _lines_of(text: str) -> list[str]:
    clipped = text if len(text) <= LONGEST_PROSE else text[: LONGEST_PROSE - 1] + "…"
    lines = [_CONTROLS.sub("", line).rstrip() for line in _NEWLINE.sub("\n", clipped).split("\n")]
    filled = [at for at, line in enumerate(lines) if line.strip()]
    kept = lines[filled[0] : filled[-1] + 1] if filled else []
    return [
        part for line in kept for part in ([line[at : at + _WIDEST] for at in range(0, len(line), _WIDEST)] or [""])
    ]


def write_page(type_: str, title: str, fields: Mapping[str, str], sections: Mapping[str, Sequence[str]]) -> str:
    """A document of a type. `sections` are the lines under each heading; an empty one says so."""
    form = FORMATS[type_]
    lines = [f"# {form.title}: {title}"]
    lines += [f"- **{field}**: {fields.get(field) or 'None'}" for field in form.metadata]
    for name, body in sections.items():
        lines += ["", f"## {name}", "", *(body or [NOTHING])]
    return "\n".join(lines) + "\n"


def common_fields(task: Task, type_: str, artifacts: Iterable[str]) -> dict[str, str]:
    numbers = ", ".join(f"Task {number}" for number in task.dependencies)
    return {
        "Task": f"{task.number} - {safe_title(task.title, task.name)}",
        "Dependencies": numbers or "None",
        "Artifacts": ", ".join(one_line(path) for path in artifacts) or "None",
        "Standards": STANDARDS[type_],
    }


def safe_title(title: str, otherwise: str) -> str:
    """A title on one line, whatever was given; `otherwise` where nothing is left of it."""
    return one_line(title, 200) or plain_words(otherwise) or "untitled"


def pairs(entries: Iterable[tuple[str, str]], first: str, second: str) -> list[str]:
    lines = []
    for left, right in entries:
        texts = [(first, one_line(left)), (second, one_line(right))]
        line = " ".join(f"**{name}:** {text}" for name, text in texts if text)
        lines += [f"- {line}"] if line else []
    return lines


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
