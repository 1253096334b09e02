"""The order of open tasks: waves, topics, trees."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.views.order import TaskLine, reduce_needs, render_order

DAY = "2026-07-01"


def line(number: int, *needs: int, topic: str = "", status: str = "not_started") -> TaskLine:
    return TaskLine(number, status, topic, needs, f"task {number}")


def rows(text: str) -> list[str]:
    return [row for row in text.splitlines() if row.startswith("| ") and not row.startswith("| Wave")]


def trees(text: str) -> list[str]:
    return text.partition("parent):\n\n")[2].splitlines()


def test_a_wave_has_what_depends_on_earlier_waves_alone() -> None:
    text = render_order([line(1), line(2, 1), line(3, 1), line(4, 2, 3), line(5)], [], DAY)
    assert rows(text) == ["| 1 | 1,5 | -- | -- |", "| 2 | 2,3 | 1 | -- |", "| 3 | 4 | 2,3 | -- |"]


def test_what_follows_from_another_need_is_not_named_again() -> None:
    text = render_order([line(1), line(2, 1), line(3, 1, 2)], [], DAY)
    assert rows(text)[2] == "| 3 | 3 | 2 | -- |"
    assert trees(text)[2:] == [
        "1 [NOT STARTED] — task 1",
        "  └─ 2 [NOT STARTED] — task 2",
        "    └─ 3 [NOT STARTED] — task 3",
    ]


def test_topics_come_in_the_order_of_the_book_then_by_number_and_three_of_them_are_named() -> None:
    given = [line(1, topic="zeta"), line(2, topic="alpha"), line(3, topic="with-dash"), line(4, topic="a|b"), line(5)]
    text = render_order(given, ["alpha", "unused"], DAY)
    assert rows(text) == ["| 1 | 1,2,3,4,5 | -- | alpha, zeta, with-dash, ... |"]
    assert [row for row in text.splitlines() if row.startswith("### ")] == [
        *("### Alpha", "### Zeta", "### With Dash", "### A|b", "### Uncategorized"),
    ]
    assert rows(render_order([line(4, topic="a|b")], [], DAY)) == ["| 1 | 4 | -- | a\\|b |"]


def test_a_task_that_is_needed_twice_is_told_once_and_pointed_to() -> None:
    text = render_order([line(1), line(2), line(3, 1, 2)], [], DAY)
    assert trees(text)[2:] == [
        "1 [NOT STARTED] — task 1",
        "  └─ 3 [NOT STARTED] — task 3",
        "2 [NOT STARTED] — task 2",
        "  └─ 3 [NOT STARTED] — task 3 (see above)",
    ]


def test_tasks_of_another_topic_stand_under_their_own() -> None:
    text = render_order([line(1, topic="a"), line(2, 1, topic="b")], [], DAY)
    assert trees(text) == ["### A", "", "1 [NOT STARTED] — task 1", "", "### B", "", "2 [NOT STARTED] — task 2"]


def test_tasks_that_wait_for_each_other_come_last_and_are_all_told() -> None:
    text = render_order([line(1), line(2, 3), line(3, 2), line(4, 3)], [], DAY)
    assert rows(text) == ["| 1 | 1 | -- | -- |", "| 99 | 2,3,4 | 2,3 | -- |"]
    assert {row.lstrip(" └─")[0] for row in trees(text)[2:]} == {"1", "2", "3", "4"}


def test_a_chain_of_thousands_does_not_fill_the_file_with_blanks() -> None:
    lines = [line(1), *(line(number, number - 1) for number in range(2, 5001))]
    assert len(render_order(lines, [], DAY)) < 2_000_000


def test_without_open_tasks_the_section_says_when_and_nothing_else() -> None:
    assert render_order([], ["a"], DAY) == (
        f"## Task Order\n\n*Updated {DAY}. Generated from state.json dependency graph.*\n"
    )


@given(st.lists(st.sets(st.integers(1, 12), max_size=4), min_size=1, max_size=12))
def test_reduced_needs_lead_to_the_same_tasks_and_none_can_be_spared(drawn: list[set[int]]) -> None:
    needs = {n: tuple(sorted(m for m in wanted if m < n)) for n, wanted in enumerate(drawn, 1)}
    reduced = reduce_needs(needs, sorted(needs))
    for number in needs:
        assert _reach(reduced, number) == _reach(needs, number)
        for spared in reduced[number]:
            fewer = {**reduced, number: tuple(other for other in reduced[number] if other != spared)}
            assert spared not in _reach(fewer, number)


def _reach(needs: object, number: int) -> set[int]:
    assert isinstance(needs, dict)
    found: set[int] = set()
    waiting = list(needs[number])
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += needs[other]
    return found
