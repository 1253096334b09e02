"""Serve the Model Context Protocol on standard input and output, for the project in this folder.

Agents start it by themselves: `planrail init --mcp` writes the entry. Ten tools: next, show, status, lint, evidence and
prime read; propose, check, done and task_new ask. None of them approves, signs off, forces or loosens anything.
"""

import io
import os
import sys
from argparse import ArgumentParser, Namespace

from planrail.mcp.serving import McpServer


def configure(parser: ArgumentParser) -> None:
    """Without options: a client is told everything by the protocol."""


def run(_arguments: Namespace) -> int:
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    McpServer(os.getcwd(), sys.stdin, sys.stdout).serve()
    return 0
