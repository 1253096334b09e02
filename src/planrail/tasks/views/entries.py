"""A task as an entry of `specs/state.json`, and back. What planrail has no field for is kept, and written again."""

from collections.abc import Callable, Iterable, Mapping

from planrail.base.decoding import decode, encode
from planrail.tasks.model import COLUMNS, Artifact, Task

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
_DOCUMENT = ("path", "type", "summary", "round")


def to_entry(task: Task) -> dict[str, object]:
    """The entry of a task. Fields without a value are left out, but for those that readers rely on."""
    entry: dict[str, object] = {}
    for key, column in COLUMNS.items():
        value = getattr(task, column.name)
        if column.of is Artifact:
            more = task.extra.get(ARTIFACTS)
            entry[key] = [_artifact_entry(one, more if isinstance(more, dict) else {}) for one in value]
        elif value or column.is_always:
            entry[key] = list(value) if column.of else value + column.shift if column.shift else value
    return {**entry, **{key: value for key, value in task.extra.items() if key not in COLUMNS}}


def from_entry(entry: "Mapping[str, Any]") -> Task:
    """The task of an entry in this form, to which an import brings others first; what has no field is in `extra`."""
    documents = entry["artifacts"]
    more = {one["path"]: {key: one[key] for key in one if key not in _DOCUMENT} for one in documents}
    further = {path: fields for path, fields in more.items() if fields}
    fields: dict[str, Any] = {"title": ""}
    for key, column in COLUMNS.items():
        value = entry.get(key)
        if value:
            fields[column.name] = tuple(value) if column.of else value - column.shift if column.shift else value
    fields["artifacts"] = tuple(Artifact(**{name: one[name] for name in _DOCUMENT}) for one in documents)
    extra = {key: value for key, value in entry.items() if key not in COLUMNS}
    return Task(**fields, extra={**extra, **({ARTIFACTS: further} if further else {})})


def render_entry(task: Task) -> str:
    """The entry as it stands in the list of `state.json`, without the margin of its first line."""
    return render_json(to_entry(task), MARGIN)


def read_entry(text: str) -> Task:
    entry = decode(text)
    assert isinstance(entry, dict)
    return from_entry(entry)


def _artifact_entry(artifact: Artifact, more: "Mapping[str, Any]") -> dict[str, object]:
    own = {name: getattr(artifact, name) for name in _DOCUMENT}
    return {**own, **{key: value for key, value in more.get(artifact.path, {}).items() if key not in own}}


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
