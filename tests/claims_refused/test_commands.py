"""planrail's own commands, called by the agent from inside its workspace."""

import pytest

from tests.claims_refused.stage import LIE, PLAN, Stage

UI = """## Phase 1 — Greet on the page

- [ ] write index.html, a page of the UI that users see

```sh check
test -s index.html
```
"""


def test_planrail_done_in_the_workspace_proves_nothing(stage: Stage) -> None:
    stage.implementer(
        f'{LIE}; planrail done {PLAN} 1; cd "$ROOT"; echo hello > greeting.txt; planrail done {PLAN} 1; rm greeting.txt'
    )
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_planrail_done_in_the_users_checkout_is_refused_while_a_run_holds_the_plan(stage: Stage) -> None:
    stage.implementer(f'cd "$ROOT"; echo hello > greeting.txt; planrail done {PLAN} 1 --commit; rm -f greeting.txt')
    stage.refused(stage.run(), "changed nothing")


def test_planrail_approve_by_the_agent_approves_nothing(stage: Stage) -> None:
    stage.settings["approval"] = ["required = true"]
    stage.begin()
    answer = stage.call("approve", PLAN, "--json")
    assert answer.code != 0, answer.told
    stage.refused(stage.run(), "approve")


def test_planrail_sign_off_by_the_agent_signs_nothing(stage: Stage) -> None:
    stage.phase(UI)
    stage.implementer(f'echo page > index.html; cd "$ROOT"; yes | planrail sign-off {PLAN} 1')
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["index.html:1"], "note": "seen"})
    stage.refused(stage.run(), "sign-off")


@pytest.mark.full
def test_a_sign_off_that_was_written_before_there_was_anything_to_see_is_none(stage: Stage) -> None:
    stage.phase(UI)
    stage.implementer("""echo page > index.html
forge row sign_off "{\\"run\\": \\"$(basename "$RUN")\\", \\"phase\\": \\"1\\", \\"who\\": \\"ann\\", \\"channel\\": \\"terminal\\"}" """)
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["index.html:1"], "note": "seen"})
    stage.refused(stage.run(), "sign-off")
    stage.refused(stage.call("resume"), "sign-off")


@pytest.mark.full
def test_a_claim_that_the_agent_takes_over_lands_nothing(stage: Stage) -> None:
    stage.implementer(
        f'echo hello > greeting.txt; cd "$ROOT"; planrail claim takeover {PLAN} --owner me --pid 1 --reason mine'
    )
    stage.refused(stage.run(), "taken over")


def test_a_second_run_that_the_agent_starts_is_refused(stage: Stage) -> None:
    stage.implementer(
        f'{LIE}; cd "$ROOT"; planrail run {PLAN} finish auto --agent runbook; planrail resume {PLAN}; true'
    )
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_planrail_stop_by_the_agent_lands_nothing(stage: Stage) -> None:
    stage.implementer(f'{LIE}; cd "$ROOT"; planrail stop {PLAN}; sleep 5')
    stage.refused(stage.run(), "stopped")
