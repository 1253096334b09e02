"""Whoever wants a person to look is heard; and pictures that failed are taken anew."""

from pathlib import Path

import pytest

from planrail.ask.durable import Durable
from planrail.base.records import replace
from planrail.base.run_model import Finding, Options
from planrail.base.settings import load_settings
from planrail.base.values import pack, unpack
from planrail.runs.phases.viewpoints import Picture, View
from planrail.runs.pipeline import run_plan
from planrail.store.journal import Journal
from tests.runs.run_records import make_order, make_phase
from tests.support.scripted_workshop import ScriptedWorkshop


@pytest.mark.parametrize(
    ("user", "committed", "waits"),
    [
        ("", "", True),
        ("", "sign_off = false", False),
        ("sign_off = false", "", False),
        ("sign_off = true", "sign_off = false", True),
        ("sign_off = false", "sign_off = true", True),
    ],
)
def test_the_stricter_file_decides_whether_a_person_is_waited_for(
    tmp_path: Path, user: str, committed: str, *, waits: bool
) -> None:
    (tmp_path / "planrail").mkdir()
    (tmp_path / "planrail" / "planrail.toml").write_text(f"[ui]\n{user}\n")
    settings = load_settings(None, {"XDG_CONFIG_HOME": str(tmp_path)}, committed=f"[ui]\n{committed}\n")
    assert settings.ui.sign_off is waits


def test_what_an_agent_writes_into_the_working_tree_is_not_heard(tmp_path: Path) -> None:
    (tmp_path / "planrail.toml").write_text('[ui]\nsign_off = false\nserver = "sh evil.sh"\n')
    ui = load_settings(str(tmp_path), {"XDG_CONFIG_HOME": str(tmp_path)}).ui
    assert (ui.sign_off, ui.server) == (True, "")


def test_a_view_can_be_written_down() -> None:
    view = View("tree", (Picture("/", "/p.png"),), (Finding("page", "slow", is_failure=False),), is_awaited=False)
    assert unpack(pack(view)) == view


def _walk(place: Path, shop: ScriptedWorkshop, *, is_ui: bool, **options: object) -> str:
    order = make_order(make_phase("1", is_ui=is_ui))
    order = replace(order, options=replace(Options(finish=True, auto=True), **options))
    shop._order = order
    journal = Journal(str(place / "journal.jsonl"))
    try:
        return run_plan(Durable(journal).do, shop, order).state  # type: ignore[arg-type]
    finally:
        journal.close()


def _looks(shop: ScriptedWorkshop) -> list[str]:
    return [step for step in shop.done if step in ("1:look_at", "1:sign_off", "1:land")]


@pytest.fixture
def shop() -> ScriptedWorkshop:
    return ScriptedWorkshop(make_order(make_phase("1")))


def test_pictures_are_taken_anew_until_somebody_signs_off(tmp_path: Path, shop: ScriptedWorkshop) -> None:
    shop._answers = {"sign_off": [False, False, True]}
    assert _walk(tmp_path, shop, is_ui=True) == "complete"
    assert _looks(shop) == ["1:look_at", "1:sign_off"] * 3 + ["1:land"]


def test_nobody_is_asked_where_nobody_is_waited_for(tmp_path: Path, shop: ScriptedWorkshop) -> None:
    assert _walk(tmp_path, shop, is_ui=True, awaits_sign_off=False) == "complete"
    assert _looks(shop) == ["1:look_at", "1:land"]


def test_a_phase_is_looked_at_for_the_files_that_it_changed(tmp_path: Path, shop: ScriptedWorkshop) -> None:
    assert _walk(tmp_path, shop, is_ui=False, ui_files=("*.txt",)) == "complete"
    assert _looks(shop) == ["1:look_at", "1:sign_off", "1:land"]


def test_a_phase_that_nobody_sees_takes_no_step_for_it(tmp_path: Path, shop: ScriptedWorkshop) -> None:
    assert _walk(tmp_path, shop, is_ui=False, ui_files=("*.css",)) == "complete"
    assert _looks(shop) == ["1:land"]
