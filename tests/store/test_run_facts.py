"""Facts of runs: said twice is said once, done needs evidence, secrets stay out."""

from pathlib import Path

import pytest

from planrail.base.run_model import CheckRun, Finding, ItemVerdict, Verdict, Work
from planrail.store.fact_rows import Ledger, open_folder
from planrail.store.runs.run_facts import add_adoption, add_fact, adopted, phase_states, read_history, spent
from planrail.store.runs.run_history import EvidenceFact, PhaseFact, RunFact, SignOff, SpentFact, VerdictFact

_CHECK = CheckRun("make", "tests", 0, "t" * 40, 0, 1.5, "h", "/o", "fine")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return open_folder(str(tmp_path))


def _phase(state: str, **fields: str) -> PhaseFact:
    return PhaseFact("run-1", "4b", 1, state, **fields)  # type: ignore[arg-type]


def test_what_was_added_comes_back_typed(ledger: Ledger) -> None:
    evidence = EvidenceFact(
        "run-1", "4b", 1, "t" * 40, "hash", "c", (_CHECK,), (Finding("note", "x", is_failure=False),)
    )
    verdict = VerdictFact("run-1", "4b", 1, Verdict(True, "codex", (ItemVerdict("do", "done"),), work=Work(True)))
    add_adoption(ledger, "p", ["1", "2"], "ana", key="f", at=4)
    add_fact(ledger, "p", RunFact("run-1", "began", agent="claude"), key="a", at=5)
    add_fact(ledger, "p", _phase("landed", evidence="hash"), key="b", at=6)
    add_fact(ledger, "p", evidence, key="c", at=7)
    add_fact(ledger, "p", verdict, key="d", at=8)
    add_fact(ledger, "p", SignOff("run-1", "4b", "ana", "terminal"), key="e", at=9)
    history = read_history(ledger, "p")
    assert (history.runs[0].agent, history.runs[0].at) == ("claude", 5)
    assert (history.evidence[0].runs, history.evidence[0].findings) == (evidence.runs, evidence.findings)
    assert history.verdicts[0].verdict == verdict.verdict
    assert (history.adopted, adopted(ledger, "p")) == (("1", "2"), ("1", "2"))
    assert history.sign_offs[0].who == "ana"
    assert read_history(ledger, "other").phases == []


def test_an_adoption_after_the_first_phase_is_nobodys(ledger: Ledger) -> None:
    add_fact(ledger, "p", _phase("in_progress"), key="1", at=1)
    add_adoption(ledger, "p", ["2"], "ana", key="2", at=2)
    assert (adopted(ledger, "p"), read_history(ledger, "p").adopted) == ((), ())


def test_a_phase_is_done_only_with_evidence_that_is_there(ledger: Ledger) -> None:
    add_fact(ledger, "p", _phase("done", evidence="hash"), key="1", at=1)
    assert phase_states(ledger, "p")["4b"].state == "claimed"
    add_fact(ledger, "p", EvidenceFact("run-1", "other", 1, "t", "hash"), key="2", at=2)
    assert not phase_states(ledger, "p")["4b"].is_done
    against = EvidenceFact("run-1", "4b", 1, "t", "hash", findings=(Finding("check_failed", "no"),))
    add_fact(ledger, "q", against, key="4", at=3)
    add_fact(ledger, "q", _phase("landed", evidence="hash"), key="5", at=4)
    assert phase_states(ledger, "q")["4b"].state == "claimed"
    add_fact(ledger, "p", EvidenceFact("run-1", "4b", 1, "t", "hash", runs=(_CHECK,)), key="3", at=3)
    assert phase_states(ledger, "p")["4b"].is_done


def test_the_latest_word_counts_and_a_word_said_twice_is_one(ledger: Ledger) -> None:
    for _ in range(2):
        add_fact(ledger, "p", _phase("in_progress"), key="start", at=1)
        add_fact(ledger, "p", _phase("failed", reason="checks"), key="end", at=2)
    assert len(ledger.facts("phase", "p")) == 2
    assert phase_states(ledger, "p")["4b"].reason == "checks"


def test_what_was_spent_adds_up_by_plan_phase_and_attempt(ledger: Ledger) -> None:
    for number in (1, 2):
        fact = SpentFact("run-1", "4b", number, "implement", 100, 50, 0.5, 60)
        add_fact(ledger, "p", fact, key=str(number), at=1)
    assert (spent(ledger, "p").tokens, spent(ledger, "p").money) == (300, 1.0)
    assert spent(ledger, "p", phase="4b", attempt=2).tokens == 150
    assert spent(ledger, "p", phase="5").tokens == 0


def test_secrets_are_masked_on_the_way_in_and_names_are_not(ledger: Ledger) -> None:
    secret = "ghp_" + "a1B2" * 8
    check = CheckRun("make", "tests", 0, "t", 1, 1.0, "h", "/o", f"token={secret}")
    add_fact(ledger, "p", EvidenceFact("run-1", "4b", 1, "t", "hash", runs=(check,)), key="1", at=1)
    add_fact(ledger, "p", PhaseFact("run-1", "token: abcd1234efgh", 1, "failed", text=secret), key="2", at=1)
    assert secret not in str(ledger.facts())
    assert "token: abcd1234efgh" in phase_states(ledger, "p")


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"run": "r", "phase": "4b", "attempt": "1", "state": "done"},
        {"run": "r", "phase": ["4b"], "attempt": 1, "state": "done"},
        {"run": "r", "phase": "4b", "attempt": 1, "state": {"~": "Nonsense"}},
        {"run": "r", "phase": "4b", "attempt": True, "state": "done"},
    ],
)
def test_a_row_of_another_hand_says_nothing(ledger: Ledger, row: dict[str, object]) -> None:
    ledger.add("phase", "p", row, at=1)
    assert phase_states(ledger, "p") == {}
