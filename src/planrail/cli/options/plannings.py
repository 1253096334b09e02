"""What can be said to those who plan without a session: `plan` and `refine` share it."""

from argparse import ArgumentParser, Namespace

from planrail.planning.headless.requests import PlanRequest


def add_agent_options(parser: ArgumentParser) -> None:
    parser.add_argument("--agent", metavar="NAME", default="", help="who plans: claude, codex")
    parser.add_argument("--critic", metavar="NAME", default="", help="who criticises: another agent sees other things")
    parser.add_argument("--rounds", metavar="N", type=int, help="rounds of critique, 1 to 4")
    parser.add_argument("--explorers", metavar="N", type=int, help="how many look at the code at once, 1 to 10")
    parser.add_argument("--attempts", metavar="N", type=int, help="how often one phase may be answered, 1 to 20")
    parser.add_argument("--model", metavar="NAME", default="", help="the model that the author uses")
    parser.add_argument("--timeout", metavar="S", type=int, help="seconds that one answer may take")


def read_plan_request(arguments: Namespace, **more: object) -> PlanRequest:
    names = ("agent", "critic", "rounds", "explorers", "attempts", "model", "timeout")
    return PlanRequest(**{name: getattr(arguments, name) for name in names}, **more)  # type: ignore[arg-type]
