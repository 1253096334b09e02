"""`planrail list`, `watch`, `log` and `status`: what people type to see what there is, and what happened."""

import json
import shlex
from pathlib import Path

import pytest

from planrail.cli.list_command import KINDS
from planrail.cli.main import OLD_NAMES, main
from tests.cli.run_projects import make_project, make_run

Out = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a plan, in which the commands are typed."""
    made = make_project(tmp_path / "project")
    monkeypatch.chdir(made)
    return made


def _json(capsys: Out, *words: str) -> dict[str, object]:
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told, dict)
    return told


def test_all_kinds_are_listed_in_one_look(project: Path, capsys: Out) -> None:
    make_run(project, 1_000_000)
    told = _json(capsys, "list")
    assert list(told) == list(KINDS)
    for kind, key in KINDS.items():
        assert told[kind] == _json(capsys, "list", kind)[key]
    assert [plan["name"] for plan in told["plans"]] == ["PLAN"]  # type: ignore[attr-defined]
    assert [run["run"] for run in told["runs"]] == ["run-1"]  # type: ignore[attr-defined]
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert "run-1" in shown
    assert "none: approvals, upcoming, sessions" in shown
    assert shown.rstrip().splitlines()[-1].startswith("next: planrail ")


def test_an_empty_folder_has_nothing_to_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out) -> None:
    monkeypatch.chdir(tmp_path)
    assert _json(capsys, "list") == {kind: [] for kind in KINDS}
    assert list(tmp_path.iterdir()) == []


def test_old_names_answer_as_before_and_say_the_new_one(project: Path, capsys: Out) -> None:
    make_run(project, 1_000_000)
    for old, new in OLD_NAMES.items():
        expected = _json(capsys, *new.split())
        assert main([old, "--json"]) == 0
        told = capsys.readouterr()
        assert {**json.loads(told.out), "now": 0} == {**expected, "now": 0}
        assert f"`planrail {new}`" in told.err
        assert main(["list", "--json", new.split()[1]]) == 0
        assert {**json.loads(capsys.readouterr().out), "now": 0} == {**expected, "now": 0}
    assert main(["list", "plan"]) == 2
    assert "did you mean: planrail list plans" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["PLAN.md", "plans/-dash.md"])
def test_what_the_list_of_plans_says_next_can_be_typed(name: str, project: Path, capsys: Out) -> None:
    (project / "plans").mkdir()
    (project / "PLAN.md").replace(project / name)
    assert main(["list", "plans"]) == 0
    words = shlex.split(capsys.readouterr().out.rpartition("next: planrail ")[2])
    assert main(words) == 0, words


def test_the_log_tells_what_happened_in_its_order(project: Path, capsys: Out) -> None:
    assert main(["log", "PLAN.md"]) == 0
    assert "nothing has happened" in capsys.readouterr().out
    make_run(project, 1_000_000)
    told = _json(capsys, "log", "PLAN.md")
    events = told["events"]
    assert isinstance(events, list)
    kinds = [(event["kind"], event["phase"]) for event in events]
    assert ("evidence", "1") in kinds
    assert kinds.index(("evidence", "1")) < max(at for at, kind in enumerate(kinds) if kind == ("phase", "1"))
    assert main(["log", "PLAN.md"]) == 0
    shown = capsys.readouterr().out
    assert "landed as" in shown
    assert shown.rstrip().endswith("next: planrail status PLAN.md")


def test_watching_what_does_not_run_says_how_it_stands_and_ends(project: Path, capsys: Out) -> None:
    assert main(["watch", "PLAN.md"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("0 of 3 phases done") == 1
    assert "there is nothing to watch" in shown
    assert shown.rstrip().endswith("next: planrail run PLAN.md 1")


def test_status_says_what_show_and_next_say(project: Path, capsys: Out) -> None:
    assert main(["status", "PLAN.md"]) == 0
    shown = capsys.readouterr().out
    main(["show", "PLAN.md", "--json"])
    plan = json.loads(capsys.readouterr().out)
    assert all(phase["title"] in shown and phase["reason"] in shown for phase in plan["phases"])
    main(["next", "PLAN.md", "--json"])
    assert json.loads(capsys.readouterr().out)["item"] in shown
    assert _json(capsys, "status", "PLAN.md")["status"] == plan["status"] == "not_started"
