"""The real workshop: each step of the pipeline, carried out by the part that knows how."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import (
    Candidate,
    DriftOutcome,
    Ending,
    Evidence,
    Landing,
    PhaseEnd,
    PhaseOrder,
    Refusal,
    Snapshot,
    Work,
    Workspace,
)
from planrail.git.git_writing import ask_git
from planrail.git.trailers import add_trailers, find_landed
from planrail.git.working_files import open_folder
from planrail.git.workspaces.work_snapshots import WorkSnapshot, take_snapshot, tree_of
from planrail.plans.editing.marking import mark_complete
from planrail.plans.lint.document import open_document
from planrail.plans.lint.grounding.rule import find_broken_citations
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.runs.checks.links import find_misshapen, read_shape
from planrail.runs.landing.candidates import Conflict, build_candidate, read_author
from planrail.runs.landing.landing_moves import TAKEN_OVER
from planrail.runs.phases.choosing import choose
from planrail.runs.phases.staleness import AskAboutPlan, Fresh, decide_staleness, judge_freshness
from planrail.runs.steps.book import Book
from planrail.runs.steps.crew import SIDE, Crew, Gates
from planrail.runs.steps.endings import end_run
from planrail.runs.steps.judging import Drifting, Judging
from planrail.runs.steps.landings import WAITING, Landings, pause
from planrail.runs.steps.outside import Outside
from planrail.runs.steps.own_checkout import DIRECT, OwnCheckout, list_own
from planrail.runs.steps.publishing import Publishing
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import ROOM, Site, lower_line_fence, resolve_line
from planrail.runs.steps.viewing import Viewing
from planrail.runs.workshop import At, Freshness, Paused, Start
from planrail.store.runs.run_folders import load_text

if TYPE_CHECKING:
    from planrail.plans.lint.problems import Problem


_COMPLETE = "the plan is complete: {}, and the whole was verified once more"


_DONE = ("landed", "pr-ready", "merged")


class Finishing:
    """What is done once, when no phase is left."""

    def __init__(self, site: Site, landings: Landings) -> None:
        self._site, self._landings = site, landings

    def build_mark(self, done: tuple[str, ...]) -> Candidate:
        order, head = self._site.order, resolve_line(self._site)
        if not order.is_tracked or self._landings.is_plan_dirty():
            return Candidate("", "", head)
        before = ask_git(order.root, "show", f"{head}:{order.path}") or ""
        after = self._landings.note_commits(self._marked(before), head)
        if after == before:
            return Candidate("", "", head)
        snapshot = Snapshot(head, tree_of(order.root, head), head, ())
        message = add_trailers(f"Mark the plan complete: {order.title}", order.plan, "", "")
        extra = {order.path: after.encode("utf-8", "surrogateescape")}
        author, now = read_author(order.root), int(self._site.now())
        built = build_candidate(order.root, snapshot, head, message, extra, author=author, at=now)
        assert not isinstance(built, Conflict)  # nothing is merged
        return built

    def complete(self, done: tuple[str, ...], mark: Candidate) -> Landing:
        """See `Workshop.complete`. Only whoever still holds the plan marks it."""
        landing = self._mark(mark)
        if landing.state != "landed":
            return landing
        if self._site.order.options.landing != "pr":  # otherwise its request is still to be merged
            lower_line_fence(self._site)
        return replace(landing, message=self._complete())

    def _mark(self, mark: Candidate) -> Landing:
        if mark.commit:
            landing = self._landings.move_target(mark)
            if landing.state == WAITING:
                raise pause(self._site.order, f"every phase landed; the mark in the plan waits: {landing.message}")
            return landing
        if not self._site.holds_claim():
            return Landing("refused", message=TAKEN_OVER)
        if not self._site.order.remote:
            self._landings.write_in_place(self._marked, *self._site.order.phases)
        return Landing("landed", mark.onto)

    def _complete(self) -> str:
        order = self._site.order
        skipped = [phase.id for phase in order.phases if phase.state == "skipped" and phase.id not in order.adopted]
        others = [f"{', '.join(order.adopted)}, done before"] if order.adopted else []
        others += [f"{', '.join(skipped)}, skipped"] if skipped else []
        return _COMPLETE.format("every phase landed" + (f", but for {' and '.join(others)}" if others else ""))

    def _marked(self, text: str) -> str:
        day = time.strftime("%Y-%m-%d", time.gmtime(self._site.now()))
        try:
            return mark_complete(Source(self._site.order.path, text), day)
        except PlanrailError:
            return text


class Freshening:
    """Holds a phase against its base."""

    def __init__(self, site: "Site", text: str) -> None:
        self._site, self._text = site, text
        self._plan: Plan | None = None

    def look(self, phase: "PhaseOrder", at: "At", room: str) -> Freshness:
        if self._plan is None:
            self._plan = read(Source(self._site.order.path, self._text))
        known = self._plan.phase(phase.id)
        if known is None:
            return Freshness()
        found = judge_freshness(self._plan, self._text, known, broken=self._broken(phase, room))
        decided = decide_staleness(found, auto=self._site.order.options.auto, can_refine=False)
        if isinstance(decided, Fresh):
            return Freshness(notes=decided.notes)
        if isinstance(decided, AskAboutPlan):
            return Freshness(question=decided.text)
        return Freshness(refusal=decided.text)

    def _broken(self, phase: "PhaseOrder", room: str) -> "list[Problem]":
        """What the plan cites and the base does not have. A phase that quotes nothing cites nothing."""
        if ("`" not in phase.text and "](" not in phase.text) or self._plan is None:
            return []
        settings = self._site.settings.lint
        if "grounding" in settings.ignore:
            return []
        document = open_document(Source(self._site.order.path, self._text), self._plan, settings, open_folder(room))
        return list(find_broken_citations(document))


def _join(rests: list[Paused]) -> Paused:
    """Several phases that rest, as one: what waits for the latest is resumed last, and all of them are named."""
    last = max(rests, key=lambda rest: rest.until)
    return Paused(last.state, "\n".join(rest.text for rest in rests), last.command, last.until, last.phase)


class RealWorkshop:
    """See `runs.workshop.Workshop`."""

    def __init__(self, site: Site, book: Book, gives_way: Callable[[bool], bool] = lambda _: False) -> None:
        self._site, self._book, self._gives_way = site, book, gives_way
        self._has_worked = False  # a phase has ended in this process, and was not only read from the journal
        self._rooms = Rooms(site)
        gates = Gates(site)
        crew = self._crew = Crew(site, book, self._rooms, gates)
        self._checkout = OwnCheckout(site, self._take)
        self._outside = Outside(site)
        judging = Judging(site, book, self._rooms, crew, self._outside)
        self._landings = Landings(site, book, self._rooms, judging)
        drifting, viewing = Drifting(site), Viewing(site, self._rooms)
        self._freshening = Freshening(site, load_text(site.folder))
        finishing = Finishing(site, self._landings)
        self.confirm, self.wait_for_limit = gates.confirm, gates.wait_for_limit
        self.measure_base = self._rooms.measure_base
        self.gather, self.verify = judging.gather, judging.verify
        self.look_at, self.sign_off, self.drift = viewing.look_at, viewing.sign_off, drifting.find
        self.build, self.prove = self._landings.build, self._landings.prove
        publishing = Publishing(site, book, self._landings)
        self.publish, self.merge = publishing.publish, publishing.merge
        self.verify_all, self.build_mark, self.complete = judging.verify_all, finishing.build_mark, finishing.complete

    def choose(self, done: tuple[str, ...]) -> tuple[str, ...] | Refusal:
        return choose(self._site.order, done)

    def freshen(self, phase: PhaseOrder, at: At, base: str) -> Freshness:
        return self._freshening.look(phase, at, self._site.place(ROOM, phase.id))

    def start(self, phase: PhaseOrder, at: At) -> Start | Refusal:
        self._checkout.wait_until_ready(phase)
        return self._book.start(phase, at)

    def open_workspace(self, phase: PhaseOrder, at: At, base: str) -> Workspace | Refusal:
        """See `Workshop.open_workspace`. From now on an agent is at work: how things stand outside is remembered."""
        self._outside.remember(at)
        if phase.execution.kind == DIRECT:
            return self._checkout.open(phase, at, self._rooms.name_workspace("checkout", phase.id, base))
        return self._rooms.open_workspace(phase, at, base)

    def implement(self, phase: PhaseOrder, at: At, workspace: Workspace, part: int, conversation: str) -> Work:
        with self._checkout.watching(phase, at, workspace, f"implement.{part}"):
            return self._crew.implement(phase, at, workspace, part, conversation)

    def fix(self, phase: PhaseOrder, at: At, workspace: Workspace, problems: tuple[str, ...], part: int) -> Work:
        with self._checkout.watching(phase, at, workspace, f"fix.{part}"):
            return self._crew.fix(phase, at, workspace, problems, part)

    def snapshot(self, phase: PhaseOrder, at: At, workspace: Workspace, name: str) -> Snapshot | Refusal:
        self._outside.ask(at)
        taken = self._take(at, workspace, name)
        self._checkout.ask(phase, at, workspace, taken.tree)
        command = f"planrail report {self._site.order.path}"
        shape = read_shape(self._site.root, taken.tree)
        wrong = find_misshapen(self._site.root, taken.base, shape, taken.paths)
        broken = [finding.text for finding in (*taken.findings, *wrong) if finding.is_failure]
        if broken:
            return Refusal("refused", "; ".join(broken), command)
        if not taken.paths:
            return Refusal("nothing_done", "the agent changed nothing", command)
        return Snapshot(taken.commit, taken.tree, taken.base, taken.paths)

    def _take(self, at: At, workspace: Workspace, name: str) -> WorkSnapshot:
        """What is in a workspace, but for what planrail put there. The plan is planrail's to mark."""
        order = self._site.order
        is_users = workspace.path == os.path.realpath(order.root)
        own = list_own(order, self._site.settings.run.reports) if is_users else self._rooms.made_in(workspace)
        made = (*own, SIDE, order.path)
        told = f"{order.slug} {at.phase}: {name}"
        return take_snapshot(self._site.root, workspace, self._site.ref(at, name), told, leave_out=made)

    def land(self, phase: PhaseOrder, at: At, candidate: Candidate, evidence: Evidence) -> Landing:
        """See `Workshop.land`. The verifier is an agent, and checks run its work: they are asked about as well."""
        self._outside.ask(at)
        return self._landings.land(phase, at, candidate, evidence)

    def end_phase(
        self,
        phase: PhaseOrder,
        at: At,
        end: PhaseEnd,
        evidence: Evidence | None,
        drift: DriftOutcome | None,
    ) -> PhaseEnd:
        self._has_worked = True
        if end.state in _DONE:
            self._checkout.close(phase)
            self._landings.mark_in_place(phase, drift)
        self._book.end_phase(phase, at, end, evidence)
        return end

    def find_missing(self, ends: list[PhaseEnd]) -> str:
        """See `Workshop.find_missing`. What this process landed itself need not be looked for."""
        order = self._site.order
        said = [end for end in ends if end.state == "landed"] if self._site.is_resumed else []
        line = resolve_line(self._site) if said and order.remote else order.line
        gone = [end.phase for end in said if not find_landed(order.root, line, order.plan, end.phase)]
        name = order.line.removeprefix("refs/heads/")
        return f"the journal says that phase {', '.join(gone)} has landed, and {name} does not have it" if gone else ""

    def gives_way(self) -> bool:
        return self._gives_way(self._has_worked)

    def together(self, works: list[Callable[[], PhaseEnd]]) -> list[PhaseEnd]:
        """See `Workshop.together`. All of them are heard, unless somebody interrupts: then nobody is waited for."""
        pool = ThreadPoolExecutor(len(works))
        try:
            futures = [pool.submit(work) for work in works]
            wait(futures)
            rests = [error for future in futures if isinstance(error := future.exception(), Paused)]
            if len(rests) > 1 and len(rests) == sum(future.exception() is not None for future in futures):
                raise _join(rests)
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def end(self, ending: Ending) -> Ending:
        return end_run(self._site.order, self._site.folder, ending, self._book.add_ending)
