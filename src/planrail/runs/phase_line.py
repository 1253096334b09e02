"""One phase, from its text to a landed commit: the steps of an attempt, in their order."""

from collections.abc import Callable
from typing import TypeVar

from planrail.base.records import replace
from planrail.base.run_model import (
    Baseline,
    Candidate,
    DriftOutcome,
    Evidence,
    Landing,
    Order,
    PhaseEnd,
    PhaseOrder,
    Refusal,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.runs.evidence.judging import TESTS, name_check, tell_old_failures, why_unprovable, why_unrunnable
from planrail.runs.phases.viewpoints import is_seen
from planrail.runs.verdicts.judging import count_unread
from planrail.runs.workshop import At, Do, Workshop

T = TypeVar("T")
IN_SESSION = "in_session"  # why nothing was done: people and their agent did it before
NOBODY = "nobody"  # there is no one who could mend it
_CHECKS = "runbook"  # the verifier that is none: the checks are the verdict
_LOST = "lost"  # the agent died with all its processes: nobody knows what it had done
_MOST_ATTEMPTS = 20  # agents that die by themselves, one after the other
_MOST_MOVES = 50  # landings that others were faster than
_MOST_LOOKS = 100  # times that pictures are taken anew
_MOST_LIMITS = 100  # usage limits in one attempt


def run_phase(do: Do, shop: Workshop, order: Order, phase: PhaseOrder) -> PhaseEnd:
    """Carry out a phase; an attempt whose agent was lost is followed by another one."""
    end = PhaseEnd(phase.id, "failed", "agent", "no attempt was made")
    for number in range(1, _MOST_ATTEMPTS + 1):
        end = PhaseLine(do, shop, order, phase, number).run()
        if end.reason != _LOST:
            return end
    return end


class PhaseLine:
    """One attempt. Each method is a stretch of the line; `Failed` leaves it for the end of the attempt."""

    def __init__(self, do: Do, shop: Workshop, order: Order, phase: PhaseOrder, number: int) -> None:
        self._do, self._shop, self._order, self._phase = do, shop, order, phase
        self._at = At(phase.id, number)
        self._evidence: Evidence | None = None
        self._verdict: Verdict | None = None
        self._drift: DriftOutcome | None = None

    def run(self) -> PhaseEnd:
        """All of it. The end is put on record, whatever it is."""
        try:
            end = self._line()
        except Failed as failed:
            end = failed.end
        given = (self._phase, self._at, end, self._evidence, self._drift)
        return self._step("end", self._shop.end_phase, *given)

    def _line(self) -> PhaseEnd:
        start = self._ordered(self._step("start", self._shop.start, self._phase, self._at))
        if start.landed:
            return self._landed_before(start.landed, start.base)
        if not self._order.options.auto and not self._order.options.finish:
            self._confirm()
        baseline = self._measure(start.base)
        if start.in_session and baseline.runs and not _failed_checks(baseline):
            text = "it was proven in a session, and its checks hold on the target"
            return PhaseEnd(self._phase.id, "landed", IN_SESSION, text)
        self._refuse_unprovable(baseline)
        self._freshen(start.base)
        opened = self._step("workspace", self._shop.open_workspace, self._phase, self._at, start.base)
        workspace = self._ordered(opened)
        work = self._implement(workspace)
        snapshot, evidence, verdict, work = self._judge(workspace, baseline, work)
        self._sign_off(snapshot)
        drift = self._find_drift(work, verdict)
        return self._land(snapshot, evidence, drift, baseline)

    def _landed_before(self, commit: str, base: str) -> PhaseEnd:
        """A commit says that the phase has landed: anybody can write one, so its checks have to say so, too."""
        failed = _failed_checks(self._measure(base))
        if failed:
            told = f"{commit[:12]} says that the phase has landed, and on the target {', '.join(failed)} fails"
            raise self._failed("proof", told)
        return PhaseEnd(self._phase.id, "landed", text="it had landed before", commit=commit)

    def _confirm(self) -> None:
        if not self._step("confirm", self._shop.confirm, self._at, "start", f"Start phase {self._phase.id}?"):
            raise self._failed("stopped", "nobody wanted to start it", state="paused")

    def _measure(self, base: str) -> Baseline:
        baseline = self._step("baseline", self._shop.measure_base, self._phase, self._at, base)
        if baseline.problem:
            raise self._failed("environment", f"the environment is at fault, not the work: {baseline.problem}")
        tests = [run for run in baseline.runs if run.origin == TESTS]
        why = next(filter(None, map(why_unrunnable, tests)), "")
        if why:
            told = f"[testing] command = {tests[0].command!r} cannot run: {why}; no agent was started"
            remedy = "correct it in planrail.toml, or remove it while the project has no tests, and commit that"
            command = f"planrail run {self._order.path}"
            raise Failed(PhaseEnd(self._phase.id, "failed", "refused", f"{told}; {remedy}", command=command))
        return baseline

    def _refuse_unprovable(self, baseline: Baseline) -> None:
        """Where the checks alone judge and hold before the work, no work can be proven: that is known before it."""
        options = self._order.options
        if (options.verifier or options.agent) == _CHECKS and (why := why_unprovable(baseline.runs, self._phase.text)):
            raise self._failed("checks", f"{why}; no agent was started")

    def _freshen(self, base: str) -> None:
        found = self._step("fresh", self._shop.freshen, self._phase, self._at, base)
        if found.refusal:
            command = f"planrail lint {self._order.path}"
            raise Failed(PhaseEnd(self._phase.id, "failed", "refused", found.refusal, command=command))
        if found.question and not self._step("ask_stale", self._shop.confirm, self._at, "stale", found.question):
            raise self._failed("refused", found.question)

    # ---- the work ----

    def _implement(self, workspace: Workspace) -> Work:
        """The agent's work; a usage limit is waited for, and the conversation goes on."""
        conversation = ""
        for part in range(1, _MOST_LIMITS + 1):
            given = (self._phase, self._at, workspace, part, conversation)
            work = self._step(f"implement.{part}", self._shop.implement, *given)
            if work.reason != "limit":
                return self._worked(work)
            self._step(f"limit.{part}", self._shop.wait_for_limit, self._at, work)
            conversation = work.conversation or conversation
        raise self._failed("limit", "the agent came to its usage limit again and again")

    def _worked(self, work: Work) -> Work:
        if work.ok:
            return work
        reason = work.reason if work.reason in (_LOST, "timeout", "stopped", "budget") else "agent"
        raise self._failed(reason, work.error or "the agent failed")

    # ---- the judgement ----

    def _judge(self, workspace: Workspace, baseline: Baseline, work: Work) -> tuple[Snapshot, Evidence, Verdict, Work]:
        """Snapshot, checks, verdict, and all that was said; once more after one fix, at most."""
        snapshot, evidence, verdict = self._look(workspace, baseline, work, 1)
        problems = _problems(evidence, verdict)
        if not problems:
            return snapshot, evidence, verdict, work
        if not self._order.options.auto:
            self._ask_for_fix(problems)
        mended = self._step("fix", self._shop.fix, self._phase, self._at, workspace, problems, 1)
        if mended.reason == NOBODY:
            raise self._failed("checks" if evidence.failures else "verdict", "; ".join(problems))
        self._worked(mended)
        work = replace(mended, text=f"{work.text}\n{mended.text}")  # reasons and drift of both are heard
        snapshot, evidence, verdict = self._look(workspace, baseline, work, 2)
        problems = _problems(evidence, verdict)
        if problems:
            reason = "checks" if evidence.failures else "verdict"
            raise self._failed(reason, "; ".join(problems))
        return snapshot, evidence, verdict, work

    def _ask_for_fix(self, problems: tuple[str, ...]) -> None:
        question = "Let a fresh agent mend it? " + "; ".join(problems)
        if not self._step("ask_fix", self._shop.confirm, self._at, "fix", question):
            raise self._failed("verdict", "; ".join(problems))

    def _look(
        self, workspace: Workspace, baseline: Baseline, work: Work, part: int
    ) -> tuple[Snapshot, Evidence, Verdict]:
        named = f"snapshot.{part}"
        snapshot = self._ordered(self._step(named, self._shop.snapshot, self._phase, self._at, workspace, named))
        given = (self._phase, self._at, snapshot, baseline, work)
        evidence = self._evidence = self._step(f"checks.{part}", self._shop.gather, *given)
        asked = (self._phase, self._at, snapshot, evidence, work, part)
        verdict = self._verdict = self._step(f"verify.{part}", self._shop.verify, *asked)
        return snapshot, evidence, verdict

    def _sign_off(self, snapshot: Snapshot) -> None:
        """What people see, people look at; where pictures could not be taken, whoever resumes has them taken anew."""
        if not is_seen(self._phase, snapshot.paths, self._order.options.ui_files):
            return
        for part in range(1, _MOST_LOOKS + 1):
            view = self._step(f"pictures.{part}", self._shop.look_at, self._phase, self._at, snapshot, part)
            given = (self._phase, self._at, view, part)
            is_awaited = self._order.options.awaits_sign_off
            if not is_awaited or self._step(f"sign_off.{part}", self._shop.sign_off, *given):
                return
        raise self._failed("sign_off", "nobody has signed it off")

    def _find_drift(self, work: Work, verdict: Verdict) -> DriftOutcome:
        drift = self._step("drift", self._shop.drift, self._phase, self._at, work, verdict)
        self._drift = drift
        if drift.abort:
            raise self._failed("drift", drift.abort)
        if drift.asks and not self._step("ask_drift", self._shop.confirm, self._at, "drift", drift.asks):
            raise self._failed("drift", drift.asks)
        return drift

    # ---- the landing ----

    def _land(self, snapshot: Snapshot, evidence: Evidence, drift: DriftOutcome, baseline: Baseline) -> PhaseEnd:
        """Build, prove, move; again where the target has moved meanwhile."""
        for turn in range(1, _MOST_MOVES + 1):
            built = self._step(f"candidate.{turn}", self._shop.build, self._phase, self._at, snapshot, evidence, drift)
            candidate = self._ordered(built)
            self._prove(snapshot, candidate, baseline, turn)
            landing = self._step(f"land.{turn}", self._shop.land, self._phase, self._at, candidate, evidence)
            if landing.state != "moved":
                return self._landed(landing)
        raise self._failed("moved", "others moved the target each time before this work could land")

    def _prove(self, snapshot: Snapshot, candidate: Candidate, baseline: Baseline, turn: int) -> None:
        given = (self._phase, self._at, snapshot, candidate, baseline)
        proof = self._step(f"prove.{turn}", self._shop.prove, *given)
        if not proof.ok:
            raise self._failed("proof", "; ".join(proof.problems))

    def _landed(self, landing: Landing) -> PhaseEnd:
        if landing.state == "landed" and self._order.options.landing == "pr":
            landing = self._step("publish", self._shop.publish, self._phase, self._at, landing)
        told = tell_old_failures(self._evidence.findings if self._evidence is not None else ())
        unread = count_unread(self._verdict) if self._verdict is not None else 0
        text = f"{landing.message}{told}"
        end = PhaseEnd(self._phase.id, landing.state, text=text, commit=landing.commit, unread=unread)
        if landing.state in ("landed", "pr-ready", "merged"):
            return end
        raise Failed(PhaseEnd(self._phase.id, "failed", "conflict", landing.message, landing.commit, landing.command))

    # ---- the means ----

    def _step(self, name: str, step: Callable[..., T], *arguments: object) -> T:
        return self._do(self._at.key(name), step, *arguments)

    def _ordered(self, found: T | Refusal) -> T:
        if isinstance(found, Refusal):
            raise Failed(PhaseEnd(self._phase.id, "failed", found.reason, found.text, command=found.command))
        return found

    def _failed(self, reason: str, text: str, state: str = "failed") -> "Failed":
        return Failed(PhaseEnd(self._phase.id, state, reason, text))


class Failed(Exception):
    """The attempt ends here."""

    def __init__(self, end: PhaseEnd) -> None:
        super().__init__(end.text)
        self.end = end


def _failed_checks(baseline: Baseline) -> list[str]:
    return [name_check(run.command) for run in baseline.runs if run.exit and run.origin != TESTS]


def _problems(evidence: Evidence, verdict: Verdict) -> tuple[str, ...]:
    """What speaks against the work, for the one who mends it and for the report."""
    found = [finding.text for finding in evidence.failures]
    if not found and not verdict.passed:
        found = list(verdict.problems or ("the verifier said no",))
    return tuple(dict.fromkeys(found))
