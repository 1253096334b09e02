"""How the run of a plan stands, as data: for programs that ask, and for the screen."""

import os

from planrail.base.masking import mask
from planrail.base.wording import pick
from planrail.runs.reporting.gathering import elapsed, last_word
from planrail.store.claim_rules import name_host
from planrail.store.journal_lines import answer_stuck, describe_step, judge_life_signs, name_verifier
from planrail.store.runs.run_folders import RunState
from planrail.team.looking import RunLook
from planrail.team.next_steps import following


def describe(found: RunLook) -> dict[str, object]:
    """What `planrail status --json` prints; the command says what is in it."""
    step, life, planned, agent, claim = found.step, found.life, found.planned, found.agent, found.claim
    schedule, submission = next(iter(planned.schedules), None), next(iter(planned.submissions), None)
    owner = stuck = last = waits = None
    if claim is not None:
        owner = {**pick(claim, "owner=owner.id pid=owner.pid"), "host": name_host(claim.owner.host)}
        owner |= {"alive": found.claim_lives, "since": claim.started_at, "phase": claim.current_phase}
    if agent is not None:
        quiet = round(max(0.0, found.now - agent.last_at), 1)
        last = {"last_lines": agent.lines, "quiet_seconds": quiet, "log": os.path.join(agent.folder, "log")}
    if life is not None and step is not None:
        answer, text = judge_life_signs(life, step=step.name), answer_stuck(life, step=step.name)
        times = {"quiet_seconds": round(life.quiet, 1), "step_seconds": round(life.in_step, 1)}
        stuck = {"answer": answer, "text": text, **times, **pick(life, "tries attempts errors")}
    if submission is not None:
        waits = {**pick(submission, "state due?"), "text": mask(submission.said) or None}
        waits |= pick(submission, "worker?")
    return {
        **pick(found.plan_file, "plan=id path title=plan.title status=plan.status"),
        "run": _describe_run(found, found.run) if found.run is not None else None,
        "owner": owner,
        **(pick(step, "phase? attempt? step=name") if step else dict.fromkeys(("phase", "attempt", "step"))),
        "step_text": describe_step(step.name) if step is not None else None,
        "step_seconds": round(life.in_step, 1) if life is not None else None,
        "tokens": found.spent.tokens,
        "cost": round(found.spent.money, 6),
        "minutes": found.spent.minutes,
        "agent": last,
        "stuck": stuck,
        "progress": {"done": found.done, "total": len(found.phases)},
        "phases": [pick(phase, "id title status proof? run_state? commit? note? needs") for phase in found.phases],
        "schedule": pick(schedule, "every=expression cron zone next state why?") if schedule is not None else None,
        "submission": waits,
        "failed": mask(planned.failed.said) if planned.failed is not None else None,
        "next": following(found),
    }


def _describe_run(found: RunLook, state: RunState) -> dict[str, object]:
    options = state.order.options
    return {
        **pick(state, "run=order.run state live=is_live agent=order.options.agent"),
        "verifier": name_verifier(options.agent, options.verifier),
        "landing": options.landing,
        "started": int(state.started),
        "elapsed": round(elapsed_now(found, state), 1),
        "text": mask(last_word(state)) or None,
        "until": (state.ending.until or None) if state.ending is not None else None,
    }


def elapsed_now(found: RunLook, state: RunState) -> float:
    """How long the run has taken; it goes on while its agent does, though planrail itself is gone."""
    return found.now - state.started if found.agent is not None else elapsed(state, found.now)
