"""How does the run of a plan stand? From any terminal, at any time; it reads only.

With --json: {"plan", "path", "title", "run": {"run", "state", "live", "agent", "verifier", "landing", "started",
"elapsed", "text", "until"} or null, "owner": {"owner", "pid", "host", "alive", "since", "phase"} or null, "phase",
"attempt", "step", "step_text", "step_seconds", "tokens", "cost", "minutes", "agent": {"last_lines", "quiet_seconds",
"log"} or null, "stuck": {"answer": "working|waiting|may be stuck", "text", "quiet_seconds", "step_seconds", "tries",
"attempts", "errors"} or null, "progress": {"done", "total"}, "phases": [{"id", "title", "status", "proof",
"run_state", "commit", "note", "needs"}], "schedule": {"every", "cron", "zone", "next", "state", "why"} or null,
"submission": {"state", "due", "text", "worker"} or null, "failed": why what was asked for last came to nothing or null,
"next"}.
"""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.masking import mask
from planrail.base.wording import Answer, clip, paint, plural
from planrail.cli.screen import GLYPHS, fit_column
from planrail.plans.states import State
from planrail.runs.reporting.run_times import last_word
from planrail.store.claim_rules import name_host
from planrail.store.journal_lines import answer_stuck, describe_step, render_time
from planrail.store.ledger import open_tables
from planrail.team.looking import Look, look
from planrail.team.next_steps import following, retype
from planrail.team.planned import find_paper
from planrail.team.queueing import QUEUED, RESTING
from planrail.team.run_status import describe, elapsed_now
from planrail.team.submitting import describe_schedule, note_workers

_TITLE, _BESIDE = 48, 30  # characters of a title, at most, and of what stands beside it


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    found = look(find_paper(arguments.plan), time.time())
    return Answer(describe(found), _render(found), command=following(found))


def _render(found: Look) -> Iterator[str]:
    yield f"{paint(clip(found.paper.plan.title, 80), 'bold')}  {found.paper.path}"
    for line in (*_run_lines(found), *_work_lines(found), *_planned_lines(found)):
        yield f"  {line}"
    yield f"  {render_progress(found.done, len(found.phases))}\n"
    width = min(12, max((len(phase.id) for phase in found.phases), default=0))
    title = fit_column((phase.title for phase in found.phases), _TITLE, width + _BESIDE)
    for phase in found.phases:
        sign, colour = GLYPHS[State(phase.status)]
        proof = f"({phase.proof})" if phase.proof and phase.is_done else ""
        note = paint(phase.note, "bold") if "←" in phase.note else phase.note
        told = "  ".join(part for part in (proof, phase.commit[:10], note) if part)
        yield f"  {paint(sign, colour)} {phase.id:<{width}}  {clip(phase.title, title):<{title}}  {told}".rstrip()


def render_progress(done: int, total: int) -> str:
    filled = done * 20 // total if total else 0
    return f"{'█' * filled}{'░' * (20 - filled)}  {done} of {plural(total, 'phase')} done"


def _run_lines(found: Look) -> list[str]:
    state = found.run
    if state is None:
        return ["no run so far"]
    lines = [f"run {state.order.run}: {state.state.replace('_', ' ')}, {render_time(elapsed_now(found, state))}"]
    if told := last_word(state):
        lines.append(clip(mask(retype(state.order, told)), 500))
    if state.shared is not None and state.order.root != found.paper.root:
        lines.append(f"on {name_host(state.shared.host)}, in {state.order.root}")
    if found.claim is not None and state.state == "running":
        lines.append(f"held by process {found.claim.owner.pid}")
    elif found.claim is not None and found.claim_lives:
        lines.append(f"held by {found.claim.owner.id} (process {found.claim.owner.pid})")
    used = found.spent
    if used.tokens or used.money:
        lines.append(f"{used.tokens:,} tokens, ${used.money:.2f}")
    return lines


def _planned_lines(found: Look) -> list[str]:
    """When it goes on by itself, where it stands in the queue, and why what was asked for last came to nothing."""
    lines = [describe_schedule(row, found.now) for row in found.planned.schedules]
    for submission in found.planned.submissions:
        if submission.state in (QUEUED, RESTING):
            waits = "waits for a worker" if submission.state == QUEUED else "waits for a person"
            told = f" ({mask(submission.said)})" if submission.said else ""
            lines.append(f"in the queue: {waits}{told}")
        if submission.state == QUEUED:
            with open_tables(found.paper.root) as tables:
                lines[-1] += "; no worker is there" if note_workers(tables, found.paper.root) else ""
    failed, began = found.planned.failed, found.run.started if found.run is not None else 0.0
    if failed and failed.submitted > began:
        lines.append(f"what was asked for last failed: {mask(failed.said)}")
    return lines


def _work_lines(found: Look) -> list[str]:
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
