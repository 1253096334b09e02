"""What happens in an agent's session, in one form for every agent."""

from planrail.base.records import record

# The kinds of events. What an agent reports beyond these is nothing to planrail.
START = "start"  # a session begins: startup, resume, clear, compact
PROMPT = "prompt"  # somebody typed something
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
