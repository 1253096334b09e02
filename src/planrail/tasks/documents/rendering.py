"""Reports and summaries from values: in the format by construction, whatever the texts in them are.

Texts from elsewhere say what they said, and cannot become the structure of a document.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from planrail.tasks.documents.formats import FORMATS, STANDARDS, Report
from planrail.tasks.documents.validating import validate
from planrail.tasks.model import REPORT, SUMMARY, Task
from planrail.tasks.statuses import COMPLETED, marker

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
