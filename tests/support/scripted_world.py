"""A world that answers what it was told to: decisions about sessions can be tried without a disk, a clock or git."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from planrail.base.records import replace
from planrail.guard.judging import GuardVerdict
from planrail.hook.sessions.events import Effect
from planrail.hook.sessions.loops import Loop
from planrail.hook.sessions.state import Session, Summary
from planrail.hook.sessions.world import Assigned, Authored, Changes, Fill, Prepared, StopLook, Ticket

if TYPE_CHECKING:
    from planrail.hook.sessions.events import World  # a protocol that the hook does not pay for


class ScriptedWorld:
    """See `hook.sessions.events.World`. Every answer is an attribute: set it, and the next decision hears it.

    Between two assignments it answers the same each time, as a world must for the length of an event.
    """

    def __init__(self, *, project: str = "/project", home: str = "/home/user", now: int = 1_000_000) -> None:
        self.now = now
        self.home = home
        self.root = project
        self.chosen: dict[str, object] = {}  # the settings
        self.new_plan = f"{project}/plans/new.md"  # the file that planning in planrail's own mode gets
        self.complaint = ""
        self.refusal = ""  # why a planning cannot be begun
        self.planning_id = ""  # the planning that a request begins; "": none
        self.judged = Authored()  # what the agent's next answer does to it
        self.looked = StopLook()  # what is found out about the open phase at a stop
        self.gated = ""  # why a command has to wait for the phase
        self.asks = "what the phase asks"
        self.handed = "the current phase, word for word"
        self.percent: int | None = None  # how full the window is
        self.files: dict[str, str] = {}
        self.summaries: dict[str, Summary] = {}
        self.links: dict[str, str] = {}
        self.folders: list[str] = [f"{home}/.claude/plans"]
        self.taken: set[str] = set()
        self.began = now  # this conversation
        self.silent: list[Session] = []  # other sessions here, of which nobody knows whether they live
        self.lacking: list[str] = []  # what a plan lacks that is proposed
        self.opinions: dict[str, GuardVerdict] = {}
        self.foreign: dict[str, str] = {}  # folders in which git would find another repository, and what is said of it
        self.search_path = ""  # what CDPATH says
        self.writers: dict[str, str] = {}
        self.branched_from: Session | bool = False
        self.found: Changes | None = None
        self.running: Loop | None = None
        self.tasks = ""  # where the tasks of the project stand
        self.left: list[Ticket] = []

    def add_plan(self, path: str, text: str = "# Plan\n", *, summary: Summary | None = None) -> None:
        self.files[path] = text
        self.summaries[path] = summary or Summary(stamp="1", status="not_started", total=1, item="the first step")

    def perform(self, effects: Iterable[Effect]) -> None:
        """Do what a decision asked for, as far as later decisions can see it."""
        for effect in effects:
            if effect.what == "leave_ticket" and effect.ticket:
                path = f"/state/{effect.ticket.session}.ticket"
                others = [other for other in self.left if other.path != path]
                self.left = [replace(effect.ticket, path=path), *others]
            elif effect.what == "claim_ticket" and effect.ticket:
                self.left.remove(effect.ticket)
            elif effect.what == "end_loop":
                self.running = None

    def project(self) -> str:
        return self.root

    def settings(self) -> dict[str, object]:
        return self.chosen

    def prepare(self, text: str, *, own_mode: bool, plan: str) -> Prepared:
        chosen = plan or (self.new_plan if own_mode else "")
        authoring = self.planning_id if own_mode and text else ""
        return Prepared(chosen, "snapshot", self.complaint, authoring=authoring, refusal=self.refusal if text else "")

    def begin(self, text: str, plan: str, *, is_plain: bool) -> Prepared:
        return Prepared(plan or self.new_plan, authoring=self.planning_id, refusal=self.refusal)

    def author(self, session: Session) -> Authored:
        return self.judged

    def look(self, session: Session) -> StopLook:
        return self.looked

    def gate(self, command: str, session: Session) -> str:
        return self.gated

    def phase(self, authoring: str) -> str:
        return self.asks

    def fill(self) -> Fill | None:
        return None if self.percent is None else Fill(self.percent, 50, 60)

    def summary(self, path: str) -> Summary:
        return self.summaries.get(path) or Summary()

    def assignment(self, plan: str) -> Assigned:
        return Assigned(self.handed)

    def text(self, path: str) -> str:
        return self.files.get(path, "")

    def exists(self, path: str) -> bool:
        return path in self.files

    def writer_of(self, plan: str) -> str:
        return self.writers.get(plan, "")

    def resolve(self, path: str) -> str:
        absolute = path if path.startswith("/") else f"{self.root}/{path}"
        return self.links.get(absolute, absolute)

    def find_plan(self, name: str) -> str:
        meant = [path for path in self.summaries if name in path]
        return meant[-1] if meant else ""

    def plan_names(self) -> list[str]:
        return [path.rpartition("/")[2] for path in self.summaries]

    def plan_folders(self) -> list[str]:
        return self.folders

    def is_taken(self, plan: str) -> bool:
        return plan in self.taken

    def repositories(self, session: Session) -> "ScriptedWorld":
        return self

    def refuse(self, folder: str, *, connects: bool = False) -> str:
        return self.foreign.get(folder, "")

    def began_before(self, moment: int) -> bool:
        return self.began < moment

    def silent_sessions(self, seconds: int) -> list[Session]:
        return self.silent

    def running_variable(self, session: Session) -> tuple[str, str]:
        return ("", "")

    def examine(self, text: str) -> list[str]:
        return self.lacking

    def second_opinion(self, command: str, session: Session) -> GuardVerdict:
        return self.opinions.get(command) or GuardVerdict("deny", "nobody was asked")

    def changes(self, session: Session, *, is_leaving: bool = False) -> Changes | None:
        return self.found

    def parent(self) -> Session | bool:
        return self.branched_from

    def loop(self) -> Loop | None:
        return self.running

    def prime(self) -> str:
        return self.tasks

    def tickets(self) -> list[Ticket]:
        return [ticket for ticket in self.left if self.now - ticket.at <= 3_600]


def _conforms(world: ScriptedWorld) -> "World":
    return world
