"""beads' issues: `.beads/issues.jsonl`, one JSON object on each line."""

import json

from planrail.errors import UnreadablePlan
from planrail.plans.entries import Entry, make_plan
from planrail.plans.model import Plan
from planrail.plans.source import Source

_GONE = "tombstone"  # what stays of an issue that was deleted
_OPEN = "open"
_NOT_OPENING = "deferred"
_PRIORITY = 2  # beads' own, where an issue has none


def read_jsonl(source: Source) -> Plan:
    """The plan that a file of issues is, or `UnreadablePlan` where it holds none."""
    entries, at = [], 1 if source.text[:1] == "\ufeff" else 0
    for number, line in enumerate(source.text[at:].split("\n"), 1):
        if line.strip():
            issue = _parse(source.path, number, line)
            entries += _entry(issue, at + len(line) - len(line.lstrip()))
        at += len(line) + 1
    if not entries:
        raise UnreadablePlan(f"{source.path} holds no issues with a status", remedy="name a plan file")
    return make_plan(source, source.path.replace("\\", "/").rsplit("/", 1)[-1], "beads", entries)


def _parse(path: str, number: int, line: str) -> dict[str, object]:
    try:
        issue = json.loads(line)
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadablePlan(f"line {number} of {path} is not valid JSON: {detail}", remedy="repair the line") from None
    return issue if isinstance(issue, dict) else {}


def _entry(issue: dict[str, object], start: int) -> list[Entry]:
    identity, status = issue.get("id"), issue.get("status")
    if not isinstance(identity, str) or not isinstance(status, str) or status == _GONE:
        return []
    priority = issue.get("priority")
    urgency = (0 if status == _OPEN else 1, priority if isinstance(priority, int) else _PRIORITY)
    title = str(issue.get("title") or identity)
    needs = _needs(issue.get("dependencies"))
    return [Entry(identity, title, status, start, start, needs, [], urgency, opens_others=status != _NOT_OPENING)]


def _needs(dependencies: object) -> list[str]:
    """The issues that block one; that one belongs to another, or was found on the way, blocks nothing."""
    listed = dependencies if isinstance(dependencies, list) else []
    found = [link.get("depends_on_id") for link in listed if isinstance(link, dict) and link.get("type") == "blocks"]
    return [name for name in found if isinstance(name, str)]
