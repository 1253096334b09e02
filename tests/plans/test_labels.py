"""Labels: which id a heading, a row or an item names, whatever its shape."""

import pytest

from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label, read_name, slug
from tests.support.tables import read_table


@pytest.mark.parametrize(("text", "identity", "title"), read_table("plans/tables/labels", "ids"))
def test_a_title_names_its_unit_by_an_id_of_any_shape(text: str, identity: str, title: str) -> None:
    label = read_label(text)
    assert (label.id, label.title) == (identity, title)


@pytest.mark.parametrize("text", read_table("plans/tables/labels", "no id"))
def test_a_bare_title_names_no_unit(text: str) -> None:
    label = read_label(text)
    assert (label.id, label.word) == ("", "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Phase 2: Rooms", ("phase", "2", "Rooms")),
        ("**2.1** Rooms", ("number", "2.1", "Rooms")),
        ("T004 [P] Rooms", ("T", "T004", "[P] Rooms")),
        ("rooms", ("", "", "rooms")),
        ("[Rooms](x.md)", ("", "", "Rooms")),
    ],
)
def test_a_list_item_is_named_as_a_heading_is(text: str, name: tuple[str, str, str]) -> None:
    assert read_name(text) == name


def test_the_shape_of_the_id_does_not_change_what_the_title_says() -> None:
    for words in ("COMPLETE", "Blocked", "Rooms"):
        quick, slow = read_label(f"Phase 1: {words}"), read_label(f"Phase 1a: {words}")
        assert (quick.mark is None) == (slow.mark is None)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("01", "1", True),
        ("wp07", "WP07", True),
        ("1.", "1", True),
        ("3.1", "3.10", False),
        ("1a", "1b", False),
        ("4", "IV", False),
    ],
)
def test_two_spellings_of_an_id_are_one_and_two_ids_are_two(first: str, second: str, same: bool) -> None:
    assert (id_key(first) == id_key(second)) is same


def test_a_title_without_an_id_is_called_by_its_words_and_by_none_that_is_empty() -> None:
    names = {"On the day": "on-day", "High Priority": "high", "Cache & Co.": "cache-co", "清理 代码": "清理-代码"}
    assert {title: slug(title) for title in names} == names
    assert all(slug(title) for title in ("A", "The", "✨", "…"))
