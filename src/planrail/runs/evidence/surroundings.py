"""Did what checks depend on, and no commit holds, change while an agent worked? Then they prove nothing. Pure."""

import re

from planrail.runs.evidence.outside_files import become
from planrail.runs.evidence.tree_changes import name_some
from planrail.runs.model import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.runs.model import Order

# What most checks stand on, beside the programs that they name themselves.
PROGRAMS = (
    *(
        "sh",
        "bash",
        "env",
        "git",
        "make",
        "cmake",
        "ninja",
        "grep",
        "egrep",
        "sed",
        "awk",
        "test",
        "cat",
        "diff",
        "cmp",
    ),
    *("find", "sort", "wc", "head", "tail", "jq", "xargs", "ls", "timeout", "curl", "python", "python3", "pytest"),
    *("tox", "nox", "uv", "poetry", "node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "jest", "vitest", "tsc"),
    *("eslint", "cargo", "rustc", "go", "java", "javac", "mvn", "gradle", "ruby", "bundle", "rake", "rspec", "php"),
    *("composer", "dotnet", "perl", "prove", "ruff", "mypy", "gcc", "cc", "clang", "shellcheck", "mix", "swift"),
)
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_ABOUT_FILES = (
    "core.attributesfile",
    "core.excludesfile",
    "core.autocrlf",
    "core.eol",
    "core.symlinks",
    "core.worktree",
)
_MOST_WORDS = 200


def words_of(order: "Order") -> tuple[str, ...]:
    """The words of all checks of a run that may be names of programs."""
    commands = [order.test_command, *(check.command for phase in order.phases for check in phase.checks)]
    found = dict.fromkeys(word for command in commands for word in _WORD.findall(command))
    return tuple(found)[:_MOST_WORDS]


def is_about_files(setting: str) -> bool:
    """Whether a setting of git says what a file's content is."""
    return setting in _ABOUT_FILES or setting.startswith(("filter.", "extensions."))


def judge_surroundings(before: "Mapping[str, str]", after: "Mapping[str, str]") -> list[Finding]:
    """What follows where they are not the same."""
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name, "") != after.get(name, ""))
    if not changed:
        return []
    told = name_some([f"{name} ({become(before.get(name), after.get(name))})" for name in changed])
    text = f"what checks depend on was changed outside of the work, since the run began: {told}; so they prove nothing"
    return [Finding("surroundings_changed", f"{text} (nothing was undone: put it back, then run the phase again)")]
