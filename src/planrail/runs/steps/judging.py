"""Judging the work of a phase: by checks in a clean checkout, by what became of the tests, by a verifier."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from planrail.base import run_model as model
from planrail.base.masking import secret_values
from planrail.base.records import record
from planrail.base.settings import Settings
from planrail.git.exact_trees import mix_trees
from planrail.git.git_writing import ask_git, encode_name
from planrail.git.object_store import read_changes
from planrail.git.trailers import read_history
from planrail.git.workspaces.work_snapshots import changed_paths, read_file, tree_of
from planrail.plans.editing.corrections import measure, undo_corrections
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.checks.links import read_shape
from planrail.runs.checks.output import read_output
from planrail.runs.checks.running import Checked
from planrail.runs.drift.deciding import CORRECTED, decide, decide_drift, read_tokens
from planrail.runs.evidence.causes import show_failures, tell_causes
from planrail.runs.evidence.judging import TESTS, hash_evidence, judge_checks
from planrail.runs.evidence.old_forms import Before, find_hollow_scripts, try_old_forms
from planrail.runs.evidence.running_files import judge_running_files
from planrail.runs.evidence.scope import judge_kept
from planrail.runs.evidence.secrets import Ground, find_landing_secrets
from planrail.runs.phases.whole import order_whole
from planrail.runs.steps.agents import Agents
from planrail.runs.steps.lines import resolve_line
from planrail.runs.steps.outside import OutsideWatch
from planrail.runs.steps.site import At, Site
from planrail.runs.steps.verifying import Verifying
from planrail.runs.steps.workspaces import Workspaces
from planrail.runs.strength.reasons import apply_reasons
from planrail.runs.strength.trials import judge_trials, tests_to_try
from planrail.runs.strength.weakening import Changes, changed_tests, changes_tests_only, find_weakened
from planrail.runs.verdicts.judging import verdict_by_checks
from planrail.store.runs.run_facts import drift_fact
from planrail.store.runs.run_history import EvidenceFact, VerdictFact

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
    run: Callable[[tuple[model.CheckOrder, ...], str, str], tuple[model.CheckRun, ...]]

    def judge(self, checks: tuple[model.CheckOrder, ...], base_runs: tuple[model.CheckRun, ...]) -> list[model.Finding]:
        """The old harness and the old tests on the new code; then the new tests on the old code."""

        def try_on(paths: Sequence[str], checks: tuple[model.CheckOrder, ...], name: str) -> tuple[model.CheckRun, ...]:
            return self.run(checks, mix_trees(self.root, self.work, self.base, paths), name)

        before = Before(base_runs, read_output, partial(read_file, self.root, self.base))
        found = try_old_forms(checks, self.changes, before, try_on, files=self.files)
        tests, commands = changed_tests(self.changes, files=self.files), [check.command for check in checks]
        if not tests:
            return found
        texts = {path: (self.changes[path][1] or b"").decode("utf-8", "replace") for path in tests}
        manifests = {name: read_file(self.root, self.base, name) or b"" for name in _MANIFESTS}
        told = {name: data.decode("utf-8", "replace") for name, data in manifests.items() if data}
        trials = tests_to_try(texts, commands, told)
        alone = tuple(model.CheckOrder(trial.command, 0, "trial") for trial in trials if trial.command)
        runs = self.run(alone, mix_trees(self.root, self.base, self.work, tests), "old-code")
        by_command = {run.command: run for run in runs}
        pairs = [(trial, by_command.get(trial.command)) for trial in trials]
        return found + judge_trials(pairs, only_tests=changes_tests_only(self.changes, files=self.files))

    def find_telling(self, checks: tuple[model.CheckOrder, ...]) -> list[str]:
        """The tests of the work, where a check fails with them on the base: so it tells the work by these."""
        tests = changed_tests(self.changes, files=self.files)
        if not tests or changes_tests_only(self.changes, files=self.files):
            return []
        runs = self.run(checks, mix_trees(self.root, self.base, self.work, tests), "own-tests")
        return list(tests) if any(run.exit > 0 for run in runs) else []


class Judging:
    def __init__(self, site: Site, workspaces: Workspaces, agents: Agents, outside: OutsideWatch) -> None:
        self._site, self._workspaces, self._agents, self._outside = site, workspaces, agents, outside
        named = site.order.options.verifier or site.order.options.agent
        self._verifier = "" if named == "runbook" else named  # "": the checks are the verdict

    # ---- evidence ----

    def gather(self, at: At, snapshot: model.Snapshot, baseline: model.Baseline, said: model.Work) -> model.Evidence:
        """The checks on the snapshot, in a clean checkout, and what they prove."""
        site, name = self._site, snapshot.commit[:12]
        checked = self._workspaces.check(at, snapshot.commit, snapshot.tree, baseline.base, f"work-{name}")
        found = [*checked.findings, *self._judge(at.phase, baseline, checked.runs)]
        changes = read_changes(site.root, snapshot.base, snapshot.commit, snapshot.paths)
        command = site.order.test_command
        checks = (*at.phase.checks, *((model.CheckOrder(command, 0, TESTS),) if command else ()))
        found += self._judge_tests(at, checks, snapshot, baseline, changes)
        links = read_shape(site.root, snapshot.tree).reached
        running = judge_running_files(at.phase.text, snapshot.paths, changes, links)
        for finding in running:  # those that the phase names are told at once
            if not finding.is_failure:
                site.watcher.note(f"phase {at.phase.id}: {finding.text}")
        found += running
        found += find_hollow_scripts(checks, changes)
        found += judge_kept(at.phase.rules, snapshot.paths)
        found += self._outside.notes(at)
        found += judge_secrets(site.root, snapshot.base, changes, site.settings, site.environment)
        found = apply_reasons(found, at.phase.text, said.text, has_verifier=bool(self._verifier))
        found = tell_causes(found, checked.runs, baseline.runs, read_output)
        evidence = model.Evidence(snapshot.tree, checked.runs, tuple(found), said.confined)
        for told in show_failures(evidence, snapshot.paths):
            site.watcher.note(f"phase {at.phase.id}: {told}")
        self._note(at, f"checks-{name}", evidence, snapshot.commit)
        return evidence

    def _note(self, at: At, name: str, evidence: model.Evidence, commit: str) -> None:
        named = hash_evidence(evidence.runs)
        own = (self._site.order.run, at.phase.id, at.attempt, evidence.tree, named, commit)
        self._site.note(at, f"{name}/{named}", EvidenceFact(*own, evidence.runs, evidence.findings))

    def _judge(
        self, phase: model.PhaseOrder, baseline: model.Baseline, runs: tuple[model.CheckRun, ...]
    ) -> list[model.Finding]:
        decides = not self._verifier
        return judge_checks(baseline.runs, runs, phase_text=phase.text, checks_decide=decides, read=read_output)

    def judge_again(self, phase: model.PhaseOrder, baseline: model.Baseline, checked: Checked) -> list[model.Finding]:
        """What speaks against a candidate: its checks, compared with the base as those of the work were."""
        found = [*checked.findings, *self._judge(phase, baseline, checked.runs)]
        judged = apply_reasons(found, phase.text, "", has_verifier=False)
        return [finding for finding in judged if finding.is_failure and finding.kind != "fewer_tests"]

    def _judge_tests(
        self,
        at: At,
        checks: tuple[model.CheckOrder, ...],
        snapshot: model.Snapshot,
        baseline: model.Baseline,
        changes: Changes,
    ) -> list[model.Finding]:
        around: list[model.Finding] = []

        def run(checks: tuple[model.CheckOrder, ...], tree: str, name: str) -> tuple[model.CheckRun, ...]:
            checked = self._workspaces.try_checks(at, checks, tree, baseline.base, name)
            around.extend(checked.around)
            return checked.runs

        files = self._site.settings.testing.files
        tried = Tried(self._site.root, snapshot.base, snapshot.commit, changes, files, run)
        found = tried.judge(checks, baseline.runs)
        return [*find_weakened(changes, files=files), *around, *found]

    # ---- the whole ----

    def verify_all(self, done: tuple[str, ...]) -> model.Evidence:
        """All checks of all phases that count as done, and the tests, on the target as it is now: later phases may have
        undone what earlier ones proved."""
        order, head = self._site.order, resolve_line(self._site)
        phases = [phase for phase in order.phases if phase.id in {*done, *order.landed, *order.adopted}]
        unapproved = [why for phase in phases if phase.id not in done and (why := self._site.approve(phase))]
        if unapproved:  # their checks are code that nobody has approved
            return model.Evidence("", (), tuple(model.Finding("unapproved", why) for why in unapproved))
        at, tree = At(order_whole(order, phases), 1), tree_of(order.root, head)
        checked = self._workspaces.check(at, head, tree, head, "whole")
        before: tuple[model.CheckRun, ...] = ()
        if order.base and any(run.origin == TESTS and run.exit for run in checked.runs):
            # the tests fail now: what did they say when the run began?
            tests, base = (model.CheckOrder(order.test_command, 0, TESTS),), tree_of(order.root, order.base)
            before = self._workspaces.try_checks(at, tests, base, head, "before").runs
        evidence = _judge_whole(checked, tree, before)
        self._note(at, "checks", evidence, head)
        return evidence

    def take_whole(self, at: At) -> model.Snapshot:
        """All that came since before the first phase of the plan landed; without paths where none has."""
        order, head = self._site.order, resolve_line(self._site)
        landed = [one.commit for one in read_history(order.root, head) if one.plan == order.plan]
        parent = ask_git(order.root, "rev-parse", "--verify", "--quiet", f"{landed[-1]}^") if landed else ""
        base = (parent or "").strip()
        paths = tuple(changed_paths(order.root, base, head)) if base else ()
        return model.Snapshot(head, tree_of(order.root, head), base, paths)

    def check_whole(self, commit: str) -> model.Proof:
        order = self._site.order
        at = At(order_whole(order, order.phases), 1)
        checked = self._workspaces.check(at, commit, tree_of(order.root, commit), commit, "rebased")
        failed = _judge_whole(checked, commit).failures
        return model.Proof(not failed, tuple(finding.text for finding in failed))

    # ---- the verdict, and drift ----

    def verify(self, at: At, snapshot: model.Snapshot, evidence: model.Evidence, part: int) -> model.Verdict:
        if evidence.failures or not self._verifier:
            verdict = verdict_by_checks(at.phase, evidence)
        else:
            verifying = Verifying(self._site, self._workspaces, self._agents)
            verdict = verifying.ask(self._verifier, at, snapshot, evidence, part)
        fact = VerdictFact(self._site.order.run, at.phase.id, at.attempt, verdict)
        self._site.note(at, f"verify.{part}", fact)
        return verdict

    def find_drift(self, at: At, said: model.Work, verdict: model.Verdict) -> model.DriftOutcome:
        """What the agents found to be otherwise than the plan says. The tokens of the verifier come last, and count
        where they differ."""
        told = "\n".join((said.text, verdict.work.text if verdict.work is not None else ""))
        records, _ = read_tokens(told)
        if not records:
            return model.DriftOutcome()
        order, text = self._site.order, _read_plan(self._site.order)
        plan, day = read(PlanSource(order.path, text)), time.strftime("%Y-%m-%d", time.gmtime(self._site.now()))
        facts = self._site.read("drift")
        mine = f"drift:{order.run}/{at.key('drift')}/"
        before = [fact.value for fact in facts if not fact.id.startswith(mine)]  # in this run, not by this attempt
        before = [told for told in before if told.get("decision") in CORRECTED and told.get("run") == order.run]
        earlier = [(str(told.get("phase")), int(str(told.get("bullet") or 0))) for told in before]
        earlier += [(known.phase, known.bullet) for known in undo_corrections(text, plan)[1]]
        outcome = decide_drift(records, text, plan, day, earlier=earlier)
        with self._site.open_ledger() as ledger:
            for number, found in enumerate(records):
                percent = measure(found.stated, found.actual)
                fact = drift_fact(order.run, found, percent or 0, decide(percent))
                self._site.add(ledger, at, f"drift/{number}", fact)
        return outcome


def _judge_whole(checked: Checked, tree: str, before: tuple[model.CheckRun, ...] = ()) -> model.Evidence:
    """All phases together: every check has to hold now; tests may fail where they failed `before`."""
    found = [*checked.findings, *judge_checks(before, checked.runs, read=read_output)]
    return model.Evidence(tree, checked.runs, tuple(found))


def _read_plan(order: model.Order) -> str:
    """The plan as it is now: the marks of earlier phases are in it."""
    refs = (order.line, order.target) if order.is_tracked else ()
    for text in (ask_git(order.root, "show", f"{ref}:{order.path}") for ref in refs):
        if text:
            return text
    with open(os.path.join(order.root, order.path), encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def judge_secrets(
    root: str, base: str, changes: Changes, settings: Settings, environment: Mapping[str, str]
) -> list[model.Finding]:
    """What the work would bring into the repository that must not be there."""

    def is_on_base(value: str) -> bool:
        found = ask_git(root, "grep", "-q", "-F", "-a", "--no-textconv", "-f", "-", base, data=encode_name(value))
        return found is not None

    context = Ground(settings.run.known_secrets, is_on_base, secret_values(environment))
    return find_landing_secrets(changes, context)
