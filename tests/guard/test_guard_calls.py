"""Tool calls: which tools read, where writing tools may write, and that nothing at all makes the guard raise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planrail.guard.judging import MAX_LENGTH, GuardPolicy, judge, judge_tree, script_of, written_paths
from planrail.guard.repositories import Repositories
from planrail.guard.second_opinion import parse
from tests.guard.attacking import judge_quickly

_POLICY = GuardPolicy(
    ("/repo/docs/plan.md",), "/repo", "/home/me", Repositories("/repo", str), ("mcp__docs__*", "Ping")
)
_DECISIONS = ("allow", "deny", "unsure")


def _decide(tool: str, tool_input: dict[str, object], policy: GuardPolicy = _POLICY) -> str:
    return judge(tool, tool_input, policy, os.path.realpath).decision


@pytest.mark.parametrize(
    "tool",
    [
        "Read",
        "Grep",
        "WebFetch",
        "TodoWrite",
        "ExitPlanMode",
        "AskUserQuestion",
        "read_file",
        "glob",
        "webfetch",
        "Task",
    ],
)
def test_a_tool_that_reads_is_allowed(tool: str) -> None:
    assert _decide(tool, {}) == "allow"


@pytest.mark.parametrize(
    "tool",
    [
        "PowerShell",
        "Monitor",
        "RemoteTrigger",
        "SendMessage",
        "EnterWorktree",
        "CronCreate",
        "mcp__fs__write",
        "",
        "read ",
    ],
)
def test_a_tool_that_is_not_known_is_denied_and_the_way_to_allow_it_is_named(tool: str) -> None:
    verdict = judge(tool, {}, _POLICY, os.path.realpath)
    assert verdict.decision == "deny"
    assert "allow_tools" in verdict.reason


@pytest.mark.parametrize(("tool", "decision"), [("mcp__docs__search", "allow"), ("Ping", "allow"), ("Pinger", "deny")])
def test_a_person_may_name_further_tools(tool: str, decision: str) -> None:
    assert _decide(tool, {}) == decision


def test_a_running_command_may_be_looked_at_but_not_typed_into() -> None:
    assert _decide("write_stdin", {"session_id": 1, "chars": ""}) == "allow"
    assert _decide("write_stdin", {"session_id": 1, "chars": "rm x\n"}) == "deny"


def test_a_lone_star_allows_no_tool_by_accident() -> None:
    assert _decide("Deploy", {}, GuardPolicy((), "/", "/", Repositories("/", str), ("*", ""))) == "deny"


def test_a_sub_agent_with_a_copy_of_its_own_is_denied() -> None:
    assert _decide("Agent", {"prompt": "look"}) == "allow"
    assert _decide("Agent", {"prompt": "look", "isolation": "worktree"}) == "deny"


@pytest.mark.parametrize("rules", [{"mode": "acceptEdits"}, {"team_name": "builders"}])
def test_a_sub_agent_that_may_answer_to_other_rules_is_denied(rules: dict[str, object]) -> None:
    verdict = judge("Agent", {"prompt": "look", **rules}, _POLICY, os.path.realpath)
    assert (verdict.decision, *rules) == ("deny", verdict.reason.split("`")[1])


@pytest.mark.parametrize(
    ("tool", "tool_input", "decision"),
    [
        ("Skill", {"skill": "planrail:planning"}, "deny"),
        ("Skill", {"command": "planrail:planning"}, "deny"),
        ("SlashCommand", {"command": "/planrail:plan-status"}, "deny"),
        ("SlashCommand", {"command": "/deploy"}, "deny"),
        ("SlashCommand", {"command": "/deploy planrail:planning"}, "deny"),
        ("Skill", {"skill": "build"}, "deny"),
        ("Skill", {"skill": "planrail"}, "deny"),
        ("Skill", {"skill": "planrail-extras:planning"}, "deny"),
        ("Skill", {"skill": "x", "command": "planrail:planning"}, "deny"),
        ("Skill", {"skill": ["planrail:planning"]}, "deny"),
        ("Skill", {"skill": ""}, "deny"),
        ("Skill", {}, "deny"),
    ],
)
def test_no_skill_is_loaded_whatever_its_name(tool: str, tool_input: dict[str, object], decision: str) -> None:
    assert _decide(tool, tool_input) == decision


@pytest.mark.parametrize(("tool", "decision"), [("Skill", "allow"), ("SlashCommand", "deny")])
def test_a_person_may_allow_all_skills(tool: str, decision: str) -> None:
    assert _decide(tool, {"skill": "build"}, GuardPolicy((), "/", "/", Repositories("/", str), ("Skill",))) == decision


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("find . -type f", "allow"),
        ("find . -xtype l -name '-delete'", "allow"),
        ("find . -type -delete", "deny"),
        ("find . -xtype -delete", "deny"),
        ("find . -type '-delete'", "deny"),
        ("find . -type f -delete", "deny"),
    ],
)
def test_an_action_of_find_does_not_pass_as_the_value_of_a_test(command: str, decision: str) -> None:
    assert _decide("Bash", {"command": command}) == decision


@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("/repo/docs/plan.md", "allow"),
        ("docs/plan.md", "allow"),
        ("./docs/../docs/plan.md", "allow"),
        ("/repo/docs/plan.md.bak", "deny"),
        ("/repo/docs", "deny"),
        ("../docs/plan.md", "deny"),
        ("~/docs/plan.md", "deny"),
        ("docs/plan.md\0", "deny"),
        ("", "deny"),
    ],
)
@pytest.mark.parametrize("tool", ["Write", "Edit", "write_file"])
def test_a_writing_tool_may_write_the_plan_only(tool: str, path: str, decision: str) -> None:
    assert _decide(tool, {"file_path": path, "content": "x"}) == decision


@pytest.mark.parametrize(("plans", "named"), [(("/repo/docs/plan.md",), "/repo/docs/plan.md"), ((), "none yet")])
def test_who_may_not_write_is_told_which_plan_may_be_written(plans: tuple[str, ...], named: str) -> None:
    policy = GuardPolicy(plans, "/repo", "/home/me", Repositories("/repo", str))
    assert judge("Write", {"file_path": "a.py"}, policy, os.path.realpath).reason.endswith(f"may be written: {named}")


def test_a_link_is_followed_before_it_is_compared(tmp_path: Path) -> None:
    plan = tmp_path / "plan.md"
    plan.write_text("x")
    (tmp_path / "to_plan").symlink_to(plan)
    (tmp_path / "from_plan.md").symlink_to(tmp_path / "other")
    policy = GuardPolicy(
        (os.path.realpath(plan), str(tmp_path / "from_plan.md")), str(tmp_path), "/", Repositories("/", str)
    )
    assert _decide("Write", {"file_path": "to_plan"}, policy) == "allow"
    assert _decide("Write", {"file_path": "from_plan.md"}, policy) == "deny"


@pytest.mark.parametrize(
    ("body", "decision"),
    [
        ("*** Update File: docs/plan.md\n@@\n-a\n+b\n", "allow"),
        ("*** Add File: docs/plan.md\n+a\n", "allow"),
        ("*** Update File: docs/plan.md\n@@\n-a\n+b\n*** Update File: src/a.py\n@@\n-a\n+b\n", "deny"),
        ("*** Update File: docs/plan.md\n*** Move to: src/a.py\n", "deny"),
        ("*** Delete File: docs/plan.md\n", "deny"),
        (" *** Update File: src/a.py\n", "deny"),
        ("*** Rename File: docs/plan.md\n", "deny"),
        ("", "deny"),
    ],
)
def test_a_patch_may_touch_the_plan_only(body: str, decision: str) -> None:
    assert _decide("apply_patch", {"input": f"*** Begin Patch\n{body}*** End Patch"}) == decision


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("git", "use git status"),
        ("git --no-pager", "use git status"),
        ("git -C", "one quoted value"),
        ("git --version --help", "ask for it alone"),
        ("git apply a.patch", "use git apply --stat"),
        ("git config user.name me", "use git config --get"),
    ],
)
def test_a_denied_git_command_says_what_to_use_instead(command: str, instead: str) -> None:
    verdict = judge("Bash", {"command": command}, _POLICY, os.path.realpath)
    assert (verdict.decision, instead in verdict.reason) == ("deny", True), verdict


@pytest.mark.parametrize(
    "patch",
    [
        "*** Update File: docs/plan.md\n@@\n+b\n*** End Patch",
        "*** Begin Patch\n*** Update File: docs/plan.md\n@@\n+b\n*** Update File: src/a.py",
        "*** Begin Patch\n*** Update File: docs/plan.md \n@@\n+b\n*** End Patch",
        "*** Begin Patch\n*** Update File: \n@@\n+b\n*** End Patch",
        "*** Begin Patch\n*** Odd File: docs/plan.md\n@@\n+b\n*** End Patch",
        ["apply_patch", "*** Begin Patch\n*** End Patch", "more"],
        7,
    ],
)
def test_a_patch_that_is_not_understood_names_no_file(patch: object) -> None:
    assert written_paths("apply_patch", {"input": patch}) is None


def test_a_patch_is_known_by_its_text_alone() -> None:
    patch = "*** Begin Patch\n*** Update File: docs/plan.md\n@@\n+b\n*** End of File\n*** End Patch"
    assert written_paths("apply_patch", {"command": ["apply_patch", patch]}) == ["docs/plan.md"]
    assert written_paths("apply_patch", {"input": patch, "patch": patch}) is None
    assert written_paths("apply_patch", {"input": patch, "path": "docs/plan.md"}) is None
    assert written_paths("apply_patch", {"path": "docs/plan.md"}) is None


def test_a_command_that_is_too_long_to_judge_is_denied() -> None:
    assert _decide("Bash", {"command": "ls " + "a" * (MAX_LENGTH - 3)}) == "allow"
    assert _decide("Bash", {"command": "ls " + "a" * (MAX_LENGTH - 2)}) == "deny"


@pytest.mark.parametrize(
    ("tool_input", "decision"),
    [
        ({"command": "git log"}, "allow"),
        ({"command": "git log", "run_in_background": True, "description": "x"}, "allow"),
        ({"command": ["git", "log"]}, "allow"),
        ({"command": ["bash", "-lc", "git log | head"]}, "allow"),
        ({"action": {"type": "exec", "command": ["ls"]}}, "allow"),
        ({"cmd": "ls", "workdir": "/x", "shell": "/bin/bash"}, "allow"),
        ({"command": ["bash", "-lc", "for f in a; do cat $f; done"]}, "unsure"),
        ({"command": ["bash", "-lc", "ls", "x"]}, "deny"),
        ({"command": ["rm", "x"]}, "deny"),
        ({"command": ["ls; rm", "x"]}, "deny"),
        ({"command": "ls", "cmd": "rm x"}, "deny"),
        ({"command": "ls", "dangerouslyDisableSandbox": True}, "deny"),
        ({"command": "ls", "env": {"PATH": "."}}, "deny"),
        ({"cmd": "ls", "shell": "./evil"}, "deny"),
        ({"command": []}, "deny"),
        ({"command": None}, "deny"),
        ({}, "deny"),
    ],
)
@pytest.mark.parametrize("tool", ["Bash", "shell", "exec_command", "run_shell_command"])
def test_a_shell_is_judged_by_its_command_and_by_what_changes_its_meaning(
    tool: str, tool_input: dict[str, object], decision: str
) -> None:
    assert _decide(tool, tool_input) == decision


def test_the_text_for_the_second_opinion_is_the_script_itself() -> None:
    assert script_of("shell", {"command": ["bash", "-lc", "for f in a; do :; done"]}) == "for f in a; do :; done"
    assert script_of("Bash", {"command": "ls"}) == "ls"
    assert script_of("Read", {"command": "ls"}) == ""


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_keys = st.sampled_from(["command", "cmd", "file_path", "path", "edits", "input", "action", "isolation"]) | st.text(
    max_size=5
)
_tools = st.sampled_from(["Bash", "shell", "Write", "MultiEdit", "apply_patch", "Task", "Read", "mcp__x"]) | st.text(
    max_size=6
)


@pytest.mark.full
@given(_tools, st.dictionaries(_keys, _json, max_size=4) | _json)
def test_no_input_at_all_makes_the_judge_raise(tool: str, tool_input: object) -> None:
    assert judge(tool, tool_input, _POLICY, lambda path: path).decision in _DECISIONS  # type: ignore[arg-type]


@pytest.mark.parametrize("command", ["", " ", "# only a remark"])
def test_the_second_opinion_about_nothing_is_a_denial(command: str) -> None:
    assert judge_tree(command, {"Type": "File"}, _POLICY).decision == "deny"
    assert judge_tree(command, {"Type": "File", "Stmts": []}, _POLICY).decision == "deny"


@given(_json)
def test_no_tree_at_all_makes_the_second_opinion_raise_or_be_unsure(tree: object) -> None:
    assert judge_tree("ls", tree, _POLICY).decision == "deny"


@pytest.mark.parametrize(
    "statement",
    [
        {"Cmd": {"Type": "CallExpr", "Args": [], "New": 1}},
        {"Cmd": {"Type": "Invention"}},
        {"Cmd": {"Type": "CallExpr", "Args": [{"Parts": [{"Type": "Lit", "Value": "ls"}]}]}, "Coprocess": True},
        {"Cmd": {"Type": "CallExpr", "Args": [{"Parts": [{"Type": "Lit", "Value": "ls"}, {"Type": "New"}]}]}},
    ],
)
def test_a_node_or_a_field_that_is_not_known_is_denied(statement: object) -> None:
    assert judge_tree("ls", {"Type": "File", "Stmts": [statement]}, _POLICY).decision == "deny"


_PIECES = ["ls", "cat", " ", "  ", "'", '"', "$X", "$(", ")", "(", "`", ";", "|", "&&", ">", "/dev/null", "-o", "a", "\\", "\n", "#", "{", "}", "*", "touch P"]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=12).map("".join))
def test_what_is_allowed_at_once_is_correct_shell(command: str) -> None:
    if judge_quickly(command).decision != "allow":
        return
    checked = subprocess.run(["bash", "-n"], input=command.encode(), capture_output=True, check=False)
    assert checked.returncode == 0, command


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map(lambda pieces: "ls " + "".join(pieces)))
def test_what_is_allowed_at_once_is_allowed_by_the_tree_too(command: str) -> None:
    if judge_quickly(command).decision == "allow":
        assert judge_tree(command, parse(command), _POLICY).decision == "allow", command


def test_the_guard_imports_only_what_the_hook_can_afford() -> None:
    program = (
        "import os, sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        "from planrail.guard.judging import GuardPolicy, judge, judge_tree\n"
        "from planrail.guard.repositories import Repositories\n"
        "for command in ('git log | head', 'sed -n 1p f', 'awk 1 f', 'find . -exec cat {} +', 'tar tf a', '[ -f x ]', 'pip list'):\n"
        "    assert judge('Bash', {'command': command}, GuardPolicy((), '/', '/', Repositories('/', str)), str).decision == 'allow', command\n"
        "judge_tree('ls', {'Type': 'File', 'Stmts': []}, GuardPolicy((), '/', '/', Repositories('/', str)))\n"
        "print(*(name for name in set(sys.modules) - before if not name.startswith('planrail')))\n"
    )
    source = Path(__file__).parents[2] / "src"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(source)], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == []
