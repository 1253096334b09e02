"""Marks: what a text states about work, and what it does not."""

import pytest

from planrail.plans.states import State
from planrail.plans.words.marks import is_checkpoint, read_box, read_phrase, read_statement, read_status
from planrail.plans.words.titles import read_title
from planrail.plans.words.words import GLYPHS, STATUS
from tests.support.tables import read_table


@pytest.mark.parametrize(("text", "state"), read_table("plans/tables/marks", "a status"))
def test_a_status_text_states_one_state(text: str, state: str) -> None:
    mark = read_status(text)
    assert mark is not None
    assert mark.state == state


@pytest.mark.parametrize("text", read_table("plans/tables/marks", "no status"))
def test_what_is_no_status_states_nothing(text: str) -> None:
    assert read_status(text) is None


@pytest.mark.parametrize(
    "text", ["✅ Done", "  **Done** since Friday", "| [COMPLETED]", "🟡", "in progress (Anna)", "⏳ Pending"]
)
def test_a_mark_spans_what_states_it(text: str) -> None:
    mark = read_status(text)
    assert mark is not None
    again = read_status(text[mark.start : mark.end])
    assert again is not None
    assert again.state is mark.state


def test_every_word_is_read_in_any_letter_case_and_every_sign_with_and_without_its_selector() -> None:
    for word, state in STATUS.items():
        assert read_phrase(word) is state
        assert read_phrase(word.upper()) is state or word.upper().lower() != word
        assert read_phrase(word.capitalize()) is state or word.capitalize().lower() != word
    for glyph, state in GLYPHS.items():
        for text in (glyph, glyph + "\ufe0f", f" {glyph} "):
            mark = read_status(text)
            assert mark is not None
            assert mark.state is state


@pytest.mark.parametrize(("phrase", "state"), read_table("plans/tables/marks", "phrases"))
def test_a_phrase_is_read_as_a_whole(phrase: str, state: str | None) -> None:
    assert read_phrase(phrase) == state


@pytest.mark.parametrize(("box", "state"), read_table("plans/tables/marks", "boxes"))
def test_a_box_states_what_its_character_means_and_an_unknown_one_nothing(box: str, state: str | None) -> None:
    assert read_box(box) == state


@pytest.mark.parametrize(("title", "state", "marked"), read_table("plans/tables/marks", "titles with a mark"))
def test_a_title_carries_its_mark_as_a_tag_a_sign_or_a_closing_word(title: str, state: str, marked: str) -> None:
    mark, _ = read_title(title)
    assert mark is not None
    assert (mark.state, title[mark.start : mark.end]) == (state, marked)


@pytest.mark.parametrize("title", read_table("plans/tables/marks", "titles without a mark"))
def test_ordinary_words_of_a_title_are_no_marks(title: str) -> None:
    assert read_title(title)[0] is None


def test_the_tags_of_a_title_that_are_no_marks_are_its_labels() -> None:
    mark, labels = read_title("Phase 1: Move [MECHANICAL] [COMPLETED] [P]")
    assert mark is not None
    assert labels == ["P"]
    assert read_title("Phase 1: Move [MECHANICAL] [P]") == (None, ["P", "MECHANICAL"])


@pytest.mark.parametrize(
    ("text", "states_done"),
    [
        ("✅ ЗАВЕРШЕНО", True),
        ("Outcome: ✅ Done in March", True),
        ("✅", False),
        ("Done", False),
        ("✅ works on phones", False),
        ("❌ Done", False),
    ],
)
def test_running_text_states_an_outcome_only_where_sign_and_word_agree(text: str, states_done: bool) -> None:
    mark = read_statement(text)
    assert (mark is not None and mark.state is State.DONE) is states_done


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("checkpoint: 6955e26", True),
        ("checkpoint 6955e26", True),
        ("checkpoint:", False),
        ("checkpoint: soon", False),
        ("checkpoint: 6955e2", True),
        ("checkpoint: 123", False),
    ],
)
def test_a_checkpoint_records_a_commit(label: str, expected: bool) -> None:
    assert is_checkpoint(label) is expected
