"""Run any command read-only and without network: it sees this machine, and can change nothing of it.

  planrail look -- npm ls
  planrail look -- sh -c 'make -n | head'

Its home folder and its temporary files are its own, and gone afterwards; keys, logins and planrail's state are hidden.
The exit code is the command's; 11 where nothing on this machine can confine it.
With --json: {"command", "exit", "stdout", "stderr", "confined"}.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer
from planrail.confine.looking import look
from planrail.confine.trials import find_backend


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("command", metavar="COMMAND", nargs="*", help="the command and its arguments, behind --")


def run(arguments: Namespace) -> Answer | int:
    if not arguments.command:
        raise UsageError("there is no command to run", remedy="planrail look -- git status")
    backend = find_backend()
    looked = look(arguments.command, os.getcwd(), backend, os.environ, is_kept=arguments.json)
    told = {
        "command": arguments.command,
        "exit": looked.exit,
        "stdout": looked.stdout,
        "stderr": looked.stderr,
        "confined": backend.name,
    }
    return Answer(told, code=looked.exit) if arguments.json else looked.exit
