"""The tables of `planrail.toml` as records, and the value that each setting has where nobody says one."""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]
MAX_CHARACTERS = 20_000


@record
class LintSettings:
    """The `[lint]` table. `ignore` names rules, `ignore_paths` are globs of paths that need not exist."""

    sections: list[str]
    max_characters: int
    vague_words: list[str]
    ignore: list[str]
    ignore_paths: list[str]


@record
class PlansSettings:
    """The `[plans]` table: where plan files are kept, inside the project. None: in the agent's own folder."""

    directory: str | None


@record
class PlanningSettings:
    """The `[planning]` table: how eagerly planning is proposed, how an agent is asked to plan, and which one is.

    `words` are further words that the validators know, by notion: see `planning.answers.words`.
    """

    propose: str
    workflow: str
    auto_mode: bool
    explore_agents: int
    plan_agents: int
    rounds: int
    attempts: int
    length: str
    agent: str
    critic: str  # "": the same program as the author, in a process of its own
    timeout: int  # minutes that one answer of an agent may take
    words: "Mapping[str, object]"


@record
class GuardSettings:
    """The `[guard]` table: what may be done while an agent plans. `block` false lets every tool pass."""

    block: bool
    allow_tools: list[str]


@record
class ContextSettings:
    """The `[context]` table: percentages of the window at which to warn and to hold the stop; the window in tokens."""

    warn: int
    hold: int
    window: int | None


@record
class ApprovalSettings:
    """The `[approval]` tables as they are written, each by its file: what follows from them is decided elsewhere."""

    system: "Mapping[str, object]"
    user: "Mapping[str, object]"
    project: "Mapping[str, object]"  # as it is committed


@record
class RunSettings:
    """The `[run]` table: who carries out a plan, where, and how the work lands. Heard only as it is committed."""

    agent: str
    verifier: str  # "": the same program as the agent, in a process of its own
    model: str
    landing: str
    main_protected: bool
    branch_prefix: str
    target: str  # "": the branch that is checked out
    workspace: str
    workspaces: str  # "": in the state folder
    provision: str  # "": by the lock files that the project has
    include: list[str]  # ignored files that a workspace gets a copy of
    known_secrets: list[str]  # what looks like a secret and may land: globs of paths, and fingerprints
    parallel: int
    timeout: int  # minutes
    verify_timeout: int  # minutes
    reports: str
    wait_for_limit: bool
    merge: str
    ci_timeout: int  # minutes
    command: str  # the command line of the `command` agent
    acp: str  # the command line of the `acp` agent
    account: str  # whose usage limit counts in a queue. "": the agent's name
    priority: int  # in a queue; the greater goes first


@record
class TestingSettings:
    """The `[testing]` table: the command that runs all tests, and globs of the files that are tests."""

    command: str
    timeout: int  # minutes
    files: list[str]


@record
class BudgetSettings:
    """The `[budget]` table: ceilings of a plan, of each phase and of each attempt; 0 is none."""

    money: float
    tokens: int
    minutes: float
    attempts: int
    phase_money: float
    phase_tokens: int
    phase_minutes: float
    phase_attempts: int
    attempt_money: float
    attempt_tokens: int
    attempt_minutes: float


@record
class UiSettings:
    """The `[ui]` table: a server to start, the pages to look at, and globs of the files that people see."""

    server: str
    url: str
    ready: int  # seconds
    screenshots: list[str]
    files: list[str]
    sign_off: bool  # false: what people see lands without a person's look
    browser: str  # "": by CHROME_BIN, then the first one that is found


@record
class ScheduleSettings:
    """The `[schedule]` table: the zone that times of day are meant in. "": the machine's own."""

    timezone: str


@record
class WorkerSettings:
    """The `[worker]` table: how many plans run at once, and how long each keeps its place."""

    slots: int
    turn: int  # minutes that a plan keeps its slot while others wait
    drain: int  # seconds that runs get to come to a rest
    repository: str  # what the rows of a team call this repository. "": by its remote


@record
class TasksSettings:
    """The `[tasks]` table: where tasks and their documents are shown, and how stages of work on them are done."""

    folder: str  # from the root of the project on
    commit: bool  # whether commands about tasks commit what they recorded
    timeout: int  # minutes of agents' time that one stage may take
    prime: bool  # whether a session that was cleared is told what is in hand
    type: str  # of a task whose text says none


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


DEFAULT_LINT = LintSettings(SECTIONS, MAX_CHARACTERS, [], [], [])
DEFAULT_PLANS = PlansSettings(None)
DEFAULT_PLANNING = PlanningSettings(
    "normal",
    "phases",
    auto_mode=True,
    explore_agents=3,
    plan_agents=1,
    rounds=2,
    attempts=4,
    length="free",
    agent="claude",
    critic="",
    timeout=30,
    words={},
)
DEFAULT_CONTEXT = ContextSettings(50, 60, None)
DEFAULT_RUN = RunSettings(
    agent="runbook",
    verifier="",
    model="",
    landing="cherry-pick",
    main_protected=False,
    branch_prefix="feat/",
    target="",
    workspace="clone",
    workspaces="",
    provision="",
    include=[],
    known_secrets=[],
    parallel=1,
    timeout=120,
    verify_timeout=45,
    reports="reports",
    wait_for_limit=False,
    merge="squash",
    ci_timeout=60,
    command="",
    acp="",
    account="",
    priority=0,
)
DEFAULT_TESTING = TestingSettings("", 30, [])
DEFAULT_BUDGET = BudgetSettings(0.0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0)
DEFAULT_UI = UiSettings("", "", 60, [], [], sign_off=True, browser="")
DEFAULT_SCHEDULE = ScheduleSettings("")
DEFAULT_WORKER = WorkerSettings(slots=4, turn=10, drain=30, repository="")
DEFAULT_TASKS = TasksSettings("specs", commit=True, timeout=30, prime=True, type="general")
