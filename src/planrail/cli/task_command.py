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

from planrail.base.wording import Answer
from planrail.cli.main import FOR_SCRIPTS, print_groups, run_module, suggest
from planrail.cli.screen import warn
from planrail.tasks.context.context import open_context

# Each is a module in `cli/tasks`, or one of the `COMMANDS` of a module, with `configure(parser)` and
# `answer(context, arguments) -> Answer`; those that have more to tell, or other options, have `run(arguments) -> int`.
GROUPS = {
    "Begin": {
        "new": "a new task, from one sentence",
        "edit": "title, type, topic, effort, dependencies",
        "expand": "divide a task into smaller ones",
        "import": "take over a specs/ folder",
    },
    "Carry out": {
        "research": "let an agent find out what is known: opens a round",
        "plan": "let an agent write the plan, and another criticise it",
        "revise": "write the plan anew, by what was said",
        "implement": "carry out the plan: checked, verified, landed",
        "complete": "close a task whose phases are all proven",
        "orchestrate": "all of these, one after the other, for several tasks in waves",
    },
    "Look": {
        "list": "all tasks, or those of a state or topic",
        "show": "one task: its documents, phases and history",
        "waves": "in which order tasks can be done",
        "check": "do views, ledger and documents agree?",
    },
    "Put away": {
        "block": "it waits for something",
        "abandon": "it will not be done",
        "reopen": "it goes on after all",
        "archive": "put away what is completed or abandoned",
        "recover": "back from the archive; or a stage that died, finished",
    },
}
# What scripts of predecessors and agents call.
UNLISTED = {
    "update-status": "as the script of that name did",
    "validate-artifact": "is a document in its format? --fix repairs it",
    "update-phase-status": "the mark of one phase of a task's plan",
    "link-artifact": "a document that belongs to a task",
    "parse": "how the words of a call are understood",
}
COMMANDS = {name: text for group in (*GROUPS.values(), UNLISTED) for name, text in group.items()}
# What --no-commit leaves uncommitted.
_COMMITTED = {
    **dict.fromkeys(("new", "edit", "expand", "block", "abandon", "reopen", "import"), "the views"),
    **dict.fromkeys(("archive", "recover"), "the change"),
    "complete": "the summary and the views",
    "link-artifact": "it",
}
# Where commands lie that share a module, or are about documents of tasks and what other tools have written.
_MODULES = {
    **dict.fromkeys(("research", "plan", "revise"), "stage"),
    **dict.fromkeys(("block", "abandon", "reopen"), "closing"),
    **{name: f"documents.{name}" for name in ("link-artifact", "validate-artifact", "parse", "recover")},
    **{name: f"documents.{name}" for name in ("update-phase-status", "update-status", "import", "check")},
}


def hand_over(words: list[str]) -> int:
    """Carry out the command that is named; without one, say what is ready."""
    is_bare = not words or (words[0].startswith("-") and words[0] not in ("-h", "--help"))
    if is_bare:
        return call("overview", words)
    if words[0] in ("-h", "--help", "help"):
        return _help([word for word in words[1:] if word != "--all"], is_whole="--all" in words)
    if words[0] not in COMMANDS:
        return _unknown(words[0])
    return call(words[0], words[1:])


class TaskCommand:
    """A command that answers, with what all of these share: a context, JSON for programs, and whether it commits."""

    def __init__(self, name: str, module: ModuleType) -> None:
        self._name, self._module, self.__doc__ = name, module, module.__doc__
        self.MIXES_WORDS, self.WORDS = getattr(module, "MIXES_WORDS", False), getattr(module, "WORDS", "")

    def configure(self, parser: ArgumentParser) -> None:
        self._module.configure(parser)
        if self._name in _COMMITTED:
            left = f"leave {_COMMITTED[self._name]} uncommitted"
            parser.add_argument("--no-commit", action="store_true", help=left)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, arguments: Namespace) -> Answer:
        context = open_context(warn, commit=not getattr(arguments, "no_commit", False))
        answer: Answer = self._module.answer(context, arguments)
        return answer


def load_part(name: str) -> ModuleType | TaskCommand:
    """What has `configure(parser)` and `run(arguments)` for a command: its module, or its part of one."""
    module = importlib.import_module(f"planrail.cli.tasks.{_MODULES.get(name, name).replace('-', '_')}_command")
    part: ModuleType = vars(module).get("COMMANDS", {name: module})[name]
    return TaskCommand(name, part) if hasattr(part, "answer") else part


def call(name: str, words: Sequence[str]) -> int:
    title = f"planrail task {name}" if name in COMMANDS else "planrail task"
    return run_module(load_part(name), title, words)


def _help(words: list[str], *, is_whole: bool) -> int:
    if words and words[0] in COMMANDS:
        return call(words[0], ["--help"])
    print(f"usage: planrail task [COMMAND] [ARGUMENTS]\n\n{__doc__.rstrip()}")
    print_groups({**GROUPS, **({FOR_SCRIPTS: UNLISTED} if is_whole else {})}, "  planrail task")
    print("\nAll of them:  planrail task help --all")
    return 0


def _unknown(name: str) -> int:
    """Say which command was meant, as far as one can tell; a number or a sentence is shown or kept."""
    remedy = suggest(name, COMMANDS, "planrail task")
    if name.replace(",", "").replace("-", "").isdigit():
        remedy = f"planrail task show {name}"
    elif " " in name:
        remedy = "planrail task new TEXT"
    warn(f"there is no command `planrail task {name}`", remedy)
    return 2
