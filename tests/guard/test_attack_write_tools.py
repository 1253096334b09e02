"""Write tools, unknown tools and other shells' names against the guard: only the session's own plan file may change."""

import os
from pathlib import Path
from typing import Any

import pytest

from planrail.guard.judging import GuardPolicy, judge
from planrail.guard.repositories import Repositories


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "docs").mkdir(parents=True)
    (project / "src").mkdir()
    (tmp_path / "outside").mkdir()
    (project / "docs" / "plan.md").write_text("# Plan\n")
    (project / "src" / "a.py").write_text("")
    (project / "escape").symlink_to(tmp_path / "outside")
    (project / "docs" / "link.md").symlink_to("../src/a.py")
    (project / "alias").symlink_to("docs")
    return project


def _policy(project: Path, *allowed: str, plan: str = "docs/plan.md") -> GuardPolicy:
    look = Repositories(str(project), str)
    return GuardPolicy((str(project / plan),), str(project), str(project.parent), look, allowed)


def _decide(tool: str, tool_input: Any, policy: GuardPolicy) -> str:
    return str(judge(tool, tool_input, policy, os.path.realpath).decision)


_PATH_KEYS = (
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
)


@pytest.mark.parametrize(("tool", "key"), _PATH_KEYS[:3])
@pytest.mark.parametrize(
    "spelling", ["{project}/docs/plan.md", "docs/plan.md", "./docs/plan.md", "docs/../docs/plan.md"]
)
def test_the_sessions_own_plan_file_may_be_written(project: Path, tool: str, key: str, spelling: str) -> None:
    written = {key: spelling.format(project=project), "content": "x", "old_string": "a", "new_string": "b", "edits": []}
    assert _decide(tool, written, _policy(project)) == "allow"


@pytest.mark.parametrize(("tool", "key"), _PATH_KEYS)
@pytest.mark.parametrize(
    "path",
    [
        "{project}/src/a.py",
        "src/a.py",
        "README.md",
        "{project}/docs/other.md",
        "{project}/docs/plan.md.bak",
        "{project}/docs/plan.mdx",
        "{project}/docs/plan.md/x",
        "{project}/docs/plan.md/../other.md",
        "{project}/docs/plan.md/../../src/a.py",
        "{project}/docs",
        "{project}/docs/",
        "{project}/DOCS/PLAN.MD",
        "{project}/docs/PLAN.md",
        "{project}/docs/link.md",
        "{project}/escape/plan.md",
        "{project}/escape/../docs/plan.md",  # the parent of the link's target, not of the link
        "docs/plan.md\n",
        "docs/plan.md\0",
        "docs/plan.md\0.txt",
        " docs/plan.md",
        "docs/plan.md ",
        "docs/plan.md\n/etc/passwd",
        "~/docs/plan.md",
        "~/project/src/a.py",
        "$PWD/docs/other.md",
        "file://{project}/docs/plan.md",
        "/etc/passwd",
        "../outside/plan.md",
        "/proc/self/cwd/src/a.py",
        "docs\\plan.md",
        "",
        ".",
    ],
)
def test_any_other_path_is_denied(project: Path, tool: str, key: str, path: str) -> None:
    written = {key: path.format(project=project), "content": "x", "edits": []}
    assert _decide(tool, written, _policy(project)) == "deny"


def test_a_plan_file_that_is_a_link_to_elsewhere_is_denied(project: Path) -> None:
    policy = _policy(project, plan="docs/link.md")
    assert _decide("Write", {"file_path": str(project / "docs" / "link.md"), "content": ""}, policy) == "deny"


def test_a_plan_folder_that_became_a_link_to_elsewhere_is_denied(project: Path) -> None:
    policy = _policy(project, plan="escape/plan.md")
    assert _decide("Write", {"file_path": str(project / "escape" / "plan.md"), "content": ""}, policy) == "deny"


def test_a_path_is_denied_when_a_tool_that_does_not_follow_links_would_write_elsewhere(project: Path) -> None:
    (project / "docs" / "deep").mkdir()
    (project / "deep").symlink_to("docs/deep")
    # The system takes the link's parent (docs/plan.md); an editor that tidies the path first writes plan.md.
    assert _decide("Write", {"file_path": f"{project}/deep/../plan.md", "content": ""}, _policy(project)) == "deny"


@pytest.mark.parametrize(
    "tool_input",
    [None, [], "docs/plan.md", 3, {}, {"content": "x"}, {"file_path": None}, {"file_path": ["docs/plan.md"]}, {"file_path": 3},
     {"file_path": {"x": "docs/plan.md"}}, {"path": ""}, {"file_path": "docs/plan.md", "path": "src/a.py"},
     {"file_path": "docs/plan.md", "notebook_path": "src/a.py"}, {"filePath": "src/a.py", "file_path": "docs/plan.md"}],
)  # fmt: skip
@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace", "apply_patch"])
def test_a_write_without_one_clear_path_is_denied(project: Path, tool: str, tool_input: Any) -> None:
    assert _decide(tool, tool_input, _policy(project)) == "deny"


def test_a_multi_edit_that_names_a_second_file_is_denied(project: Path) -> None:
    edits = [{"file_path": "src/a.py", "old_string": "a", "new_string": "b"}]
    assert _decide("MultiEdit", {"file_path": "docs/plan.md", "edits": edits}, _policy(project)) == "deny"


def _patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


_UPDATE_PLAN = ("*** Update File: docs/plan.md", "@@", "-# Plan", "+# The plan")


@pytest.mark.parametrize("key", ["input", "patch", "command"])
@pytest.mark.parametrize(
    "patch",
    [
        _patch("*** Update File: src/a.py", "@@", "-a", "+b"),
        _patch("*** Add File: src/b.py", "+x"),
        _patch("*** Delete File: docs/plan.md"),
        _patch("*** Delete File: src/a.py"),
        _patch(*_UPDATE_PLAN, "*** Update File: src/a.py", "@@", "-a", "+b"),
        _patch(*_UPDATE_PLAN, "*** Add File: src/b.py", "+x"),
        _patch(*_UPDATE_PLAN, "*** Delete File: src/a.py"),
        _patch("*** Update File: docs/plan.md", "*** Move to: src/b.py", "@@", "-a", "+b"),
        _patch(*_UPDATE_PLAN, "   *** Add File: src/b.py", "+x"),
        _patch(*_UPDATE_PLAN, "*** Add File:  src/b.py", "+x"),
        _patch(*_UPDATE_PLAN) + "\n" + _patch("*** Add File: src/b.py", "+x"),
        _patch(*_UPDATE_PLAN).replace("\n", "\r\n") + "\r\n*** Add File: src/b.py\r\n+x",
        _patch(*_UPDATE_PLAN, "*** Add File: docs/link.md", "+x"),
        _patch("*** Update File: docs/../src/a.py", "@@", "-a", "+b"),
        _patch("*** Update File: escape/plan.md", "@@", "-a", "+b"),
        _patch(*_UPDATE_PLAN, "*** Rename File: docs/plan.md", "+x"),
        "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/src/a.py b/src/a.py\n--- a/docs/plan.md\n+++ b/docs/plan.md\n",
        "",
        "*** Begin Patch\n*** End Patch",
        "docs/plan.md",
    ],
)
def test_a_patch_that_touches_anything_but_the_plan_is_denied(project: Path, key: str, patch: str) -> None:
    assert _decide("apply_patch", {key: patch}, _policy(project)) == "deny"


def test_a_patch_of_the_plan_alone_is_allowed(project: Path) -> None:
    answers = {
        key: _decide("apply_patch", {key: _patch(*_UPDATE_PLAN)}, _policy(project))
        for key in ("input", "patch", "command")
    }
    assert "allow" in answers.values(), answers


def test_a_patch_under_two_keys_is_denied(project: Path) -> None:
    both = {"input": _patch(*_UPDATE_PLAN), "patch": _patch("*** Add File: src/b.py", "+x")}
    assert _decide("apply_patch", both, _policy(project)) == "deny"
    both = {"command": _patch(*_UPDATE_PLAN), "input": _patch("*** Add File: src/b.py", "+x")}
    assert _decide("apply_patch", both, _policy(project)) == "deny"


@pytest.mark.parametrize(
    "tool",
    ["", "FooBar", "mcp__files__write_file", "mcp__files__read_file", "mcp__", "Read ", " Read", "Read\n", "READ2", "ReadWrite", "Reads",
     "Bash2", "write", "edit", "create_file", "str_replace_editor", "EnterWorktree", "SlashCommand2", "computer", "PowerShell"],
)  # fmt: skip
def test_an_unknown_tool_is_denied(project: Path, tool: str) -> None:
    written = {
        "file_path": str(project / "src" / "a.py"),
        "command": "create",
        "path": "src/a.py",
        "filePath": "src/a.py",
    }
    assert _decide(tool, written, _policy(project)) == "deny"


def test_a_tool_that_the_person_listed_is_allowed_and_no_other(project: Path) -> None:
    policy = _policy(project, "mcp__files__read_file")
    assert _decide("mcp__files__read_file", {}, policy) == "allow"
    for tool in (
        "mcp__files__read_file2",
        "mcp__files__read_fil",
        "mcp__files__",
        "Mcp__files__read_file",
        "mcp__files__read_file\n",
    ):
        assert _decide(tool, {}, policy) == "deny"


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [("Read", {"file_path": "src/a.py"}), ("Glob", {"pattern": "**/*.py"}), ("Grep", {"pattern": "x", "path": "src"})],
)
def test_a_tool_that_only_reads_is_allowed(project: Path, tool: str, tool_input: dict[str, str]) -> None:
    assert _decide(tool, tool_input, _policy(project)) == "allow"


@pytest.mark.parametrize(
    "tool", ["Bash", "bash", "shell", "run_shell_command", "local_shell", "exec_command", "unified_exec"]
)
@pytest.mark.parametrize(
    "command",
    ["touch x", ["touch", "x"], ["bash", "-lc", "touch x"], ["sh", "-c", "touch x"], ["ls", ">", "x"], None, 3, "", [], {}, [["touch"]], ["bash", "-lc", "ls", ";touch x"]],
)  # fmt: skip
def test_a_shell_by_any_name_and_shape_is_held_to_the_rules(project: Path, tool: str, command: Any) -> None:
    if command in ("", [], ["ls", ">", "x"]):
        return  # runs nothing, or lists two files that are not there
    assert _decide(tool, {"command": command}, _policy(project)) != "allow"


def test_a_shell_command_that_writes_the_plan_itself_is_denied(project: Path) -> None:
    assert _decide("Bash", {"command": "rm docs/plan.md"}, _policy(project)) == "deny"


def test_a_second_command_beside_a_harmless_one_is_denied(project: Path) -> None:
    for key in ("cmd", "script", "input", "code"):
        assert _decide("Bash", {key: "touch x"}, _policy(project)) == "deny"
