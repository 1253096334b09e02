"""The table of attempts: read from its file, rendered as docs/evidence.md shows it."""

import tomllib
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("attempts.toml")
NOT_WITHSTOOD = "**not withstood**: "


class Attempt(NamedTuple):
    """What is claimed, by which test, and what planrail answers."""

    test: str
    claim: str
    answer: str
    stands: bool = True
    sample: bool = False


def read_parts() -> dict[str, list[Attempt]]:
    """The attempts by the part that they belong to."""
    parts = tomllib.loads(FILE.read_text(encoding="utf-8"))["part"]
    return {part["title"]: [Attempt(**row) for row in part["attempts"]] for part in parts}


def read_attempts() -> dict[str, Attempt]:
    """The attempts by the name of their test."""
    return {f"test_{row.test}": row for rows in read_parts().values() for row in rows}


def render() -> str:
    """The table in Markdown."""
    lines = ["| what is claimed, or tried | what planrail answers |", "|---|---|"]
    for title, rows in read_parts().items():
        lines.append(f"| **{title}** | |")
        lines += [f"| {_cell(row.claim)} | {'' if row.stands else NOT_WITHSTOOD}{_cell(row.answer)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
