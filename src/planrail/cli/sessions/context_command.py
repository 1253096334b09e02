"""How full an agent's context is, by its transcript (Claude Code, Codex or Gemini)."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.hook.sessions.transcript import Usage, measure
from planrail.hook.sessions.windows import Thresholds, decide_window, percent_of, read_thresholds

_BAR = 40


@record
class _Fill:
    """The answer, before it is printed. `source` says where the window is from."""

    tokens: int
    window: int
    percent: int
    source: str


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
    fill = _fill(usage, option=arguments.window, setting=thresholds.window)
    if arguments.json:
        print_json(_describe(arguments.transcript, usage, fill, thresholds))
    else:
        _print(arguments.transcript, usage, fill, thresholds)
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


def _fill(usage: Usage | None, *, option: int | None, setting: int | None) -> _Fill:
    recorded = usage.window if usage else None
    window = option or decide_window(
        statusline=None, setting=setting, codex=recorded, model=usage.model if usage else ""
    )
    witnesses = (("option", option), ("setting", setting), ("transcript", recorded))
    source = next((name for name, value in witnesses if value), "model")
    tokens = usage.tokens if usage else 0
    return _Fill(tokens, window, percent_of(tokens, window), source)


def _describe(path: str, usage: Usage | None, fill: _Fill, thresholds: Thresholds) -> dict[str, object]:
    return {
        "transcript": path,
        "tokens": fill.tokens,
        "window": fill.window,
        "percent": fill.percent,
        "known": usage is not None,
        "model": usage.model if usage else "",
        "compacted": usage.compacted if usage else False,
        "source": fill.source,
        "warn": thresholds.warn,
        "hold": thresholds.hold,
        "complaints": thresholds.complaints,
    }


def _print(path: str, usage: Usage | None, fill: _Fill, thresholds: Thresholds) -> None:
    for complaint in thresholds.complaints:
        say(paint(complaint, "yellow"))
    if usage is None:
        say(f"{path} does not tell how full the context is: no answer yet, or none since the last compaction")
        print_next(f"planrail context {quote(path)}  (after the agent's next answer)")
        return
    style = "red" if fill.percent >= thresholds.hold else "yellow" if fill.percent >= thresholds.warn else "green"
    filled = min(_BAR, fill.percent * _BAR // 100)
    say(f"{paint('█' * filled, style)}{paint('░' * (_BAR - filled), 'dim')} {fill.percent} %")
    say(f"{fill.tokens:,} of {fill.window:,} tokens{_origin(usage, fill)}")
    if fill.percent < thresholds.warn:
        print_next("planrail next")
    else:
        say(f"warning from {thresholds.warn} % on, the stop is held from {thresholds.hold} % on")
        print_next("/clear in the agent, then: planrail next")


def _origin(usage: Usage, fill: _Fill) -> str:
    places = {"option": "--window", "setting": "CONTEXT_WINDOW_TOKENS", "transcript": "the transcript"}
    window = f"window by {places.get(fill.source, 'the model')}"
    parts = [usage.model, window, "as the compaction left it" if usage.compacted else ""]
    return f" ({', '.join(part for part in parts if part)})"
