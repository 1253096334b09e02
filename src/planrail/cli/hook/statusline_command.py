"""Claude Code's status line: the plan, its phase and next item, and how full the window is. `planrail init` sets it up.

It reads the agent's JSON on standard input, prints one line, and never fails.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_NO_PLAN = "planrail: this plan's state cannot be read; see: planrail doctor"


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("--agent", default="claude", help="whose JSON it is (claude)")


def run(arguments: "Namespace") -> int:
    try:
        print(_line(arguments.agent, sys.stdin.buffer.read()))
    except (OSError, ValueError) as error:
        print(f"planrail: {type(error).__name__}; see: planrail doctor")
    return 0


def _line(agent: str, data: bytes) -> str:
    from planrail.base.decoding import decode
    from planrail.base.state_folder import state_folder
    from planrail.hook.sessions.statusline import remember_window, render
    from planrail.hook.sessions.store import UnreadableState, load

    value = decode(data.decode("utf-8", "replace")) if data.strip() else {}  # typed by a person
    told = value if isinstance(value, dict) else {}
    folder = state_folder()
    try:
        identity = told.get("session_id")
        session = load(folder, agent, identity) if isinstance(identity, str) and identity else None
    except UnreadableState:
        return _NO_PLAN
    line = render(told, session, os.environ)
    remember_window(folder, session, told)
    return line
