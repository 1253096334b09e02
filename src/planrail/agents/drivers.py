"""The agent programs by their names. A program's own file is loaded when it is asked for: jobs start by the hundred."""

from collections.abc import Mapping

from planrail.agents.environment import build_environment
from planrail.agents.model import Driver
from planrail.agents.starting import ProgramDriver
from planrail.base.errors import UsageError
from planrail.base.settings.agent_table import AgentSettings
from planrail.hook import AGENTS

NAMES = ("claude", "codex", "scripted")  # those that are held to reading by more than good will: they can plan
PROGRAMS = AGENTS  # the agents of others; one without hooks is added here
ALL_NAMES = tuple(dict.fromkeys((*NAMES, *PROGRAMS, "acp", "command", "runbook")))


def check_names(*names: str, known: tuple[str, ...] = ALL_NAMES) -> None:
    """Raise `UsageError` where one is no agent program, or none of those that are asked for."""
    for name in names:
        if name not in known:
            said = "plan with" if known == NAMES and name in ALL_NAMES else "drive"
            raise UsageError(
                f"{name!r} is not an agent that planrail can {said}", remedy=f"use one of: {', '.join(known)}"
            )


def load_driver(name: str, environment: Mapping[str, str], settings: AgentSettings | None = None) -> Driver:
    """The driver of that name, for programs as they are found in this environment; a `UsageError` if there is none."""
    check_names(name)
    return load_program(name)(environment, settings or AgentSettings())


def environment_for(name: str, environment: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """All that a driver of that name may need to know of this environment. What it starts gets no more than that."""
    named = load_program(name).variables(environment) if name in ALL_NAMES else ()
    return build_environment(environment, (*named, *more))


def load_program(name: str) -> type[ProgramDriver]:
    driver: type[ProgramDriver] = __import__(f"planrail.agents.{name}", fromlist=("DRIVER",)).DRIVER
    return driver
