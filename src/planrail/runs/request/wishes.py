"""A request for a run over the settings: the options and the order that follow from it, or why there are none."""

import os
import re
import time
import uuid

from planrail.agents.drivers import ALL_NAMES
from planrail.base.budgets import read_budget
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.identity import branch_name, slug
from planrail.base.records import replace
from planrail.base.run_model import Budget, Options, Order
from planrail.base.settings import LANDINGS, Settings
from planrail.base.state_folder import state_folder
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git, run_git
from planrail.plans.canonical.canonical import hash_text
from planrail.plans.execution.executions import order_phases
from planrail.runs.checks.room_places import choose_rooms
from planrail.runs.forge.request_places import fetch_base, list_commits, locate_request
from planrail.runs.phases.choosing import choose, done_before
from planrail.runs.request.history import read_past
from planrail.runs.request.ordering import Ground, settled_budget
from planrail.runs.request.requests import RunRequest
from planrail.runs.testing_mode import SKIPPED, TELLING_FILES, decide_testing

_KEY = re.compile(r"[ \t]*issue[ \t]*:(?P<value>.*)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")


def order_run(request: RunRequest, ground: Ground) -> Order:
    """The order of a new run; a `PlanrailError` where the request contradicts itself or the settings."""
    return make_order(ground, make_options(prefer_settings(request, ground), ground.settings))


def make_order(ground: Ground, options: Options) -> Order:
    """The order of a run of this plan."""
    text, paper = ground.paper.source.text, ground.paper
    run = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"
    command, mode = _testing(ground)
    name = slug(paper.path)
    line = f"refs/heads/{branch_name(options.branch_prefix, name)}" if options.landing == "pr" else ground.target
    past = read_past(ground, line)
    return Order(
        run=run,
        plan=paper.id,
        path=paper.path,
        root=ground.root,
        slug=name,
        title=paper.plan.title or name,
        target=ground.target,
        is_tracked=ground.is_tracked,
        text_hash=hash_text(text),
        phases=order_phases(paper.plan, text),
        options=options,
        test_command=command,
        test_mode=mode,
        approval="" if not ground.policy.required else "approved",
        adopted=past.adopted,
        landed=tuple(name for name in past.landed if not (options.again and name == options.phase)),
        line=line,
        issues=read_issues(text),
        began=int(time.time()),
        base=ground.head,
        unpushed=_list_unpushed(ground, options),
        workspaces=os.path.join(_workspaces(ground.settings), run),
        rooms=choose_rooms(ground.settings.run.workspaces),
    )


def _list_unpushed(ground: Ground, options: Options) -> tuple[tuple[str, str], ...]:
    """The commits of the target that travel with a pull request because a person said so."""
    if options.landing != "pr" or not options.with_unpushed:
        return ()

    base = fetch_base(ground.root, locate_request(ground.root, ground.target))
    return tuple((commit.id, commit.subject) for commit in list_commits(ground.root, ground.head, [base]))


def _workspaces(settings: Settings) -> str:
    moved = settings.run.workspaces
    return os.path.abspath(os.path.expanduser(moved)) if moved else os.path.join(state_folder(), "workspaces")


def _testing(ground: Ground) -> tuple[str, str]:
    """The command that runs all tests; a project that has tests and does not say how to run them is asked."""
    command = ground.settings.testing.command
    files = [] if command else run_git(ground.root, "ls-tree", "-r", "-z", "--name-only", ground.head).split("\0")
    telling = [name for name in TELLING_FILES if name in files]
    contents = {name: ask_git(ground.root, "show", f"{ground.head}:{name}") or "" for name in telling}
    decided = decide_testing(command, files, contents)
    if decided.problem:
        raise UsageError(decided.problem, remedy=decided.remedy)
    return command, decided.mode if command else SKIPPED


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


def read_issues(text: str) -> tuple[int, ...]:
    """The numbers of the `issue:` lines in a plan's front matter, each once. What is no number above 0 is none."""
    found: list[int] = []
    for line in _front_matter(text):
        key = _KEY.fullmatch(line)
        number = key["value"].strip().strip("\"'").strip().removeprefix("#").strip() if key else ""
        if _NUMBER.fullmatch(number) and int(number) > 0:
            found.append(int(number))
    return tuple(dict.fromkeys(found))


def _front_matter(text: str) -> list[str]:
    """The lines between the two rules at the top of the file."""
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    if lines[0].rstrip() != "---":
        return []
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    return lines[1:end]
