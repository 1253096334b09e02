"""A task as an entry of `specs/state.json`, and back. What planrail has no field for is kept, and written again."""

from collections.abc import Callable, Iterable, Mapping

from planrail.base.decoding import decode, encode
from planrail.tasks.model import PLAN, REPORT, SUMMARY, Artifact, Task

quote: Callable[[str], str]
try:
    from _json import encode_basestring as quote
except ImportError:  # not CPython
    from json.encoder import encode_basestring as quote
_WORDS = {None: "null", True: "true", False: "false"}
MARGIN = "    "  # of an entry in the list of state.json
ARTIFACTS, OTHER_NEEDS = "artifacts", "other_dependencies"  # in `extra`: further fields by path; what is no number
# The field of an entry for each text of a task, in the order of the file.
_FIRST = {"project_name": "name", "status": "status", "task_type": "task_type"}
_TEXTS = {name: name for name in ("created", "last_updated", "title", "description", "effort", "topic")}
_LATER = {"session_id": "session_id", "resume_phase": "resume_phase", "status_before": "before", "reason": "why"}
_LATER["completion_summary"] = "completion_summary"
_ALL_TEXTS = {**_FIRST, **_TEXTS, **_LATER}
_LISTS = ("dependencies", "artifacts", "next_artifact_number", "subtasks", "parent_task", "roadmap_items")
_KNOWN = frozenset({"project_number", *_ALL_TEXTS, *_LISTS, "memory_candidates"})
_TYPES = {"research": REPORT, "implementation": SUMMARY}  # as older files say it
_BY_FOLDER = {"reports": REPORT, "plans": PLAN, "summaries": SUMMARY}


def to_entry(task: Task) -> dict[str, object]:
    """The entry of a task. Fields without a value are left out, but for those that readers rely on."""
    first = {key: getattr(task, name) for key, name in _FIRST.items()}
    lists = {
        "dependencies": list(task.dependencies),
        "artifacts": [_artifact_entry(artifact, task.extra.get(ARTIFACTS)) for artifact in task.artifacts],
        "next_artifact_number": task.round + 1,
    }
    later = {
        "subtasks": list(task.subtasks),
        "parent_task": task.parent_task,
        "roadmap_items": list(task.roadmap_items),
        "memory_candidates": [dict(candidate) for candidate in task.memory_candidates],
    }
    kept = {key: value for key, value in task.extra.items() if key not in _KNOWN}
    return {
        "project_number": task.number,
        **first,
        **_said({key: getattr(task, name) for key, name in _TEXTS.items()}),
        **lists,
        **_said({key: getattr(task, name) for key, name in _LATER.items()}),
        **_said(later),
        **kept,
    }


def from_entry(entry: Mapping[str, object]) -> Task:
    """The task of an entry, whoever wrote it; a field of another kind than planrail knows is kept in `extra`."""
    extra = {key: value for key, value in entry.items() if key not in _KNOWN}
    artifacts, more = _read_artifacts(_list(entry.get("artifacts")))
    needs, others = _read_numbers(_list(entry.get("dependencies")))
    parts, _ = _read_numbers(_list(entry.get("subtasks")))
    texts = {name: _text(entry.get(key)) for key, name in _ALL_TEXTS.items()}
    texts["status"] = texts["status"] or "not_started"
    texts["task_type"] = texts["task_type"] or "general"
    following = _number(entry.get("next_artifact_number"))
    return Task(
        number=_number(entry.get("project_number")) or 0,
        dependencies=needs,
        artifacts=artifacts,
        subtasks=parts,
        parent_task=_number(entry.get("parent_task")) or 0,
        round=max(following - 1, 0) if following is not None else max((one.round for one in artifacts), default=0),
        roadmap_items=tuple(_text(item) for item in _list(entry.get("roadmap_items"))),
        memory_candidates=tuple(one for one in _list(entry.get("memory_candidates")) if isinstance(one, dict)),
        extra={**extra, **_said({ARTIFACTS: more, OTHER_NEEDS: others})},
        **texts,  # type: ignore[arg-type] # none of them is a flag
    )


def render_entry(task: Task) -> str:
    """The entry as it stands in the list of `state.json`, without the margin of its first line."""
    return render_json(to_entry(task), MARGIN)


def read_entry(text: str) -> Task:
    entry = decode(text)
    assert isinstance(entry, dict)
    return from_entry(entry)


def _said(values: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value not in ("", 0, [], {})}


def _artifact_entry(artifact: Artifact, more: object) -> dict[str, object]:
    own = {"path": artifact.path, "type": artifact.type, "summary": artifact.summary, "round": artifact.round}
    further = more.get(artifact.path, {}) if isinstance(more, dict) else {}
    return {**own, **{key: value for key, value in further.items() if key not in own}}


def _read_artifacts(items: list[object]) -> tuple[tuple[Artifact, ...], dict[str, object]]:
    found: list[Artifact] = []
    more: dict[str, object] = {}
    for item in items:
        fields = item if isinstance(item, dict) else {"path": _text(item)}
        artifact = _read_artifact(fields)
        found.append(artifact)
        rest = {key: value for key, value in fields.items() if key not in ("path", "type", "summary", "round")}
        if rest:
            more[artifact.path] = rest
    return tuple(found), more


def _read_artifact(fields: Mapping[str, object]) -> Artifact:
    path, type_ = _text(fields.get("path")), _text(fields.get("type"))
    parts = path.split("/")
    if not type_:
        type_ = next((_BY_FOLDER[part] for part in parts if part in _BY_FOLDER), "")
    round_ = _number(fields.get("round"))
    if round_ is None:
        round_ = _number(parts[-1].partition("_")[0]) or 0
    return Artifact(_TYPES.get(type_, type_), path, _text(fields.get("summary")), round_)


def _read_numbers(items: list[object]) -> tuple[tuple[int, ...], list[object]]:
    found = [(_number(item), item) for item in items]
    numbers = tuple(number for number, _ in found if number is not None)
    return numbers, [item for number, item in found if number is None]


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip("# ").isascii() and value.strip("# ").isdigit() and len(value) < 12:
        return int(value.strip("# "))
    return None


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else render_json(value)


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [] if value is None or value == "" else [value]


def render_json(value: object, margin: str = "") -> str:
    """A value, its further lines indented by the margin. Halves of characters are escaped, all else is as it is."""
    text = _render(value, margin)
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(sign):04x}" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
    return text


def _render(value: object, margin: str) -> str:
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int | float):
        return encode(value)
    inner = f"{margin}  "
    if isinstance(value, list | tuple):
        return _enclose("[", (_render(item, inner) for item in value), "]", margin)
    if hasattr(value, "items"):
        return _enclose("{", (f"{quote(str(key))}: {_render(item, inner)}" for key, item in value.items()), "}", margin)
    raise ValueError(f"JSON has no form for {type(value).__name__}")


def _enclose(opening: str, items: Iterable[str], closing: str, margin: str) -> str:
    inner = f",\n{margin}  ".join(items)
    return f"{opening}\n{margin}  {inner}\n{margin}{closing}" if inner else opening + closing
