"""A request for a run over the settings: the options and the order that follow from it, or why there are none."""

from planrail.agents.drivers import ALL_NAMES
from planrail.base.budgets import read_budget
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.run_model import Budget, Options, Order
from planrail.base.settings import LANDINGS, Settings
from planrail.base.wording import quote
from planrail.runs.phases.choosing import choose, done_before
from planrail.runs.request.ordering import Ground, make_order, settled_budget
from planrail.runs.request.requests import RunRequest


def order_run(request: RunRequest, ground: Ground) -> Order:
    """The order of a new run; a `PlanrailError` where the request contradicts itself or the settings."""
    return make_order(ground, make_options(prefer_settings(request, ground), ground.settings))


def prefer_settings(request: RunRequest, ground: Ground) -> RunRequest:
    """The request with how the work lands: by itself, then by the settings."""
    landing = request.landing or ground.settings.run.landing
    if landing not in LANDINGS:
        raise UsageError(f"{landing!r} is no way to land", remedy="--landing cherry-pick, pr or direct")
    if landing == "direct" and ground.settings.run.main_protected:
        raise PlanrailError(
            "the target is protected ([run] main_protected), so nothing lands on it directly",
            remedy=f"planrail run {quote(ground.paper.path)} pr",
        )
    return replace(request, landing=landing)


def make_options(request: RunRequest, settings: Settings) -> Options:
    """The options of a run; a `UsageError` where they contradict each other."""
    run = settings.run
    parallel = run.parallel if request.parallel is None else request.parallel
    agent, verifier = request.agent or run.agent, request.verifier or run.verifier
    if request.again and not request.phase:
        raise UsageError("--again needs the phase that is done once more", remedy="planrail run PLAN PHASE --again")
    for name in filter(None, (agent, verifier)):
        if name not in ALL_NAMES:
            known = ", ".join(ALL_NAMES)
            raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {known}")
        if name in ("command", "acp") and not getattr(run, name):
            raise UsageError(
                f"the agent {name!r} needs a command line, and [run] {name} has none",
                remedy=f'{name} = "my-agent {{prompt}}" under [run] in planrail.toml, committed',
            )
    if not 1 <= parallel <= 10:
        raise UsageError(f"--parallel {parallel} is not from 1 to 10", remedy="--parallel 2")
    return Options(
        agent=agent,
        verifier=verifier,
        model=request.model or run.model,
        landing=request.landing,
        auto=request.auto,
        finish=request.finish,
        phase=request.phase,
        parallel=parallel if request.finish else 1,
        again=request.again,
        with_unpushed=request.with_unpushed,
        budget=merge_budgets(settled_budget(settings), request.budget),
        branch_prefix=run.branch_prefix,
        main_protected=run.main_protected,
        workspace=run.workspace,
        waits_for_limit=request.wait_for_limit or run.wait_for_limit,
        agent_minutes=run.timeout,
        verify_minutes=run.verify_timeout,
        check_minutes=settings.testing.timeout,
        ui_files=tuple(settings.ui.files),
        awaits_sign_off=settings.ui.sign_off,
    )


def find_contradictions(request: RunRequest, order: Order) -> list[str]:
    """What is asked for that an unfinished run was not ordered with, each as a person would say it."""
    ordered = order.options
    left = {phase.id for phase in order.phases} - done_before(order)
    chosen = () if ordered.finish else choose(order, ())
    phase = ordered.phase or (chosen[0] if isinstance(chosen, tuple) and chosen else "")
    wished = {"phase": (request.phase, phase)}
    wished |= {
        name: (getattr(request, name), getattr(ordered, name)) for name in ("landing", "agent", "verifier", "model")
    }
    found = [
        f"its {name} is {then or 'none in particular'}, not {now}"
        for name, (now, then) in wished.items()
        if now != then and now
    ]
    if request.finish and not ordered.finish and left - {phase}:
        found.insert(0, f"it does phase {phase} alone, and `finish` asks for all of them")
    return found


def merge_budgets(settled: Budget, given: str) -> Budget:
    """The given ceilings, and the settled ones where none is given."""
    for level in ("plan", "phase", "attempt") if given else ():
        ceilings, new = getattr(settled, level), getattr(read_budget(given), level)
        chosen = {
            name: getattr(new, name) or getattr(ceilings, name) for name in ("money", "tokens", "minutes", "attempts")
        }
        settled = replace(settled, **{level: replace(ceilings, **chosen)})
    return settled
