"""What agents are offered: commands that an agent may type as well, with arguments that stay arguments."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.mcp.offers import (
    PROMPTS,
    TOOLS,
    CommandCall,
    call_tool,
    fill_prompt,
    list_prompts,
    list_tools,
    read_resource,
)

# What answers for a person, forces or loosens, as a command or as an option.
FOR_PEOPLE = {
    *("approve", "reject", "sign-off", "set", "claim", "guard", "config", "init", "uninstall", "undo", "attach"),
    *("detach", "run", "resume", "stop", "queue", "worker", "service", "--force", "--withdraw", "--all", "--write"),
}


def test_there_are_ten_at_most_and_they_cost_little() -> None:
    assert len(TOOLS) <= 10
    # A token of such text is about four characters; three of them are less than any tokeniser makes of it.
    assert len(json.dumps(list_tools())) / 3 <= 1500


def test_no_tool_begins_with_what_is_for_people() -> None:
    for tool in TOOLS.values():
        assert not FOR_PEOPLE & {*tool.words, *(f"--{name}" for name in tool.options)}, tool.name


def test_what_reads_is_marked_as_such() -> None:
    marked = {tool["name"]: tool["annotations"] for tool in list_tools()}
    reading = {name for name, marks in marked.items() if isinstance(marks, dict) and marks["readOnlyHint"]}
    assert reading == {"next", "show", "status", "lint", "evidence", "prime"}


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("next", {}, "next --json --"),
        ("show", {"plan": "a b.md"}, "show --items --json -- a b.md"),
        ("show", {"plan": "--help"}, "show --items --json -- --help"),
        ("check", {"phase": "1", "plan": "p.md"}, "check --json -- p.md 1"),
        ("done", {"plan": "p.md", "phase": "1", "commit": True}, "done --commit --json -- p.md 1"),
        ("done", {"plan": "p.md", "phase": "1", "commit": False}, "done --json -- p.md 1"),
        ("task_new", {"text": "--no-commit"}, "task new --json -- --no-commit"),
        ("task_new", {"text": "-"}, "task new --json -- ./-"),
    ],
)
def test_the_command_of_a_call(tmp_path: Path, tool: str, arguments: dict[str, object], words: str) -> None:
    assert " ".join(call_tool(tool, arguments, str(tmp_path)).words) == words


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("show", {}, "needs 'plan'"),
        ("show", {"plan": 3}, "is a string"),
        ("show", {"plan": ""}, "empty"),
        ("show", {"plan": "a\0b"}, "no text"),
        ("show", {"plan": "x" * 30_000}, "too long"),
        ("show", {"plan": "../other/plan.md"}, "outside"),
        ("show", {"plan": "/etc/passwd"}, "outside"),
        ("show", {"plan": "link.md"}, "outside"),
        ("done", {"plan": "p.md", "phase": "1", "force": True}, "takes no 'force'"),
        ("done", {"plan": "p.md", "phase": "1", "commit": "--all"}, "is a boolean"),
        ("prime", {"all": True}, "takes no 'all'"),
    ],
)
def test_what_no_call_is_made_of(tmp_path: Path, tool: str, arguments: dict[str, object], why: str) -> None:
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match=why):
        call_tool(tool, arguments, str(tmp_path))


@given(
    st.sampled_from(sorted(TOOLS)),
    st.dictionaries(st.sampled_from(["plan", "phase", "text", "commit", "all"]), st.text()),
)
def test_whatever_is_said_stands_behind_the_options(tool: str, arguments: dict[str, object]) -> None:
    try:
        words = call_tool(tool, arguments, os.getcwd()).words
    except UsageError:
        return
    known, said = words[: words.index("--")], words[words.index("--") + 1 :]
    assert known == (*TOOLS[tool].words, "--json")
    assert len(said) == len(arguments)


@pytest.mark.parametrize(
    ("uri", "call"),
    [
        ("planrail://plan/a%20b.md", CommandCall(("show", "--items", "--json", "--", "a b.md"), (0, 1), "*")),
        (
            "planrail://phase/plans%2Fa.md/2.1",
            CommandCall(("show", "--items", "--json", "--", "plans/a.md"), (0, 1), "*", "2.1"),
        ),
        ("planrail://run/a.md", CommandCall(("status", "--json", "--", "a.md"), (0, 1), "*")),
        ("planrail://task/7", CommandCall(("task", "show", "--json", "--", "7"), (0, 1), "*")),
    ],
)
def test_the_command_of_a_resource(tmp_path: Path, uri: str, call: CommandCall) -> None:
    found = read_resource(uri, str(tmp_path))
    assert (found.words, found.fine, found.uri, found.phase) == (call.words, call.fine, uri, call.phase)


@pytest.mark.parametrize("uri", ["", "file:///etc/passwd", "planrail://", "planrail://plan/", "planrail://plan/..%2Fx"])
def test_what_is_no_resource(tmp_path: Path, uri: str) -> None:
    with pytest.raises(UsageError):
        read_resource(uri, str(tmp_path))


def test_prompts_say_what_they_were_given() -> None:
    assert [prompt["name"] for prompt in list_prompts()] == list(PROMPTS)
    assert "greet {name}" in json.dumps(fill_prompt("plan", {"wish": "greet {name}"}))
    with pytest.raises(UsageError):
        fill_prompt("execute", {})
