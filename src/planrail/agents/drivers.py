"""The agent programs by their names: each declared once, by how it is driven and which variables it may have."""

from collections.abc import Callable, Mapping
from functools import partial

from planrail.agents import claude, codex
from planrail.agents.acp import SPEAKERS, Acp
from planrail.agents.command import Command
from planrail.agents.environment import CODEX, build_environment
from planrail.agents.model import Driver
from planrail.agents.runbook import Runbook
from planrail.agents.scripted import SCRIPT, Scripted
from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings.agent_table import AgentSettings


def _always(names: tuple[str, ...], given: Mapping[str, str]) -> tuple[str, ...]:
    return names


@record
class Kind:
    """`variables` are the names that the driver may need to know of an environment, in which it looks for more."""

    make: Callable[[Mapping[str, str], AgentSettings], Driver]
    variables: Callable[[Mapping[str, str]], tuple[str, ...]] = partial(_always, ())
    can_plan: bool = False  # it is held to reading by more than good will


_KINDS = {
    "claude": Kind(claude.Claude, claude.variable_names, can_plan=True),
    "codex": Kind(codex.Codex, lambda given: (*CODEX, *codex.variable_names(given)), can_plan=True),
    "scripted": Kind(Scripted, partial(_always, (SCRIPT,)), can_plan=True),
    **{name: Kind(partial(Acp, name), partial(_always, one.variables)) for name, one in SPEAKERS.items()},
    "command": Kind(Command),
    "runbook": Kind(Runbook),
}
NAMES = tuple(name for name, kind in _KINDS.items() if kind.can_plan)
ALL_NAMES = tuple(_KINDS)


def load_driver(name: str, environment: Mapping[str, str], settings: AgentSettings | None = None) -> Driver:
    """The driver of that name, for programs as they are found in this environment; a `UsageError` if there is none."""
    if name not in _KINDS:
        known = ", ".join(ALL_NAMES)
        raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {known}")
    return _KINDS[name].make(environment, settings or AgentSettings())


def environment_for(name: str, environment: Mapping[str, str], more: tuple[str, ...]) -> dict[str, str]:
    """All that a driver of that name may need to know of this environment. What it starts gets no more than that."""
    names = _KINDS[name].variables(environment) if name in _KINDS else ()
    return build_environment(environment, (*names, *more))
