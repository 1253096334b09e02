"""What does a run lack before it can begin? At a terminal its person is led through all of it; elsewhere it is refused
at once, with the one command that does it.

In this order: settings that are not committed, the test command, edits of the plan, what lint finds, the approval.
"""

import os

from planrail.approval.channels import ChannelRefusal
from planrail.approval.person import find_person
from planrail.base.errors import PlanrailError, UnreadablePlan, UsageError
from planrail.base.records import record, replace
from planrail.base.run_model import Order, Refusal
from planrail.base.settings import FILE_NAME, list_uncommitted
from planrail.base.settings.tables import NO_TESTS
from planrail.base.wording import clean, name_some, plural, quote
from planrail.git.exact_commits import commit_paths
from planrail.git.git_writing import ask_git
from planrail.plans.lint.document import Severity
from planrail.projects.linting import lint_file
from planrail.projects.open_plan import open_known_plan
from planrail.runs.evidence.causes import RED_BASE, tell_red_base
from planrail.runs.request.display import Display
from planrail.runs.request.ordering import RunContext, find_unfinished, read_context
from planrail.runs.request.orders import order_run
from planrail.runs.request.plan_texts import (
    COMMITTED,
    EDITED,
    Call,
    ask_approval,
    commit_edits,
    describe_edits,
    is_checked_out,
    settle_text,
)
from planrail.runs.request.preflight import NOTHING_STARTED, refuse_run, refuse_unfit, why_unapproved
from planrail.runs.request.requests import RunRequest, spell
from planrail.runs.setup.setting_up import ask_to_write, render_setup, set_up, set_up_with_person, write_settings
from planrail.runs.setup.signs import read_testing
from planrail.runs.steps.lines import repository_lock

_MOST_PROBLEMS = 5
YES = "--yes"


@record
class Delivery:
    """When and by which process a request is carried out. By default: now, by a worker where there is a team."""

    every: str = ""  # a schedule
    now: bool = False  # with a schedule: now as well
    here: bool = False
    submit: bool = False
    wait: bool = False  # for what was submitted
    commit_plan: bool = False  # an edited plan, first
    yes: bool = False  # whatever a run lacks and need not be asked for: set-up, and the commit of settings and plan
    is_quiet: bool = False  # a program reads the answer


@record
class Lacks:
    """What a run lacks, each as a sentence; "" where it lacks nothing of that kind."""

    settings: str = ""
    tests: str = ""
    edits: str = ""
    approval: str = ""

    @property
    def all(self) -> list[str]:
        return [said for said in (self.settings, self.tests, self.edits, self.approval) if said]


def decide_refusal(lacks: Lacks, call: Call) -> PlanrailError:
    """All that is missing, and the one command that does it. Pure.

    An approval is a person's word at a terminal, which asks for the rest as well; all else is done by `--yes`.
    """
    remedy = call.again(YES)
    if lacks.approval:
        remedy = f"at a terminal of your own, which asks for {'all of it' if lacks.all[1:] else 'it'}: {call.again()}"
    if lacks.edits:
        remedy += f"; without your edits: {call.again(COMMITTED)}"
    kind = UsageError if lacks.settings or lacks.tests else PlanrailError
    text = f"{lacks.all[0]}{NOTHING_STARTED}"
    if lacks.all[1:]:
        text = "\n    ".join([f"{len(lacks.all)} things are missing{NOTHING_STARTED}:", *lacks.all])
    return kind(text, remedy=remedy)


def prepare(
    context: RunContext, request: RunRequest, delivery: Delivery, display: Display
) -> tuple[RunContext, RunRequest]:
    """The plan with the text that is meant and all that its run needs; `PlanrailError` where that is not to be had."""
    if find_unfinished(context) is not None:
        return settle(context, request, delivery, display)
    lacks = find_lacks(context, request, delivery)
    if not lacks.all:
        if _has_person(context, delivery):
            _show_problems(context, display)
        return settle(context, request, delivery, display)
    call = make_call(context, _name_phase(context, request), delivery)
    if delivery.yes and not lacks.approval:
        return _do_all(context, request, lacks, display, call)
    if not _has_person(context, delivery):
        raise decide_refusal(lacks, call)
    if lacks.settings:
        context = _offer_settings(context, lacks.settings)
    if lacks.tests:
        context = _offer_setup(context, display, call, is_meant=delivery.yes)
    if lacks.approval and context.edits and (delivery.yes or delivery.commit_plan):  # what is committed unasked
        ask_approval(context, find_person(), display.note, auto=request.auto)
    context, request = settle(context, request, delivery, display)
    _offer_approval(context, request, display)
    return context, request


def _name_phase(context: RunContext, request: RunRequest) -> RunRequest:
    upcoming = open_known_plan(context.plan_file.source.path).next
    is_next = upcoming is not None and not request.phase and not request.finish
    return replace(request, phase=upcoming.phase) if upcoming is not None and is_next else request


def find_lacks(context: RunContext, request: RunRequest, delivery: Delivery) -> Lacks:
    """All that a new run of this plan lacks and may get; what else speaks against it is refused before it begins."""
    path, root = context.plan_file.path, context.root
    unheard = list_uncommitted(root, ask_git(root, "show", f"HEAD:{FILE_NAME}"))
    settings = f"{FILE_NAME} is edited and not committed ({name_some(unheard)})" if unheard else ""
    testing, tests = read_testing(root, context.head, context.settings.testing.command), ""
    meant = context
    if testing.problem:
        tests = f"{testing.problem} (planrail setup finds out, and tries it)"
        known = replace(context.settings.testing, command=NO_TESTS)
        meant = replace(meant, settings=replace(context.settings, testing=known))
    edits = ""
    if context.edits and not request.as_committed:
        if not is_checked_out(context):
            return Lacks(settings, tests)  # which text is meant is asked, or refused, as ever
        edits = "" if delivery.commit_plan else f"{describe_edits(context)} ({EDITED} commits them)"
        assert context.working is not None
        meant = replace(meant, plan_file=context.working, working=None, edits=())
    order = order_run(request, meant)
    _raise_refusal(refuse_unfit(order))
    why = why_unapproved(order, meant)
    return Lacks(settings, tests, edits, f"{why} (planrail approve {quote(path)})" if why else "")


def _has_person(context: RunContext, delivery: Delivery) -> bool:
    """Whether a person can be asked here; the terminal of an agent is none."""
    if delivery.is_quiet:
        return False
    terminal = find_person().open_terminal(context.policy.agents)
    if isinstance(terminal, ChannelRefusal):
        return False
    terminal.close()
    return True


def _do_all(
    context: RunContext, request: RunRequest, lacks: Lacks, display: Display, call: Call
) -> tuple[RunContext, RunRequest]:
    """Do what a run lacks without asking: its person has said so."""
    path = context.plan_file.source.path
    if lacks.settings:
        _commit_settings(context.root)
        context = read_context(path)
    if lacks.tests:
        context = _offer_setup(context, display, call, is_meant=True)
    if lacks.edits:
        context = commit_edits(context, lambda edited: refuse(order_run(request, edited), edited))
    for told in lacks.all:
        display.note(f"done, as you said: {told}")
    return context, request


def _offer_settings(context: RunContext, lack: str) -> RunContext:
    terminal = find_person().open_terminal(context.policy.agents)
    answer = ""
    if not isinstance(terminal, ChannelRefusal):
        terminal.say(clean(f"{lack}, and a run hears only what is committed."))
        answer = terminal.ask(f"commit {FILE_NAME} as it is? [y/N] ").strip().lower()
        terminal.close()
    if answer not in ("y", "yes"):
        commit = f"git add {FILE_NAME} && git commit -m 'Settings of runs' {FILE_NAME}"
        raise UsageError(f"{lack}; nothing was started", remedy=commit)
    _commit_settings(context.root)
    return read_context(context.plan_file.source.path)


def _commit_settings(root: str) -> None:
    commit_paths(root, repository_lock(root), [FILE_NAME], "Settings of runs", reason="planrail run")


def _offer_setup(context: RunContext, display: Display, call: Call, *, is_meant: bool = False) -> RunContext:
    """A project has tests, and does not say how they are run: find out, with its person; without one for `--yes`.

    Tests that run and fail are told, and no reason to stop; where they do not run, the same call tries it again.
    """
    agents = context.policy.agents
    root, tell = context.root, display.note
    setup = set_up(root, tell) if is_meant else set_up_with_person(root, tell, agents)
    if setup.may_write and (is_meant or ask_to_write(render_setup(setup), agents)):
        write_settings(setup)
    if setup.is_broken:
        raise PlanrailError(f"{setup.cause}{NOTHING_STARTED}", remedy=f"{setup.repair}, then: {call.again()}")
    if setup.cause and setup.proof is not None:
        display.note(tell_red_base(setup.proof.output), RED_BASE)
    return read_context(context.plan_file.source.path)


def _offer_approval(context: RunContext, request: RunRequest, display: Display) -> None:
    """Ask for the approval that is missing, as `planrail approve` does; what lint finds is shown in any case."""
    if why_unapproved(order_run(request, context), context) and not context.edits:
        ask_approval(context, find_person(), display.note, auto=request.auto)
    else:
        _show_problems(context, display)


def _show_problems(context: RunContext, display: Display) -> None:
    """What lint finds; a question for an approval shows it, too."""
    errors = [one for one in lint_file(context.plan_file.place).problems if one.severity is Severity.ERROR]
    for one in errors[:_MOST_PROBLEMS]:
        display.note(f"line {one.line}: {one.message}")
    if errors:
        path = quote(os.path.relpath(context.plan_file.place))
        display.note(f"{plural(len(errors), 'error')} in the plan: planrail lint {path}")


def make_call(context: RunContext, request: RunRequest, delivery: Delivery) -> Call:
    """What was typed, so that it can be named again with more."""
    _, *said = spell(replace(request, plan=context.plan_file.path))
    said += [*(["now"] if delivery.now else []), "--every", delivery.every] if delivery.every else []
    said += [f"--{name}" for name in ("here", "submit", "wait") if getattr(delivery, name)]
    return Call(
        ("run", context.plan_file.source.path, *said, *(["--json"] if delivery.is_quiet else [])),
        is_new=find_unfinished(context) is None,
        auto=request.auto,
        as_committed=request.as_committed,
        commit_plan=delivery.commit_plan or delivery.yes,
    )


def settle(
    context: RunContext, request: RunRequest, delivery: Delivery, display: Display
) -> tuple[RunContext, RunRequest]:
    """The plan with the text that is meant, where it has edits that are not committed."""
    if not context.edits:
        return context, request
    call = make_call(context, request, delivery)
    context, is_committed = settle_text(
        context, call, display.note, lambda edited: refuse(order_run(request, edited), edited)
    )
    return context, replace(request, as_committed=is_committed)  # a worker that does it later is told so


def refuse(order: Order, context: RunContext) -> None:
    """What can be seen before anything begins: the state of the repository, the phase, the approval."""
    _raise_refusal(refuse_run(order, context))


def _raise_refusal(refusal: Refusal | None) -> None:
    if refusal is not None:
        kinds = {"usage": UsageError, "unreadable": UnreadablePlan}
        raise kinds.get(refusal.reason, PlanrailError)(refusal.text, remedy=refusal.command)
