"""What went wrong: entries that keep everything, groups by cause, states that follow their fixing task."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.tasks.error_log import (
    FIXED,
    FIXING,
    SEVERITIES,
    STATES,
    UNFIXED,
    ErrorEntry,
    Group,
    error_id,
    find_cause,
    fix_text,
    fix_title,
    from_entry,
    group_errors,
    headline,
    new_error,
    settle,
    tell_kind,
    tell_when,
    tell_where,
    to_entry,
)
from planrail.tasks.naming import make_slug, new_task
from planrail.tasks.statuses import STATUSES

_TYPES = (
    *("delegation_hang", "delegation_interrupted", "timeout", "validation_failed", "status_sync_failure"),
    *("file_not_found", "parse_error", "jq_parse_failure", "git_commit_failure", "build_error"),
    *("tool_unavailable", "mcp_abort_error", "other"),
)
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
_names = st.sampled_from(
    ["id", "timestamp", "type", "severity", "message", "context", "recovery", "fix_status", "fix_task", "trajectory"]
)
_entries = st.dictionaries(_names | st.text(max_size=6), _values, max_size=8)


def _error(message: str, at: str = "2026-11-15T12:00:00Z", **fields: Any) -> ErrorEntry:
    entry = new_error("timeout", message, task=7, id=error_id(1_700_000_000, abs(hash(message + at))), at=at)
    return replace(entry, **fields)


@given(_entries)
def test_any_entry_of_a_file_is_in_the_closed_sets_and_writing_it_again_changes_nothing(entry: dict[str, Any]) -> None:
    error = from_entry(entry)
    assert error.type in _TYPES
    assert error.severity in SEVERITIES
    assert error.state in STATES
    assert from_entry(to_entry(error)) == error


def test_what_planrail_has_no_use_for_is_kept() -> None:
    entry = {
        "id": "err_001",
        "type": "strange_type",
        "fix_status": "in_progress",
        "context": {"task": "259", "agent": "implementer"},
        "recovery": {"suggested_action": "try again", "steps": ["a"]},
        "trajectory": [1, 2],
        "recurrence_count": 3,
    }
    error = from_entry(entry)
    assert (error.task, error.state, error.action) == (259, FIXING, "try again")
    written = repr(to_entry(error))
    assert all(word in written for word in ("strange_type", "implementer", "steps", "trajectory", "recurrence_count"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("planning stopped after 30 minutes: 2 of 5 phases", "planning stopped after 45 minutes: 4 of 7 phases"),
        ("no file specs/007_a/plans/01_x.md", "no file specs/012_b/plans/03_y.md"),
        ("the schema wants 'title'", "the schema wants 'overview'"),
        ("commit 1a2b3c4d5e refused", "commit 99ff00aa11 refused"),
        ("The  agent\nstopped", "the agent stopped"),
    ],
)
def test_messages_that_differ_in_numbers_and_names_have_one_cause(one: str, other: str) -> None:
    assert find_cause(one) == find_cause(other)
    assert find_cause(one) != find_cause("the agent is missing")


@given(st.text() | st.sampled_from(["/" * 50_000, "'" * 50_000, "a/" * 50_000, "1" * 50_000, '"a' * 50_000]))
def test_a_cause_is_short_whatever_the_message(message: str) -> None:
    assert len(find_cause(message)) <= 160


def test_groups_come_newest_first_and_are_as_bad_as_their_worst_error() -> None:
    old, middle = _error("x 1", "2026-01-01", severity="critical"), _error("y", "2026-02-01")
    groups = group_errors([old, middle, _error("x 2", "2026-03-01")])
    assert [[entry.at for entry in group.entries] for group in groups] == [["2026-03-01", "2026-01-01"], ["2026-02-01"]]
    assert (groups[0].tasks, groups[0].severity) == ((7,), "critical")


@pytest.mark.parametrize("status", [*STATUSES, None])
def test_an_error_follows_the_task_that_fixes_it(status: str | None) -> None:
    error = _error("x", state=FIXING, fix_task=9)
    expected = {"completed": FIXED, "abandoned": UNFIXED, "expanded": UNFIXED, None: UNFIXED}.get(status, FIXING)
    settled = settle([error], {9: status} if status else {})
    assert [entry.state for entry in settled] == ([expected] if expected != FIXING else [])
    assert settle([_error("x", state=FIXED, fix_task=9)], {}) == []  # a person called it fixed


@given(st.text(max_size=400), st.integers(1, 30))
def test_the_task_that_fixes_a_group_says_what_happened_on_lines_of_its_own(message: str, count: int) -> None:
    group = group_errors([_error(message, f"2026-01-{n:02d}") for n in range(1, count + 1)])[0]
    text = fix_text(group)
    assert len(text.splitlines()) == 6
    assert text.splitlines()[0] == fix_title(group)
    assert len(fix_title(group)) <= 100
    assert new_task(1, text, now="").description.startswith(fix_title(group).rstrip())
    assert make_slug(fix_title(group))


@pytest.mark.parametrize(
    ("message", "where", "title"),
    [
        ("the agent changed nothing", [(2, "1")], "Fix: the agent changed nothing (task 2, phase 1)"),
        ("claude was not found on the PATH. Install it.", [(2, "")], "Fix: claude was not found on the PATH (task 2)"),
        ("it broke", [(2, "1"), (5, "3")], "Fix: it broke (tasks 2, 5)"),
        ("it broke", [(n, "1") for n in range(1, 9)], "Fix: it broke (8 tasks)"),
        ("it broke", [(0, "")], "Fix: it broke"),
        ("", [(0, "")], "Fix: something went wrong, and nobody said what"),
    ],
)
def test_the_title_of_a_fixing_task_reads_like_a_sentence(
    message: str, where: list[tuple[int, str]], title: str
) -> None:
    errors = [_error(message, f"2026-01-{n:02d}", task=task, phase=phase) for n, (task, phase) in enumerate(where, 1)]
    assert fix_title(group_errors(errors)[0]) == title


@given(st.lists(st.sampled_from(["word", "PATH", "longer-word", "x", "Ünï"]), min_size=1, max_size=60))
def test_a_headline_ends_with_a_whole_word(words: list[str]) -> None:
    found = headline(" ".join(words), 80)
    assert len(found) <= 80
    whole = found.removesuffix("…").split()
    assert whole == words[: len(whole)]
    assert found.endswith("…") == (len(whole) < len(words))


def test_kinds_times_and_places_are_told_in_words() -> None:
    errors = [_error(f"it broke {n}", f"2026-11-1{n}T12:00:00Z", command="task research") for n in (4, 5)]
    (group,) = group_errors(errors)
    assert tell_when(group.entries) == "2 times, last on 2026-11-15 at 12:00 UTC, while researching"
    assert tell_where(group) == "task 7"
    for type_ in _TYPES:
        told = tell_kind(Group(type_, "", tuple(errors)))
        assert "_" not in told
        assert type_ not in told.split()
