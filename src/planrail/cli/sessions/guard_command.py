"""Judge tool calls as for a session that plans: may this run before the plan is approved?"""

import json
import os
import sys

from planrail.base.errors import UsageError
from planrail.base.wording import paint, quote
from planrail.cli.screen import print_next, say
from planrail.git.embedded import planning_policy
from planrail.guard.judging import GuardVerdict
from planrail.guard.second_opinion import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("command", metavar="COMMAND", nargs="?", help="one shell command, quoted")
    parser.add_argument(
        "--json",
        action="store_true",
        help="JSON lines on standard input, one answer a line: tool and input of each call",
    )


def run(arguments: "Namespace") -> int:
    if arguments.command is not None:
        return _judge_one(arguments.command, as_json=arguments.json)
    if not arguments.json:
        raise UsageError("a command to judge is needed", remedy="planrail guard 'git log | head'")
    for line in sys.stdin.buffer:
        if line.strip():
            _print_verdict(_judge_line(line))
    return 0


def _judge_one(command: str, *, as_json: bool) -> int:
    verdict = decide("Bash", {"command": command}, planning_policy(os.getcwd()))
    allowed = verdict.decision == "allow"
    if as_json:
        _print_verdict(verdict)
        return 0 if allowed else 1
    say(paint("allowed", "green") if allowed else f"{paint('denied', 'red')}: {verdict.reason}")
    print_next(f"planrail guard {quote('git log | head')}")
    return 0 if allowed else 1


def _judge_line(line: bytes) -> GuardVerdict:
    try:
        call = json.loads(line)
        tool, tool_input = call["tool"], call["input"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return GuardVerdict(
            "deny", 'this line is no tool call; write {"tool": "Bash", "input": {"command": "git log"}}'
        )
    if not isinstance(tool, str) or not isinstance(tool_input, dict):
        return GuardVerdict("deny", "this line is no tool call: `tool` must be a text and `input` an object")
    return decide(tool, tool_input, planning_policy(os.getcwd()))


def _print_verdict(verdict: GuardVerdict) -> None:
    sys.stdout.write(json.dumps({"decision": verdict.decision, "reason": verdict.reason}) + "\n")
    sys.stdout.flush()
