"""An answer by the verdict's schema, read into records; what is wrong with one that does not keep to it. What a
verifier cites, checked: the file is in the tree and has that line, the command was really run.

How a text is set says nothing about the work: an item is known by its number, and where that is unusual by its words.

A citation that does not hold makes the verdict worthless: a verifier that invents one has not looked.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence

from planrail.base.json_reading import a_list, a_text, an_object, objects_in
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import ItemVerdict, PhaseOrder
from planrail.runs.strength.reached_commands import why_hollow

DONE, FAILED, UNREAD = "done", "failed", "unread"
VERDICTS = (DONE, FAILED, UNREAD)

_DONE_WORDS = frozenset((DONE, "pass", "passed", "met", "verified", "kept"))
_LONGEST = 4_000_000  # characters of an answer
_NUMBERED = pattern(r"\W*(?:(?P<kind>[WCPR])|item|criterion|work item|rule)?\W*(?P<number>\d{1,4})\W*", re.IGNORECASE)
_WORD = pattern(r"\w+")
_LIKENESS = 0.8  # of the words of an item that its repetition has to have


@record
class Part:
    """A work item (W1), a criterion (C1), the phase as a whole (P1) where it has neither; a rule of the plan (R1)."""

    id: str
    text: str

    @property
    def is_criterion(self) -> bool:
        """Whether it says what has to hold, rather than what has to be done."""
        return self.id.startswith("C")

    @property
    def is_rule(self) -> bool:
        """Whether it is a non-goal or a constraint of the whole plan."""
        return self.id.startswith("R")


def parts_of(phase: PhaseOrder) -> tuple[Part, ...]:
    items = [Part(f"W{number}", text) for number, text in enumerate(phase.items, 1)]
    criteria = [Part(f"C{number}", text) for number, text in enumerate(phase.criteria, 1)]
    rules = [Part(f"R{number}", text) for number, text in enumerate(phase.rules, 1)]
    return (*([*items, *criteria] or [Part("P1", phase.title or f"phase {phase.id}")]), *rules)


def verdict_schema(phase: PhaseOrder) -> str:
    """The JSON schema of an answer about this phase. Each field is required, as some agents' programs demand."""
    ids = [part.id for part in parts_of(phase)]
    answer = an_object(
        id={"type": "string", "enum": ids},
        text=a_text("the work item, criterion or rule, as the plan has it"),
        verdict={"type": "string", "enum": list(VERDICTS), "description": "unread: you could not look at it"},
        places=a_list(a_text("FILE:LINE in the work, or a command that you or planrail ran, as `$ command`")),
        note=a_text("what you saw there"),
    )
    scope = an_object(
        path=a_text("a file"), text=a_text("what it has to do with the phase"), violates={"type": "boolean"}
    )
    change = an_object(path=a_text("a test file"), accepted={"type": "boolean"}, reason=a_text("why"))
    whole = an_object(
        items=a_list(answer, f"one entry for each of {', '.join(ids)}"),
        scope=a_list(scope, "files that the phase does not account for"),
        test_changes=a_list(change, "your word on each change of tests that you were asked about"),
        drift=a_list(a_text("a line that begins with PLAN-TEXT-DRIFT:")),
        summary=a_text("two sentences"),
    )
    return json.dumps(whole, ensure_ascii=True)


@record
class PartVerdict:
    """What a verifier said about one part."""

    id: str
    text: str
    verdict: str
    places: tuple[str, ...]
    note: str


@record
class WholeAnswer:
    """All that a verifier said. `problem` says why it cannot be used."""

    answers: tuple[PartVerdict, ...] = ()
    scope: tuple[str, ...] = ()  # files that the phase does not account for, each with the reason
    accepted: tuple[tuple[str, str], ...] = ()  # paths of accepted changes of tests, with the reasons
    drift: tuple[str, ...] = ()
    problem: str = ""


def read_answer(structured: str) -> WholeAnswer:
    """The answer in a JSON text; never an exception, whatever the text is."""
    if not structured.strip():
        return WholeAnswer(problem="the verifier gave no answer by the schema")
    try:
        value = json.loads(structured[:_LONGEST])
    except (ValueError, RecursionError):
        return WholeAnswer(problem="the verifier's answer is no JSON")
    if not isinstance(value, dict) or not isinstance(value.get("items"), list):
        return WholeAnswer(problem="the verifier's answer is not by the schema: it has no list of items")
    if not all(isinstance(entry, dict) for entry in value["items"]):
        return WholeAnswer(problem="the verifier's answer is not by the schema: an item is no object")
    told = [(entry.get("path"), entry.get("text"), entry.get("violates")) for entry in objects_in(value, "scope")]
    scope = [f"{_string(path)}: {_string(text)}" for path, text, violates in told if violates is not False]
    changes = [entry for entry in objects_in(value, "test_changes") if entry.get("accepted") is True]
    accepted = [(_string(one.get("path")).removeprefix("./"), _string(one.get("reason"))) for one in changes]
    answers = tuple(_read_item(entry) for entry in value["items"])
    return WholeAnswer(answers, tuple(scope), tuple(accepted), tuple(_strings(value.get("drift"))))


def find_part(answer: PartVerdict, parts: Sequence[Part]) -> Part | None:
    """The part that an answer is about: by its number, else by its words."""
    by_id = {part.id: part for part in parts}
    if answer.id.strip().upper() in by_id:
        return by_id[answer.id.strip().upper()]
    match = _NUMBERED.fullmatch(answer.id)
    kinds = [match["kind"].upper()] if match and match["kind"] else sorted({part.id[0] for part in parts})
    if match and len(kinds) == 1 and f"{kinds[0]}{int(match['number'])}" in by_id:
        return by_id[f"{kinds[0]}{int(match['number'])}"]
    found, alike = set(_WORD.findall((answer.text or answer.id).lower())), []
    for part in parts:
        wanted = set(_WORD.findall(part.text.lower()))
        if wanted and len(wanted & found) >= _LIKENESS * len(wanted) and len(found) <= 2 * len(wanted) + 4:
            alike.append(part)
    return alike[0] if len(alike) == 1 else None


def _read_item(entry: dict[str, object]) -> PartVerdict:
    said = str(entry.get("verdict", "")).strip().lower()
    verdict = DONE if said in _DONE_WORDS else UNREAD if said in (UNREAD, "") else FAILED
    note = _string(entry.get("note"))
    if verdict == FAILED and said != FAILED:
        note = f"{said}: {note}" if note else said
    told = entry.get("places", entry.get("place"))
    places = tuple(_strings([told] if isinstance(told, str) else told))
    return PartVerdict(_string(entry.get("id")), _string(entry.get("text")), verdict, places, note)


def _strings(value: object) -> list[str]:
    return [one.strip() for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []


def _string(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""


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


def check_places(items: Sequence[ItemVerdict], context: CitationContext, *, are_rules: bool = False) -> tuple[str, ...]:
    """What is wrong with the places of all items that are called done; those of one item are joined by newlines.

    That a rule is kept may be seen anywhere in the work, and several in one place.
    """
    problems: list[str] = []
    done = [item for item in items if item.verdict == "done"]
    for item in done:
        places = [read_place(text, context.commands) for text in item.place.split("\n") if text.strip()]
        name = f"{item.item[:80]!r}"
        wrong = [fault for place in places if (fault := _fault(place, context))]
        problems += [f"{name}: {fault}" for fault in wrong]
        if not places:
            problems.append(f"{name} is called done without a place")
        elif not (wrong or are_rules or any(place.command or place.path in context.changed for place in places)):
            problems.append(f"{name}: no place of it lies in what the phase changed, and none is a command")
    places_of = {item.place.strip() for item in done}
    only = read_place(places_of.pop()) if len(done) >= _MANY and len(places_of) == 1 and not are_rules else Place()
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
