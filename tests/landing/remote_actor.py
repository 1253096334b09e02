"""A process that lands work on a remote: `land ROOT PLAN FENCE RUN PHASE…`, `raise ROOT PLAN FENCE RUN`, `open FOLDER URL`.

Each phase writes one file. It is not built again where the remote has it, as a run knows by its trailers.
"""

import sys

from planrail.base.errors import PlanrailError
from planrail.base.identity import safe_name
from planrail.git.remotes.mirrors import REMOTE, open_mirror
from planrail.git.remotes.pushing import fetch_ref
from planrail.git.trailers import find_landed
from planrail.runs.landing.fences import raise_fence
from planrail.runs.landing.remote_landings import land_on_remote
from tests.landing.remotes import build, make_goal, make_work


def main(words: list[str]) -> int:
    """Do what was asked for; what came of it is printed."""
    what, root, *rest = words
    try:
        if what == "open":
            print(open_mirror(root, rest[0], "main"))
        elif what == "raise":
            raise_fence(root, REMOTE, rest[0], int(rest[1]), rest[2])
        else:
            return _land_all(root, rest[0], int(rest[1]), rest[2], rest[3:])
    except PlanrailError as error:
        print(f"{type(error).__name__}: {error.message}")
        return error.exit_code
    return 0


def _land_all(root: str, plan: str, fence: int, run: str, phases: list[str]) -> int:
    for phase in phases:
        state = _land(root, plan, fence, run, phase)
        print(f"{phase} {state}")
        if state != "landed":
            return 1
    return 0


def _land(root: str, plan: str, fence: int, run: str, phase: str) -> str:
    base = fetch_ref(root, REMOTE, "main") or ""
    if find_landed(root, base, plan, phase):
        return "landed"
    work = make_work(root, f"{safe_name(plan)}/{phase}.txt", base)
    for _ in range(200):
        candidate = build(root, work, phase, plan)
        landing = land_on_remote(root, make_goal(candidate, fence, run, plan))
        if landing.state != "moved":
            return landing.state if landing.state == "landed" else f"{landing.state}: {landing.message}"
    return "moved too often"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
