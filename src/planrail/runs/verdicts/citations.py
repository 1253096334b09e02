"""What a verifier cites, checked: the file is in the tree and has that line, the command was really run.

A citation that does not hold makes the verdict worthless: a verifier that invents one has not looked.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import ItemVerdict
from planrail.runs.strength.reached_commands import why_hollow

_COMMAND = pattern(r"(?:\$\s+|(?:command|ran|run)\s*:\s*)(?P<command>.+)", re.IGNORECASE | re.DOTALL)
_FILE = pattern(
    r"(?P<path>[^:#\n]+?)(?::|#L?|\s+lines?\s+|\s*\(lines?\s+|,\s*lines?\s+)L?(?P<line>\d+)"
    r"(?:\s*[-–:,]\s*L?(?P<end>\d+))*\)?(?:[:\s-].*)?",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST_PLACE = 1_000
_SHORTEST_COMMAND = 3
_MANY = 4  # parts with one and the same place: nobody looked at each of them


@record
class Place:
    """A citation: a command, or a file with a line (0 where none is given)."""

    command: str = ""
    path: str = ""
    line: int = 0


@record
class CitationContext:
    """What citations are held against.

    `files` has the number of lines of each file of the work, `changed` the paths that the phase touched, `commands`
    what was really run: planrail's checks, and what the verifier's own log shows.
    """

    files: Mapping[str, int]
    changed: Collection[str]
    commands: Sequence[str]


def read_place(text: str, commands: Sequence[str] = ()) -> Place:
    """A citation as it was written: `src/a.py:12`, `src/a.py#L12-L20`, `$ make test`, or a command that is known."""
    plain = text[:_LONGEST_PLACE].strip().strip("`").strip()
    if match := _COMMAND.fullmatch(plain):
        return Place(command=match["command"].strip().strip("`"))
    if any(plain.split() == command.split() for command in commands):
        return Place(command=plain)
    if match := _FILE.fullmatch(plain):
        return Place(path=_path(match["path"]), line=max(int(match["line"]), int(match["end"] or 0)))
    return Place(command=plain) if " " in plain else Place(path=_path(plain))


def check_places(items: Sequence[ItemVerdict], context: CitationContext) -> tuple[str, ...]:
    """What is wrong with the places of all items that are called done; those of one item are joined by newlines."""
    problems: list[str] = []
    done = [item for item in items if item.verdict == "done"]
    for item in done:
        places = [read_place(text, context.commands) for text in item.place.split("\n") if text.strip()]
        name = f"{item.item[:80]!r}"
        wrong = [fault for place in places if (fault := _fault(place, context))]
        problems += [f"{name}: {fault}" for fault in wrong]
        if not places:
            problems.append(f"{name} is called done without a place")
        elif not wrong and not any(place.command or place.path in context.changed for place in places):
            problems.append(f"{name}: no place of it lies in what the phase changed, and none is a command")
    places_of = {item.place.strip() for item in done}
    only = read_place(places_of.pop()) if len(done) >= _MANY and len(places_of) == 1 else Place()
    if only.path:
        problems.append(f"one and the same line, {only.path}:{only.line}, is cited for everything")
    return tuple(problems)


def _fault(place: Place, context: CitationContext) -> str:
    if place.command:
        wanted = " ".join(place.command.split())
        if why := why_hollow(place.command):
            return f"`{place.command[:80]}` shows nothing: {why}"
        whole = re.compile(rf"(?<![\w./-]){re.escape(wanted)}(?![\w./-])")  # a command that was run, or a part of one
        was_run = any(whole.search(" ".join(run.split())) for run in context.commands)
        if len(wanted) < _SHORTEST_COMMAND or not was_run:
            return f"`{place.command[:120]}` was not run, neither by planrail nor by the verifier"
        return ""
    if place.path not in context.files:
        return "" if place.path in context.changed else f"there is no file {place.path!r} in the work"
    lines = context.files[place.path]
    if not place.line and lines:
        return f"{place.path} is cited without a line"
    return f"{place.path} has {lines} lines, and line {place.line} is cited" if place.line > max(lines, 1) else ""


def _path(text: str) -> str:
    plain = text.strip().strip("`\"'").removeprefix("./")
    return plain.removeprefix("b/") if text.startswith("b/") else plain
