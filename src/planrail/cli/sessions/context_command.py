"""How full an agent's context is, by its transcript (Claude Code, Codex or Gemini)."""

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.hook.sessions.transcript import measure
from planrail.hook.sessions.windows import decide_window, percent_of, read_thresholds

_BAR = 40


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("transcript", metavar="TRANSCRIPT", help="the agent's transcript, a .jsonl file")
    parser.add_argument(
        "--window", metavar="N", type=int, help="the tokens that fit, instead of what the model suggests"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    if arguments.window is not None and arguments.window <= 0:
        raise UsageError(f"a window of {arguments.window} tokens is none", remedy="--window 200000")
    _refuse_unreadable(arguments.transcript)
    usage, thresholds = measure(arguments.transcript), read_thresholds(os.environ, {})
    recorded, model = (usage.window, usage.model) if usage else (None, "")
    witnesses = (("option", arguments.window), ("setting", thresholds.window), ("transcript", recorded))
    window = arguments.window or decide_window(statusline=None, setting=thresholds.window, codex=recorded, model=model)
    tokens = usage.tokens if usage else 0
    told: dict[str, Any] = {
        "transcript": arguments.transcript,
        "tokens": tokens,
        "window": window,
        "percent": percent_of(tokens, window),
        "known": usage is not None,
        "model": model,
        "compacted": usage.compacted if usage else False,
        "source": next((name for name, value in witnesses if value), "model"),
        "warn": thresholds.warn,
        "hold": thresholds.hold,
        "complaints": thresholds.complaints,
    }
    if arguments.json:
        print_json(told)
    else:
        _print(told)
    return 0


def _refuse_unreadable(path: str) -> None:
    remedy = (
        "give the path that the agent's hooks call transcript_path, such as ~/.claude/projects/PROJECT/SESSION.jsonl"
    )
    try:
        is_file = os.path.isfile(path)
    except ValueError:  # a NUL in the path
        is_file = False
    if not is_file:
        raise PlanrailError(f"there is no file {path}", remedy=remedy)
    if not os.access(path, os.R_OK):
        raise PlanrailError(f"{path} cannot be read", remedy=f"chmod u+r {quote(path)}")


def _print(told: dict[str, Any]) -> None:
    path, percent = told["transcript"], told["percent"]
    for complaint in told["complaints"]:
        say(paint(complaint, "yellow"))
    if not told["known"]:
        say(f"{path} does not tell how full the context is: no answer yet, or none since the last compaction")
        print_next(f"planrail context {quote(path)}  (after the agent's next answer)")
        return
    style = "red" if percent >= told["hold"] else "yellow" if percent >= told["warn"] else "green"
    filled = min(_BAR, percent * _BAR // 100)
    say(f"{paint('█' * filled, style)}{paint('░' * (_BAR - filled), 'dim')} {percent} %")
    places = {"option": "--window", "setting": "CONTEXT_WINDOW_TOKENS", "transcript": "the transcript"}
    origin = [told["model"], f"window by {places.get(told['source'], 'the model')}"]
    origin += ["as the compaction left it"] if told["compacted"] else []
    say(f"{told['tokens']:,} of {told['window']:,} tokens ({', '.join(filter(None, origin))})")
    if percent < told["warn"]:
        print_next("planrail next")
    else:
        say(f"warning from {told['warn']} % on, the stop is held from {told['hold']} % on")
        print_next("/clear in the agent, then: planrail next")
