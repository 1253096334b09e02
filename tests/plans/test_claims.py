"""Claims: where two places of a document disagree, the stronger one is believed."""

import pytest

from planrail.plans.claims import Kind, StatusClaim, decide
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource

_TRACKER = "| Phase | Status |\n|---|---|\n| 1 | done |\n| 2 | todo |\n\n"
_INDEX = "- [x] Phase 1\n- [ ] Phase 2\n\n"
_STATUS = "**Status:** in progress\n\n"


@pytest.mark.parametrize(
    ("before", "heading", "under", "status", "place"),
    [
        (_TRACKER, "Phase 1: A (todo)", "", "done", "tracker row"),
        ("", "Phase 1: A (done)", _STATUS, "done", "heading"),
        ("", "✅ Phase 1: A", _STATUS, "in_progress", "status line"),
        (_INDEX, "Phase 1: A", _STATUS, "in_progress", "status line"),
        (_INDEX.replace("x", " "), "✅ Phase 1: A", "", "done", "heading"),
        (_INDEX.replace("x", " "), "Phase 1: A", "✅ finished\n", "todo", "box"),
        ("", "Phase 1: A", f"{_STATUS}- [x] a\n", "in_progress", "status line"),
    ],
)
def test_the_stronger_place_is_believed(before: str, heading: str, under: str, status: str, place: str) -> None:
    text = f"# Plan\n\n{before}## {heading}\n\n{under}\n## Phase 2: B\n\nb\n"
    first = read(PlanSource("plan.md", text)).phases[0]
    assert (str(first.status), first.reason.partition(",")[0]) == (status, place)


def _claim(kind: Kind, state: State, line: int = 1, *, is_weak: bool = False) -> StatusClaim:
    return StatusClaim(kind, state, line, "", is_weak=is_weak)


def test_within_a_kind_the_first_line_is_believed() -> None:
    later, first = _claim(Kind.TITLE, State.TODO, 9), _claim(Kind.TITLE, State.DONE, 2)
    weaker = _claim(Kind.ITEMS, State.TODO, 1)
    twin = _claim(Kind.TITLE, State.TODO, 2)
    assert decide([later, weaker, first, twin]) is first
    assert decide([first, later]) is first
    assert decide([first]) is first
    assert decide([]) is None


def test_a_weak_claim_yields_to_one_that_says_more_and_to_no_other() -> None:
    weak = _claim(Kind.TRACKER, State.TODO, is_weak=True)
    todo, begun, done = (_claim(Kind.ITEMS, state) for state in (State.TODO, State.IN_PROGRESS, State.DONE))
    assert decide([weak, todo]) is weak
    assert decide([weak, begun]) is begun
    assert decide([weak, todo, done]) is done
    strong = _claim(Kind.TRACKER, State.TODO)
    assert decide([strong, done]) is strong


@pytest.mark.parametrize(("kind", "is_explicit"), [(Kind.COMPANION, True), (Kind.GROUP, False)])
def test_what_was_counted_was_not_written_down(kind: Kind, *, is_explicit: bool) -> None:
    assert StatusClaim(kind, State.DONE, 1, "").is_explicit is is_explicit
    assert not StatusClaim(kind, State.DONE, 1, "", is_counted=True).is_explicit
