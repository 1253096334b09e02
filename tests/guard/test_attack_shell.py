"""Shell commands against the guard: more than a thousand ways to change something, and what an agent types all day."""

import json
from pathlib import Path

import pytest

from tests.guard.attacking import decide, is_allowed
from tests.guard.corpora import load_commands

_EVERYDAY = (
    "ls | head",
    "git blame src/a.txt",
    "sed -n 1,10p src/a.txt",
    "ls nowhere 2>/dev/null",
    "git -C src log",
    "find . -name x | xargs grep y",
    "git log | head -5",
    "grep -rn TODO src | head -20",
    "cat README.md",
    "cd src && ls",
)


@pytest.mark.full
@pytest.mark.parametrize("name", ["mutating", "elsewhere", "tricks", "fourth", "between_readers"])
def test_a_command_that_changes_something_is_denied(name: str) -> None:
    assert [command for command in load_commands(name) if decide(command) != "deny"] == []


def test_the_lists_are_long_enough_to_mean_something() -> None:
    assert len(load_commands("mutating")) >= 1000
    assert len(load_commands("harmless")) >= 500


def test_of_the_harmless_commands_at_most_one_in_twenty_is_denied() -> None:
    commands = load_commands("harmless")
    denied = [command for command in commands if not is_allowed(command)]
    assert len(denied) * 20 <= len(commands), denied


@pytest.mark.parametrize("name", ["exploring", "exploring_again"])
def test_of_the_commands_that_explore_at_most_three_in_a_hundred_are_denied(name: str) -> None:
    commands = load_commands(name)
    denied = [command for command in commands if not is_allowed(command)]
    assert len(denied) * 100 <= len(commands) * 3, denied


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("grep -rn --include=*.py x src", "allow"),
        ('grep -n "$x" README.md', "allow"),
        ("grep -e --filter README.md", "allow"),
        ("grep -- --filter README.md", "allow"),
        ('grep -e"$x" README.md', "allow"),
        ("ls | xargs grep --files-with-matches x", "allow"),
        ('grep -r"$x" src', "deny"),
        ('grep --fil"$x" README.md', "deny"),
        ("grep -e x --filter=y README.md", "deny"),
        ("grep -e -e --filter=y README.md", "deny"),
        ("git log HEAD^ -1", "allow"),
        ("git show HEAD^:README.md", "allow"),
        ("git log '^main' feature", "allow"),
        ("git log ^main feature", "deny"),
        ("sort ./^x", "allow"),
        ("echo a#b x^y", "allow"),
    ],
)
def test_greps_options_and_the_globs_of_zsh_are_read_as_they_run(command: str, decision: str) -> None:
    assert decide(command) == decision


@pytest.mark.parametrize(
    "command",
    [
        *("git diff --submodule=log", "git log -p --submodule=short", 'cat < "./$Y"', 'cat "$Y" | wc -l'),
        *('for f in src/*; do wc -l < "$f"; done', "f=README.md; wc -l < $f", "cat < <(git log)", "awk 1 *.md"),
        *("awk '/inet/ {print $2}' README.md", "ls | xargs awk '{print}'", "awk '{getline l; print l}' README.md"),
        *("awk 'BEGIN { while ((getline l < \"a.txt\") > 0) n++; print n }'", "awk -F '' '{print $1}' README.md"),
        *('for f in src/*.py; do awk 1 "$f"; done', "awk 'FNR==1 { getline x < FILENAME }' README.md"),
    ],
)
def test_what_only_reads_files_is_not_taken_for_a_connection(command: str) -> None:
    assert is_allowed(command)


@pytest.mark.parametrize("command", _EVERYDAY)
def test_an_everyday_command_is_allowed(command: str) -> None:
    assert is_allowed(command)


_SEPARATORS = ("; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";\n", " &&\n")
_SHAPES = ("echo $({})", 'echo "$({})"', "cat <({})", "({})", "{{ {}\n}}", "! {}", "if {}\nthen ls; fi")


def _disguised(commands: list[str]) -> list[str]:
    """Each command behind every separator and inside every construct."""
    behind = [f"ls{separator}{command}" for command in commands for separator in _SEPARATORS]
    return behind + [shape.format(command) for command in commands for shape in _SHAPES]


@pytest.mark.full
def test_a_mutating_command_is_denied_behind_every_separator_and_inside_every_construct() -> None:
    disguised = _disguised(load_commands("mutating"))[::12]
    assert [command for command in disguised if decide(command) != "deny"] == []


@pytest.mark.soak
def test_every_mutating_command_is_denied_behind_every_separator_and_inside_every_construct() -> None:
    disguised = _disguised(load_commands("mutating"))
    assert [command for command in disguised if decide(command) != "deny"] == []


def _cases(shared: Path) -> list[tuple[str, str, str]]:
    lines = (shared / "cases" / "in-session.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row.get("event") == "PreToolUse" and "truth" in row]
    rows = [row for row in rows if row["input"].get("tool_name") == "Bash"]
    return [(row["input"]["tool_input"]["command"], row["truth"], row["suggested_decision"]) for row in rows]


def test_no_mutating_command_of_the_cases_is_allowed(shared: Path) -> None:
    commands = [command for command, truth, wanted in _cases(shared) if truth.startswith("mutates") or wanted == "deny"]
    assert len(commands) > 30
    assert [command for command in commands if decide(command) != "deny"] == []


def test_of_the_harmless_commands_of_the_cases_at_most_one_in_twenty_is_denied(shared: Path) -> None:
    commands = [command for command, _, wanted in _cases(shared) if wanted == "allow"]
    denied = [command for command in commands if not is_allowed(command)]
    assert len(denied) * 20 <= len(commands), denied
