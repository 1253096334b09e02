"""Judging the work of a phase: by checks in a clean checkout, by what became of the tests, by a verifier."""

from planrail.repo.change_reading import read_changes
from planrail.repo.check_output import read_output
from planrail.repo.exact_trees import mix_trees
from planrail.repo.work_snapshots import read_file
from planrail.runs.evidence.hollow_scripts import find_hollow_scripts
from planrail.runs.evidence.judging import judge_checks
from planrail.runs.model import CheckOrder, Evidence, Finding
from planrail.runs.strength.harnesses import changed_harnesses, judge_harnesses
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.trials import judge_trials, tests_to_try
from planrail.runs.strength.weakening import changed_tests, changes_tests_only, find_weakened
from planrail.runs.verdicts.judging import verdict_by_checks
from planrail.settings import FILE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.book import Book
    from planrail.engine.crew import Crew
    from planrail.engine.rooms import Rooms
    from planrail.engine.site import Site
    from planrail.repo.check_running import Checked
    from planrail.runs.model import Baseline, CheckRun, PhaseOrder, Snapshot, Verdict, Work
    from planrail.runs.strength.weakening import Changes
    from planrail.runs.workshop import At

_MANIFESTS = ("package.json",)


class Judging:
    """Gathers evidence and verdicts."""

    def __init__(self, site: "Site", book: "Book", rooms: "Rooms", crew: "Crew") -> None:
        self._site, self._book, self._rooms, self._crew = site, book, rooms, crew

    @property
    def _verifier(self) -> str:
        """Who verifies; "" where the checks are the verdict."""
        options = self._site.order.options
        named = options.verifier or options.agent
        return "" if named == "runbook" else named

    # ---- evidence ----

    def gather(
        self, phase: "PhaseOrder", at: "At", snapshot: "Snapshot", baseline: "Baseline", said: "Work"
    ) -> Evidence:
        """See `Workshop.gather`."""
        checked = self._rooms.check(
            phase, at, snapshot.commit, snapshot.tree, baseline.base, f"work-{snapshot.commit[:12]}"
        )
        found = [*checked.findings, *self._judge(phase, baseline, checked.runs)]
        changes = read_changes(self._site.root, snapshot.base, snapshot.commit, snapshot.paths)
        found += self._judge_tests(phase, at, snapshot, baseline, changes)
        found += judge_settings(phase, snapshot.paths)
        found += find_hollow_scripts(self._all_checks(phase), changes)
        found = apply_reasons(found, phase.text, said.text, has_verifier=bool(self._verifier))
        evidence = Evidence(snapshot.tree, checked.runs, tuple(found))
        self._book.add_evidence(at, f"checks-{snapshot.commit[:12]}", snapshot, evidence)
        return evidence

    def _judge(self, phase: "PhaseOrder", baseline: "Baseline", runs: "tuple[CheckRun, ...]") -> "list[Finding]":
        decides = not self._verifier
        return judge_checks(baseline.runs, runs, phase_text=phase.text, checks_decide=decides, read=read_output)

    def judge_again(self, phase: "PhaseOrder", baseline: "Baseline", checked: "Checked") -> "list[Finding]":
        """What speaks against a candidate: its checks, compared with the base as those of the work were."""
        found = [*checked.findings, *self._judge(phase, baseline, checked.runs)]
        judged = apply_reasons(found, phase.text, "", has_verifier=False)
        return [finding for finding in judged if finding.is_failure and finding.kind != "fewer_tests"]

    def judge_whole(self, checked: "Checked", tree: str, before: "tuple[CheckRun, ...]" = ()) -> Evidence:
        """All phases together: every check has to hold now; tests may fail where they failed `before`."""
        found = [*checked.findings, *judge_checks(before, checked.runs, read=read_output)]
        return Evidence(tree, checked.runs, tuple(found))

    # ---- tests ----

    def _judge_tests(
        self, phase: "PhaseOrder", at: "At", snapshot: "Snapshot", baseline: "Baseline", changes: "Changes"
    ) -> "list[Finding]":
        files = self._site.settings.testing.files
        found = find_weakened(changes, files=files)
        found += self._try_harness(phase, at, snapshot, baseline, changes)
        tests = changed_tests(changes, files=files)
        if tests:
            found += self._try_tests(phase, at, snapshot, baseline, changes, tests)
        return found

    def _all_checks(self, phase: "PhaseOrder") -> tuple[CheckOrder, ...]:
        command = self._site.order.test_command
        return (*phase.checks, *((CheckOrder(command, 0, "tests"),) if command else ()))

    def _try_harness(
        self, phase: "PhaseOrder", at: "At", snapshot: "Snapshot", baseline: "Baseline", changes: "Changes"
    ) -> "list[Finding]":
        """The old harness on the new tree."""
        harnesses = changed_harnesses(self._all_checks(phase), changes)
        if not harnesses:
            return []
        tree = mix_trees(self._site.root, snapshot.tree, snapshot.base, [harness.path for harness in harnesses])
        checks = tuple({check.command: check for harness in harnesses for check in harness.checks}.values())
        checked = self._rooms.try_checks(phase, at, checks, tree, baseline.base, "harness")
        return judge_harnesses(harnesses, checked.runs)

    def _try_tests(
        self,
        phase: "PhaseOrder",
        at: "At",
        snapshot: "Snapshot",
        baseline: "Baseline",
        changes: "Changes",
        tests: list[str],
    ) -> "list[Finding]":
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
        return judge_trials(pairs, only_tests=changes_tests_only(changes, files=self._site.settings.testing.files))

    # ---- the verdict ----

    def verify(
        self, phase: "PhaseOrder", at: "At", snapshot: "Snapshot", evidence: Evidence, said: "Work", part: int
    ) -> "Verdict":
        """See `Workshop.verify`."""
        if evidence.failures or not self._verifier:
            verdict = verdict_by_checks(phase, evidence)
        else:
            from planrail.engine.verifying import Verifying

            verifying = Verifying(self._site, self._rooms, self._crew)
            verdict = verifying.ask(self._verifier, phase, at, snapshot, evidence, said, part)
        self._book.add_verdict(at, f"verify.{part}", verdict)
        return verdict


def judge_settings(phase: "PhaseOrder", paths: tuple[str, ...]) -> "list[Finding]":
    """planrail's own settings say how work is checked: a phase that changes them has to say so."""
    if FILE_NAME not in paths or FILE_NAME in phase.text:
        return []
    return [Finding("settings_changed", f"the work changes {FILE_NAME}, and the phase does not say so", FILE_NAME)]
