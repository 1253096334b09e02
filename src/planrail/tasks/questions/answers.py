"""An answer by its schema: read, tidied, and what is wrong with one that does not keep to it.

Programs with a flag for schemas keep to them mostly, others by good will. What reaches a document is what stands here:
fields that nobody asked for are dropped, control characters and secrets do not get further.
"""

import json
from collections.abc import Callable, Mapping

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


def read_answer(structured: str, schema: schemas.Schema, *, phases: int = 0) -> Answer | Wrong:
    """The answer in a JSON text, by its schema; never an exception, whatever the text is.

    `phases` is how many phases the plan has so far, where the answer speaks of them.
    """
    if not structured.strip():
        return Wrong(("there was no answer by the schema",))
    if len(structured) > _LONGEST:
        return Wrong((f"the answer has {len(structured)} characters, which is too long",))
    try:
        value = json.loads(structured)
    except (ValueError, RecursionError):
        return Wrong(("the answer is no JSON",))
    return fit_answer(value, schema, phases=phases)


def fit_answer(value: object, schema: schemas.Schema, *, phases: int = 0) -> Answer | Wrong:
    """The same for a value; what is fitting already stays as it is."""
    problems: list[str] = []
    tidied = _fit(value, schema, "the answer", problems)
    if not problems:
        assert isinstance(tidied, dict)
        problems = _judge(tidied, schema, phases)
        if not problems:
            return tidied
    return Wrong(tuple(problems[:_MOST_PROBLEMS]))


def tidy_text(text: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()
    return mask(plain.translate(_CONTROLS)).strip()[:_LONGEST_TEXT]


def tidy_line(text: str) -> str:
    return " ".join(tidy_text(text).split())


# ---- the shape ----


def _fit(value: object, schema: schemas.Schema, where: str, problems: list[str]) -> object:
    kind = str(schema["type"])
    if kind in ("integer", "number"):
        return _fit_number(value, kind, where, problems)
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


def _fit_number(value: object, kind: str, where: str, problems: list[str]) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and -_GREATEST < value < _GREATEST:  # type: ignore[operator] # JSON knows Infinity and NaN here
        if kind == "number":
            return float(value)  # type: ignore[arg-type]
        if value == int(value):  # type: ignore[call-overload]
            return int(value)  # type: ignore[call-overload,no-any-return]
    problems.append(f"{where} is no {kind}")
    return 0


# ---- what a shape cannot say ----


def _judge(answer: dict[str, object], schema: schemas.Schema, phases: int) -> list[str]:
    if "memory_candidates" in answer:
        answer["memory_candidates"] = list(answer["memory_candidates"])[: schemas.MOST_MEMORIES]  # type: ignore[call-overload]
    for known, rule in _RULES:
        if known is schema:
            return rule(answer, phases)
    return [f"{name} is empty" for name in ("description",) if name in answer and not answer[name]]


def _judge_report(answer: Mapping[str, object], phases: int) -> list[str]:
    return [f"{name} is empty" for name in ("title", "summary", "findings", "recommendations") if not answer[name]]


def _judge_outline(answer: Mapping[str, object], phases: int) -> list[str]:
    found = objects_of(answer["phases"])
    problems = [f"{name} is empty" for name in ("title", "overview", "goals", "phases") if not answer[name]]
    if len(found) > schemas.MOST_PHASES:
        problems.append(
            f"there are {len(found)} phases; plan at most {schemas.MOST_PHASES}, or propose to split the task"
        )
    for number, phase in enumerate(found, 1):
        problems += _judge_head(phase, number, f"phases[{number}]")
    return problems


def _judge_phase(answer: Mapping[str, object], phases: int, where: str = "") -> list[str]:
    place = f"{where}." if where else ""
    problems = [f"{place}{name} is empty" for name in ("tasks", "criteria") if not answer[name]]
    for number, criterion in enumerate(objects_of(answer["criteria"]), 1):
        if not criterion["command"] and not criterion["text"]:
            problems.append(f"{place}criteria[{number}] says nothing")
    return problems


def _judge_critique(answer: Mapping[str, object], phases: int) -> list[str]:
    found = objects_of(answer["problems"])
    if answer["verdict"] == schemas.REVISE and not found:
        return ["the verdict is revise, and problems is empty"]
    return [
        f"problems[{number}].phase is {problem['phase']}; there are phases 1 to {phases}, and 0 for the whole"
        for number, problem in enumerate(found, 1)
        if not 0 <= int(str(problem["phase"])) <= phases
    ]


def _judge_revision(answer: Mapping[str, object], phases: int) -> list[str]:
    problems: list[str] = []
    last, seen = phases, set()
    for at, phase in enumerate(objects_of(answer["phases"]), 1):
        number, where = int(str(phase["number"])), f"phases[{at}]"
        if number in seen or not 1 <= number <= last + 1 or number > schemas.MOST_PHASES:
            problems.append(f"{where}.number is {number}; there are phases 1 to {last}, each once, and then the next")
            continue
        seen.add(number)
        last = max(last, number)
        problems += _judge_head(phase, number, where) + _judge_phase(phase, phases, where)
    return problems


def _judge_division(answer: Mapping[str, object], phases: int) -> list[str]:
    parts = answer["parts"]
    count = len(parts) if isinstance(parts, list) else 0
    return [] if schemas.FEWEST_PARTS <= count <= schemas.MOST_PARTS else [f"there are {count} parts, and not 2 to 5"]


def _judge_head(phase: Mapping[str, object], number: int, where: str) -> list[str]:
    before = phase["depends_on"]
    assert isinstance(before, list)
    problems = [f"{where}.{name} is empty" for name in ("title", "goal") if not phase[name]]
    if any(not 1 <= one < number for one in before):
        problems.append(f"{where}.depends_on names {before}; only earlier phases, from 1, can be waited for")
    return problems


def objects_of(value: object) -> list[dict[str, object]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


_RULES: tuple[tuple[schemas.Schema, Callable[[Mapping[str, object], int], list[str]]], ...] = (
    (schemas.REPORT, _judge_report),
    (schemas.OUTLINE, _judge_outline),
    (schemas.PHASE, _judge_phase),
    (schemas.CRITIQUE, _judge_critique),
    (schemas.REVISION, _judge_revision),
    (schemas.DIVISION, _judge_division),
)
