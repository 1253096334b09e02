"""Names as a shared database can hold them: file names need not be UTF-8, and a text column takes nothing else."""

import re

_ESCAPED = re.compile(r"\\(\\|u[0-9a-f]{4}|x00)")


def to_column(name: str) -> str:
    """A name for a text column; two names have two of them, and one that is plain is its own."""
    escaped = name.replace("\\", "\\\\").replace("\0", "\\x00")
    return escaped.encode("utf-8", "backslashreplace").decode()


def from_column(text: str) -> str:
    """The name that was written."""
    return _ESCAPED.sub(_read, text) if "\\" in text else text


def _read(found: re.Match[str]) -> str:
    return "\\" if found[1] == "\\" else chr(int(found[1][1:], 16))
