"""What is asked of a stage, and how a stage ends."""

import math
from collections.abc import Callable

from planrail.agents.drivers import NAMES
from planrail.agents.model import UsageEvent
from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.tasks.questions.model import MOST_TEAM, ROUNDS

Tell = Callable[[str], None]
# How a stage can end; everything but DONE leaves it so that the same command goes on.
DONE, TIMED_OUT, LIMIT, MISSING, INVALID, FAILED = "done", "timed_out", "limit", "missing", "invalid", "failed"
STOPPED, SPENT, HELD, REFUSED = "stopped", "spent", "held", "refused"
EXIT_CODES = {DONE: 0, MISSING: 11, STOPPED: 130, HELD: 10}  # all others: 1


@record
class StageRequest:
    """What is asked of a stage; what is empty comes from the settings, or from the stage that is gone on with.

    `timeout` is in minutes of agents' time, for this call. `money` and `tokens` are ceilings of this call, 0 for none.
    `source` is a person's own document, taken instead of an agent's. `restart`: what an unfinished stage has is left.
    """

    stage: str
    focus: str = ""
    agent: str = ""
    critic: str = ""
    model: str = ""
    effort: str = ""
    team: int = 0
    timeout: float = 0.0
    money: float = 0.0
    tokens: int = 0
    clean: bool = False
    force: bool = False
    restart: bool = False
    source: str = ""

    def check(self) -> None:
        for name in (self.agent, self.critic):
            if name and name not in NAMES:
                remedy = f"use one of: {', '.join(NAMES)}"
                raise UsageError(f"{name!r} is not an agent that is held to reading", remedy=remedy)
        if self.effort and self.effort not in ROUNDS:
            raise UsageError(f"{self.effort!r} is no effort", remedy=f"use one of: {', '.join(ROUNDS)}")
        if not 0 <= self.team <= MOST_TEAM:
            raise UsageError(f"a team of {self.team} cannot be had", remedy=f"choose 1 to {MOST_TEAM}: --team 3")
        if not 0 <= self.timeout < math.inf:  # 0: as the settings say
            raise UsageError(f"{self.timeout:g} minutes are no time", remedy="choose more: --timeout 30")


@record
class StageEnd:
    """How a stage ended: as what, what to say, what to type next, and the document.

    `notes` are for a person to read: what changed in the tree meanwhile, what could not be kept.
    """

    status: str
    text: str
    command: str
    task: int
    artifact: str = ""
    spent: UsageEvent | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == DONE

    @property
    def exit_code(self) -> int:
        return EXIT_CODES.get(self.status, 1)


@record
class Halted:
    """Questions are not answered: why, as one of the ends of a stage, and in words.

    `command` is what to type, where that is not the same again.
    """

    status: str
    text: str
    resets_at: int = 0
    command: str = ""
