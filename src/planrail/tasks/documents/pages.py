"""A document from its parts: a title, fields, sections. What every type of document is written with."""

from collections.abc import Iterable, Mapping, Sequence

from planrail.tasks.documents.formats import FORMATS, STANDARDS
from planrail.tasks.documents.texts import one_line, plain_words
from planrail.tasks.model import Task

NOTHING = "None."


def write_page(type_: str, title: str, fields: Mapping[str, str], sections: Mapping[str, Sequence[str]]) -> str:
    """A document of a type. `sections` are the lines under each heading; an empty one says so."""
    form = FORMATS[type_]
    lines = [f"# {form.title}: {title}"]
    lines += [f"- **{field}**: {fields.get(field) or 'None'}" for field in form.metadata]
    for name, body in sections.items():
        lines += ["", f"## {name}", "", *(body or [NOTHING])]
    return "\n".join(lines) + "\n"


def common_fields(task: Task, type_: str, artifacts: Iterable[str]) -> dict[str, str]:
    """The fields that every document has: which task, which documents, which format."""
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
    """A list of pairs, each on one line: a risk and its mitigation."""
    lines = []
    for left, right in entries:
        texts = [(first, one_line(left)), (second, one_line(right))]
        line = " ".join(f"**{name}:** {text}" for name, text in texts if text)
        lines += [f"- {line}"] if line else []
    return lines
