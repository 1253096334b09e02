"""What happens when an agent uses a tool, before and after."""

from planrail.base.records import replace
from planrail.hook.deciding.plan_mode import AUTO, BYPASS, follow_mode, leave, mark_of, report_changes, with_notices
from planrail.hook.sessions.events import (
    ALLOW,
    ASK,
    DENY,
    PLAN_MODE,
    Effect,
    Event,
    EventOutcome,
    HookAnswer,
    World,
    join,
)
from planrail.hook.sessions.state import DRAFT, PROPOSED, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.judging import GuardVerdict

_ENTER = ("EnterPlanMode", "enter_plan_mode")
_EXIT = ("ExitPlanMode", "exit_plan_mode")
_WRITERS = ("Write", "Edit", "MultiEdit")
_NOT_BY_SUBAGENT = (
    "{tool} cannot be used by a sub-agent: only the session itself enters and leaves plan mode. Hand your result back"
    " to it instead."
)
_NOT_BY_TOOL = (
    "This is planrail's plan mode: a plan is put before the user when you stop, and by no tool. Where a phase is asked"
    " for, answer it; otherwise show a short summary, and stop."
)

_TAKEN = (
    "planrail: {plan} belongs to another session, so this one is not held to it. `planrail list sessions` shows which;"
    " `planrail detach --session ID` lets go of it there, then say `execute the plan`."
)


def decide_tool(session: Session, event: Event, world: World) -> EventOutcome:
    if event.subagent and event.tool in (*_ENTER, *_EXIT):
        return EventOutcome(session, HookAnswer(DENY, _NOT_BY_SUBAGENT.format(tool=event.tool)))
    if event.tool in _ENTER:
        return _decide_entering(session, event, world)
    followed = follow_mode(session, event, world)
    session = followed.session
    may_plan = session.is_fork or (event.subagent != "" and event.mode == PLAN_MODE)
    if not session.planning and not may_plan:
        if event.agent == "gemini" and event.tool in _EXIT:  # it does not tell its own plan mode
            from planrail.hook.deciding.examining import examine_file

            return examine_file(session, event, world).after(followed)
        return _gate(followed, event, world) if session.plan and "command" in event.input else followed
    if event.tool in _EXIT:
        return _propose(followed, event, world)
    session = replace(session, proposing=False, holds=0)
    if not session.blocking or world.settings().get("block") is False:
        return replace(followed, session=session)
    session, adopted = _adopt_plan(session, event, world)
    followed = replace(followed, effects=followed.effects + adopted)
    verdict = _judge(session, event, world)
    if verdict.decision == "unsure":
        from planrail.guard.judging import script_of

        verdict = world.second_opinion(script_of(event.tool, event.input), session)
        session = replace(session, compare_due=session.compare_due or verdict.decision == "allow")
    if verdict.decision == "allow":
        return replace(followed, session=session, answer=_allow(session, event, followed.answer, world))
    said = f"Plan mode is on: {verdict.reason} {_how_to_leave(session)}"
    denied = HookAnswer(DENY, said, message=followed.answer.message)
    return EventOutcome(session, denied, followed.effects)


def _how_to_leave(session: Session) -> str:
    from planrail.hook.sessions.triggers import say_how_to_leave

    return say_how_to_leave(session.agent, own_mode=session.own_mode)


def _gate(followed: EventOutcome, event: Event, world: World) -> EventOutcome:
    """With `main_protected`, what reaches the target waits until the phase is proven; so do planrail's own records."""
    text = str(event.input["command"])
    if ("git" not in text and "planrail" not in text) or world.settings().get("main_protected") is not True:
        return followed
    from planrail.guard.judging import script_of

    reason = world.gate(script_of(event.tool, event.input), followed.session)
    return EventOutcome(followed.session, HookAnswer(DENY, reason)).after(followed) if reason else followed


def _allow(session: Session, event: Event, answer: HookAnswer, world: World) -> HookAnswer:
    """A tool that may be used; where the automatic mode is dropped for planning, the user confirms shell commands.

    A plan that was entered from `bypassPermissions` is ignored: its rules were never meant for a classifier.
    """
    is_auto = session.own_mode and "command" in event.input and event.mode == AUTO and session.mode_before != BYPASS
    if is_auto and world.settings().get("auto_mode", True) is False:  # a change of the setting applies at once
        return replace(answer, decision=ASK, reason="the automatic mode is off while planning (auto_mode = false)")
    if session.own_mode and event.tool in _WRITERS:
        # The guard lets these reach the plan file alone, and nobody wants to be asked about each line of it.
        return replace(answer, decision=ALLOW, reason="this is the session's plan file")
    return answer


def decide_permission(session: Session, event: Event, world: World) -> EventOutcome:
    """What the user is spared: the question about the session's own plan file. All others are theirs to answer."""
    if not (session.planning and session.own_mode and event.tool in _WRITERS):
        return EventOutcome(session)
    is_plan = _judge(session, event, world).decision == "allow"
    return EventOutcome(session, HookAnswer(ALLOW, "this is the session's plan file") if is_plan else HookAnswer())


def _decide_entering(session: Session, event: Event, world: World) -> EventOutcome:
    if event.unattended:
        return EventOutcome(
            session, HookAnswer(DENY, "Nobody is here who could approve a plan: go on without plan mode.")
        )
    if world.settings().get("propose") == "never":
        return EventOutcome(
            session, HookAnswer(DENY, "The user enters plan mode (/plan): the settings say propose = never.")
        )
    followed = follow_mode(session, event, world)
    if followed.session.planning:
        denied = HookAnswer(DENY, f"Plan mode is on already: go on planning. {_how_to_leave(followed.session)}")
        return EventOutcome(followed.session, denied).after(followed)
    return followed.change(asked_from=event.mode)


def _propose(followed: EventOutcome, event: Event, world: World) -> EventOutcome:
    """A plan is put before the user. What changed meanwhile is said first."""
    session = followed.session
    if session.own_mode:
        return EventOutcome(session, HookAnswer(DENY, f"{_NOT_BY_TOOL} {_how_to_leave(session)}")).after(followed)
    plan = _named_plan(session, event, event.input.get("planFilePath"), world)
    text = world.text(plan) if plan else ""
    is_written = bool(text.strip())
    if session.proposed_mark and mark_of(text) == session.proposed_mark:
        from planrail.hook.deciding.consent import SAME

        return EventOutcome(session, HookAnswer(DENY, SAME)).after(followed)
    if is_written:
        from planrail.hook.deciding.examining import examine

        session, asked = examine(session, text, world)
        if asked.decision:
            return EventOutcome(replace(session, plan=plan), asked).after(followed)
        followed = replace(followed, answer=join(followed.answer, asked))
    stage = PROPOSED if is_written else session.stage
    proposed = replace(session, plan=plan, stage=stage, proposing=is_written, proposed_mark=mark_of(text))
    noted = (Effect("record_stage", plan, stage=PROPOSED),) if is_written else ()
    return replace(report_changes(proposed, world), effects=noted).after(followed)


def _named_plan(session: Session, event: Event, path: object, world: World) -> str:
    """The plan that an agent names when it leaves its own plan mode: the session's, or one that it may take for it.

    An agent that could name any file would make that file writable, and keep it from being compared.
    """
    if _has_open_plan(session) or not isinstance(path, str) or not path:
        return session.plan
    resolved = world.resolve(path)
    return resolved if _may_adopt(session, event, resolved, world) else session.plan


def _has_open_plan(session: Session) -> bool:
    """Whether the session has a plan that is not complete: after one that is, the next one may be another file."""
    return bool(session.plan) and (session.summary is None or session.summary.status != "complete")


def _may_adopt(session: Session, event: Event, resolved: str, world: World) -> bool:
    """Whether a file can become the session's plan: new or its own, in the agent's own folder, and nobody else's."""
    folder, _, name = resolved.rpartition("/")
    if session.own_mode or event.subagent or not name.endswith(".md") or folder not in world.plan_folders():
        return False
    if world.is_taken(resolved):
        return False
    # A file that is there may be another's old plan. One without a record is taken only when it is presented.
    writers = (event.session, "") if event.tool in _EXIT else (event.session,)
    return not world.exists(resolved) or world.writer_of(resolved) in writers


def _judge(session: Session, event: Event, world: World) -> "GuardVerdict":
    from planrail.guard.judging import SHELLS, GuardPolicy, GuardVerdict, judge

    plan_files = (plan_file_of(session, event),) if session.plan else ()
    allowed = world.settings().get("allow_tools") or ()
    assert isinstance(allowed, list | tuple)
    look = world.repositories(session)
    policy = GuardPolicy(plan_files, event.cwd, world.home, look, tuple(str(tool) for tool in allowed))
    verdict = judge(event.tool, event.input, policy, world.resolve)
    # A command that reads does more where the project's own settings say what it runs.
    is_shell = verdict.decision != "deny" and event.tool in SHELLS
    name, path = world.running_variable(session) if is_shell else ("", "")
    if not name:
        return verdict
    return GuardVerdict(
        "deny",
        f"{path} sets {name}{'…' if name.endswith('_') else ''} for agents in this project, and commands that read "
        "can run other code by it; use the tools that read files while planning, or let a person take it out there",
    )


def plan_file_of(session: Session, event: Event) -> str:
    """The one file that may be written: the session's plan, or the sub-agent's own beside it."""
    if not event.subagent:
        return session.plan
    from planrail.plans.files.plan_files import sub_agent_path

    return sub_agent_path(session.plan, event.subagent)


def _adopt_plan(session: Session, event: Event, world: World) -> "tuple[Session, tuple[Effect, ...]]":
    """An agent with a plan mode of its own chooses the plan file itself: the first that it writes in its own folder.

    A file that another session has is never taken over.
    """
    path = event.input.get("file_path") or event.input.get("filePath")
    if _has_open_plan(session) or session.own_mode or event.subagent or not isinstance(path, str):
        return session, ()
    resolved = world.resolve(path if path.startswith("/") else f"{event.cwd}/{path}")
    if resolved == session.plan or not _may_adopt(session, event, resolved, world):
        return session, ()
    return replace(session, plan=resolved, summary=None), (Effect("record_stage", resolved, stage=DRAFT),)


def decide_tool_done(session: Session, event: Event, world: World) -> EventOutcome:
    # A finished ExitPlanMode is the user's approval: the agent's own plan mode was left, and nothing failed.
    was_planning = (session.planning and not session.own_mode) or session.stage == PROPOSED
    has_left = event.mode not in ("", PLAN_MODE) and not (event.failed or event.subagent or session.own_mode)
    if event.tool in _EXIT and was_planning and has_left and isinstance(event.response, dict):
        return with_notices(_approved(session, event, event.response, world))
    followed = follow_mode(session, event, world)
    session = followed.session
    if session.planning and session.compare_due:
        return with_notices(report_changes(session, world).after(followed))
    if session.plan and not session.planning:
        followed = _notice_phase_end(followed, event, world)
    return with_notices(followed)


def _approved(session: Session, event: Event, response: "dict[str, object]", world: World) -> EventOutcome:
    from planrail.hook.deciding.consent import describe_weak

    plan = _named_plan(session, event, response.get("filePath"), world)
    heard = replace(session, plan=plan, mode=event.mode)
    text = describe_weak(plan, world) if plan else ""
    if not text:
        left = leave(heard, event, world, is_approved=True)
        named = response.get("filePath")
        if plan or not isinstance(named, str) or not named or not world.is_taken(world.resolve(named)):
            return left
        return replace(left, answer=join(left.answer, HookAnswer(message=_TAKEN.format(plan=named))))
    # The agent has left its own plan mode; planrail's holds on, until an approval comes that is enough.
    kept = replace(heard, planning=True, own_mode=True, stage=PROPOSED, proposing=False)
    return EventOutcome(kept, HookAnswer(context=f"{text}\n\nWait for the user; change nothing.", message=text))


def _notice_phase_end(outcome: EventOutcome, event: Event, world: World) -> EventOutcome:
    """Know the plan as it is now; offer a clear where a phase has just been finished: the best place for one."""
    session = outcome.session
    if "planrail" in str(event.input.get("command", "")):  # which may have marked a phase, and said so itself
        return outcome.change(summary=world.summary(session.plan))
    path = event.input.get("file_path") or event.input.get("filePath")
    if not isinstance(path, str) or world.resolve(path) != session.plan:
        return outcome
    before, summary = session.summary, world.summary(session.plan)
    outcome = outcome.change(summary=summary)
    if before is None or not before.phases_done < summary.phases_done < summary.phases:
        return outcome
    text = (
        f"{summary.phases_done} of {summary.phases} phases of the plan are done. This is a good place to clear the"
        " context: commit what is done, and offer the user to run /clear; the plan comes back with `reload`."
    )
    return outcome.tell(text)
