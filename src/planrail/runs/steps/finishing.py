"""The end of a plan: all checks of all phases once more on what landed, and the plan marked complete."""

import os
import time

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import Candidate, CheckOrder, CheckRun, Evidence, Finding, Landing, PhaseOrder, Snapshot
from planrail.git.git_writing import ask_git
from planrail.git.trailers import add_trailers
from planrail.git.workspaces.work_snapshots import tree_of
from planrail.plans.editing.marking import mark_complete
from planrail.plans.files.plan_writing import write_text
from planrail.plans.text.source import Source
from planrail.runs.checks.running import Checked
from planrail.runs.evidence.judging import TESTS
from planrail.runs.landing.candidates import Conflict, build_candidate, read_author
from planrail.runs.landing.landing_moves import TAKEN_OVER
from planrail.runs.steps.book import Book
from planrail.runs.steps.judging import Judging
from planrail.runs.steps.landings import WAITING, Landings, pause
from planrail.runs.steps.lines import lower_line_fence, resolve_line
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At

WHOLE = "whole plan"
_COMPLETE = "the plan is complete: {}, and the whole was verified once more"


class Finishing:
    """What is done once, when no phase is left."""

    def __init__(self, site: Site, book: Book, rooms: Rooms, landings: Landings, judging: Judging) -> None:
        self._site, self._book, self._rooms, self._landings, self._judging = site, book, rooms, landings, judging

    def verify_all(self, done: tuple[str, ...]) -> Evidence:
        """See `Workshop.verify_all`. Later phases may have undone what earlier ones proved."""
        head, at = resolve_line(self._site), At(WHOLE, 1)
        phases = self._finished(done)
        unapproved = [why for phase in phases if phase.id not in done and (why := self._site.approve(phase))]
        if unapproved:  # their checks are code that nobody has said yes to
            return Evidence("", (), tuple(Finding("unapproved", why) for why in unapproved))
        whole, tree = _join(self._site.order.title, phases), tree_of(self._site.root, head)
        checked = self._rooms.check(whole, at, head, tree, head, "whole")
        evidence = self._judging.judge_whole(checked, tree, self._tests_before(whole, at, checked, head))
        snapshot = Snapshot(head, evidence.tree, head, ())
        self._book.add_evidence(at, "checks", snapshot, evidence)
        return evidence

    def _finished(self, done: tuple[str, ...]) -> list[PhaseOrder]:
        """The phases that this run or an earlier one landed, and those that were adopted: all that counts as done."""
        order = self._site.order
        names = {*done, *order.landed, *order.adopted}
        return [phase for phase in order.phases if phase.id in names]

    def _tests_before(self, whole: PhaseOrder, at: At, checked: Checked, head: str) -> tuple[CheckRun, ...]:
        """What the project's tests said when the run began; asked only where they fail now."""
        failed = [run for run in checked.runs if run.origin == TESTS and run.exit]
        order = self._site.order
        if not failed or not order.base:
            return ()
        tests = (CheckOrder(order.test_command, 0, TESTS),)
        base = tree_of(self._site.root, order.base)
        return self._rooms.try_checks(whole, at, tests, base, head, "before").runs

    def build_mark(self, done: tuple[str, ...]) -> Candidate:
        """See `Workshop.build_mark`."""
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
            self._mark_in_place()
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

    def _mark_in_place(self) -> None:
        place = os.path.join(self._site.root, self._site.order.path)
        try:
            with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
                before = file.read()
        except OSError:
            return
        if not self._landings.is_as_run(before, *self._site.order.phases):
            return
        after = self._landings.note_commits(self._marked(before), resolve_line(self._site))
        if after != before:
            write_text(place, after)


def _join(title: str, phases: list[PhaseOrder]) -> PhaseOrder:
    """Phases as one, with all their checks."""
    checks = {(check.command, check.line): check for phase in phases for check in phase.checks}
    return PhaseOrder(WHOLE, title, "", (), (), tuple(checks.values()), ())
