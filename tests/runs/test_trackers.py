"""Trackers: the mark of a finished phase, its commit where there is a place for it, and not one other byte."""

from planrail.plans.canonical import canonicalise
from planrail.plans.reading import read
from planrail.plans.source import Source
from planrail.runs.phases.trackers import mark_done, note_done, remaining

TABLE = (
    "| Phase | Status | Commit | Notes |\r\n|---|---|---|---|\r\n"
    "| 1: A | ✅ Done | `1111111` | |\r\n| 2: B | ⬚ |  | a \\| b |\r\n|3: C|⬚|—||\r\n"
)


def _mark(text: str, phase: str, commit: str = "abc1234") -> str:
    source = Source("plan.md", text)
    plan = read(source)
    found = plan.phase(phase)
    assert found is not None
    return mark_done(source, plan, found, commit)


def test_a_row_gets_its_mark_and_its_commit() -> None:
    assert _mark(TABLE, "2") == TABLE.replace("| ⬚ |  | a", "| ✅ Done | `abc1234` | a")
    assert _mark(TABLE, "3") == TABLE.replace("|⬚|—||", "|✅ Done| `abc1234` ||")


def test_marking_twice_is_marking_once() -> None:
    once = _mark(TABLE, "2")
    assert _mark(once, "2") == once


def test_what_an_approval_holds_stays_the_same() -> None:
    texts = TABLE, _mark(TABLE, "2"), _mark(_mark(TABLE, "2"), "3")
    assert len({canonicalise(read(Source("plan.md", text)), text).hash for text in texts}) == 1


def test_a_cell_with_other_words_in_it_is_left_alone() -> None:
    text = TABLE.replace("| ⬚ |  | a", "| ⬚ | see PR | a")
    assert _mark(text, "2") == text.replace("⬚ | see", "✅ Done | see")


def test_without_a_column_only_the_mark_is_written() -> None:
    text = "- [ ] Phase 1 — A\n- [ ] Phase 2 — B\n"
    assert _mark(text, "2") == "- [ ] Phase 1 — A\n- [x] Phase 2 — B\n"


def test_what_is_no_commit_is_not_written() -> None:
    assert _mark(TABLE, "2", "$(id)") == TABLE.replace("⬚ |  |", "✅ Done |  |")


def test_people_may_have_the_commit_behind_the_entry() -> None:
    text = "- [ ] Phase 1 — A\n- [ ] Phase 2 — B\n"
    source = Source("plan.md", text)
    plan = read(source)
    assert note_done(source, plan, plan.phases[0], "abc1234", "late") == text.replace(
        "[ ] Phase 1 — A", "[x] Phase 1 — A (abc1234, late)"
    )


def test_what_is_not_done_remains() -> None:
    assert remaining(read(Source("plan.md", TABLE))) == ["2", "3"]
