"""What went wrong, in words for people: a headline, where and how often it happened, and the task that is to fix it."""

from collections.abc import Sequence

from planrail.tasks.error_log import CRITICAL, HIGH, LOW, MEDIUM, ErrorEntry, Group
from planrail.tasks.priming import quote_title

SEVERITY_WORDS = {CRITICAL: "very serious", HIGH: "serious", MEDIUM: "", LOW: "minor"}
_KINDS = {
    "delegation_hang": "an agent did not answer any more",
    "delegation_interrupted": "an agent stopped before it was done",
    "timeout": "the time was over",
    "validation_failed": "an answer or a document was not as it has to be",
    "status_sync_failure": "ledger and views did not agree",
    "file_not_found": "a file was missing",
    "parse_error": "an answer could not be read",
    "jq_parse_failure": "jq could not read a file",
    "git_commit_failure": "git made no commit",
    "build_error": "checks did not pass",
    "tool_unavailable": "a program was missing",
    "mcp_abort_error": "a tool broke off",
}
_WORK = {"research": "researching", "plan": "planning", "revise": "revising", "implement": "implementing"}
_WORK |= {"divide": "dividing it", "orchestrate": "orchestrating", "complete": "completing"}
_LONGEST_TITLE = 100
_LONGEST_PHASE = 20
_MOST_TASKS = 3  # that are named
_NOTHING = "something went wrong, and nobody said what"


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
    return ": ".join(filter(None, (SEVERITY_WORDS[group.severity], _KINDS.get(group.type, ""))))


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
