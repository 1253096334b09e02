"""How far a run is: its steps, and the answer to "are you stuck?"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import PhaseOrder
from planrail.runs.steps.site import At
from planrail.store.journal_lines import (
    JournalLine,
    Life,
    answer_stuck,
    current_key,
    judge_life_signs,
    list_steps,
    render_time,
    split_key,
)
from tests.runs.run_records import step


@given(st.text(min_size=1), st.integers(1, 99), st.sampled_from(["start", "implement.1", "end"]))
def test_a_key_is_taken_apart_whatever_a_phase_is_called(phase: str, attempt: int, name: str) -> None:
    assert split_key(At(PhaseOrder(phase, "", "", (), (), (), ()), attempt).key(name)) == (phase, attempt, name)


def test_the_current_step_is_the_last_that_began_and_has_not_ended() -> None:
    lines = [*step("phase/1/1/start", 1, 2), *step("phase/1/1/implement.1", 3)]
    assert current_key(lines) == "phase/1/1/implement.1"
    assert current_key([*lines, *step("phase/1/1/implement.1", 4, 5)]) == ""
    assert current_key([]) == ""
    assert split_key("turn/2/choose") == ("", 0, "choose")
    assert JournalLine(1, "k", "ended", {"~": "Nonsense"}).result() is None


def test_a_step_that_was_begun_anew_counts_from_its_last_beginning() -> None:
    (found,) = list_steps([*step("phase/1/2/fix", 1), *step("phase/1/2/fix", 5, 9)])
    assert (found.phase, found.attempt, found.name) == ("1", 2, "fix")
    assert (found.began, found.ended, found.tries) == (5, 9, 2)


def test_a_step_that_had_ended_and_was_begun_anew_is_two_steps() -> None:
    lines = [*step("phase/1/1/land.1", 1, 3), *step("phase/1/1/land.1", 100)]
    assert [(one.began, one.ended, one.tries) for one in list_steps(lines)] == [(1, 3, 1), (100, None, 2)]
    assert current_key(lines) == "phase/1/1/land.1"


@given(st.lists(st.builds(JournalLine, st.floats(0, 1e6), st.sampled_from("abc"), st.sampled_from(["begun", "ended"]))))
def test_no_step_ends_before_it_began(lines: list[JournalLine]) -> None:
    assert all(one.ended is None or one.ended >= one.began for one in list_steps(lines))


@pytest.mark.parametrize(
    ("life", "step_name", "answer"),
    [
        (Life(5, 60, 1, 1), "implement.1", "working"),
        (Life(700, 800, 1, 1), "implement.1", "may be stuck"),  # no sign of life for ten minutes
        (Life(5, 1801, 1, 1), "implement.1", "may be stuck"),  # half an hour in one step
        (Life(5, 60, 3, 1), "implement.1", "may be stuck"),  # begun three times
        (Life(5, 60, 1, 3), "implement.1", "may be stuck"),
        (Life(9000, 9000, 1, 1), "sign_off", "waiting"),
    ],
)
def test_nobody_is_told_that_all_is_well_beyond_the_limits(life: Life, step_name: str, answer: str) -> None:
    assert judge_life_signs(life, step=step_name) == answer
    told = answer_stuck(life, step=step_name)
    assert told.startswith(answer)
    assert render_time(life.quiet) in told
    assert render_time(life.in_step) in told


def test_times_are_told_as_people_say_them() -> None:
    assert [render_time(seconds) for seconds in (0, 59.9, 60, 3723, -5)] == ["0s", "59s", "1:00", "1:02:03", "0s"]
