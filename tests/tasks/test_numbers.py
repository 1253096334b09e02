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
        ("7, 9-12", (7, 9, 10, 11, 12)),
        ("7,,9", (7, 9)),
        (",7,", (7,)),
        ("7 - 9", (7, 8, 9)),
        ("7–9", (7, 8, 9)),
        ("#7, #9-#11", (7, 9, 10, 11)),
        ("Tasks 7, 9", (7, 9)),
        ("007", (7,)),
        ("9,7,9", (9, 7)),
    ],
)
def test_tasks_are_named_one_by_one_in_lists_and_in_ranges(text: str, numbers: tuple[int, ...]) -> None:
    assert read_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no task was named"),
        (",", "does not name tasks"),
        ("abc", "'abc' does not name tasks"),
        ("٧", "does not name tasks"),
        ("0", "no task 0"),
        ("-7", "-7 is no task"),
        ("7, -9", "-9 is no task"),
        ("7--9", "'7--9' is no task number"),
        ("7-9-11", "'7-9-11' is no task number"),
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


def test_a_range_that_runs_backwards_is_refused_with_what_to_type_and_the_longest_is_read() -> None:
    with pytest.raises(UsageError) as refused:
        read_numbers("45-42")
    assert (refused.value.message, refused.value.remedy) == ("the range 45-42 runs backwards", "write 42-45")
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
    text = "7, 9-10 --team-size 3 --opus look at the cache"
    assert read_call([text]) == read_call(text.split())  # as one text, or as words


@pytest.mark.parametrize("text", ["7 --teammate", "7 about--team", "7 --clean-up", "7 --hardly", "7 --literal"])
def test_a_flag_is_a_word_of_its_own(text: str) -> None:
    call = read_call([text])
    assert (call.team, call.clean, call.effort, call.lit) == (False, False, "", False)
    assert call.focus == text[2:]


def test_a_flag_inside_a_quoted_text_or_behind_two_dashes_is_text() -> None:
    call = read_call(["7", "say what --team and --force do", "--hard"])
    assert (call.team, call.force, call.effort) == (False, False, "hard")
    assert call.focus == "say what --team and --force do"
    call = read_call(["7", "--fast", "--", "--hard", "--nonsense"])
    assert (call.effort, call.focus, call.unknown) == ("fast", "--hard --nonsense", ())


@pytest.mark.parametrize(
    ("text", "effort", "model"),
    [
        ("7 --fast --hard", "hard", ""),
        ("7 --hard --fast", "hard", ""),
        ("7 --haiku --opus", "", "opus"),
        ("7 --opus --sonnet", "", "opus"),
        ("7 --model gpt-5 --effort=normal --haiku", "normal", "gpt-5"),
    ],
)
def test_the_greater_effort_and_model_win_whatever_the_order(text: str, effort: str, model: str) -> None:
    call = read_call([text])
    assert (call.effort, call.model, call.focus) == (effort, model, "")


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


@pytest.mark.parametrize(
    ("text", "numbers", "focus"),
    [
        ("3 2 phases are too many", (3,), "2 phases are too many"),
        ("3, 2 phases are too many", (3, 2), "phases are too many"),
        ("3 2", (3, 2), ""),
        ("3 2 --hard", (3, 2), ""),
        ("7 - 9 look", (7, 8, 9), "look"),
        ("7 fix 2 bugs", (7,), "fix 2 bugs"),
        ("7 2026-11-15 outage", (7,), "2026-11-15 outage"),
        ('7 don\'t touch "x" && $HOME', (7,), 'don\'t touch "x" && $HOME'),
        ("7 caf\udce9 é", (7,), "caf? é"),
    ],
)
def test_numbers_count_only_at_the_head_and_a_focus_is_kept_as_it_is(
    text: str, numbers: tuple[int, ...], focus: str
) -> None:
    call = read_call(text.split())
    assert (call.numbers, call.focus, call.unknown) == (numbers, focus, ())


def test_what_looks_like_an_option_and_is_none_is_told() -> None:
    call = read_call(["7 --haard look"])
    assert (call.unknown, call.focus) == (("--haard",), "--haard look")
