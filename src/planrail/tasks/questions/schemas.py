"""The JSON schemas of answers. Strict, as some agents' programs demand: each field required, no other allowed."""

import json

Schema = dict[str, object]


CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
PASS, REVISE = "pass", "revise"
MOST_PHASES = 30
MOST_MEMORIES = 3


def _object(**properties: object) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: object, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _number(description: str) -> Schema:
    return {"type": "integer", "description": description}


_MEMORY = _object(
    content=_text("what others should know who work here next, in one or two sentences"),
    category={"type": "string", "enum": list(CATEGORIES)},
    confidence={"type": "number", "description": "0 to 1"},
    keywords=_list(_text("a word")),
)
_MEMORIES = _list(_MEMORY, f"0 to {MOST_MEMORIES} things worth remembering beyond this task; most often none")
_RISK = _object(risk=_text("what may go wrong"), mitigation=_text("what is done about it"))
_CRITERION = _object(
    command=_text("one line for a shell in the project's root, which fails where this is not so; else empty"),
    text=_text("what has to be so"),
)
_DETAILS = {
    "tasks": _list(_text("one thing to do, with the files it is about"), "the work of this phase, in order"),
    "timing": _text("such as 1 hour"),
    "criteria": _list(_CRITERION, "how anybody can tell that the phase is done; at least one"),
    "files": _list(_text("a path that is changed or made")),
}
_HEAD = {
    "title": _text("what the phase does, in a few words"),
    "goal": _text("what is so when it is done"),
    "depends_on": _list(_number("the number of an earlier phase, from 1"), "empty: it can begin at once"),
}

REPORT: Schema = _object(
    title=_text("what was researched, in a few words"),
    summary=_list(_text("one line"), "the 3 to 6 most important results"),
    context=_text("what was looked at, and within which limits"),
    findings=_list(
        _object(title=_text("a few words"), text=_text("what is so, with the place as FILE:LINE where there is one"))
    ),
    decisions=_list(_text("what was decided, and why")),
    recommendations=_list(_text("what to do, the most important first")),
    risks=_list(_RISK),
    sources=_list(_text("a file, a command or an address that was looked at")),
    memory_candidates=_MEMORIES,
)
OUTLINE: Schema = _object(
    title=_text("what the plan is for, in a few words"),
    overview=_text("2 to 4 sentences: the problem, the scope, the limits, when it is done"),
    goals=_list(_text("a goal")),
    non_goals=_list(_text("what is left out")),
    risks=_list(_RISK),
    phases=_list(_object(**_HEAD), "in the order in which they are numbered, from 1; each 1 to 2 hours of work"),
    testing=_list(_text("a test to run at the end")),
    outputs=_list(_text("a file or another result")),
    rollback=_text("what to do if it has to be taken back"),
    effort=_text("of the whole, such as 4 hours"),
    roadmap_items=_list(_text("an open item of the roadmap, word for word, that this task completes; most often none")),
)
PHASE: Schema = _object(**_DETAILS)
CRITIQUE: Schema = _object(
    verdict={"type": "string", "enum": [PASS, REVISE]},
    problems=_list(
        _object(phase=_number("number of the phase; 0: the plan as a whole"), text=_text("what is wrong, and where"))
    ),
    summary=_text("one or two sentences"),
)
REVISION: Schema = _object(
    overview=_text("the overview as it is to be now; empty: as it was"),
    goals=_list(_text("a goal"), "all of them as they are to be now; empty: as they were"),
    non_goals=_list(_text("what is left out"), "empty: as they were"),
    risks=_list(_RISK, "empty: as they were"),
    phases=_list(
        _object(number=_number("of the phase; the next free one: a further phase"), **_HEAD, **_DETAILS),
        "each phase that changes, whole",
    ),
    answers=_list(_object(problem=_text("a few words"), text=_text("what was done about it, or why nothing is"))),
    memory_candidates=_MEMORIES,
)
DESCRIPTION: Schema = _object(
    description=_text("the description of the task as it is to be now, whole"),
    changes=_list(_text("what changed, in a few words")),
)
DIVISION: Schema = _object(
    parts=_list(_text("a smaller task: what is to be done, in one or two sentences"), "2 to 5, in their order"),
    why=_text("one sentence"),
)
FEWEST_PARTS, MOST_PARTS = 2, 5


def write_schema(schema: Schema) -> str:
    return json.dumps(schema, ensure_ascii=True)
