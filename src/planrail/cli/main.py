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
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

    from planrail.base.wording import Answer


# Each command is a module in a subfolder of this package, with `configure(parser)` and `run(arguments) -> int`.
_ROOMS = {
    "plans": "show next lint set plans plan refine author approve reject approvals",
    "runs": "run resume stop status runs report sign-off check done claim",
    "sessions": "sessions attach detach guard context changes undo init uninstall doctor",
    "hook": "hook statusline",
    "team": "queue upcoming schedule worker service",
}
COMMANDS = {
    "task": "from one sentence to a completed, documented task",
    "prime": "what is in hand and what is ready, in a few lines for an agent",
    "show": "what a plan says: its phases, their states and why",
    "next": "what to do next, and the command for it",
    "lint": "what is wrong with a plan, and what it cites that does not exist",
    "set": "change the status of one phase, and not one other byte",
    "plan": "let an agent write a plan, phase by phase, and another one criticise it",
    "refine": "revise what is left of a plan; what is finished stays",
    "approve": "say yes to a plan, as a person, in a terminal",
    "reject": "send a plan back, with feedback and line comments",
    "approvals": "the plans that wait for a yes, and who said yes to which text",
    "run": "carry out an approved plan: checked, verified, landed",
    "resume": "go on with a run that was killed, paused or parked",
    "stop": "stop a run and its agent",
    "status": "where a run is, what it used, whether it is stuck",
    "runs": "the runs of this project",
    "upcoming": "what goes on by itself, and when",
    "queue": "what waits for a worker, in which order, with which limits",
    "schedule": "what a schedule means, and when it fires",
    "worker": "fire schedules, and carry out what is in the queue",
    "service": "a worker that is there after every reboot",
    "report": "what a run did, with its evidence",
    "sign-off": "say that what people see is right",
    "check": "run the checks of a phase on the working tree",
    "done": "mark a phase as done, on evidence",
    "claim": "hold a plan for a process",
    "drift": "measure what a plan states against what is",
    "author": "judge one answer of a planning phase",
    "plans": "the plans of this project: list, show, open, begin, archive",
    "sessions": "the agent sessions that have a plan, or plan",
    "attach": "tie a plan to a session",
    "detach": "let go of a session's plan",
    "guard": "would this command be allowed while an agent plans?",
    "context": "how full is the window of this transcript?",
    "changes": "what changed in the tree while an agent planned",
    "undo": "take such changes back",
    "init": "connect planrail with the agents of this project",
    "doctor": "is everything well, and what is protected?",
    "uninstall": "disconnect it, and leave the project as it was",
    "hook": "answer an agent's event (called by agents)",
    "statusline": "a status line for Claude Code (called by it)",
    "memory": "what earlier plannings of this project taught",
    "demo": "the whole life of a plan, on a project that comes with planrail",
}
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
    """Run planrail and return its exit code."""
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
    """Run the command that the first word names, with the others."""
    name = arguments[0] if arguments else ""
    if name in ("-V", "--version", "version"):
        from planrail import __version__

        print(f"planrail {__version__}")
        return 0
    if name in ("", "-h", "--help", "help"):
        if name == "help" and len(arguments) > 1:
            return dispatch([arguments[1], "--help"])
        _print_overview()
        return 0
    if name not in COMMANDS:
        return _unknown(name)
    return _run(name, arguments[1:])


def load_command(name: str) -> "ModuleType":
    """The module of a command; what none of the subfolders has is in this folder."""
    import importlib

    room = next((f"{room}." for room, names in _ROOMS.items() if name in names.split()), "")
    return importlib.import_module(f"planrail.cli.{room}{name.replace('-', '_')}_command")


def _run(name: str, rest: list[str]) -> int:
    from planrail.base.errors import PlanrailError

    module = load_command(name)
    try:
        hand_over = getattr(module, "hand_over", None)  # a command that has commands of its own reads their words
        code: int = hand_over(rest) if hand_over is not None else run_module(module, f"planrail {name}", rest)
        sys.stdout.flush()
    except PlanrailError as error:
        _report(error.message, error.remedy)
        return error.exit_code
    return code


def run_module(module: "Any", name: str, rest: "Sequence[str]") -> int:
    """Let the module of a command read its words, and carry it out."""
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
    return carry_out(module, arguments)


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


def _report(message: str, remedy: str) -> None:
    from planrail.cli.screen import warn

    warn(message, remedy)


def _print_overview() -> None:
    width = max(map(len, COMMANDS))
    lines = [f"  planrail {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    print("planrail makes coding agents plan before they act, and holds them to the plan.\n")
    print("\n".join(lines))
    print("\nStart with:  planrail next PLAN.md      More on a command:  planrail COMMAND --help")


def _unknown(name: str) -> int:
    import difflib

    close = difflib.get_close_matches(name, COMMANDS, 1)
    advice = f"did you mean: planrail {close[0]}" if close else "see: planrail --help"
    _report(f"there is no command {name!r}", advice)
    return 2
