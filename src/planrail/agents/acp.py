"""Agents that speak the Agent Client Protocol: Gemini CLI and opencode by name, here any other by its command line.

They are held by the permissions that they ask for, which planrail's judge answers, and by nothing where they do not
ask: what was done unasked is judged afterwards. For work in private copies that is enough; to plan in the user's own
tree it is not, so none of them is offered there.
"""

from planrail.agents.acp_wire import AcpWire
from planrail.agents.command import read_words
from planrail.agents.model import Assignment, Outcome, failure
from planrail.agents.starting import Prepared, ProgramDriver
from planrail.agents.wires import Permissions
from planrail.base.settings.agent_table import AgentSettings


class Acp(ProgramDriver):
    """See `model.Driver`. Any program that speaks the protocol, by the command line of the settings."""

    name, install = "acp", "see its own documentation"

    def choose(self, settings: AgentSettings) -> str:
        self._words = read_words(settings)
        return self._words[0] if self._words else ""

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not self._words:
            return failure("missing", 'no command is set; set one, such as command = "my-agent acp"')
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        return self._words[1:], AcpWire(self.name, assignment, permissions)


DRIVER = Acp
