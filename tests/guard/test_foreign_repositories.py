"""While an agent plans, git runs in the project's own repository, or in one whose settings name no program."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.agents.jobs.judges import read_only
from planrail.git.embedded import look_at
from planrail.guard.judging import GuardPolicy
from planrail.guard.repositories import odd_setting
from planrail.guard.second_opinion import decide
from tests.guard.corpora import load_commands
from tests.guard.planted import ENVIRONMENT, git, hook_index, plant_bare, plant_clone, plant_project


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planted") / "my project"
    plant_project(folder, folder.parent / "MARK")
    return folder


def _decide(root: Path, command: object, **more: object) -> str:
    policy = GuardPolicy((), str(root), str(root.parent / "home"), look_at(str(root)))
    return str(decide("Bash", {"command": command, **more}, policy).decision)


@pytest.mark.full
def test_no_command_makes_git_run_what_a_repository_among_the_files_names(root: Path) -> None:
    assert [command for command in load_commands("repositories") if _decide(root, command) != "deny"] == []


def test_each_of_those_commands_does_run_it_where_nobody_guards(root: Path) -> None:
    """What the test before refuses is no straw man: the mark is left. A few of them, since each starts processes."""
    marker, dull = root.parent / "MARK", []
    for command in load_commands("repositories")[::12]:
        marker.unlink(missing_ok=True)
        os.utime(root / "hooked/src/a.txt")
        subprocess.run(
            ["bash", "-c", command], cwd=root, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True
        )
        dull += [] if marker.exists() else [command]
    assert dull == []


@pytest.mark.parametrize(
    "command",
    [
        ["git", "-C", "bare", "status"],
        ["env", "git", "-C", "clone", "status"],
        ["bash", "-lc", "git -C bare status"],
        ["bash", "-lc", 'cd clone && g""it status'],
        ["nice", "git", "-C", "hooked", "status"],
        ["git", "-C", "module/bare", "status"],
    ],
)
def test_a_list_of_arguments_is_judged_like_a_line(root: Path, command: list[str]) -> None:
    assert _decide(root, command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "git ls-remote bare",
        "git ls-remote ./bare",
        "git ls-remote 'file://{root}/clone'",
        "git -C plain ls-remote origin",
        "git -C plain remote show origin",
        "planrail show clone/PLAN.md",
        "planrail lint ./clone/src/PLAN.md",
        "src=$PWD/bare; cd module && cd src && git status",
        "read -r src < folders.txt; cd src && git status",
        "for src in bare; do cd src && git status; done",
    ],
)
def test_git_is_led_to_another_repository_by_no_other_way(root: Path, command: str) -> None:
    """An address, a plan's folder, and (in zsh with CDABLE_VARS) the name of a variable."""
    assert _decide(root, command.format(root=root)) == "deny"


def test_a_relative_folder_may_be_another_one_where_cdpath_is_set(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "src").mkdir(exist_ok=True)
    assert _decide(root, "cd src && git status") == "allow"
    monkeypatch.setenv("CDPATH", str(root / "bare"))
    assert _decide(root, "cd src && git status") == "deny"
    assert _decide(root, "if true; then cd src; git status; fi") == "deny"
    assert _decide(root, "cd ./src && git status") == "allow"
    assert _decide(root, f"cd '{root}/src' && git status") == "allow"


def test_the_project_itself_may_ask_its_remotes(root: Path) -> None:
    for command in ("git ls-remote origin", "git ls-remote --heads https://example.org/x", "planrail show PLAN.md"):
        assert _decide(root, command) == "allow", command


@pytest.mark.parametrize("key", ["workdir", "cwd", "dir_path", "directory"])
def test_the_folder_that_a_tool_is_given_counts(root: Path, key: str) -> None:
    assert _decide(root, "git status", **{key: "bare"}) == "deny"
    assert _decide(root, "if true; then git status; fi", **{key: str(root / "bare")}) == "deny"
    assert _decide(root, "git status", **{key: "src"}) == "allow"
    assert _decide(root, "git status", **{key: ["bare"]}) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "g''it log -1",
        "git -C src log -1",
        "git -C . -C src status",
        "cd src && git status && cd .. && git log",
        "cd src; git status",
        'cd "$(git rev-parse --show-toplevel)" && git status',
        "git -C module status",
        "cd module && git log -1",
        "cd clone && ls",
        "cat bare/config clone/.git/config",
        "for i in 1 2; do git log -1; done",
        "(cd src && git log -1); git status",
        "git -C .git log -1",
        "find . -name '*.txt' -exec git log -1 {} \\;",
        "grep -rn git bare",
    ],
)
def test_git_goes_on_in_the_projects_own_repository_beside_others(root: Path, command: str) -> None:
    assert _decide(root, command) == "allow"


def test_every_judge_of_readers_decides_alike(root: Path) -> None:
    refuse = read_only(str(root))
    assert refuse("Bash", {"command": 'g""it -C bare status'})
    assert refuse("shell", {"command": ["git", "-C", "bare", "status"]})
    assert refuse("Bash", {"command": "git status"}) is None


def test_another_repository_with_plain_settings_may_be_read(tmp_path: Path) -> None:
    plant_clone(tmp_path / "project", tmp_path / "MARK", trap=False)
    plant_clone(tmp_path / "project/nested", tmp_path / "MARK", trap=False)
    plant_clone(tmp_path / "beside", tmp_path / "MARK", trap=False)
    for command in ("git -C nested log", "git -C ../beside log", f"cd '{tmp_path}/beside' && git status"):
        assert _decide(tmp_path / "project", command) == "allow", command


def test_one_that_appears_after_planning_began_is_seen(tmp_path: Path) -> None:
    project = tmp_path / "project"
    plant_clone(project, tmp_path / "MARK", trap=False)
    policy = GuardPolicy((), str(project), str(tmp_path), look_at(str(project)))
    call: dict[str, object] = {"command": "git -C x status"}
    assert decide("Bash", call, policy).decision == "allow"
    plant_bare(project / "x", tmp_path / "MARK")
    assert decide("Bash", call, policy).decision == "deny"


def test_a_project_without_a_repository_has_none_of_its_own(tmp_path: Path) -> None:
    plant_bare(tmp_path / "project", tmp_path / "MARK")
    assert _decide(tmp_path / "project", "git status") == "deny"
    assert _decide(tmp_path / "project/refs", "git status") == "deny"


def test_a_work_tree_of_the_project_is_its_own(tmp_path: Path) -> None:
    main = tmp_path / "main"
    plant_clone(main, tmp_path / "MARK")  # what the owner has set up is theirs
    git(main, "-c", "core.fsmonitor=false", "worktree", "add", "-q", str(tmp_path / "tree"))
    assert _decide(tmp_path / "tree", "git status") == "allow"
    assert _decide(tmp_path / "tree", f"git -C {main} status") == "allow"
    assert _decide(main, f"git -C {tmp_path}/tree status") == "allow"


def test_a_folder_that_only_borrows_the_projects_settings_is_not_the_project(tmp_path: Path) -> None:
    """Its own `config.worktree` would be read where the project has work trees with settings."""
    main = tmp_path / "main"
    plant_clone(main, tmp_path / "MARK", trap=False)
    git(main, "config", "extensions.worktreeConfig", "true")
    (main / "x").mkdir()
    (main / "x/HEAD").write_text("ref: refs/heads/main\n")
    (main / "x/commondir").write_text("../.git\n")
    (main / "x/config.worktree").write_text(f"[core]\n\tfsmonitor = touch '{tmp_path}/MARK'\n")
    assert _decide(main, "git -C x status") == "deny"


def test_a_submodule_with_a_repository_among_the_files_keeps_git_away_from_the_project(tmp_path: Path) -> None:
    """`git status` enters it: the mark is left by git in the project's own repository."""
    project, marker = tmp_path / "project", tmp_path / "MARK"
    plant_clone(project, marker, trap=False)
    plant_clone(project / "nested", marker)
    git(project, "-c", "core.fsmonitor=false", "add", "nested")
    marker.unlink(missing_ok=True)
    git(project, "status")
    assert marker.exists()
    assert _decide(project, "git status") == "deny"
    assert _decide(tmp_path, "git -C project status") == "deny"


def test_links_and_dots_lead_where_the_shell_and_git_say_they_lead(tmp_path: Path) -> None:
    """Shells take `x/..` away as text; git follows the link first. Each step is read both ways."""
    project = tmp_path / "project"
    plant_clone(project, tmp_path / "MARK", trap=False)
    plant_bare(project / "bare", tmp_path / "MARK")
    (project / "deep/a").mkdir(parents=True)
    (project / "far").symlink_to("deep/a")
    (project / "inner").symlink_to("bare/refs")
    for command in (
        "git -C inner/.. status",
        "cd far/.. && git -C inner/.. status",
        "cd far && cd .. && cd inner && git -C .. status",
        "cd -P inner && cd -P .. && git status",
        "cd inner/../bare && git status",
    ):
        assert _decide(project, command) == "deny", command


@pytest.mark.parametrize("kind", ["fifo", "huge", "pointer"])
def test_settings_that_cannot_be_read_are_a_denial_and_not_a_wait(tmp_path: Path, kind: str) -> None:
    project = tmp_path / "project"
    plant_clone(project, tmp_path / "MARK", trap=False)
    plant_bare(project / "x", tmp_path / "MARK", trap=False)
    (project / "x/config").unlink()
    if kind == "fifo":
        os.mkfifo(project / "x/config")
    elif kind == "huge":
        (project / "x/config").write_bytes(b"# " + b"x" * 100_000)
    else:
        (project / "x/config").symlink_to("/dev/zero")
    assert _decide(project, "git -C x status") == "deny"


def test_a_hook_that_readers_start_counts_and_one_of_writers_does_not(tmp_path: Path) -> None:
    project = tmp_path / "project"
    plant_clone(project, tmp_path / "MARK", trap=False)
    plant_clone(project / "nested", tmp_path / "MARK", trap=False)
    hooks = project / "nested/.git/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-push").write_text("#!/bin/sh\n")
    assert _decide(project, "git -C nested status") == "allow"
    hook_index(project / "nested/.git", tmp_path / "MARK")
    assert _decide(project, "git -C nested status") == "deny"


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tfsmonitor = x\n",
        "[core]fsmonitor=x\n",
        "[ core ]\n fsmonitor = x\n",
        "[CORE]\nFsMonitor = x",
        "[core]\nbare = false \\\n[core]\nfsmonitor = x\n",
        '[remote "a"]\nurl = x\\\n\nvcs = y\n',
        '[diff "x"]\n\ttextconv = x\n',
        "[diff]\n\texternal = x\n",
        "[include]\n\tpath = x\n",
        '[includeIf "gitdir:/"]\n\tpath = x\n',
        "[core.x]\n\tbare = true\n",
        "\ufeff[core]\nfsmonitor = x\n",
        "[core]\rfsmonitor = x\n",
        "[extensions]\n\tworktreeConfig = true\n",
        '[remote "a"]\n\tuploadpack = x\n\tpromisor = true\n',
        "[alias]\n\tst = !x\n",
        "[core]\nworktree = /\n",
        "fsmonitor = x\n",
        '[branch "a]b"]\n',
        "[core",
    ],
)
def test_a_setting_that_may_name_a_program_is_odd(text: str) -> None:
    assert odd_setting(text.encode())


def test_the_settings_that_git_itself_writes_are_plain(tmp_path: Path) -> None:
    plant_clone(tmp_path / "a", tmp_path / "MARK", trap=False)
    git(tmp_path, "clone", "-q", "a", "b")
    git(tmp_path / "b", "switch", "-q", "-c", "x/y.z")
    git(tmp_path / "b", "branch", "-q", "-u", "origin/HEAD")
    assert odd_setting((tmp_path / "b/.git/config").read_bytes()) == ""


@given(
    st.lists(
        st.sampled_from(
            [
                "[core]",
                '[remote "o"]',
                "[core] bare = true",
                "url = x",
                "bare = false",
                "# x",
                "; y",
                "",
                "  ",
                "[user]",
            ]
        )
    ),
    st.sampled_from(["fsmonitor = x", "[core] fsmonitor=x", "[core]\nfsmonitor", '[filter "x"]\nclean = y']),
    st.integers(0, 9),
)
def test_no_neighbours_hide_a_setting_that_names_a_program(lines: list[str], odd: str, at: int) -> None:
    assert odd_setting("\n".join([*lines[:at], odd, *lines[at:]]).encode())


def test_a_name_that_begins_with_a_blank_leads_git_to_no_repository_that_was_not_looked_at(root: Path) -> None:
    hidden = root / "linked/ evil"
    plant_bare(hidden, root.parent / "MARK")
    (root / "linked/.git").write_text("gitdir:  evil\n")
    assert _decide(root, "git -C linked status") == "deny"
    plant_bare(root / "common/.git/ evil", root.parent / "MARK")
    (root / "common/.git/HEAD").write_text("ref: refs/heads/main\n")
    (root / "common/.git/commondir").write_text(" evil\n")
    assert _decide(root, "git -C common status") == "deny"


def test_a_link_into_the_projects_own_git_folder_does_not_hide_a_bare_repository(root: Path) -> None:
    folder = root / "linking"
    plant_bare(folder, root.parent / "MARK")
    (folder / ".git").symlink_to(root / ".git/logs")
    assert _decide(root, "git -C linking status") == "deny"
