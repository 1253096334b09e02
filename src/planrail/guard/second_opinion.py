"""Allow or deny, for every judge outside of the hook: the guard, and shfmt's syntax tree where the guard is unsure."""

import json
import os
import sys

from planrail.base.records import replace
from planrail.guard.judging import GuardPolicy, GuardVerdict, judge, judge_tree, script_of, start_of

_SECONDS = 5.0


def decide(tool: str, tool_input: dict[str, object], policy: GuardPolicy) -> GuardVerdict:
    """What the guard says of a call, never unsure."""
    verdict = judge(tool, tool_input, policy, os.path.realpath)
    if verdict.decision != "unsure":
        return verdict
    script = script_of(tool, tool_input)
    return judge_tree(script, parse(script), replace(policy, cwd=start_of(tool_input, policy.cwd)))


def parse(script: str) -> object | None:
    """The syntax tree as decoded JSON; None where shfmt is absent, too slow, or finds a syntax error."""
    import shutil
    import subprocess

    beside = os.path.join(os.path.dirname(sys.executable), "shfmt")
    program = beside if os.access(beside, os.X_OK) else shutil.which("shfmt")
    if program is None or not script:
        return None
    try:
        done = subprocess.run(
            [program, "-tojson", "-ln=bash"], input=script.encode(), capture_output=True, timeout=_SECONDS, check=False
        )
        tree: object = json.loads(done.stdout) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired, RecursionError):
        return None
    return tree
