"""The agent programs by their names. A program's own file is loaded when it is asked for: jobs start by the hundred."""

from collections.abc import Callable, Mapping

from planrail.agents.environment import CODEX, build_environment
from planrail.agents.model import Driver
from planrail.base.errors import UsageError
from planrail.base.settings.agent_table import AgentSettings

NAMES = ("claude", "codex", "scripted")  # those that are held to reading by more than good will: they can plan
ALL_NAMES = (*NAMES, "gemini", "opencode", "acp", "command", "runbook")


def load_driver(name: str, environment: Mapping[str, str], settings: AgentSettings | None = None) -> Driver:
    """The driver of that name, for programs as they are found in this environment; a `UsageError` if there is none."""
    if name not in ALL_NAMES:
        known = ", ".join(ALL_NAMES)
        raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {known}")
    return _find(name)(environment, settings or AgentSettings())


def environment_for(name: str, environment: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """All that a driver of that name may need to know of this environment. What it starts gets no more than that."""
    return build_environment(environment, (*_variables(name, environment), *more))


def _find(name: str) -> Callable[[Mapping[str, str], AgentSettings], Driver]:
    if name == "runbook":
        from planrail.agents.runbook import Runbook

        return Runbook
    if name == "command":
        from planrail.agents.command import Command

        return Command
    if name == "claude":
        from planrail.agents.claude import Claude

        return Claude
    if name == "codex":
        from planrail.agents.codex import Codex

        return Codex
    if name == "scripted":
        from planrail.agents.scripted import Scripted

        return Scripted
    from planrail.agents.acp import Acp

    return lambda environment, settings: Acp(name, environment, settings)


def _variables(name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names that a driver may need to know of an environment, in which it looks for more."""
    if name == "claude":
        from planrail.agents.claude import variable_names

        return variable_names(environment)
    if name == "codex":
        from planrail.agents.codex import variable_names as codex_names

        return (*CODEX, *codex_names(environment))
    if name == "scripted":
        from planrail.agents.scripted import SCRIPT

        return (SCRIPT,)
    if name in ("command", "runbook") or name not in ALL_NAMES:
        return ()
    from planrail.agents.acp import SPEAKERS

    return SPEAKERS[name].variables
