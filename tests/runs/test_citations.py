"""What a verifier cites is looked up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import ItemVerdict
from planrail.runs.verdicts.reading import CitationContext, Place, check_places, read_place

GROUND = CitationContext(
    {"src/a.py": 10, "src/empty.py": 0, "docs/b.md": 5, "Makefile": 3},
    ("src/a.py", "src/empty.py", "src/gone.py", "Makefile"),
    ("make test", "cd web && npm run -s lint", "pytest tests/test_a.py -q"),
)


def problems(*places: str) -> tuple[str, ...]:
    return check_places([ItemVerdict("an item", "done", "\n".join(places))], GROUND)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/a.py:3", Place(path="src/a.py", line=3)),
        ("./src/a.py:3", Place(path="src/a.py", line=3)),
        ("src/a.py:3-9", Place(path="src/a.py", line=9)),
        ("src/a.py:L3", Place(path="src/a.py", line=3)),
        ("src/a.py#L3", Place(path="src/a.py", line=3)),
        ("src/a.py, line 3", Place(path="src/a.py", line=3)),
        ("src/a.py (line 3)", Place(path="src/a.py", line=3)),
        ("src/a.py", Place(path="src/a.py")),
        ("my notes/a b.py:3", Place(path="my notes/a b.py", line=3)),
        ("$ make test", Place(command="make test")),
        ("command: make test", Place(command="make test")),
        ("make test", Place(command="make test")),
        ("npm run -s lint", Place(command="npm run -s lint")),
        ("Makefile:2", Place(path="Makefile", line=2)),
    ],
)
def test_a_place_is_read_as_it_was_meant(text: str, place: Place) -> None:
    assert read_place(text, GROUND.commands) == place


@pytest.mark.parametrize(
    "place",
    ["src/a.py:10", "src/empty.py", "src/empty.py:1", "src/gone.py", "src/gone.py:3", "$ make test", "make test",
     "$ npm run -s lint", "$ make   test", "$ pytest tests/test_a.py", "Makefile:3"],
)  # fmt: skip
def test_what_is_there_and_what_was_run_holds(place: str) -> None:
    assert problems(place) == ()


@pytest.mark.parametrize(
    "place",
    ["src/a.py:11", "src/a.py:0", "src/a.py:3-99", "src/b.py:1", "src/a.py", "docs/b.md:9", "/etc/passwd:1", "../a.py:1",
     "$ make tests", "$ pytest tests/test_b.py", "$ npm test", "$ echo ok", "$ true", "$ x", "none",
     "see above", "everything"],
)  # fmt: skip
def test_what_is_not_there_and_what_was_not_run_does_not(place: str) -> None:
    assert problems(place)


def test_an_item_needs_a_place_in_the_change_or_a_command() -> None:
    assert problems("src/a.py:3", "src/nowhere.py:3"), "one invented place beside a good one is a problem"
    assert check_places([ItemVerdict("an item", "failed", "")], GROUND) == ()
    assert problems("docs/b.md:2")
    assert problems("docs/b.md:2", "src/a.py:2") == ()
    assert problems("docs/b.md:2", "$ make test") == ()


def test_one_line_for_everything_shows_that_nobody_looked() -> None:
    items = [ItemVerdict(f"item {number}", "done", "src/a.py:1") for number in range(4)]
    assert check_places(items, GROUND)
    assert check_places(items[:3], GROUND) == ()
    items = [ItemVerdict(f"item {number}", "done", "$ make test") for number in range(9)]
    assert check_places(items, GROUND) == ()


@given(st.text(max_size=60))
def test_any_text_is_a_place_and_only_a_real_one_holds(text: str) -> None:
    read_place(text)
    held = problems(*text.split("\n"))
    assert held or "a.py" in text or "gone" in text or "empty" in text or "Makefile" in text or "make" in text
