"""The end of a plan: is the whole what the plan was for? Then it is marked complete, and its request merged."""

import shlex

from planrail.base import run_model as model
from planrail.runs.evidence.judging import tell_old_failures
from planrail.runs.phases.choosing import is_all_done
from planrail.runs.phases.whole import needs_reader, order_whole
from planrail.runs.steps.parts import Parts
from planrail.runs.steps.site import At, Do
from planrail.runs.verdicts import judging

_MOST_MARKS = 20  # times that others may move the target before the mark of a complete plan
_MOST_LOOKS = 100  # times that pictures are taken anew
_UNMARKED = "every phase landed; others moved the target, so the plan is not marked complete"


def tell_unread(order: model.Order, count: int) -> str:
    """What to add where criteria of what has landed were judged by nobody: no check of theirs, and no verifier."""
    return f"; {judging.tell_unread(count)}, see planrail report {shlex.quote(order.path)} --full" if count else ""


def finish(do: Do, parts: Parts, order: model.Order, done: tuple[str, ...], unread: int) -> model.Ending:
    """All phases are done: look at the whole once more, then mark the plan complete."""
    report = f"planrail report {order.path}"
    if not is_all_done(order, done):
        text = f"phase {order.options.phase} was done before; to do it once more, add --again"
        return model.Ending("phase_done", f"{text}{tell_unread(order, unread)}", f"planrail next {order.path}")
    evidence = do("finish/verify_all", parts.judging.verify_all, done)
    told = tell_old_failures(evidence.findings) + tell_unread(order, unread)
    problems = [finding.text for finding in evidence.failures] or _look_at_whole(do, parts, order, done, evidence)
    if problems:
        text = f"every phase landed, but the whole does not hold: {'; '.join(problems)}; a phase is done once more by"
        return model.Ending("failed", f"{text} --again{tell_unread(order, unread)}", report)
    landing = _mark(do, parts, done)
    if landing.state == "refused":
        told = f"{landing.message}{tell_unread(order, unread)}"
        return model.Ending("failed", told, f"planrail status {order.path}")
    if order.options.landing != "pr":
        return model.Ending("complete", f"{landing.message or 'the plan is complete'}{told}", report)
    # the request has all phases now: it is merged, or waits for a person who does that
    landing = do("finish/merge", parts.publishing.merge, done)
    if landing.state == "landed":
        return model.Ending("complete", f"the plan is complete: {landing.message}{told}", landing.command or "git pull")
    state = "pr_ready" if landing.state == "pr-ready" else "failed"
    return model.Ending(state, f"{landing.message}{told}", landing.command or report)


def _look_at_whole(
    do: Do, parts: Parts, order: model.Order, done: tuple[str, ...], evidence: model.Evidence
) -> tuple[str, ...]:
    """What a verifier that knows the goal has against all phases together; people look at all of their pages once."""
    at = At(order_whole(order, [phase for phase in order.phases if phase.state != "skipped"]), 1)
    is_read, is_seen = needs_reader(order), at.phase.is_ui and bool(done)
    if not is_read and not is_seen:
        return ()
    snapshot, problems = do(at.key("snapshot.1"), parts.judging.take_whole, at), tuple[str, ...]()
    if not snapshot.paths:
        return ()
    if is_read:
        verdict = do(at.key("verify.1"), parts.judging.verify, at, snapshot, evidence, 1)
        problems = () if verdict.passed else verdict.problems or ("the verifier said no",)
    if is_seen and not problems and not sign_off(do, parts, order, at, snapshot):
        problems = ("nobody has signed it off",)
    do(at.key("end"), _end_whole, problems)
    return problems


def _end_whole(problems: tuple[str, ...]) -> model.PhaseEnd:
    if problems:
        return model.PhaseEnd(model.WHOLE, "failed", "overall", "; ".join(problems))
    return model.PhaseEnd(model.WHOLE, "done", text="all phases together are what the plan was for")


def sign_off(do: Do, parts: Parts, order: model.Order, at: At, snapshot: model.Snapshot) -> bool:
    """What people see, people look at; where pictures could not be taken, a resumed run has them taken anew."""
    for part in range(1, _MOST_LOOKS + 1):
        view = do(at.key(f"pictures.{part}"), parts.viewing.look_at, at, snapshot, part)
        if not order.options.awaits_sign_off:
            return True
        if do(at.key(f"sign_off.{part}"), parts.viewing.sign_off, at, view, part):
            return True
    return False


def _mark(do: Do, parts: Parts, done: tuple[str, ...]) -> model.Landing:
    """Mark the plan complete; again where the target has moved meanwhile."""
    for turn in range(1, _MOST_MARKS + 1):
        with parts.landings.turn():
            mark = do(f"finish/mark.{turn}", parts.landings.build_mark, done)
            marked = do(f"finish/complete.{turn}", parts.landings.complete, done, mark)
        if marked.state != "moved":
            return marked
    return model.Landing("moved", message=_UNMARKED)
