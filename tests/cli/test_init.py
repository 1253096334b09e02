"""`planrail init` connects agents, and keeps what a user has."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.install.json import RULES, holds, take_out
from planrail.install.targets import InstallPlace, hook_command, make_target, wrapper_path
from tests.cli.installations import ALL, LOCAL, MINE, Project, walk
from tests.cli.processes import planrail


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_at_most_six_files_are_written_and_each_is_listed(project: Project) -> None:
    before = project.look()
    assert LOCAL in project.run("init", "--dry-run").stdout
    assert project.look() == before
    assert list(Path(os.environ["PLANRAIL_STATE_DIR"]).iterdir()) == []
    (project.root / "deep/down").mkdir(parents=True)
    done = planrail(
        "init",
        "--agent",
        ALL,
        "--settings",
        cwd=project.root / "deep/down",
        HOME=str(project.home),
        XDG_CONFIG_HOME=str(project.home),
    )
    written = [path for path in walk(project.root) if path.is_file()]
    assert (done.returncode, len(written) <= 6, project.root / LOCAL in written) == (0, True, True)
    assert all(str(path.relative_to(project.root)) in done.stdout for path in written)
    assert done.stdout.rstrip().endswith("planrail doctor")


def test_agents_are_found_by_their_folders(project: Project) -> None:
    (project.root / ".gemini").mkdir()
    (project.home / ".codex").mkdir()
    files = json.loads(project.run("init", "--json").stdout)["files"]
    assert [file["agent"] for file in files] == ["claude", "codex", "gemini"]
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "all")
    project.uninstall()
    project.write(".gemini/settings.json", "{}")
    assert "do not commit" in project.run("init", "--agent", "gemini").stdout
    assert project.run("init", "--agent", "claude,hal").returncode == 2


def test_what_a_user_had_is_still_there_and_entries_of_a_planrail_elsewhere_are_replaced(project: Project) -> None:
    mine = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [MINE]}]}, "env": {"A": "1"}, "model": "opus"}
    project.write(LOCAL, json.dumps(mine))
    project.init()
    now = project.local()
    assert take_out(now, mine) == mine
    assert now["hooks"]["PreToolUse"][0] == mine["hooks"]["PreToolUse"][0]  # type: ignore[index]
    project.write(LOCAL, (project.root / LOCAL).read_text().replace(wrapper_path(), "/old/place/planrail-hook"))
    project.init("--agent", "claude")
    assert "/old/place" not in (project.root / LOCAL).read_text()
    assert holds(project.local(), make_target("claude", InstallPlace(str(project.root)), {}).entries)


def test_rules_for_planrails_commands_are_offered_written_when_asked_for_kept_and_given_back(project: Project) -> None:
    mine = {"permissions": {"allow": ["Bash(make)", RULES[0]], "deny": ["WebFetch"]}}
    project.write(LOCAL, json.dumps(mine))
    assert "planrail init --allow" in project.run("init", "--agent", "claude").stdout
    assert project.local()["permissions"] == mine["permissions"]
    project.init("--agent", "claude", "--allow")
    project.init("--agent", "claude")  # an update keeps what was wanted once
    permissions = {"allow": ["Bash(make)", *RULES], "deny": ["WebFetch"]}
    assert project.local()["permissions"] == permissions
    project.uninstall()
    assert project.local() == mine


def test_a_file_that_cannot_be_understood_is_refused_before_anything_is_written(project: Project) -> None:
    for text in ("{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"env": "x"}', "// a comment\n{}", "{} {}"):
        project.write(LOCAL, text)
        before = project.look()
        done = project.run("init", "--agent", ALL)
        assert (done.returncode, project.look() == before) == (1, True), text
        assert "nothing was written" in done.stderr
        assert "→" in done.stderr


@pytest.mark.parametrize("link", ["folder", "file", "nothing"])
def test_a_link_out_of_the_project_or_to_nothing_is_refused(project: Project, link: str) -> None:
    outside = project.home / ".claude"
    outside.mkdir()
    (outside / "settings.local.json").write_text("{}")
    if link == "folder":
        (project.root / ".claude").symlink_to(outside)
    else:
        (project.root / ".claude").mkdir()
        (project.root / LOCAL).symlink_to(outside / "settings.local.json" if link == "file" else "nowhere.json")
    done = project.run("init", "--agent", "claude")
    assert (done.returncode, "leads out of the project" in done.stderr) == (1, link != "nothing")
    assert (outside / "settings.local.json").read_text() == "{}"


def test_a_script_of_the_users_own_is_not_overwritten(project: Project) -> None:
    script = project.write(".opencode/plugins/planrail.js", "export const Mine = 1\n")
    assert project.run("init", "--agent", "opencode").returncode == 1
    assert script.read_text() == "export const Mine = 1\n"


def test_a_link_inside_the_project_is_followed_and_stays_a_link(project: Project) -> None:
    project.write("shared.json", '{"model": "opus"}')
    (project.root / ".claude").mkdir()
    (project.root / LOCAL).symlink_to("../shared.json")
    before = project.look()
    project.init("--agent", "claude")
    assert (project.root / LOCAL).is_symlink()
    assert "PreToolUse" in (project.root / "shared.json").read_text()
    project.uninstall()
    assert project.look() == before


def test_what_cannot_be_finished_is_taken_back(project: Project) -> None:
    project.write(".codex", "a file where the folder should be")
    before = project.look()
    done = project.run("init", "--agent", ALL)
    assert done.returncode == 11
    assert "everything is as it was" in done.stderr
    assert project.look() == before
    assert "nothing of planrail's" in project.uninstall()


def test_inits_at_once_leave_one_installation(project: Project) -> None:
    project.write(LOCAL, '{"model": "opus"}')
    before = project.look()
    command = [sys.executable, "-m", "planrail", "init", "--agent", ALL]
    environment = {**os.environ, "HOME": str(project.home)}
    running = [
        subprocess.Popen(command, cwd=project.root, env=environment, stdout=subprocess.DEVNULL) for _ in range(8)
    ]
    assert [process.wait() for process in running] == [0] * 8
    assert "nothing was written" in project.run("init", "--agent", ALL).stdout
    project.uninstall()
    assert project.look() == before


def test_outside_a_project_it_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    done = project.run("init", cwd=tmp_path / "elsewhere")
    assert done.returncode == 1
    assert "planrail init --user" in done.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("agent", ["codex", "gemini"])
def test_an_agent_that_would_ask_twice_is_connected_once(project: Project, agent: str) -> None:
    assert project.run("init", "--user", "--agent", agent).returncode == 0
    assert "connected for all your projects" in project.run("init", "--agent", agent).stdout
    assert walk(project.root) == []


@pytest.mark.parametrize("place", ["home", "project", "local"])
def test_a_status_line_of_the_users_own_is_kept(project: Project, place: str) -> None:
    mine = {"type": "command", "command": "mine"}
    text = json.dumps({"statusLine": mine})
    if place == "home":
        (project.home / ".claude").mkdir()
        (project.home / ".claude/settings.json").write_text(text)
    else:
        project.write(".claude/settings.json" if place == "project" else LOCAL, text)
    project.init("--agent", "claude")
    assert project.local().get("statusLine") == (mine if place == "local" else None)


def test_a_hook_is_silent_once_planrail_is_removed(tmp_path: Path) -> None:
    command = hook_command("claude", "PreToolUse").replace(wrapper_path(), str(tmp_path / "gone"))
    done = subprocess.run(["sh", "-c", command], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
