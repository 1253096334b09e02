"""The files that an agent may ask its client for: below its folder, links resolved, written only where it may write."""

import os

_LARGEST = 20_000_000


class Refused(Exception):
    """The agent may not have, or write, that file."""

    code = -32000


class Missing(Refused):
    """There is no such file. Agents tell this apart from a refusal: they are about to make one."""

    code = -32002


class AgentFiles:
    """The files of one assignment's folder."""

    def __init__(self, folder: str, *, read_only: bool) -> None:
        self._folder = os.path.realpath(folder)
        self._read_only = read_only

    def read(self, path: str, line: int = 0, limit: int = 0) -> str:
        """The text of a file, or `limit` lines of it from `line` on, counted from 1."""
        resolved = self._confine(path)
        try:
            if os.path.getsize(resolved) > _LARGEST:
                raise Refused(f"{path} is too large")
            with open(resolved, encoding="utf-8", errors="replace", newline="") as file:
                text = file.read()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Missing(f"Resource not found: {path} (ENOENT)") from error
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error
        if not line and not limit:
            return text
        lines = text.splitlines(keepends=True)
        first = max(0, line - 1)
        return "".join(lines[first : first + limit] if limit else lines[first:])

    def write(self, path: str, text: str) -> None:
        """Replace a file by a text."""
        if self._read_only:
            raise Refused("you may read here, and not write")
        resolved = self._confine(path)
        try:
            os.makedirs(os.path.dirname(resolved), exist_ok=True)
            with open(resolved, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise Refused(f"{path}: {error.strerror}") from error

    def _confine(self, path: str) -> str:
        resolved = os.path.realpath(os.path.join(self._folder, path))
        if not resolved.startswith(self._folder + os.sep):
            raise Refused(f"{path} is outside of {self._folder}")
        return resolved
