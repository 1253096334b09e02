"""An agent that says what a script tells it to: a real process, for tests, demonstrations and trying out a set-up.

`PLANRAIL_AGENT_SCRIPT` names the script; `scripted_program` says what can stand in it.
"""

import os
import sys
from collections.abc import Mapping

from planrail.agents.model import Ask, Assignment, Judge, Running, failure
from planrail.agents.processes.running import NeverRan
from planrail.agents.starting import launch, locate, refuse
from planrail.agents.wires import scripted_program
from planrail.agents.wires.scripted import ScriptedWire
from planrail.base.settings.agent_table import AgentSettings

SCRIPT = "PLANRAIL_AGENT_SCRIPT"


class Scripted:
    """See `model.Driver`."""

    name = "scripted"

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self._script = os.path.abspath(environment[SCRIPT]) if environment.get(SCRIPT) else ""
        chosen = settings.programs.get("scripted") or sys.executable
        self._program = locate("scripted", chosen, environment, settings.environment, "pip install planrail")

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start the program that reads the script."""
        if not os.path.isfile(self._script):
            error = f"the scripted agent has no script; set {SCRIPT} to the path of one"
            return NeverRan(failure("missing", error, assignment.conversation))
        refused = refuse(self._program, assignment)
        if refused is not None or self._program.path is None:
            return NeverRan(refused or failure("missing", "no Python"))
        # -P: the folder that the agent works in is no place to import from.
        command = [self._program.path, "-P", scripted_program.__file__, self._script]
        return launch(self._program, command, assignment, lambda desk: ScriptedWire(assignment, desk), ask, judge)
