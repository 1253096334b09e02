"""Serve a local page for a person: what waits for you, plan review with comments, live runs, evidence, tasks, costs.

It listens on 127.0.0.1 alone, and answers who has the token of this start, which is in the link behind the #. With
--json, when it listens, one line: {"url", "token", "pid"}; data under /api/, with `Authorization: Bearer TOKEN`.
SIGTERM or Ctrl-C ends it. Needs the extra: pip install 'planrail[board]'.
"""

import hashlib
import json
import os
import sys
import webbrowser
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from planrail.approval.book import load_policy, project_root
from planrail.approval.people.terminals import find_agent
from planrail.base.errors import ToolFailed
from planrail.base.wording import Answer
from planrail.cli.main import load_command
from planrail.cli.screen import say
from planrail.team.registry import list_repositories


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--port", metavar="N", type=int, default=0, help="listen on this port; else on a free one")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--json", action="store_true", help="one line of JSON when it listens; opens no browser")


def run(arguments: Namespace) -> int:
    try:
        from planrail.board.asking import Board, BoardProject
        from planrail.board.guarding import Door, make_token
        from planrail.board.serving import BoardOffer, hold_parts, listen, serve

        hold_parts()
    except ModuleNotFoundError as missing:
        text = f"the board needs {missing.name}, which is not installed; nothing was started"
        raise ToolFailed(text, remedy="pip install 'planrail[board]'") from missing
    roots = dict.fromkeys(os.path.realpath(root) for root in (project_root(os.getcwd()), *list_repositories()))
    projects = {key: BoardProject(key, root) for root in roots if (key := _key(root))}
    agent = find_agent(os.environ, load_policy(next(iter(roots)), os.environ).agents)
    read_only = f"{agent.reason}; {agent.remedy}" if agent is not None else ""
    listening = listen(arguments.port)
    door = Door(listening.getsockname()[1], make_token(), read_only)
    url = f"{door.origin}/#{door.token}"

    def tell() -> None:
        if arguments.json:
            print(json.dumps({"url": url, "token": door.token, "pid": os.getpid()}), flush=True)
            return
        say(f"{url}\n\nThe link is for you alone: who has it can do what you can do on the page. Ctrl-C ends it.")
        sys.stdout.flush()
        if not arguments.no_open:
            webbrowser.open(url)

    serve(BoardOffer(Board(projects, read, read_only), door, tell), listening)
    return 0


def _key(root: str) -> str:
    return hashlib.sha256(os.fsencode(root)).hexdigest()[:12]


def read(root: str, words: Sequence[str]) -> Mapping[str, Any]:
    """What a command answers to a program in a project. One at a time: commands read the folder that they run in."""
    os.chdir(root)
    module, rest = load_command(words[0]), list(words[1:])
    if hasattr(module, "load_part"):  # it has commands of its own
        module = module.load_part(rest.pop(0))
    parser = ArgumentParser()
    module.configure(parser)
    told: Answer = module.run(parser.parse_args(["--json", *rest]))
    return told.document or {}
