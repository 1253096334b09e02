"""Which phases can start now? By what each needs, what is finished and what is under way."""

from collections.abc import Mapping, Sequence, Set

from planrail.base.run_model import PhaseOrder
from planrail.base.values import value
from planrail.plans.units.dependencies import find_cycle

FINISHED = ("done", "landed", "skipped", "adopted")
RUNNING = ("running", "in_progress", "verified")
HELD = ("failed", "paused", "parked", "waiting", "blocked")


@value
class StartPhases:
    """These phases can start, all of them at once."""

    phases: tuple[str, ...]


@value
class AwaitPhases:
    """Nothing more can start until one of these phases has ended."""

    phases: tuple[str, ...]


@value
class AllFinished:
    """Every phase is finished."""


@value
class NothingCanStart:
    """There is open work, none of which can start; `text` says why."""

    text: str


Wave = StartPhases | AwaitPhases | AllFinished | NothingCanStart


def refuse_order(phases: Sequence[PhaseOrder]) -> str:
    """Why these phases cannot be brought into an order; "" where they can."""
    known = {phase.id for phase in phases}
    cycle = find_cycle({phase.id: [name for name in phase.depends_on if name in known] for phase in phases})
    return f"the dependencies form a cycle: {' → '.join(cycle)}" if cycle else ""


def unmet(phase: PhaseOrder, done: Set[str]) -> tuple[str, ...]:
    """The phases that have to be done before this one and are not."""
    return tuple(name for name in phase.depends_on if name not in done)


def ready(phases: Sequence[PhaseOrder], done: Set[str]) -> list[str]:
    """The phases that are not done and need nothing that is not, in the plan's order."""
    return [phase.id for phase in phases if phase.id not in done and not unmet(phase, done)]


def finished_of(states: Mapping[str, str]) -> set[str]:
    """The phases that nothing has to wait for any more."""
    return {name for name, state in states.items() if state in FINISHED}


def next_phases(phases: Sequence[PhaseOrder], states: Mapping[str, str], parallel: int = 1) -> Wave:
    """What to start, with at most `parallel` phases under way. After a failure nothing new is started.

    `states` are those of the ledger, and of the document where it has none: a phase that it does not name is open.
    """
    done = finished_of(states)
    running = tuple(phase.id for phase in phases if states.get(phase.id) in RUNNING)
    failed = [phase.id for phase in phases if states.get(phase.id) == "failed"]
    if all(phase.id in done for phase in phases):
        return AllFinished()
    room = max(1, parallel) - len(running)
    chosen = () if failed or room < 1 else _choose(phases, states, done, room, is_alone=not running)
    if chosen:
        return StartPhases(chosen)
    return AwaitPhases(running) if running else NothingCanStart(_why_not(phases, states, done))


def _choose(
    phases: Sequence[PhaseOrder], states: Mapping[str, str], done: set[str], room: int, *, is_alone: bool
) -> tuple[str, ...]:
    """The first phases that are free to go. One that works in the user's own checkout shares it with no other."""
    free = set(ready(phases, done))
    waiting = [phase for phase in phases if phase.id in free and states.get(phase.id) not in (*RUNNING, *HELD)]
    if waiting and waiting[0].execution.kind == "direct":
        return (waiting[0].id,) if is_alone else ()
    return tuple(phase.id for phase in waiting if phase.execution.kind != "direct")[:room]


def _why_not(phases: Sequence[PhaseOrder], states: Mapping[str, str], done: set[str]) -> str:
    cycle = refuse_order(phases)
    if cycle:
        return cycle
    held = [f"phase {phase.id} is {states[phase.id]}" for phase in phases if states.get(phase.id) in HELD]
    return "; ".join(held) or "; ".join(
        f"phase {phase.id} needs {', '.join(unmet(phase, done))}" for phase in phases if phase.id not in done
    )
