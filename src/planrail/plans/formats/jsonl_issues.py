"""beads' issues: `.beads/issues.jsonl`, one JSON object on each line."""

import json
from datetime import datetime

from planrail.base.errors import UnreadablePlan
from planrail.plans.formats.entries import TaskEntry, make_plan
from planrail.plans.model import Plan
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.source import PlanSource

_NO_WORK = ("tombstone", "pinned")  # what stays of an issue that was deleted; a note that is kept open for ever
_NOT_OFFERED = frozenset(("merge-request", "gate", "molecule", "message", "agent", "role", "rig"))  # types
_BLOCKING = ("blocks", "conditional-blocks")
_OPEN, _CLOSED = "open", "closed"
_NOT_OPENING = "deferred"
_CLAIMED = {"hooked": "in_progress"}
_PRIORITY = 2  # beads' own, where an issue has none

Issue = dict[str, object]


def read_jsonl(source: PlanSource, _: Surroundings | None = None) -> Plan:
    """The plan that a file of issues is, or `UnreadablePlan` where it holds none."""
    found, at = {}, 1 if source.text[:1] == "\ufeff" else 0
    for number, line in enumerate(source.text[at:].split("\n"), 1):
        if line.strip():
            issue = _parse(source.path, number, line)
            if isinstance(issue.get("id"), str) and _status(issue) not in ("", *_NO_WORK):
                found[str(issue["id"])] = (issue, at + len(line) - len(line.lstrip()))
        at += len(line) + 1
    issues = {name: issue for name, (issue, _) in found.items()}
    waiting = _waiting(issues)
    entries = [_entry(issue, start, issues, waiting) for issue, start in found.values()]
    if not entries:
        raise UnreadablePlan(f"{source.path} holds no issues with a status", remedy="name a plan file")
    return make_plan(source, source.name, "beads", entries)


def _parse(path: str, number: int, line: str) -> Issue:
    try:
        issue = json.loads(line)
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadablePlan(f"line {number} of {path} is not valid JSON: {detail}", remedy="repair the line") from None
    return issue if isinstance(issue, dict) else {}


def _status(issue: Issue) -> str:
    status = issue.get("status")
    return _CLAIMED.get(status, status) if isinstance(status, str) else ""


def _entry(issue: Issue, start: int, issues: dict[str, Issue], waiting: set[str]) -> TaskEntry:
    identity, status, priority = str(issue["id"]), _status(issue), issue.get("priority")
    rank = priority if isinstance(priority, int) else _PRIORITY
    is_held = any(name in waiting for name in _linked(issue, ("parent-child",)))
    stated = (identity, str(issue.get("title") or identity), status, start, start)
    needs = [name for name in _linked(issue, _BLOCKING) if name in issues]
    urgency = (0 if status == _OPEN else 1, rank, -_created(issue))
    is_offered = not is_held and not issue.get("pinned") and issue.get("issue_type") not in _NOT_OFFERED
    return TaskEntry(*stated, needs, [], urgency, is_offered, status != _NOT_OPENING)


def _waiting(issues: dict[str, Issue]) -> set[str]:
    """The issues that wait for an open one, or belong to one that does: what is part of them waits as well."""
    is_open = {name for name, issue in issues.items() if _status(issue) != _CLOSED}
    waiting = {name for name in is_open if is_open.intersection(_linked(issues[name], _BLOCKING))}
    parts: dict[str, list[str]] = {}
    for name in is_open:
        for parent in _linked(issues[name], ("parent-child",)):
            parts.setdefault(parent, []).append(name)
    rest = list(waiting)
    while rest:
        more = [name for name in parts.get(rest.pop(), ()) if name not in waiting]
        waiting.update(more)
        rest += more
    return waiting


def _linked(issue: Issue, kinds: tuple[str, ...]) -> list[str]:
    """The issues that one is linked to in these ways; that it was found on the way to another, say, blocks nothing."""
    listed = issue.get("dependencies")
    links = [link for link in listed if isinstance(link, dict)] if isinstance(listed, list) else []
    found = [link.get("depends_on_id") for link in links if link.get("type") in kinds]
    return [name for name in found if isinstance(name, str)]


def _created(issue: Issue) -> int:
    """When it was created, in microseconds: of equal priority, beads takes the newest first."""
    try:
        return int(datetime.fromisoformat(str(issue.get("created_at"))).timestamp() * 1_000_000)
    except (ValueError, OverflowError, OSError):
        return 0
