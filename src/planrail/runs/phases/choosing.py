"""Which phases does a run take up next? Pure."""

from planrail.base.run_model import Order, PhaseOrder, Refusal
from planrail.base.wording import cut_clauses, quote
from planrail.plans.execution.executions import refuse_execution, refuse_runbook
from planrail.plans.units.dependencies import find_cycle


def done_before(order: Order) -> set[str]:
    """The phases that need not run: landed by an earlier run, adopted by a person, or skipped on purpose."""
    skipped = {phase.id for phase in order.phases if phase.state == "skipped"}
    return {*order.adopted, *order.landed, *skipped}


def is_all_done(order: Order, done: tuple[str, ...]) -> bool:
    """Whether nothing of the plan is left. `done` are the phases of this run."""
    return {phase.id for phase in order.phases} <= done_before(order) | set(done)


def choose(order: Order, done: tuple[str, ...]) -> tuple[str, ...] | Refusal:
    """The phases that come next; none where there is nothing left to do. `done` are those of this run."""
    if not order.phases:
        text = f"there is nothing to execute in {order.path}: it has no phases"
        return Refusal("unreadable", text, f"planrail lint {order.path}")
    known = {phase.id for phase in order.phases}
    cycle = find_cycle({phase.id: [name for name in phase.depends_on if name in known] for phase in order.phases})
    if cycle:
        text = f"the dependencies form a cycle: {' → '.join(cycle)}"
        return Refusal("refused", text, f"planrail lint {order.path}")
    finished = done_before(order) | set(done)
    if order.options.phase and not (order.options.finish and done):
        named = _named(order, finished)
        if named or not order.options.finish:
            return named
    left = {phase.id: [name for name in phase.depends_on if name not in finished] for phase in order.phases}
    left = {name: missing for name, missing in left.items() if name not in finished}
    held = [phase.id for phase in order.phases if phase.state == "blocked" and phase.id in left]
    free = [phase for phase in order.phases if left.get(phase.id) == [] and phase.id not in held]
    if free and free[0].execution.kind == "direct":  # it shares the user's own checkout with no other
        return (free[0].id,)
    if free or not left:
        return tuple(phase.id for phase in free if phase.execution.kind != "direct")[: max(1, order.options.parallel)]
    why = [f"phase {name} is blocked" for name in held] or [
        f"phase {name} needs {', '.join(missing)}" for name, missing in left.items()
    ]
    return Refusal("refused", cut_clauses("; ".join(why)), f"planrail show {order.path}")


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
    named = "" if order.options.finish else phase.id
    if order.remote and "direct" in (phase.execution.kind, order.options.landing):
        text = f"phase {phase.id} works directly in the checkout, and a worker has none"
        return Refusal("refused", text, type_again(order, named, "--here", landing="direct"))
    mixed = refuse_execution(phase.execution, order.options.landing)
    if mixed:
        is_direct = phase.execution.kind == "direct"
        again = type_again(order, named, landing="direct")
        remedy = again if is_direct else f"planrail lint {order.path}"
        return Refusal("refused", mixed, remedy)
    if order.options.agent == "runbook" and phase.execution.kind != "delegate":
        unfit = refuse_runbook(phase)
        if unfit:
            return Refusal("refused", unfit, type_again(order, named, agent="claude"))
    if order.options.verifier == "runbook" and not phase.checks:
        text = f"phase {phase.id} has no check, and with the verifier runbook the checks are the verdict: give it a"
        text += " `sh check` block, or another verifier"
        return Refusal("refused", text, type_again(order, named, verifier=order.options.agent))
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
