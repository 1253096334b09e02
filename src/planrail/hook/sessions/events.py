"""What happens in an agent's session, in one form for every agent; what planrail answers, and what else it does."""

from planrail.base.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, Protocol

    from planrail.guard.judging import GuardVerdict
    from planrail.guard.places import RepositoryLook
    from planrail.hook.sessions.loops import Loop
    from planrail.hook.sessions.state import Session, Summary
    from planrail.hook.sessions.world import Assigned, Authored, Changes, Fill, Prepared, StopLook, Ticket

    # A ticket is left for the session that comes after a clear, and claimed so that nobody else can.
    What = Literal["leave_ticket", "claim_ticket", "end_loop", "open_editor", "record_stage", "end_planning"]

# The kinds of events. What an agent reports beyond these is nothing to planrail.
START = "start"  # a session begins: startup, resume, clear, compact
PROMPT = "prompt"  # the user typed something
TOOL = "tool"  # the agent wants to use a tool
PERMISSION = "permission"  # the agent asks the person whether it may
TOOL_DONE = "tool_done"
STOP = "stop"  # the agent wants to end its turn
FAILED = "failed"  # its turn ended by an error, and nobody could hold it
TASK = "task"  # a task of the agent's own list is completed
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
END = "end"  # a session ends: clear, exit, logout

# What agents submit by themselves: notes about tasks, and (Gemini CLI) the reason of a stop that was held.
_ECHOES = ("<task-notification>", "Context at ", "planrail: phase ")
PLAN_MODE = "plan"  # what every agent with a plan mode of its own calls it


@record
class Event:
    """One event. Fields that an event does not have are empty."""

    agent: str
    kind: str
    session: str
    cwd: str = ""
    transcript: str = ""
    mode: str = ""  # the agent's permission mode
    model: str = ""
    source: str = ""  # of a start, or the reason of an end
    prompt: str = ""
    tool: str = ""
    input: dict[str, object] = {}  # noqa: RUF012 - a record is never changed
    response: object = None
    failed: bool = False  # the tool was used, and failed
    subagent: str = ""  # the id of the sub-agent that this happens in
    stop_active: bool = False  # the agent goes on because an earlier stop was held
    last_message: str = ""
    waits_for_tasks: bool = False  # a stop that is only a pause: tasks run in the background
    process: str = ""  # the agent's process, as "PID:START", where the agent tells it
    unattended: bool = False  # nobody is there who could approve a plan
    name: str = ""  # what the agent itself calls the event

    @property
    def is_human(self) -> bool:
        """Whether a person typed this prompt; agents also submit notes about tasks that have ended."""
        return self.kind == PROMPT and not self.subagent and not self.prompt.lstrip().startswith(_ECHOES)


# What an answer decides.
GO_ON = ""
ALLOW = "allow"  # the tool is used without asking the person
DENY = "deny"  # the tool is not used
ASK = "ask"  # the person is asked, whatever the agent's mode
HOLD = "hold"  # the stop is held: the agent goes on, and reads the reason
REFUSE = "refuse"  # the prompt is not sent; the person reads the reason


@record
class HookAnswer:
    """`reason` belongs to the decision; `context` is told to the agent, `message` to the person."""

    decision: str = GO_ON
    reason: str = ""
    context: str = ""
    message: str = ""


SILENCE = HookAnswer()
MOST_LINES = 4  # of what people see in an agent's window


def fit(text: str) -> str:
    """A message in as many lines as people read. What the first ones say is kept: they name what happened."""
    if text.count("\n") < MOST_LINES:
        return text
    lines = [line for line in text.split("\n") if line.strip()]
    left = len(lines) - MOST_LINES + 1
    return "\n".join(lines if left < 2 else [*lines[: MOST_LINES - 1], f"… and {left} more lines"])


def join(first: HookAnswer, second: HookAnswer) -> HookAnswer:
    """Two answers to one event, one after the other; the second decides, if it does."""
    decided = second if second.decision else first
    context = "\n\n".join(filter(None, (first.context, second.context)))
    message = "\n".join(filter(None, (first.message, second.message)))
    return HookAnswer(decided.decision, decided.reason, context, message)


@record
class Effect:
    """What else is to be done. `place` is the plan, the loop's file or the planning that it is about."""

    what: "What"
    place: str = ""
    ticket: "Ticket | None" = None
    stage: str = ""
    is_edited: bool = False  # by the person, since it was proposed
    is_approved: bool = False


@record
class EventOutcome:
    """`is_over`: nothing of the session is to be kept. `retire`: the session has ended, and may be resumed."""

    session: "Session"
    answer: HookAnswer = SILENCE
    effects: tuple[Effect, ...] = ()
    retire: bool = False
    is_over: bool = False

    def change(self, **fields: object) -> "EventOutcome":
        """The outcome with other values in some fields of its session."""
        return replace(self, session=replace(self.session, **fields))

    def after(self, first: "EventOutcome") -> "EventOutcome":
        """Two outcomes of one event, one after the other."""
        return replace(self, answer=join(first.answer, self.answer), effects=first.effects + self.effects)

    def tell(self, context: str) -> "EventOutcome":
        """The outcome with something more to tell the agent."""
        return replace(self, answer=join(self.answer, HookAnswer(context=context)))


if TYPE_CHECKING:

    class World(Protocol):
        """Answers about the world outside a session that cost something, asked for only where a decision needs them.

        A decision is a function of the session, the event and these answers. Each is given once for an event and then
        stays the same, so that a decision can be taken twice: first without the session's lock, then with it.
        """

        now: int
        home: str

        def project(self) -> str: ...  # the root of the project, found by walking up from the event's folder
        def settings(self) -> dict[str, object]: ...  # as plain values
        # Take the snapshot, and choose a plan file where the mode is planrail's own and none is there yet.
        def prepare(self, text: str, *, own_mode: bool, plan: str) -> Prepared: ...
        # Begin a planning for a request, in a session that plans already. Plain words have no options.
        def begin(self, text: str, plan: str, *, is_plain: bool) -> Prepared: ...
        def author(self, session: Session) -> Authored: ...  # what was said at a stop, as the answer to the phase
        def look(self, session: Session) -> StopLook: ...  # at its open phase, which is proven and marked if it can be
        def gate(self, command: str, session: Session) -> str: ...  # why it must wait for the phase to be proven
        def phase(self, authoring: str) -> str: ...  # what the planning asks of the agent now
        def fill(self) -> Fill | None: ...  # how full the window is; None where that is not known
        def summary(self, path: str) -> Summary: ...  # a plan in a few lines; `status` is "" where the file is missing
        def examine(self, text: str) -> list[str]: ...  # what a plan lacks, and what is wrong in it
        def assignment(self, plan: str) -> Assigned: ...  # its current phase
        def text(self, path: str) -> str: ...  # the text of a file, "" where it cannot be read
        def exists(self, path: str) -> bool: ...  # whether there is a file
        def writer_of(self, plan: str) -> str: ...  # the session that a plan was recorded for; "" without a record
        def resolve(self, path: str) -> str: ...  # a path with all links resolved, absolute
        def find_plan(self, name: str) -> str: ...  # the plan that is meant, without a name the newest; "": none
        def plan_names(self) -> list[str]: ...  # the plans that there are to choose from, newest first
        def plan_folders(self) -> list[str]: ...  # the folders that the agent keeps its own plan files in, resolved
        def is_taken(self, plan: str) -> bool: ...  # another session has it, or left it for the one that follows
        def began_before(self, moment: int) -> bool: ...  # this conversation was there before, and is resumed
        # The agent's other sessions here that have a plan, were heard of in this time, and may be over unheard.
        def silent_sessions(self, seconds: int) -> list[Session]: ...
        # What git would find, and in which folders it must not run while the session plans.
        def repositories(self, session: Session) -> RepositoryLook: ...
        # A variable by which commands that read would run other code, and the project's file that sets it.
        def running_variable(self, session: Session) -> tuple[str, str]: ...
        # What the shell's own grammar says about a command that the tokeniser does not understand.
        def second_opinion(self, command: str, session: Session) -> GuardVerdict: ...
        # What changed since plan mode was entered; None where nothing did, and the snapshot can go on leaving.
        def changes(self, session: Session, *, is_leaving: bool = False) -> Changes | None: ...
        # The session that this one was branched off from; False: none, True: nobody can tell yet.
        def parent(self) -> Session | bool: ...
        def loop(self) -> Loop | None: ...  # the loop that is active in the event's folder
        def prime(self) -> str: ...  # where the project's tasks stand; "" where none is open or nobody wants it told
        def tickets(self) -> list[Ticket]: ...  # the tickets of this agent that are not too old, newest first

else:
    World = object  # a name for annotations
