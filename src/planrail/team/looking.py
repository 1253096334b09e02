"""How does a run stand right now? Everything that `planrail status` tells, gathered by reading alone."""

import contextlib
import os

from planrail.agents.jobs.job_files import load_runner
from planrail.agents.processes.trees import started_at
from planrail.approval.book import PlanFile
from planrail.base.budgets import Spent
from planrail.base.errors import PlanrailError
from planrail.base.json_reading import read_object
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.base.run_model import PhaseEnd, Work
from planrail.base.whole_files import read_whole
from planrail.git.remotes.pushing import fetch_ref, remote_of
from planrail.projects.proof_reading import hold_facts
from planrail.runs.reporting.gathering import changed_at
from planrail.runs.request.phase_table import PhaseLook, look_at_phases
from planrail.store.claim_rules import PLAN, Claim
from planrail.store.journal_lines import Life, Step, list_steps, split_key
from planrail.store.ledger import has_ledger, open_ledger, open_store
from planrail.store.runs.run_facts import adopted, phase_states, spent
from planrail.store.runs.run_folders import RunState, list_runs
from planrail.store.runs.run_history import PhaseFact
from planrail.team.planned import Planned, read_planned

EVENTS, LOG = "events.jsonl", "log"
_LINES = 5


@record
class AgentLook:
    """An agent that works: what it did last, when it gave the last sign of life, what it has used so far."""

    folder: str
    lines: tuple[str, ...]
    last_at: float
    tokens: int
    cost: float


@record
class RunLook:
    """A plan and its newest run, as they are at a moment."""

    plan_file: PlanFile
    now: float
    run: RunState | None
    claim: Claim | None  # of the owner that holds the plan
    claim_lives: bool
    step: Step | None
    agent: AgentLook | None
    life: Life | None
    spent: Spent
    phases: list[PhaseLook]
    planned: Planned  # its schedule, and its place in the queue

    @property
    def done(self) -> int:
        return sum(phase.is_done for phase in self.phases)


def look(plan_file: PlanFile, now: float) -> RunLook:
    runs = list_runs(plan_file.root, plan_file.id)
    run = next(iter(runs), None)
    claims = open_store(plan_file.root).claims
    claim = claims.holder(PLAN, plan_file.id)
    step = _find_step(run) if run is not None else None
    agent = _look_at_agent(run) if run is not None and run.ending is None else None
    _bring_landed(plan_file, run)
    facts: dict[str, PhaseFact] = {}
    kept: tuple[str, ...] = ()
    used = Spent()
    if has_ledger(plan_file.root):
        with open_ledger(plan_file.root) as ledger:
            facts, kept = phase_states(ledger, plan_file.id), adopted(ledger, plan_file.id)
            used = spent(ledger, plan_file.id)
    going = {run.order.run for run in runs if not run.is_over}  # on the phases of others nobody is at work
    facts = {
        name: fact
        for name, fact in hold_facts(plan_file, facts).items()
        if fact.state != "in_progress" or fact.run in going
    }
    kept = (*kept, *(run.order.adopted if run is not None else ()))
    current = step.phase if step is not None and run is not None and run.is_live else ""
    phases = look_at_phases(plan_file.plan, plan_file.source.text, facts, kept, current)
    life = _life(run, step, agent, now) if run is not None and run.is_live and step is not None else None
    is_held, planned = claim is not None and claims.lives(claim), read_planned(plan_file.root, plan_file.id)
    if agent is not None:  # what it has used meanwhile is on no record yet
        used = Spent(used.money + agent.cost, used.tokens + agent.tokens, used.minutes, used.attempts)
    return RunLook(plan_file, now, run, claim, is_held, step, agent, life, used, phases, planned)


def look_at_life(run: RunState, now: float) -> tuple[Step, Life] | None:
    """The step that a live run is in, and its signs of life."""
    step = _find_step(run)
    return (step, _life(run, step, _look_at_agent(run), now)) if step is not None and run.is_live else None


def _find_step(run: RunState) -> Step | None:
    """The step that a run which is not over is in."""
    wanted = split_key(run.current) if not run.is_over and run.current else None
    steps = [step for step in list_steps(run.lines) if (step.phase, step.attempt, step.name) == wanted]
    return steps[-1] if steps else None


def _bring_landed(plan_file: PlanFile, run: RunState | None) -> None:
    """Fetch what a worker has landed on the remote, beside the user's own refs: a proof is of a commit."""
    if run is None or not run.order.remote or run.order.root == plan_file.root:
        return
    upstream = remote_of(plan_file.root, run.order.target)
    with contextlib.suppress(PlanrailError):  # what cannot be fetched now is a claim
        if upstream is not None:
            fetch_ref(plan_file.root, upstream.remote, upstream.branch)


def _look_at_agent(run: RunState) -> AgentLook | None:
    """The agent of the current step. It outlives planrail, and goes on working for the next one."""
    folder = run.agent_folder
    pid, started = (load_runner(folder) if folder else None) or (0, "")  # the process that looks after the agent
    lives = run.is_live or (bool(pid and started) and started_at(pid) == started)
    if not folder or not lives or os.path.exists(os.path.join(folder, "outcome.json")):
        return None
    lines_of_events = (read_whole(os.path.join(folder, EVENTS)) or b"").split(b"\n")
    events = [event for raw in lines_of_events if (event := read_object(raw))]
    told = [describe_event(event) for event in events]
    lines = tuple(mask(line) for line in [line for line in told if line][-_LINES:])
    tokens = sum(_number(event, "tokens_in") + _number(event, "tokens_out") for event in events)
    last = max(changed_at(os.path.join(folder, name)) for name in (EVENTS, LOG, "job.json"))
    return AgentLook(folder, lines, last, int(tokens), sum(_number(event, "cost") for event in events))


def _life(run: RunState, step: Step, agent: AgentLook | None, now: float) -> Life:
    output = os.walk(os.path.join(run.folder, "output"))  # that of a check which runs is a sign of life
    written = [changed_at(os.path.join(place, name)) for place, _, names in output for name in names]
    signs = [run.last_at, agent.last_at if agent is not None else 0.0, *written]
    attempts = max((other.attempt for other in list_steps(run.lines) if other.phase == step.phase), default=1)
    return Life(max(0.0, now - max(signs)), max(0.0, now - step.began), step.tries, attempts, _errors(run, step.phase))


def _errors(run: RunState, phase: str) -> tuple[str, ...]:
    found = []
    for line in run.lines:
        result = line.result() if split_key(line.key)[0] == phase else None
        if isinstance(result, Work) and not result.ok:
            found.append(result.error or result.reason)
        elif isinstance(result, PhaseEnd) and result.state == "failed":
            found.append(result.text or result.reason)
    return tuple(mask(text) for text in found)


def describe_event(event: dict[str, object]) -> str:
    """An event on one line; nothing for those that only count."""
    kind = event.get("event")
    texts = {
        "said": f"{event.get('text')}",
        "used": f"{event.get('tool')} {event.get('detail')}",
        "denied": f"{event.get('tool')} denied: {event.get('reason')}",
        "asked": "asks a question",
    }
    return " ".join(texts.get(str(kind), "").split())[:300]


def _number(event: dict[str, object], name: str) -> float:
    figure = event.get(name)
    return float(figure) if isinstance(figure, int | float) and event.get("event") == "spent" else 0.0
