"""A task as an entry of `specs/state.json`, and back. What planrail has no field for is kept, and written again."""

from collections.abc import Callable, Iterable, Mapping

from planrail.base.decoding import decode, encode
from planrail.tasks.model import Artifact, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

quote: Callable[[str], str]
try:
    from _json import encode_basestring as quote
except ImportError:  # not CPython
    from json.encoder import encode_basestring as quote
_WORDS = {None: "null", True: "true", False: "false"}
MARGIN = "    "  # of an entry in the list of state.json
ARTIFACTS = "artifacts"  # in `extra`: further fields by path
# The field of an entry for each text of a task, in the order of the file.
_FIRST = {"project_name": "name", "status": "status", "task_type": "task_type"}
_TEXTS = {name: name for name in ("created", "last_updated", "title", "description", "effort", "topic")}
_LATER = {"session_id": "session_id", "resume_phase": "resume_phase", "status_before": "before", "reason": "why"}
_LATER["completion_summary"] = "completion_summary"
_ALL_TEXTS = {**_FIRST, **_TEXTS, **_LATER}
_LISTS = ("dependencies", "artifacts", "next_artifact_number", "subtasks", "parent_task", "roadmap_items")
_KNOWN = frozenset({"project_number", *_ALL_TEXTS, *_LISTS, "memory_candidates"})
_DOCUMENT = ("path", "type", "summary", "round")
_USUAL = {"task_type": "general"}


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


def from_entry(entry: "Mapping[str, Any]") -> Task:
    """The task of an entry in this form, to which an import brings others first; what has no field is in `extra`."""
    documents = entry["artifacts"]
    further = {one["path"]: {key: one[key] for key in one if key not in _DOCUMENT} for one in documents}
    more = {path: fields for path, fields in further.items() if fields}
    return Task(
        number=entry["project_number"],
        dependencies=tuple(entry["dependencies"]),
        artifacts=tuple(Artifact(**{name: one[name] for name in _DOCUMENT}) for one in documents),
        subtasks=tuple(entry.get("subtasks") or ()),
        parent_task=entry.get("parent_task", 0),
        round=entry["next_artifact_number"] - 1,
        roadmap_items=tuple(entry.get("roadmap_items") or ()),
        memory_candidates=tuple(entry.get("memory_candidates") or ()),
        extra={key: value for key, value in entry.items() if key not in _KNOWN} | _said({ARTIFACTS: more}),
        **{name: entry.get(key) or _USUAL.get(name, "") for key, name in _ALL_TEXTS.items()},  # type: ignore[arg-type]
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
    own = {name: getattr(artifact, name) for name in _DOCUMENT}
    further = more.get(artifact.path, {}) if isinstance(more, dict) else {}
    return {**own, **{key: value for key, value in further.items() if key not in own}}


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
