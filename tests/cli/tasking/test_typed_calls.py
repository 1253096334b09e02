"""A call is typed again as it was typed: with its options, quoted, for the tasks that are meant."""

import shlex

from planrail.tasks.numbers import Typed

TYPED = Typed("orchestrate", (5, 6), ("--agent", "my agent", "--here"), ("--jobs", "1"), "look at $(it)")


def test_the_same_call_has_all_its_tasks_options_and_words() -> None:
    words = shlex.split(TYPED.again())
    assert words[:4] == ["planrail", "task", "orchestrate", "5,6"]
    assert words[4:] == ["--agent", "my agent", "--here", "--jobs", "1", "--", "look at $(it)"]


def test_one_of_its_tasks_is_done_with_the_same_options_but_for_what_only_several_have() -> None:
    assert TYPED.words == ("--agent", "my agent", "--here", "--", "look at $(it)")


def test_an_option_can_have_another_value_also_where_it_was_not_typed() -> None:
    again = Typed("implement", (7,), ("--agent", "runbook", "--here")).again(agent="claude", budget="5")
    assert again == "planrail task implement 7 --here --agent claude --budget 5"
    assert Typed("implement", (7,)).again([8]) == "planrail task implement 8"
