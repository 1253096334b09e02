"""One event, from the agent's JSON to the answer.

A decision is taken twice where it changes something: once without the session's lock, which is all that most events
need, and again with it. While a gate stands the hook fails closed: whatever goes wrong is a denial with a reason.
Everywhere else it fails open, with a message.
"""

import os
import sys
import time

from planrail.base.decoding import decode, encode
from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.disk_world import DiskWorld
from planrail.hook.sessions import events
from planrail.hook.sessions.events import Event, EventOutcome, HookAnswer, join
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load, load_file, touch, update
from planrail.hook.wires import read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    FieldOf = Callable[[bytes, bytes], bytes]

DENIED = 2
# What Codex sets for the commands that its model runs, and not for its hooks (seen with 0.166.0).
_SHELL_MARKS = ("CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
_FIELDS = ("session_id", "sessionID", "hook_event_name", "permission_mode")  # of an event that cannot be read


def answer(agent: str, name: str, data: bytes, folder: str, field_of: "FieldOf") -> int:
    """Answer one event; the exit code in the agents' own sense: 0 goes on, 2 denies.

    `field_of` finds a field in the bytes, for an event that cannot be read.
    """
    try:
        values = decode(data.decode("utf-8", "replace"))
        if not isinstance(values, dict):
            raise ValueError("not an object")
    except ValueError as error:
        found = {key: field_of(data, key.encode()).decode("utf-8", "replace") for key in _FIELDS}
        sys.stderr.write(f"planrail: the event cannot be read: {error}\n")
        return _refuse_unreadable(agent, name or found["hook_event_name"], folder, found)
    if name == "StatusLine":
        return _status_line(agent, values, folder)
    event = read(agent, values, os.environ)
    if event is not None and not event.session and event.kind == events.TOOL:
        # It may be that of any session of the agent which plans, and so may not run.
        if event.mode != events.PLAN_MODE and not _stands(event.agent, folder, ""):
            return 0
        text = "this call names no session, and planning is protected: denied. See: planrail doctor"
        sys.stderr.write(f"planrail: {text}\n")
        return DENIED
    if event is None or not event.session:
        return 0
    # From an agent's own shell, which agents mark, and not from the agent program. In whose name it comes does not
    # matter: no user sits behind a program that an agent started. A tool that is asked about is judged all the same: a
    # denial does no harm.
    if os.environ.get("AI_AGENT", "").endswith("_agent") or any(mark in os.environ for mark in _SHELL_MARKS):
        if event.kind != events.TOOL:
            return 0
        event = replace(event, process="")  # it is judged, and moves no plan from one session to another
    said = respond(event, folder)
    if event.kind == events.TASK and said.decision:  # which Claude Code keeps open by the exit code alone
        sys.stderr.write(f"{said.reason}\n")
        return DENIED
    written = write(event, said)
    if written:
        os.write(1, (encode(written) + "\n").encode())
    return 0


def respond(event: Event, folder: str) -> HookAnswer:
    session = Session(event.agent, event.session)
    try:
        if event.kind == events.START:  # bring the session back if it is resumed, and forget what is old
            from planrail.hook.sessions.endings import is_alive, revive
            from planrail.hook.sessions.store import forget_old, keep_model

            revive(folder, event.agent, event.session)
            if event.model:
                keep_model(folder, event.agent, event.session, event.model)
            forget_old(folder, time.time(), is_alive)
        known = load(folder, event.agent, event.session)
        if event.process and event.kind != events.END and (known is None or event.kind == events.START):
            from planrail.hook.neighbours import missed_ends

            for session, end in missed_ends(folder, event):  # should this fail, what held the old one holds this one
                _carry_out(session, end, folder)
        session = known or Session(event.agent, event.session)
        return _carry_out(session, event, folder)
    except UnreadableState as error:
        return _fail(event, f"{error}. Mend or forget it: planrail detach --session {event.session}", is_gate=True)
    except Exception as error:
        is_gate = session.is_gate or event.mode == events.PLAN_MODE
        return _fail(event, _describe(error), is_gate=is_gate)


def _carry_out(session: Session, event: Event, folder: str) -> HookAnswer:
    world = DiskWorld(event, folder, session, now=int(time.time()))
    return _perform(settle(session, event, world), event, world)


def _describe(error: Exception) -> str:
    from planrail.hook.heavy import HeavyFailed

    if isinstance(error, HeavyFailed):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror} ({error.filename})" if error.filename else error.strerror
    return f"{type(error).__name__}: {error}"


def settle(session: Session, event: Event, world: DiskWorld) -> EventOutcome:
    """Decide, and keep what was decided. Where something changes, the decision is taken on what is there then."""
    outcome = decide(session, event, world)
    is_kept = outcome.session == session and not (outcome.effects or outcome.retire or outcome.is_over)
    if is_kept and world.fresh_settings is None:
        return outcome
    final = outcome

    def change(current: Session | None) -> Session | None:
        nonlocal final
        final = _decide_with_ticket(current or Session(event.agent, event.session), event, world)
        if final.is_over:
            return None
        if final.session.is_blank or world.fresh_settings is None:
            return final.session
        return replace(final.session, settings=world.fresh_settings)

    update(world.folder, event.agent, event.session, change)
    is_active = not (final.is_over or final.session.is_blank)
    place = f"{world.folder}/interpreter"
    if is_active and not os.path.exists(place) and os.path.isdir(world.folder):
        # Tell the wrapper where this interpreter and this package are: looking for them costs it more.
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        from planrail.base.whole_files import write_whole

        try:
            write_whole(place, f"{sys.executable}\n{package}\n")
        except OSError:
            return final
    return final


def _decide_with_ticket(session: Session, event: Event, world: DiskWorld) -> EventOutcome:
    """Decide, and claim the ticket that the decision rests on; where another session was faster, decide again.

    A ticket that is left is written here, before the session that leaves it is removed: a kill between the two must
    not lose the plan.
    """
    while True:
        outcome = decide(session, event, world)
        tickets = [(effect.what, effect.ticket) for effect in outcome.effects if effect.ticket is not None]
        if not tickets:
            return outcome
        from planrail.hook.sessions.endings import claim_ticket, leave_ticket

        for what, ticket in tickets:
            if what == "leave_ticket":
                leave_ticket(world.folder, ticket)
        claims = [ticket for what, ticket in tickets if what == "claim_ticket"]
        lost = {ticket.path for ticket in claims if not claim_ticket(ticket)}
        if not lost:
            return outcome
        world.lost_tickets |= lost


def _perform(outcome: EventOutcome, event: Event, world: DiskWorld) -> HookAnswer:
    said = outcome.answer
    if outcome.effects:
        from planrail.hook.effects import do

        for effect in outcome.effects:
            said = join(said, HookAnswer(message=do(effect, world)))
    if outcome.retire:
        from planrail.hook.sessions.endings import retire

        retire(world.folder, event.agent, event.session)
    else:
        touch(world.folder, event.agent, event.session)
    return said


def _fail(event: Event, text: str, *, is_gate: bool) -> HookAnswer:
    """What a failure comes to: a denial while a gate stands, a message elsewhere."""
    if event.kind == events.PROMPT and event.mode != events.PLAN_MODE:
        from planrail.hook.sessions.triggers import PLAN, read_command

        command = read_command(event.prompt)
        if command is not None and command.verb == PLAN:  # it must not reach an agent that is not held by it
            return HookAnswer(events.REFUSE, f"planrail could not enter plan mode, so this was not sent: {text}")
    if is_gate and event.kind == events.TOOL:
        reason = f"planrail could not judge this, and planning is protected: {text}"
        return HookAnswer(events.DENY, reason, message=f"planrail: {text}")
    return HookAnswer(message=f"planrail: {text}. Nothing was blocked; planrail doctor says more.")


def _refuse_unreadable(agent: str, kind: str, folder: str, found: dict[str, str]) -> int:
    """An event that cannot be read, which an agent can bring about by what it gives to a tool.

    Its session and mode were looked for in the bytes; where nobody can tell whose it is, any gate of the agent counts.
    """
    told = os.environ.get("CLAUDE_CODE_SESSION_ID", "") if agent == "claude" else ""
    identity = told or found["session_id"] or found["sessionID"]
    is_gate = found["permission_mode"] == events.PLAN_MODE or _stands(agent, folder, identity)
    return DENIED if is_gate and kind in ("PreToolUse", "BeforeTool", "tool.execute.before", "") else 0


def _stands(agent: str, folder: str, identity: str) -> bool:
    """Whether a gate stands in a session; in any of the agent's where nobody can tell which is meant."""
    try:
        if not identity:
            return any(load_file(path).is_gate for other, path in list_sessions(folder) if other == agent)
        known = load(folder, agent, identity)
        return known is not None and known.is_gate
    except UnreadableState:
        return True


def _status_line(agent: str, values: "dict[str, object]", folder: str) -> int:
    from planrail.hook.sessions.statusline import remember_window, render

    identity = values.get("session_id")
    try:
        session = load(folder, agent, identity) if isinstance(identity, str) and identity else None
    except UnreadableState:
        session = None
    os.write(1, (render(values, session, os.environ) + "\n").encode("utf-8", "replace"))
    remember_window(folder, session, values)
    return 0
