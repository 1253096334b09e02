"""Processes as rows name them: which one has taken a submission, and does it still live?"""

import json
import os

from planrail.base.whole_files import read_whole
from planrail.store import owners
from planrail.store.claim_rules import Owner
from planrail.team.queueing import Submission

_FIELDS = Owner.__slots__  # type: ignore[attr-defined]


def describe_self() -> str:
    owner = owners.describe_process(os.getpid())
    return json.dumps({field: getattr(owner, field) for field in _FIELDS})


def read_owner(text: str) -> Owner | None:
    """The process that a row names; None where it names none."""
    try:
        told = json.loads(text)
        return Owner(**{field: told[field] for field in _FIELDS})
    except (ValueError, KeyError, TypeError):
        return None


def is_dead(submission: Submission, *, is_lapsed: bool) -> bool:
    """Whether the owner that has taken a submission is gone: here by its process, elsewhere by its lease."""
    owner = read_owner(submission.owner)
    return is_lapsed if owner is None else not owners.is_alive_leased(owner, is_lapsed=is_lapsed)


def is_planrails(pid: int) -> bool:
    """Whether a process is one of planrail's, as far as the kernel tells: a row alone must not send it a signal."""
    told = read_whole(f"/proc/{pid}/cmdline", 4096)
    return b"planrail" in told if told is not None else not os.path.exists("/proc/self/cmdline")
