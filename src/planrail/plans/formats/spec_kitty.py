"""spec-kitty's work packages: the headings of tasks.md name them, and the lane that each is in says how far it is.

Lanes stand in the log of events beside tasks.md; in projects of older versions in the front matter of each package's
own file, or in the name of the folder that it lies in. Boxes in tasks.md are a copy that the tool does not read back.
"""

import re

from planrail.base.patterns import pattern
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.statements.statements import Account
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.outline import Outline
from planrail.plans.units.units import Unit, first_of_each, id_key, section_unit

EVENTS = "status.events.jsonl"
_FOLDER = "tasks"
_PACKAGE = pattern(r"WP\d+", re.IGNORECASE)
_NAMED = pattern(r"\b(?:WP-?|Work Package #?(?:WP)?)(\d{1,4})(?![\w.])", re.IGNORECASE)
_LANE = pattern(r"^lane[ \t]*:[ \t]*[\"']?(\w+)", re.MULTILINE)
LANES = {
    **dict.fromkeys(("genesis", "planned"), State.TODO),
    **dict.fromkeys(("claimed", "doing", "in_progress", "for_review", "in_review"), State.IN_PROGRESS),
    **dict.fromkeys(("approved", "done"), State.DONE),
    "blocked": State.BLOCKED,
    "canceled": State.SKIPPED,
}
_WAITING = ("for_review", "in_review")


def lane_of(state: State) -> str:
    """The lane that a package with a state belongs in; one that is begun, for those that no lane stands for."""
    return next((lane for lane in ("planned", "doing", "done", "blocked", "canceled") if LANES[lane] is state), "doing")


def find_packages(document: Outline) -> list[Unit]:
    """The work packages that headings name, in any of the forms that agents write, whatever phases group them."""
    units = []
    for section in document.sections[1:]:
        numbers = {int(number) for number in _NAMED.findall(section.text)}
        if len(numbers) == 1:  # one that names several is about them: "Order: WP01, then WP02"
            unit = section_unit(section)
            unit.id = f"WP{numbers.pop():02}"
            units.append(unit)
    return first_of_each(units)


def hear_lanes(surroundings: Surroundings, accounts: dict[str, Account]) -> bool:
    """Let the lanes of work packages speak, and nothing else of those that have one; whether there are any."""
    events = surroundings.read(EVENTS)
    lanes = _from_events(events) if events else _from_files(surroundings)
    for name, account in accounts.items():
        lane = lanes.get(id_key(name))
        if lane is not None:
            account.claims[:] = [lane]
    return bool(lanes)


def _from_events(text: str) -> dict[str, StatusClaim]:
    """The lane that each package's last event led to. Events of several worktrees are put in order by their times."""
    import json

    last: dict[str, tuple[tuple[str, str], StatusClaim]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if not isinstance(event, dict) or not isinstance(event.get("wp_id"), str) or event.get("to_lane") not in LANES:
            continue
        key, when = id_key(event["wp_id"]), (str(event.get("at", "")), str(event.get("event_id", "")))
        if key not in last or when >= last[key][0]:
            last[key] = (when, _claim(event["to_lane"], EVENTS, number))
    return {key: claim for key, (_, claim) in last.items()}


def _from_files(surroundings: Surroundings) -> dict[str, StatusClaim]:
    found: dict[str, StatusClaim] = {}
    for folder in (_FOLDER, *(f"{_FOLDER}/{lane}" for lane in LANES)):
        for name in surroundings.names(folder):
            package = _PACKAGE.match(name)
            if package and name.endswith(".md"):
                path = f"{folder}/{name}"
                text = surroundings.read(path) or ""
                lane = _LANE.search(text)
                word = lane[1] if lane else folder.rpartition("/")[2]
                if word in LANES:
                    line = text.count("\n", 0, lane.start()) + 1 if lane else 1
                    found.setdefault(id_key(package[0]), _claim(word, path, line))
    return found


def _claim(lane: str, path: str, line: int) -> StatusClaim:
    reason = f"{path}, line {line}: lane {lane}"
    return StatusClaim(Kind.COMPANION, LANES[lane], line, reason, path=path, is_waiting=lane in _WAITING)
