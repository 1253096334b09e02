"""Which phases does a run take up next? Pure."""

from planrail.base.run_model import Order, PhaseOrder, Refusal
from planrail.runs.phases.waves import AllFinished, NothingCanStart, StartPhases, next_phases, refuse_order

_OUT = ("skipped",)  # a person's decision; it proves nothing, and asks for nothing


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
    """The phase with this id, whatever its letter case."""
    exact = [phase for phase in order.phases if phase.id == name]
    loose = [phase for phase in order.phases if phase.id.lower() == name.lower()]
    return next(iter(exact or loose), None)
