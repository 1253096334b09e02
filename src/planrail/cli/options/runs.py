"""What can be said about a run, by words and options; for `planrail run`, for `resume` and for tasks."""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.runs.request.requests import RunRequest, RunWords, parse_run


def add_agents(parser: ArgumentParser) -> None:
    """How the work is done."""
    parser.add_argument("--landing", metavar="HOW", help="cherry-pick, pr or direct")
    parser.add_argument("--agent", metavar="NAME", help="who does the work: runbook, claude, codex, gemini, opencode …")
    parser.add_argument("--verifier", metavar="NAME", help="who verifies it: another agent sees other things")
    parser.add_argument("--model", metavar="NAME", help="the model that the agent uses")
    parser.add_argument("--budget", metavar="LIMITS", help='such as 5, or "money=5,tokens=200k,minutes=90,attempts=3"')
    parser.add_argument("--parallel", metavar="N", type=int, help="how many independent phases run side by side")
    parser.add_argument("--here", action="store_true", help="with a team's database: run it in this process")
    parser.add_argument(
        "--wait-for-limit", action="store_true", help="at a usage limit, wait until it has passed and go on"
    )
    add_texts(parser)


def add_texts(parser: ArgumentParser) -> None:
    """Which text of a plan is meant that has edits which are not committed."""
    parser.add_argument("--as-committed", action="store_true", help="run the committed text of an edited plan")


def read_words(arguments: Namespace) -> RunWords:
    """What the words ask for; a `UsageError` where they contradict each other."""
    words = parse_run([*arguments.words, *(["every", arguments.every] if arguments.every else [])])
    if words.problem:
        raise UsageError(words.problem, remedy=words.remedy)
    return words


def read_request(arguments: Namespace, words: RunWords) -> RunRequest:
    given = {name: getattr(arguments, name) for name in ("agent", "verifier", "model", "budget")}
    return RunRequest(
        **{name: said or "" for name, said in given.items()},
        plan=words.plan,
        phase=words.phase,
        finish=bool(words.finish),
        auto=words.auto,
        landing=arguments.landing or words.landing,
        parallel=arguments.parallel,
        again=arguments.again,
        wait_for_limit=arguments.wait_for_limit,
        with_unpushed=arguments.with_unpushed,
        as_committed=arguments.as_committed,
    )
