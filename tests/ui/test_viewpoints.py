"""What there is to look at, by values alone."""

import pytest

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, Options, PhaseOrder
from planrail.runs.phases.viewpoints import Picture, View, announce, is_seen, list_viewpoints
from tests.runs.run_records import make_order, make_phase
from tests.support.tables import read_table


def _phase(*, is_ui: bool = False, **more: object) -> PhaseOrder:
    return replace(make_phase("4b", "Dialog", is_ui=is_ui), **more)


@pytest.mark.parametrize(("glob", "path"), read_table("ui/tables/files", "seen"))
def test_a_phase_that_changes_files_which_people_see_is_one_to_look_at(glob: str, path: str) -> None:
    assert is_seen(_phase(), ["README", path], [glob])


@pytest.mark.parametrize(("glob", "path"), read_table("ui/tables/files", "not seen"))
def test_other_files_make_it_none(glob: str, path: str) -> None:
    assert not is_seen(_phase(), [path], [glob])


def test_words_are_enough_and_without_globs_they_are_all() -> None:
    assert is_seen(_phase(is_ui=True), [], ["*.css"])
    assert is_seen(_phase(is_ui=True), [], [])
    assert not is_seen(_phase(), ["main.css"], [])


def test_each_thing_has_an_id_and_pictures_come_last() -> None:
    phase = _phase(is_ui=True, items=("it opens", "it closes"), criteria=("it is blue", "it opens"))
    view = View("tree", (Picture("/", "/p/1.png"),))
    told = [(point.id, point.text, point.picture) for point in list_viewpoints(phase, view)]
    assert told == [
        ("P4b-1", "it opens", ""),
        ("P4b-2", "it closes", ""),
        ("P4b-3", "it is blue", ""),
        ("P4b-4", "the page / looks right", "/p/1.png"),
    ]
    assert list_viewpoints(phase, None) == list_viewpoints(phase, view)[:3]


def test_what_a_command_proves_is_not_for_eyes() -> None:
    checks = (CheckOrder("npm test", 3, "criterion"),)
    phase = _phase(is_ui=True, items=(), criteria=("`npm test` passes", "the dialog is blue"), checks=checks)
    assert [point.text for point in list_viewpoints(phase, None)] == ["the dialog is blue"]
    alone = replace(phase, criteria=("`npm test` passes",))
    assert [point.text for point in list_viewpoints(alone, None)] == ["Dialog"]


def test_a_run_names_the_phases_that_it_takes_up_and_no_other() -> None:
    phases = [make_phase(name, title, is_ui=True) for name, title in (("1", "A menu"), ("2", "A panel"))]
    order = make_order(make_phase("0", "A parser"), *phases)
    whole = replace(order, options=Options(finish=True))
    assert announce(whole) == "a person has to look at: phase 1 (menu), phase 2 (panel)"
    assert announce(replace(whole, landed=("1",))) == "a person has to look at: phase 2 (panel)"
    assert announce(order) == ""  # phase 0 is next
    assert announce(replace(order, options=Options(phase="2"))) == "a person has to look at: phase 2 (panel)"
    unwatched = announce(replace(whole, options=Options(finish=True, awaits_sign_off=False)))
    assert "nobody is waited for" in unwatched
