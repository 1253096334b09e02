"""Marks: what a text states about work, and what it does not."""

import pytest

from planrail.plans.states import State
from planrail.plans.words.marks import is_checkpoint, read_box, read_phrase, read_statement, read_status
from planrail.plans.words.titles import read_title
from planrail.plans.words.words import GLYPHS, STATUS


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("✅ Done", "done"),
        ("✔️", "done"),
        ("[x]", "done"),
        ("**Done**", "done"),
        ("~~done~~", "done"),
        ("[COMPLETED]", "done"),
        ("✅ Complete, dashboard pending", "done"),
        ("Done (abc1234)", "done"),
        ("Done — 2026-01-02", "done"),
        ("merged #12", "done"),
        ("100%", "done"),
        ("8/8", "done"),
        ("🔄 Running", "in_progress"),
        ("in-progress", "in_progress"),
        ("3/8", "in_progress"),
        ("37 %", "in_progress"),
        ("50% done", "in_progress"),
        ("❌ Not done", "todo"),
        ("🟢 Not started", "todo"),
        ("not done yet", "todo"),
        ("to be done", "todo"),
        ("0/4", "todo"),
        ("mostly done", "partial"),
        ("done but untested", "partial"),
        ("done except the docs", "partial"),
        ("Blocked by #3", "blocked"),
        ("⏭ Skipped", "skipped"),
        ("→ moved to phase 4", "skipped"),
        ("Won't do", "skipped"),
        ("Won’t do", "skipped"),
        ("done, except the docs", "partial"),
        ("Complete — but untested", "partial"),
        ("✅ (except the docs)", "partial"),
    ],
)
def test_a_status_text_states_one_state(text: str, state: str) -> None:
    mark = read_status(text)
    assert mark is not None
    assert mark.state == state


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sparkling",
        "undone",
        "done?",
        "done when the tests pass",
        "Complete if nobody objects",
        "will be done",
        "2026-01-02",
        "?",
        "abandonedness",
        "<!-- ✅ when merged -->",
        "✅❌",
        "✅/❌",
        "done soon",
    ],
)
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


@pytest.mark.parametrize(
    ("phrase", "state"),
    [
        ("done", State.DONE),
        ("Not Done", State.TODO),
        ("not complete", State.TODO),
        ("mostly  complete", State.PARTIAL),
        ("in_progress", State.IN_PROGRESS),
        ("ready-for-dev", State.TODO),
        ("не готово", State.TODO),
        ("almost", None),
        ("not", None),
        ("done done", None),
        ("", None),
    ],
)
def test_a_phrase_is_read_as_a_whole(phrase: str, state: State | None) -> None:
    assert read_phrase(phrase) is state


@pytest.mark.parametrize(
    ("box", "state"),
    [
        (" ", State.TODO),
        ("", State.TODO),
        ("x", State.DONE),
        ("✔\ufe0f", State.DONE),
        ("~", State.IN_PROGRESS),
        (">", State.IN_PROGRESS),
        ("/", State.PARTIAL),
        ("-", State.SKIPPED),
        ("!", State.BLOCKED),
        ("done", State.DONE),
        ("in progress", State.IN_PROGRESS),
        ("?", None),
        ("y", None),
        ("xx", None),
        ("sparkling", None),
    ],
)
def test_a_box_states_what_its_character_means_and_an_unknown_one_nothing(box: str, state: State | None) -> None:
    assert read_box(box) is state


@pytest.mark.parametrize(
    ("title", "state", "marked"),
    [
        ("Phase 1: Rooms [COMPLETED]", State.DONE, "[COMPLETED]"),
        ("Phase 1: Rooms ✅", State.DONE, "✅"),
        ("✅ Phase 1: Rooms", State.DONE, "✅"),
        ("[x] Phase 1: Rooms", State.DONE, "[x]"),
        ("Phase 1: Rooms — DONE", State.DONE, "DONE"),
        ("Phase 1: Rooms (done)", State.DONE, "done"),
        ("Phase 1: Rooms (completed 2026-01-02)", State.DONE, "completed"),
        ("Phase 1: Rooms (not done)", State.TODO, "not done"),
        ("Phase 1: Rooms [WIP]", State.IN_PROGRESS, "[WIP]"),
        ("Phase 1: Rooms 📋 Planned", State.TODO, "📋 Planned"),
        ("Phase 1: Fix [foo] parsing [NOT STARTED]", State.TODO, "[NOT STARTED]"),
        ("Phase 1: A [NOT STARTED] [MANUAL]", State.TODO, "[NOT STARTED]"),
        ("阶段 1：准备（已完成）", State.DONE, "已完成"),
        ("Phase 1 — DONE", State.DONE, "DONE"),
        ("Phase 1: Rooms ⚠️ DEFERRED", State.SKIPPED, "⚠️ DEFERRED"),
        ("Phase 1: Rooms 🎉 DONE", State.DONE, "🎉 DONE"),
        ("Phase 1: Rooms ✅ COMPLETE 2026-01-02", State.DONE, "✅ COMPLETE"),
        ("Phase 1: Rooms — COMPLETE (2026-01-02)", State.DONE, "COMPLETE"),
        ("Phase 1: Rooms - DONE (commit abc1234)", State.DONE, "DONE"),
        ("Phase 1: Rooms (✅ done)", State.DONE, "✅ done"),
        ("Phase 1: Rooms (2 days, done)", State.DONE, "done"),
        ("Phase 1: Rooms (60% complete)", State.IN_PROGRESS, "60% complete"),
        ("Phase 1: Rooms (current)", State.IN_PROGRESS, "current"),
        ("Phase 1: Rooms ← CURRENT", State.IN_PROGRESS, "CURRENT"),
        ("Phase 1 (DONE): Rooms", State.DONE, "DONE"),
        ("Phase 1 ✅ Rooms", State.DONE, "✅"),
        ("DONE: Phase 1 Rooms", State.DONE, "DONE"),
        ("~~Phase 1: Rooms~~ ✅", State.DONE, "✅"),
        ("~~Phase 1: Rooms~~ — merged into Phase 2", State.SKIPPED, "merged into"),
        ("~~Phase 1: Rooms~~", State.SKIPPED, ""),
        ("Fase 1: Salas — COMPLETADO ✅", State.DONE, "✅"),
    ],
)
def test_a_title_carries_its_mark_as_a_tag_a_sign_or_a_closing_word(title: str, state: State, marked: str) -> None:
    mark, _ = read_title(title)
    assert mark is not None
    assert (mark.state, title[mark.start : mark.end]) == (state, marked)


@pytest.mark.parametrize(
    "title",
    [
        "Phase 2: Review",
        "Phase 1: Mark as done",
        "Phase 1: Completed orders",
        "Phase 1: Rooms — done when green",
        "Phase 1: Rooms (DONE?)",
        "Phase 1: Rooms [MECHANICAL]",
        "Phase 1: 🔧 Tools",
        "Phase 1: Remove [deprecated] API",
        "Phase 1: Rooms #done",
        "Phase 1: Rooms \\[DONE\\]",
        "Phase 1: Guests (blocked users)",
        "Phase 1: Orders (open, closed, cancelled)",
        "Phase 1: Buttons (Done / Pending / Open)",
        "Phase 1: Moved to Postgres",
        "Phase 1: Fix — completed orders",
        "Phase 1: ⚠️ Risky migration",
        "Phase 1: ~~Old~~ new rooms",
        "Phase 1: Support ✅ and ❌ marks",
        "Phase 1: Read [done] tags from files",
        "Phase 1: Users (blocked) and groups",
        "",
        "—",
    ],
)
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
