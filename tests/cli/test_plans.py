"""`planrail plans`: the project's own plans and nobody else's, none of them ever lost or overwritten."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

from planrail.approval.people.terminals import decide_editor
from planrail.base.errors import UsageError
from planrail.cli.lists.plan_rows import render_age, render_bar
from planrail.cli.main import main
from planrail.hook.sessions import store
from planrail.hook.sessions.state import Session
from planrail.plans.files import lifecycle
from planrail.plans.files.lifecycle import APPROVED, PROPOSED, ReachedStage
from planrail.plans.reading import read
from planrail.plans.text.source import load
from tests.support.patience import PATIENCE

PLAN = "# Rooms\n\n## Phase 1: A\n- [x] a\n- [x] b\n\n## Phase 2: B\n- [x] c\n- [ ] d\n\n## Phase 3: C\n- [ ] e\n"
DONE = PLAN.replace("[ ]", "[x]")

Answer = tuple[int, str, str]
Plans = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose settings keep plans in `plans/`, and a home with the agent's own folder."""
    root, home = tmp_path / "project", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    (root / "sub").mkdir()
    (root / "planrail.toml").write_text('[plans]\ndirectory = "plans"\n')
    (home / ".claude" / "plans").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def claude(project: Path) -> Path:
    """The agent's folder of plans, for a project that has none of its own."""
    (project / "planrail.toml").unlink()
    return project.parent / "home" / ".claude" / "plans"


@pytest.fixture
def plans(project: Path, capsys: pytest.CaptureFixture[str]) -> Plans:
    """The command: its exit code, and what it prints where."""

    def run(*arguments: str) -> Answer:
        code = main(["plans", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def _write(folder: Path, name: str, text: str = PLAN, age: float = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def _state() -> str:
    return os.environ["PLANRAIL_STATE_DIR"]


def _attach(project: Path, plan: Path, name: str = "s1", **fields: Any) -> None:
    session = Session("claude", name, project=str(project), plan=str(plan), **fields)
    store.update(_state(), "claude", name, lambda before: session)


def _step(project: Path, plan: Path, stage: str) -> None:
    source = load(str(plan))
    step = ReachedStage(stage, lifecycle.hash_of(read(source), source.text), 1)
    lifecycle.take_step(_state(), str(plan), str(project), step)


def _listed(plans: Plans, *arguments: str) -> dict[str, dict[str, Any]]:
    code, out, _ = plans(*arguments, "--json")
    assert code == 0
    return {plan["name"]: plan for plan in json.loads(out)["plans"]}


def _last_line(text: str) -> str:
    return text.strip().rsplit("\n", 1)[-1]


# ------------------------------------------------------------------------------------------------ the list


def test_without_a_plan_the_way_to_a_first_one_is_shown(plans: Plans) -> None:
    for arguments in ([], ["show"]):
        code, out, _ = plans(*arguments)
        assert code == 0
        assert "no plan written yet" in out
        assert _last_line(out).startswith("next: planrail plans new")
    assert _listed(plans) == {}


def test_the_list_says_stage_progress_place_and_what_comes_next(
    project: Path, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(project / "plans", "rooms.md", age=7200)
    _, out, _ = plans()
    for part in ("draft", "rooms", "3/5", "2 h", "2 B", "d", "plans/rooms.md"):
        assert part in out
    assert _last_line(out) == "next: planrail plans show rooms"
    plan = _listed(plans)["rooms"]
    assert plan["progress"] == {"done": 3, "total": 5}
    assert plan["phase"] == {"id": "2", "title": "B"}
    assert (plan["item"], plan["path"], plan["problem"]) == ("d", str(project / "plans" / "rooms.md"), None)
    _write(project / "plans", "new.md", PLAN.replace("B\n", "B\x1b[2J\n"))
    assert "\x1b" not in plans()[1] + plans("show")[1]
    (project / "plans" / "binary.md").write_bytes(b"\x00\xff")
    (project / ".git").rmdir()  # settings make a project without git
    monkeypatch.chdir(project / "sub")
    listed = _listed(plans)
    assert [name for name in listed if name != "binary"] == ["new", "rooms"], "the newest is the first"
    assert "binary" in listed["binary"]["problem"]


def test_among_other_documents_only_what_looks_like_a_plan_is_one(project: Path, plans: Plans) -> None:
    (project / "planrail.toml").write_text('[plans]\ndirectory = "."\n')
    _write(project, "rooms.md")
    _write(project, "NOTES.md", "# Notes\n\nJust text.\n")
    _write(project, "README.md", PLAN)
    assert list(_listed(plans)) == ["rooms"]
    (project / "planrail.toml").write_text('[plans]\ndirectory = "archive"\n')
    _write(project / "archive", "rooms.md")
    assert _listed(plans)["rooms"]["stage"] == "draft"


@pytest.mark.parametrize("setting", ["CLAUDE_CONFIG_DIR", "plansDirectory"])
def test_the_agents_folder_follows_its_own_setting(
    setting: str, project: Path, claude: Path, tmp_path: Path, plans: Plans, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(claude, "nobodys.md")
    if setting == "CLAUDE_CONFIG_DIR":
        folder = tmp_path / "config" / "plans"
        monkeypatch.setenv(setting, str(folder.parent))
    else:
        folder = project / "docs" / "plans"
        (project / ".claude").mkdir()
        (project / ".claude" / "settings.json").write_text('{"plansDirectory": "docs/plans"}')
    plans("new", "Paint the rooms")
    assert len(_listed(plans)) == len(list(folder.iterdir())) == 1


def test_of_the_agents_folder_only_this_projects_plans_are_shown(
    project: Path, claude: Path, tmp_path: Path, plans: Plans
) -> None:
    for name in ("recorded", "attached", "another-projects", "nobodys"):
        _write(claude, f"{name}.md")
    _step(project, claude / "recorded.md", PROPOSED)
    _step(tmp_path / "other", claude / "another-projects.md", PROPOSED)
    _attach(project, claude / "attached.md")
    _attach(tmp_path / "other", claude / "another-projects.md", "s2")
    assert set(_listed(plans, "--all")) == {"recorded", "attached"}
    code, out, err = plans("show", "nobodys")
    assert (code, out) == (2, "")
    assert "no such plan" in err


def test_a_folder_out_of_the_project_is_refused_and_not_read(project: Path, tmp_path: Path, plans: Plans) -> None:
    _write(tmp_path / "elsewhere", "theirs.md")
    (project / "link").symlink_to(tmp_path / "elsewhere")
    for setting in ("../elsewhere", "link", str(tmp_path / "elsewhere")):
        (project / "planrail.toml").write_text(f'[plans]\ndirectory = "{setting}"\n')
        code, out, err = plans()
        assert (code, out) == (2, "")
        assert "leads out of the project" in err
        assert plans("new", "x")[0] == 2
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


def test_the_stage_follows_the_life_of_the_plan(project: Path, plans: Plans) -> None:
    path = _write(project / "plans", "rooms.md")
    _write(project / "plans", "rooms-agent-a1.md", "# Sub\n")

    def stage() -> str:
        return str(_listed(plans, "--all")["rooms"]["stage"])

    assert stage() == "draft"
    _step(project, path, PROPOSED)
    assert stage() == "proposed"
    _step(project, path, APPROVED)
    path.write_text(PLAN.replace("- [ ] d", "- [x] d"))  # a ticked box keeps the approval, another text does not
    assert stage() == "approved"
    path.write_text(PLAN.replace("- [ ] d", "- [ ] everything else"))
    assert (stage(), _listed(plans)["rooms"]["changed_since_approval"]) == ("draft", True)
    assert "its text has changed" in plans()[1]
    path.write_text(PLAN)
    code, out, _ = plans("archive", "rooms.md")
    assert (code, _last_line(out)) == (0, "next: planrail plans restore rooms")
    assert sorted(os.listdir(project / "plans" / "archive")) == ["rooms-agent-a1.md", "rooms.md"]
    assert (stage(), _listed(plans)) == ("archived", {})
    code, _, err = plans("archive", "rooms")
    assert (code, "already" in err) == (1, True)
    assert json.loads(plans("restore", "rooms", "--json")[1]) == {"path": str(path), "stage": "approved"}
    assert sorted(os.listdir(project / "plans")) == ["archive", "rooms-agent-a1.md", "rooms.md"]
    assert path.read_text() == PLAN
    _attach(project, path, stage=APPROVED)
    assert stage() == "running"
    path.write_text(DONE)
    assert stage() == "complete"
    store.remove(_state(), "claude", "s1")
    plans("archive", "rooms")
    assert "(complete)" in plans("restore", "rooms")[1]
    assert plans("restore", "nothing")[0] == 2


def test_a_session_that_is_silent_or_damaged_runs_nothing_and_hides_no_plan(project: Path, plans: Plans) -> None:
    _attach(project, _write(project / "plans", "rooms.md"), stage=APPROVED)
    place = store.session_path(_state(), "claude", "s1")
    os.utime(place, (time.time() - 90_000, time.time() - 90_000))
    assert _listed(plans)["rooms"]["stage"] == "draft"
    Path(place).write_text("{")
    assert _listed(plans)["rooms"]["stage"] == "draft"


def test_the_plan_of_a_sub_agent_is_listed_only_on_request(project: Path, plans: Plans) -> None:
    _write(project / "plans", "rooms.md", age=100)
    _write(project / "plans", "rooms-agent-a1.md")
    assert set(_listed(plans)) == {"rooms"}
    assert set(_listed(plans, "--all")) == {"rooms", "rooms-agent-a1"}
    assert "1 more" in plans()[1]
    assert "# Rooms" in plans("show")[1]


def test_a_plan_is_shown_with_its_bar_and_its_path_by_any_of_its_names(project: Path, plans: Plans) -> None:
    path = _write(project / "plans", "rooms.md")
    for arguments in ([], ["rooms"], ["rooms.md"], ["ROOM"], [str(path)], ["plans/rooms.md"]):
        code, out, _ = plans("show", *arguments)
        assert code == 0
        assert out.startswith(PLAN)
        assert "█" * 24 + "░" * 16 in out
        assert "3/5 (60 %)" in out
        assert str(path) in out
        assert _last_line(out) == f"next: planrail next {quote(str(path))}"
    answer = json.loads(plans("show", "--json")[1])
    assert (answer["name"], answer["text"], answer["stage"]) == ("rooms", PLAN, "draft")
    _write(project / "plans", "red-rooms.md")
    code, _, err = plans("show", "oms")
    assert (code, "red-rooms.md" in err, "plans/rooms.md" in err) == (2, True, True), "no name is guessed at"


def test_no_name_shows_a_file_that_is_no_plan_of_the_project(project: Path, plans: Plans) -> None:
    _write(project / "plans", "rooms.md")
    _write(project, "secret.md", "secret")
    _write(project.parent, "secret.md", "secret")
    (project / "plans" / "link.md").symlink_to(project.parent / "secret.md")
    for asked in ("../secret", "../../secret.md", "/etc/passwd", "secret", "*", "plans/../secret.md", "link"):
        code, out, err = plans("show", asked)
        assert (code, out) == (2, ""), asked
        assert "planrail plans --all" in err


def test_a_session_that_has_written_nothing_says_where_it_will(project: Path, plans: Plans) -> None:
    _attach(project, project / "plans" / "later.md", planning=True)
    code, out, _ = plans("show")
    assert code == 0
    assert "no plan written yet" in out
    assert str(project / "plans" / "later.md") in out
    assert json.loads(plans("show", "--json")[1])["path"] == str(project / "plans" / "later.md")


def test_a_new_plan_has_all_sections_and_never_replaces_an_old_one(project: Path, plans: Plans) -> None:
    code, out, _ = plans("new", "Paint", "the {rooms}", "red")
    assert code == 0
    (path,) = (project / "plans").glob("paint-rooms-red-*.md")
    assert str(path) in out
    assert _last_line(out) == f"next: planrail plans open {path.stem}"
    plan = read(load(str(path)))
    assert plan.title == "Paint the {rooms} red"
    assert [len(phase.items) for phase in plan.phases] == [1]
    made = {json.loads(plans("new", "same thing", "--json")[1])["path"] for _ in range(12)}
    assert len(made) == 12
    assert len(_listed(plans)) == 13
    assert plans("new")[0] == 2
    assert main(["lint", str(path)]) == 0
    code, _, err = plans("open", path.stem)
    assert (code, "terminal" in err, str(path) in err) == (1, True, True)


def test_two_plans_of_one_name_are_both_kept(project: Path, plans: Plans) -> None:
    for text in ("# One\n", "# Two\n"):
        _write(project / "plans", "rooms.md", text)
        assert plans("archive", "rooms")[0] == 0
    kept = {path.read_text() for path in (project / "plans" / "archive").iterdir()}
    assert kept == {"# One\n", "# Two\n"}
    _write(project / "plans", "rooms.md", "# Three\n")
    assert plans("restore", "rooms.md")[0] == 0
    assert {path.read_text() for path in (project / "plans").glob("*.md")} == {"# One\n", "# Three\n"}


def test_a_plan_in_use_is_not_archived(project: Path, plans: Plans) -> None:
    path = _write(project / "plans", "rooms.md")
    for fields in ({"stage": APPROVED}, {"planning": True}, {"planning": True, "stage": PROPOSED}):
        _attach(project, path, **fields)
        code, out, err = plans("archive", "rooms")
        assert (code, out) == (1, ""), fields
        assert "a session is at work on it" in err
        assert path.read_text() == PLAN


def test_an_archive_that_is_a_link_out_is_neither_read_nor_written(project: Path, tmp_path: Path, plans: Plans) -> None:
    _write(tmp_path / "elsewhere", "theirs.md")
    path = _write(project / "plans", "rooms.md")
    (project / "plans" / "archive").symlink_to(tmp_path / "elsewhere")
    assert set(_listed(plans, "--all")) == {"rooms"}
    code, _, err = plans("archive", "rooms")
    assert code == 1
    assert "is a link" in err
    assert path.exists()
    assert os.listdir(tmp_path / "elsewhere") == ["theirs.md"]


def test_the_editor_gets_the_path_without_a_shell(project: Path) -> None:
    path = _write(project / "plans", "rooms; touch pwned.md")
    program = "import sys; from planrail.cli.main import main; sys.exit(main(['plans', 'open']))"
    editor = project / "my editor"
    editor.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >> edited; echo "- [ ] more" >> "$2"\n')
    editor.chmod(0o755)
    controller, terminal = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=project,
            env={**os.environ, "VISUAL": f"'{editor}' --wait", "EDITOR": "false"},
            stdin=terminal,
            stdout=terminal,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(terminal)
        os.close(controller)
    assert (done.returncode, done.stderr) == (0, "")
    assert (project / "edited").read_text() == f"--wait\n{path}\n"
    assert path.read_text().endswith("- [ ] more\n")
    assert not (project / "pwned.md").exists()


@pytest.mark.parametrize("environment", [{}, {"EDITOR": ""}, {"VISUAL": "'unbalanced"}])
def test_without_an_editor_the_user_is_told_how_to_name_one(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        decide_editor(environment)
    assert "EDITOR" in caught.value.remedy


@pytest.mark.parametrize(
    ("done", "total", "cells"), [(0, 0, 0), (0, 5, 0), (1, 1000, 1), (999, 1000, 39), (5, 5, 40), (1, 2, 20)]
)
def test_the_bar_is_full_only_when_all_is_done(done: int, total: int, cells: int) -> None:
    assert render_bar(done, total) == "█" * cells + "░" * (40 - cells)


@pytest.mark.parametrize(
    ("seconds", "age"), [(-5, "now"), (0, "now"), (59, "now"), (60, "1 min"), (7199, "1 h"), (200_000, "2 d")]
)
def test_an_age_is_told_in_one_unit(seconds: float, age: str) -> None:
    assert render_age(seconds) == age
