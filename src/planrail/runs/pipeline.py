"""The pipeline of a run: a plain sequence of named steps over `do`, which keeps what each of them found out.

Nothing here touches the world, and nothing here remembers: after a crash the same sequence is walked again, and the
steps that had ended answer from the journal.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from planrail.base import run_model as model
from planrail.base.records import replace
from planrail.base.wording import cut_clauses
from planrail.runs.evidence.causes import list_outputs, name_repair
from planrail.runs.evidence.judging import TESTS, tell_old_failures, why_unprovable
from planrail.runs.finishing import finish, sign_off, tell_unread
from planrail.runs.phases.choosing import choose, is_all_done
from planrail.runs.phases.staleness import name_refinement
from planrail.runs.phases.viewpoints import is_seen
from planrail.runs.steps.agents import NOBODY, choose_driver
from planrail.runs.steps.parts import IN_SESSION, LANDED, LOST, Parts
from planrail.runs.steps.redoing import REDONE
from planrail.runs.steps.site import At, Do, Paused
from planrail.runs.strength.files import name_check
from planrail.runs.verdicts.judging import count_unread

T = TypeVar("T")
_CHECKS = "runbook"  # the verifier that is none: the checks are the verdict
_MOST_ATTEMPTS = 20  # agents that die by themselves, one after the other
_MOST_MOVES = 50  # landings that others were faster than
_MOST_LIMITS = 100  # usage limits in one attempt


def run_plan(do: Do, parts: Parts, order: model.Order) -> model.Ending:
    """Carry out what was ordered: one phase, or all of them. Every exit is an `Ending`, or an error to resume from."""
    try:
        ending = _run(do, parts, order)
    except Paused as pause:
        ending = model.Ending(pause.state, pause.text, pause.command, pause.phase, pause.until)
    return parts.end(ending)


def _run(do: Do, parts: Parts, order: model.Order) -> model.Ending:
    done: tuple[str, ...] = ()
    unread, phases_of, report = 0, {phase.id: phase for phase in order.phases}, f"planrail report {order.path}"
    for turn in range(1, len(order.phases) + 2):
        chosen = do(f"turn/{turn}/choose", choose, order, done)
        if isinstance(chosen, model.Refusal):
            return model.Ending("failed", chosen.text, chosen.command)
        if not chosen:
            return finish(do, parts, order, done, unread)
        if turn > 1 and parts.gives_way():
            text = f"phase {chosen[0]} is next, when it is this plan's turn again"
            return model.Ending(model.YIELDED, text, f"planrail resume {order.path}", chosen[0])
        phases = [phases_of[name] for name in chosen]
        at, question = At(phases[0], 0), f"Go on with phase {chosen[0]}?"
        asks = turn > 1 and not order.options.auto
        if asks and not do(at.key("go_on"), parts.gates.confirm, at, "go_on", question):
            return model.Ending("paused", f"phase {chosen[0]} is next", f"planrail resume {order.path}", chosen[0])
        works = [partial(run_phase, do, parts, order, phase) for phase in phases]
        ends = parts.together(works) if len(works) > 1 else [works[0]()]
        failed = next((end for end in ends if end.state not in LANDED), None)
        if failed is not None:
            state = failed.state if failed.state in ("paused", "parked", "stopped") else "failed"
            return model.Ending(state, failed.text, failed.command or report, failed.phase, failed.until)
        missing = parts.find_missing(ends)
        if missing:
            return model.Ending("failed", missing, report, ends[0].phase)
        done = (*done, *(end.phase for end in ends))
        unread += sum(end.unread for end in ends)
        if not order.options.finish and not is_all_done(order, done):
            text = f"phase {ends[0].phase} is done: {ends[0].text}{tell_unread(order, ends[0].unread)}"
            return model.Ending("phase_done", text, f"planrail next {order.path}", ends[0].phase)
    raise AssertionError("a run has more turns than phases")


# ---- one phase ----


def run_phase(do: Do, parts: Parts, order: model.Order, phase: model.PhaseOrder) -> model.PhaseEnd:
    """Carry out a phase; an attempt whose agent was lost is followed by another one.

    So is, once, work that contradicts what the target has got meanwhile: a fresh agent does it on the target as it is.
    """
    end, can_redo = model.PhaseEnd(phase.id, "failed", "agent", "no attempt was made"), can_be_redone(order, phase)
    for number in range(1, _MOST_ATTEMPTS + 1):
        end = PhaseLine(do, parts, order, At(phase, number), can_redo=can_redo).run()
        can_redo = can_redo and end.reason != REDONE
        if end.reason not in (LOST, REDONE):
            return end
    return end


def can_be_redone(order: model.Order, phase: model.PhaseOrder) -> bool:
    """Whether an agent may be sent once more without asking: a runbook would do the same again."""
    return order.options.auto and choose_driver(phase, order.options.agent)[0] != _CHECKS


class PhaseLine:
    """One attempt. Each method is a stretch of the line; `Failed` leaves it for the end of the attempt."""

    def __init__(self, do: Do, parts: Parts, order: model.Order, at: At, *, can_redo: bool = False) -> None:
        self._do, self._parts, self._order, self._at = do, parts, order, at
        self._can_redo = can_redo
        self._evidence: model.Evidence | None = None
        self._verdict: model.Verdict | None = None
        self._drift: model.DriftOutcome | None = None

    def run(self) -> model.PhaseEnd:
        """All of it. The end is put on record, whatever it is."""
        try:
            end = self._line()
        except Failed as failed:
            end = failed.end
        return self._step("end", self._parts.end_phase, end, self._evidence, self._drift)

    def _line(self) -> model.PhaseEnd:
        phase, options, parts = self._at.phase, self._order.options, self._parts
        start = self._ordered(self._step("start", parts.start))
        if start.landed:  # by a commit's own word: an agent can write one, so its checks have to say so, too
            failed = _failed_checks(self._measure(start.base))
            if failed:
                told = f"says that the phase has landed, and on the target {', '.join(failed)} fails"
                raise self._failed("proof", f"{start.landed[:12]} {told}")
            return model.PhaseEnd(phase.id, "landed", text="it had landed before", commit=start.landed)
        asks, question = not options.auto and not options.finish, f"Start phase {phase.id}?"
        if asks and not self._confirm("confirm", "start", question):
            raise self._failed("stopped", "nobody wanted to start it", state="paused")
        baseline = self._measure(start.base)
        if start.in_session and baseline.runs and not _failed_checks(baseline):
            text = "it was proven in a session, and its checks hold on the target"
            return model.PhaseEnd(phase.id, "landed", IN_SESSION, text)
        # where the checks alone judge and hold before the work, no work can be proven: that is known before it
        if (options.verifier or options.agent) == _CHECKS and (why := why_unprovable(baseline.runs, phase.text)):
            raise self._failed("checks", f"{why}; no agent was started")
        found = self._step("fresh", parts.freshen)
        if found.refusal:
            raise self._failed("refused", found.refusal, command=name_refinement(self._order.path, found))
        if found.question and not self._confirm("ask_stale", "stale", found.question):
            raise self._failed("refused", found.question)
        workspace = self._ordered(self._step("workspace", parts.open_workspace, start.base))
        work = self._implement(workspace)
        snapshot, evidence, verdict, work = self._judge(workspace, baseline, work)
        is_shown = is_seen(phase, snapshot.paths, options.ui_files)
        if is_shown and not sign_off(self._do, parts, self._order, self._at, snapshot):
            raise self._failed("sign_off", "nobody has signed it off")
        drift = self._drift = self._step("drift", parts.judging.find_drift, work, verdict)
        if drift.abort:
            raise self._failed("drift", drift.abort)
        if drift.asks and not self._confirm("ask_drift", "drift", drift.asks):
            raise self._failed("drift", drift.asks)
        return self._land(snapshot, evidence, drift, baseline)

    def _measure(self, base: str) -> model.Baseline:
        baseline = self._step("baseline", self._parts.workspaces.measure_base, base)
        if baseline.problem:
            told = f"the environment is at fault, not the work: {baseline.problem}; {name_repair(baseline.problem)}"
            raise self._failed("environment", told, command="planrail setup")
        if why := baseline.uncollected:
            told = f"[testing] command = {self._order.test_command!r} cannot run on the base: {why}"
            raise self._failed("refused", f"{told}; no agent was started; {name_repair(why)}", command="planrail setup")
        return baseline

    # ---- the work ----

    def _implement(self, workspace: model.Workspace) -> model.Work:
        """The agent's work; a usage limit is waited for, and the conversation goes on."""
        conversation = ""
        for part in range(1, _MOST_LIMITS + 1):
            work = self._step(f"implement.{part}", self._parts.implement, workspace, part, conversation)
            if work.reason != "limit":
                return self._worked(work)
            self._step(f"limit.{part}", self._parts.gates.wait_for_limit, work)
            conversation = work.conversation or conversation
        raise self._failed("limit", "the agent came to its usage limit again and again")

    def _worked(self, work: model.Work) -> model.Work:
        if work.ok:
            return work
        reason = work.reason if work.reason in (LOST, "timeout", "stopped", "budget") else "agent"
        raise self._failed(reason, work.error or "the agent failed")

    # ---- the judgement ----

    def _judge(
        self, workspace: model.Workspace, baseline: model.Baseline, work: model.Work
    ) -> tuple[model.Snapshot, model.Evidence, model.Verdict, model.Work]:
        """Snapshot, checks, verdict, and all that was said; once more after one fix, at most."""
        snapshot, evidence, verdict = self._look(workspace, baseline, work, 1)
        problems = _problems(evidence, verdict)
        if not problems:
            return snapshot, evidence, verdict, work
        told = "; ".join(problems)
        question = f"Let a fresh agent fix it? {cut_clauses(told)}"
        if not self._order.options.auto and not self._confirm("ask_fix", "fix", question):
            raise self._failed("verdict", told)
        fixed = self._step("fix", self._parts.fix, workspace, problems, 1, list_outputs(evidence))
        if fixed.reason == NOBODY:
            raise self._failed("checks" if evidence.failures else "verdict", told)
        self._worked(fixed)
        work = replace(fixed, text=f"{work.text}\n{fixed.text}")  # reasons and drift of both are heard
        snapshot, evidence, verdict = self._look(workspace, baseline, work, 2)
        problems = _problems(evidence, verdict)
        if problems:
            raise self._failed("checks" if evidence.failures else "verdict", "; ".join(problems))
        return snapshot, evidence, verdict, work

    def _look(
        self, workspace: model.Workspace, baseline: model.Baseline, work: model.Work, part: int
    ) -> tuple[model.Snapshot, model.Evidence, model.Verdict]:
        named, judging = f"snapshot.{part}", self._parts.judging
        snapshot = self._ordered(self._step(named, self._parts.snapshot, workspace, named))
        evidence = self._evidence = self._step(f"checks.{part}", judging.gather, snapshot, baseline, work)
        verdict = self._verdict = self._step(f"verify.{part}", judging.verify, snapshot, evidence, part)
        return snapshot, evidence, verdict

    # ---- the landing ----

    def _land(
        self, snapshot: model.Snapshot, evidence: model.Evidence, drift: model.DriftOutcome, baseline: model.Baseline
    ) -> model.PhaseEnd:
        """Build, prove, move; again where the target has moved meanwhile."""
        parts = self._parts
        for turn in range(1, _MOST_MOVES + 1):
            with parts.landings.turn():
                given = (snapshot, evidence, drift, REDONE if self._can_redo else "")
                built = self._step(f"candidate.{turn}", parts.landings.build, *given)
                if self._can_redo and isinstance(built, model.Refusal) and built.reason == "conflict":
                    raise self._failed(REDONE, f"{built.text}; a fresh agent does it on the target as it is now")
                candidate = self._ordered(built)
                proof = self._step(f"prove.{turn}", parts.landings.prove, snapshot, candidate, baseline)
                if not proof.ok:
                    raise self._failed("proof", "; ".join(proof.problems))
                landing = self._step(f"land.{turn}", parts.land, candidate, evidence)
            if landing.state != "moved":
                return self._landed(landing)
        raise self._failed("moved", "others moved the target each time before this work could land")

    def _landed(self, landing: model.Landing) -> model.PhaseEnd:
        if landing.state == "landed" and self._order.options.landing == "pr":
            landing = self._step("publish", self._parts.publishing.publish, landing)
        if landing.state not in LANDED:
            end = model.PhaseEnd(
                self._at.phase.id, "failed", "conflict", landing.message, landing.commit, landing.command
            )
            raise Failed(end)
        told = tell_old_failures(self._evidence.findings if self._evidence is not None else ())
        unread = count_unread(self._verdict) if self._verdict is not None else 0
        text = f"{landing.message}{told}"
        return model.PhaseEnd(self._at.phase.id, landing.state, text=text, commit=landing.commit, unread=unread)

    # ---- the means ----

    def _step(self, name: str, step: Callable[..., T], *arguments: object) -> T:
        return self._do(self._at.key(name), step, self._at, *arguments)

    def _confirm(self, step: str, place: str, question: str) -> bool:
        return self._step(step, self._parts.gates.confirm, place, question)

    def _ordered(self, found: T | model.Refusal) -> T:
        if isinstance(found, model.Refusal):
            raise self._failed(found.reason, found.text, command=found.command)
        return found

    def _failed(self, reason: str, text: str, state: str = "failed", command: str = "") -> "Failed":
        return Failed(model.PhaseEnd(self._at.phase.id, state, reason, text, command=command))


class Failed(Exception):
    """The attempt ends here."""

    def __init__(self, end: model.PhaseEnd) -> None:
        super().__init__(end.text)
        self.end = end


def _failed_checks(baseline: model.Baseline) -> list[str]:
    return [name_check(run.command) for run in baseline.runs if run.exit and run.origin != TESTS]


def _problems(evidence: model.Evidence, verdict: model.Verdict) -> tuple[str, ...]:
    found = [finding.text for finding in evidence.failures]
    if not found and not verdict.passed:
        found = list(verdict.problems or ("the verifier said no",))
    return tuple(dict.fromkeys(found))
