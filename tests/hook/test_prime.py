"""The tasks of a project across a clear: kept in a file that the hook finds, told to its sessions and to nobody else."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from planrail.agents.processes.trees import MARK
from planrail.base.primed import find_place, place_of, primed_path
from planrail.base.projects import find_project
from planrail.hook.idle import is_idle
from planrail.hook.sessions.endings import leave_ticket
from planrail.hook.sessions.state import PLAN_PENDING
from planrail.hook.sessions.world import Ticket
from planrail.store.places import common_directory
from planrail.tasks.book.task_view_files import save_prime
from tests.hook.driving import Host

_SOURCE = Path(__file__).parents[2] / "src"
_WRAPPER = _SOURCE / "planrail" / "plugin" / "hooks" / "planrail-hook"
_SAMPLES = Path(__file__).parents[3] / "shared" / "hook_samples"
_LINES = '## Tasks of this project\n\nReady (1):\n- 7 "Fix the parser"'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a state folder of its own."""
    place = tmp_path / "home"
    place.mkdir()
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", MARK):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(place / "state"))
    return place


@pytest.fixture
def project(home: Path) -> Path:
    """A repository with an open task."""
    root = make_repository(home / "project")
    save_prime(str(root), _LINES + "\n")
    return root


def make_repository(root: Path) -> Path:
    """A repository with one commit."""
    root.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    return root


def _told(home: Path, cwd: Path, source: str = "clear") -> str:
    return Host(home / "state").send("SessionStart", "s", cwd, source=source).context


def _hook(agent: str, values: Mapping[str, Any], home: Path) -> dict[str, Any]:
    """The answer of the wrapper itself, as an agent gets it."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PLANRAIL_STATE_DIR": str(home / "state")}
    environment["PLANRAIL_PYTHON"] = sys.executable
    done = subprocess.run(
        ["sh", str(_WRAPPER), agent, values["hook_event_name"]],
        input=json.dumps(values),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout) if done.stdout else {}


def test_a_session_that_lost_its_context_is_told_of_the_tasks_wherever_in_its_project_it_is(
    home: Path, project: Path
) -> None:
    """In a folder below, in another worktree, and behind a link. It keeps nothing of it."""
    (project / "src" / "deep").mkdir(parents=True)
    add = ["git", "-C", str(project), "worktree", "add", "-q", str(home / "worktree")]
    subprocess.run(add, check=True, capture_output=True)
    (home / "link").symlink_to(project)
    for cwd in (project, project / "src" / "deep", home / "worktree", home / "link"):
        assert _told(home, cwd) == _LINES
    told = {source: _told(home, project, source) for source in ("compact", "startup", "resume")}
    assert told == {"compact": _LINES, "startup": "", "resume": ""}
    assert Host(home / "state").session("s") is None


def test_a_project_without_a_repository_is_told(home: Path) -> None:
    root = home / "plain"
    (root / "below").mkdir(parents=True)
    (root / "planrail.toml").touch()
    save_prime(str(root), _LINES)
    assert _told(home, root / "below") == _LINES


def test_a_project_inside_a_repository_has_tasks_of_its_own(home: Path, project: Path) -> None:
    (project / "part").mkdir()
    (project / "part" / "planrail.toml").touch()
    assert _told(home, project / "part") == ""
    save_prime(str(project / "part"), "tasks of a part")
    assert _told(home, project / "part") == "tasks of a part"
    assert _told(home, project) == _LINES


def test_a_session_in_another_project_sees_nothing_and_is_idle(home: Path, project: Path) -> None:
    other = make_repository(home / "other")
    assert _told(home, other) == ""
    values = {"session_id": "s", "hook_event_name": "SessionStart", "cwd": str(other), "source": "clear"}
    environment = {b"HOME": os.fsencode(home)}
    assert is_idle("claude", json.dumps(values).encode(), str(home / "state"), environment)


def test_a_setting_turns_it_off_and_when_the_last_task_is_closed_nothing_is_left(home: Path, project: Path) -> None:
    (project / "planrail.toml").write_text("[tasks]\nprime = false\n", "utf-8")
    assert _told(home, project) == ""
    (project / "planrail.toml").write_text("[tasks]\nprime = true\n", "utf-8")
    assert _told(home, project) == _LINES
    for _ in range(2):
        save_prime(str(project), "")
    assert _told(home, project) == ""
    assert not list((home / "state" / "primed").iterdir())


def test_settings_that_cannot_be_read_do_not_keep_a_plan_from_coming_back(home: Path, project: Path) -> None:
    (project / "planrail.toml").write_text("[tasks\n", "utf-8")
    plan = project / "plan.md"
    plan.write_text("# A plan\n\n- [ ] a step\n", "utf-8")
    host = Host(home / "state")
    ticket = Ticket("claude", "old", str(project), at=2**33, plan=str(plan), intent=PLAN_PENDING)
    leave_ticket(host.folder, ticket)
    told = _told(home, project)
    assert "POST-CLEAR RESUME" in told
    assert _LINES not in told


def test_an_agent_that_planrail_itself_started_has_its_orders(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MARK, "1:2")
    assert _told(home, project, "compact") == ""


@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
def test_every_agent_that_tells_of_a_clear_gets_the_lines_by_its_own_wire(
    agent: str, home: Path, project: Path
) -> None:
    name = "SessionStart.clear.json" if agent == "claude" else f"{agent}/SessionStart.json"
    if not (_SAMPLES / name).is_file():
        pytest.skip("no samples of agents' events here")
    sample = json.loads((_SAMPLES / name).read_text("utf-8"))
    told = _hook(agent, {**sample, "cwd": str(project), "source": "clear"}, home)["hookSpecificOutput"]
    named = {} if agent == "gemini" else {"hookEventName": "SessionStart"}
    assert told == {**named, "additionalContext": _LINES}
    assert _hook(agent, {**sample, "cwd": str(home), "source": "clear"}, home) == {}


def test_lines_of_a_project_that_is_gone_are_forgotten(home: Path, project: Path) -> None:
    gone = home / "gone"
    gone.mkdir()
    save_prime(str(gone), "x")
    gone.rmdir()
    save_prime(str(make_repository(home / "third")), "y")
    kept = sorted(place_of(path.name) for path in (home / "state" / "primed").iterdir())
    assert kept == sorted([str(project / ".git"), str(home / "third" / ".git")])


def test_a_place_is_the_projects_root_or_its_repository(home: Path, project: Path) -> None:
    plain = home / "plain"
    plain.mkdir()
    for folder in (project, plain, home):
        root = find_project(str(folder))
        assert find_place(str(folder)) == (common_directory(root) or root)


@pytest.mark.parametrize("place", ["/a/b%c/d", "/a b/%2F", "/ü/字", "/" + "x" * 150])
def test_a_name_can_be_read_back(place: str) -> None:
    assert place_of(os.path.basename(primed_path("/s", place))) == place


def test_a_place_that_is_too_deep_for_a_name_has_one_all_the_same() -> None:
    names = {os.path.basename(primed_path("/s", f"/{'字' * 100}/{number}")) for number in range(3)}
    assert len(names) == 3
    assert all(len(name.encode()) < 255 and place_of(name) == "" for name in names)


def test_a_disk_that_cannot_be_written_stops_nobody(home: Path, project: Path) -> None:
    (home / "file").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLANRAIL_STATE_DIR", str(home / "file"))
        save_prime(str(project), "x")
