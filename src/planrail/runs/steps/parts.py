"""The parts that carry out the steps of a run, and the steps that need several of them.

Every step has the same effect when it is called twice with the same arguments, even if the first call died half way.
"""

import contextlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

from planrail.base import run_model as model
from planrail.base.records import replace
from planrail.git.trailers import find_landed
from planrail.git.working_files import open_folder
from planrail.git.workspaces.work_snapshots import WorkSnapshot, take_snapshot
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.checks.links import find_misshapen, read_shape
from planrail.runs.phases.choosing import refuse_phase
from planrail.runs.phases.staleness import Freshness, decide_staleness, judge_freshness
from planrail.runs.steps.agents import Agents, Gates
from planrail.runs.steps.judging import Judging
from planrail.runs.steps.kept_work import KeptWork
from planrail.runs.steps.landings import Landings
from planrail.runs.steps.lines import resolve_line
from planrail.runs.steps.outside import OutsideWatch
from planrail.runs.steps.own_checkout import DIRECT, OwnCheckout, list_own
from planrail.runs.steps.publishing import Publishing
from planrail.runs.steps.site import ROOM, SIDE, At, Paused, Site, Start
from planrail.runs.steps.viewing import Viewing
from planrail.runs.steps.workspaces import Workspaces, end_run
from planrail.store.runs.run_folders import load_text

LANDED = ("landed", "pr-ready", "merged")
LOST = "lost"  # the agent died with all its processes: nobody knows what it had done
IN_SESSION = "in_session"  # why nothing was done: people and their agent did it before


class Parts:
    """What a run does to the world. `gives_way` says whether others go first, once a phase was done in this process."""

    def __init__(self, site: Site, gives_way: Callable[[bool], bool] | None = None) -> None:
        self._site, self._gives_way = site, gives_way
        self._has_worked = False  # a phase has ended in this process, and was not only read from the journal
        self._text = load_text(site.folder)
        self._plan: Plan | None = None
        self._checkout = OwnCheckout(site, self._take)
        self._kept = KeptWork(site, self._take)
        self.workspaces, self.gates = Workspaces(site), Gates(site)
        self._outside = OutsideWatch(site, holds_agents=self.workspaces.enclosure.holds_agents)
        self._agents = Agents(site, self.workspaces, self.gates, self._kept.look)
        self.judging = Judging(site, self.workspaces, self._agents, self._outside)
        self.landings = Landings(site, self.workspaces, self.judging)
        self.publishing, self.viewing = Publishing(site, self.judging), Viewing(site, self.workspaces)

    # ---- the beginning of a phase ----

    def start(self, at: At) -> Start | model.Refusal:
        """Begin: limits, claim and status, in one transaction, before any agent starts."""
        site, order, phase = self._site, self._site.order, at.phase
        if phase.execution.kind == DIRECT:
            self._checkout.wait_until_ready(phase)
        unapproved = site.approve(phase)
        if unapproved:
            return model.Refusal("refused", unapproved, f"planrail approve {order.path}")
        refusal = refuse_phase(order, phase)
        if refusal is not None:
            return refusal
        return site.begin(at, resolve_line(site), self._agents.refuse_budget)

    def freshen(self, at: At) -> Freshness:
        """Whether the plan still fits the base: its citations, its sums, what it says of its own age."""
        order, text, settings = self._site.order, self._text, self._site.settings.lint
        source = PlanSource(order.path, text)
        plan = self._plan = self._plan or read(source)
        phase = plan.phase(at.phase.id)
        if phase is None:
            return Freshness()
        is_citing = ("`" in at.phase.text or "](" in at.phase.text) and "grounding" not in settings.ignore
        tree = open_folder(self._site.place(ROOM, phase.id)) if is_citing else None
        found = judge_freshness(plan, text, phase, settings, tree)
        return decide_staleness(found, auto=order.options.auto)

    # ---- the work ----

    def open_workspace(self, at: At, base: str) -> model.Workspace | model.Refusal:
        """Where the implementer works; raises `Paused` where that has to wait for a person.

        From now on an agent is at work: how things stand outside is remembered.
        """
        self._outside.remember(at)
        if at.phase.execution.kind == DIRECT:
            return self._checkout.open(at, self.workspaces.name("checkout", at.phase.id, base))
        begun, told = self._kept.find(at, base)
        return replace(self.workspaces.open(at, base, begun), told=told)

    def implement(self, at: At, workspace: model.Workspace, part: int, conversation: str) -> model.Work:
        with self._watching(at, workspace, f"implement.{part}"):
            return self._agents.implement(at, workspace, part, conversation)

    def fix(
        self, at: At, workspace: model.Workspace, problems: tuple[str, ...], part: int, outputs: tuple[str, ...] = ()
    ) -> model.Work:
        with self._watching(at, workspace, f"fix.{part}"):
            return self._agents.fix(at, workspace, problems, part, outputs)

    def _watching(self, at: At, workspace: model.Workspace, step: str) -> contextlib.AbstractContextManager[None]:
        if at.phase.execution.kind == DIRECT:
            return self._checkout.watching(at, workspace, step)
        return contextlib.nullcontext()

    def snapshot(self, at: At, workspace: model.Workspace, name: str) -> model.Snapshot | model.Refusal:
        self._outside.ask(at)
        self._kept.look(at, workspace)
        taken, root = self._take(at, workspace, name), self._site.root
        if at.phase.execution.kind == DIRECT:
            self._checkout.ask(at, workspace, taken.tree)
        command = f"planrail report {self._site.order.path}"
        wrong = find_misshapen(root, taken.base, read_shape(root, taken.tree), taken.paths)
        broken = [finding.text for finding in (*taken.findings, *wrong) if finding.is_failure]
        if broken:
            return model.Refusal("refused", "; ".join(broken), command)
        if not taken.paths:
            return model.Refusal("nothing_done", "the agent changed nothing", command)
        return model.Snapshot(taken.commit, taken.tree, taken.base, taken.paths)

    def _take(self, at: At, workspace: model.Workspace, name: str) -> WorkSnapshot:
        """What is in a workspace, but for what planrail put there. The plan is planrail's to mark."""
        order = self._site.order
        is_users = workspace.path == os.path.realpath(order.root)
        reports = self._site.settings.run.reports
        own = list_own(order, reports) if is_users else self.workspaces.recall(workspace).made.kept
        told = f"{order.slug} {at.phase.id}: {name}"
        ref, leave_out = self._site.ref(at, name), (*own, SIDE, order.path)
        return take_snapshot(order.root, workspace, ref, told, leave_out=leave_out)

    # ---- the end of a phase ----

    def land(self, at: At, candidate: model.Candidate, evidence: model.Evidence) -> model.Landing:
        """See `Landings.land`. The verifier is an agent, and checks run its work: they are asked about as well."""
        self._outside.ask(at)
        return self.landings.land(at, candidate, evidence)

    def end_phase(
        self, at: At, end: model.PhaseEnd, evidence: model.Evidence | None, drift: model.DriftOutcome | None
    ) -> model.PhaseEnd:
        """Put the end of an attempt on record: status, the mark in the plan.

        One that had landed before is proven by what was verified then, and one that was done in a session by what was
        said there.
        """
        self._has_worked = True
        if end.state in LANDED:
            if at.phase.execution.kind == DIRECT:
                self._checkout.close()
            self.landings.mark_in_place(at.phase, drift)
        if end.reason == IN_SESSION:
            return end
        more = {"reason": end.reason, "text": end.text}
        if evidence is None and end.commit:
            with self._site.open_ledger() as ledger:
                known = {commit: named for named, commit in self._site.read_verified(ledger, at.phase).items()}
            more["evidence"] = known.get(end.commit, "")
        fact = self._site.describe(at, end.state, end.commit, evidence, **more)
        self._site.say(at, "end", fact)
        if end.reason != LOST:
            self._kept.drop(at)
        return end

    def find_missing(self, ends: list[model.PhaseEnd]) -> str:
        """What the target does not have of phases that are said to have landed; "" where nothing is missing.

        It is never written down: what a dead planrail wrote may be another's. What this process landed itself need not
        be looked for.
        """
        order = self._site.order
        said = [end for end in ends if end.state == "landed"] if self._site.is_resumed else []
        line = resolve_line(self._site) if said and order.remote else order.line
        gone = [end.phase for end in said if not find_landed(order.root, line, order.plan, end.phase)]
        name = order.line.removeprefix("refs/heads/")
        return f"the journal says that phase {', '.join(gone)} has landed, and {name} does not have it" if gone else ""

    def end(self, ending: model.Ending) -> model.Ending:
        return end_run(self._site.order, self._site.folder, ending, self._site.fence)

    def gives_way(self) -> bool:
        """Whether this run lets others work before its next phase. It is asked anew each time."""
        return self._gives_way is not None and self._gives_way(self._has_worked)

    def together(self, works: Sequence[Callable[[], model.PhaseEnd]]) -> list[model.PhaseEnd]:
        """Do these side by side. All of them are heard, unless a person interrupts: then none is waited for.

        Several phases that rest do so as one: what waits for the latest is resumed last, and all of them are named.
        """
        pool = ThreadPoolExecutor(len(works))
        try:
            futures = [pool.submit(work) for work in works]
            wait(futures)
            rests = [error for future in futures if isinstance(error := future.exception(), Paused)]
            if len(rests) > 1 and len(rests) == sum(future.exception() is not None for future in futures):
                last = max(rests, key=lambda rest: rest.until)
                text = "\n".join(rest.text for rest in rests)
                raise Paused(last.state, text, last.command, last.until, last.phase)
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
