"""One purse for all tasks of a call, and the call that is typed again for those that are left."""

import shlex

from planrail.base.budgets import read_budget
from planrail.tasks.numbers import Typed
from planrail.tasks.work.task_runs import Sharing


def money(share: str | None) -> float:
    assert share
    return read_budget(share).plan.money


def ended(used: float) -> dict[str, object]:
    return {"status": "planned", "spent": {"money": used, "tokens": 10}}


def test_who_begins_together_shares_what_is_left_and_what_was_not_used_comes_back() -> None:
    sharing = Sharing("6")
    assert [money(sharing.hand_out(number, 3 - number)) for number in range(3)] == [2, 2, 2]
    assert sharing.hand_out(3, 1) is None
    sharing = Sharing("6")
    assert money(sharing.hand_out(1, 2)) == 3
    sharing.take_back(1, ended(1))
    assert money(sharing.hand_out(2, 1)) == 5
    sharing.take_back(2, ended(5.5))
    assert sharing.hand_out(3, 1) is None
    assert "used up" in sharing.lack


def test_who_says_nothing_of_what_it_used_has_used_its_share_unless_it_was_refused() -> None:
    sharing = Sharing("6")
    sharing.hand_out(1, 2)
    sharing.take_back(1, {"status": "refused", "error": "no"})
    assert money(sharing.hand_out(1, 2)) == 3
    sharing.take_back(1, {})
    assert money(sharing.hand_out(2, 1)) == 3


def test_tokens_are_shared_as_well_and_other_ceilings_are_those_of_each() -> None:
    budget = read_budget(Sharing("tokens=9,minutes=5,phase.money=1").hand_out(1, 2) or "")
    assert (budget.plan.tokens, budget.plan.minutes, budget.phase.money) == (4, 5, 1)
    assert Sharing(None).hand_out(1, 2) == ""
    assert Sharing("minutes=5").hand_out(1, 2) == "minutes=5"


def test_a_call_is_typed_again_with_its_options_quoted_for_the_tasks_that_are_meant() -> None:
    typed = Typed("orchestrate", (5, 6), ("--agent", "my agent", "--here"), ("--jobs", "1"), "look at $(it)")
    assert shlex.split(typed.again()) == [
        *("planrail", "task", "orchestrate", "5,6", "--agent", "my agent", "--here"),
        *("--jobs", "1", "--", "look at $(it)"),
    ]
    assert typed.words == ("--agent", "my agent", "--here", "--", "look at $(it)")  # for one of its tasks
    again = Typed("implement", (7,), ("--agent", "runbook", "--here")).again(agent="claude", budget="5")
    assert again == "planrail task implement 7 --here --agent claude --budget 5"
    assert Typed("implement", (7,)).again([8]) == "planrail task implement 8"
