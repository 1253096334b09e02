"""Carry out an approved plan: phase by phase, in private workspaces, checked, verified, landed.

    planrail run PLAN [PHASE | finish] [auto] [pr | direct]

Without auto it asks a person before each phase. Kill it at any time: `planrail resume` goes on.
"""

import sys

from planrail.cli.running.wishes import add_options, make_options
from planrail.cli.screen import quote, say
from planrail.errors import PlanrailError, UnreadablePlan, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.cli.running.ordering import Ground
    from planrail.ledger.run_folders import RunState
    from planrail.runs.arguments import RunWords
    from planrail.runs.model import Order


MIXES_WORDS = True


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("words", metavar="WORD", nargs="*", help="PLAN [PHASE | finish] [auto] [pr | direct]")
    add_options(parser)
    parser.add_argument("--every", metavar="SCHEDULE", help="repeat it, such as 4h")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: "Namespace") -> int:
    """Start a run, or go on with the one that this plan has."""
    words = _read_words(arguments)
    if words.subcommand in ("stop", "status"):
        return _other(words.subcommand, words, arguments)
    if words.every or words.subcommand in ("next", "now"):
        raise PlanrailError("planrail cannot schedule runs yet", remedy="planrail run PLAN finish auto, from cron")
    from planrail.cli.open_plan import find_plan
    from planrail.cli.running.ordering import make_order, note_unheard, read_ground

    ground = read_ground(words.plan or find_plan(command="run"))
    unfinished = _unfinished(ground)
    if unfinished is not None:
        return _take_up(unfinished, ground, words, arguments)
    _prefer_settings(words, arguments, ground)
    order = make_order(ground, make_options(words, arguments, ground.settings))
    _refuse(order, ground)
    if unheard := note_unheard(ground):
        print(f"planrail: {unheard}", file=sys.stderr)

    from planrail.cli.running.conducting import begin

    return begin(order, ground, is_json=arguments.json)


def _read_words(arguments: "Namespace") -> "RunWords":
    from planrail.runs.arguments import parse_run

    words = parse_run([*arguments.words, *(["every", arguments.every] if arguments.every else [])])
    if words.problem:
        raise UsageError(words.problem, remedy=words.remedy)
    return words


def _other(name: str, words: "RunWords", arguments: "Namespace") -> int:
    """`run PLAN status` and `run stop` are the commands of those names."""
    import argparse
    import importlib

    module = importlib.import_module(f"planrail.cli.{name}_command")
    parser = argparse.ArgumentParser(prog=f"planrail {name}")
    module.configure(parser)
    given = [*([words.plan] if words.plan else []), *(["--json"] if arguments.json else [])]
    code: int = module.run(parser.parse_args(given))
    return code


def _unfinished(ground: "Ground") -> "RunState | None":
    from planrail.ledger.run_folders import list_runs

    runs = [run for run in list_runs(ground.root) if run.order.plan == ground.paper.id and not run.is_over]
    return runs[0] if runs else None


def _take_up(unfinished: "RunState", ground: "Ground", words: "RunWords", arguments: "Namespace") -> int:
    """A plan has one run: the one that is there goes on, as it was ordered."""
    from planrail.cli.resume_command import resume_run
    from planrail.cli.running.homes import refuse_elsewhere
    from planrail.cli.running.wishes import find_contradictions

    refuse_elsewhere(unfinished.order, ground.root)
    others = ["target"] if unfinished.order.target != ground.target else []
    others += find_contradictions(words, arguments, unfinished.order.options)
    if others:
        path = quote(ground.paper.path)
        raise PlanrailError(
            f"a run of {ground.paper.path} has not ended, and was ordered with another {', '.join(others)}",
            remedy=f"planrail resume {path}, or, to begin anew: planrail stop {path}",
        )
    if not unfinished.is_live and not arguments.json:
        path = quote(ground.paper.path)
        say(f"a run of {path} has not ended: it goes on as it was ordered. To begin anew: planrail stop {path}")
    return resume_run(unfinished, ground, arguments)


def _prefer_settings(words: "RunWords", arguments: "Namespace", ground: "Ground") -> None:
    """How the work lands: by the call, then by the settings."""
    if arguments.landing is None and not words.landing:
        arguments.landing = ground.settings.run.landing
    landing = arguments.landing or words.landing
    if landing not in ("cherry-pick", "pr", "direct"):
        raise UsageError(f"{landing!r} is no way to land", remedy="--landing cherry-pick, pr or direct")
    if landing == "direct" and ground.settings.run.main_protected:
        raise PlanrailError(
            "the target is protected ([run] main_protected), so nothing lands on it directly",
            remedy=f"planrail run {quote(ground.paper.path)} pr",
        )


def _refuse(order: "Order", ground: "Ground") -> None:
    """What can be seen before anything begins: the state of the repository, the phase, the approval."""
    from planrail.cli.running.preflight import refuse_run

    refusal = refuse_run(order, ground)
    if refusal is not None:
        kinds = {"usage": UsageError, "unreadable": UnreadablePlan}
        raise kinds.get(refusal.reason, PlanrailError)(refusal.text, remedy=refusal.command)
