"""Judging the work of a phase: by checks in a clean checkout, by what became of the tests, by a verifier."""

from collections.abc import Mapping, Sequence
from functools import partial

from planrail.base.masking import secret_values
from planrail.base.run_model import (
    Baseline,
    CheckOrder,
    CheckRun,
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
from planrail.git.workspaces.work_snapshots import read_file
from planrail.runs.checks.links import read_shape
from planrail.runs.checks.output import read_output
from planrail.runs.checks.running import Checked
from planrail.runs.evidence.judging import judge_checks
from planrail.runs.evidence.old_forms import Before, try_old_forms
from planrail.runs.evidence.running_files import judge_running_files
from planrail.runs.evidence.secrets import Ground, find_landing_secrets
from planrail.runs.steps.book import Book
from planrail.runs.steps.crew import Crew
from planrail.runs.steps.outside import Outside
from planrail.runs.steps.rooms import Rooms
from planrail.runs.steps.site import Site
from planrail.runs.steps.verifying import Verifying
from planrail.runs.strength.harnesses import find_hollow_scripts
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.trials import judge_trials, tests_to_try
from planrail.runs.strength.weakening import Changes, changed_tests, changes_tests_only, find_weakened
from planrail.runs.verdicts.judging import verdict_by_checks
from planrail.runs.workshop import At

_MANIFESTS = ("package.json",)


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
        """See `Workshop.gather`."""
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

    # ---- tests ----

    def _judge_tests(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, baseline: Baseline, changes: Changes
    ) -> list[Finding]:
        files = self._site.settings.testing.files
        found = find_weakened(changes, files=files)
        found += self._try_old_forms(phase, at, snapshot, baseline, changes)
        tests = changed_tests(changes, files=files)
        if tests:
            found += self._try_tests(phase, at, snapshot, baseline, changes, tests)
        return found

    def _all_checks(self, phase: PhaseOrder) -> tuple[CheckOrder, ...]:
        command = self._site.order.test_command
        return (*phase.checks, *((CheckOrder(command, 0, "tests"),) if command else ()))

    def _try_old_forms(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, baseline: Baseline, changes: Changes
    ) -> list[Finding]:
        """The old harness and the old tests on the new code."""
        around: list[Finding] = []

        def try_on(paths: Sequence[str], checks: tuple[CheckOrder, ...], name: str) -> tuple[CheckRun, ...]:
            tree = mix_trees(self._site.root, snapshot.tree, snapshot.base, paths)
            checked = self._rooms.try_checks(phase, at, checks, tree, baseline.base, name)
            around.extend(checked.around)
            return checked.runs

        before = Before(baseline.runs, read_output, partial(read_file, self._site.root, snapshot.base))
        files = self._site.settings.testing.files
        found = try_old_forms(self._all_checks(phase), changes, before, try_on, files=files)
        return [*around, *found]

    def _try_tests(
        self,
        phase: PhaseOrder,
        at: At,
        snapshot: Snapshot,
        baseline: Baseline,
        changes: Changes,
        tests: list[str],
    ) -> list[Finding]:
        """The new tests on the old code: they have to fail there."""
        texts = {path: (changes[path][1] or b"").decode("utf-8", "replace") for path in tests}
        manifests = {name: read_file(self._site.root, snapshot.base, name) or b"" for name in _MANIFESTS}
        commands = [check.command for check in self._all_checks(phase)]
        told = {name: data.decode("utf-8", "replace") for name, data in manifests.items() if data}
        trials = tests_to_try(texts, commands, told)
        tree = mix_trees(self._site.root, snapshot.base, snapshot.commit, tests)
        checks = tuple(CheckOrder(trial.command, 0, "trial") for trial in trials if trial.command)
        checked = self._rooms.try_checks(phase, at, checks, tree, baseline.base, "old-code")
        runs = {run.command: run for run in checked.runs}
        pairs = [(trial, runs.get(trial.command)) for trial in trials]
        only_tests = changes_tests_only(changes, files=self._site.settings.testing.files)
        return [*checked.around, *judge_trials(pairs, only_tests=only_tests)]

    # ---- the verdict ----

    def verify(
        self, phase: PhaseOrder, at: At, snapshot: Snapshot, evidence: Evidence, said: Work, part: int
    ) -> Verdict:
        """See `Workshop.verify`."""
        if evidence.failures or not self._verifier:
            verdict = verdict_by_checks(phase, evidence)
        else:
            verifying = Verifying(self._site, self._rooms, self._crew)
            verdict = verifying.ask(self._verifier, phase, at, snapshot, evidence, said, part)
        self._book.add_verdict(at, f"verify.{part}", verdict)
        return verdict


def judge_secrets(
    root: str, base: str, changes: Changes, settings: Settings, environment: Mapping[str, str]
) -> list[Finding]:
    """What the work would bring into the repository that must not be there."""

    def is_on_base(value: str) -> bool:
        found = ask_git(root, "grep", "-q", "-F", "-a", "--no-textconv", "-f", "-", base, data=encode_name(value))
        return found is not None

    ground = Ground(settings.run.known_secrets, is_on_base, secret_values(environment))
    return find_landing_secrets(changes, ground)
