"""How well planrail reads plans that people have judged: `python bench/judged_plans.py FOLDER`.

FOLDER has documents and a `manifest.jsonl`, a judgement a line: `file`, `plan_status`, `units` with `id`, `title` and
`status`, `next` and `acceptable_next_units`. Printed are the shares of right answers and every wrong one. A judged unit
is found by its id and title, else by its title alone, else by its id: documents do not always number their units.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from planrail.base.records import record
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.text.source import load
from planrail.plans.units.units import id_key

# What a judged state may be called by planrail.
STATES = {
    "done": {"done"},
    "pending": {"todo"},
    "in_progress": {"in_progress", "partial"},
    "deferred": {"skipped", "blocked", "todo"},
    "skipped": {"skipped"},
}
_SHORTEST = 4  # characters of a title that can stand in a longer one

Judgement = dict[str, Any]


@record
class Score:
    """The answers about one kind of thing, and which of them were wrong."""

    asked: int
    wrong: list[str]

    @property
    def share(self) -> float:
        return 1 - len(self.wrong) / max(self.asked, 1)


def main(folder: Path) -> int:
    """Print the shares and the wrong answers."""
    lines = (folder / "manifest.jsonl").read_text("utf-8").splitlines()
    judged = [(entry, read(load(str(folder / entry["file"])))) for entry in map(json.loads, lines)]
    for name, score in measure(judged).items():
        print(f"{name:12} {score.asked - len(score.wrong)} of {score.asked}: {score.share:.1%}")
        for text in score.wrong:
            print(f"    {text}")
    return 0


def measure(judged: list[tuple[Judgement, Plan]]) -> dict[str, Score]:
    """The status of each plan, its next unit, the states of its units, and units that are none."""
    statuses = [f"{e['file']}: {p.status}, not {e['plan_status']}" for e, p in judged if p.status != e["plan_status"]]
    nexts = [f"{e['file']}: {p.next and p.next.phase}, not {_wanted(e)}" for e, p in judged if not _is_next(e, p)]
    states = [verdict for entry, plan in judged for verdict in _judge_units(entry, plan)]
    surplus = [f"{e['file']}: {phase.id} {phase.title}" for e, p in judged for phase in _surplus(e, p)]
    return {
        "status": Score(len(judged), statuses),
        "next": Score(len(judged), nexts),
        "unit states": Score(len(states), [text for text in states if text]),
        "no surplus": Score(sum(len(plan.phases) for _, plan in judged), surplus),
    }


def _wanted(entry: Judgement) -> list[str | None]:
    return sorted({*entry["acceptable_next_units"], *entry.get("ready_set", ())}) or [_next_of(entry)]


def _next_of(entry: Judgement) -> str | None:
    """The judged next unit; None where nothing is left."""
    return entry["next"]["unit"] if entry["next"] else None


def _is_next(entry: Judgement, plan: Plan) -> bool:
    wanted = {*_wanted(entry), _next_of(entry)}
    if plan.next is None:
        return _next_of(entry) is None
    found = {unit["id"] for unit, phase in _match(entry, plan) if phase and phase.id == plan.next.phase}
    return bool(found & wanted) or id_key(plan.next.phase) in {id_key(name) for name in wanted if name}


def _judge_units(entry: Judgement, plan: Plan) -> Iterator[str]:
    """For each judged unit what is wrong about it, or an empty text."""
    for unit, phase in _match(entry, plan):
        state = str(phase.status) if phase else "not found"
        is_right = state in STATES[unit["status"]]
        yield "" if is_right else f"{entry['file']} {unit['id']} {unit['title'][:40]!r}: {state}, not {unit['status']}"


def _surplus(entry: Judgement, plan: Plan) -> list[Phase]:
    known = {phase.id for _, phase in _match(entry, plan) if phase}
    return [phase for phase in plan.phases if phase.id not in known]


def _match(entry: Judgement, plan: Plan) -> list[tuple[Judgement, Phase | None]]:
    return [(unit, _find(unit, plan)) for unit in entry["units"]]


def _find(unit: Judgement, plan: Plan) -> Phase | None:
    named = [phase for phase in plan.phases if id_key(phase.id) == id_key(unit["id"])]
    titled = [phase for phase in plan.phases if _is_same_title(phase.title, unit["title"])]
    both = [phase for phase in named if phase in titled]
    return next(iter(both or (titled if len(titled) == 1 else []) or named), None)


def _is_same_title(one: str, other: str) -> bool:
    shorter, longer = sorted((_letters(one), _letters(other)), key=len)
    return shorter == longer or (len(shorter) >= _SHORTEST and shorter in longer)


def _letters(title: str) -> str:
    return "".join(sign for sign in title.lower() if sign.isalnum())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
