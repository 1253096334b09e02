"""The decision that counts: the guard's own, with the second opinion where it asks for one."""

import os

from planrail.cli.second_opinion import parse
from planrail.sessions.guard.judging import judge, judge_tree
from planrail.sessions.guard.policy import Policy

PLAN = "/mnt/repo/docs/plan.md"
POLICY = Policy(plan_files=(PLAN,), cwd="/mnt/repo", home="/mnt/home")


def decide(command: str, policy: Policy = POLICY) -> str:
    """`allow` or `deny`, with the second opinion where the first is unsure of itself."""
    verdict = judge("Bash", {"command": command}, policy, os.path.realpath)
    if verdict.decision != "unsure":
        return str(verdict.decision)
    tree = parse(command)
    return "deny" if tree is None else str(judge_tree(command, tree, policy).decision)


def is_allowed(command: str) -> bool:
    """Whether the agent would get to run this while it plans."""
    return decide(command) == "allow"
