"""Text of plans and agents inside a Markdown report: it is quoted, never obeyed, and hides nothing. Pure."""

import re

from planrail.base.visible import show_code, show_line, show_text

_SPACE = re.compile(r"\s+")
_CODE = re.compile(r"`[^`]+`")
_SIGNS = re.compile(r"([\\`*_\[\]<>|#~])")
_RUNS = re.compile("`+")


def inline(text: str, most: int = 400) -> str:
    """A text on one line, in which no sign means anything: no box, no table, no link, no HTML."""
    seen = _CODE.sub(lambda found: show_code(" ".join(found[0].split("\n"))), text)
    line = show_line(_SPACE.sub(" ", seen).strip())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return _SIGNS.sub(r"\\\1", line)


def code(text: str, most: int = 200) -> str:
    """A text as code on one line; inside a table a bar would end its cell."""
    line = show_code(" ".join(re.split(r"[ \t\r\n]+", text.strip()))).replace("[ ]", "[·]")
    line = line if len(line) <= most else line[: most - 1] + "…"
    fence = "`" * (max((len(run) for run in _RUNS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line.replace('|', chr(92) + '|')}{space}{fence}" if line else ""


def block(text: str, most: int = 20) -> list[str]:
    """The last lines of a text, indented as code: that needs no fence that the text could close."""
    lines = show_text(text.rstrip()).split("\n")[-most:]
    return ["    " + line.replace("[ ]", "[·]") for line in lines] if text.strip() else []


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table, and a blank line after it; nothing where there are no rows."""
    if not rows:
        return []
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return [*lines, ""]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
