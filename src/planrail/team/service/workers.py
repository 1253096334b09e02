"""The living workers, as the service needs them: who they are, and how they are told of a new repository."""

import os
from collections.abc import Mapping

from planrail.approval.channels import name_agent
from planrail.approval.people.processes import list_by_ps, read_process
from planrail.base.errors import PlanrailError
from planrail.team import health, waking


def ask_workers() -> list[Mapping[str, object]]:
    """What each worker of this state folder says of itself: `pid`, `version`, `since`, `ok` and more."""
    try:
        return list(health.ask_workers())
    except (OSError, ValueError, PlanrailError):
        return []


def wake_workers() -> int:
    """Tell the workers that there is something new; how many heard it. One that did not looks again by itself."""
    try:
        return waking.wake_workers()
    except (OSError, PlanrailError):
        return 0


def is_worker(pid: int) -> bool:
    """Whether a number is, now, a process that runs `planrail worker`: numbers are used again."""
    facts = read_process(pid) if os.path.exists("/proc/self/stat") else list_by_ps().get(pid)
    return facts is not None and name_agent(facts) == "planrail worker"
