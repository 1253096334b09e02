"""Judging the work of a phase: by checks in a clean checkout, by what became of the tests, by a verifier."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from planrail.base.masking import secret_values
from planrail.base.records import record
from planrail.base.run_model import (
    Baseline,
    CheckOrder,
    CheckRun,
    DriftOutcome,
    DriftRecord,
    Evidence,
    Finding,
    PhaseOrder,
    Snapshot,
    Verdict,
    Work,
)
from planrail.base.settings import Settings
from planrail.git.change_reading import read_changes
from planrail.git.exact_trees import mix_trees
from planrail.git.git_writing import ask_git, encode_name
from planrail.git.workspaces.work_snapshots import read_file, tree_of
from planrail.plans.editing.corrections import undo_corrections
from planrail.plans.editing.quantities import measure
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.runs.checks.links import read_shape
from planrail.runs.checks.output import read_output
from planrail.runs.checks.running import Checked
from planrail.runs.drift.deciding import CORRECTED, decide, decide_drift, read_tokens
from planrail.runs.evidence.judging import TESTS, judge_checks
from planrail.runs.evidence.old_forms import Before, find_hollow_scripts, try_old_forms
from planrail.runs.evidence.running_files import judge_running_files
from planrail.runs.evidence.secrets import Ground, find_landing_secrets
from planrail.runs.steps.book import Book
from planrail.runs.steps.crew import Crew
from planrail.runs.steps.outside import Outside
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import Site, resolve_line
from planrail.runs.steps.verifying import Verifying
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.trials import judge_trials, tests_to_try
from planrail.runs.strength.weakening import Changes, changed_tests, changes_tests_only, find_weakened
from planrail.runs.verdicts.judging import verdict_by_checks
from planrail.runs.workshop import At
from planrail.store.runs import run_facts

WHOLE = "whole plan"
_MANIFESTS = ("package.json",)


@record
class Tried:
    """Work that is tried with the tests of its base, and its tests with the base. `run` runs checks on a tree, under a
    name for their outputs."""

    root: str
    base: str
    work: str  # a commit or a tree
    changes: Changes
    files: Sequence[str]  # globs of the project's settings
    run: Callable[[tuple[CheckOrder, ...], str, str], tuple[CheckRun, ...]]

    def judge(self, checks: tuple[CheckOrder, ...], base_runs: tuple[CheckRun, ...]) -> list[Finding]:
        """The old harness and the old tests on the new code; then the new tests on the old code."""

        def try_on(paths: Sequence[str], checks: tuple[CheckOrder, ...], name: str) -> tuple[CheckRun, ...]:
            return self.run(checks, mix_trees(self.root, self.work, self.base, paths), name)

        before = Before(base_runs, read_output, partial(read_file, self.root, self.base))
        found = try_old_forms(checks, self.changes, before, try_on, files=self.files)
        return [*found, *self._try_tests([check.command for check in checks])]

    def _try_tests(self, commands: list[str]) -> list[Finding]:
        """New tests have to fail on the old code."""
        tests = changed_tests(self.changes, files=self.files)
        if not tests:
            return []
        texts = {path: (self.changes[path][1] or b"").decode("utf-8", "replace") for path in tests}
        manifests = {name: read_file(self.root, self.base, name) or b"" for name in _MANIFESTS}
        told = {name: data.decode("utf-8", "replace") for name, data in manifests.items() if data}
        trials = tests_to_try(texts, commands, told)
        checks = tuple(CheckOrder(trial.command, 0, "trial") for trial in trials if trial.command)
        runs = self.run(checks, mix_trees(self.root, self.base, self.work, tests), "old-code")
        by_command = {run.command: run for run in runs}
        pairs = [(trial, by_command.get(trial.command)) for trial in trials]
        return judge_trials(pairs, only_tests=changes_tests_only(self.changes, files=self.files))


class Judging:
    """Gathers evidence and verdicts."""

    def __init__(self, site: Site, book: Book, rooms: Rooms, crew: Crew, outside: Outside) -> None:
        self._site, self._book, self._rooms, self._crew, self._outside = site, book, rooms, crew, outside

    @property
    def _verifier(self) -> str:
        """Who verifies; "" where the checks are the verdict."""
        options = self._site.order.options
        named = options.verifier or options.agent
        return "" if named == "runbook" else named

    # ---- evidence ----

    def gather(self, phase: PhaseOrder, at: At, snapshot: Snapshot, baseline: Baseline, said: Work) -> Evidence:
        checked = self._rooms.check(
            phase, at, snapshot.commit, snapshot.tree, baseline.base, f"work-{snapshot.commit[:12]}"
        )
        found = [*checked.findings, *self._judge(phase, baseline, checked.runs)]
        changes = read_changes(self._site.root, snapshot.base, snapshot.commit, snapshot.paths)
        found += self._judge_tests(phase, at, snapshot, baseline, changes)
        found += self._judge_running(phase, snapshot, changes)
        found += find_hollow_scripts(self._all_checks(phase), changes)
        found += self._outside.notes(at)
        found += judge_secrets(self._site.root, snapshot.base, changes, self._site.settings, self._site.environment)
        found = apply_reasons(found, phase.text, said.text, has_verifier=bool(self._verifier))
        evidence = Evidence(snapshot.tree, checked.runs, tuple(found))
        self._book.add_evidence(at, f"checks-{snapshot.commit[:12]}", snapshot, evidence)
        return evidence

    def _judge_running(self, phase: PhaseOrder, snapshot: Snapshot, changes: Changes) -> list[Finding]:
        """Files that run things for people; those that the phase names are told at once."""
        links = read_shape(self._site.root, snapshot.tree).reached
        found = judge_running_files(phase.text, snapshot.paths, changes, links)
        for finding in found:
            if not finding.is_failure:
                self._site.watcher.note(f"phase {phase.id}: {finding.text}")
        return found

    def _judge(self, phase: PhaseOrder, baseline: Baseline, runs: tuple[CheckRun, ...]) -> list[Finding]:
        decides = not self._verifier
        return judge_checks(baseline.runs, runs, phase_text=phase.text, checks_decide=decides, read=read_output)

    def judge_again(self, phase: PhaseOrder, baseline: Baseline, checked: Checked) -> list[Finding]:
        """What speaks against a candidate: its checks, compared with the base as those of the work were."""
        found = [*checked.findings, *self._judge(phase, baseline, checked.runs)]
        judged = apply_reasons(found, phase.text, "", has_verifier=False)
        return [finding for finding in judged if finding.is_failure and finding.kind != "fewer_tests"]

    def judge_whole(self, checked: Checked, tree: str, before: tuple[CheckRun, ...] = ()) -> Evidence:
        """All phases together: every check has to hold now; tests may fail where they failed `before`."""
        found = [*checked.findings, *judge_checks(before, checked.runs, read=read_output)]
        return Evidence(tree, checked.runs, tuple(found))

    def verify_all(self, done: tuple[str, ...]) -> Evidence:
        """See `Workshop.verify_all`. Later phases may have undone what earlier ones proved."""
        head, at = resolve_line(self._site), At(WHOLE, 1)
        phases = self._finished(done)
        unapproved = [why for phase in phases if phase.id not in done and (why := self._site.approve(phase))]
        if unapproved:  # their checks are code that nobody has said yes to
            return Evidence("", (), tuple(Finding("unapproved", why) for why in unapproved))
        whole, tree = _join(self._site.order.title, phases), tree_of(self._site.root, head)
        checked = self._rooms.check(whole, at, head, tree, head, "whole")
        evidence = self.judge_whole(checked, tree, self._tests_before(whole, at, checked, head))
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

    # ---- tests ----

    def _judge_tests(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, baseline: Baseline, changes: Changes
    ) -> list[Finding]:
        around: list[Finding] = []

        def run(checks: tuple[CheckOrder, ...], tree: str, name: str) -> tuple[CheckRun, ...]:
            checked = self._rooms.try_checks(phase, at, checks, tree, baseline.base, name)
            around.extend(checked.around)
            return checked.runs

        files = self._site.settings.testing.files
        tried = Tried(self._site.root, snapshot.base, snapshot.commit, changes, files, run)
        found = tried.judge(self._all_checks(phase), baseline.runs)
        return [*find_weakened(changes, files=files), *around, *found]

    def _all_checks(self, phase: PhaseOrder) -> tuple[CheckOrder, ...]:
        command = self._site.order.test_command
        return (*phase.checks, *((CheckOrder(command, 0, "tests"),) if command else ()))

    # ---- the verdict ----

    def verify(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, evidence: Evidence, said: Work, part: int
    ) -> Verdict:
        if evidence.failures or not self._verifier:
            verdict = verdict_by_checks(phase, evidence)
        else:
            verifying = Verifying(self._site, self._rooms, self._crew)
            verdict = verifying.ask(self._verifier, phase, at, snapshot, evidence, said, part)
        self._book.add_verdict(at, f"verify.{part}", verdict)
        return verdict


class Drifting:
    """Reads the tokens of implementer and verifier; the verifier's come last, and count where they differ."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def find(self, phase: PhaseOrder, at: At, said: Work, verdict: Verdict) -> DriftOutcome:
        told = "\n".join((said.text, verdict.work.text if verdict.work is not None else ""))
        records, _ = read_tokens(told)
        if not records:
            return DriftOutcome()
        text = self._text()
        plan = read(Source(self._site.order.path, text))
        day = time.strftime("%Y-%m-%d", time.gmtime(self._site.now()))
        earlier = [*self._earlier(at), *((known.phase, known.bullet) for known in undo_corrections(text, plan)[1])]
        outcome = decide_drift(records, text, plan, day, earlier=earlier)
        self._record(at, records)
        return outcome

    def _text(self) -> str:
        """The plan as it is now: the marks of earlier phases are in it."""
        order = self._site.order
        if order.is_tracked:
            text = ask_git(order.root, "show", f"{order.line}:{order.path}") or ask_git(
                order.root, "show", f"{order.target}:{order.path}"
            )
            if text is not None:
                return text
        with open(os.path.join(order.root, order.path), encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()

    def _earlier(self, at: At) -> list[tuple[str, int]]:
        """The bullets that were corrected in this run before this attempt looked at them."""
        with self._site.open_ledger() as ledger:
            facts = ledger.facts("drift", self._site.order.plan)
        mine = f"drift:{self._site.order.run}/{at.key('drift')}/"
        before = [fact for fact in facts if not fact.id.startswith(mine) and fact.value.get("decision") in CORRECTED]
        known = [fact for fact in before if fact.value.get("run") == self._site.order.run]
        return [(str(fact.value.get("phase")), int(str(fact.value.get("bullet") or 0))) for fact in known]

    def _record(self, at: At, records: Iterable[DriftRecord]) -> None:
        run, plan = self._site.order.run, self._site.order.plan
        with self._site.open_ledger() as ledger:
            for number, found in enumerate(records):
                percent = measure(found.stated, found.actual)
                fact = run_facts.drift_fact(run, found, percent or 0, decide(percent))
                key = f"{run}/{at.key('drift')}/{number}"
                run_facts.add_fact(ledger, plan, fact, key=key, at=int(self._site.now()))


def judge_secrets(
    root: str, base: str, changes: Changes, settings: Settings, environment: Mapping[str, str]
) -> list[Finding]:
    """What the work would bring into the repository that must not be there."""

    def is_on_base(value: str) -> bool:
        found = ask_git(root, "grep", "-q", "-F", "-a", "--no-textconv", "-f", "-", base, data=encode_name(value))
        return found is not None

    ground = Ground(settings.run.known_secrets, is_on_base, secret_values(environment))
    return find_landing_secrets(changes, ground)


def _join(title: str, phases: list[PhaseOrder]) -> PhaseOrder:
    checks = {(check.command, check.line): check for phase in phases for check in phase.checks}
    return PhaseOrder(WHOLE, title, "", (), (), tuple(checks.values()), ())
