"""What is wished of a stage, and how a stage ends."""

from collections.abc import Callable

from planrail.agents.model import Spent
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
        """The exit code of a command that ends so."""
        return EXIT_CODES.get(self.status, 1)
