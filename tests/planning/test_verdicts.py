"""Verdicts of a critique, and what it says about each principle."""

import pytest

from planrail.planning.answers.verdicts import read_verdicts
from planrail.planning.principles import IDS, PRINCIPLES


def _said(text: str) -> list[tuple[str, bool]]:
    return [(verdict.principle, verdict.passed) for verdict in read_verdicts(text)]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("1. P3 (contracts) — **FAIL**: none", [("P3", False)]),
        ("| P2 | PASS | all there |", [("P2", True)]),
        ("### P4\n\n**Verdict:** FAIL\nNo error path.", [("P4", False)]),
        ("### P4\n- Result: pass", [("P4", True)]),
        ("P1: PASS, P2: FAIL - x; P3: PASS", [("P1", True), ("P2", False), ("P3", True)]),
        ("P1, P2 and P3: FAIL - no", [("P1", False), ("P2", False), ("P3", False)]),
        ("Failing: P1, P4 and P5, for lack of order", [("P1", False), ("P4", False), ("P5", False)]),
        ("## FAIL\n- P1 no order\n## Passed\n- P2 fine", [("P1", False), ("P2", True)]),
        ("1. **[P1] FAIL** no order", [("P1", False)]),
        ("P5: FAIL - it would pass if it were there", [("P5", False)]),
        ("P5: nobody can fail here. PASS", [("P5", True)]),
        ("P6: not passed", [("P6", False)]),
        ("P1: FAIL, since P2 passes nothing on", [("P1", False)]),
        ("Principle 7: PASS", [("P7", True)]),
        ("원칙 7: 실패 - 없음", [("P7", False)]),
        ("P8 미통과", [("P8", False)]),
        ("P8 未通过: 没有", [("P8", False)]),
        ("P10 PASS", [("P10", True)]),
        ("P1: PASS or FAIL", []),
        ("P13: FAIL", []),
        ("MP3: FAIL", []),
        ("See P3 for more.", []),
        ("`P1`: FAIL - x", [("P1", False)]),
        ("```\nP1: FAIL\n```", []),
        ("P01: FAIL - x", [("P1", False)]),
        ("P-2: PASS", [("P2", True)]),
        ("Principle #3: FAIL - x", [("P3", False)]),
        ("Principle P3: FAIL - x", [("P3", False)]),
        ("HTTP-1: FAIL", []),
        ("- Ordering: PASS, one phase", [("P1", True)]),
        ("| **Edge cases** | FAIL | none |", [("P5", False)]),
        ("### Error paths — FAIL", [("P4", False)]),
        ("Scope: the parser passes it on", []),
        ("- Assumptions: none fail here", []),
        ("P1: OK - fine\nP2: not OK - no file", [("P1", True), ("P2", False)]),
        ("P1 (ordering): weak, no order", [("P1", False)]),
        ("P1: good question, see below", []),
        ("P1 is ok with me", []),
    ],
)
def test_a_verdict_is_read_however_it_is_written(text: str, verdicts: list[tuple[str, bool]]) -> None:
    assert _said(text) == verdicts


def test_the_evidence_is_what_is_said_beyond_number_name_and_verdict() -> None:
    bare, named, said, below = read_verdicts(
        "1. P1 FAIL\n2. P3 contracts: FAIL\n3. P2: FAIL - no files\n4. P4: FAIL\n   no errors"
    )
    assert (bare.evidence, named.evidence) == ("", "")
    assert "no files" in said.evidence
    assert "no errors" in below.evidence


def test_there_are_twelve_principles_and_each_rule_refutes_one() -> None:
    assert [f"P{number}" for number in range(1, 13)] == list(IDS)
    rules = [rule for principle in PRINCIPLES for rule in principle.judged_by]
    assert len(rules) == len(set(rules))
