"""Whoever wants a person to look is heard; and pictures that failed are taken anew."""

import contextlib
from pathlib import Path

import pytest

from planrail.ask.durable import Durable
from planrail.base.records import replace
from planrail.base.run_model import Options
from planrail.base.settings import load_settings
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


@pytest.mark.parametrize(
    ("is_ui", "options", "signed", "steps"),
    [
        (True, {}, [False, False, True], ["look_at", "sign_off"] * 3),  # taken anew until somebody signs off
        (True, {"awaits_sign_off": False}, [], ["look_at"]),
        (False, {"ui_files": ("*.txt",)}, [True], ["look_at", "sign_off"]),  # for the files that it changed
        (False, {"ui_files": ("*.css",)}, [], []),
    ],
)
def test_what_people_see_is_looked_at_and_signed_off_before_it_lands(
    tmp_path: Path, *, is_ui: bool, options: dict[str, object], signed: list[object], steps: list[str]
) -> None:
    order = make_order(make_phase("1", is_ui=is_ui))
    order = replace(order, options=replace(Options(finish=True, auto=True), **options))
    shop = ScriptedWorkshop(order, {"sign_off": signed})
    with contextlib.closing(Journal(str(tmp_path / "journal.jsonl"))) as journal:
        assert run_plan(Durable(journal).do, shop, order).state == "complete"  # type: ignore[arg-type]
    about = [step[2:] for step in shop.done if step in ("1:look_at", "1:sign_off", "1:land")]
    assert about == [*steps, "land"]
