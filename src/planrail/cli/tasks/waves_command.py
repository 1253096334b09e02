"""In which order can tasks be done? Those of a wave can go on side by side; only dependencies among them count.

planrail task waves [7,9-12]       without numbers: all open tasks

With --json: {"waves": [[7], [9, 10]], "circle": [], "next"}. Exit code 1 where tasks wait for each other in a circle.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence

from planrail.base.errors import PlanrailError
from planrail.base.wording import Answer, clip, paint
from planrail.tasks.context.context import Context, look_up
from planrail.tasks.model import Brief
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.waves import Circle, gather_open, group_waves, join_numbers, name_tasks

_WIDTH = 72


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", nargs="*", help="one or several: 7 or 7,9-12")


def answer(context: Context, arguments: Namespace) -> Answer:
    known = {brief.number: brief for brief in look_up(context)}
    briefs = _choose(known, " ".join(arguments.numbers))
    found = group_waves({number: brief.dependencies for number, brief in briefs.items()})
    waves: Sequence[Sequence[int]] = found.waves if isinstance(found, Circle) else found
    ring = found.ring if isinstance(found, Circle) else ()
    # All that is open of these tasks, and has to be done before them.
    left = [number for number, brief in briefs.items() if brief.status not in TERMINAL]
    states = {number: brief.status for number, brief in known.items()}
    numbers = gather_open(left, {number: brief.dependencies for number, brief in known.items()}, states)
    following = f"planrail task edit {ring[0]} --depends …" if ring else 'planrail task new "what is to be done"'
    following = f"planrail task orchestrate {join_numbers(numbers)}" if numbers and not ring else following
    lines = []
    for place, wave in enumerate(waves, 1):
        titles = (f"  {number:>4}  {clip(' '.join(briefs[number].title.split()), _WIDTH)}" for number in wave)
        lines += [paint(f"wave {place}", "bold"), *titles]
    if ring:
        lines.append(f"these wait for each other: {' → '.join(map(str, (*ring, ring[0])))}")
    elif not waves:
        lines.append("there is no open task")
    document = {"waves": [list(wave) for wave in waves], "circle": list(ring), "next": following}
    return Answer(document, lines, command=following, code=1 if ring else 0)


def _choose(known: Mapping[int, Brief], numbers: str) -> dict[int, Brief]:
    if not numbers.strip():
        return {number: brief for number, brief in known.items() if brief.status not in TERMINAL}
    wanted = read_numbers(numbers)
    missing = [number for number in wanted if number not in known]
    if missing:
        raise PlanrailError(f"there is no {name_tasks(missing)}", remedy="planrail task list")
    return {number: known[number] for number in wanted}
