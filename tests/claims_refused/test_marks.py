"""What stands in a document is a claim, whoever wrote it there."""

import pytest

from tests.claims_refused.stage import PLAN, Stage

_TICK = "sed -i 's/- \\[ \\]/- [x]/'"


def test_a_ticked_box_in_the_workspace_is_no_work(stage: Stage) -> None:
    stage.implementer(f"{_TICK} {PLAN}")
    stage.refused(stage.run(), "changed nothing")


def test_a_ticked_box_in_the_users_checkout_is_a_claim(stage: Stage) -> None:
    stage.implementer(f'{_TICK} "$ROOT/{PLAN}"; echo bye > greeting.txt')
    stage.refused(stage.run())
    assert stage.proof() == ("done", "claimed")


def test_a_ticked_box_on_the_target_is_a_claim(stage: Stage) -> None:
    stage.implementer(
        f'{_TICK} "$ROOT/{PLAN}"; git -C "$ROOT" commit -qam "Phase 1 is done" || exit 3; echo bye > greeting.txt'
    )
    answer = stage.run()
    assert answer.code not in (0, 2, 3), answer.told
    assert stage.show("greeting.txt") is None
    assert stage.proof() == ("done", "claimed")
    stage.was = stage.head()
    stage.implementer("exit 0")
    stage.refused(stage.run(), "changed nothing")  # it is run again: the mark did not make it done


def test_a_front_matter_that_says_complete_is_a_claim(stage: Stage) -> None:
    stage.implementer(f'{{ printf -- "---\\nstatus: complete\\n---\\n"; cat {PLAN}; }} > p; mv p "$ROOT/{PLAN}"')
    stage.refused(stage.run(), "changed nothing")


def test_planrail_set_by_the_agent_is_a_claim(stage: Stage) -> None:
    stage.implementer(f'cd "$ROOT" && planrail set {PLAN} 1 done')
    stage.refused(stage.run(), "changed nothing")
    assert stage.proof() == ("done", "claimed")


def test_a_plan_that_is_replaced_by_a_link_is_not_followed(stage: Stage) -> None:
    stage.implementer(f'rm {PLAN}; ln -s "$ROOT/{PLAN}" {PLAN}; {_TICK} {PLAN}; echo bye > greeting.txt')
    stage.refused(stage.run())
    assert stage.git("ls-tree", "main", PLAN).startswith("100644")


def test_a_phase_that_is_rewritten_after_the_start_runs_as_it_was(stage: Stage) -> None:
    stage.implementer(f'sed -i s/hello/bye/ "$ROOT/{PLAN}" {PLAN}; echo bye > greeting.txt')
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


@pytest.mark.full
def test_a_phase_that_is_rewritten_on_the_target_runs_as_it_was(stage: Stage) -> None:
    stage.implementer(
        f'sed -i s/hello/bye/ "$ROOT/{PLAN}"; git -C "$ROOT" commit -qam "Say what we built"; echo bye > greeting.txt'
    )
    answer = stage.run()
    assert answer.code == 1, answer.told
    assert "grep -qx hello greeting.txt" in answer.told
    assert stage.show("greeting.txt") is None
    stage.unproven()
