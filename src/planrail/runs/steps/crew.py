"""The agents of a run: who does the work, who mends it, who verifies it. Each in a process that outlives planrail."""

import contextlib
import os
import threading
import time

from planrail.agents.drivers import ALL_NAMES
from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.runner import Held, ensure, look
from planrail.agents.model import Outcome
from planrail.base.masking import mask
from planrail.base.records import replace
from planrail.base.run_model import PhaseOrder, Work, Workspace
from planrail.base.state_folder import state_folder
from planrail.git.tree_removal import remove_tree
from planrail.plans.execution.executions import work_of
from planrail.runs.checks.leftovers import without_orphans
from planrail.runs.phase_line import NOBODY
from planrail.runs.prompts import GO_ON, fix_prompt, implement_prompt, needs_file
from planrail.runs.steps.book import Book
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import Site
from planrail.runs.workshop import ASKED_AGAIN, At, Paused, decide_pause
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import read_journal

_LONGEST_SLEEP = 30.0  # seconds; a machine that slept wakes up late
_UNKNOWN_LIMIT = 3600  # seconds, where the agent does not say when its limit ends

SIDE = ".planrail"  # the folder in a working tree that has what an agent is given; never a part of the work
PHASE_FILE = f"{SIDE}/phase.md"  # the text of a long phase
_LONGEST_TEXT = 100_000  # characters of an agent's last word that the journal keeps
_MOST_LIMITS = 100  # usage limits that one job may come to


class Gates:
    """The places at which a run does not go on by itself."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._is_resumed = site.is_answered

    def confirm(self, at: At, place: str, question: str) -> bool:
        """See `Workshop.confirm`. That somebody resumed the run answers the first question, not all of them.

        It is no yes to what may have been answered with "not now": a person at a terminal is asked that again.
        """
        options, resumed = self._site.order.options, self._is_resumed
        self._is_resumed = False
        asks = not options.auto and (not resumed or place in ASKED_AGAIN)
        answer = self._site.ask(question) if asks else None
        decided = decide_pause(place, auto=options.auto, is_resumed=resumed, has_person=answer is not None)
        if decided == "wait" or (answer is False and place in ASKED_AGAIN):
            raise Paused("paused", question, self._resume)
        return decided == "go" or answer is True

    def wait_for_limit(self, at: At, work: Work) -> int:
        """See `Workshop.wait_for_limit`. The time is on record, so a run that was killed does not wait anew."""
        until = work.resets_at or int(self._site.now()) + _UNKNOWN_LIMIT
        if work.resets_at and self._site.now() >= until:
            return until
        if self._is_resumed and not self._site.order.options.waits_for_limit:
            self._is_resumed = False
            return until
        if not self._site.order.options.waits_for_limit:
            said = "" if work.resets_at else ", it does not say until when: perhaps"
            raise Paused("parked", f"the agent is at its usage limit{said} until {_clock(until)}", self._resume, until)
        self._site.watcher.note(f"the agent is at its usage limit; the run goes on at {_clock(until)}")
        while self._site.now() < until:
            time.sleep(max(0.05, min(_LONGEST_SLEEP, until - self._site.now())))
        return until

    @property
    def _resume(self) -> str:
        return f"planrail resume {self._site.order.path}"


def _clock(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


class Crew:
    """Starts agents, or finds those that are at work already."""

    def __init__(self, site: Site, book: Book, rooms: Rooms, gates: Gates) -> None:
        self._site, self._book, self._rooms, self._gates = site, book, rooms, gates
        self._begun = _begun_before(site)
        self._started: set[str] = set()  # the folders of jobs that this process has seen to
        self._turn = threading.Lock()

    def implement(self, phase: PhaseOrder, at: At, workspace: Workspace, part: int, conversation: str) -> Work:
        driver, scripts = self._who(phase)
        prompt = "" if driver == "runbook" else GO_ON if conversation else self._tell(phase, workspace)
        job = self._job(driver, "implementer", prompt, workspace.path, scripts, conversation)
        return self.work(at, f"implement.{part}", job, self._rooms.programs_of(workspace))

    def fix(self, phase: PhaseOrder, at: At, workspace: Workspace, problems: tuple[str, ...], part: int) -> Work:
        """See `Workshop.fix`. A runbook mends by its `sh fix` blocks, and by nothing else."""
        driver, _ = self._who(phase)
        if driver == "runbook" and not phase.fixes:
            return Work(False, reason=NOBODY, error="; ".join(problems))
        place = "" if driver == "runbook" else lay_out_phase(phase, workspace.path)
        prompt = "" if driver == "runbook" else fix_prompt(self._site.order, phase, problems, phase_file=place)
        job = self._job(driver, "fixer", prompt, workspace.path, phase.fixes, "")
        return self.work_through(at, f"fix.{part}", job, self._rooms.programs_of(workspace))

    def _tell(self, phase: PhaseOrder, workspace: Workspace) -> str:
        prompt = implement_prompt(self._site.order, phase, phase_file=lay_out_phase(phase, workspace.path))
        return f"{prompt}\n\n{told}" if (told := self._delegate(phase)) else prompt

    def work(self, at: At, name: str, job: Job, programs: tuple[str, ...] = ()) -> Work:
        """Have a job done, or take over what was begun; what it used is put on record.

        Past a ceiling nothing is begun, and the run rests: whoever raises the ceiling goes on from here.
        """
        place = self._site.job(at, name)
        self._clear(place, at.key(name.partition(".")[0]))
        with self._in_turn():
            refusal = self._book.may_dispatch(at) if look(place) == "absent" else None
            if refusal is not None:
                raise Paused("paused", refusal.text, refusal.command)
            path = os.pathsep.join((*programs, self._site.environment.get("PATH", os.defpath)))
            with without_orphans():
                held = ensure(place, job, {**self._site.environment, "PATH": path})
                outcome = self._watch(at, held)
            self._rooms.distrust()
            work = _work(outcome, held)
            self._book.add_spent(at, name, work)
        return work

    def _in_turn(self) -> contextlib.AbstractContextManager[object]:
        """Agents of phases side by side work in turn where a ceiling counts what all of them use: nobody knows before
        its end what one of them costs, and several at once would each find the ceiling far away."""
        plan = self._site.order.options.budget.plan
        return self._turn if plan.money or plan.tokens else contextlib.nullcontext()

    def _clear(self, place: str, step: str) -> None:
        """Remove what lies in the folder of a job that no planrail can have begun yet: an answer was laid there."""
        if step not in self._begun and place not in self._started:
            remove_tree(place)
        self._started.add(place)

    def work_through(self, at: At, name: str, job: Job, programs: tuple[str, ...] = ()) -> Work:
        """Have a job done to its end: a usage limit is waited for, and the conversation goes on."""
        work = self.work(at, name, job, programs)
        for part in range(2, _MOST_LIMITS + 1):
            if work.reason != "limit":
                break
            following = f"{name}.{part}"
            if look(self._site.job(at, following)) == "absent":  # else this limit was waited for before a crash
                self._gates.wait_for_limit(at, work)
            if work.conversation:
                job = replace(job, prompt=GO_ON, conversation=work.conversation)
            work = self.work(at, following, job, programs)
        return work

    def _watch(self, at: At, held: Held) -> Outcome:
        for event in held.events():
            self._site.watcher.event(at.phase, event)
        return held.wait()

    def _job(
        self, driver: str, role: str, prompt: str, folder: str, scripts: tuple[str, ...], conversation: str
    ) -> Job:
        options, run = self._site.order.options, self._site.settings.run
        return Job(
            driver=driver,
            role=role,
            prompt=prompt,
            folder=folder,
            permissions="write",
            timeout=options.agent_minutes * 60,
            model=options.model if driver == options.agent else "",
            conversation=conversation,
            scripts=scripts,
            command=run.acp if driver == "acp" else run.command,
            judge="workspace",
            protected=self._protected,
        )

    @property
    def _protected(self) -> tuple[str, ...]:
        """What is not the agent's to change: the user's checkout, planrail's records, the rooms of checks."""
        root, order = self._site.root, self._site.order
        return root, ledger_folder(root), state_folder(), order.workspaces, self._site.rooms

    def _who(self, phase: PhaseOrder) -> tuple[str, tuple[str, ...]]:
        """The driver of a phase, and the scripts that it is given."""
        how, agent = phase.execution, self._site.order.options.agent
        if how.kind == "delegate" and how.to in ALL_NAMES:
            agent = how.to
        elif how.kind == "delegate" and how.to.startswith("./"):
            agent = "runbook"
        return agent, work_of(phase)

    def _delegate(self, phase: PhaseOrder) -> str:
        """What an agent is told where a phase is delegated to a skill."""
        how = phase.execution
        if how.kind != "delegate" or how.to in ALL_NAMES or how.to.startswith("./"):
            return how.arguments if how.kind == "delegate" and how.to in ALL_NAMES else ""
        return f"Use the skill {how.to} {how.arguments}".strip()


def _begun_before(site: Site) -> set[str]:
    """The steps that an earlier planrail had begun, without the numbers of their parts."""
    keys = [line.key.rpartition("/") for line in (read_journal(site.folder) if site.is_resumed else ())]
    return {f"{attempt}/{name.partition('.')[0]}" for attempt, _, name in keys}


def lay_out_phase(phase: PhaseOrder, folder: str) -> str:
    """Put the text of a long phase beside the files; the path for the prompt, "" where the text is short."""
    if not needs_file(phase):
        return ""
    os.makedirs(os.path.join(folder, SIDE), exist_ok=True)
    with open(os.path.join(folder, PHASE_FILE), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(phase.text)
    return PHASE_FILE


def _work(outcome: Outcome, held: Held) -> Work:
    return Work(
        ok=outcome.ok,
        text=mask(outcome.text)[-_LONGEST_TEXT:],
        reason=outcome.reason,
        error=mask(outcome.error),
        conversation=outcome.conversation,
        tokens_in=outcome.tokens_in,
        tokens_out=outcome.tokens_out,
        cost=outcome.cost,
        seconds=_seconds(held.place),
        resets_at=outcome.resets_at,
        log=os.path.join(held.place, "log"),
        structured=outcome.structured,
    )


def _seconds(place: str) -> float:
    """How long a job took, by its own files: whoever waits may have come late."""
    try:
        began, ended = (os.stat(os.path.join(place, name)).st_mtime for name in ("job.json", "outcome.json"))
    except OSError:
        return 0.0
    return round(max(0.0, ended - began), 3)
