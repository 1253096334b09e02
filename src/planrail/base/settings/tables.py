"""The tables of `planrail.toml` as records, and the value that each setting has where nobody says one."""

# ruff: noqa: RUF012 - a record is never changed

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]
MAX_CHARACTERS = 20_000


@record
class LintSettings:
    """The `[lint]` table. `ignore` names rules, `ignore_paths` are globs of paths that need not exist."""

    sections: list[str] = SECTIONS
    max_characters: int = MAX_CHARACTERS
    vague_words: list[str] = []
    ignore: list[str] = []
    ignore_paths: list[str] = []


@record
class PlansSettings:
    """The `[plans]` table: where plan files are kept, inside the project. None: in the agent's own folder."""

    directory: str | None = None


@record
class PlanningSettings:
    """The `[planning]` table: how eagerly planning is proposed, how an agent is asked to plan, and which one is.

    `words` are further words that the validators know, by notion: see `planning.answers.words`.
    """

    propose: str = "normal"
    workflow: str = "phases"
    auto_mode: bool = True
    explore_agents: int = 3
    plan_agents: int = 1
    rounds: int = 2
    attempts: int = 4
    length: str = "free"
    agent: str = "claude"
    critic: str = ""  # "": the same program as the author, in a process of its own
    timeout: int = 30  # minutes that one answer of an agent may take
    words: "Mapping[str, object]" = {}


@record
class GuardSettings:
    """The `[guard]` table: what may be done while an agent plans. `block` false lets every tool pass."""

    block: bool
    allow_tools: list[str]


@record
class ContextSettings:
    """The `[context]` table: percentages of the window at which to warn and to hold the stop; the window in tokens."""

    warn: int = 50
    hold: int = 60
    window: int | None = None


@record
class ApprovalSettings:
    """The `[approval]` tables as they are written, each by its file: what follows from them is decided elsewhere."""

    system: "Mapping[str, object]"
    user: "Mapping[str, object]"
    project: "Mapping[str, object]"  # as it is committed


@record
class RunSettings:
    """The `[run]` table: who carries out a plan, where, and how the work lands. Heard only as it is committed."""

    agent: str = "runbook"
    verifier: str = ""  # "": the same program as the agent, in a process of its own
    model: str = ""
    landing: str = "cherry-pick"
    main_protected: bool = False
    branch_prefix: str = "feat/"
    target: str = ""  # "": the branch that is checked out
    workspace: str = "clone"
    workspaces: str = ""  # "": in the state folder
    provision: str = ""  # "": by the lock files that the project has
    include: list[str] = []  # ignored files that a workspace gets a copy of
    known_secrets: list[str] = []  # what looks like a secret and may land: globs of paths, and fingerprints
    parallel: int = 1
    timeout: int = 120  # minutes
    verify_timeout: int = 45  # minutes
    reports: str = "reports"
    wait_for_limit: bool = False
    merge: str = "squash"
    ci_timeout: int = 60  # minutes
    command: str = ""  # the command line of the `command` agent
    acp: str = ""  # the command line of the `acp` agent
    account: str = ""  # whose usage limit counts in a queue. "": the agent's name
    priority: int = 0  # in a queue; the greater goes first


@record
class TestingSettings:
    """The `[testing]` table: the command that runs all tests, and globs of the files that are tests."""

    command: str = ""
    timeout: int = 30  # minutes
    files: list[str] = []


@record
class BudgetSettings:
    """The `[budget]` table: ceilings of a plan, of each phase and of each attempt; 0 is none."""

    money: float = 0.0
    tokens: int = 0
    minutes: float = 0.0
    attempts: int = 0
    phase_money: float = 0.0
    phase_tokens: int = 0
    phase_minutes: float = 0.0
    phase_attempts: int = 0
    attempt_money: float = 0.0
    attempt_tokens: int = 0
    attempt_minutes: float = 0.0


@record
class UiSettings:
    """The `[ui]` table: a server to start, the pages to look at, and globs of the files that people see."""

    server: str = ""
    url: str = ""
    ready: int = 60  # seconds
    screenshots: list[str] = []
    files: list[str] = []
    sign_off: bool = True  # false: what people see lands without a person's look
    browser: str = ""  # "": by CHROME_BIN, then the first one that is found


@record
class ScheduleSettings:
    """The `[schedule]` table: the zone that times of day are meant in. "": the machine's own."""

    timezone: str = ""


@record
class WorkerSettings:
    """The `[worker]` table: how many plans run at once, and how long each keeps its place."""

    slots: int = 4
    turn: int = 10  # minutes that a plan keeps its slot while others wait
    drain: int = 30  # seconds that runs get to come to a rest
    repository: str = ""  # what the rows of a team call this repository. "": by its remote


@record
class TasksSettings:
    """The `[tasks]` table: where tasks and their documents are shown, and how stages of work on them are done."""

    folder: str = "specs"  # from the root of the project on
    commit: bool = True  # whether commands about tasks commit what they recorded
    timeout: int = 30  # minutes of agents' time that one stage may take
    prime: bool = True  # whether a session that was cleared is told what is in hand
    type: str = "general"  # of a task whose text says none


@record
class Settings:
    """All settings that planrail has so far, one attribute for each table."""

    lint: LintSettings
    plans: PlansSettings
    planning: PlanningSettings
    guard: GuardSettings
    context: ContextSettings
    approval: ApprovalSettings
    run: RunSettings
    testing: TestingSettings
    budget: BudgetSettings
    ui: UiSettings
    schedule: ScheduleSettings
    worker: WorkerSettings
    tasks: TasksSettings


DEFAULT_LINT = LintSettings()
