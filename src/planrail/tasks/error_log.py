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
# The fields of `context`, and what they are called here.
_CONTEXT = {"session_id": "session", "command": "command", "task": "task", "phase": "phase", "checkpoint": "checkpoint"}
_FIELDS = ("id", "timestamp", "type", "severity", "message", "context", "recovery", "fix_status", "fix_task")
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
    context = {name: getattr(error, field) for name, field in _CONTEXT.items()}
    entry: dict[str, object] = {
        "id": error.id,
        "timestamp": error.at,
        "type": error.type,
        "severity": error.severity,
        "message": error.message,
        "context": {name: value for name, value in context.items() if value},
        "recovery": {"suggested_action": error.action, "auto_recoverable": error.is_recoverable},
        "fix_status": error.state,
    }
    return {**entry, **({"fix_task": error.fix_task} if error.fix_task else {}), **error.extra}


def from_entry(entry: Mapping[str, object]) -> ErrorEntry:
    """An error from an `errors.json`, whoever wrote it: what is missing or odd is made good, nothing is dropped."""
    context, recovery = _table(entry.get("context")), _table(entry.get("recovery"))
    type_, severity = _text(entry.get("type")).lower(), _text(entry.get("severity")).lower()
    state = _text(entry.get("fix_status")).lower() or UNFIXED
    extra = {name: value for name, value in entry.items() if name not in _FIELDS}
    place = {field: _text(context.get(name)) for name, field in _CONTEXT.items() if field != "task"}
    return ErrorEntry(
        _text(entry.get("id")),
        _text(entry.get("timestamp")),
        type_ if type_ in _TYPES else OTHER,
        _text(entry.get("message")),
        severity if severity in SEVERITIES else _TYPES.get(type_, _TYPES[OTHER])[0],
        task=_number(context.get("task")),
        action=_text(recovery.get("suggested_action")),
        is_recoverable=recovery.get("auto_recoverable") is True,
        state=state if state in STATES else _STATES.get(state, UNFIXED),
        fix_task=_number(entry.get("fix_task")),
        extra=extra | _unknown(entry, context, recovery, type_),
        **place,
    )


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
    settled = [replace(error, state=_state_by_task(error, statuses)) for error in errors if error.fix_task]
    known = {error.id: error.state for error in errors}
    return [error for error in settled if error.state != known[error.id]]


def _state_by_task(error: ErrorEntry, statuses: Mapping[int, str]) -> str:
    status = statuses.get(error.fix_task)
    if status == COMPLETED:
        return FIXED
    if status in (None, ABANDONED, EXPANDED):
        return error.state if error.state == FIXED else UNFIXED
    return FIXING


def _unknown(
    entry: Mapping[str, object], context: Mapping[str, object], recovery: Mapping[str, object], type_: str
) -> dict[str, object]:
    """What the known fields could not take: kept under the name that it had."""
    recovered = ("suggested_action", "auto_recoverable")
    lost = {
        "context_more": {name: value for name, value in context.items() if name not in _CONTEXT},
        "recovery_more": {name: value for name, value in recovery.items() if name not in recovered},
        "type_said": entry.get("type") if type_ not in _TYPES else None,
    }
    return {name: value for name, value in lost.items() if value}


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: object) -> int:
    digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else 0


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
