"""What a tool call of the Agent Client Protocol means for a judge, who knows tools by other names."""

import os
from collections.abc import Mapping

from planrail.base.json_reading import command_in, object_in, objects_in, text_in

_LARGEST = 20_000_000


class FileRefused(Exception):
    """The agent may not have, or write, that file."""

    code = -32000


class Missing(FileRefused):
    """There is no such file. Agents tell this apart from a refusal: they are about to make one."""

    code = -32002


class AgentFiles:
    """The files that an agent may ask its client for: below its folder, links resolved."""

    def __init__(self, folder: str, *, read_only: bool) -> None:
        self._folder = os.path.realpath(folder)
        self._read_only = read_only

    def read(self, path: str, line: int = 0, limit: int = 0) -> str:
        """The text of a file, or `limit` lines of it from `line` on, counted from 1."""
        resolved = self._confine(path)
        try:
            if os.path.getsize(resolved) > _LARGEST:
                raise FileRefused(f"{path} is too large")
            with open(resolved, encoding="utf-8", errors="replace", newline="") as file:
                text = file.read()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Missing(f"Resource not found: {path} (ENOENT)") from error
        except OSError as error:
            raise FileRefused(f"{path}: {error.strerror}") from error
        if not line and not limit:
            return text
        lines = text.splitlines(keepends=True)
        first = max(0, line - 1)
        return "".join(lines[first : first + limit] if limit else lines[first:])

    def write(self, path: str, text: str) -> None:
        if self._read_only:
            raise FileRefused("you may read here, and not write")
        resolved = self._confine(path)
        try:
            os.makedirs(os.path.dirname(resolved), exist_ok=True)
            with open(resolved, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise FileRefused(f"{path}: {error.strerror}") from error

    def _confine(self, path: str) -> str:
        resolved = os.path.realpath(os.path.join(self._folder, path))
        if not resolved.startswith(self._folder + os.sep):
            raise FileRefused(f"{path} is outside of {self._folder}")
        return resolved


Call = tuple[str, Mapping[str, object]]


_READING = {"read": "Read", "search": "Grep", "think": "TodoWrite", "fetch": "WebFetch"}
_WRITING = ("edit", "delete", "move")


def judged_calls(call: Mapping[str, object]) -> list[Call]:
    """The tool call as one or more calls of tools that a judge knows. What is not understood stays unknown to it."""
    kind, given = text_in(call, "kind"), object_in(call, "rawInput")
    if kind in _READING:
        return [(_READING[kind], given)]
    if kind == "execute":
        return [("Bash", {"command": command_of(call)})]
    if kind in _WRITING:
        paths = paths_of(call)
        return [("Write", {"file_path": path}) for path in paths] or [("Write", {})]
    return [(text_in(call, "title") or kind or "unknown", given)]


def command_of(call: Mapping[str, object]) -> str:
    """The shell command of a tool call, which Gemini tells by the title alone; "" where it is no such call."""
    if text_in(call, "kind") != "execute":
        return ""
    return command_in(object_in(call, "rawInput")) or text_in(call, "title")


def is_telling(call: Mapping[str, object]) -> bool:
    """Whether the call says already what it is about: some agents announce it first and tell the rest later."""
    is_about = object_in(call, "rawInput") or paths_of(call)
    return bool(is_about) or text_in(call, "status") not in ("", "pending")


def paths_of(call: Mapping[str, object]) -> list[str]:
    places = [text_in(place, "path") for place in objects_in(call, "locations")]
    changes = [text_in(part, "path") for part in objects_in(call, "content") if part.get("type") == "diff"]
    given = object_in(call, "rawInput")
    named = [text_in(given, key) for key in ("file_path", "filePath", "path", "filepath", "destination", "newPath")]
    return [path for path in dict.fromkeys([*places, *changes, *named]) if path]


def describe_call(call: Mapping[str, object]) -> str:
    told = command_of(call) or text_in(call, "title") or ", ".join(paths_of(call))
    line = " ".join(told.split())
    return line if len(line) <= 160 else line[:159] + "…"


def name_of(call: Mapping[str, object]) -> str:
    names = {**_READING, "execute": "Bash", "edit": "Edit", "delete": "Delete", "move": "Move"}
    return names.get(text_in(call, "kind"), text_in(call, "kind") or "tool")


def choose_option(options: list[dict[str, object]], *, is_allowed: bool) -> str:
    kinds = ("allow_once", "allow_always") if is_allowed else ("reject_once", "reject_always")
    for kind in kinds:
        for option in options:
            if option.get("kind") == kind:
                return text_in(option, "optionId")
    return ""
