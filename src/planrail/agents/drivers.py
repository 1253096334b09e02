"""The drivers by their names."""

from collections.abc import Mapping

from planrail.agents.acp import Acp
from planrail.agents.claude import Claude, variable_names
from planrail.agents.codex import Codex
from planrail.agents.codex import variable_names as codex_names
from planrail.agents.command import Command
from planrail.agents.environment import ACP, CODEX, build_environment
from planrail.agents.model import Driver
from planrail.agents.runbook import Runbook
from planrail.agents.scripted import SCRIPT, Scripted
from planrail.base.errors import UsageError
from planrail.base.settings.agent_table import AgentSettings

NAMES = ("claude", "codex", "scripted")  # those that are held to reading by more than good will: they can plan
ALL_NAMES = (*NAMES, "gemini", "opencode", "acp", "command", "runbook")


def load_driver(name: str, environment: Mapping[str, str], settings: AgentSettings | None = None) -> Driver:
    """The driver of that name, for programs as they are found in this environment; a `UsageError` if there is none."""
    chosen = settings or AgentSettings()
    if name == "runbook":
        return Runbook(environment, chosen)
    if name == "command":
        return Command(environment, chosen)
    if name == "claude":
        return Claude(environment, chosen)
    if name == "codex":
        return Codex(environment, chosen)
    if name == "scripted":
        return Scripted(environment, chosen)
    if name in ACP:
        return Acp(name, environment, chosen)
    raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {', '.join(ALL_NAMES)}")


def environment_for(name: str, environment: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """All that a driver of that name may need to know of this environment. What it starts gets no more than that."""
    return build_environment(environment, (*_names(name, environment), *more))


def _names(name: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    if name == "claude":
        return variable_names(environment)
    if name == "codex":
        return (*CODEX, *codex_names(environment))
    if name == "scripted":
        return (SCRIPT,)
    return ACP.get(name, ())
