"""Only the command line reads arguments and prints, and no command is built on another.

What is shared is a request function that takes a record and returns a value, so that tasks, workers, the hook and other
programs call the same one as a command does. What is left of the old way is listed here by name: the lists can only
get shorter.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "planrail"
_TELLING = ("argparse", "redirect_std", "_command", "importlib", "print", "planrail.cli.screen")  # else: not parsed
_TEXTS = {path.relative_to(SOURCE).as_posix(): path.read_text("utf-8") for path in SOURCE.rglob("*.py")}
MODULES = {name: ast.parse(text) for name, text in _TEXTS.items() if any(word in text for word in _TELLING)}
PRINTING = {"say", "warn", "print_json", "print_next", "show"}
REDIRECTING = {"redirect_stdout", "redirect_stderr"}

# What prints without being a command: the screen itself, the entry, and the document of a refusal.
PRINTERS = {"cli/screen.py", "cli/main.py", "cli/refusals.py"}
# Programs of their own, which are no part of the process that was typed.
PROGRAMS = {
    *("agents/scripted_program.py", "runs/checks/keeper.py", "examples/greeter/src/greeter.py"),
    "confine/landlock_launcher.py",
}
# What finds a command by its name.
DISPATCHERS = {"cli/main.py", "cli/task_command.py", "cli/list_command.py"}


def is_command(name: str) -> bool:
    """Whether a module is a command, or where commands are found."""
    return name.endswith("_command.py") or name == "cli/main.py"


def reads_arguments(name: str) -> bool:
    """Whether a module may know of argparse."""
    return is_command(name) or name.startswith("cli/options/")


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Every import, wherever it stands: the module, and the name that is taken from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def find(question: str) -> set[str]:
    """The modules of which something is true."""
    return {name for name, tree in MODULES.items() if QUESTIONS[question](name, tree)}


def _knows_argparse(name: str, tree: ast.AST) -> bool:
    return not reads_arguments(name) and any(module == "argparse" for module, _ in imported(tree))


def _redirects(name: str, tree: ast.AST) -> bool:
    named = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return bool(REDIRECTING & (named | {taken for _, taken in imported(tree)}))


def _imports_a_command(name: str, tree: ast.AST) -> bool:
    return any(
        module.startswith("planrail.cli") and (module.endswith("_command") or f"{module}.{taken}" in _COMMANDS)
        for module, taken in imported(tree)
    )


def _imports_by_name(name: str, tree: ast.AST) -> bool:
    return name.startswith("cli/") and any(module.partition(".")[0] == "importlib" for module, _ in imported(tree))


def _prints(name: str, tree: ast.AST) -> bool:
    if name.startswith("cli/") and name.endswith("_command.py"):
        return False
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id == "print" for called in calls) or any(
        module == "planrail.cli.screen" and taken in PRINTING for module, taken in imported(tree)
    )


_COMMANDS = {f"planrail.{name[:-3].replace('/', '.')}" for name in _TEXTS if name.endswith("_command.py")}
QUESTIONS = {
    "knows argparse": _knows_argparse,
    "redirects what is printed": _redirects,
    "imports a command": _imports_a_command,
    "imports by name": _imports_by_name,
    "prints": _prints,
}
LEFT: dict[str, set[str]] = {
    "knows argparse": set(),
    "redirects what is printed": set(),
    "imports a command": set(),
    "imports by name": DISPATCHERS,
    "prints": PRINTERS | PROGRAMS,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_but_what_is_listed(question: str) -> None:
    assert find(question) == LEFT[question]
