"""The agents of a run: one implements, one fixes, one verifies, each in a process that outlives planrail; what they may
use, and where a run waits for a person or for a usage limit."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from planrail.agents.drivers import ALL_NAMES, PROGRAMS
from planrail.agents.environment import find_program
from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.runner import ensure, look
from planrail.agents.prices import load_prices, price, with_price
from planrail.base.budgets import OverBudget, decide_budget, spent
from planrail.base.masking import mask
from planrail.base.records import replace
from planrail.base.run_model import PhaseOrder, Refusal, Work, Workspace
from planrail.base.state_folder import state_folder
from planrail.confine.backends import BUBBLEWRAP
from planrail.git.tree_removal import remove_tree
from planrail.plans.execution.executions import work_of
from planrail.runs.checks.enclosures import hold_agent
from planrail.runs.checks.leftovers import without_orphans
from planrail.runs.contracts import describe_landed, measure_overhead, tell_contract
from planrail.runs.prompts import GO_ON, fix_prompt, implement_prompt, needs_file
from planrail.runs.steps.redoing import EARLIER_FILE, read_earlier
from planrail.runs.steps.site import CONTRACT_FILE, PHASE_FILE, SIDE, At, Facts, Paused, Site
from planrail.runs.steps.workspaces import Workspaces
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import SPENT
from planrail.store.runs.run_folders import read_journal
from planrail.store.runs.run_history import SpentFact

Answer = Literal["go", "ask", "wait"]
NOBODY = "nobody"  # there is no agent that could fix it
_UNATTENDED: dict[str, Answer] = {"start": "go", "fix": "go", "go_on": "wait", "drift": "wait"}
_ASKED_AGAIN = ("start", "go_on", "stale")  # a no means "not now": the person who resumes is asked once more
_LONGEST_SLEEP = 30.0  # seconds; a machine that slept wakes up late
_UNKNOWN_LIMIT = 3600  # seconds, where the agent does not say when its limit ends
# What an agent's outcome and the work of a run call by the same names.
_SAME = (
    *("ok", "reason", "conversation", "tokens_in", "tokens_out", "cost", "seconds", "resets_at", "structured"),
    "confined",
)
_VERIFIER = "verifier"
_HELD = (
    " (it was confined: where it lacked something, [run] readable and writable open that, and `planrail config"
    " run.confine off` opens all; see docs/confinement.md)"
)
_LONGEST_TEXT = 100_000  # characters of an agent's last word that the journal keeps
_SOURCES = "PYTHONPATH"
_MOST_LIMITS = 100  # usage limits that one job may come to


def decide_pause(place: str, *, auto: bool, is_resumed: bool, has_person: bool) -> Answer:
    """Whether to go on, to ask, or to wait until a person resumes the run. Pure.

    `auto` is a person's word that it need not wait. Without it a person is asked; where none can be, because there is
    no terminal, a call for one phase is that phase's go, and only what goes beyond it waits.
    """
    if auto or (is_resumed and not (has_person and place in _ASKED_AGAIN)):
        return "go"
    return "ask" if has_person else _UNATTENDED.get(place, "wait")


class Gates:
    """The places at which a run does not go on by itself."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._is_resumed = site.is_answered

    def confirm(self, at: At, place: str, question: str) -> bool:
        """Whether a person wants to go on at this place; raises `Paused` where one must be asked and none is there.

        That a person resumed the run answers the first question, not all of them. It does not approve what may have
        been answered with "not now": a person at a terminal is asked that again.
        """
        options, resumed = self._site.order.options, self._is_resumed
        self._is_resumed = False
        asks = not options.auto and (not resumed or place in _ASKED_AGAIN)
        answer = self._site.watcher.ask(question) if asks else None
        decided = decide_pause(place, auto=options.auto, is_resumed=resumed, has_person=answer is not None)
        if decided == "wait" or (answer is False and place in _ASKED_AGAIN):
            raise Paused("paused", question, self._site.resume)
        return decided == "go" or answer is True

    def wait_for_limit(self, at: At, work: Work) -> int:
        """Wait until a usage limit has passed, if the person opted in; raises `Paused` otherwise.

        The time is on record, so a run that was killed does not wait anew.
        """
        until = work.resets_at or int(self._site.now()) + _UNKNOWN_LIMIT
        if work.resets_at and self._site.now() >= until:
            return until
        clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(until))
        if not self._site.order.options.waits_for_limit:
            if self._is_resumed:
                self._is_resumed = False
                return until
            said = "" if work.resets_at else ", it does not say until when: perhaps"
            raise Paused("parked", f"the agent is at its usage limit{said} until {clock}", self._site.resume, until)
        self._site.watcher.note(f"the agent is at its usage limit; the run goes on at {clock}")
        while self._site.now() < until:
            time.sleep(max(0.05, min(_LONGEST_SLEEP, until - self._site.now())))
        return until


class Agents:
    """Starts agents, or finds those that are at work already. `look` is called while one writes in its workspace."""

    def __init__(self, site: Site, workspaces: Workspaces, gates: Gates, look: Callable[[At, Workspace], None]) -> None:
        self._site, self._workspaces, self._gates, self._look = site, workspaces, gates, look
        self._spent: dict[str, Mapping[str, object]] = {}  # what this process has put on record
        # The steps that an earlier planrail had begun, without the numbers of their parts.
        keys = [line.key.rpartition("/") for line in (read_journal(site.folder) if site.is_resumed else ())]
        self._begun = {f"{attempt}/{name.partition('.')[0]}" for attempt, _, name in keys}
        self._started: set[str] = set()  # the folders of jobs that this process has seen to
        self._turn = threading.Lock()
        self._prices = load_prices(site.environment)

    def implement(self, at: At, workspace: Workspace, part: int, conversation: str) -> Work:
        """The agent does the phase. A further part goes on with the conversation of the one before."""
        driver, told = choose_driver(at.phase, self._site.order.options.agent)
        prompt = GO_ON if conversation and driver != "runbook" else ""
        if not conversation and driver != "runbook":
            given = lay_out(self._site, at.phase, workspace)
            if earlier := read_earlier(self._site, at):
                write_beside(workspace.path, EARLIER_FILE, earlier)
            given["earlier_file"] = EARLIER_FILE if earlier else ""
            prompt = implement_prompt(self._site.order, at.phase, is_begun=bool(workspace.begun), **given)
            prompt += f"\n\n{told}" if told else ""
        more = {"scripts": work_of(at.phase), "conversation": conversation}
        job = self._writing(driver, "implementer", prompt, workspace, **more)
        return self.work(at, f"implement.{part}", job, workspace)

    def fix(
        self, at: At, workspace: Workspace, problems: tuple[str, ...], part: int, outputs: tuple[str, ...] = ()
    ) -> Work:
        """A fresh agent fixes what was found. A runbook does by its `sh fix` blocks, and by nothing else."""
        phase, prompt = at.phase, ""
        driver, _ = choose_driver(phase, self._site.order.options.agent)
        if driver == "runbook" and not phase.fixes:
            return Work(False, reason=NOBODY, error="; ".join(problems))
        if driver != "runbook":
            given = lay_out(self._site, phase, workspace)
            prompt = fix_prompt(self._site.order, phase, problems, outputs=outputs, **given)
        job = self._writing(driver, "fixer", prompt, workspace, scripts=phase.fixes)
        return self.work_through(at, f"fix.{part}", job, workspace)

    def work(self, at: At, name: str, job: Job, workspace: Workspace | None = None) -> Work:
        """Have a job done, or take over what was begun; what it used is put on record. `workspace`: where it writes.

        Past a ceiling nothing is begun, and the run rests: a person who raises the ceiling goes on from here.
        """
        place = self._site.job(at, name)
        if at.key(name.partition(".")[0]) not in self._begun and place not in self._started:
            remove_tree(place)  # no planrail can have begun it yet: an answer was laid there
        self._started.add(place)
        # Agents of phases side by side work in turn where a ceiling counts what all of them use: nobody knows before
        # its end what one of them costs, and several at once would each find the ceiling far away.
        shared = self._site.order.options.budget.plan
        with self._turn if shared.money or shared.tokens else contextlib.nullcontext():
            if look(place) == "absent":
                if job.role == _VERIFIER and job.confinement.scratch and not job.conversation:
                    remove_tree(job.confinement.scratch)  # nobody leaves anything there for it
                refusal = self.refuse_budget(at, self._site.read(SPENT))
                if refusal is not None:
                    raise Paused("paused", refusal.text, refusal.command)
            fitted = self._workspaces.recall(workspace) if workspace is not None else None
            programs = fitted.programs if fitted is not None else ()
            path = os.pathsep.join((*programs, self._site.environment.get("PATH", os.defpath)))
            given = {**self._site.environment, "PATH": path}
            if fitted is not None and _SOURCES in fitted.environment:  # its tests are those of the workspace, too
                given[_SOURCES] = fitted.environment[_SOURCES]
                job = replace(job, environment=(*job.environment, _SOURCES))
            meanwhile = partial(self._look, at, workspace) if workspace is not None else lambda: None
            with without_orphans():
                held = ensure(place, job, given)
                for event in held.events(meanwhile=meanwhile):
                    priced = with_price(event, self._prices, job.driver, job.model)
                    self._site.watcher.event(at.phase.id, priced)
                outcome = held.wait()
            if not (self._workspaces.enclosure.holds_agents and outcome.confined.startswith(BUBBLEWRAP)):
                self._workspaces.surroundings.distrust()  # it may have changed what checks depend on
            work = Work(
                **{name: getattr(outcome, name) for name in _SAME},
                text=mask(outcome.text)[-_LONGEST_TEXT:],
                error=mask(outcome.error) + (_HELD if outcome.reason == "failed" and job.confinement.holds else ""),
                log=os.path.join(place, "log"),
                overhead=measure_overhead(job.prompt, at.phase),
            )
            own = price(self._prices, job.driver, job.model, work.tokens_in, work.tokens_out)
            work = replace(work, cost=work.cost or own)
            used = (work.tokens_in, work.tokens_out, work.cost, work.seconds)
            fact = SpentFact(self._site.order.run, at.phase.id, at.attempt, name, *used)
            self._site.note(at, name, fact)
            counted = ("run", "phase", "attempt", "tokens_in", "tokens_out", "cost", "seconds")
            self._spent[f"{SPENT}:{fact.run}/{at.key(name)}"] = {field: getattr(fact, field) for field in counted}
        return work

    def refuse_budget(self, at: At, known: Facts, begun: Facts | None = None) -> Refusal | None:
        """Whether the budget lets an attempt begin, or another agent start inside of it. Agents count by what they
        used, attempts by their beginning: `begun` are the facts of phases."""
        order, own = self._site.order, (self._site.order.run, at.phase.id, at.attempt)
        used = self._spent | {fact.id: fact.value for fact in known}  # a row that is gone was spent all the same
        begins = [fact.value for fact in begun or () if fact.value.get("state") == "in_progress"]
        # one that began before a crash is this very attempt
        others = [value for value in begins if tuple(map(value.get, ("run", "phase", "attempt"))) != own]
        facts = [*used.values(), *others]
        of_attempt = spent(facts, run=order.run, phase=at.phase.id, attempt=at.attempt)
        levels = (spent(facts), spent(facts, phase=at.phase.id), of_attempt)
        decided = decide_budget(order.options.budget, *levels, begins_attempt=begun is not None)
        return Refusal("budget", decided.text, decided.remedy) if isinstance(decided, OverBudget) else None

    def work_through(self, at: At, name: str, job: Job, workspace: Workspace | None = None) -> Work:
        """Have a job done to its end: a usage limit is waited for, and the conversation goes on."""
        work = self.work(at, name, job, workspace)
        for part in range(2, _MOST_LIMITS + 1):
            if work.reason != "limit":
                break
            following = f"{name}.{part}"
            if look(self._site.job(at, following)) == "absent":  # else this limit was waited for before a crash
                self._gates.wait_for_limit(at, work)
            if work.conversation:
                job = replace(job, prompt=GO_ON, conversation=work.conversation)
            work = self.work(at, following, job, workspace)
        return work

    def _writing(self, driver: str, role: str, prompt: str, workspace: Workspace, **more: object) -> Job:
        site = self._site
        # not the agent's to change: the user's checkout, planrail's records, the trees of checks
        protected = (site.root, ledger_folder(site.root), state_folder(), site.order.workspaces, site.check_folder)
        more |= {"permissions": "write", "judge": "workspace", "protected": protected}
        return self.make_job(driver, role, prompt, workspace, site.order.options.agent_minutes, **more)

    def make_job(self, driver: str, role: str, prompt: str, workspace: Workspace, minutes: int, **more: object) -> Job:
        options, run = self._site.order.options, self._site.settings.run
        named = options.model if driver == options.agent else ""
        named = options.verifier_model or named if role == _VERIFIER else named
        more |= {"timeout": minutes * 60, "model": named}
        command = run.acp if driver == "acp" else run.command
        held, is_reader = self._workspaces.enclosure, role == _VERIFIER
        more |= {"confinement": hold_agent(held, self._site.order, workspace, run.agent_network, is_reader=is_reader)}
        # the user's own: the PATH of a workspace has programs that an agent can put there
        if driver in PROGRAMS and (program := find_program(driver, self._site.environment)):
            more |= {"programs": {driver: program}}
        return Job(driver, role, prompt, workspace.path, command=command, **more)  # type: ignore[arg-type]


def choose_driver(phase: PhaseOrder, agent: str) -> tuple[str, str]:
    """The driver of a phase, and what an agent is told beside its prompt where the phase is delegated."""
    how = phase.execution
    if how.kind != "delegate":
        return agent, ""
    if how.to in ALL_NAMES:
        return how.to, how.arguments
    if how.to.startswith("./"):
        return "runbook", ""
    return agent, f"Use the skill {how.to} {how.arguments}".strip()


def lay_out(site: Site, phase: PhaseOrder, workspace: Workspace) -> dict[str, str]:
    """Put what is too long for a prompt beside the files; what the prompt says of it."""
    landed = describe_landed(site.root, workspace.base, site.order)
    contract, more = tell_contract(site.order, phase, CONTRACT_FILE, landed)
    files = {PHASE_FILE: phase.text if needs_file(phase) else "", CONTRACT_FILE: more}
    for name in filter(files.get, files):
        write_beside(workspace.path, name, files[name])
    return {"phase_file": PHASE_FILE if needs_file(phase) else "", "contract": contract}


def write_beside(folder: str, name: str, text: str) -> None:
    """Write a file of planrail's own into a working tree, through no link that an agent has put there."""
    side, place = os.path.join(folder, SIDE), os.path.join(folder, name)
    for path in (side, place):
        if os.path.islink(path) or (path == side and os.path.isfile(path)):
            os.unlink(path)
    os.makedirs(side, exist_ok=True)
    with open(place, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
