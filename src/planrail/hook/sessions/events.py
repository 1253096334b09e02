"""What happens in an agent's session, in one form for every agent; what planrail answers, and what else it does."""

from planrail.base.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from planrail.hook.sessions.state import Session
    from planrail.hook.sessions.world import Ticket

    # A ticket is left for the session that comes after a clear, and claimed so that nobody else can.
    What = Literal["leave_ticket", "claim_ticket", "end_loop", "open_editor", "record_stage", "end_planning"]

# The kinds of events. What an agent reports beyond these is nothing to planrail.
START = "start"  # a session begins: startup, resume, clear, compact
PROMPT = "prompt"  # the user typed something
TOOL = "tool"  # the agent wants to use a tool
PERMISSION = "permission"  # the agent asks the person whether it may
TOOL_DONE = "tool_done"
STOP = "stop"  # the agent wants to end its turn
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
END = "end"  # a session ends: clear, exit, logout

# What agents submit by themselves: notes about tasks, and (Gemini CLI) the reason of a stop that was held.
_ECHOES = ("<task-notification>", "Context at ")
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
class Answer:
    """`reason` belongs to the decision; `context` is told to the agent, `message` to the person."""

    decision: str = GO_ON
    reason: str = ""
    context: str = ""
    message: str = ""


SILENCE = Answer()


def join(first: Answer, second: Answer) -> Answer:
    """Two answers to one event, one after the other; the second decides, if it does."""
    decided = second if second.decision else first
    context = "\n\n".join(filter(None, (first.context, second.context)))
    message = "\n".join(filter(None, (first.message, second.message)))
    return Answer(decided.decision, decided.reason, context, message)


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
class Outcome:
    """`is_over`: nothing of the session is to be kept. `retire`: the session has ended, and may be resumed."""

    session: "Session"
    answer: Answer = SILENCE
    effects: tuple[Effect, ...] = ()
    retire: bool = False
    is_over: bool = False

    def change(self, **fields: object) -> "Outcome":
        """The outcome with other values in some fields of its session."""
        return replace(self, session=replace(self.session, **fields))

    def after(self, first: "Outcome") -> "Outcome":
        """Two outcomes of one event, one after the other."""
        return replace(self, answer=join(first.answer, self.answer), effects=first.effects + self.effects)

    def tell(self, context: str) -> "Outcome":
        """The outcome with something more to tell the agent."""
        return replace(self, answer=join(self.answer, Answer(context=context)))
