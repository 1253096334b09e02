"""The entry of `planrail`: finds the command, runs it, and turns errors into exit codes and advice.

Only the module of the command that was asked for is imported, and a parser is built for that command alone:
`--version` costs little more than the interpreter.
"""

import gc
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Mapping, Sequence
    from types import ModuleType
    from typing import Any

    from planrail.base.wording import Answer


# Each command is a module in this package or in a folder of it, with `configure(parser)` and `run(arguments)`.
_FOLDERS = {
    "plans": "show next lint set plans plan refine author approve propose reject",
    "runs": "run resume stop status watch log report sign-off check verify done claim",
    "sessions": "attach detach guard context changes undo init uninstall doctor config setup",
    "hook": "hook statusline",
    "team": "queue schedule worker service prune",
}
GROUPS = {
    "Read a plan": {
        "show": "what a plan says: its phases, their states and why",
        "next": "what to do next, and the command for it",
        "lint": "what is wrong with a plan, and what it cites that does not exist",
    },
    "Plan": {
        "plan": "let an agent write a plan, phase by phase, and another one criticise it",
        "refine": "revise what is left of a plan; what is finished stays",
    },
    "Approve": {
        "approve": "approve a plan, as a person, in a terminal",
        "reject": "send a plan back, with feedback and line comments",
    },
    "Run": {
        "run": "carry out an approved plan: checked, verified, landed",
        "resume": "go on with a run that was killed, paused or parked",
        "stop": "stop a run and its agent",
    },
    "Look": {
        "status": "how a plan and its run stand, and what comes next",
        "watch": "the same, as it changes",
        "list": "plans, runs, approvals, sessions, and what goes on by itself",
        "board": "a local page: what waits for you, plan review, live runs, evidence",
        "report": "what a run did, with its evidence",
    },
    "Tasks": {
        "task": "from one sentence to a completed, documented task",
    },
    "Team": {
        "queue": "what waits for a worker, in which order, with which limits",
        "worker": "fire schedules, and carry out what is in the queue",
        "service": "a worker that is there after every reboot",
    },
    "Set up": {
        "setup": "find the environment and the test command of this project, and prove them",
        "init": "connect planrail with the agents of this project; `planrail uninstall` takes it back",
        "doctor": "is everything well, and what is protected?",
        "notify": "where you are told that a run needs you, and what was told",
        "config": "which settings hold here, and where each comes from",
    },
}
# Commands that may live for hours.
_LONG = ("run", "verify", "setup", "resume", "watch", "plan", "refine", "task", "worker", "mcp", "board")
FOR_SCRIPTS = "For agents and scripts"
# What agents, hooks and scripts call, and what answers name where a person needs it; `planrail help --all` shows them.
UNLISTED = {
    "plans": "the plans of this project: show, open, begin, archive one",
    "demo": "the whole life of a plan, on a project that comes with planrail",
    "sign-off": "say that what people see is right",
    "log": "what happened, step by step",
    "uninstall": "disconnect planrail from this project, and leave it as it was",
    "changes": "what changed in the tree while an agent planned",
    "undo": "take such changes back",
    "prune": "remove what no open plan and no report needs any more",
    "memory": "what earlier plannings of this project taught",
    "schedule": "what a schedule means, and when it fires",
    "prime": "what is in hand and what is ready, in a few lines for an agent",
    "set": "change the status of one phase, and not one other byte",
    "check": "run the checks of a phase on the working tree",
    "verify": "what speaks for and against a change, without a plan",
    "done": "mark a phase as done, on evidence",
    "claim": "hold a plan for a process",
    "drift": "measure what a plan states against what is",
    "propose": "ask for a person's approval of a plan, or take that back",
    "author": "judge one answer of a planning phase",
    "attach": "tie a plan to a session",
    "detach": "let go of a session's plan",
    "guard": "would this command be allowed while an agent plans?",
    "look": "run any command read-only and without network",
    "context": "how full is the window of this transcript?",
    "mcp": "serve the Model Context Protocol (called by agents)",
    "hook": "answer an agent's event (called by agents)",
    "statusline": "a status line for Claude Code (called by it)",
}
COMMANDS = {name: text for group in (*GROUPS.values(), UNLISTED) for name, text in group.items()}
# Names of 0.1, which work for one release and say the new one.
OLD_NAMES = {name: f"list {name}" for name in ("runs", "approvals", "sessions", "upcoming")}
INTERRUPTED = 130
TOOL_FAILED = 11


def entry() -> None:
    """Run planrail as a program, and leave without taking its objects apart: a tenth of the time of a large plan."""
    gc.disable()  # a command lives for a moment; looking for cycles costs a large plan a fifth of its time
    # A caller that closed a stream (`>&-`) wants to hear or say nothing; else the next file would take its place.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            if descriptor != number:
                os.dup2(descriptor, number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8"))
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)


def main(argv: "Sequence[str] | None" = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows few characters is no error
    try:
        return dispatch(arguments)
    except KeyboardInterrupt:
        from planrail.base.wording import quote

        again = " ".join(["planrail", *map(quote, arguments)])
        _report("interrupted; what was finished before is kept, and nothing more is done", f"the same again: {again}")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has left (`planrail show PLAN.md | head`): not an error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _report(*_explain(error))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return TOOL_FAILED


def dispatch(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name in ("-V", "--version", "version"):
        from planrail import __version__

        print(f"planrail {__version__}")
        return 0
    if name in ("", "-h", "--help", "help"):
        if name == "help" and arguments[1:] and not arguments[1].startswith("-"):
            return dispatch([arguments[1], "--help"])
        _print_overview(is_whole="--all" in arguments)
        return 0
    if name in OLD_NAMES:
        _report(f"`planrail {name}` is now `planrail {OLD_NAMES[name]}`; the old name goes with the next release")
        return dispatch([*OLD_NAMES[name].split(), *arguments[1:]])
    if name not in COMMANDS:
        return _unknown(name)
    return _run(name, arguments[1:])


def load_command(name: str) -> "ModuleType":
    """The module of a command; what none of the folders has is in this one."""
    import importlib

    folder = next((f"{folder}." for folder, names in _FOLDERS.items() if name in names.split()), "")
    return importlib.import_module(f"planrail.cli.{folder}{name.replace('-', '_')}_command")


def _run(name: str, rest: list[str]) -> int:
    from planrail.base.errors import PlanrailError

    module = load_command(name)
    if name in _LONG:
        gc.enable()
    try:
        hand_over = getattr(module, "hand_over", None)  # a command that has commands of its own reads their words
        code: int = hand_over(rest) if hand_over is not None else run_module(module, f"planrail {name}", rest)
        sys.stdout.flush()
    except PlanrailError as error:
        if "--json" in rest:
            from planrail.cli.refusals import tell_program

            tell_program(error, {})
        _report(error.message, error.remedy)
        return error.exit_code
    return code


def run_module(module: "Any", name: str, rest: "Sequence[str]") -> int:
    import argparse

    def as_it_is(prog: str) -> argparse.HelpFormatter:  # examples stay on lines of their own
        return argparse.RawDescriptionHelpFormatter(prog, width=_width())

    parser = argparse.ArgumentParser(prog=name, description=module.__doc__, formatter_class=as_it_is)
    module.configure(parser)
    try:
        mixes = getattr(module, "MIXES_WORDS", False)  # words and options in any order
        arguments = _parse_mixed(parser, rest, module) if mixes else parser.parse_args(rest)
    except SystemExit as stop:
        if stop.code:
            _report("nothing was done", f"{name} --help")
        return int(stop.code or 0)
    _resolve_plans(arguments)
    return carry_out(module, arguments)


def _resolve_plans(arguments: "Namespace") -> None:
    """Where a plan is named by its folder, the file in it is meant."""
    plan, plans = getattr(arguments, "plan", None), getattr(arguments, "plans", None)
    if not any(isinstance(word, str) and os.path.isdir(word) for word in (plan, *(plans or ()))):
        return
    from planrail.projects.open_plan import resolve_plan

    if plan:
        arguments.plan = resolve_plan(plan)
    if plans:
        arguments.plans = [resolve_plan(word) for word in plans]


def carry_out(module: "Any", arguments: "Namespace") -> int:
    """Run a command, and print what it answers; one that has printed everything itself answers with its exit code."""
    told: Answer | int = module.run(arguments)
    if isinstance(told, int):
        return told
    from planrail.cli.screen import show

    return show(told, as_json=getattr(arguments, "json", False))


def _width() -> int:
    """The columns of a help text. argparse would load `shutil` for that, at each start: 4 ms."""
    try:
        said = int(os.environ.get("COLUMNS", 0))
        return (said if said > 0 else os.get_terminal_size().columns or 80) - 2
    except (OSError, ValueError):
        return 78


def _parse_mixed(parser: "ArgumentParser", rest: "Sequence[str]", module: "Any") -> "Namespace":
    """Words and options in any order; behind `--` all are words, of the argument that `WORDS` names."""
    name = getattr(module, "WORDS", "")
    end = list(rest).index("--") if name and "--" in rest else len(rest)
    arguments = parser.parse_intermixed_args(rest[:end])
    if end < len(rest):
        setattr(arguments, name, [*getattr(arguments, name), *rest[end + 1 :]])
    return arguments


def _explain(error: OSError) -> tuple[str, str]:
    """What no command has expected of the machine, and what to do: a file, the current folder, or standard output."""
    why = error.strerror or str(error)
    if error.filename:
        return f"{os.fsdecode(error.filename)}: {why}; what was done before is kept", "planrail doctor"
    try:
        os.getcwd()
    except OSError:
        gone = "the folder in which this was typed is gone; what was done before is kept"
        return gone, "cd to a folder that is there, then: planrail status PLAN"
    return f"the answer could not be written: {why}", "make room, or write it elsewhere"


def _report(message: str, remedy: str = "") -> None:
    from planrail.cli.screen import warn

    warn(message, remedy)


def _print_overview(*, is_whole: bool) -> None:
    print("planrail makes coding agents plan before they act, and holds them to the plan.")
    print_groups({**GROUPS, **({FOR_SCRIPTS: UNLISTED} if is_whole else {})}, "  planrail")
    print("\nSee it work:  planrail demo      Start with:  planrail next PLAN.md")
    print("More on a command:  planrail COMMAND --help      All of them:  planrail help --all")


def print_groups(groups: "Mapping[str, Mapping[str, str]]", before: str) -> None:
    width = max(len(name) for commands in groups.values() for name in commands)
    for title, commands in groups.items():
        print(f"\n{title}")
        print("\n".join(f"{before} {name:<{width}}  {summary}" for name, summary in commands.items()))


def suggest(name: str, known: "Iterable[str]", before: str = "planrail") -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean: {before} {close[0]}" if close else f"see: {before} --help"


def _unknown(name: str) -> int:
    _report(f"there is no command {name!r}", suggest(name, COMMANDS))
    return 2
