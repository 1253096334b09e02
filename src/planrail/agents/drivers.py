"""The drivers by their names."""

from planrail.agents.settings import AgentSettings
from planrail.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.agents.model import Driver

NAMES = ("claude", "codex", "scripted")


def load_driver(name: str, environment: "Mapping[str, str]", settings: AgentSettings | None = None) -> "Driver":
    """The driver of that name, for programs as they are found in this environment; a `UsageError` if there is none."""
    chosen = settings or AgentSettings()
    if name == "claude":
        from planrail.agents.claude import Claude

        return Claude(environment, chosen)
    if name == "codex":
        from planrail.agents.codex import Codex

        return Codex(environment, chosen)
    if name == "scripted":
        from planrail.agents.scripted import Scripted

        return Scripted(environment, chosen)
    raise UsageError(f"{name!r} is not an agent that planrail can drive", remedy=f"use one of: {', '.join(NAMES)}")
