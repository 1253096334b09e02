"""What decisions ask about the world outside a session: a small protocol, and the values it answers with.

A decision is a function of the session, the event and these answers. Each answer is given once for an event and then
stays the same, so that a decision can be taken twice: first without the session's lock, then with it.
"""

from planrail.base.records import record
from planrail.hook.sessions.state import Session, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from planrail.guard.judging import Verdict
    from planrail.guard.places import RepositoryLook
    from planrail.hook.sessions.loops import Loop


@record
class Prepared:
    """What was made ready when plan mode is entered. `complaint` says what could not be."""

    plan: str = ""  # the plan file, where planrail chose it
    snapshot: str = ""
    complaint: str = ""
    embedded: str = ""  # a submodule with a repository among the project's files, whose settings git would follow
    authoring: str = ""  # the planning that was begun
    refusal: str = ""  # why it cannot be begun as it was asked for
    block: bool = True  # the person wants tools to be blocked


@record
class Authored:
    """What an answer did to a planning. `reason`: why the stop is held; `message`: what the person should know."""

    reason: str = ""
    message: str = ""
    is_over: bool = False  # the planning has ended
    is_proposed: bool = False  # with a plan that is put before the person
    is_repeated: bool = False  # this stop was answered before: hooks may be registered twice


@record
class Fill:
    """How full the window is."""

    percent: int
    warn: int
    hold: int
    complaints: "list[str]" = []  # noqa: RUF012 - settings that make no sense; a record is never changed


@record
class Changes:
    """What changed in the tree while an agent planned. `mark` tells one set of changes from another."""

    mark: str
    report: str


@record
class Ticket:
    """A plan on its way through a clear: left by the session that ends, claimed once by the one that begins."""

    agent: str
    session: str
    project: str
    process: str = ""
    at: int = 0
    plan: str = ""
    stage: str = ""
    intent: str = ""  # why it is wanted back; "": nobody asked for it
    loop: "dict[str, object]" = {}  # noqa: RUF012
    proposing: bool = False  # a proposal was before the person when the session was cleared
    planning: bool = False
    mode_before: str = ""
    snapshot: str = ""
    authoring: str = ""
    path: str = ""  # of the ticket itself


if TYPE_CHECKING:

    class World(Protocol):
        """Answers that cost something, asked for only where a decision needs them."""

        now: int
        home: str

        def project(self) -> str: ...  # the root of the project, found by walking up from the event's folder
        def settings(self) -> "Mapping[str, object]": ...  # the settings, as plain values
        # Take the snapshot, and choose a plan file where the mode is planrail's own and none is there yet.
        def prepare(self, text: str, *, own_mode: bool, plan: str) -> Prepared: ...
        # Begin a planning for a request, in a session that plans already. Plain words have no options.
        def begin(self, text: str, plan: str, *, is_plain: bool) -> Prepared: ...
        # Judge what the agent said at its stop as the answer to its planning's phase.
        def author(self, session: Session) -> Authored: ...
        def phase(self, authoring: str) -> str: ...  # what the planning asks of the agent now
        def fill(self) -> Fill | None: ...  # how full the window is; None where that is not known
        def summary(self, path: str) -> Summary: ...  # a plan in a few lines; `status` is "" where the file is missing
        # The current phase of a plan as it is handed to the agent, word for word, with the rules.
        def assignment(self, plan: str) -> str: ...
        def text(self, path: str) -> str: ...  # the text of a file, "" where it cannot be read
        def exists(self, path: str) -> bool: ...  # whether there is a file
        # The session that a plan was recorded for; "" where it has no record.
        def writer_of(self, plan: str) -> str: ...
        def resolve(self, path: str) -> str: ...  # a path with all links resolved, absolute
        # The plan that a name means, the newest one without a name; "" where there is none.
        def find_plan(self, name: str) -> str: ...
        def plan_names(self) -> list[str]: ...  # the plans that there are to choose from, newest first
        def plan_folders(self) -> list[str]: ...  # the folders that the agent keeps its own plan files in, resolved
        # Whether another session has this plan, or left it for the one that follows it.
        def is_taken(self, plan: str) -> bool: ...
        # Whether this conversation was there before a moment, and is resumed.
        def began_before(self, moment: int) -> bool: ...
        # The agent's other sessions here that have a plan, were heard of in this time, and may be over unheard.
        def silent_sessions(self, seconds: int) -> list[Session]: ...
        # What git would find, and in which folders it must not run while the session plans.
        def repositories(self, session: Session) -> "RepositoryLook": ...
        # A variable by which commands that read would run other code, and the project's file that sets it.
        def running_variable(self, session: Session) -> tuple[str, str]: ...
        # What the shell's own grammar says about a command that the tokeniser does not understand.
        def second_opinion(self, command: str, session: Session) -> "Verdict": ...
        # What changed since plan mode was entered; None where nothing did, and the snapshot can go on leaving.
        def changes(self, session: Session, *, is_leaving: bool = False) -> Changes | None: ...
        # The session that this one was branched off from; False: none, True: nobody can tell yet.
        def parent(self) -> Session | bool: ...
        def loop(self) -> "Loop | None": ...  # the loop that is active in the event's folder
        # Where the tasks of the project stand, in a few lines; "" where none is open or nobody wants it told.
        def prime(self) -> str: ...
        def tickets(self) -> list[Ticket]: ...  # the tickets of this agent that are not too old, newest first
