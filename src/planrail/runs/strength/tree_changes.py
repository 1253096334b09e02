"""What it means that a check changed the tree it was run on. Pure."""

from collections.abc import Iterable, Sequence

from planrail.base.run_model import CheckOrder, Finding
from planrail.runs.strength.files import is_lock, is_steering, is_test, takes_a_place

_MOST_NAMED = 5


def judge_traces(check: CheckOrder, changed: Sequence[str], left: Iterable[str]) -> list[Finding]:
    """What speaks against a check that changed tracked files, or left tests behind for the next one.

    A lock file that a package manager rewrote is worth knowing and no more; everything else means that the check did
    not judge the tree that is to land.
    """
    place = f"line {check.line}" if check.line else ""
    found = []
    edited = [path for path in changed if not is_lock(path)]
    if edited:
        text = f"`{_first_line(check.command)}` changed the files that it judges: {name_some(edited)}"
        found.append(Finding("check_changed_tree", text, place))
    elif changed:
        text = f"`{_first_line(check.command)}` rewrote {name_some(changed)}"
        found.append(Finding("check_changed_lock", text, place, is_failure=False))
    planted = [path for path in left if is_test(path) or is_steering(path) or takes_a_place(path)]
    if planted:
        text = f"`{_first_line(check.command)}` left what the next check may run: {name_some(planted)}"
        found.append(Finding("check_left_tests", text, place))
    return found


def name_some(names: Iterable[str], most: int = _MOST_NAMED) -> str:
    """A few names for a sentence, and how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def _first_line(command: str) -> str:
    first, _, rest = command.strip().partition("\n")
    return first[:120] + (" …" if rest or len(first) > 120 else "")
