"""The decision that counts: the guard's own, with the second opinion where it asks for one."""

from planrail.guard import second_opinion as shell_trees
from planrail.guard.judging import GuardPolicy, GuardVerdict, judge_command
from planrail.guard.places import Line
from planrail.guard.repositories import Repositories

PLAN = "/mnt/repo/docs/plan.md"
POLICY = GuardPolicy((PLAN,), "/mnt/repo", "/mnt/home", Repositories("/mnt/repo", str))


def decide(command: str, policy: GuardPolicy = POLICY) -> str:
    """`allow` or `deny`, with the second opinion where the first is unsure of itself."""
    return str(shell_trees.decide("Bash", {"command": command}, policy).decision)


def judge_quickly(command: str) -> GuardVerdict:
    """What the tokeniser alone says."""
    return judge_command(command, Line(POLICY.cwd, POLICY.home, POLICY.repositories))


def is_allowed(command: str) -> bool:
    """Whether the agent would get to run this while it plans."""
    return decide(command) == "allow"
