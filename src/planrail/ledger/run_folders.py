"""The folders of runs: the order, the frozen text of the plan, the journal, the ending. Written whole, read by anybody.

`LEDGER/runs/RUN/` appears with its order and its text at once. Reading one never waits and never writes.
"""

import contextlib
import fcntl
import json
import os
import shutil
import time

from planrail.errors import Held, PlanrailError, ToolFailed
from planrail.ledger.claims import holder
from planrail.ledger.owners import is_alive
from planrail.ledger.places import ledger_folder, make_private
from planrail.records import mutable_record
from planrail.runs.claims import PLAN, Claim
from planrail.runs.crash_points import reach
from planrail.runs.identity import safe_name
from planrail.runs.model import Ending, Order
from planrail.runs.reporting.progress import BEGUN, ENDED, Line, current_key, split_key
from planrail.runs.values import pack, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ORDER, TEXT, JOURNAL, ENDING, AGENTS = "order.json", "plan.md", "journal.jsonl", "ending.json", "agents"
LOCK = "lock"
RUNNING, INTERRUPTED = "running", "interrupted"
WAITING = ("paused", "parked")
_PATIENCE, _PAUSE = 60.0, 0.05  # seconds


@mutable_record
class RunState:
    """A run as it is now. `current` is the step that began last and has not ended; "" where there is none."""

    folder: str
    order: Order
    ending: Ending | None
    claim: Claim | None  # of the plan, where this run holds it
    is_live: bool
    journal: list[Line] | None = None  # read when somebody asks for its lines

    @property
    def lines(self) -> list[Line]:
        """The journal."""
        if self.journal is None:
            self.journal = read_journal(self.folder)
        return self.journal

    @property
    def state(self) -> str:
        """How it ended; else `running`, or `interrupted` where its process is gone without a last word."""
        if self.ending is not None:  # whoever takes a run up again takes its last word back first
            return self.ending.state
        return RUNNING if self.is_live else INTERRUPTED

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end: a paused or parked run waits, and an interrupted one can be resumed."""
        return self.ending is not None and self.ending.state not in WAITING

    @property
    def current(self) -> str:
        """The key of the step that is under way."""
        return current_key(self.lines)

    @property
    def started(self) -> float:
        """When the run was ordered."""
        return float(self.order.began or (self.lines[0].at if self.lines else 0))

    @property
    def last_at(self) -> float:
        """When something was last written down."""
        return max([self.started, *(line.at for line in self.lines[-1:])])

    def elapsed(self, now: float) -> float:
        """How long it has taken so far, or took."""
        return max(0.0, (now if self.state == RUNNING else self.last_at) - self.started)

    @property
    def agent_folder(self) -> str:
        """The folder of the agent's job of the current step; "" where no agent is at work."""
        return find_agent_folder(self.folder, self.current)


def new_folder(root: str | None, order: Order, text: str) -> str:
    """Make the folder of a run, with its order and the plan's text. One that is there already is left as it is.

    Whoever calls this holds the claim of the plan, so a half folder of that plan is one that a crash left.
    """
    place = run_folder(root, order.run)
    if os.path.isdir(place):
        return place
    temporary = os.path.join(os.path.dirname(place), f"{safe_name(order.plan)}.tmp")
    try:
        make_private(os.path.dirname(place))
        shutil.rmtree(temporary, ignore_errors=True)
        os.mkdir(temporary, 0o700)
        write_whole(os.path.join(temporary, ORDER), json.dumps(pack(order)))
        write_whole(os.path.join(temporary, TEXT), text)
        reach("run_folder.written")
        os.rename(temporary, place)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise _failed(place, error) from error
    return place


def run_folder(root: str | None, run: str) -> str:
    """Where a run keeps what it knows."""
    return os.path.join(runs_folder(root), safe_name(run))


def runs_folder(root: str | None) -> str:
    """Where all runs of a repository are."""
    return os.path.join(ledger_folder(root), "runs")


def list_runs(root: str | None, plan: str | None = None) -> list[RunState]:
    """The runs of a repository, or of one plan, the newest first. What cannot be read is left out."""
    found = []
    for folder in _folders(root):
        try:
            if plan is not None and not _names(folder, plan):
                continue
            order = load_order(folder)
        except PlanrailError:
            continue
        if plan is None or order.plan == plan:
            found.append(_state(root, folder, order))
    return sorted(found, key=lambda run: (run.started, run.order.run), reverse=True)


def load_run(root: str | None, folder: str) -> RunState:
    """One run. Raises `ToolFailed` where its order cannot be read."""
    return _state(root, folder, load_order(folder))


def load_order(folder: str) -> Order:
    """What was ordered. Raises `ToolFailed` where it cannot be read."""
    try:
        order = unpack(json.loads(_read(os.path.join(folder, ORDER))))
    except (OSError, ValueError, RecursionError) as error:
        raise ToolFailed(f"the order of the run in {folder} cannot be read: {error}", remedy="planrail runs") from error
    if not isinstance(order, Order):
        raise ToolFailed(f"the run in {folder} has no order", remedy="planrail runs")
    return order


def load_text(folder: str) -> str:
    """The plan as it was when the run began."""
    try:
        return _read(os.path.join(folder, TEXT))
    except OSError as error:
        raise _failed(folder, error) from error


def load_ending(folder: str) -> Ending | None:
    """How a run ended; None while it has not."""
    try:
        ending = unpack(json.loads(_read(os.path.join(folder, ENDING))))
    except (OSError, ValueError, RecursionError):
        return None
    return ending if isinstance(ending, Ending) else None


def save_ending(folder: str, ending: Ending) -> None:
    """Write down how a run ended, whole or not at all. Whoever calls this holds the run (`hold_run`)."""
    path = os.path.join(folder, ENDING)
    temporary = f"{path}.tmp"
    try:
        write_whole(temporary, json.dumps(pack(ending)))
        reach("ending.written")
        os.rename(temporary, path)
    except OSError as error:
        raise _failed(path, error) from error


def clear_ending(folder: str) -> None:
    """The run goes on: what was its last word is none any more."""
    try:
        os.unlink(os.path.join(folder, ENDING))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _failed(folder, error) from error


def read_journal(folder: str) -> list[Line]:
    """The lines of a run's journal; one that a crash has torn is none."""
    try:
        with open(os.path.join(folder, JOURNAL), "rb") as file:
            data = file.read()
    except OSError:
        return []
    return [line for raw in data.split(b"\n") if (line := _parse(raw)) is not None]


@contextlib.contextmanager
def hold_run(folder: str) -> "Iterator[None]":
    """Be the one planrail that works on a run; wait for the one that does."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _failed(folder, error) from error
    try:
        _wait_for(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, folder: str) -> None:
    """Take the lock; whoever has it gets a while to end."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                text = f"another planrail still works on the run in {folder}; nothing was done"
                raise Held(text, remedy="planrail status; one that is suspended is woken by: kill -CONT PID") from None
        time.sleep(_PAUSE)


def is_live(folder: str) -> bool:
    """Whether a planrail is at work on the run: it holds the lock of the folder as long as it lives."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # for a moment; who wants the lock waits for it
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def find_agent_folder(folder: str, key: str) -> str:
    """The folder of the agent that works, or worked, on a step; "" where none did."""
    phase, attempt, step = split_key(key)
    if not phase:
        return ""
    place, prefix = os.path.join(folder, AGENTS), f"{safe_name(phase)}-{attempt}-"
    if os.path.isdir(os.path.join(place, prefix + step)):
        return os.path.join(place, prefix + step)
    kind = step.partition(".")[0]
    try:
        names = [name for name in os.listdir(place) if name.startswith(prefix + kind)]
    except OSError:
        return ""
    return max((os.path.join(place, name) for name in names), key=os.path.getmtime, default="")


def _state(root: str | None, folder: str, order: Order) -> RunState:
    claim = holder(root, PLAN, order.plan)
    own = claim if claim is not None and claim.owner.run == order.run else None
    lives = (own is not None and is_alive(own.owner)) or is_live(folder)
    return RunState(folder, order, load_ending(folder), own, lives)


def _names(folder: str, plan: str) -> bool:
    """Whether an order may be of a plan: a look at its text is cheaper than reading it."""
    try:
        return json.dumps(plan) in _read(os.path.join(folder, ORDER))
    except OSError:
        return False


def _folders(root: str | None) -> "Iterator[str]":
    place = runs_folder(root)
    try:
        names = os.listdir(place)
    except OSError:
        return
    yield from (os.path.join(place, name) for name in names if not name.endswith(".tmp"))


def _parse(raw: bytes) -> Line | None:
    try:
        line: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return _line(line) if isinstance(line, dict) else None


def _line(found: "Mapping[str, object]") -> Line | None:
    at, key, state = found.get("at"), found.get("key"), found.get("state")
    if not isinstance(at, int | float) or not isinstance(key, str) or state not in (BEGUN, ENDED):
        return None
    return Line(float(at), key, str(state), found.get("value"))


def write_whole(path: str, text: str) -> None:
    """Write a file that is on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def _failed(path: str, error: OSError) -> ToolFailed:
    return ToolFailed(
        f"{path} could not be written: {error.strerror or error}",
        remedy="make room on that disk or check the folder's permissions, then try again",
    )
