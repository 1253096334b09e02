"""The timeline: everything that was done is in the picture, and nothing that a plan says gets out of its quotes."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.runs.reporting.timelines import Lane, make_scale, render_bars, render_timeline
from planrail.store.journal_lines import WAITING, Step

_SPACE = "{http://www.w3.org/2000/svg}"
_STEPS = st.builds(
    lambda began, took, name: Step("1", 1, name, began, None if took is None else began + took),
    st.floats(0, 1e6),
    st.none() | st.floats(0, 1e5),
    st.sampled_from(["implement.1", "checks.1", "verify.1", "land.1", "sign_off", "start"]),
)
_LANES = st.lists(st.builds(Lane, st.text(), st.just("landed"), st.lists(_STEPS, max_size=6)), max_size=5)


@given(st.text(), _LANES)
def test_the_picture_is_whole_whatever_it_shows(title: str, lanes: list[Lane]) -> None:
    picture = ElementTree.fromstring(render_timeline(title, lanes, 2e6))
    bars = [box for box in picture.iter(f"{_SPACE}rect") if box.find(f"{_SPACE}title") is not None]
    assert len(bars) == sum(len(lane.steps) for lane in lanes)
    width = float(picture.attrib["width"])
    assert all(0 <= float(box.attrib["x"]) <= width for box in bars)
    assert {child.tag for child in picture.iter()} <= {
        f"{_SPACE}{n}" for n in ("svg", "title", "style", "line", "text", "rect")
    }


@given(_LANES)
def test_time_goes_from_left_to_right(lanes: list[Lane]) -> None:
    scale = make_scale(lanes, 2e6, 700)
    moments = sorted({scale.begin, scale.end, *(step.began for lane in lanes for step in lane.steps)})
    places = [scale.place(at) for at in moments]
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(places))
    assert all(-1e-6 <= place <= 700 + 1e-3 for place in places)


def test_a_night_in_which_nothing_was_done_is_cut() -> None:
    before, after = Step("1", 1, "implement.1", 0, 100), Step("1", 1, "checks.1", 50_000, 50_100)
    scale = make_scale([Lane("1", "landed", [before, after])], 50_100, 100)
    assert list(scale.cuts) == [(100, 50_000)]
    assert scale.place(100) > 40
    assert "nothing was done for" in render_timeline("x", [Lane("1", "landed", [before, after])], 50_100)


@pytest.mark.parametrize("name", [*WAITING, "sign_off.2"])
def test_time_in_which_somebody_was_waited_for_is_not_work(name: str) -> None:
    work, wait = Step("1", 1, "implement.1", 0, 100), Step("1", 1, name, 100, 50_000)
    first, legend = render_bars([Lane("1", "landed", [work, wait])], 50_000, width=20)
    assert first.endswith("  1:40")
    assert "· waiting" in legend


def test_bars_of_text_show_each_phase_and_what_the_signs_mean() -> None:
    lanes = [
        Lane("1 One", "landed", [Step("1", 1, "implement.1", 0, 50)]),
        Lane("2 Two", "failed", [Step("2", 1, "checks.1", 50, 100)]),
    ]
    first, second, legend = render_bars(lanes, 100, width=20)
    assert first.startswith("1 One  █")
    assert "▓" in second
    assert "█" not in second
    assert "█ agent" in legend
    assert render_bars([], 100) == []
