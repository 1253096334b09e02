"""Any agent of a stage under the detached runner, so that the suite for drivers holds there, too."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from planrail.agents.jobs.job_files import Job
from planrail.agents.jobs.runner import ensure
from planrail.agents.model import Assignment, Driver, Running
from planrail.base.records import record
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import Act, Stage, allow

if TYPE_CHECKING:
    from planrail.agents.model import Ask, Judge


@record
class Kit:
    """What `load_driver` was told."""

    name: str
    environment: Mapping[str, str]
    settings: AgentSettings


class RunnerDriver:
    """See `model.Driver`. Each assignment is a job in a folder of its own below `places`."""

    def __init__(self, kit: Kit, places: Path) -> None:
        self.name, self._kit, self._places = kit.name, kit, places
        self._count = 0

    def start(self, assignment: Assignment, ask: "Ask | None", judge: "Judge") -> Running:
        """The runner takes judges by their names: whatever is not the guard lets everything pass in the folder."""
        self._count += 1
        place = self._places / f"{os.urandom(4).hex()}-{self._count}"
        place.mkdir(parents=True)
        if assignment.log:
            (place / "log").symlink_to(assignment.log)
        return ensure(str(place), job_of(self._kit, assignment, is_free=judge is allow), self._kit.environment)


class RunnerStage:
    """See `agent_stage.Stage`. `kit` tells what the stage's last driver was made from."""

    def __init__(self, stage: Stage, kit: Callable[[Driver], Kit], places: Path) -> None:
        self._stage, self._kit, self._places = stage, kit, places
        self.folder = stage.folder

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        return RunnerDriver(self._kit(self._stage.play(*acts, environment=environment)), self._places)

    def miss(self) -> Driver:
        return RunnerDriver(self._kit(self._stage.miss()), self._places)

    def heard(self) -> str:
        return self._stage.heard()


def job_of(kit: Kit, assignment: Assignment, *, is_free: bool) -> Job:
    may_write = is_free or not assignment.read_only
    return Job(
        kit.name,
        assignment.role,
        assignment.prompt,
        assignment.folder,
        "write" if may_write else "read",
        assignment.timeout,
        assignment.model,
        assignment.schema,
        assignment.conversation,
        dict(kit.settings.programs),
        kit.settings.environment,
        assignment.scripts,
        kit.settings.command,
        "workspace" if may_write else "read_only",
    )
