"""Killed and resumed: what a dead planrail wrote down is read again, and somebody may have written more."""

import json
import subprocess

import pytest

from planrail.base.records import replace
from planrail.base.run_model import (
    Candidate,
    CheckRun,
    DriftOutcome,
    Ending,
    Evidence,
    ItemVerdict,
    Landing,
    PhaseEnd,
    Proof,
    Snapshot,
    Verdict,
    Work,
)
from planrail.base.values import pack
from planrail.store.runs.run_folders import load_order
from tests.claims_refused.stage import LIE, PHASE, Stage

_KILL = """pid=$(ps -o ppid= -p $PPID | tr -d ' ')
kill -9 "$pid"
"""


def killed(stage: Stage, script: str, *words: str) -> None:
    """A run whose agent kills planrail after it has done its work."""
    stage.implementer(f"{script}\n{_KILL}")
    answer = stage.run(*words)
    assert answer.code < 0, answer.told


@pytest.mark.full
def test_an_agent_that_kills_planrail_is_judged_by_the_next_one(stage: Stage) -> None:
    killed(stage, LIE)
    stage.refused(stage.call("resume"), "grep -qx hello greeting.txt")


@pytest.mark.full
def test_a_forged_end_of_a_phase_is_held_against_the_target(stage: Stage) -> None:
    stage.phase(PHASE, PHASE.replace("Phase 1", "Phase 2"))
    killed(stage, LIE, "1", "auto")
    stage.forge_line("phase/1/1/end", pack(PhaseEnd("1", "landed", text="landed", commit=stage.was)))
    stage.refused(stage.call("resume"), "main does not have it")


def _judged(stage: Stage, commit: str, tree: str) -> None:
    """The lines of an attempt that went well, up to its proof."""
    run = CheckRun("grep -qx hello greeting.txt", "block", 8, tree, 0, 0.01, "0" * 64, "/dev/null", "")
    snapshot = Snapshot(commit, tree, stage.was, ("greeting.txt",))
    items = (ItemVerdict("write greeting.txt, which says hello", "done", "greeting.txt:1"),)
    for key, value in (
        ("implement.1", Work(True, "done")),
        ("snapshot.1", snapshot),
        ("checks.1", Evidence(tree, (run,), ())),
        ("verify.1", Verdict(True, "command", items, ())),
        ("drift", DriftOutcome()),
    ):
        stage.forge_line(f"phase/1/1/{key}", pack(value))


def lie_commit(stage: Stage) -> tuple[str, str]:
    """A commit with the lie on the base, as a snapshot would be, and its tree."""
    blob = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=stage.root, input="bye\n", capture_output=True, text=True
    ).stdout.strip()
    index = {**stage.environment, "GIT_INDEX_FILE": str(stage.place / "index")}

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=stage.root, env=index, capture_output=True, text=True).stdout.strip()

    git("read-tree", stage.was)
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},greeting.txt")
    tree = git("write-tree")
    return git("commit-tree", tree, "-p", stage.was, "-m", "snapshot"), tree


def test_forged_evidence_in_the_journal_lands_nothing(stage: Stage) -> None:
    killed(stage, LIE)
    _judged(stage, *lie_commit(stage))
    stage.refused(stage.call("resume"), "grep -qx hello greeting.txt")


def test_a_forged_proof_in_the_journal_lands_nothing(stage: Stage) -> None:
    killed(stage, LIE)
    commit, tree = lie_commit(stage)
    _judged(stage, commit, tree)
    stage.forge_line("phase/1/1/candidate.1", pack(Candidate(commit, tree, stage.was)))
    stage.forge_line("phase/1/1/prove.1", pack(Proof(True, ())))
    stage.refused(stage.call("resume"), "on the candidate: `grep -qx hello greeting.txt`")


@pytest.mark.full
def test_a_forged_landing_in_the_journal_is_held_against_the_target(stage: Stage) -> None:
    killed(stage, LIE)
    commit, tree = lie_commit(stage)
    _judged(stage, commit, tree)
    stage.forge_line("phase/1/1/candidate.1", pack(Candidate(commit, tree, stage.was)))
    stage.forge_line("phase/1/1/prove.1", pack(Proof(True, ())))
    stage.forge_line("phase/1/1/land.1", pack(Landing("landed", commit, "refs/heads/main", "landed")))
    stage.refused(stage.call("resume"), "on the candidate: `grep -qx hello greeting.txt`")


def test_a_forged_verification_of_the_whole_does_not_complete_a_plan(stage: Stage) -> None:
    killed(stage, LIE)
    stage.forge_line("turn/1/choose", pack(()))
    stage.forge_line("finish/verify_all", pack(Evidence("", (), ())))
    stage.forge_line("finish/complete.1", pack(Landing("landed", stage.was, "", "the plan is complete")))
    stage.refused(stage.call("resume"), "grep -qx hello greeting.txt")


def test_lines_that_are_written_while_the_run_lives_are_not_read(stage: Stage) -> None:
    end = json.dumps(pack(PhaseEnd("1", "landed", commit="1" * 40)))
    stage.implementer(f"{LIE}; forge line phase/1/1/end '{end}'; forge line phase/1/1/checks.1 '{end}'")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_an_order_that_was_rewritten_is_not_carried_out(stage: Stage) -> None:
    killed(stage, LIE)
    order = load_order(str(stage.run_folder))
    softer = replace(order.phases[0], checks=(replace(order.phases[0].checks[0], command="test -e greeting.txt"),))
    (stage.run_folder / "order.json").write_text(json.dumps(pack(replace(order, phases=(softer,)))))
    stage.refused(stage.call("resume"), "it was rewritten")


def test_an_order_whose_verifier_was_taken_out_is_not_carried_out(stage: Stage) -> None:
    killed(stage, "echo hello > greeting.txt")
    stage.answer({"id": "W1", "text": "", "verdict": "failed", "places": [], "note": "no"})
    order = load_order(str(stage.run_folder))
    options = replace(order.options, verifier="runbook")
    (stage.run_folder / "order.json").write_text(json.dumps(pack(replace(order, options=options))))
    stage.refused(stage.call("resume"), "it was rewritten")


def test_an_ending_that_was_written_by_hand_ends_nothing(stage: Stage) -> None:
    killed(stage, LIE)
    (stage.run_folder / "ending.json").write_text(json.dumps(pack(Ending("complete", "all phases landed", "x"))))
    stage.unproven()
    stage.implementer("exit 0")
    stage.refused(stage.run(), "changed nothing")


def test_an_agent_that_kills_its_runner_is_lost(stage: Stage) -> None:
    stage.implementer('echo bye > greeting.txt; kill -9 "$PPID"; sleep 5')
    stage.settings["budget"] = ["attempts = 2"]
    stage.refused(stage.run(), "2 attempts of 2")


def test_a_forged_verdict_between_a_kill_and_a_resume_is_not_withstood(stage: Stage) -> None:
    """The checks are run again; a verifier is not asked twice, and its word is a line of the journal."""
    killed(stage, "echo hello > greeting.txt; echo bad > code.txt")
    stage.answer({"id": "W1", "text": "", "verdict": "failed", "places": [], "note": "no"})
    items = (ItemVerdict("write greeting.txt, which says hello", "done", "greeting.txt:1"),)
    stage.forge_line("phase/1/1/verify.1", pack(Verdict(True, "command", items, ())))
    assert stage.call("resume").code == 0
