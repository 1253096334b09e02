"""The pipeline of a run: a plain sequence of named steps over `do`, which keeps what each of them found out.

Nothing here touches the world, and nothing here remembers: after a crash the same sequence is walked again, and the
steps that had ended answer from the journal.
"""

import shlex
from functools import partial

from planrail.base.records import replace
from planrail.base.run_model import YIELDED, Ending, Landing, Order, PhaseEnd, Refusal
from planrail.runs.evidence.judging import tell_old_failures
from planrail.runs.phase_line import run_phase
from planrail.runs.phases.choosing import choose, is_all_done
from planrail.runs.steps.parts import LANDED, Parts
from planrail.runs.steps.site import At, Do, Paused

_MOST_MOVES = 20


def run_plan(do: Do, parts: Parts, order: Order) -> Ending:
    """Carry out what was ordered: one phase, or all of them. Every exit is an `Ending`, or an error to resume from."""
    try:
        ending = _run(do, parts, order)
    except Paused as pause:
        ending = Ending(pause.state, pause.text, pause.command, pause.phase, pause.until)
    return parts.end(ending)


def _run(do: Do, parts: Parts, order: Order) -> Ending:
    done: tuple[str, ...] = ()
    unread, phases_of = 0, {phase.id: phase for phase in order.phases}
    for turn in range(1, len(order.phases) + 2):
        chosen = do(f"turn/{turn}/choose", choose, order, done)
        if isinstance(chosen, Refusal):
            return Ending("failed", chosen.text, chosen.command)
        if not chosen:
            ending = _finish(do, parts, order, done)
            return replace(ending, text=f"{ending.text}{_tell_unread(order, unread)}")
        if turn > 1 and parts.gives_way():
            text = f"phase {chosen[0]} is next, when it is this plan's turn again"
            return Ending(YIELDED, text, f"planrail resume {order.path}", chosen[0])
        phases = [phases_of[name] for name in chosen]
        at, question = At(phases[0], 0), f"Go on with phase {chosen[0]}?"
        asks = turn > 1 and not order.options.auto
        if asks and not do(at.key("go_on"), parts.gates.confirm, at, "go_on", question):
            return Ending("paused", f"phase {chosen[0]} is next", f"planrail resume {order.path}", chosen[0])
        works = [partial(run_phase, do, parts, order, phase) for phase in phases]
        ends = parts.together(works) if len(works) > 1 else [works[0]()]
        failed = next((end for end in ends if end.state not in LANDED), None)
        if failed is not None:
            return _ending(order, failed)
        missing = parts.find_missing(ends)
        if missing:
            return Ending("failed", missing, f"planrail report {order.path}", ends[0].phase)
        done = (*done, *(end.phase for end in ends))
        unread += sum(end.unread for end in ends)
        if not order.options.finish and not is_all_done(order, done):
            text = f"phase {ends[0].phase} is done: {ends[0].text}{_tell_unread(order, ends[0].unread)}"
            return Ending("phase_done", text, f"planrail next {order.path}", ends[0].phase)
    raise AssertionError("a run has more turns than phases")


def _ending(order: Order, end: PhaseEnd) -> Ending:
    state = end.state if end.state in ("paused", "parked", "stopped") else "failed"
    return Ending(state, end.text, end.command or f"planrail report {order.path}", end.phase, end.until)


def _tell_unread(order: Order, count: int) -> str:
    """What to add where criteria of what has landed were judged by nobody: no check of theirs, and no verifier."""
    named = "1 criterion" if count == 1 else f"{count} criteria"
    return f"; nobody has read {named}, see planrail report {shlex.quote(order.path)}" if count else ""


def _finish(do: Do, parts: Parts, order: Order, done: tuple[str, ...]) -> Ending:
    """All phases are done: look at the whole once more, then mark the plan complete."""
    if not is_all_done(order, done):
        text = f"phase {order.options.phase} was done before; to do it once more, add --again"
        return Ending("phase_done", text, f"planrail next {order.path}")
    evidence = do("finish/verify_all", parts.judging.verify_all, done)
    if evidence.failures:
        text = "; ".join(finding.text for finding in evidence.failures)
        return Ending(
            "failed",
            f"every phase landed, but the whole does not hold: {text}; a phase is done once more by --again",
            f"planrail report {order.path}",
        )
    landing = _mark(do, parts, done)
    if landing.state == "refused":
        return Ending("failed", landing.message, f"planrail status {order.path}")
    told = tell_old_failures(evidence.findings)
    if order.options.landing == "pr":
        ending = _merge(do, parts, order, done)
        return replace(ending, text=f"{ending.text}{told}")
    return Ending("complete", f"{landing.message or 'the plan is complete'}{told}", f"planrail report {order.path}")


def _merge(do: Do, parts: Parts, order: Order, done: tuple[str, ...]) -> Ending:
    """The request has all phases now: it is merged, or waits for a person who does that."""
    landing = do("finish/merge", parts.publishing.merge, done)
    command = landing.command or f"planrail report {order.path}"
    if landing.state == "landed":
        return Ending("complete", f"the plan is complete: {landing.message}", landing.command or "git pull")
    if landing.state == "pr-ready":
        return Ending("pr_ready", landing.message, command)
    return Ending("failed", landing.message, command)


def _mark(do: Do, parts: Parts, done: tuple[str, ...]) -> Landing:
    """Mark the plan complete; again where the target has moved meanwhile."""
    for turn in range(1, _MOST_MOVES + 1):
        mark = do(f"finish/mark.{turn}", parts.landings.build_mark, done)
        landing = do(f"finish/complete.{turn}", parts.landings.complete, done, mark)
        if landing.state != "moved":
            return landing
    return Landing("moved", message="every phase landed; others moved the target, so the plan is not marked complete")
