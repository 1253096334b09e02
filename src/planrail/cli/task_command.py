"""The tasks of a project: from one sentence to a completed, documented task.

planrail task                      what is ready, what is blocked by what, and what to type next
planrail task new TEXT             a new task; its text is recorded, never executed
planrail task orchestrate 7,9-12   research, plan, critique, approval, run, summary
planrail task COMMAND --help       more about one of them
"""

import importlib
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from types import ModuleType

from planrail.cli.main import run_module
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show, warn
from planrail.tasks.desk.desk import open_desk

# Each is a module in `cli/tasks` with `configure(parser)` and `answer(desk, arguments) -> Answer`; those that have more
# to tell than one answer, or other options, have `run(arguments) -> int` instead.
COMMANDS = {
    "new": "a new task, from one sentence",
    "list": "all tasks, or those of a state or topic",
    "show": "one task: its documents, phases and history",
    "edit": "title, type, topic, effort, dependencies",
    "research": "let an agent find out what is known: opens a round",
    "plan": "let an agent write the plan, and another criticise it",
    "implement": "carry out the plan: checked, verified, landed",
    "complete": "close a task whose phases are all proven",
    "revise": "write the plan anew, by what was said",
    "orchestrate": "all of these, one after the other, for several tasks in waves",
    "expand": "divide a task into smaller ones",
    "block": "it waits for something",
    "abandon": "it will not be done",
    "reopen": "it goes on after all",
    "archive": "put away what is completed or abandoned",
    "recover": "back from the archive; or a stage that died, finished",
    "errors": "what went wrong, in groups, and tasks that mend it",
    "import": "take over a specs/ folder",
    "check": "do views, ledger and documents agree?",
    "update-status": "as the script of that name did",
    "validate-artifact": "is a document in its format? --fix repairs it",
    "update-phase-status": "the mark of one phase of a task's plan",
    "link-artifact": "a document that belongs to a task",
    "waves": "in which order tasks can be done",
    "parse": "how the words of a call are understood",
}
# What --no-commit leaves uncommitted.
_COMMITTED = {
    **dict.fromkeys(("new", "edit", "expand", "block", "abandon", "reopen", "import", "errors"), "the views"),
    **dict.fromkeys(("archive", "recover"), "the change"),
    "complete": "the summary and the views",
    "link-artifact": "it",
}
# These lie in a room of their own: documents of tasks, and what other tools have written.
_ABOUT_DOCUMENTS = (
    *("link-artifact", "validate-artifact", "update-phase-status", "update-status", "parse"),
    *("import", "check", "recover", "errors"),
)


def hand_over(words: list[str]) -> int:
    """Carry out the command that is named; without one, say what is ready."""
    is_bare = not words or (words[0].startswith("-") and words[0] not in ("-h", "--help"))
    if is_bare:
        return call("overview", words)
    if words[0] in ("-h", "--help", "help"):
        return _help(words[1:])
    if words[0] not in COMMANDS:
        return _unknown(words[0])
    return call(words[0], words[1:])


class Command:
    """A command that answers, with what all of these share: a desk, JSON for programs, and whether it commits."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self._name, self._module, self.__doc__ = name, module, module.__doc__
        self.MIXES_WORDS, self.WORDS = getattr(module, "MIXES_WORDS", False), getattr(module, "WORDS", "")

    def configure(self, parser: ArgumentParser) -> None:
        self._module.configure(parser)
        if self._name in _COMMITTED:
            left = f"leave {_COMMITTED[self._name]} uncommitted"
            parser.add_argument("--no-commit", action="store_true", help=left)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: Namespace) -> int:
        desk = open_desk(warn, commit=not getattr(arguments, "no_commit", False))
        return show(self._module.answer(desk, arguments), as_json=arguments.json)


def load_part(name: str) -> ModuleType | Command:
    room = "tasks.documents" if name in _ABOUT_DOCUMENTS else "tasks"
    module = importlib.import_module(f"planrail.cli.{room}.{name.replace('-', '_')}_command")
    return Command(name, module) if hasattr(module, "answer") else module


def call(name: str, words: Sequence[str]) -> int:
    title = f"planrail task {name}" if name in COMMANDS else "planrail task"
    with refusal_as_json({}, as_json="--json" in words):
        return run_module(load_part(name), title, words)


def _help(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        return call(words[0], ["--help"])
    print(f"usage: planrail task [COMMAND] [ARGUMENTS]\n\n{__doc__}\ncommands:")
    for name, text in COMMANDS.items():
        print(f"  {name:<21}{text}")
    return 0


def _unknown(name: str) -> int:
    near = _nearest(name)
    warn(f"there is no command `planrail task {name}`", f"planrail task {near or '--help'}")
    return 2


def _nearest(name: str) -> str:
    """The command that was meant, as far as one can tell; a number or a sentence is shown or kept."""
    import difflib

    if name.replace(",", "").replace("-", "").isdigit():
        return f"show {name}"
    if " " in name:
        return "new TEXT"
    found = difflib.get_close_matches(name, COMMANDS, n=1)
    return found[0] if found else ""
