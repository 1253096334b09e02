"""What a person can choose about the agent programs; the defaults need no choice."""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class AgentSettings:
    """`programs`: an agent's name and the path of its program. `environment`: more variables that agents may have.

    `command`: the command line of the `command` and `acp` drivers, which have no program of their own.
    """

    programs: "Mapping[str, str]" = {}  # noqa: RUF012 - never changed
    environment: tuple[str, ...] = ()
    command: str = ""
