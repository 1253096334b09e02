"""What is there: plans, runs, agent sessions, approvals, and what goes on by itself.

planrail list              a few lines of each
planrail list runs         one of them, whole
"""

import sys

from planrail.base.wording import Answer, paint
from planrail.cli.main import run_module, suggest
from planrail.cli.screen import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

# Each is a module in `cli/lists`; with what its document calls that which is listed.
KINDS = {"plans": "plans", "runs": "runs", "approvals": "plans", "upcoming": "upcoming", "sessions": "sessions"}
_MOST = 9  # lines of each, where all are shown


def hand_over(words: list[str]) -> int:
    """List the kind of thing that is named; without a name, a few lines of each."""
    at = next((at for at, word in enumerate(words) if not word.startswith("-")), None)
    if at is None:
        return run_module(sys.modules[__name__], "planrail list", words)
    kind = words.pop(at)
    if kind not in KINDS:
        warn(f"there is no list of {kind!r}", suggest(kind, KINDS, "planrail list"))
        return 2
    return run_module(load_part(kind), f"planrail list {kind}", words)


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("kind", metavar="KIND", nargs="?", help=f"one of {', '.join(KINDS)}; else a few of each")
    parser.add_argument("--all", action="store_true", help="all of each, the old ones as well")
    parser.add_argument("--json", action="store_true", help="print JSON: a list by each of these names")


def run(arguments: "Namespace") -> Answer:
    """Ask each of the lists."""
    answers = {kind: load_part(kind).run(arguments) for kind in KINDS}
    told = {kind: answer.document[KINDS[kind]] for kind, answer in answers.items()}
    asked = answers["approvals"].document["requests"]
    first = "approvals" if asked else next((kind for kind in ("runs", "upcoming") if told[kind]), "plans")
    return Answer(told, _render(answers, told, is_whole=arguments.all), command=answers[first].command)


def load_part(kind: str) -> "ModuleType":
    """What has `configure(parser)` and `run(arguments)` for a kind of thing."""
    import importlib

    return importlib.import_module(f"planrail.cli.lists.{kind}_command")


def _render(
    answers: "Mapping[str, Answer]", told: "Mapping[str, Sequence[object]]", *, is_whole: bool
) -> "Iterator[str]":
    for kind, answer in answers.items():
        if not told[kind]:
            continue
        lines = [line for text in answer.lines for line in text.splitlines()]
        yield paint(kind, "bold")
        yield from (f"  {line}" for line in (lines if is_whole else lines[:_MOST]))
        if len(lines) > _MOST and not is_whole:
            yield paint(f"  … more: planrail list {kind}", "dim")
        yield ""
    nothing = [kind for kind in answers if not told[kind]]
    if nothing:
        yield paint(f"none: {', '.join(nothing)}", "dim")
