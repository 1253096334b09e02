"""The order of a run: what follows from a request, the settings, the repository and what had happened before."""

import os
import re
import time
import uuid

from planrail.agents.drivers import check_names
from planrail.approval.book import list_facts
from planrail.base.budgets import read_budget
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.identity import branch_name, slug
from planrail.base.models import refuse_weak
from planrail.base.records import replace
from planrail.base.run_model import Budget, Ceilings, Options, Order
from planrail.base.settings import LANDINGS, Settings
from planrail.base.state_folder import state_folder
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.git.remotes.pushing import FETCHED, remote_of
from planrail.git.trailers import read_history
from planrail.plans.canonical.canonical import hash_text
from planrail.plans.execution.executions import order_phases
from planrail.runs.checks.check_places import choose_check_folder
from planrail.runs.checks.enclosures import choose_enclosure
from planrail.runs.contracts import read_contract
from planrail.runs.forge.steps import fetch_base, list_commits, locate_request
from planrail.runs.phases.choosing import choose, done_before
from planrail.runs.request.ordering import RunContext, list_texts
from planrail.runs.request.requests import RunRequest, spell
from planrail.runs.setup.signs import read_testing
from planrail.store.runs.run_facts import adopted_in

_KEY = re.compile(r"[ \t]*issue[ \t]*:(?P<value>.*)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")
_UNPROVEN = ("failed", "in_progress", "paused", "parked", "stopped")


def order_run(request: RunRequest, context: RunContext) -> Order:
    """The order of a new run; a `PlanrailError` where the request contradicts itself or the settings."""
    options = make_options(prefer_settings(request, context), context.settings)
    return make_order(context, replace(options, asked=spell(replace(request, plan="", phase=""))))


def make_order(context: RunContext, options: Options) -> Order:
    text, plan_file = context.plan_file.source.text, context.plan_file
    run = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"
    name = slug(plan_file.path)
    line = f"refs/heads/{branch_name(options.branch_prefix, name)}" if options.landing == "pr" else context.target
    landed, adopted = read_past(context, line)
    unpushed: tuple[tuple[str, str], ...] = ()
    if options.landing == "pr" and options.with_unpushed:  # they travel with the request because a person said so
        base = fetch_base(context.root, locate_request(context.root, context.target))
        unpushed = tuple(list_commits(context.root, context.head, [base]))
    choose_enclosure(context.root, context.settings.run, os.environ)  # refuses where what is required cannot be had
    workspaces = context.settings.run.workspaces
    places = os.path.expanduser(workspaces) if workspaces else os.path.join(state_folder(), "workspaces")
    contract, rules = read_contract(plan_file, context.head, is_tracked=context.is_tracked)
    phases = [replace(one, rules=(*one.rules, *rules)) for one in order_phases(plan_file.plan, text)]
    return Order(
        run=run,
        plan=plan_file.id,
        path=plan_file.path,
        root=context.root,
        slug=name,
        title=plan_file.plan.title or name,
        target=context.target,
        is_tracked=context.is_tracked,
        text_hash=hash_text(text),
        phases=tuple(phases),
        options=options,
        test_command=context.settings.testing.runnable,
        test_mode=_find_test_mode(context),
        approval="" if not context.policy.required else "approved",
        adopted=adopted,
        landed=tuple(name for name in landed if not (options.again and name == options.phase)),
        line=line,
        issues=read_issues(text),
        began=int(time.time()),
        base=context.head,
        contract=contract,
        unpushed=unpushed,
        workspaces=os.path.join(os.path.abspath(places), run),
        check_folder=choose_check_folder(workspaces),
    )


def _find_test_mode(context: RunContext) -> str:
    """How the project is tested; one that has tests and does not say how to run them is asked."""
    testing = read_testing(context.root, context.head, context.settings.testing.command)
    if testing.problem:
        raise UsageError(f"{testing.problem}; nothing was started", remedy=testing.remedy)
    return testing.mode


# ---- what had happened before ----


def read_past(context: RunContext, line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The phases that earlier runs landed, and those that a person adopted: they need not run again.

    A row of the ledger alone proves nothing, and neither does a commit that says so by itself: where the ledger knows
    the plan, a phase has landed if both agree, on the target or on the line that leads to it. A fresh clone has only
    the commits, and believes them. What was proven of another text of a phase proves nothing of this one.
    """
    root, plan, texts = context.root, context.plan_file.id, list_texts(context.plan_file)
    facts = list_facts(root, plan=plan)
    elsewhere: list[str] = []
    if line != context.target:  # the branch of the request, and the target as its remote had it last
        upstream = remote_of(root, context.target)
        there = f"{FETCHED}/{upstream.remote}/{upstream.branch}" if upstream is not None else ""
        elsewhere = [ref for ref in (line, there) if ref and ask_git(root, "rev-parse", "--verify", "--quiet", ref)]
    history = [found for ref in (context.target, *elsewhere) for found in read_history(root, ref)]
    commits = {(found.phase, found.evidence) for found in history if found.plan == plan}
    told = [
        {name: str(fact.value.get(name) or "") for name in ("phase", "state", "evidence", "canonical")}
        for fact in facts
    ]
    proofs = [fact for fact in told if fact["state"] not in _UNPROVEN]
    proofs = [fact for fact in proofs if fact["canonical"] in ("", *texts.get(fact["phase"], ()))]
    known = {(fact["phase"], fact["evidence"]) for fact in proofs}
    has_run = any(fact.kind == "phase" for fact in facts)
    landed = {phase for phase, evidence in commits if not has_run or (phase, evidence) in known}
    adopted = set(adopted_in(facts))
    if not context.policy.required and not has_run:  # done at the first run of a project that does without approval
        adopted.update(phase.id for phase in context.plan_file.plan.phases if phase.status.is_terminal)
    return tuple(sorted(landed)), tuple(sorted(adopted - landed))


# ---- what a person asked for ----


def prefer_settings(request: RunRequest, context: RunContext) -> RunRequest:
    """The request with how the work lands: by itself, then by the settings."""
    landing = request.landing or context.settings.run.landing
    if landing not in LANDINGS:
        raise UsageError(f"{landing!r} is no way to land", remedy="--landing cherry-pick, pr or direct")
    if landing == "direct" and context.settings.run.main_protected:
        raise PlanrailError(
            "the target is protected ([run] main_protected), so nothing lands on it directly",
            remedy=f"planrail run {quote(context.plan_file.path)} pr",
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
        check_names(name)
        if name in ("command", "acp") and not getattr(run, name):
            raise UsageError(
                f"the agent {name!r} needs a command line, and [run] {name} has none",
                remedy=f"planrail config run.{name} 'my-agent {'{prompt}' if name == 'command' else 'acp'}'",
            )
    model = request.model or run.model
    refuse_weak(model, run.least_model, "[run] least_model", "--model")
    judge = run.verifier_model or (model if verifier in ("", agent) else "")
    refuse_weak(judge, run.least_verifier_model, "[run] least_verifier_model", "[run] verifier_model =")
    if not 1 <= parallel <= 10:
        raise UsageError(f"--parallel {parallel} is not from 1 to 10", remedy="--parallel 2")
    table = settings.budget
    phase = Ceilings(table.phase_money, table.phase_tokens, table.phase_minutes, table.phase_attempts)
    attempt = Ceilings(table.attempt_money, table.attempt_tokens, table.attempt_minutes)
    settled = Budget(Ceilings(table.money, table.tokens, table.minutes, table.attempts), phase, attempt)
    shared = {name for name in Options.__slots__ if name in RunRequest.__slots__}  # type: ignore[attr-defined]
    same = {name: getattr(request, name) for name in shared - {"agent", "verifier", "model", "parallel", "budget"}}
    same |= {name: getattr(run, name) for name in ("branch_prefix", "main_protected", "workspace")}
    return Options(
        **same,
        agent=agent,
        verifier=verifier,
        model=model,
        verifier_model=run.verifier_model,
        parallel=parallel if request.finish else 1,
        budget=merge_budgets(settled, request.budget),
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
    names = ("landing", "agent", "verifier", "model")
    wished = {
        "phase": (request.phase, phase),
        **{name: (getattr(request, name), getattr(ordered, name)) for name in names},
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
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    rules = [at for at, line in enumerate(lines) if line.rstrip() == "---"]
    front = lines[1 : rules[1]] if rules[:1] == [0] and len(rules) > 1 else []
    keys = [key["value"] for line in front if (key := _KEY.fullmatch(line))]
    numbers = [value.strip().strip("\"'").strip().removeprefix("#").strip() for value in keys]
    return tuple(dict.fromkeys(int(number) for number in numbers if _NUMBER.fullmatch(number) and int(number) > 0))
