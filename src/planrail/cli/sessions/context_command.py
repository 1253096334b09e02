"""How full an agent's context is, by its transcript (Claude Code, Codex or Gemini)."""

import os
from argparse import ArgumentParser, Namespace
from typing import Any

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import Answer, paint, quote
from planrail.hook.sessions.transcript import measure
from planrail.hook.sessions.windows import decide_window, percent_of, read_thresholds

_BAR = 40


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("transcript", metavar="TRANSCRIPT", help="the agent's transcript, a .jsonl file")
    parser.add_argument(
        "--window", metavar="N", type=int, help="the tokens that fit, instead of what the model suggests"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
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
    return _answer(told)


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


def _answer(told: dict[str, Any]) -> Answer:
    path, percent = told["transcript"], told["percent"]
    lines = [paint(complaint, "yellow") for complaint in told["complaints"]]
    if not told["known"]:
        text = f"{path} does not tell how full the context is: no answer yet, or none since the last compaction"
        command = f"planrail context {quote(path)}  (after the agent's next answer)"
        return Answer(told, [*lines, text], command=command)
    style = "red" if percent >= told["hold"] else "yellow" if percent >= told["warn"] else "green"
    filled = min(_BAR, percent * _BAR // 100)
    places = {"option": "--window", "setting": "CONTEXT_WINDOW_TOKENS", "transcript": "the transcript"}
    origin = [told["model"], f"window by {places.get(told['source'], 'the model')}"]
    origin += ["as the compaction left it"] if told["compacted"] else []
    lines += [
        f"{paint('█' * filled, style)}{paint('░' * (_BAR - filled), 'dim')} {percent} %",
        f"{told['tokens']:,} of {told['window']:,} tokens ({', '.join(filter(None, origin))})",
    ]
    if percent < told["warn"]:
        return Answer(told, lines, command="planrail next")
    lines.append(f"warning from {told['warn']} % on, the stop is held from {told['hold']} % on")
    return Answer(told, lines, command="/clear in the agent, then: planrail next")
