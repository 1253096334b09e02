"""The tables of `planrail.toml` as records: each setting once, with the value that it has where nobody says one, what
it accepts, and how that is said to a user who wrote another thing.
"""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")
    Accepted = tuple[Callable[[object], bool], str]

    @dataclass_transform(frozen_default=True)
    def table(name: str) -> Callable[[type[T]], type[T]]: ...

    def setting(default: T, accepted: Accepted) -> T: ...

else:

    def table(name):
        """Make a record of a class whose attributes are settings, and keep what each of them accepts."""

        def build(cls):
            declared = {key: cls.__dict__[key] for key in cls.__annotations__}
            TABLES[name] = {key: accepted for key, (_, accepted) in declared.items()}
            for key, (default, _) in declared.items():
                setattr(cls, key, default)
            return record(cls)

        return build

    def setting(default, accepted):
        """A setting of a table."""
        return default, accepted


TOP_LEVEL = frozenset({"database"})  # keys that stand above all tables
TABLES: "dict[str, dict[str, Accepted]]" = {}  # what each setting accepts
SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]
SMALL_SECTIONS = ["Goal", "Steps", "Verification"]  # of a plan of one phase: what is not in it is not meant
NO_TESTS = "none"
NOTICES = ("needs_you", "stuck", "failed", "parked", "complete", "landed")
LANDINGS = ("cherry-pick", "pr", "direct")


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_priority(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -100 <= value <= 100


def _up_to(most: int) -> "Accepted":
    return (lambda value: _is_count(value) and value <= most, f"a whole number from 1 to {most}")


def _one_of(*words: str, said: str = "") -> "Accepted":
    return (lambda value: value in words, said or "one of " + ", ".join(f'"{word}"' for word in words))


def _is_word_table(value: object) -> bool:
    """Lists of words by their notion, and under `sections` the further titles of each section."""
    if not isinstance(value, dict):
        return False
    sections = value.get("sections", {})
    lists = [words for notion, words in value.items() if notion != "sections"]
    return isinstance(sections, dict) and all(map(_is_words, [*lists, *sections.values()]))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_inside(value: object) -> bool:
    """A folder below the root, spelt plainly: whatever is written there stays in the project."""
    if not isinstance(value, str) or value != value.strip() or not value.isprintable():
        return False
    return all(part and part not in (".", "..") and not part.startswith(".git") for part in value.split("/"))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_address(value: object) -> bool:
    return isinstance(value, str) and (not value or value.startswith(("https://", "http://")))


def _are_notices(value: object) -> bool:
    return _is_words(value) and all(word in NOTICES for word in value)  # type: ignore[attr-defined]


def _is_limit(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_interval(value: object) -> bool:
    return value == "off" or (_is_limit(value) and bool(value))


def _is_whole_limit(value: object) -> bool:
    return _is_limit(value) and isinstance(value, int)


_FLAG = (lambda value: isinstance(value, bool), "true or false")
_COUNT = (_is_count, "a whole number above 0")
_COUNTED_MINUTES = (_is_count, "a whole number of minutes")
_MONEY = (_is_limit, "an amount in dollars, 0 for no limit")
_TOKENS = (_is_whole_limit, "a whole number of tokens, 0 for no limit")
_MINUTES = (_is_limit, "a number of minutes, 0 for no limit")
_ATTEMPTS = (_is_whole_limit, "a whole number, 0 for no limit")
_COMMAND = (_is_text, "a command line")
AGENT = (_is_path, 'the name of an agent, such as "claude"')
OTHER_AGENT = (_is_text, 'the name of an agent, such as "codex"')
ADDRESS = (_is_address, 'an address, such as "https://ntfy.example.org/my-topic"')
ADDRESSES = (_is_words, "a list of addresses that Apprise knows")
_NOTICES = (_are_notices, f"a list of some of {', '.join(NOTICES)}")
_STRENGTH = _one_of("dialog", "terminal", "key")


@table("lint")
class LintSettings:
    """`ignore` names rules, `ignore_paths` are globs of paths that need not exist."""

    sections: list[str] = setting(SECTIONS, (_is_words, 'a list of section names, such as ["Goal", "Steps"]'))
    max_characters: int = setting(20_000, _COUNT)
    vague_words: list[str] = setting([], (_is_words, 'a list of words, such as ["asap"]'))
    ignore: list[str] = setting([], (_is_words, 'a list of rules, such as ["length"]'))
    ignore_paths: list[str] = setting([], (_is_words, 'a list of globs, such as ["dist/**"]'))


@table("plans")
class PlansSettings:
    """Where plan files are kept, inside the project. None: in the agent's own folder."""

    directory: str | None = setting(None, (_is_path, 'a folder in the project, such as "docs/plans"'))


@table("planning")
class PlanningSettings:
    """How eagerly planning is proposed, how an agent is asked to plan, and which one is.

    `words` are further words that the validators know, by notion: see `planning.answers.words`.
    """

    propose: str = setting("normal", _one_of("eager", "normal", "never"))
    workflow: str = setting("phases", _one_of("phases", "interview", "free", said='"phases", "interview" or "free"'))
    auto_mode: bool = setting(True, _FLAG)
    explore_agents: int = setting(3, _up_to(10))
    plan_agents: int = setting(1, _up_to(10))
    size: str = setting("auto", _one_of("auto", "small", "deep"))
    rounds: int = setting(2, _up_to(4))
    attempts: int = setting(4, _up_to(20))
    length: str = setting("free", (_is_path, '"free", or a target such as "under 40 lines"'))
    agent: str = setting("claude", AGENT)
    critic: str = setting("", OTHER_AGENT)  # "": the same program as the author, in a process of its own
    timeout: int = setting(30, _COUNTED_MINUTES)  # that one answer of an agent may take
    words: "Mapping[str, object]" = setting({}, (_is_word_table, 'a table of lists, such as { aspects = ["kwestie"] }'))


# Kept as they are written, each by its file: what follows from them is decided in `approval.policy`.
TABLES["approval"] = {
    "required": _FLAG,
    "in_session": _STRENGTH,
    "headless": _STRENGTH,
    "auto": _STRENGTH,
    "lead": (_is_path, "a name or an e-mail address"),
    "signers": (_is_path, "the path of an allowed-signers file, outside the repository"),
    "agents": (_is_words, 'a list of program names, such as ["my-agent"]'),
}


@record
class ApprovalSettings:
    """The `[approval]` tables of the machine, the user and the project, that one as it is committed."""

    system: "Mapping[str, object]"
    user: "Mapping[str, object]"
    project: "Mapping[str, object]"


@table("guard")
class GuardSettings:
    """What may be done while an agent plans. `block` false lets every tool pass."""

    block: bool = setting(True, _FLAG)
    allow_tools: list[str] = setting([], (_is_words, 'a list of tools, such as ["mcp__docs__search"]'))


@table("session")
class SessionSettings:
    """What is done where an agent ends its turn with an open phase, and the seconds that this may take.

    Heard only as it is committed: an agent that is held must not let itself go.
    """

    hold: str = setting("checks", _one_of("checks", "tell", "off"))
    hold_seconds: int = setting(120, _up_to(540))


@table("context")
class ContextSettings:
    """Percentages of the window at which to warn and to hold the stop; the window in tokens."""

    warn: int = setting(50, _up_to(100))
    hold: int = setting(60, _up_to(100))
    window: int | None = setting(None, (_is_count, "a whole number of tokens"))


@table("run")
class RunSettings:
    """Which agents carry out a plan, where, and how the work lands. Heard only as it is committed."""

    agent: str = setting("runbook", AGENT)
    verifier: str = setting("", OTHER_AGENT)  # "": the same program as the agent, in a process of its own
    model: str = setting("", (_is_text, "the name of a model"))
    verifier_model: str = setting("", (_is_text, "the name of a model"))  # "": the agent's, for the same program
    # floors: a named model of the same family that is weaker is refused
    least_model: str = setting("", (_is_text, 'the name of a model, such as "sonnet"'))
    least_verifier_model: str = setting("", (_is_text, 'the name of a model, such as "opus"'))
    landing: str = setting("cherry-pick", _one_of(*LANDINGS))
    main_protected: bool = setting(False, _FLAG)
    branch_prefix: str = setting("feat/", (_is_text, 'the beginning of a branch name, such as "feat/"'))
    target: str = setting("", (_is_text, 'the name of a branch, such as "main"'))  # "": the one that is checked out
    workspace: str = setting("clone", _one_of("clone", "worktree", said='"clone" or "worktree"'))
    workspaces: str = setting("", (_is_text, "a folder outside the repository"))  # "": in the state folder
    provision: str = setting("", _COMMAND)  # "": by the lock files that the project has
    # of the user's checkout, used as it is. "": one is made by `provision`
    environment: str = setting("", (_is_text, 'the folder of an environment, such as ".venv"'))
    # ignored files that a workspace gets a copy of
    include: list[str] = setting([], (_is_words, 'a list of globs, such as [".env.test"]'))
    # what looks like a secret and may land: globs of paths, and fingerprints
    known_secrets: list[str] = setting(
        [], (_is_words, 'a list of globs and fingerprints, such as ["tests/keys/*", "1f3b5c7d9e0a"]')
    )
    parallel: int = setting(1, _up_to(10))
    timeout: int = setting(120, _COUNTED_MINUTES)
    verify_timeout: int = setting(45, _COUNTED_MINUTES)
    reports: str = setting("", (_is_text, 'a folder in the project, such as "reports"'))  # "": beside the ledger
    wait_for_limit: bool = setting(False, _FLAG)
    merge: str = setting("squash", _one_of("merge", "squash", "rebase"))
    ci_timeout: int = setting(60, _COUNTED_MINUTES)
    command: str = setting("", _COMMAND)  # the command line of the `command` agent
    acp: str = setting("", _COMMAND)  # the command line of the `acp` agent
    # whose usage limit counts in a queue. "": the agent's name
    account: str = setting("", (_is_text, "a name for the agent's account"))
    # minutes between two pushes of what an agent has begun, in a team's run
    push_work: "float | str" = setting(3, (_is_interval, 'a number of minutes, or "off"'))
    confine: str = setting("auto", _one_of("required", "auto", "off"))  # are checks and agents kept in their workspace?
    network: str = setting("on", _one_of("off", "loopback", "on"))  # that confined checks have
    agent_network: str = setting("on", _one_of("off", "loopback", "on"))  # that confined agents have
    # what they reach beyond that
    readable: list[str] = setting([], (_is_words, 'a list of paths, such as ["~/.npmrc"]'))
    writable: list[str] = setting([], (_is_words, 'a list of paths, such as ["~/.cache/go-build"]'))
    # in a queue; the greater goes first
    priority: int = setting(0, (_is_priority, "a whole number from -100 to 100"))


@table("testing")
class TestingSettings:
    """The command that runs all tests, and globs of the files that are tests."""

    command: str = setting("", _COMMAND)  # "none": a person says that there are no tests
    timeout: int = setting(30, _COUNTED_MINUTES)
    files: list[str] = setting([], (_is_words, 'a list of globs, such as ["spec/**"]'))

    @property
    def runnable(self) -> str:
        """The command, "" where there is none to run."""
        return "" if self.command.strip() == NO_TESTS else self.command


@table("budget")
class BudgetSettings:
    """Ceilings of a plan, of each phase and of each attempt; 0 is none."""

    money: float = setting(0.0, _MONEY)
    phase_money: float = setting(0.0, _MONEY)
    attempt_money: float = setting(0.0, _MONEY)
    tokens: int = setting(0, _TOKENS)
    phase_tokens: int = setting(0, _TOKENS)
    attempt_tokens: int = setting(0, _TOKENS)
    minutes: float = setting(0.0, _MINUTES)
    phase_minutes: float = setting(0.0, _MINUTES)
    attempt_minutes: float = setting(0.0, _MINUTES)
    attempts: int = setting(0, _ATTEMPTS)
    phase_attempts: int = setting(0, _ATTEMPTS)


@table("ui")
class UiSettings:
    """A server to start, the pages to look at, and globs of the files that people see."""

    server: str = setting("", _COMMAND)
    url: str = setting("", (_is_text, 'an address on this machine, such as "http://127.0.0.1:3000"'))
    ready: int = setting(60, (_is_count, "a whole number of seconds"))
    screenshots: list[str] = setting([], (_is_words, 'a list of paths, such as ["/", "/settings"]'))
    files: list[str] = setting([], (_is_words, 'a list of globs, such as ["src/ui/**"]'))
    sign_off: bool = setting(True, _FLAG)
    # "": by CHROME_BIN, then the first one that is found
    browser: str = setting("", (_is_text, 'the path of a Chromium or Chrome, such as "/usr/bin/chromium"'))


@table("schedule")
class ScheduleSettings:
    """The zone that times of day are meant in. "": the machine's own."""

    timezone: str = setting("", (_is_text, 'the name of a time zone, such as "Europe/Berlin"'))


@table("worker")
class WorkerSettings:
    """How many plans run at once, and how long each keeps its place."""

    slots: int = setting(4, _up_to(64))
    turn: int = setting(10, _COUNTED_MINUTES)  # that a plan keeps its slot while others wait
    drain: int = setting(30, (_is_whole_limit, "a whole number of seconds"))  # that runs get to come to a rest
    keep: int = setting(30, (_is_whole_limit, "a whole number of days, 0 for ever"))  # of what nobody needs any more
    # what the rows of a team call this repository. "": by its remote
    repository: str = setting("", (_is_text, 'a name for the repository, such as "example.org/team/shop"'))
    # what hands out turns in a team's database. "": what does already
    engine: str = setting("", _one_of("", "own", "dbos", said='"own" or "dbos"'))


@table("tasks")
class TasksSettings:
    """Where tasks and their documents are shown, and how stages of work on them are done."""

    folder: str = setting("specs", (_is_inside, 'a folder in the project, such as "specs"'))  # from the root on
    commit: bool = setting(True, _FLAG)
    timeout: int = setting(30, _COUNTED_MINUTES)  # of agents' time that one stage may take
    prime: bool = setting(True, _FLAG)
    type: str = setting("general", (_is_path, 'a type of tasks, such as "general"'))  # of a task whose text says none


@table("notify")
class NotifySettings:
    """Where a person is told of what happens. Addresses are secrets: the user's own file alone is heard."""

    desktop: bool = setting(False, _FLAG)
    ntfy: str = setting("", ADDRESS)
    slack: str = setting("", ADDRESS)
    webhook: str = setting("", ADDRESS)
    apprise: list[str] = setting([], ADDRESSES)
    on: list[str] = setting(["needs_you", "stuck", "failed", "parked", "complete"], _NOTICES)
    per_hour: int = setting(20, _up_to(1000))  # beyond that several go as one

    @property
    def channels(self) -> list[str]:
        """Those that are to be used."""
        return [name for name in ("desktop", "ntfy", "slack", "webhook", "apprise") if getattr(self, name)]


@record
class Settings:
    """All settings that planrail has so far, one attribute for each table."""

    lint: LintSettings
    plans: PlansSettings
    planning: PlanningSettings
    guard: GuardSettings
    session: SessionSettings
    context: ContextSettings
    approval: ApprovalSettings
    run: RunSettings
    testing: TestingSettings
    budget: BudgetSettings
    ui: UiSettings
    schedule: ScheduleSettings
    worker: WorkerSettings
    tasks: TasksSettings
    notify: NotifySettings


DEFAULT_LINT = LintSettings()
