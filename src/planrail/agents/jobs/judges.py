"""Who answers an agent that asks whether it may use a tool, where no person sits in front of it.

`read_only` is the guard of plan mode: what cannot be proven harmless is refused. `workspace` is for an agent that works
in a private copy: it may do there what it likes. What is held, and what not, is said in docs/agents.md.
"""

import os
from collections.abc import Mapping

from planrail.agents.jobs.job import Job
from planrail.agents.jobs.workspaces import Workspace
from planrail.agents.model import Judge
from planrail.git.embedded import look_at
from planrail.guard.policy import Policy
from planrail.guard.second_opinion import decide


def load_judge(job: Job) -> Judge:
    """The judge that a job names. One that is not known refuses everything."""
    if job.judge == "read_only":
        return read_only(job.folder)
    if job.judge == "workspace" and job.permissions == "write":
        return Workspace(job.folder, job.protected).refuse
    return lambda tool, given: f"{job.judge!r} is no judge of tools for an agent that may {job.permissions}"


def read_only(folder: str) -> Judge:
    """Whether a call changes nothing at all."""
    policy = Policy((), folder, os.path.expanduser("~"), look_at(folder))

    def refuse(tool: str, given: Mapping[str, object]) -> str | None:
        verdict = decide(tool, dict(given), policy)
        if verdict.decision != "allow":
            return f"you are here to read, and to change nothing: {verdict.reason}"
        return None

    return refuse
