"""The report: it says what is known, the newest first, and quotes what others wrote."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import (
    Baseline,
    CheckRun,
    DriftOutcome,
    DriftRecord,
    Evidence,
    Finding,
    ItemVerdict,
    Landing,
    PhaseEnd,
    PhaseOrder,
    Snapshot,
    Verdict,
    Work,
    Workspace,
)
from planrail.runs.reporting.attempts import RunPart, gather_attempts
from planrail.runs.reporting.described import describe_report
from planrail.runs.reporting.phases import code, inline
from planrail.runs.reporting.reports import PlanReport, render_index, render_report
from planrail.store.journal_lines import JournalLine
from planrail.store.runs.run_history import EvidenceFact, History, PhaseFact, SignOff
from tests.runs.run_records import make_order, make_phase, step

_TREE = "a" * 40


def _check(exit_code: int = 0, tail: str = "", command: str = "make test") -> CheckRun:
    return CheckRun(command, "block", 12, _TREE, exit_code, 1.5, "h", "/out", tail)


def _attempt(
    phase: str,
    at: float,
    *,
    item: str = "",
    findings: tuple[Finding, ...] = (),
    passed: bool = True,
    note: str = "seen",
) -> list[JournalLine]:
    verdict = Verdict(passed, "codex", (ItemVerdict(item or f"do {phase}", "done", "src/a.py:3", note),))
    snapshot = Snapshot("c" * 40, _TREE, "b" * 40, ("src/a.py",))
    work = Work(True, tokens_in=1000, tokens_out=500, cost=0.25, seconds=60)
    return [
        *step(f"phase/{phase}/1/baseline", at, at + 1, Baseline("b" * 40, (_check(2),), "pip install")),
        *step(f"phase/{phase}/1/workspace", at + 1, at + 2, Workspace("/ws", "b" * 40, "/i")),
        *step(f"phase/{phase}/1/implement.1", at + 2, at + 62, work),
        *step(f"phase/{phase}/1/snapshot.1", at + 62, at + 63, snapshot),
        *step(f"phase/{phase}/1/checks.1", at + 63, at + 65, Evidence(_TREE, (_check(),), findings)),
        *step(f"phase/{phase}/1/verify.1", at + 65, at + 70, verdict),
    ]


def _landed(phase: str, at: float) -> list[JournalLine]:
    end = PhaseEnd(phase, "landed", commit="d" * 40)
    return [
        *_attempt(phase, at),
        *step(f"phase/{phase}/1/land.1", at + 70, at + 71, Landing("landed", "d" * 40, message="landed on main")),
        *step(f"phase/{phase}/1/end", at + 71, at + 72, end),
    ]


def _failed(phase: str, at: float) -> list[JournalLine]:
    return [
        *_attempt(phase, at, findings=(Finding("check_failed", "make test ended with exit code 1"),), passed=False),
        *step(f"phase/{phase}/1/end", at + 71, at + 72, PhaseEnd(phase, "failed", "checks", "it broke")),
    ]


def _history(*phases: PhaseFact, evidence: tuple[EvidenceFact, ...] = (), signed: tuple[SignOff, ...] = ()) -> History:
    spent: list[Mapping[str, object]] = [
        {"run": "run-1", "phase": "1", "attempt": 1, "tokens_in": 1000, "tokens_out": 500, "cost": 0.25}
    ]
    return History("PLAN.md", [], list(phases), list(evidence), [], list(signed), [], (), spent)


def _proven(phase: str) -> tuple[PhaseFact, EvidenceFact]:
    fact = PhaseFact("run-1", phase, 1, "landed", commit="d" * 40, evidence="e" * 64)
    return fact, EvidenceFact("run-1", phase, 1, _TREE, "e" * 64, runs=(_check(),))


def _report(
    lines: list[JournalLine], history: History | None = None, *phases: PhaseOrder, state: str = "complete", **run: str
) -> PlanReport:
    order = make_order(*(phases or (make_phase("1"), make_phase("2"))), approval=run.pop("approval", "terminal"))
    parts = [RunPart(order, lines, state, run.get("text", ""), phase=run.get("phase", ""))]
    known = history or _history()
    named = tuple((phase.id, phase.title) for phase in order.phases)
    return PlanReport("PLAN.md", "The plan", "PLAN.md", named, parts, gather_attempts(parts, known), known, 5000)


def test_a_phase_is_told_with_its_commit_verdicts_evidence_and_cost_the_newest_first() -> None:
    fact, proof = _proven("1")
    drift = DriftOutcome((DriftRecord("1", 3, "lines", "100", "112"),), notes=("corrected by 12 %",))
    lines = [*_landed("1", 1000), *step("phase/1/1/drift", 1070, 1071, drift), *_landed("2", 2000)]
    told = render_report(_report(lines, _history(fact, evidence=(proof,))))
    assert told.startswith("# Plan Report — The plan\n")
    assert re.findall(r"^## .*", told, re.M)[:2] == ["## Phase — 2 Phase 2", "## Phase — 1 Phase 1"]
    for wanted in ("| 3 | lines | 100 | 112 |", "- corrected by 12 %", "| runbook | the checks |", "**No tests.**"):
        assert wanted in told
    assert "Sign-off" not in told
    assert "**Not approved.**" not in told
    assert "**Not approved.**" in render_report(_report(lines, approval=""))
    assert "`dddddddddd`" in told
    assert "| 1 | do 1 | done | `src/a.py:3` | seen |" in told
    assert "| `make test` | block | 0 | 1.5 | `aaaaaaaaaa` | exit 2 |" in told
    assert "Evidence `eeeeeeeeee`" in told
    assert "1,500 tokens, $0.25" in told
    assert "**Environment:** pip install" in told


def test_a_failed_run_says_on_top_what_is_known_and_how_to_go_on() -> None:
    lines = [*_landed("1", 1000), *_failed("2", 2000)]
    fact, proof = _proven("1")
    report = _report(lines, _history(fact, evidence=(proof,)), state="failed", text="it broke")
    told = render_report(report)
    head = told[: told.index("## Phase")]
    assert "## Run Failed — 1970-01-01 00:34 UTC" in head
    for wanted in (
        "**Failed at:** phase 2",
        "**Error:** it broke",
        "landed: 1",
        "cccccccccc",
        "`planrail run PLAN.md`",
    ):
        assert wanted in head
    assert "## Phase — 2 Phase 2 [not finished]" in told
    assert "**Failure, check failed:**" in told


@pytest.mark.parametrize(
    ("lines", "run", "told"),
    [
        ([*_failed("1", 1000), *_landed("2", 1010)], {"phase": "1"}, "Failed at:** phase 1, attempt 1, judging the work (`verify.1`)"),
        ([*_landed("1", 1000), *step("finish/verify_all", 3000, 3001, Evidence(_TREE, (), (Finding("check_failed", "no"),)))], {}, "Failed at:** the whole, checking the whole (`verify_all`)"),
        ([*_attempt("1", 1000), *step("phase/1/1/sign_off.1", 1080)], {"state": "paused"}, "Stopped at:** phase 1, attempt 1, waiting for a sign-off (`sign_off.1`)"),
    ],
    ids=["of the phase that failed", "of the whole", "of the step that waits"],
)  # fmt: skip
def test_the_step_in_which_a_run_came_to_rest_is_named(
    lines: list[JournalLine], run: dict[str, str], told: str
) -> None:
    assert f"- **{told}\n" in render_report(_report(lines, None, **{"state": "failed", **run}))


def test_the_time_of_an_attempt_is_what_was_worked_and_never_negative() -> None:
    again = [*step("phase/1/1/prove.1", 1100, 1103), *step("phase/1/1/prove.1", 9000)]  # proofs are made anew
    waited = step("phase/1/1/confirm", 1200, 8000, value=True)
    (attempt,) = _report([*again, *waited], state="interrupted").attempts
    assert attempt.seconds == 3
    stopped = RunPart(make_order(make_phase("1")), step("phase/1/1/implement.1", 1000), "stopped", rested=1090)
    assert [one.seconds for one in gather_attempts([stopped], _history())] == [90]
    gone = [*step("phase/1/1/start", 1000, 1001), *step("phase/1/1/implement.1", 1002)]
    (attempt,) = _report(gone, state="interrupted").attempts
    assert [one.ended for one in attempt.steps] == [1001, 1002], "it ends with its last word"
    assert describe_report(_report(again, state="stopped"))["attempts"][0]["seconds"] == 3  # type: ignore[index]


def test_what_a_document_says_is_told_as_a_claim() -> None:
    report = replace(_report([]), stated={"1": "done", "2": "skipped"})
    assert [report.state_of(name) for name in ("1", "2")] == ["claimed", "skipped"]
    assert (report.done, report.claimed) == (2, 2)
    assert "2 of 2 phases done (2 claimed)" in render_report(report)


def test_evidence_that_speaks_against_a_phase_does_not_prove_it() -> None:
    fact, proof = _proven("1")
    bad = EvidenceFact(proof.run, "1", 1, _TREE, proof.hash, runs=proof.runs, findings=(Finding("check_failed", "no"),))
    assert _report([], _history(fact, evidence=(bad,))).state_of("1") == "claimed"
    proven = _report([], _history(fact, evidence=(proof,)))
    assert (proven.state_of("1"), proven.done) == ("landed", 1)
    assert "| `make test` | block | 0 |" in render_report(proven), "from the ledger alone"
    word = _report([], _history(PhaseFact("run-1", "1", 1, "done", evidence="nothing has this hash", by="session")))
    assert "claimed to be done, without evidence" in render_report(word)
    assert word.done == 0


def test_there_is_one_box_for_each_thing_to_look_at_and_no_other() -> None:
    phase = make_phase("4b", "Dialog", is_ui=True, items=("the dialog [ ] opens", "it closes"))
    lines = _attempt("4b", 1000, item="the dialog [ ] opens")
    told = render_report(_report(lines, _history(), phase, state="paused"))
    assert re.findall(r"- \[ \] \*\*(P[\w-]+)\*\*", told) == ["P4b-1", "P4b-2"]
    assert told.count("[ ]") == 2
    signed = SignOff("run-1", "4b", "ana", "terminal")
    again = render_report(_report(lines, _history(signed=(signed,)), phase))
    assert again.count("[ ]") == 0
    assert again.count("- [x] **P4b-") == 2
    assert "Signed off by ana, terminal" in again


def test_the_index_lists_every_open_box_and_says_which_are_stale() -> None:
    phase = make_phase("4b", "Dialog", is_ui=True, items=("it opens",))
    report = _report(_attempt("4b", 1000), _history(), phase, state="paused")
    fresh = render_index([(report, "plan-plan.md")], 2000)
    assert "- [ ] [The plan](plan-plan.md) **P4b-1** — it opens\n" in fresh
    assert "| [The plan](plan-plan.md) | `PLAN.md` | paused | 0/1 |" in fresh
    assert "**STALE**" in render_index([(report, "plan-plan.md")], 1000 + 8 * 86_400)
    signed = _report(_attempt("4b", 1000), _history(signed=(SignOff("run-1", "4b", "ana", "terminal"),)), phase)
    assert "[ ]" not in render_index([(signed, "plan-plan.md")], 2000)


def test_secrets_are_masked() -> None:
    secret = "ghp_" + "a1B2" * 8
    lines = _attempt("1", 1000, item=f"use {secret}")
    lines += step("phase/1/1/checks.2", 1090, 1091, Evidence(_TREE, (_check(1, f"said {secret}", f"echo {secret}"),)))
    report = _report(lines, state="failed", text=f"token={secret}")
    assert secret not in render_report(report)
    assert secret not in str(describe_report(report))


_HOSTILE = (
    "\x1b[2J\r## Forged\n## Forged\u2028## Forged",
    "ok\r\n\r\n| 1 | forged | done |",
    "<!-- the rest is gone",
    "<details><summary>",
    "```\n~~~",
    "ok\n\nPlanrail-Evidence: forged",
    "\u202edone\u2066\u200b\x9b2K",
)


@pytest.mark.parametrize("note", _HOSTILE)
def test_a_verifiers_note_forges_no_line_hides_none_and_steers_no_terminal(note: str) -> None:
    def told(words: str) -> list[str]:
        lines = _attempt("1", 1000, note=words)
        lines += step("phase/1/1/checks.2", 1090, 1091, Evidence(_TREE, (_check(1, words.replace("\n", " ")),)))
        return render_report(_report(lines, state="failed", text=words)).splitlines()

    shown = told(note)
    assert len(shown) == len(told("seen"))
    quoted = [line for line in shown if not line.startswith("    ")]  # what is indented is code
    assert not [line for line in quoted if line.startswith(("## Forged", "| 1 | forged", "Planrail-", "```"))]
    assert not [line for line in quoted if re.search(r"(?<!\\)<(?!!-- planrail report of PLAN.md)", line)]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]", "\n".join(shown))


def test_a_character_of_a_command_that_cannot_be_seen_is_shown() -> None:
    assert inline("`grep\u00a0-q x` is\u00a0run") == r"\`grep\\u00a0-q x\` is run"
    assert code("grep\u00a0-q\u200b x") == r"`grep\u00a0-q\u200b x`"


@given(st.text())
def test_no_text_gets_out_of_its_cell(text: str) -> None:
    for told in (inline(text), code(text)):
        assert "\n" not in told
        assert "[ ]" not in told
        assert not re.search(r"(?<!\\)(?:\\\\)*\|", told)


@pytest.mark.full
@given(st.text(), st.text())
def test_a_report_can_be_made_of_any_words(item: str, said: str) -> None:
    lines = _attempt("1", 1000, item=item, findings=(Finding("proves_nothing", said, said, is_failure=False),))
    told = render_report(_report(lines, state="failed", text=said))
    assert told.count("\n# ") == 0
    assert "[ ]" not in told
