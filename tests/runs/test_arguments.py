"""The words of a run: whole words, in any order and letter case; what contradicts itself is refused with a remedy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.request.requests import RunWords, parse_run


def _parse(text: str) -> RunWords:
    return parse_run(text.split())


def test_a_plan_and_a_phase() -> None:
    words = _parse("plans/F.md 4b")
    assert (words.plan, words.phase, words.problem) == ("plans/F.md", "4b", "")
    assert _parse("plans/F.md phase 4b").phase == "4b"
    assert _parse("plans/F.md Phase").phase == "Phase"
    assert _parse("my plan.md 3 auto").plan == "my plan.md"
    assert _parse("auto plans/F.md").plan == "plans/F.md"
    words = _parse("PLAN 3 pr")
    assert (words.plan, words.phase, words.landing) == ("PLAN", "3", "pr")
    assert "'finnish'" in _parse("plans/F.md 4b finnish").problem


@pytest.mark.parametrize("name", ["finish.md", "auto.md", "every day.md", "my plan.md", "stop.yaml", "plans/now.md"])
def test_a_plan_may_have_any_name(name: str) -> None:
    words = parse_run([name, "FINISH", "auto"])
    assert (words.plan, words.finish, words.subcommand, words.every) == (name, "finish-auto", "", "")


def test_stop_comes_before_next_and_that_before_status() -> None:
    assert _parse("plans/F.md status next stop").subcommand == "stop"
    assert _parse("status NEXT").subcommand == "next"
    assert (_parse("plans/F.md status").subcommand, _parse("plans/F.md status").plan) == ("status", "plans/F.md")
    assert _parse("status").problem


def test_now_alone_fires_what_is_scheduled() -> None:
    assert _parse("now").subcommand == "now"
    assert (_parse("plans/F.md now").subcommand, _parse("plans/F.md now").now) == ("", True)


def test_a_schedule_ends_at_the_next_word_of_the_language() -> None:
    words = _parse("plans/F.md every weekday at 9am now pr")
    assert (words.every, words.now, words.landing, words.auto) == ("weekday at 9am", True, "pr", True)
    assert _parse("plans/F.md every now").problem
    assert _parse("plans/F.md every 4h finish").problem


def test_what_the_words_leave_open_is_left_to_the_settings() -> None:
    assert parse_run(["F.md"]).landing == ""
    assert parse_run(["F.md", "direct"]).landing == "direct"


_WORDS = "stop next status now finish auto pr direct every 4h F.md 4b Finish"


@given(st.lists(st.sampled_from([*_WORDS.split(), "a b"]) | st.text()))
def test_every_call_is_understood_or_refused_with_a_remedy(words: list[str]) -> None:
    asked = parse_run(words)
    assert bool(asked.problem) == bool(asked.remedy)
    assert asked.auto or not asked.every
    assert not (asked.every and asked.finish and not asked.problem and not asked.subcommand)
