"""Which phases does a run take up next? Pure."""

from collections.abc import Mapping, Sequence, Set

from planrail.base.run_model import Order, PhaseOrder, Refusal
from planrail.base.values import value
from planrail.base.wording import quote
from planrail.plans.execution.executions import refuse_execution, refuse_runbook
from planrail.plans.units.dependencies import find_cycle

FINISHED = ("done", "landed", "skipped", "adopted")
RUNNING = ("running", "in_progress", "verified")
HELD = ("failed", "paused", "parked", "waiting", "blocked")
_OUT = ("skipped",)  # a person's decision; it proves nothing, and asks for nothing


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


def done_before(order: Order) -> set[str]:
    """The phases that need not run: landed by an earlier run, adopted by a person, or skipped on purpose."""
    skipped = {phase.id for phase in order.phases if phase.state in _OUT}
    return {*order.adopted, *order.landed, *skipped}


def is_all_done(order: Order, done: tuple[str, ...]) -> bool:
    """Whether nothing of the plan is left. `done` are the phases of this run."""
    return {phase.id for phase in order.phases} <= done_before(order) | set(done)


def choose(order: Order, done: tuple[str, ...]) -> tuple[str, ...] | Refusal:
    """The phases that come next; none where there is nothing left to do. `done` are those of this run."""
    if not order.phases:
        text = f"there is nothing to execute in {order.path}: it has no phases"
        return Refusal("unreadable", text, f"planrail lint {order.path}")
    cycle = refuse_order(order.phases)
    if cycle:
        return Refusal("refused", cycle, f"planrail lint {order.path}")
    finished = done_before(order) | set(done)
    if order.options.phase and not (order.options.finish and done):
        named = _named(order, finished)
        if named or not order.options.finish:
            return named
    blocked = {phase.id: "blocked" for phase in order.phases if phase.state == "blocked"}
    states = {**blocked, **dict.fromkeys(finished, "done")}
    wave = next_phases(order.phases, states, order.options.parallel)
    if isinstance(wave, StartPhases):
        return wave.phases
    if isinstance(wave, NothingCanStart):
        return Refusal("refused", wave.text, f"planrail show {order.path}")
    assert isinstance(wave, AllFinished)
    return ()


def _named(order: Order, finished: set[str]) -> tuple[str, ...] | Refusal:
    """The phase that the person named, if it is open and nothing stands before it."""
    phase = find_phase(order, order.options.phase)
    if phase is None:
        known = ", ".join(phase.id for phase in order.phases) or "none"
        text = f"{order.path} has no phase {order.options.phase!r}; it has: {known}"
        return Refusal("usage", text, f"planrail show {order.path}")
    if phase.id in finished:
        return ()
    missing = tuple(name for name in phase.stated_needs if name not in finished)
    if missing:
        text = f"phase {phase.id} needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not done"
        return Refusal("refused", text, f"planrail run {order.path} {missing[0]}")
    return (phase.id,)


def find_phase(order: Order, name: str) -> PhaseOrder | None:
    exact = [phase for phase in order.phases if phase.id == name]
    loose = [phase for phase in order.phases if phase.id.lower() == name.lower()]
    return next(iter(exact or loose), None)


def refuse_phase(order: Order, phase: PhaseOrder) -> Refusal | None:
    if order.remote and "direct" in (phase.execution.kind, order.options.landing):
        text = f"phase {phase.id} works directly in the checkout, and a worker has none"
        return Refusal("refused", text, type_again(order, phase.id, "--here", landing="direct"))
    mixed = refuse_execution(phase.execution, order.options.landing)
    if mixed:
        is_direct = phase.execution.kind == "direct"
        again = type_again(order, phase.id, landing="direct")
        remedy = again if is_direct else f"planrail lint {order.path}"
        return Refusal("refused", mixed, remedy)
    if order.options.agent == "runbook" and phase.execution.kind != "delegate":
        unfit = refuse_runbook(phase)
        if unfit:
            return Refusal("refused", unfit, type_again(order, phase.id, agent="claude"))
    if order.options.verifier == "runbook" and not phase.checks:
        text = f"phase {phase.id} has no check, and with the verifier runbook the checks are the verdict"
        return Refusal("refused", text, type_again(order, phase.id, verifier=order.options.agent))
    return None


def type_again(order: Order, phase: str, *more: str, **instead: str) -> str:
    """The call of a run once more, for a phase: with more words, and with these values in the place of its own."""
    asked, kept = iter(order.options.asked), list[str]()
    for word in asked:
        if word.startswith("--") and word[2:] in instead:
            next(asked)  # its value
        elif word not in more:
            kept.append(quote(word))
    kept += [f"--{name} {said}" for name, said in instead.items()]
    return " ".join(filter(None, ["planrail run", order.path, phase, *kept, *more]))
