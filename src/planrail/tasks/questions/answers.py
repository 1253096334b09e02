"""An answer by its schema: read, tidied, what is wrong with one that does not keep to it, and what is kept of it.

Programs with a flag for schemas keep to them mostly, others by good will. What reaches a document is what stands here:
fields that nobody asked for are dropped, control characters and secrets do not get further.
"""

import json
from collections.abc import Mapping

from planrail.base.json_reading import objects_in
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.tasks.documents.formats import Report
from planrail.tasks.questions.model import DIVISION, FEWEST_PARTS, MOST_MEMORIES, MOST_PARTS, Answer, Answers, Schema

_LONGEST = 2_000_000  # characters of an answer
_LONGEST_TEXT = 20_000  # of one field
_MOST_ENTRIES = 200  # of one list
_MOST_PROBLEMS = 12
_GREATEST = 1_000_000  # no number that is asked for is greater
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), "")
_TYPES: dict[str, type] = {"string": str, "array": list, "object": dict}
_FILLED = ("title", "summary", "findings", "recommendations", "description")


@record
class Wrong:
    problems: tuple[str, ...]


def read_answer(structured: str, schema: Schema) -> Answer | Wrong:
    """The answer in a JSON text, by its schema; never an exception, whatever the text is."""
    if not structured.strip():
        return Wrong(("there was no answer by the schema",))
    if len(structured) > _LONGEST:
        return Wrong((f"the answer has {len(structured)} characters, which is too long",))
    try:
        value = json.loads(structured)
    except (ValueError, RecursionError):
        return Wrong(("the answer is no JSON",))
    return fit_answer(value, schema)


def fit_answer(value: object, schema: Schema) -> Answer | Wrong:
    """The same for a value; what is fitting already stays as it is."""
    problems: list[str] = []
    tidied = _fit(value, schema, "the answer", problems)
    if not problems:
        assert isinstance(tidied, dict)
        problems = _judge(tidied, schema)
        if not problems:
            return tidied
    return Wrong(tuple(problems[:_MOST_PROBLEMS]))


def tidy_page(text: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    return mask(plain.translate(_CONTROLS))


def tidy_text(text: str) -> str:
    return tidy_page(text).strip()[:_LONGEST_TEXT]


def tidy_line(text: str) -> str:
    return " ".join(tidy_text(text).split())


def _fit(value: object, schema: Schema, where: str, problems: list[str]) -> object:
    kind, parts = str(schema["type"]), schema.get("properties")
    if kind == "number":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and -_GREATEST < value < _GREATEST:  # type: ignore[operator] # JSON knows Infinity and NaN here
            return float(value)  # type: ignore[arg-type]
        problems.append(f"{where} is no number")
    elif not isinstance(value, _TYPES[kind]):
        problems.append(f"{where} is no {kind}")
    elif isinstance(value, dict) and isinstance(parts, dict):
        problems += [f"{where} has no {name}" for name in parts if name not in value]
        inside = "" if where == "the answer" else f"{where}."
        return {
            name: _fit(value[name], part, f"{inside}{name}", problems) for name, part in parts.items() if name in value
        }
    elif isinstance(value, list):
        return _fit_list(value, schema["items"], where, problems)  # type: ignore[arg-type] # of a list
    elif isinstance(value, str):
        allowed = schema.get("enum")
        if isinstance(allowed, list) and value not in allowed:
            problems.append(f"{where} is {value[:40]!r}, and not one of {', '.join(allowed)}")
        return tidy_text(value)
    return None


def _fit_list(value: list[object], items: Schema, where: str, problems: list[str]) -> list[object]:
    if len(value) > _MOST_ENTRIES:
        problems.append(f"{where} has {len(value)} entries, which is too many")
        return []
    fitted = [_fit(entry, items, f"{where}[{number}]", problems) for number, entry in enumerate(value, 1)]
    return [entry for entry in fitted if entry != ""]  # an empty line of a list says nothing


def _judge(answer: dict[str, object], schema: Schema) -> list[str]:
    """What a shape cannot say."""
    if "memory_candidates" in answer:
        answer["memory_candidates"] = objects_in(answer, "memory_candidates")[:MOST_MEMORIES]
    if schema is DIVISION:
        parts = answer["parts"]
        count = len(parts) if isinstance(parts, list) else 0
        return [] if FEWEST_PARTS <= count <= MOST_PARTS else [f"there are {count} parts, and not 2 to 5"]
    return [f"{name} is empty" for name in _FILLED if name in answer and not answer[name]]


# ---- what is kept of answers ----


def assemble_report(answer: Answer, *, started: str = "", completed: str = "") -> Report:
    return Report(
        title=tidy_line(str(answer["title"])),
        executive_summary=_lines(answer["summary"]),
        context=str(answer["context"]),
        findings=_pairs(answer, "findings", "title", "text"),
        decisions=_lines(answer["decisions"]),
        recommendations=_lines(answer["recommendations"]),
        sources=_lines(answer["sources"]),
        risks=_pairs(answer, "risks", "risk", "mitigation"),
        started=started,
        completed=completed,
    )


def memories_of(answers: Answers) -> list[Mapping[str, object]]:
    """What the agents found worth remembering, each once; of a research by several what their one report says."""
    names = ["synthesis"] if "synthesis" in answers else list(answers)
    found = [entry for name in names for entry in objects_in(answers[name], "memory_candidates")]
    return list({str(entry["content"]): entry for entry in found if entry["content"]}.values())


def _lines(value: object) -> tuple[str, ...]:
    entries = value if isinstance(value, list) else ()
    return tuple(line for entry in entries if (line := tidy_line(str(entry))))


def _pairs(answer: Answer, name: str, first: str, second: str) -> tuple[tuple[str, str], ...]:
    found = objects_in(answer, name)
    return tuple((str(one[first]), str(one[second])) for one in found if one[first] or one[second])
