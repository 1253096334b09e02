"""Carry out an approved plan: phase by phase, in private workspaces, checked, verified, landed.

    planrail run PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]
    planrail run now        fire the next scheduled run early
    planrail run next       when is that?

Without auto it asks a person before each phase. Kill it at any time: `planrail resume` goes on. With `every` a worker
does the next phase each time (planrail service install); with the database of a team, workers do it all.
"""

from planrail.cli.running.wishes import add_words, find_contradictions, make_options, prefer_settings, read_words
from planrail.cli.screen import quote, say, warn
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
    add_words(parser)


def run(arguments: "Namespace") -> int:
    """Start a run, schedule it, submit it, or go on with the one that this plan has."""
    words = read_words(arguments)
    if arguments.here and (arguments.submit or arguments.wait):
        raise UsageError("--here runs it in this process: nothing is submitted", remedy="leave out --submit and --wait")
    if words.subcommand in ("stop", "status"):
        return _other(words.subcommand, [words.plan] if words.plan else [], arguments)
    if words.subcommand == "next":
        return _other("upcoming", [], arguments)
    if words.subcommand == "now":
        return _fire_now(arguments)
    from planrail.cli.open_plan import find_plan
    from planrail.cli.running.ordering import read_ground, refuse_uncommitted

    ground = read_ground(words.plan or find_plan(command="run"))
    if _unfinished(ground) is None:
        refuse_uncommitted(ground.root)
    ground = _settle(ground, words, arguments)
    if words.every:
        from planrail.cli.running.scheduling import name_schedule, schedule_run, tell_schedule

        _refuse(_order(words, arguments, ground), ground)
        row = schedule_run(ground, words, arguments)
        if not words.now:
            return tell_schedule(ground, row, is_json=arguments.json)
        warn(f"{ground.paper.path} goes on {name_schedule(row)}, and now")
    return _run_now(words, arguments, ground)


def _settle(ground: "Ground", words: "RunWords", arguments: "Namespace") -> "Ground":
    """The plan with the text that is meant, where it has edits that are not committed."""
    from planrail.cli.running.plan_texts import Call, settle_text

    if not ground.edits:
        return ground
    from planrail.cli.running.submitting import compose_wish

    _, *said = compose_wish(ground, words, arguments).words
    said += ["now"] * bool(words.every and words.now) + ["--every", words.every] * bool(words.every)
    said += [f"--{name}" for name in ("here", "submit", "wait", "json") if getattr(arguments, name)]
    typed = ("run", ground.paper.source.path, *said)
    call = Call(typed, is_new=_unfinished(ground) is None, auto=words.auto)
    return settle_text(ground, arguments, call, lambda edited: _refuse(_order(words, arguments, edited), edited))


def _run_now(words: "RunWords", arguments: "Namespace", ground: "Ground") -> int:
    """Here, or by a worker."""
    from planrail.ledger.team import find_team

    if not arguments.here and (arguments.submit or find_team(ground.root) is not None):
        from planrail.cli.running.submitting import submit_run

        return submit_run(ground, words, arguments)
    unfinished = _unfinished(ground)
    if unfinished is not None:
        return _take_up(unfinished, ground, words, arguments)
    order = _order(words, arguments, ground)
    _refuse(order, ground)
    from planrail.cli.running.conducting import begin
    from planrail.cli.running.ordering import note_unheard

    if unheard := note_unheard(ground):
        warn(unheard)
    return begin(order, ground, is_json=arguments.json)


def _order(words: "RunWords", arguments: "Namespace", ground: "Ground") -> "Order":
    from planrail.cli.running.ordering import make_order

    prefer_settings(words, arguments, ground)
    return make_order(ground, make_options(words, arguments, ground.settings))


def _fire_now(arguments: "Namespace") -> int:
    """The schedule that fires next does so now, and stays as it is."""
    import os

    from planrail.cli.approval.book import project_root
    from planrail.cli.running.ordering import read_ground
    from planrail.cli.running.scheduling import find_next_schedule, spend_early
    from planrail.cli.running.wishes import read_call

    root = project_root(os.getcwd())
    row = find_next_schedule(root)
    ground = read_ground(os.path.join(root, row.path), target=row.target)
    words, wished = read_call(row.wish.words)
    for name in ("json", "here", "submit", "wait"):
        setattr(wished, name, getattr(arguments, name))
    ground = _settle(ground, words, wished)
    spend_early(root, row)
    return _run_now(words, wished, ground)


def _other(name: str, words: list[str], arguments: "Namespace") -> int:
    """`run PLAN status`, `run stop` and `run next` are the commands of those names."""
    import argparse
    import importlib

    module = importlib.import_module(f"planrail.cli.{name}_command")
    parser = argparse.ArgumentParser(prog=f"planrail {name}")
    module.configure(parser)
    code: int = module.run(parser.parse_args([*words, *(["--json"] if arguments.json else [])]))
    return code


def _unfinished(ground: "Ground") -> "RunState | None":
    from planrail.ledger.run_folders import list_runs

    runs = [run for run in list_runs(ground.root) if run.order.plan == ground.paper.id and not run.is_over]
    return runs[0] if runs else None


def _take_up(unfinished: "RunState", ground: "Ground", words: "RunWords", arguments: "Namespace") -> int:
    """A plan has one run: the one that is there goes on, as it was ordered."""
    from planrail.cli.resume_command import resume_run
    from planrail.cli.running.homes import refuse_elsewhere

    refuse_elsewhere(unfinished.order, ground.root)
    others = find_contradictions(words, arguments, unfinished.order)
    if unfinished.order.target != ground.target:
        then, now = (ref.removeprefix("refs/heads/") for ref in (unfinished.order.target, ground.target))
        others.append(f"its target is {then}, not {now}")
    if others:
        path = quote(ground.paper.path)
        raise PlanrailError(
            f"a run of {ground.paper.path} has not ended, and was ordered otherwise: {'; '.join(others)}",
            remedy=f"planrail resume {path} goes on as it was ordered; to begin anew: planrail stop {path}",
        )
    if not unfinished.is_live and not arguments.json:
        path = quote(ground.paper.path)
        say(f"a run of {path} has not ended: it goes on as it was ordered. To begin anew: planrail stop {path}")
    return resume_run(unfinished, ground, arguments, auto=words.auto)


def _refuse(order: "Order", ground: "Ground") -> None:
    """What can be seen before anything begins: the state of the repository, the phase, the approval."""
    from planrail.cli.running.preflight import refuse_run

    refusal = refuse_run(order, ground)
    if refusal is not None:
        kinds = {"usage": UsageError, "unreadable": UnreadablePlan}
        raise kinds.get(refusal.reason, PlanrailError)(refusal.text, remedy=refusal.command)
