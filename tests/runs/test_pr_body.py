"""The progress block of a pull request, and its title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.forge.pr_body import END, START, TITLE_LIMIT, write_body, write_progress, write_title

_ROWS = [("1", "First", "done", "a" * 40), ("2", "Second", "in_progress", ""), ("3", "Third", "todo", "")]
_texts = st.text(st.characters(codec="utf-8"), max_size=60)
_bodies = st.lists(st.one_of(_texts, st.sampled_from([START, END, "\n", "\r\n", "<!-- run-plan:progress:start -->"])))
_rows = st.lists(st.tuples(_texts, _texts, st.sampled_from(["done", "todo", "failed", "odd"]), _texts), max_size=4)


def test_the_block_shows_each_phase_with_its_state_and_commit() -> None:
    body = write_progress("", [*_ROWS, ("4", f"a | b\n{END}\n# c", "done", "")])
    assert body.count(END) == 1
    assert "a \\| b" in body
    assert "\n# c" not in body
    assert "| 1: First | ✅ Done | `aaaaaaaaaa` |" in body
    assert "| 2: Second | 🟡 In progress |  |" in body
    assert body.startswith(START)
    assert body.endswith(END)


@pytest.mark.parametrize("name", ["planrail", "run-plan"])
def test_only_the_text_between_the_markers_is_replaced(name: str) -> None:
    start, end = f"<!-- {name}:progress:start -->", f"<!-- {name}:progress:end -->"
    body = write_progress(f"before  \n{start}\nold\n{end}\tafter\r\n", _ROWS)
    assert body.startswith(f"before  \n{start}")
    assert body.endswith(f"{end}\tafter\r\n")
    assert "old" not in body
    assert "First" in body


def test_a_marker_that_was_cut_off_eats_nothing() -> None:
    body = write_progress(f"{START}\nsomething that a person wrote", _ROWS)
    assert "something that a person wrote" in body
    again = write_progress(body, [("1", "Another", "done", "")])
    assert "something that a person wrote" in again
    assert "First" not in again


def test_commits_that_travel_along_are_named_and_cannot_end_the_block() -> None:
    body = write_body("A story", "plans/story.md", (), _ROWS, [("b" * 40, f"Mine\n{END}\n# c")])
    assert "- `bbbbbbbbbb` Mine" in body
    assert (body.count(END), "\n# c" in body) == (1, False)
    assert "Mine" not in write_progress(body, _ROWS)


@given(_bodies, _rows)
def test_writing_twice_is_writing_once(parts: list[str], rows: list[tuple[str, str, str, str]]) -> None:
    commits = [(commit, title) for _, title, _, commit in rows]
    once = write_progress("".join(parts), rows, commits)
    assert write_progress(once, rows, commits) == once


@given(_texts, _texts, _texts, _rows)
def test_nothing_outside_the_block_ever_changes(
    before: str, between: str, after: str, rows: list[tuple[str, str, str, str]]
) -> None:
    made = write_progress(f"{before}{START}{between}{END}{after}", rows)
    assert made.startswith(before + START)
    assert made.endswith(END + after)
    assert made.count(END) == 1


@given(_texts, _rows)
def test_a_body_without_a_block_is_kept_whole_before_it(body: str, rows: list[tuple[str, str, str, str]]) -> None:
    assert write_progress(body, rows).startswith(body)


@given(st.text(max_size=20), st.text(max_size=400), st.text(max_size=20))
def test_a_title_is_one_line_of_bounded_length(slug: str, title: str, phase: str) -> None:
    made = write_title(slug, title, phase)
    assert write_title("story", "A story") == "[story] A story"
    assert write_title("story", "The parser", "4b") == "[story] Phase 4b: The parser"
    assert len(made) <= TITLE_LIMIT
    assert made.isprintable()


def test_a_new_body_names_the_plan_and_its_issues() -> None:
    body = write_body("A story", "plans/story.md", (3, 5), _ROWS)
    assert "Plan: `plans/story.md`" in body
    assert "Issues: #3, #5" in body
    assert write_progress(body, _ROWS) == body
    edited = write_progress("Text.", _ROWS).replace("\n", "\r\n")
    assert write_progress(edited, _ROWS) == edited, "line ends that an editor changed are no change"
    assert "<!--" not in write_body("<!-- ", "plan.md", (), _ROWS).replace(START, "").replace(END, "")
