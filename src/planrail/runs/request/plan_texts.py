"""Which text of a plan runs: as the target has it, or as its person has edited it and not yet committed?

Nobody guesses. At a terminal the person is asked; elsewhere nothing begins, and an option says what is meant.
"""

import os
import shlex
from collections.abc import Callable, Sequence

from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import KEY
from planrail.approval.person import Person, find_person
from planrail.approval.policy import AUTO, HEADLESS
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.run_model import Order
from planrail.base.settings import FILE_NAME
from planrail.base.wording import clean, name_some, quote
from planrail.git.exact_commits import commit_paths
from planrail.git.git_state import GitState, read_state
from planrail.git.git_writing import ask_git
from planrail.runs.request.approving import ApproveRequest, approve
from planrail.runs.request.ordering import RunContext, read_context
from planrail.runs.steps.lines import repository_lock

COMMITTED, EDITED = "--as-committed", "--commit-plan"
_COMMIT, _OLD, _STOP = "c", "o", "s"


@record
class Call:
    """What was typed: the words that do it again, and whether a new run would begin."""

    words: Sequence[str]
    is_new: bool = True
    auto: bool = False
    as_committed: bool = False
    commit_plan: bool = False

    def again(self, *more: str) -> str:
        return shlex.join(["planrail", *self.words, *more])


def settle_text(
    context: RunContext,
    call: Call,
    tell: Callable[[str], None],
    refuse: Callable[[RunContext], None] = lambda context: None,
) -> tuple[RunContext, bool]:
    """The context with the text that is to run, and whether that is the committed one of an edited plan.

    Raises where nobody has said which text is meant.

    `refuse` raises what speaks against a run of the edited text: then nothing is committed.
    """
    if not context.edits or call.as_committed:
        return context, call.as_committed
    may_commit = call.is_new and is_checked_out(context)
    if may_commit and call.commit_plan:
        return commit_edits(context, refuse), False
    answer = _ask(context, find_person(), may_commit=may_commit)
    if answer == _OLD:
        return context, True
    if answer == _COMMIT:
        ask_approval(context, find_person(), tell, auto=call.auto)
        return commit_edits(context, refuse), False
    name, path = context.target.removeprefix("refs/heads/"), quote(os.path.relpath(context.plan_file.source.path))
    remedies = [f"{call.again(COMMITTED)} runs the text of {name}"]
    if may_commit and context.policy.required:
        remedies.append(f"for yours: planrail approve {path}, then {call.again(EDITED)}")
    elif may_commit:
        remedies.append(f"for yours: {call.again(EDITED)}")
    elif not call.is_new:
        remedies = [f"{call.again(COMMITTED)} goes on with the text that the run began with"]
        remedies.append(f"for yours: planrail stop {path}, commit the plan, and planrail run {path}")
    raise PlanrailError(f"{describe_edits(context)}; nothing was started", remedy="; ".join(remedies))


def describe_edits(context: RunContext) -> str:
    name, path = context.target.removeprefix("refs/heads/"), context.plan_file.path
    why = "has edits that are not committed" if is_checked_out(context) else f"says something else here than on {name}"
    return f"{path} {why} ({name_some(context.edits)}), and {name} has another text"


def _ask(context: RunContext, person: Person, *, may_commit: bool) -> str:
    """What a person at a terminal of their own answers; that of an agent is none. Anything unclear is a stop."""
    terminal = person.open_terminal(context.policy.agents)
    if isinstance(terminal, ChannelRefusal):
        return _STOP
    approves = " and approve" if context.policy.required else ""
    name = context.target.removeprefix("refs/heads/")
    lines = [f"{describe_edits(context)}."]
    lines += [f"  {_COMMIT}  commit{approves} your edits, and run them"] if may_commit else []
    lines += [f"  {_OLD}  run the text of {name}, without your edits", f"  {_STOP}  stop; nothing is started"]
    try:
        terminal.say(clean("\n".join(lines)))
        answer = terminal.ask(f"which text? [{f'{_COMMIT}/' if may_commit else ''}{_OLD}/{_STOP.upper()}] ")
    finally:
        terminal.close()
    answer = answer.strip().lower()
    return answer if answer == _OLD or (answer == _COMMIT and may_commit) else _STOP


def ask_approval(context: RunContext, person: Person, tell: Callable[[str], None], *, auto: bool) -> None:
    """The person's approval of the file as it is, by the one way that there is to approve."""
    if not context.policy.required:
        return

    key = "" if context.policy.strengths[AUTO if auto else HEADLESS] == KEY else None
    said = approve(ApproveRequest(context.plan_file.source.path, key), person)
    tell(said.text)
    if not said.is_approved:
        path = quote(context.plan_file.source.path)
        raise PlanrailError("the plan is not approved; nothing was started", remedy=f"planrail run {path}")


def commit_edits(context: RunContext, refuse: Callable[[RunContext], None]) -> RunContext:
    """Commit the plan's file alone, as it is, if it could run then; the context with that text."""
    assert context.working is not None  # it has edits
    refuse(replace(context, plan_file=context.working, working=None, edits=()))
    path = context.plan_file.path
    message = f"Edit the plan: {context.working.plan.title or path}"
    commit_paths(context.root, repository_lock(context.root), [path], message, reason="planrail run")
    settled = read_context(context.plan_file.source.path)
    if settled.edits:
        raise PlanrailError(
            f"{path} could not be committed, or was edited again meanwhile", remedy=f"git status {path}"
        )
    return settled


def is_checked_out(context: RunContext) -> bool:
    return (ask_git(context.root, "symbolic-ref", "--quiet", "HEAD") or "").strip() == context.target


def tell_dirty(order: Order, context: RunContext) -> str:
    """What is uncommitted in the checkout that the work lands in, told before an agent starts; "" for nothing."""
    if order.remote or order.options.landing == "pr" or not is_checked_out(context):
        return ""
    views = (f"{context.settings.tasks.folder}/{name}" for name in ("TODO.md", "state.json"))  # planrail's own
    known = (order.path, FILE_NAME, *views)
    found = name_dirty(read_state(context.root, context.head), known, context.plan_file.source.text)
    if not found:
        return ""
    told = "that is no part of the run, and stays as it is; a phase that changes the same waits on a branch"
    return f"uncommitted in your checkout: {name_some(found)}; {told}"


def name_dirty(state: GitState, told: Sequence[str], text: str) -> list[str]:
    """The uncommitted files that may be in the way of work; those that git does not know where the plan names them."""
    found = [*state.staged, *state.unstaged, *(path for path in state.untracked if path in text)]
    return [path for path in dict.fromkeys(found) if path not in told]
