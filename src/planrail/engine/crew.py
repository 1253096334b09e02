"""The agents of a run: who does the work, who mends it, who verifies it. Each in a process that outlives planrail."""

import os

from planrail.agents.drivers import NAMES
from planrail.agents.job import Job
from planrail.agents.runner import ensure
from planrail.memory.masking import mask
from planrail.runs.model import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.agents.model import Outcome
    from planrail.agents.runner import Held
    from planrail.engine.book import Book
    from planrail.engine.rooms import Rooms
    from planrail.engine.site import Site
    from planrail.runs.model import PhaseOrder, Workspace
    from planrail.runs.workshop import At

SIDE = ".planrail"  # the folder in a working tree that has what an agent is given; never a part of the work
_LONGEST_TEXT = 100_000  # characters of an agent's last word that the journal keeps


class Crew:
    """Starts agents, or finds those that are at work already."""

    def __init__(self, site: "Site", book: "Book", rooms: "Rooms") -> None:
        self._site, self._book, self._rooms = site, book, rooms

    def implement(self, phase: "PhaseOrder", at: "At", workspace: "Workspace", part: int, conversation: str) -> Work:
        """See `Workshop.implement`."""
        driver, scripts = self._who(phase)
        prompt = "" if driver == "runbook" else self._tell(phase, workspace)
        job = self._job(driver, "implementer", prompt, workspace.path, scripts, conversation)
        return self.work(at, f"implement.{part}", job, self._rooms.programs_of(workspace))

    def fix(self, phase: "PhaseOrder", at: "At", workspace: "Workspace", problems: tuple[str, ...], part: int) -> Work:
        """See `Workshop.fix`. A runbook mends by its `sh fix` blocks, and by nothing else."""
        driver, _ = self._who(phase)
        if driver == "runbook" and not phase.fixes:
            return Work(False, reason="failed", error="; ".join(problems))
        prompt = "" if driver == "runbook" else self._tell_fixer(phase, workspace, problems)
        job = self._job(driver, "fixer", prompt, workspace.path, phase.fixes, "")
        return self.work(at, f"fix.{part}", job, self._rooms.programs_of(workspace))

    def _tell(self, phase: "PhaseOrder", workspace: "Workspace") -> str:
        from planrail.runs.prompts import implement_prompt

        prompt = implement_prompt(self._site.order, phase, phase_file=lay_out_phase(phase, workspace.path))
        return f"{prompt}\n\n{told}" if (told := self._delegate(phase)) else prompt

    def _tell_fixer(self, phase: "PhaseOrder", workspace: "Workspace", problems: tuple[str, ...]) -> str:
        from planrail.runs.prompts import fix_prompt

        return fix_prompt(self._site.order, phase, problems, phase_file=lay_out_phase(phase, workspace.path))

    def work(self, at: "At", name: str, job: Job, programs: tuple[str, ...] = ()) -> Work:
        """Have a job done, or take over what was begun; what it used is put on record."""
        refusal = self._book.may_dispatch(at)
        if refusal is not None:
            return Work(False, reason="budget", error=refusal.text)
        place = self._site.job(at, name)
        path = os.pathsep.join((*programs, self._site.environment.get("PATH", os.defpath)))
        held = ensure(place, job, {**self._site.environment, "PATH": path})
        outcome = self._watch(at, held)
        work = _work(outcome, held)
        self._book.add_spent(at, name, work)
        return work

    def _watch(self, at: "At", held: "Held") -> "Outcome":
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
            model=options.model,
            conversation=conversation,
            scripts=scripts,
            command=run.acp if driver == "acp" else run.command,
            judge="workspace",
        )

    def _who(self, phase: "PhaseOrder") -> tuple[str, tuple[str, ...]]:
        """The driver of a phase, and the scripts that it is given."""
        how, agent = phase.execution, self._site.order.options.agent
        if how.kind != "delegate":
            return agent, phase.scripts
        if how.to in NAMES:
            return how.to, phase.scripts
        if how.to.startswith("./"):
            return "runbook", (f"{how.to} {how.arguments}".strip(),)
        return agent, phase.scripts

    def _delegate(self, phase: "PhaseOrder") -> str:
        """What an agent is told where a phase is delegated to a skill."""
        how = phase.execution
        if how.kind != "delegate" or how.to in NAMES or how.to.startswith("./"):
            return how.arguments if how.kind == "delegate" and how.to in NAMES else ""
        return f"Use the skill {how.to} {how.arguments}".strip()


def lay_out_phase(phase: "PhaseOrder", folder: str) -> str:
    """Put the text of a long phase beside the files; the path for the prompt, "" where the text is short."""
    from planrail.runs.prompts import needs_file

    if not needs_file(phase):
        return ""
    os.makedirs(os.path.join(folder, SIDE), exist_ok=True)
    with open(os.path.join(folder, SIDE, "phase.md"), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(phase.text)
    return f"{SIDE}/phase.md"


def _work(outcome: "Outcome", held: "Held") -> Work:
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
