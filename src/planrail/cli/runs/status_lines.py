"""How a plan and its run stand, as lines for people: for `planrail status` and `planrail watch`. What happened to a
plan, as lines for people: for `planrail log` and `planrail watch`.
"""

import time
from collections.abc import Iterator

from planrail.approval.book import PlanFile, list_facts
from planrail.base.budgets import show_cost
from planrail.base.masking import mask
from planrail.base.run_model import WHOLE
from planrail.base.wording import clip, paint, plural, quote
from planrail.cli.screen import GLYPHS, fit_column
from planrail.plans.states import State
from planrail.runs.reporting.events import PlanEvent, list_events
from planrail.runs.reporting.gathering import last_word
from planrail.store.claim_rules import name_host
from planrail.store.journal_lines import answer_stuck, describe_step, render_time
from planrail.team.engines import open_dispatch
from planrail.team.looking import RunLook
from planrail.team.next_steps import name_here, retype
from planrail.team.queueing import QUEUED, RESTING
from planrail.team.run_status import elapsed_now
from planrail.team.submitting import describe_schedule, note_workers

_TITLE, _BESIDE = 48, 30  # characters of a title, at most, and of what stands beside it


def render_status(found: RunLook) -> Iterator[str]:
    """What the document says, what is proven of it, how its run stands, and what comes next."""
    plan = found.plan_file.plan
    about = f"({plan.format}, {plan.status.value.replace('_', ' ')})"
    yield f"{paint(clip(plan.title, 80), 'bold')}  {found.plan_file.path}  {paint(about, 'dim')}"
    for line in (*_run_lines(found), *_work_lines(found), *_planned_lines(found)):
        yield f"  {line}"
    yield f"  {render_progress(found.done, len(found.phases))}\n"
    yield from _phase_lines(found)
    if plan.diagnostics:
        problems = plural(len(plan.diagnostics), "problem")
        yield paint(f"\n  {problems} in the document: planrail lint {quote(found.plan_file.source.path)}", "yellow")


def _phase_lines(found: RunLook) -> Iterator[str]:
    said = {phase.id: phase for phase in found.plan_file.plan.phases}
    width = min(12, max((len(phase.id) for phase in found.phases), default=0))
    title = fit_column((phase.title for phase in found.phases), _TITLE, width + _BESIDE)
    for phase in found.phases:
        sign, colour = GLYPHS[State(phase.status)]
        proof = f"({phase.proof})" if phase.proof and phase.is_done else ""
        note = paint(phase.note, "bold") if "←" in phase.note else phase.note
        why = "" if phase.commit else paint(said[phase.id].reason, "dim")
        told = "  ".join(part for part in (proof, phase.commit[:10], note, why) if part)
        yield f"  {paint(sign, colour)} {phase.id:<{width}}  {clip(phase.title, title):<{title}}  {told}".rstrip()
        first = next((item.text for item in said[phase.id].items if not item.is_done), "")
        if first and (phase.is_next or phase.is_current):
            yield f"      first: {clip(first, 100)}"


def render_progress(done: int, total: int) -> str:
    filled = done * 20 // total if total else 0
    return f"{'█' * filled}{'░' * (20 - filled)}  {done} of {plural(total, 'phase')} done"


def _run_lines(found: RunLook) -> list[str]:
    state = found.run
    if state is None:
        return ["no run so far"]
    lines = [f"run {state.order.run}: {state.state.replace('_', ' ')}, {render_time(elapsed_now(found, state))}"]
    if told := last_word(state):
        lines.append(clip(mask(retype(state, told)), 500))
    if state.shared is not None and state.order.root != found.plan_file.root:
        lines.append(f"on {name_host(state.shared.host)}, in {state.order.root}")
    if found.claim is not None and state.state == "running":
        lines.append(f"held by process {found.claim.owner.pid}")
    elif found.claim is not None and found.claim_lives:
        lines.append(f"held by {found.claim.owner.id} (process {found.claim.owner.pid})")
    used = found.spent
    if used.tokens or used.money:
        lines.append(show_cost(used))
    return lines


def _planned_lines(found: RunLook) -> list[str]:
    """When it goes on by itself, where it stands in the queue, and why what was asked for last came to nothing."""
    lines = [describe_schedule(row, found.now) for row in found.planned.schedules]
    for submission in found.planned.submissions:
        if submission.state in (QUEUED, RESTING):
            waits = "waits for a worker" if submission.state == QUEUED else "waits for a person"
            told = f" ({mask(submission.said)})" if submission.said else ""
            lines.append(f"in the queue: {waits}{told}")
        if submission.state == QUEUED:
            with open_dispatch(found.plan_file.root) as dispatch:
                lines[-1] += "; no worker is there" if note_workers(dispatch, found.plan_file.root) else ""
    failed, began = found.planned.failed, found.run.started if found.run is not None else 0.0
    if failed and failed.submitted > began:
        lines.append(f"what was asked for last failed: {mask(failed.said)}")
    return lines


def _work_lines(found: RunLook) -> list[str]:
    step, lines = found.step, []
    if step is not None and step.phase:
        again = f", attempt {step.attempt}" if step.attempt > 1 else ""
        lines.append(f"phase {step.phase}{again}: {describe_step(step.name)}")
    if found.life is not None and step is not None:
        lines.append(answer_stuck(found.life, step=step.name))
        lines += [f"  error: {clip(error, 160)}" for error in found.life.errors[-3:]]
    if found.agent is not None and found.life is None:
        lines.append("planrail is gone; the agent works on, and is taken over by: planrail resume")
    if found.agent is not None:
        lines += [f"  │ {clip(line, 120)}" for line in found.agent.lines]
    return lines


def list_all(plan_file: PlanFile) -> list[PlanEvent]:
    return list_events(list_facts(plan_file.root, plan=plan_file.id))


def render_event(event: PlanEvent, plan_file: PlanFile) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.at))
    what = event.phase if event.phase == WHOLE else f"phase {event.phase}" if event.phase else event.kind
    return f"{paint(when, 'dim')}  {what:<10}  {clip(name_here(plan_file.path, plan_file.root, mask(event.text)), 200)}"
