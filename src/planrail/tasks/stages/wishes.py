"""What is wished of a stage, and how a stage ends."""

import math
from collections.abc import Callable

from planrail.agents.model import Spent
from planrail.base.errors import UsageError
from planrail.base.records import record

Tell = Callable[[str], None]
# How a stage can end; everything but DONE leaves it so that the same command goes on.
DONE, TIMED_OUT, LIMIT, MISSING, INVALID, FAILED = "done", "timed_out", "limit", "missing", "invalid", "failed"
STOPPED, SPENT, HELD, REFUSED = "stopped", "spent", "held", "refused"
EXIT_CODES = {DONE: 0, MISSING: 11, STOPPED: 130, HELD: 10}  # all others: 1


@record
class StageWish:
    """What is wished of a stage; what is empty comes from the settings, or from the stage that is gone on with.

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


@record
class StageEnd:
    """How a stage ended: whether it is done, as what, what to say, what to type next, and the document.

    `notes` are for a person to read: what changed in the tree meanwhile, what could not be kept.
    """

    ok: bool
    status: str
    text: str
    command: str
    artifact: str = ""
    spent: Spent | None = None
    notes: tuple[str, ...] = ()
    task: int = 0

    @property
    def exit_code(self) -> int:
        return EXIT_CODES.get(self.status, 1)


def read_minutes(given: str | None) -> float:
    if given is None:
        return 0.0
    try:
        minutes = float(given)
    except ValueError:
        minutes = math.nan
    if not 0 < minutes < math.inf:
        raise UsageError(f"--timeout {given}: that is no time; say how many minutes", remedy="--timeout 30")
    return minutes


def read_count(option: str, given: str | None, default: int, most: int) -> int:
    if given is None:
        return default
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
    if not 1 <= number <= most:
        raise UsageError(f"{option} {given}: choose a whole number from 1 to {most}", remedy=f"{option} {default}")
    return number
