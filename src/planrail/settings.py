"""Settings: `planrail.toml` in the repository, over the user's own file, over the defaults given here.

A table that this module does not know belongs to another part of planrail and is left alone. A key that it does
not know, inside a table of its own, is a mistake that the user wants to hear about.

On safety the stricter of the two files wins, and the repository's file is heard only as it is committed: an agent can
edit the file in the working tree, and must not loosen its own guard by that.
"""

import os

from planrail.errors import UsageError
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE_NAME = "planrail.toml"
SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]
MAX_CHARACTERS = 20_000
PROPOSE = ("eager", "normal", "never")
WORKFLOWS = ("phases", "interview", "free")
STRENGTHS = ("dialog", "terminal", "key")
LANDINGS = ("cherry-pick", "pr", "direct")
SYSTEM_FILE = "/etc/planrail/planrail.toml"  # written by root alone; it can make approval stricter


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

    `words` are further words that the validators know, by notion: see `authoring.words`.
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
    parallel: int
    timeout: int  # minutes
    verify_timeout: int  # minutes
    reports: str
    wait_for_limit: bool
    merge: str
    ci_timeout: int  # minutes
    command: str  # the command line of the `command` agent
    acp: str  # the command line of the `acp` agent


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
    parallel=1,
    timeout=120,
    verify_timeout=45,
    reports="reports",
    wait_for_limit=False,
    merge="squash",
    ci_timeout=60,
    command="",
    acp="",
)
DEFAULT_TESTING = TestingSettings("", 30, [])
DEFAULT_BUDGET = BudgetSettings(0.0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0, 0, 0.0)
DEFAULT_UI = UiSettings("", "", 60, [], [], sign_off=True, browser="")


def load_settings(
    root: str | None, environment: "Mapping[str, str] | None" = None, *, committed: str | None = None
) -> Settings:
    """The settings for a repository (None: outside all of them), or a `UsageError` that names the key.

    `committed` is the repository's file as it is committed, the only form of it that can loosen the guard.
    """
    user = _read_file(user_file(os.environ if environment is None else environment))
    project = _read_file(os.path.join(root, FILE_NAME)) if root is not None else {}
    settled = _parse(f"{FILE_NAME} as committed", committed) if committed else {}
    return Settings(
        LintSettings(**_merge(DEFAULT_LINT, "lint", user, project)),  # type: ignore[arg-type] # checked by _read_file
        PlansSettings(**_merge(DEFAULT_PLANS, "plans", user, project)),  # type: ignore[arg-type]
        PlanningSettings(**_merge(DEFAULT_PLANNING, "planning", user, project)),  # type: ignore[arg-type]
        _guard(user.get("guard", {}), settled.get("guard", {})),
        _context(_merge(DEFAULT_CONTEXT, "context", user, project)),
        ApprovalSettings(
            _read_file(SYSTEM_FILE).get("approval", {}), user.get("approval", {}), settled.get("approval", {})
        ),
        # What planrail starts by itself comes from the user or from a commit, never as an agent just edited it.
        RunSettings(**_merge(DEFAULT_RUN, "run", user, settled)),  # type: ignore[arg-type]
        TestingSettings(**_merge(DEFAULT_TESTING, "testing", user, settled)),  # type: ignore[arg-type]
        BudgetSettings(**_merge(DEFAULT_BUDGET, "budget", user, settled)),  # type: ignore[arg-type]
        _ui(user, settled),
    )


def unknown_tables(root: str | None, environment: "Mapping[str, str]") -> list[str]:
    """The tables of both files that no part of planrail reads: most often a name that was mistyped."""
    files = [user_file(environment), *([os.path.join(root, FILE_NAME)] if root is not None else [])]
    found: set[str] = set()
    for path in files:
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                found.update(_load(path, file.read()))
    return sorted(found - _TABLES.keys())


def user_file(environment: "Mapping[str, str]") -> str:
    """The path of the user's own settings."""
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "planrail", FILE_NAME)


def _merge(defaults: object, table: str, *files: dict[str, dict[str, object]]) -> dict[str, object]:
    merged = {key: getattr(defaults, key) for key in _TABLES[table]}
    for file in files:
        merged.update(file.get(table, {}))
    return merged


def _guard(user: dict[str, object], committed: dict[str, object]) -> GuardSettings:
    """Only the user can switch blocking off; a tool is allowed by either file, or by both where both have a list."""
    lists = [file["allow_tools"] for file in (user, committed) if "allow_tools" in file]
    first = lists[0] if lists else []
    assert isinstance(first, list)
    allowed = [tool for tool in first if all(tool in other for other in lists)]  # type: ignore[operator]
    return GuardSettings(block=user.get("block", True) is not False, allow_tools=allowed)


def _ui(user: dict[str, dict[str, object]], committed: dict[str, dict[str, object]]) -> UiSettings:
    """Whoever wants a person to look is heard, whatever the other file says."""
    merged = _merge(DEFAULT_UI, "ui", user, committed)
    said = [file["ui"]["sign_off"] for file in (user, committed) if "sign_off" in file.get("ui", {})]
    return UiSettings(**{**merged, "sign_off": any(said) or not said})  # type: ignore[arg-type] # checked by _read_file


def _context(values: dict[str, object]) -> ContextSettings:
    settings = ContextSettings(**values)  # type: ignore[arg-type] # checked by _read_file
    if settings.warn > settings.hold:
        raise UsageError(
            f"[context] warns at {settings.warn} % but holds at {settings.hold} %",
            remedy="let warn be at most hold",
        )
    return settings


def _read_file(path: str) -> dict[str, dict[str, object]]:
    """The tables of a file that this module knows, checked."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", remedy="check the file's permissions") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", remedy="correct that line") from error
    return _parse(path, text)


def _parse(path: str, text: str) -> dict[str, dict[str, object]]:
    document = _load(path, text)
    return {name: _checked(path, name, document.get(name, {})) for name in _TABLES}


def _load(path: str, text: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", remedy="correct that line") from error


def _checked(path: str, name: str, table: object) -> dict[str, object]:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {name!r} must be a table", remedy=f"write it as [{name}]")
    for key, value in table.items():
        _check(path, name, key, value)
    return table


def _check(path: str, table: str, key: str, value: object) -> None:
    keys = _TABLES[table]
    if key not in keys:
        raise UsageError(f"{path}: [{table}] has no setting {key!r}", remedy=f"use one of: {', '.join(keys)}")
    accepts, what = keys[key]
    if not accepts(value):
        raise UsageError(f"{path}: [{table}] {key} is {value!r}, which is not {what}", remedy=f"write {key} = {what}")


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_percentage(value: object) -> bool:
    return _is_count(value) and isinstance(value, int) and value <= 100


def _is_few(value: object) -> bool:
    return _is_count(value) and isinstance(value, int) and value <= 10


def _is_some(value: object) -> bool:
    return _is_count(value) and isinstance(value, int) and value <= 20


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_strength(value: object) -> bool:
    return value in STRENGTHS


def _is_word_table(value: object) -> bool:
    """Lists of words by their notion, and under `sections` the further titles of each section."""
    if not isinstance(value, dict):
        return False
    sections = value.get("sections", {})
    lists = [words for notion, words in value.items() if notion != "sections"]
    return isinstance(sections, dict) and all(map(_is_words, [*lists, *sections.values()]))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_limit(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_whole_limit(value: object) -> bool:
    return _is_limit(value) and isinstance(value, int)


_MONEY = (_is_limit, "an amount in dollars, 0 for no limit")
_TOKENS = (_is_whole_limit, "a whole number of tokens, 0 for no limit")
_MINUTES = (_is_limit, "a number of minutes, 0 for no limit")
_ATTEMPTS = (_is_whole_limit, "a whole number, 0 for no limit")
_COMMAND = (_is_text, "a command line")


_TABLES: "dict[str, dict[str, tuple[Callable[[object], bool], str]]]" = {
    "lint": {
        "sections": (_is_words, 'a list of section names, such as ["Goal", "Steps"]'),
        "max_characters": (_is_count, "a whole number above 0"),
        "vague_words": (_is_words, 'a list of words, such as ["asap"]'),
        "ignore": (_is_words, 'a list of rules, such as ["length"]'),
        "ignore_paths": (_is_words, 'a list of globs, such as ["dist/**"]'),
    },
    "plans": {"directory": (_is_path, 'a folder in the project, such as "docs/plans"')},
    "planning": {
        "propose": (lambda value: value in PROPOSE, 'one of "eager", "normal", "never"'),
        "workflow": (lambda value: value in WORKFLOWS, '"phases", "interview" or "free"'),
        "auto_mode": (_is_flag, "true or false"),
        "explore_agents": (_is_few, "a whole number from 1 to 10"),
        "plan_agents": (_is_few, "a whole number from 1 to 10"),
        "rounds": (lambda value: _is_count(value) and value in (1, 2, 3, 4), "a whole number from 1 to 4"),
        "attempts": (_is_some, "a whole number from 1 to 20"),
        "length": (_is_path, '"free", or a target such as "under 40 lines"'),
        "agent": (_is_path, 'the name of an agent, such as "claude"'),
        "critic": (lambda value: isinstance(value, str), 'the name of an agent, such as "codex"'),
        "timeout": (_is_count, "a whole number of minutes"),
        "words": (_is_word_table, 'a table of lists, such as { aspects = ["kwestie"] }'),
    },
    "approval": {
        "required": (_is_flag, "true or false"),
        "in_session": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "headless": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "auto": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "lead": (_is_path, "a name or an e-mail address"),
        "signers": (_is_path, "the path of an allowed-signers file, outside the repository"),
        "agents": (_is_words, 'a list of program names, such as ["my-agent"]'),
    },
    "guard": {
        "block": (_is_flag, "true or false"),
        "allow_tools": (_is_words, 'a list of tools, such as ["mcp__docs__search"]'),
    },
    "context": {
        "warn": (_is_percentage, "a whole number from 1 to 100"),
        "hold": (_is_percentage, "a whole number from 1 to 100"),
        "window": (_is_count, "a whole number of tokens"),
    },
    "run": {
        "agent": (_is_path, 'the name of an agent, such as "claude"'),
        "verifier": (_is_text, 'the name of an agent, such as "codex"'),
        "model": (_is_text, "the name of a model"),
        "landing": (lambda value: value in LANDINGS, 'one of "cherry-pick", "pr", "direct"'),
        "main_protected": (_is_flag, "true or false"),
        "branch_prefix": (_is_text, 'the beginning of a branch name, such as "feat/"'),
        "target": (_is_text, 'the name of a branch, such as "main"'),
        "workspace": (lambda value: value in ("clone", "worktree"), '"clone" or "worktree"'),
        "workspaces": (_is_text, "a folder outside the repository"),
        "provision": _COMMAND,
        "include": (_is_words, 'a list of globs, such as [".env.test"]'),
        "parallel": (_is_few, "a whole number from 1 to 10"),
        "timeout": (_is_count, "a whole number of minutes"),
        "verify_timeout": (_is_count, "a whole number of minutes"),
        "reports": (_is_path, 'a folder in the project, such as "reports"'),
        "wait_for_limit": (_is_flag, "true or false"),
        "merge": (lambda value: value in ("merge", "squash", "rebase"), 'one of "merge", "squash", "rebase"'),
        "ci_timeout": (_is_count, "a whole number of minutes"),
        "command": _COMMAND,
        "acp": _COMMAND,
    },
    "testing": {
        "command": _COMMAND,
        "timeout": (_is_count, "a whole number of minutes"),
        "files": (_is_words, 'a list of globs, such as ["spec/**"]'),
    },
    "budget": {
        **{f"{scope}money": _MONEY for scope in ("", "phase_", "attempt_")},
        **{f"{scope}tokens": _TOKENS for scope in ("", "phase_", "attempt_")},
        **{f"{scope}minutes": _MINUTES for scope in ("", "phase_", "attempt_")},
        **{f"{scope}attempts": _ATTEMPTS for scope in ("", "phase_")},
    },
    "ui": {
        "server": _COMMAND,
        "url": (_is_text, 'an address on this machine, such as "http://127.0.0.1:3000"'),
        "ready": (_is_count, "a whole number of seconds"),
        "screenshots": (_is_words, 'a list of paths, such as ["/", "/settings"]'),
        "files": (_is_words, 'a list of globs, such as ["src/ui/**"]'),
        "sign_off": (_is_flag, "true or false"),
        "browser": (_is_text, 'the path of a Chromium or Chrome, such as "/usr/bin/chromium"'),
    },
}
