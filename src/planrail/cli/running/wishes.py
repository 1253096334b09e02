"""What a person wishes for a run: the words and options of the call, over the settings."""

from planrail.agents.drivers import ALL_NAMES
from planrail.cli.running.ordering import settled_budget
from planrail.cli.screen import quote
from planrail.errors import PlanrailError, UsageError
from planrail.records import replace
from planrail.runs.budgets import read_budget
from planrail.runs.model import Budget, Options
from planrail.settings import LANDINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from planrail.cli.running.ordering import Ground
    from planrail.runs.arguments import RunWords
    from planrail.runs.model import Order
    from planrail.settings import Settings


def add_options(parser: "ArgumentParser") -> None:
    """The options that can also be words, and those that cannot."""
    parser.add_argument("--landing", metavar="HOW", help="cherry-pick, pr or direct")
    parser.add_argument("--agent", metavar="NAME", help="who does the work: runbook, claude, codex, gemini, opencode …")
    parser.add_argument("--verifier", metavar="NAME", help="who verifies it: another agent sees other things")
    parser.add_argument("--model", metavar="NAME", help="the model that the agent uses")
    parser.add_argument("--budget", metavar="LIMITS", help='such as 5, or "money=5,tokens=200k,minutes=90,attempts=3"')
    parser.add_argument("--parallel", metavar="N", type=int, help="how many independent phases run side by side")
    parser.add_argument("--again", action="store_true", help="do the named phase once more, although it has landed")
    parser.add_argument(
        "--with-unpushed", action="store_true", help="a pull request brings commits along that its remote lacks"
    )
    parser.add_argument(
        "--wait-for-limit", action="store_true", help="at a usage limit, wait until it has passed and go on"
    )


def add_texts(parser: "ArgumentParser") -> None:
    """Which text of a plan is meant that has edits which are not committed."""
    parser.add_argument("--as-committed", action="store_true", help="run the committed text of an edited plan")


def add_words(parser: "ArgumentParser") -> None:
    """All that can be said to `planrail run`."""
    parser.add_argument(
        "words", metavar="WORD", nargs="*", help="PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]"
    )
    add_options(parser)
    add_texts(parser)
    parser.add_argument("--commit-plan", action="store_true", help="commit the plan's own file first, and run that")
    parser.add_argument("--every", metavar="SCHEDULE", help="repeat it: 4h, 30m, 'day at 9am', a cron expression")
    parser.add_argument("--submit", action="store_true", help="let a worker do it, and leave at once")
    parser.add_argument("--here", action="store_true", help="with a team's database: run it in this process")
    parser.add_argument("--wait", action="store_true", help="what was submitted: follow it until it rests")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def read_call(given: "Sequence[str]") -> "tuple[RunWords, Namespace]":
    """The words and options of a call, as `planrail run` reads them; a `UsageError` where they make no sense."""
    import argparse

    parser = argparse.ArgumentParser(prog="planrail run", exit_on_error=False)
    add_words(parser)
    try:
        arguments = parser.parse_intermixed_args(list(given))
    except (argparse.ArgumentError, SystemExit) as error:
        raise UsageError(f"{' '.join(given)!r} is nothing that can be run", remedy="planrail run --help") from error
    return read_words(arguments), arguments


def read_words(arguments: "Namespace") -> "RunWords":
    """What the words ask for; a `UsageError` where they contradict each other."""
    from planrail.runs.arguments import parse_run

    words = parse_run([*arguments.words, *(["every", arguments.every] if arguments.every else [])])
    if words.problem:
        raise UsageError(words.problem, remedy=words.remedy)
    return words


def prefer_settings(words: "RunWords", arguments: "Namespace", ground: "Ground") -> None:
    """How the work lands: by the call, then by the settings."""
    if arguments.landing is None and not words.landing:
        arguments.landing = ground.settings.run.landing
    landing = arguments.landing or words.landing
    if landing not in LANDINGS:
        raise UsageError(f"{landing!r} is no way to land", remedy="--landing cherry-pick, pr or direct")
    if landing == "direct" and ground.settings.run.main_protected:
        raise PlanrailError(
            "the target is protected ([run] main_protected), so nothing lands on it directly",
            remedy=f"planrail run {quote(ground.paper.path)} pr",
        )


def make_options(words: "RunWords", arguments: "Namespace", settings: "Settings") -> Options:
    """The options of a run; a `UsageError` where they contradict each other."""
    run = settings.run
    landing = arguments.landing or words.landing
    parallel = run.parallel if arguments.parallel is None else arguments.parallel
    agent, verifier = arguments.agent or run.agent, arguments.verifier or run.verifier
    if arguments.again and not words.phase:
        raise UsageError("--again needs the phase that is done once more", remedy="planrail run PLAN PHASE --again")
    for name in filter(None, (agent, verifier)):
        if name not in ALL_NAMES:
            known = ", ".join(ALL_NAMES)
            raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {known}")
        if name in ("command", "acp") and not getattr(run, name):
            raise UsageError(
                f"the agent {name!r} needs a command line, and [run] {name} has none",
                remedy=f'{name} = "my-agent {{prompt}}" under [run] in planrail.toml, committed',
            )
    if not 1 <= parallel <= 10:
        raise UsageError(f"--parallel {parallel} is not from 1 to 10", remedy="--parallel 2")
    return Options(
        agent=agent,
        verifier=verifier,
        model=arguments.model or run.model,
        landing=landing,
        auto=words.auto,
        finish=bool(words.finish),
        phase=words.phase or "",
        parallel=parallel if words.finish else 1,
        again=arguments.again,
        with_unpushed=getattr(arguments, "with_unpushed", False),
        budget=_budget(arguments.budget, settings),
        branch_prefix=run.branch_prefix,
        main_protected=run.main_protected,
        workspace=run.workspace,
        waits_for_limit=arguments.wait_for_limit or run.wait_for_limit,
        agent_minutes=run.timeout,
        verify_minutes=run.verify_timeout,
        check_minutes=settings.testing.timeout,
        ui_files=tuple(settings.ui.files),
        awaits_sign_off=settings.ui.sign_off,
    )


def find_contradictions(words: "RunWords", arguments: "Namespace", order: "Order") -> list[str]:
    """What a call asks for that an unfinished run was not ordered with, each as a person would say it."""
    from planrail.runs.phases.choosing import choose, done_before

    ordered = order.options
    left = {phase.id for phase in order.phases} - done_before(order)
    chosen = () if ordered.finish else choose(order, ())
    phase = ordered.phase or (chosen[0] if isinstance(chosen, tuple) and chosen else "")
    wished = {
        "phase": (words.phase, phase),
        "landing": (arguments.landing or words.landing, ordered.landing),
        "agent": (arguments.agent, ordered.agent),
        "verifier": (arguments.verifier, ordered.verifier),
        "model": (arguments.model, ordered.model),
    }
    found = [
        f"its {name} is {then or 'none in particular'}, not {now}"
        for name, (now, then) in wished.items()
        if now != then and now
    ]
    if words.finish and not ordered.finish and left - {phase}:
        found.insert(0, f"it does phase {phase} alone, and `finish` asks for all of them")
    return found


def _budget(given: str | None, settings: "Settings") -> Budget:
    """The ceilings of the settings, with those of the call in their place."""
    return merge_budgets(settled_budget(settings), read_budget(given)) if given else settled_budget(settings)


def merge_budgets(settled: Budget, given: Budget) -> Budget:
    """The given ceilings, and the settled ones where none is given."""
    for level in ("plan", "phase", "attempt"):
        ceilings, new = getattr(settled, level), getattr(given, level)
        chosen = {
            name: getattr(new, name) or getattr(ceilings, name) for name in ("money", "tokens", "minutes", "attempts")
        }
        settled = replace(settled, **{level: replace(ceilings, **chosen)})
    return settled
