"""The JSON schemas of answers. Strict, as some agents' programs demand: each field required, no other allowed."""

import json

Schema = dict[str, object]


CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
MOST_MEMORIES = 3


def _object(**properties: object) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: object, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


_MEMORY = _object(
    content=_text("what others should know who work here next, in one or two sentences"),
    category={"type": "string", "enum": list(CATEGORIES)},
    confidence={"type": "number", "description": "0 to 1"},
    keywords=_list(_text("a word")),
)
_MEMORIES = _list(_MEMORY, f"0 to {MOST_MEMORIES} things worth remembering beyond this task; most often none")
_RISK = _object(risk=_text("what may go wrong"), mitigation=_text("what is done about it"))

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
