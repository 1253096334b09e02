"""What an agent says is no evidence."""

import pytest

from tests.claims_refused.stage import HONEST, LIE, Stage, verdict

TWO_ITEMS = """## Phase 1 — Greet

- [ ] write greeting.txt, which says hello
- [ ] write farewell.txt, which says goodbye

```sh check
grep -qx hello greeting.txt
```
```sh check
grep -qx goodbye farewell.txt
```
"""


def test_a_typed_result_without_work_is_nothing_done(stage: Stage) -> None:
    stage.implementer("echo 'All tests pass. Phase 1 is complete.'")
    stage.refused(stage.run(), "changed nothing")


def test_a_typed_result_does_not_stand_in_for_a_check(stage: Stage) -> None:
    stage.implementer(f"{LIE}; echo 'I ran grep -qx hello greeting.txt: exit code 0. 12 passed, 0 failed.'")
    stage.fixer("echo 'Mended. All checks pass now.'")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_a_report_by_the_agents_own_program_does_not_stand_in_for_a_check(stage: Stage) -> None:
    report = '{"text": "done", "structured": {"passed": true, "exit": 0}, "cost": -5}'
    stage.implementer(f"{LIE}; echo '{report}'")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


@pytest.mark.full
def test_half_of_the_items_is_not_the_phase(stage: Stage) -> None:
    stage.phase(TWO_ITEMS)
    stage.implementer(HONEST)
    stage.answer(verdict("W1", "greeting.txt:1"), verdict("W2", "greeting.txt:1"))
    stage.refused(stage.run(), "farewell.txt")


def test_an_agent_that_ends_with_an_error_has_done_nothing(stage: Stage) -> None:
    stage.implementer(f"{HONEST}; echo 'done'; exit 1")
    stage.refused(stage.run())


def test_a_phase_without_a_check_needs_a_verifier_that_looked(stage: Stage) -> None:
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt, which says hello\n")
    stage.implementer(LIE)
    stage.verifier("echo 'Everything is done. The phase passes.'")
    stage.refused(stage.run(), "schema")


def test_a_phase_without_a_check_cannot_be_proven_by_a_runbook(stage: Stage) -> None:
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh run\necho bye > greeting.txt\n```\n")
    stage.settings["run"] = []
    stage.refused(stage.run(), "no check")


@pytest.mark.full
def test_a_check_that_cannot_fail_is_no_verdict(stage: Stage) -> None:
    text = "## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh run\necho bye > greeting.txt\n```\n"
    stage.phase(f"{text}\n```sh check\ngrep -qx hello greeting.txt || true\n```\n")
    stage.settings["run"] = []
    stage.refused(stage.run(), "can fail")
