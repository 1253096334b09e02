"""What went wrong with tasks: entries of a closed set of types, grouped by what seems to be one cause.

An entry is written when something fails, and never changed but for its state: `unfixed`, `fixing` (a task was made to
fix it), `fixed` (that task is completed, or a person says so). The names of the fields are those of the `errors.json`
that people may come from, and what such a file says beyond them is kept.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record, replace
from planrail.tasks.statuses import ABANDONED, COMPLETED, EXPANDED

CRITICAL, HIGH, MEDIUM, LOW = SEVERITIES = ("critical", "high", "medium", "low")
UNFIXED, FIXING, FIXED = STATES = ("unfixed", "fixing", "fixed")
OTHER = "other"  # a type that only an imported entry has
# Every type, how bad it is where nobody says, and what helps.
_TYPES = {
    "delegation_hang": (HIGH, "stop the agent, and go on with the same command"),
    "delegation_interrupted": (MEDIUM, "go on with the same command"),
    "timeout": (MEDIUM, "go on with the same command, or give it more time: --timeout MINUTES"),
    "validation_failed": (MEDIUM, "look at what the document lacks: planrail task validate-artifact PATH TYPE --fix"),
    "status_sync_failure": (HIGH, "compare ledger and views: planrail task check"),
    "file_not_found": (MEDIUM, "see which documents are missing: planrail task check"),
    "parse_error": (MEDIUM, "ask once more with the same command"),
    "jq_parse_failure": (LOW, "planrail does not use jq: nothing is left to do"),
    "git_commit_failure": (MEDIUM, "look at git status; the next commit of a task takes the documents along"),
    "build_error": (HIGH, "mend the build, then go on with the same command"),
    "tool_unavailable": (HIGH, "see what is missing: planrail doctor"),
    "mcp_abort_error": (MEDIUM, "go on with the same command"),
    OTHER: (MEDIUM, ""),
}
_STATES = {"in_progress": FIXING, "open": UNFIXED, "resolved": FIXED}  # other spellings
# The fields of `context`, and what they are called here.
_CONTEXT = {"session_id": "session", "command": "command", "task": "task", "phase": "phase", "checkpoint": "checkpoint"}
_FIELDS = ("id", "timestamp", "type", "severity", "message", "context", "recovery", "fix_status", "fix_task")
_LONGEST_MESSAGE = 2_000
_LONGEST_CAUSE = 160


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


@record
class Where:
    session: str = ""
    command: str = ""
    task: int = 0
    phase: str = ""
    checkpoint: str = ""


def new_error(
    type_: str, message: str, where: Where, *, id: str, at: str, action: str = "", is_recoverable: bool = False
) -> ErrorEntry:
    severity = _TYPES.get(type_, _TYPES[OTHER])[0]
    place = {name: getattr(where, name) for name in _CONTEXT.values()}
    known = type_ if type_ in _TYPES else OTHER
    said = message[:_LONGEST_MESSAGE]
    return ErrorEntry(id, at, known, said, severity, action=action, is_recoverable=is_recoverable, **place)


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
