"""An agent in its workspace may do there what it likes, and writes nowhere else by name."""

from pathlib import Path
from shlex import quote

import pytest

from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.judges import WorkspaceJudge, load_judge
from tests.guard.planted import plant_bare


class World:
    """The user's repository, planrail's records in it, and a workspace elsewhere."""

    def __init__(self, base: Path) -> None:
        self.mine, self.theirs = base / "state" / "workspaces" / "w 1", base / "home" / "project"
        for folder in (self.mine / "src", self.theirs / "src"):
            folder.mkdir(parents=True)
        self.judge = WorkspaceJudge(str(self.mine), (str(self.theirs), str(base / "state"))).refuse

    def write(self, path: object, tool: str = "Write") -> str | None:
        return self.judge(tool, {"file_path": str(path), "content": "x"})

    def run(self, command: str) -> str | None:
        return self.judge("Bash", {"command": command})


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_files_are_written_in_the_workspace_alone(world: World) -> None:
    assert world.write(world.mine / "src" / "new.py") is None
    assert world.write("src/new.py", "Edit") is None
    for path in (
        world.theirs / "a.py",
        "../a.py",
        f"{world.mine}/../../a.py",
        "/etc/hosts",
        world.mine,
        f"{world.mine}x/a",
    ):
        reason = world.write(path)
        assert reason is not None, path
        assert str(world.mine) in reason


def test_a_link_that_leads_out_is_followed_first(world: World) -> None:
    (world.mine / "out").symlink_to(world.theirs)
    (world.mine / "file.py").symlink_to(world.theirs / "src" / "file.py")
    assert world.write(world.mine / "out" / "a.py") is not None
    assert world.write("file.py") is not None


def test_every_tool_that_writes_is_held_also_where_it_does_not_say_where(world: World) -> None:
    for tool in ("Edit", "MultiEdit", "NotebookEdit", "write_file", "replace"):
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        assert world.judge(tool, {key: str(world.theirs / "a")}) is not None
        assert world.judge(tool, {key: str(world.mine / "a")}) is None
    assert world.judge("Write", {"content": "x"}) is not None
    assert world.judge("apply_patch", {"input": "no patch"}) is not None
    for tool in ("Read", "Agent", "WebFetch", "TodoWrite", "Glob"):  # others are free
        assert world.judge(tool, {"file_path": "/etc/hosts"}) is None


def test_commands_are_free_in_the_workspace(world: World) -> None:
    for command in (
        "make test",
        "rm -rf build && mkdir build",
        "git commit --all --message done",
        f"echo x > '{world.mine}/src/a.py'",
        "npm install > /tmp/log 2>&1",
        'python3 -c \'open("a", "w")\'',
        "cd src && ls ..",
    ):
        assert world.run(command) is None, command


def test_a_command_that_names_a_protected_place_must_be_harmless(world: World) -> None:
    theirs = quote(str(world.theirs))
    assert world.run(f"cat {theirs}/src/a.py") is None
    assert world.run(f"git -C {theirs} log") is None
    for command in (
        f"touch {theirs}/a",
        f"git -C {theirs} commit --allow-empty -m x",
        f"git -C{theirs} push",
        f"cd {theirs} && make",
        f"echo x >{theirs}/a",
        f"touch '{world.mine}x/a'",
        f'cp a "{world.theirs}/a"',
        f"GIT_DIR={theirs}/.git git update-ref refs/heads/main HEAD",
        f"dd of={theirs}/a if=/dev/zero",
        "touch ../../../home/project/a",
        "cd ../.. && rm -rf x",
    ):
        reason = world.run(command)
        assert reason is not None, command
        assert "not yours to change" in reason


def test_a_home_that_is_spelled_otherwise_is_the_same_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    world = World(tmp_path)
    for spelled in ("~/project/a", "$HOME/project/a", "${HOME}/project/a"):
        assert world.run(f"touch {spelled}") is not None, spelled


def test_a_judge_goes_by_the_permissions_of_the_job(world: World) -> None:
    call = {"command": "touch made"}
    job = Job("claude", "a", "", str(world.mine), judge="workspace")
    assert load_judge(job)("Bash", call) is not None
    writing = Job("claude", "a", "", str(world.mine), "write", judge="workspace")
    assert load_judge(writing)("Bash", call) is None
    reading = Job("claude", "a", "", str(world.mine))
    assert load_judge(reading)("Bash", call) is not None
    assert load_judge(reading)("Bash", {"command": "git log | head -5"}) is None
    assert load_judge(reading)("Bash", {"command": 'for f in a b; do cat "$f"; done'}) is None
    assert load_judge(Job("claude", "a", "", "/", judge="heron"))("Read", {}) is not None


def test_a_reader_may_not_use_a_repository_among_the_files_that_names_a_program(world: World) -> None:
    plant_bare(world.mine / "vendor/x", world.mine.parent / "MARK")
    judge = load_judge(Job("claude", "a", "", str(world.mine)))
    assert "vendor/x" in str(judge("Bash", {"command": 'g""it -C vendor/x log'}))
    assert judge("Bash", {"command": "git log; ls vendor/x"}) is None


def test_a_place_with_spaces_in_its_name_is_protected_too(tmp_path: Path) -> None:
    (tmp_path / "my project").mkdir()
    judge = WorkspaceJudge(str(tmp_path / "w"), (str(tmp_path / "my project"),)).refuse
    assert judge("Bash", {"command": f"touch '{tmp_path}/my project/a'"}) is not None
    assert judge("Bash", {"command": f"touch '{tmp_path}/my projects/a'"}) is None
