"""The values that the world outside a session answers with when a decision asks (`events.World`)."""

from planrail.base.records import record


@record
class Prepared:
    """What was made ready when plan mode is entered. `complaint` says what could not be."""

    plan: str = ""  # the plan file, where planrail chose it
    snapshot: str = ""
    complaint: str = ""
    embedded: str = ""  # a submodule with a repository among the project's files, whose settings git would follow
    authoring: str = ""  # the planning that was begun
    refusal: str = ""  # why it cannot be begun as it was asked for
    block: bool = True  # the user wants tools to be blocked


@record
class Authored:
    """What an answer did to a planning. `reason`: why the stop is held; `message`: what the user should know."""

    reason: str = ""
    message: str = ""
    is_over: bool = False  # the planning has ended
    is_proposed: bool = False  # with a plan that is put before the user
    is_repeated: bool = False  # this stop was answered before: hooks may be registered twice


@record
class Assigned:
    """A phase as the agent gets it, with the rules; `notice` is what the user should know about it."""

    text: str = ""
    notice: str = ""


@record
class StopLook:
    """What was found out about the open phase at a stop. `verdict`: told, missing, proven; "": nothing to say."""

    verdict: str = ""
    phase: str = ""
    title: str = ""
    mark: str = ""  # of the tree and the plan that were looked at
    missing: "list[str]" = []  # noqa: RUF012 - a record is never changed
    is_mixed: bool = False  # the agent says of some work that it is not done: it is not held, and the user is told
    why: str = ""  # nothing was run
    proven: "list[str]" = []  # noqa: RUF012 - the phases before it that were marked at this very stop
    note: str = ""  # about the files that it changed
    next: str = ""
    next_title: str = ""
    is_complete: bool = False


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
    proposing: bool = False  # a proposal was before the user when the session was cleared
    planning: bool = False
    mode_before: str = ""
    snapshot: str = ""
    authoring: str = ""
    path: str = ""  # of the ticket itself
