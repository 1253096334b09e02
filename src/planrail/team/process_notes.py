"""Processes as rows name them: which one has taken a submission, and does it still live?"""

import json
import os

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


def is_dead(submission: Submission, now: float) -> bool:
    """Whether the owner that has taken a submission is gone: here by its process, elsewhere by its lease."""
    owner = read_owner(submission.owner)
    # One of an earlier boot of this machine is dead; one in another container the kernel cannot tell of from here.
    if (
        owner is not None
        and owner.host == owners.host_identity()
        and (owner.boot != owners.boot_identity() or owner.space == owners.space_identity())
    ):
        return not owners.is_surely_here(owner)
    return submission.until < now


def name_worker() -> str:
    """What rows call this worker: its machine, and its process there."""
    return f"{_here()}/{os.getpid()}/{owners.find_start(os.getpid())}"


def is_planrails(pid: int) -> bool:
    """Whether a process is one of planrail's, as far as the kernel tells: a row alone must not send it a signal."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"planrail" in file.read(4096)
    except OSError:
        return not os.path.exists("/proc/self/cmdline")


def is_worker_gone(worker: str) -> bool:
    """Whether a worker was one of this machine, and is there no more."""
    host, _, start = worker.rpartition("/")
    here, _, pid = host.rpartition("/")
    return here == _here() and pid.isdigit() and owners.find_start(int(pid)) != start


def _here() -> str:
    return f"{owners.host_identity()}/{owners.space_identity()}/{owners.boot_identity()[:8]}"
