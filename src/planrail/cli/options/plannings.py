"""Who plans, and within which limits: for `planrail plan` and `planrail refine`."""

from argparse import ArgumentParser, Namespace

from planrail.agents.drivers import NAMES
from planrail.base.errors import UsageError
from planrail.base.settings import Settings

MOST_EXPLORERS = 10


def add_agent_options(parser: ArgumentParser) -> None:
    """The options about who plans, and how long they may take."""
    parser.add_argument("--agent", metavar="NAME", help="who plans: claude, codex")
    parser.add_argument("--critic", metavar="NAME", help="who criticises: another agent sees other things")
    parser.add_argument("--rounds", metavar="N", type=int, help="rounds of critique, 1 to 4")
    parser.add_argument("--explorers", metavar="N", type=int, help="how many look at the code at once, 1 to 10")
    parser.add_argument("--attempts", metavar="N", type=int, help="how often one phase may be answered, 1 to 20")
    parser.add_argument("--model", metavar="NAME", help="the model that the author uses")
    parser.add_argument("--timeout", metavar="S", type=int, help="seconds that one answer may take")


def describe_work(arguments: Namespace, settings: Settings, root: str, now: float) -> dict[str, str]:
    """What belongs to a planning beside its text: who takes part, and within which limits."""
    planning = settings.planning
    agent = arguments.agent or planning.agent
    critic = arguments.critic or planning.critic or agent
    explorers = planning.explore_agents if arguments.explorers is None else arguments.explorers
    timeout = planning.timeout * 60 if arguments.timeout is None else arguments.timeout
    check_agents(agent, critic)
    if not 1 <= explorers <= MOST_EXPLORERS:
        raise UsageError(f"{explorers} explorers cannot be had", remedy="choose 1 to 10: --explorers 3")
    if timeout < 1:
        raise UsageError(f"{timeout} seconds are no time", remedy="choose at least 1: --timeout 1800")
    return {
        "root": root,
        "agent": agent,
        "critic": critic,
        "model": arguments.model or "",
        "explorers": str(explorers),
        "timeout": str(timeout),
        "session": "",
        "created": str(now),
    }


def check_agents(*names: str) -> None:
    """Raise where one of them is none that can plan."""
    for name in names:
        if name not in NAMES:
            raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use: {', '.join(NAMES)}")


def read_attempts(arguments: Namespace, default: int) -> int:
    """How many answers one phase gets."""
    attempts = default if arguments.attempts is None else int(arguments.attempts)
    if not 1 <= attempts <= 20:
        raise UsageError(f"{attempts} is no number of attempts", remedy="choose 1 to 20: --attempts 4")
    return attempts
