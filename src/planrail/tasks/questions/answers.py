"""An answer by its schema: read, tidied, and what is wrong with one that does not keep to it.

Programs with a flag for schemas keep to them mostly, others by good will. What reaches a document is what stands here:
fields that nobody asked for are dropped, control characters and secrets do not get further.
"""

import json

from planrail.base.masking import mask
from planrail.base.records import record
from planrail.tasks.questions import schemas
from planrail.tasks.questions.model import Answer

_LONGEST = 2_000_000  # characters of an answer
_LONGEST_TEXT = 20_000  # of one field
_MOST_ENTRIES = 200  # of one list
_MOST_PROBLEMS = 12
_GREATEST = 1_000_000  # no number that is asked for is greater
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), "")
_TYPES = {"string": str, "array": list, "object": dict, "boolean": bool}


@record
class Wrong:
    problems: tuple[str, ...]


def read_answer(structured: str, schema: schemas.Schema) -> Answer | Wrong:
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


def fit_answer(value: object, schema: schemas.Schema) -> Answer | Wrong:
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
    """A text without control characters and secrets."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    return mask(plain.translate(_CONTROLS))


def tidy_text(text: str) -> str:
    return tidy_page(text).strip()[:_LONGEST_TEXT]


def tidy_line(text: str) -> str:
    return " ".join(tidy_text(text).split())


# ---- the shape ----


def _fit(value: object, schema: schemas.Schema, where: str, problems: list[str]) -> object:
    kind = str(schema["type"])
    if kind == "number":
        return _fit_number(value, where, problems)
    if not isinstance(value, _TYPES[kind]):
        problems.append(f"{where} is no {kind}")
        return None
    if isinstance(value, dict):
        return _fit_object(value, schema, where, problems)
    if isinstance(value, list):
        return _fit_list(value, schema, where, problems)
    return _fit_text(value, schema, where, problems) if isinstance(value, str) else value


def _fit_object(value: dict[str, object], schema: schemas.Schema, where: str, problems: list[str]) -> dict[str, object]:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    missing = [name for name in properties if name not in value]
    problems += [f"{where} has no {name}" for name in missing]
    return {
        name: _fit(value[name], part, name if where == "the answer" else f"{where}.{name}", problems)
        for name, part in properties.items()
        if name in value
    }


def _fit_list(value: list[object], schema: schemas.Schema, where: str, problems: list[str]) -> list[object]:
    items = schema["items"]
    assert isinstance(items, dict)
    if len(value) > _MOST_ENTRIES:
        problems.append(f"{where} has {len(value)} entries, which is too many")
        return []
    fitted = [_fit(entry, items, f"{where}[{number}]", problems) for number, entry in enumerate(value, 1)]
    return [entry for entry in fitted if entry != ""]  # an empty line of a list says nothing


def _fit_text(value: str, schema: schemas.Schema, where: str, problems: list[str]) -> str:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        problems.append(f"{where} is {value[:40]!r}, and not one of {', '.join(allowed)}")
    return tidy_text(value)


def _fit_number(value: object, where: str, problems: list[str]) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and -_GREATEST < value < _GREATEST:  # type: ignore[operator] # JSON knows Infinity and NaN here
        return float(value)  # type: ignore[arg-type]
    problems.append(f"{where} is no number")
    return 0


# ---- what a shape cannot say ----

_FILLED = ("title", "summary", "findings", "recommendations", "description")


def _judge(answer: dict[str, object], schema: schemas.Schema) -> list[str]:
    if "memory_candidates" in answer:
        answer["memory_candidates"] = list(answer["memory_candidates"])[: schemas.MOST_MEMORIES]  # type: ignore[call-overload]
    if schema is schemas.DIVISION:
        parts = answer["parts"]
        count = len(parts) if isinstance(parts, list) else 0
        is_good = schemas.FEWEST_PARTS <= count <= schemas.MOST_PARTS
        return [] if is_good else [f"there are {count} parts, and not 2 to 5"]
    return [f"{name} is empty" for name in _FILLED if name in answer and not answer[name]]


def objects_of(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
