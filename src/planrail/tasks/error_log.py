"""What went wrong with tasks: entries of a closed set of types, grouped by what seems to be one cause, and in words.

An entry is written when something fails, and never changed but for its state: `unfixed`, `fixing` (a task was made to
fix it), `fixed` (that task is completed, or a person says so). The names of the fields are those of the `errors.json`
that people may come from, and what such a file says beyond them is kept.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record, replace
from planrail.tasks.priming import quote_title
from planrail.tasks.statuses import ABANDONED, COMPLETED, EXPANDED

CRITICAL, HIGH, MEDIUM, LOW = SEVERITIES = ("critical", "high", "medium", "low")
UNFIXED, FIXING, FIXED = STATES = ("unfixed", "fixing", "fixed")
OTHER = "other"  # a type that only an imported entry has
# Every type: how bad it is where nobody says, what helps, and what it is called in words.
_TYPES = {
    "delegation_hang": (HIGH, "stop the agent, and go on with the same command", "an agent did not answer any more"),
    "delegation_interrupted": (MEDIUM, "go on with the same command", "an agent stopped before it was done"),
    "timeout": (MEDIUM, "go on with the same command, or give it more time: --timeout MINUTES", "the time was over"),
    "validation_failed": (
        MEDIUM,
        "look at what the document lacks: planrail task validate-artifact PATH TYPE --fix",
        "an answer or a document was not as it has to be",
    ),
    "status_sync_failure": (HIGH, "compare ledger and views: planrail task check", "ledger and views did not agree"),
    "file_not_found": (MEDIUM, "see which documents are missing: planrail task check", "a file was missing"),
    "parse_error": (MEDIUM, "ask once more with the same command", "an answer could not be read"),
    "jq_parse_failure": (LOW, "planrail does not use jq: nothing is left to do", "jq could not read a file"),
    "git_commit_failure": (
        MEDIUM,
        "look at git status; the next commit of a task takes the documents along",
        "git made no commit",
    ),
    "build_error": (HIGH, "fix the build, then go on with the same command", "checks did not pass"),
    "tool_unavailable": (HIGH, "see what is missing: planrail doctor", "a program was missing"),
    "mcp_abort_error": (MEDIUM, "go on with the same command", "a tool broke off"),
    OTHER: (MEDIUM, "", ""),
}
_STATES = {"in_progress": FIXING, "open": UNFIXED, "resolved": FIXED}  # other spellings
# Where each field stands in a file: in the entry itself, or in one of its two tables.
_CONTEXT, _RECOVERY = "context", "recovery"
_ABOUT = {"id": "id", "at": "timestamp", "type": "type", "severity": "severity", "message": "message"}
_WHERE = {"session": "session_id", "command": "command", "task": "task", "phase": "phase", "checkpoint": "checkpoint"}
_HOW = {"action": "suggested_action", "is_recoverable": "auto_recoverable"}
_TABLES = (("", _ABOUT), (_CONTEXT, _WHERE), (_RECOVERY, _HOW), ("", {"state": "fix_status", "fix_task": "fix_task"}))
_PLACES = {field: (table, name) for table, fields in _TABLES for field, name in fields.items()}
_LONGEST_MESSAGE = 2_000
_LONGEST_CAUSE = 160
_SEVERITIES = {CRITICAL: "very serious", HIGH: "serious", MEDIUM: "", LOW: "minor"}
_WORK = {"research": "researching", "plan": "planning", "revise": "revising", "implement": "implementing"}
_WORK |= {"divide": "dividing it", "orchestrate": "orchestrating", "complete": "completing"}
_LONGEST_TITLE = 100
_LONGEST_PHASE = 20
_MOST_TASKS = 3  # that are named
_NOTHING = "something went wrong, and nobody said what"


@record
class ErrorEntry:
    """One thing that went wrong. `at` is as the views spell times, `task` the one that it happened to, 0 for none."""

    id: str
    at: str
    type: str
    message: str
    severity: str = MEDIUM
    session: str = ""
    command: str = ""
    task: int = 0
    phase: str = ""
    checkpoint: str = ""
    action: str = ""  # what is suggested
    is_recoverable: bool = False  # by doing the same again
    state: str = UNFIXED
    fix_task: int = 0
    extra: Mapping[str, object] = {}


@record
class Group:
    """Errors of one type that seem to have one cause, the newest first."""

    type: str
    cause: str
    entries: tuple[ErrorEntry, ...]

    @property
    def severity(self) -> str:
        return min((entry.severity for entry in self.entries), key=SEVERITIES.index)

    @property
    def unfixed(self) -> tuple[ErrorEntry, ...]:
        return tuple(entry for entry in self.entries if entry.state == UNFIXED)

    @property
    def tasks(self) -> tuple[int, ...]:
        return tuple(sorted({entry.task for entry in self.entries if entry.task}))

    @property
    def action(self) -> str:
        return next((entry.action for entry in self.entries if entry.action), _TYPES[self.type][1])


def new_error(type_: str, message: str, **fields: object) -> ErrorEntry:
    known = type_ if type_ in _TYPES else OTHER
    return ErrorEntry(type=known, message=message[:_LONGEST_MESSAGE], severity=_TYPES[known][0], **fields)  # type: ignore[arg-type]


def error_id(now: float, chance: int) -> str:
    """`err_<digits>`: the time in seconds, then six digits of chance, so that two processes do not draw the same."""
    return f"err_{int(now)}{chance % 1_000_000:06d}"


def to_entry(error: ErrorEntry) -> dict[str, object]:
    tables: dict[str, dict[str, object]] = {"": {}, _CONTEXT: {}, _RECOVERY: {}}
    for field, (table, name) in _PLACES.items():
        value = getattr(error, field)
        if table:
            tables[""].setdefault(table, tables[table])
        if value or (table != _CONTEXT and field != "fix_task"):
            tables[table][name] = value
    return {**tables[""], **error.extra}


def from_entry(entry: Mapping[str, object]) -> ErrorEntry:
    """An error from an `errors.json` of any author: what is missing or odd is made good, nothing is dropped."""
    tables = {"": dict(entry)}
    for name in (_CONTEXT, _RECOVERY):
        table = tables[""].pop(name, None)
        tables[name] = dict(table) if isinstance(table, dict) else {}
    found = {field: tables[table].pop(name, None) for field, (table, name) in _PLACES.items()}
    texts = {field: "" if value is None else str(value) for field, value in found.items()}
    type_, severity, state = (texts.pop(name).lower() for name in ("type", "severity", "state"))
    said = found["type"] if type_ not in _TYPES else None
    more = {"context_more": tables[_CONTEXT], "recovery_more": tables[_RECOVERY], "type_said": said}
    numbers = {name: _number(found[name]) for name in ("task", "fix_task")}
    return ErrorEntry(
        **{**texts, **numbers, "is_recoverable": found["is_recoverable"] is True},  # type: ignore[arg-type]
        type=type_ if type_ in _TYPES else OTHER,
        severity=severity if severity in SEVERITIES else _TYPES.get(type_, _TYPES[OTHER])[0],
        state=state if state in STATES else _STATES.get(state, UNFIXED),
        extra={**tables[""], **{name: value for name, value in more.items() if value}},
    )


def _number(value: object) -> int:
    digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


def group_errors(errors: Iterable[ErrorEntry]) -> list[Group]:
    """The errors by type and cause: the group of the newest one first, in each the newest first."""
    groups: dict[tuple[str, str], list[ErrorEntry]] = {}
    for error in sorted(errors, key=lambda error: (error.at, error.id), reverse=True):
        groups.setdefault((error.type, find_cause(error.message)), []).append(error)
    return [Group(type_, cause, tuple(entries)) for (type_, cause), entries in groups.items()]


def find_cause(message: str) -> str:
    """What two messages have in common that tell of one thing: no numbers, no paths, no names in quotation marks."""
    text = " ".join(message[:_LONGEST_MESSAGE].split()).lower()
    for pattern, sign in _VARYING:
        text = re.sub(pattern, sign, text)
    return text if len(text) <= _LONGEST_CAUSE else text[: _LONGEST_CAUSE - 1] + "…"


# What differs from one time to the next. The beginnings are bounded: a message may be long.
_VARYING = (
    (r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`", "…"),
    (r"(?<!\S)[^\s/]{0,200}/\S{1,400}", "…"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", "…"),
    (r"\d+(?:[.,:]\d+)*", "n"),
)


def settle(errors: Sequence[ErrorEntry], statuses: Mapping[int, str]) -> list[ErrorEntry]:
    """Those whose state has changed by what became of their fixing task, which may be closed, gone, or open again.

    `statuses` are those of all fixing tasks, archived ones included.
    """
    changed = []
    for error in errors:
        status = statuses.get(error.fix_task)
        state = FIXED if status == COMPLETED else FIXING
        if status in (None, ABANDONED, EXPANDED):
            state = FIXED if error.state == FIXED else UNFIXED
        changed += [replace(error, state=state)] if error.fix_task and state != error.state else []
    return changed


# ------------------------------------------------------------------------------------------------------- for people


def headline(message: str, longest: int = 160) -> str:
    """The first sentence of a message, on one line; what is too long ends with the last whole word that fits."""
    line = " ".join("".join(sign for sign in " ".join(message.split()) if sign.isprintable()).split())
    first = line.partition(". ")[0].rstrip(".") or _NOTHING
    if len(first) <= longest:
        return first
    cut = first[: longest - 1]
    return (cut if first[longest - 1] == " " else cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def tell_where(group: Group) -> str:
    tasks = group.tasks
    if not tasks:
        return ""
    phases = {entry.phase for entry in group.entries}
    phase = next(iter(phases)) if len(tasks) == len(phases) == 1 else ""
    if len(tasks) == 1:
        return f"task {tasks[0]}" + (f", phase {phase}" if 0 < len(phase) <= _LONGEST_PHASE else "")
    return f"tasks {', '.join(map(str, tasks))}" if len(tasks) <= _MOST_TASKS else f"{len(tasks)} tasks"


def tell_when(entries: Sequence[ErrorEntry]) -> str:
    """How often it happened, and when last: `3 times, last on 2026-11-15 at 12:00 UTC, while planning`."""
    newest = entries[0]
    when = _moment(newest.at)
    times = "once" if len(entries) == 1 else f"{len(entries)} times"
    last = f", {'on' if len(entries) == 1 else 'last on'} {when}" if when else ""
    return times + last + _work(newest.command)


def tell_kind(group: Group) -> str:
    """What kind of thing it is, and how bad: `serious: a program was missing`; "" where there is nothing to say."""
    return ": ".join(filter(None, (_SEVERITIES[group.severity], _TYPES[group.type][2])))


def fix_title(group: Group) -> str:
    where = tell_where(group)
    place = f" ({where})" if where else ""
    return f"Fix: {headline(group.entries[0].message, _LONGEST_TITLE - len(place) - len('Fix: '))}{place}"


def fix_text(group: Group) -> str:
    where = tell_where(group)
    lines = [
        fix_title(group),
        "",
        f"It happened {tell_when(group.entries)}{f', with {where}' if where else ''}.",
        f"Message: {quote_title(group.entries[0].message, 500)}",
        f"Errors: {', '.join(entry.id for entry in group.entries[:20])}",
    ]
    return "\n".join([*lines, *([f"What may help: {quote_title(group.action, 300)}"] if group.action else [])])


def _moment(at: str) -> str:
    """A time as the log has it (`2026-11-15T12:00:00Z`) for people; what is spelled otherwise stays as it is."""
    day, sign, time = at.partition("T")
    if not sign or len(day) != 10 or time.count(":") < 2 or not time.endswith("Z"):
        return headline(at, 40) if at.strip() else ""
    return f"{day} at {time[:5]} UTC"


def _work(command: str) -> str:
    """What was being done: the stage, or the command itself where it is another's."""
    word = command.removeprefix("planrail ").removeprefix("task ").partition(" ")[0]
    if word in _WORK:
        return f", while {_WORK[word]}"
    return f", at {quote_title(command, 60)}" if command.strip() else ""
