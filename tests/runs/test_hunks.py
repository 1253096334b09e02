"""A merged file is proven by its lines: nothing lost, nothing slipped in, and an honest merge always passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.landing.hunks import diff_lines, edit_distance, find_problem, missing_hunks, split_lines, weave

_LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"}\n", b"\n"]), max_size=12)
_RICH = st.lists(st.integers(0, 30).map(lambda number: b"%d\n" % number), max_size=25)


def apply(old: list[bytes], new: list[bytes]) -> list[bytes]:
    """The old lines with the changes that were found."""
    found = weave(old, diff_lines(old, new), [])
    assert found is not None
    return found


@given(_LINES | _RICH, _LINES | _RICH)
def test_the_changes_that_are_found_lead_from_one_text_to_the_other(old: list[bytes], new: list[bytes]) -> None:
    assert apply(old, new) == new


def _least(old: list[bytes], new: list[bytes]) -> int:
    row = list(range(len(new) + 1))
    for number, line in enumerate(old, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(new, 1):
            before, row[place] = row[place], before if line == other else 1 + min(row[place], row[place - 1])
    return row[-1]


@given(_LINES, _LINES)
def test_the_distance_is_the_least_there_is(old: list[bytes], new: list[bytes]) -> None:
    assert edit_distance(old, new) == _least(old, new)


@pytest.mark.full
def test_texts_with_nothing_in_common_are_one_change() -> None:
    old, new = [b"x%d\n" % number for number in range(3000)], [b"y%d\n" % number for number in range(3000)]
    [hunk] = diff_lines(old, new)
    assert (list(hunk.removed), list(hunk.added)) == (old, new)
    assert missing_hunks([hunk, hunk], [hunk]) == [hunk]


@given(_LINES, _LINES)
def test_where_one_side_changed_nothing_only_the_other_s_text_is_right(base: list[bytes], new: list[bytes]) -> None:
    old, made = b"".join(base), b"".join(new)
    assert find_problem(old, made, old, made) == ""
    assert find_problem(old, old, made, made) == ""
    assert (find_problem(old, made, old, old) == "") == (old == made)
    assert (find_problem(old, old, made, old) == "") == (old == made)


@given(_LINES, _LINES, _LINES)
def test_one_side_alone_is_never_taken_for_both(base: list[bytes], one: list[bytes], other: list[bytes]) -> None:
    old, ours, theirs = b"".join(base), b"".join(one), b"".join(other)
    if old in (ours, theirs) or ours == theirs:
        return
    contains = _least(base, one) + _least(one, other) == _least(base, other)  # the other has the one's change as well
    if not contains:
        assert find_problem(old, ours, theirs, theirs)


def test_a_line_that_was_taken_out_and_is_back_is_no_explanation() -> None:
    """Taking a line out and in again on the target would explain why the phase's removal is not there."""
    assert find_problem(b"x\nx\nx\n", b"x\nx\n", b"x\nx\nx\nw\n", b"x\nx\nx\nw\n")


def test_what_is_lost_is_named() -> None:
    base = b"".join(b"%d\n" % number for number in range(20))
    phase, target = base.replace(b"3\n4\n", b"3\nverified\n4\n"), base.replace(b"15\n", b"theirs\n")
    assert "`+verified` at line 5" in find_problem(base, phase, target, target)
    assert "a change of the target is lost" in find_problem(base, phase, target, phase)
    both = phase.replace(b"15\n", b"theirs\n")
    assert find_problem(base, phase, target, both) == ""
    assert "nobody verified" in find_problem(base, phase, target, both + b"planted\n")


def test_line_ends_and_a_missing_one_at_the_end_count() -> None:
    base, phase = b"a\r\nb\r\nc\r\n", b"a\nb\nc\n"
    assert split_lines(base) == [b"a\r\n", b"b\r\n", b"c\r\n"]
    assert find_problem(base, phase, base, base)
    assert find_problem(b"a\nb", b"a\nb\n", b"a\nb", b"a\nb")


def test_the_same_change_on_both_sides_is_there_once() -> None:
    assert find_problem(b"a\nb\n", b"a\nx\nb\n", b"a\nx\nb\n", b"a\nx\nb\n") == ""
    assert find_problem(b"a\nb\n", b"a\nx\nb\n", b"a\nx\nb\n", b"a\nx\nx\nb\n")


def test_lines_that_both_sides_added_in_one_place_may_stand_in_either_order() -> None:
    base, phase, target = b"a\nb\n", b"a\nours\nb\n", b"a\ntheirs\nb\n"
    assert find_problem(base, phase, target, b"a\nours\ntheirs\nb\n") == ""
    assert find_problem(base, phase, target, b"a\ntheirs\nours\nb\n") == ""
    for wrong in (b"a\nours\nb\n", b"a\ntheirs\nb\n", b"a\nours\ntheirs\nours\nb\n", b"a\nours\nb\ntheirs\n"):
        assert find_problem(base, phase, target, wrong)
