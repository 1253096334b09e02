"""The folders of runs: order, frozen text of the plan, journal, ending. Written whole, read by any process.

`LEDGER/runs/RUN/` appears with its order and its text at once. Reading one never waits and never writes. Where a team
shares its runs, rows are the truth, and the folder is that of the machine which carries the run out.
"""

import json
import os
import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.identity import safe_name
from planrail.base.records import mutable_record
from planrail.base.run_model import YIELDED, Ending, Order
from planrail.base.values import pack, unpack
from planrail.base.whole_files import read_whole
from planrail.store.claim_rules import PLAN, Claim
from planrail.store.embedded import Store
from planrail.store.failures import not_done
from planrail.store.journal_lines import NAME as JOURNAL
from planrail.store.journal_lines import JournalLine, current_key, parse_journal, split_key
from planrail.store.ledger import open_store
from planrail.store.owners import host_identity
from planrail.store.places import is_there, ledger_folder, make_private, replace_file, write_synced
from planrail.store.runs.run_locks import hold_run as hold_run
from planrail.store.runs.run_locks import is_live as is_live

if TYPE_CHECKING:
    from planrail.store.embedded import SharedRun

ORDER, TEXT, ENDING, AGENTS = "order.json", "plan.md", "ending.json", "agents"
RUNNING, INTERRUPTED = "running", "interrupted"
KEPT = ("failed", "stopped")  # it ended, and what was done stays where people can look at it
WAITING = ("paused", "parked", "waiting", YIELDED)  # it rests, and is resumed


@mutable_record
class RunState:
    """A run as it is now. `current` is the step that began last and has not ended; "" where there is none."""

    folder: str
    order: Order
    ending: Ending | None
    claim: Claim | None  # of the plan, where this run holds it
    is_live: bool
    journal: list[JournalLine] | None = None  # read when a caller asks for its lines
    shared: "SharedRun | None" = None  # what the team knows of it; then the folder need not be on this machine
    found_in: str | None = None  # the repository; another one than its own, where that was moved or copied

    @property
    def lines(self) -> list[JournalLine]:
        if self.journal is None:
            self.journal = read_journal(self.folder) if self.shared is None else self.shared.load_lines()
        return self.journal

    @property
    def text(self) -> str:
        """The plan as it was when the run began: from the folder, else from the team."""
        try:
            return load_text(self.folder)
        except ToolFailed:
            text = self.shared.load_text() if self.shared is not None else None
            if text is None:
                raise
            return text

    @property
    def is_home(self) -> bool:
        """Whether it is carried out on this machine, so that its folder, working trees and agents are here."""
        return _is_home(self.shared)

    @property
    def state(self) -> str:
        """How it ended; else `running`, or `interrupted` where its process is gone without a last word."""
        if self.ending is not None:  # a process that takes a run up again takes its last word back first
            return self.ending.state
        return RUNNING if self.is_live else INTERRUPTED

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end: a paused or parked run waits, and an interrupted one can be resumed."""
        return self.ending is not None and self.ending.state not in WAITING

    @property
    def current(self) -> str:
        return current_key(self.lines)

    @property
    def started(self) -> float:
        return float(self.order.began or (self.lines[0].at if self.lines else 0))

    @property
    def last_at(self) -> float:
        return max([self.started, *(line.at for line in self.lines[-1:])])

    @property
    def agent_folder(self) -> str:
        """The folder of the agent's job of the current step; "" where no agent is at work."""
        return find_agent_folder(self.folder, self.current)


def new_folder(root: str | None, order: Order, text: str) -> str:
    """Make the folder of a run, with its order and the plan's text. One that is there already is left as it is.

    The caller holds the claim of the plan, so a half folder of that plan is one that a crash left.
    """
    place = run_folder(root, order.run)
    if os.path.isdir(place):
        return place
    temporary = os.path.join(os.path.dirname(place), f"{safe_name(order.plan)}.tmp")
    try:
        make_private(os.path.dirname(place))
        shutil.rmtree(temporary, ignore_errors=True)
        os.mkdir(temporary, 0o700)
        write_synced(os.path.join(temporary, ORDER), pack_order(order))
        write_synced(os.path.join(temporary, TEXT), text)
        reach("run_folder.written")
        os.rename(temporary, place)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise not_done(f"{place} could not be written", error) from error
    return place


def pack_order(order: Order) -> str:
    return json.dumps(pack(order))


def run_folder(root: str | None, run: str) -> str:
    return os.path.join(runs_folder(root), safe_name(run))


def runs_folder(root: str | None) -> str:
    return os.path.join(ledger_folder(root), "runs")


def list_runs(root: str | None, plan: str | None = None) -> list[RunState]:
    """The runs of a repository, or of one plan, the newest first. What cannot be read is left out."""
    store = open_store(root)
    runs: dict[str, tuple[Order, SharedRun | None]] = {
        run_folder(root, row.order.run): (row.order, row) for row in store.list_runs(plan)
    }
    place = runs_folder(root)
    for name in os.listdir(place) if is_there(place) else ():
        folder = os.path.join(place, name)
        if not name.endswith(".tmp") and folder not in runs and (order := _order_of(folder, plan)) is not None:
            runs[folder] = order, None
    claims = _claims(store, plan) if runs else {}
    found = [_state(root, folder, order, row, claims) for folder, (order, row) in runs.items()]
    # When a run was ordered, finer than its order says: several begin within a second.
    files = {run.folder: os.path.join(run.folder, ORDER) for run in found}
    made = {folder: os.stat(file).st_mtime_ns for folder, file in files.items() if os.path.exists(file)}
    return sorted(found, key=lambda run: (run.started, made.get(run.folder, 0), run.order.run), reverse=True)


def load_run(root: str | None, folder: str) -> RunState:
    """One run. Raises `ToolFailed` where its order cannot be read. Names of runs are names of folders."""
    store = open_store(root)
    row = store.find_run(os.path.basename(folder))
    order = row.order if row is not None else load_order(folder)
    return _state(root, folder, order, row, _claims(store, order.plan))


def load_order(folder: str) -> Order:
    """What was ordered. Raises `ToolFailed` where it cannot be read."""
    try:
        order = unpack(json.loads(_read(os.path.join(folder, ORDER))))
    except (OSError, ValueError, RecursionError) as error:
        text = f"the order of the run in {folder} cannot be read: {error}"
        raise ToolFailed(text, remedy="planrail list runs") from error
    if not isinstance(order, Order):
        raise ToolFailed(f"the run in {folder} has no order", remedy="planrail list runs")
    return order


def load_text(folder: str) -> str:
    """The plan as it was when the run began. `RunState.text` also knows that of a run of another machine."""
    try:
        return _read(os.path.join(folder, TEXT))
    except OSError as error:
        raise not_done(f"{folder} could not be written", error) from error


def load_ending(folder: str) -> Ending | None:
    """How a run ended; None while it has not."""
    try:
        ending = unpack(json.loads(_read(os.path.join(folder, ENDING))))
    except (OSError, ValueError, RecursionError):
        return None
    return ending if isinstance(ending, Ending) else None


def save_ending(folder: str, ending: Ending) -> None:
    """Write down how a run ended, whole or not at all. The caller holds the run (`hold_run`).

    A team is told first, since its rows are what all machines go by. Raises `Fenced` where the run is another's by now.
    """
    found = _find_own(folder)
    if found is not None:
        found[0].save_ending(found[1].run, ending)
    path = os.path.join(folder, ENDING)
    try:
        replace_file(path, json.dumps(pack(ending)), "ending.written")
    except OSError as error:
        raise not_done(f"{path} could not be written", error) from error


def clear_ending(folder: str) -> None:
    """The run goes on: what was its last word is none any more."""
    try:
        os.unlink(os.path.join(folder, ENDING))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise not_done(f"{folder} could not be written", error) from error


def read_journal(folder: str) -> list[JournalLine]:
    """The lines of a run's journal; one that a crash has torn is none. Where a team keeps them, its rows are read."""
    data = read_whole(os.path.join(folder, JOURNAL))
    if data is not None:
        return parse_journal(data)
    found = _find_own(folder)
    row = found[0].find_run(found[1].run) if found is not None else None
    return row.load_lines() if row is not None else []


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


def _claims(store: Store, plan: str | None) -> dict[str, tuple[Claim, bool]]:
    return {claim.name: (claim, lives) for claim, lives in store.claims.list_leases(PLAN, plan)}


def _state(
    root: str | None, folder: str, order: Order, row: "SharedRun | None", claims: Mapping[str, tuple[Claim, bool]]
) -> RunState:
    claim, lives = claims.get(order.plan, (None, False))
    own = claim if claim is not None and claim.owner.run == order.run else None
    is_home = _is_home(row)
    is_at_work = (own is not None and lives) or (is_home and is_live(folder))
    # killed between its folder and the team, the machine at home is the one that knows how it ended
    ending = (row.ending if row is not None else None) or (load_ending(folder) if is_home else None)
    return RunState(folder, order, ending, own, is_at_work, shared=row, found_in=root)


def _is_home(row: "SharedRun | None") -> bool:
    return row is None or row.host == host_identity()


def _find_own(folder: str) -> tuple[Store, Order] | None:
    """The store that has the run of a folder, and its order; None where the folder is a copy of another one."""
    try:
        order = load_order(folder)
    except PlanrailError:
        return None
    return (open_store(order.root), order) if is_own(folder, order) else None


def is_own(folder: str, order: Order) -> bool:
    """Whether a folder lies where its run was begun, and is no copy that was made with its repository."""
    own = run_folder(order.root, order.run) if os.path.isdir(order.root) else ""
    return bool(own) and os.path.realpath(own) == os.path.realpath(folder)


def _order_of(folder: str, plan: str | None) -> Order | None:
    """The order in a folder, if it is one of that plan."""
    try:
        if plan is not None and json.dumps(plan) not in _read(os.path.join(folder, ORDER)):
            return None  # a look at its text is cheaper than reading it
        order = load_order(folder)
    except (PlanrailError, OSError):
        return None
    return order if plan in (None, order.plan) else None


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()
