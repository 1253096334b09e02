"""Whatever happens in whatever order: what a session that plans never lets pass, and what nobody is told twice."""

import copy
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, HOLD, REFUSE, SILENCE, Event, EventOutcome, HookAnswer
from planrail.hook.sessions.loops import Loop
from planrail.hook.sessions.state import APPROVED, Session, Summary
from planrail.hook.sessions.world import Changes
from tests.hook.happenings import MUTATING, PROMPTS, READING
from tests.support.scripted_world import ScriptedWorld

_OPEN = "/project/plans/open.md"
_DONE = "/project/plans/done.md"
_HUGE = "/project/plans/huge.md"
_NATIVE = "/home/user/.claude/plans/native.md"
_MODES = ["", "default", "acceptEdits", "bypassPermissions", "auto", "plan", "dontAsk"]
_LONG = "wide 語 " * 10_000
_HUGE_SUMMARY = Summary(
    "1", _LONG, _LONG, "in_progress", _LONG, 3, 900, 5, 65_000, _LONG, [_LONG, *["an item"] * 1_000], 520_000
)
_HUGE_TEXT = "# Huge\n" + "- [ ] a\n" * 65_000


class Sessions(RuleBasedStateMachine):
    """One agent with one session at a time, and everything that can happen to it."""

    session: Session
    world: ScriptedWorld

    @initialize(
        agent=st.sampled_from(["claude", "codex", "gemini", "opencode"]),
        has_pid=st.booleans(),
        mode=st.sampled_from(["default", "plan"]),
        percent=st.sampled_from([None, 70]),
    )
    def begin(self, agent: str, has_pid: bool, mode: str, percent: int | None) -> None:
        self.agent, self.process, self.mode = agent, "7:100" if has_pid else "", mode
        self.number = 0
        self.session = Session(agent, "0")
        self.world = ScriptedWorld()
        self.world.percent = percent
        self.world.links["/project/link.md"] = "/project/src/a.py"
        self.world.add_plan(
            _OPEN, "# Open\n- [ ] a\n", summary=Summary(stamp="1", status="in_progress", total=2, done=1)
        )
        self.world.add_plan(_DONE, "# Done\n- [x] a\n", summary=Summary(stamp="1", status="complete", total=1, done=1))
        self.world.add_plan(_HUGE, _HUGE_TEXT, summary=_HUGE_SUMMARY)
        self.outcome = EventOutcome(self.session)
        self.event = Event(agent, "", "0")
        self.before = self.session
        self.turns = 0  # of people, in plan mode, that reached the agent
        self.holds = 0  # since the last clear or compaction
        self.exits = 0  # times that plan mode was left, less the notices about it
        self.claimed: list[str] = []
        self.is_spoken_to = True  # some prompt came since the last clear
        self.is_known = False  # the session had a plan, planned, was full, or somebody gave a command

    # ---- what happens ----

    def happen(self, kind: str, **fields: Any) -> HookAnswer:
        """One event: decided twice, and the same both times."""
        event = Event(self.agent, kind, self.session.id, cwd="/project", process=self.process, **fields)
        kept = copy.deepcopy(self.session)
        outcome = decide(self.session, event, self.world)
        assert outcome == decide(self.session, event, self.world)
        assert self.session == kept
        self.world.perform(outcome.effects)
        self.before, self.event, self.outcome = self.session, event, outcome
        self.session = Session(self.agent, self.session.id) if outcome.is_over else outcome.session
        self._count()
        return outcome.answer

    def _count(self) -> None:
        # The agent's own plan mode may be left, and planrail's entered, with one and the same prompt.
        changed = self.before.planning and self.session.own_mode and not self.before.own_mode
        entered = self.session.planning and (changed or not self.before.planning)
        left = self.before.planning and not self.session.planning and self.event.kind != events.END
        self.exits = 0 if entered else self.exits + left
        if self.outcome.answer.decision != REFUSE:
            self.exits -= self.outcome.answer.context.count("Plan mode is off")
        if entered or left:
            self.turns = 0

    @rule(prompt=st.sampled_from(PROMPTS), is_alone=st.booleans())
    def type_something(self, prompt: str, is_alone: bool) -> None:
        self.is_known = self.is_known or "plan" in prompt or prompt in ("reload", "/approve")
        self.is_spoken_to = self.is_spoken_to or bool(prompt)
        answer = self.happen(events.PROMPT, prompt=prompt, mode=self.mode, unattended=is_alone)
        reaches = prompt and not prompt.startswith("<") and answer.decision != REFUSE
        if reaches and self.session.planning:
            self.turns += 1
            is_full = "Plan mode is on. You plan; you do not act." in answer.context
            assert is_full == (self.turns % 5 == 1)

    @rule(times=st.integers(2, 7))
    def talk_on(self, times: int) -> None:
        for _ in range(times):
            self.type_something("go on", is_alone=False)

    @rule(call=st.sampled_from(MUTATING + READING), subagent=st.sampled_from(["", "", "a1"]))
    def use_a_tool(self, call: tuple[str, dict[str, Any]], subagent: str) -> None:
        tool, arguments = call
        answer = self.happen(events.TOOL, tool=tool, input=arguments, mode=self.mode, subagent=subagent)
        is_protected = (self.session.planning or self.mode == "plan") and self.session.blocking
        if is_protected and call in MUTATING:
            assert answer.decision == DENY
            assert answer.reason
        if call in READING or not is_protected:
            assert answer.decision != DENY

    @rule(subagent=st.sampled_from(["", "a1"]), path=st.sampled_from([_NATIVE, ""]))
    def write_the_plan(self, subagent: str, path: str) -> None:
        path = path or self.session.plan or "/project/plans/none.md"
        answer = self.happen(events.TOOL, tool="Write", input={"file_path": path}, mode=self.mode, subagent=subagent)
        is_own = self.session.plan == path and not subagent
        if self.session.planning and self.session.blocking:
            assert (answer.decision == DENY) == (not is_own)
            if is_own:
                self.world.add_plan(path, "# Written\n- [ ] a\n")

    @rule(call=st.sampled_from(MUTATING + READING))
    def finish_a_tool(self, call: tuple[str, dict[str, Any]]) -> None:
        self.happen(events.TOOL_DONE, tool=call[0], input=call[1], mode=self.mode)

    @rule(subagent=st.sampled_from(["", "a1"]), alone=st.booleans())
    def ask_to_enter(self, subagent: str, alone: bool) -> None:
        was_planning = self.session.planning
        answer = self.happen(events.TOOL, tool="EnterPlanMode", mode=self.mode, subagent=subagent, unattended=alone)
        if subagent or alone:
            assert answer.decision == DENY
            assert self.session.planning == was_planning

    @rule()
    def propose(self) -> None:
        self.world.add_plan(_NATIVE)
        self.happen(events.TOOL, tool="ExitPlanMode", mode=self.mode, input={"planFilePath": _NATIVE})

    @precondition(lambda self: self.session.planning)
    @rule(mode=st.sampled_from(["default", "acceptEdits", "auto"]))
    def accept(self, mode: str) -> None:
        self.mode = mode
        self.happen(events.TOOL_DONE, tool="ExitPlanMode", mode=mode)

    @rule(is_active=st.booleans(), waits=st.booleans())
    def stop(self, is_active: bool, waits: bool) -> None:
        answer = self.happen(events.STOP, mode=self.mode, stop_active=is_active, waits_for_tasks=waits)
        if answer.decision == HOLD:
            self.holds += 1
            self.is_known = True
            assert not is_active
        assert self.holds <= 1

    @rule(source=st.sampled_from(["startup", "resume"]))
    def start(self, source: str) -> None:
        self.happen(events.START, source=source)

    @rule(mode=st.sampled_from(_MODES))
    def change_the_mode(self, mode: str) -> None:
        """No event tells of it: the next one that has a mode does."""
        self.mode = mode

    @rule()
    def compact(self) -> None:
        plan, status = self.session.plan, self.world.summary(self.session.plan).status
        answer = self.happen(events.START, source="compact")
        self.holds = 0
        if plan and status == "complete":
            assert "ACTION REQUIRED" not in answer.context

    @rule()
    def clear(self) -> None:
        """The session ends and another begins: what it had comes back once, and only what is open is resumed."""
        had = self.session
        self.happen(events.END, source="clear")
        assert self.outcome.is_over
        self.number += 1
        self.session = Session(self.agent, str(self.number))
        answer = self.happen(events.START, source="clear")
        self.claimed += [
            effect.ticket.session for effect in self.outcome.effects if effect.ticket and effect.what == "claim_ticket"
        ]
        self.exits, self.turns, self.holds, self.is_spoken_to = 0, 0, 0, False
        if had.plan and self.session.plan == had.plan:
            assert had.id not in [ticket.session for ticket in self.world.left]
        if self.world.summary(had.plan).status == "complete":
            assert "Resume the current task" not in answer.context
        if had.plan and had.plan != _HUGE and not self.session.plan and self.world.summary(had.plan).status:
            raise AssertionError("the plan is lost")

    @rule(kind=st.sampled_from([events.SUBAGENT_START, events.SUBAGENT_STOP, events.PERMISSION, "unknown"]))
    def hear_of_something_else(self, kind: str) -> None:
        self.happen(kind, subagent="a1")

    # ---- what changes outside ----

    @rule(percent=st.sampled_from([None, 0, 49, 50, 55, 60, 99, 140]))
    def fill(self, percent: int | None) -> None:
        self.world.percent = percent

    @rule(is_running=st.booleans(), prompt=st.sampled_from(["go", "x" * 500_000]))
    def loop(self, is_running: bool, prompt: str) -> None:
        self.world.running = Loop("/project/.claude/loop.md", "loop", 3, 9, "DONE", prompt) if is_running else None

    @rule(change=st.sampled_from([None, Changes("1", "a file changed"), Changes("2", "two files changed")]))
    def change_the_tree(self, change: Changes | None) -> None:
        self.world.found = change

    @rule(seconds=st.sampled_from([1, 3_000, 90_000]))
    def wait(self, seconds: int) -> None:
        self.world.now += seconds

    @precondition(lambda self: self.session.plan)
    @rule()
    def lose_the_plan(self) -> None:
        self.world.files.pop(self.session.plan, None)
        self.world.summaries.pop(self.session.plan, None)

    # ---- what always holds ----

    @invariant()
    def what_is_told_arrives(self) -> None:
        assert len(self.outcome.answer.context) <= 10_000
        assert len(self.outcome.answer.reason) <= 10_000

    @invariant()
    def leaving_is_told_once(self) -> None:
        assert self.exits == bool(self.session.exit_notice)

    @invariant()
    def nothing_of_plan_mode_is_left_outside_it(self) -> None:
        if not self.session.planning:
            assert not self.session.own_mode
            assert not self.session.turns
            # A clear can be the person's yes; what the agent does next will tell.
            assert not (self.session.proposing and self.is_spoken_to)
            if self.before.planning and self.event.tool != "EnterPlanMode":
                assert not self.session.mode_before

    @invariant()
    def plan_mode_is_not_nested(self) -> None:
        """What was saved at entry stays, unless the agent's own mode was left and planrail's entered with one prompt."""
        changed = self.session.own_mode and not self.before.own_mode
        if self.session.planning and self.before.planning and not changed and self.event.kind != events.END:
            assert self.session.mode_before == self.before.mode_before
            assert self.session.snapshot == self.before.snapshot

    @invariant()
    def a_yes_was_said(self) -> None:
        """A plan becomes approved by the person's word, in the agent's dialog, or by the clear that the dialog offers.

        After that clear the agent goes to work at once; after a no and a clear, somebody has to say something first.
        """
        if self.session.stage == APPROVED and self.before.stage != APPROVED and self.event.kind != events.START:
            by_word = self.event.kind == events.PROMPT and "approve" in self.event.prompt
            by_dialog = self.event.kind == events.TOOL_DONE and self.event.tool == "ExitPlanMode"
            by_clear = self.event.kind in (events.TOOL, events.STOP) and not self.is_spoken_to
            assert by_word or by_dialog or by_clear

    @invariant()
    def a_ticket_is_claimed_once(self) -> None:
        assert len(self.claimed) == len(set(self.claimed))

    @invariant()
    def a_session_without_a_plan_hears_nothing(self) -> None:
        is_full = (self.world.percent or 0) >= 50 or self.world.running is not None
        self.is_known = self.is_known or self.session.planning or bool(self.session.plan) or is_full
        self.is_known = self.is_known or self.event.tool == "EnterPlanMode" or self.event.mode == "plan"
        if not self.is_known:
            assert self.outcome.answer == SILENCE


TestSessions = Sessions.TestCase
TestSessions.settings = settings(stateful_step_count=40)
