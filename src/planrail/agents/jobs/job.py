"""A job: an assignment, together with all that is needed to carry it out in a process of its own."""

from planrail.agents.model import Assignment
from planrail.base.settings.agent_table import AgentSettings
from planrail.base.values import value


@value
class Job:
    """What an agent is to do, by which driver, and what it may. `driver` is a name that `load_driver` knows.

    `programs` and `environment` are as in `AgentSettings`. `command` is the command line of the `command` and `acp`
    drivers. `judge` says who answers the agent's requests for tools. `protected` are places that an agent which may
    write must leave alone: the user's repository, planrail's own records.
    """

    driver: str
    role: str
    prompt: str
    folder: str
    permissions: str = "read"  # or write
    timeout: int = 1800
    model: str = ""
    schema: str = ""
    conversation: str = ""
    programs: dict[str, str] = {}  # noqa: RUF012 - never changed
    environment: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    command: str = ""
    judge: str = "read_only"  # or workspace
    protected: tuple[str, ...] = ()


def assignment_of(job: Job, log: str, mark: str) -> Assignment:
    """The job as the drivers take it."""
    return Assignment(
        job.role,
        job.prompt,
        job.folder,
        job.conversation,
        read_only=job.permissions != "write",
        timeout=job.timeout,
        model=job.model,
        log=log,
        schema=job.schema,
        scripts=job.scripts,
        protected=job.protected,
        mark=mark,
    )


def settings_of(job: Job) -> AgentSettings:
    """What the job says about programs."""
    return AgentSettings(job.programs, job.environment, job.command)
