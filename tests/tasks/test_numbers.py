"""What people type behind a command: numbers first, flags as words, the rest as focus."""

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.tasks.numbers import MOST_TASKS, read_call, read_numbers

T = TypeVar("T")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("7", (7,)),
        ("7,9-12", (7, 9, 10, 11, 12)),
        ("7, 9-12", (7, 9, 10, 11, 12)),
        ("7 9", (7, 9)),
        ("7,,9", (7, 9)),
        (",7,", (7,)),
        ("7 - 9", (7, 8, 9)),
        ("7 -9", (7, 8, 9)),
        ("7- 9", (7, 8, 9)),
        ("7–9", (7, 8, 9)),
        ("#7", (7,)),
        ("#7, #9-#11", (7, 9, 10, 11)),
        ("task 7", (7,)),
        ("Tasks 7, 9", (7, 9)),
        ("007", (7,)),
        ("9,7,9", (9, 7)),
        ("5-5", (5,)),
    ],
)
def test_tasks_are_named_one_by_one_in_lists_and_in_ranges(text: str, numbers: tuple[int, ...]) -> None:
    assert read_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no task was named"),
        ("   ", "no task was named"),
        (",", "does not name tasks"),
        ("abc", "'abc' does not name tasks"),
        ("7 abc", "does not name tasks"),
        ("7.5", "does not name tasks"),
        ("1e3", "does not name tasks"),
        ("٧", "does not name tasks"),
        ("0", "no task 0"),
        ("0-3", "no task 0"),
        ("-7", "-7 is no task"),
        ("7, -9", "-9 is no task"),
        ("7-", "'7-' is no task number"),
        ("7--9", "'7--9' is no task number"),
        ("7-9-11", "'7-9-11' is no task number"),
        ("-", "does not name tasks"),
        ("9" * 10, "10 digits"),
        ("9" * 100_000, "100000 digits"),
        ("1-1000000", "more than 10,000 tasks"),
        ("1-6000,10001-16000", "more than 10,000 tasks"),
    ],
)
def test_what_names_no_task_is_refused_with_an_example(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_numbers(text)
    assert said in refused.value.message
    assert refused.value.remedy


def test_a_range_that_runs_backwards_is_refused_with_what_to_type() -> None:
    with pytest.raises(UsageError) as refused:
        read_numbers("45-42")
    assert refused.value.message == "the range 45-42 runs backwards"
    assert refused.value.remedy == "write 42-45"


def test_as_many_tasks_as_can_be_named_are_read() -> None:
    assert len(read_numbers(f"1-{MOST_TASKS}")) == MOST_TASKS


def _read(read: Callable[[], T]) -> T | UsageError:
    try:
        return read()
    except UsageError as refused:
        return refused


@given(st.text(alphabet="0123456789,-# –task", max_size=30))
def test_any_text_gives_tasks_or_an_error_that_says_what_to_type(text: str) -> None:
    numbers = _read(lambda: read_numbers(text))
    if isinstance(numbers, UsageError):
        assert numbers.remedy
        return
    assert numbers
    assert min(numbers) > 0
    assert len(set(numbers)) == len(numbers)


@given(st.lists(st.text(max_size=12) | st.sampled_from(["7", "--team", "--effort", "--", "-"]), max_size=6))
def test_any_words_are_a_call_or_a_wrong_call(words: list[str]) -> None:
    call = _read(lambda: read_call(words))
    assert call.remedy if isinstance(call, UsageError) else call.numbers


def test_every_task_is_worked_once_and_the_call_is_kept_as_it_was_said() -> None:
    call = read_call(["7,9,7"])
    assert call.numbers == (7, 9)
    assert call.said == (7, 9, 7)


def test_a_call_may_come_as_one_text_or_as_words() -> None:
    text = "7, 9-10 --team-size 3 --opus look at the cache"
    assert read_call([text]) == read_call(text.split())


def test_numbers_count_only_at_the_head() -> None:
    call = read_call(["7 fix 2 bugs"])
    assert (call.numbers, call.focus) == ((7,), "fix 2 bugs")


def test_a_date_behind_the_numbers_is_text() -> None:
    call = read_call(["7 2026-11-15 outage"])
    assert (call.numbers, call.focus) == ((7,), "2026-11-15 outage")


@pytest.mark.parametrize("text", ["7 --teammate", "7 about--team", "7 --clean-up", "7 --hardly", "7 --literal"])
def test_a_flag_is_a_word_of_its_own(text: str) -> None:
    call = read_call([text])
    assert (call.team, call.clean, call.effort, call.lit) == (False, False, "", False)
    assert call.focus == text[2:]


def test_a_flag_inside_a_quoted_text_is_text() -> None:
    call = read_call(["7", "say what --team and --force do", "--hard"])
    assert (call.team, call.force, call.effort) == (False, False, "hard")
    assert call.focus == "say what --team and --force do"


def test_behind_two_dashes_all_is_text() -> None:
    call = read_call(["7", "--fast", "--", "--hard", "--nonsense"])
    assert (call.effort, call.focus, call.unknown) == ("fast", "--hard --nonsense", ())


@pytest.mark.parametrize("text", ["7 --fast --hard", "7 --hard --fast"])
def test_the_greater_effort_wins_whatever_the_order(text: str) -> None:
    assert read_call([text]).effort == "hard"


@pytest.mark.parametrize("text", ["7 --opus --haiku", "7 --haiku --opus", "7 --sonnet --opus"])
def test_the_greater_model_wins_whatever_the_order(text: str) -> None:
    assert read_call([text]).model == "opus"


def test_a_model_and_an_effort_may_be_named() -> None:
    call = read_call(["7 --model gpt-5 --effort=normal --haiku"])
    assert (call.model, call.effort, call.focus) == ("gpt-5", "normal", "")


@pytest.mark.parametrize("text", ["7 --effort", "7 --effort much", "7 --effort=", "7 --model", "7 --model --hard"])
def test_an_option_without_its_value_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_call([text])
    assert refused.value.remedy.startswith("--")


@pytest.mark.parametrize(
    ("text", "size", "focus"),
    [
        ("7 --team", 2, ""),
        ("7 --team-size 3", 3, ""),
        ("7 --team-size=4 x", 4, "x"),
        ("7 --team-size", 2, ""),
        ("7 --team-size many", 2, "many"),
    ],
)
def test_a_team_has_two_unless_its_size_is_said(text: str, size: int, focus: str) -> None:
    call = read_call([text])
    assert (call.team, call.team_size, call.focus) == (True, size, focus)


def test_what_looks_like_an_option_and_is_none_is_told() -> None:
    call = read_call(["7 --haard look"])
    assert call.unknown == ("--haard",)
    assert call.focus == "--haard look"


def test_quotes_and_signs_in_the_focus_stay() -> None:
    assert read_call(['7 don\'t touch "x" && $HOME']).focus == 'don\'t touch "x" && $HOME'


def test_a_focus_can_be_kept_everywhere() -> None:
    assert read_call(["7", "caf\udce9 é"]).focus == "caf? é"


@pytest.mark.parametrize(
    ("text", "numbers", "focus"),
    [
        ("3 2 phases are too many", (3,), "2 phases are too many"),
        ("3, 2 phases are too many", (3, 2), "phases are too many"),
        ("3 2", (3, 2), ""),
        ("3 2 --hard", (3, 2), ""),
        ("7 - 9 look", (7, 8, 9), "look"),
    ],
)
def test_a_focus_may_begin_with_a_number(text: str, numbers: tuple[int, ...], focus: str) -> None:
    call = read_call(text.split())
    assert (call.numbers, call.focus) == (numbers, focus)
