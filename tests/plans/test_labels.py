"""Labels: which id a heading, a row or an item names, whatever its shape."""

import pytest

from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label, read_name, slug


@pytest.mark.parametrize(
    ("text", "identity", "title"),
    [
        ("Phase 1: Rooms", "1", "Rooms"),
        ("PHASE 1 - Rooms", "1", "Rooms"),
        ("Phase 1 Rooms", "1", "Rooms"),
        ("Phase #1: Rooms", "1", "Rooms"),
        ("Phase-1: Rooms", "1", "Rooms"),
        ("Phase\u00a01: Rooms", "1", "Rooms"),
        ("🚀 Phase 1: Rooms", "1", "Rooms"),
        ("**Phase 1**: Rooms", "1", "Rooms"),
        ("[Phase 1](#rooms): Rooms", "1", "Rooms"),
        ("Phase 01: Rooms", "01", "Rooms"),
        ("Phase 3.10: Rooms", "3.10", "Rooms"),
        ("Phase 4a: Rooms", "4a", "Rooms"),
        ("Phase 3b-iii: Rooms", "3b-iii", "Rooms"),
        ("Phase P1.A: Rooms", "P1.A", "Rooms"),
        ("Phase IV: Rooms", "IV", "Rooms"),
        ("Phase Two: Rooms", "2", "Rooms"),
        ("Phase 1+2: Rooms", "1+2", "Rooms"),
        ("Work Package WP07: Rooms", "WP07", "Rooms"),
        ("US-001: Rooms", "US-001", "Rooms"),
        ("M1.1: Rooms", "M1.1", "Rooms"),
        ("1) Rooms", "1", "Rooms"),
        ("(1) Rooms", "1", "Rooms"),
        ("2.1 Rooms", "2.1", "Rooms"),
        ("4b — Rooms", "4b", "Rooms"),
        ("I. Rooms", "I", "Rooms"),
        ("Task Group 2: Rooms", "2", "Rooms"),
        ("Фаза 6.1: Комнаты", "6.1", "Комнаты"),
        ("2-й этап: Комнаты", "2", "Комнаты"),
        ("阶段二：房间", "2", "房间"),
        ("第三阶段：房间", "3", "房间"),
        ("第 3 阶段 房间", "3", "房间"),
        ("フェーズ1：部屋", "1", "部屋"),
        ("3단계: 방", "3", "방"),
        ("Étape 2 : Salles", "2", "Salles"),
        ("Phase 1: Rooms [COMPLETED]", "1", "Rooms"),
        ("Phase 1: Rooms — DONE", "1", "Rooms"),
        ("Phase 1: Fix [foo] parsing [NOT STARTED]", "1", "Fix [foo] parsing"),
        ("③ Rooms", "3", "Rooms"),
        ("Phase 1️⃣: Rooms", "1", "Rooms"),
        ("Phase 1–3: Rooms", "1–3", "Rooms"),
    ],
)
def test_a_title_names_its_unit_by_an_id_of_any_shape(text: str, identity: str, title: str) -> None:
    label = read_label(text)
    assert (label.id, label.title) == (identity, title)


@pytest.mark.parametrize(
    "text",
    [
        "Rooms",
        "The phase of the moon",
        "Phases",
        "Phase",
        "2026-01-02 Notes",
        "A house",
        "Steps to follow",
        "HTTP errors",
        "",
        "—",
        "Phasing out 3 rooms",
    ],
)
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
