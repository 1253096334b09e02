"""Plannings on disk: kept whole, and gone on with after a kill at any instant."""

import os
import shutil
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import AgentAnswer, AnswerContext, begin, take_answer
from planrail.planning.plannings import KeptPlanning, keep_answer, list_plannings, load, locked, place_of, save
from tests.planning.answers import good_answer


def test_every_step_of_a_planning_comes_back(tmp_path: Path) -> None:
    request = "---\nactive: false\n---\n<!-- x --> $(y)\r\n\x0b\u2028 ü"
    options = PlanningOptions(rounds=2, skipped=("explore",))
    planning = begin("p", request, options, original="# Plan\n", feedback="no: \x85\t")
    save(str(tmp_path), KeptPlanning(planning, {"root": request, "agent": "claude"}))
    assert load(str(tmp_path), "p") == KeptPlanning(planning, {"root": request, "agent": "claude"})
    while not planning.progress.ended:
        save(str(tmp_path), KeptPlanning(planning, {}))
        assert load(str(tmp_path), "p").planning == planning
        answer = AgentAnswer(good_answer(planning.progress.phase, is_last=planning.progress.is_last))
        planning = take_answer(planning, answer, AnswerContext()).planning
    save(str(tmp_path), KeptPlanning(planning, {}))
    assert load(str(tmp_path), "p").planning == planning


def test_an_answer_whose_state_was_not_saved_any_more_can_be_given_again(tmp_path: Path) -> None:
    """A kill between the texts and the state: the texts are of the next step, the state of this one."""
    before = begin("p", "x", PlanningOptions())
    answer = AgentAnswer(good_answer("understand", is_last=False))
    after = take_answer(before, answer, AnswerContext()).planning
    save(str(tmp_path), KeptPlanning(before, {}))
    state = Path(place_of(str(tmp_path), "p")) / "planning.json"
    old = state.read_bytes()
    save(str(tmp_path), KeptPlanning(after, {}))
    state.write_bytes(old)
    again = take_answer(load(str(tmp_path), "p").planning, answer, AnswerContext()).planning
    assert again.progress == after.progress


def test_answers_are_kept_good_or_not_and_the_request_shares_no_file_with_the_state(tmp_path: Path) -> None:
    planning = begin("p", "a request like no other", PlanningOptions())
    path = keep_answer(str(tmp_path), planning, AgentAnswer("no good", "# A file\n"))
    assert Path(path).read_text() == "no good"
    assert Path(path.removesuffix(".md") + ".plan.md").read_text() == "# A file\n"
    save(str(tmp_path), KeptPlanning(planning, {}))
    files = [path for path in Path(place_of(str(tmp_path), "p")).rglob("*") if path.is_file()]
    assert [path.name for path in files if "like no other" in path.read_text()] == ["request.md"]


@pytest.mark.parametrize("id_", ["", "../p", ".hidden", "a/b"])
def test_an_id_leads_nowhere_else(tmp_path: Path, id_: str) -> None:
    with pytest.raises(PlanrailError):
        load(str(tmp_path), id_)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"version": 99}', b"\xff"])
def test_a_damaged_planning_says_where_its_texts_are(tmp_path: Path, damage: bytes) -> None:
    save(str(tmp_path), KeptPlanning(begin("p", "x", PlanningOptions()), {}))
    (Path(place_of(str(tmp_path), "p")) / "planning.json").write_bytes(damage)
    with pytest.raises(PlanrailError) as refused:
        load(str(tmp_path), "p")
    assert place_of(str(tmp_path), "p") in refused.value.remedy


def test_the_newest_planning_is_listed_first_and_one_process_holds_it(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        save(str(tmp_path), KeptPlanning(begin(name, "x", PlanningOptions()), {}))
        os.utime(Path(place_of(str(tmp_path), name)) / "planning.json", (number, number))
    assert list_plannings(str(tmp_path)) == ["b", "a"]
    with locked(str(tmp_path), "a") as held, locked(str(tmp_path), "a", wait=False) as second:
        assert (held, second) == (True, False)
    shutil.rmtree(tmp_path / "plannings")
    assert list_plannings(str(tmp_path)) == []
