"""Settings: `planrail.toml` in the repository, over the user's own file, over the defaults given here.

A table or a key that planrail does not know is a mistake, and every command that reads the file says so: what was meant
to hold would silently not hold.

On safety the stricter of the two files wins, and the repository's file is heard only as it is committed: an agent can
edit the file in the working tree, and must not loosen its own guard by that.
"""

import os

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import tables
from planrail.base.settings.tables import DEFAULT_LINT as DEFAULT_LINT
from planrail.base.settings.tables import LANDINGS as LANDINGS
from planrail.base.settings.tables import SECTIONS as SECTIONS
from planrail.base.settings.tables import SMALL_SECTIONS as SMALL_SECTIONS
from planrail.base.settings.tables import TABLES, TOP_LEVEL
from planrail.base.settings.tables import LintSettings as LintSettings
from planrail.base.settings.tables import PlanningSettings as PlanningSettings
from planrail.base.settings.tables import RunSettings as RunSettings
from planrail.base.settings.tables import Settings as Settings
from planrail.base.settings.tables import TasksSettings as TasksSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Said = dict[str, dict[str, object]]

FILE_NAME = "planrail.toml"
_OF_RUNS = ("run", "testing", "budget", "ui", "schedule", "worker")
# Never as an agent just edited them: what planrail starts by itself, and what holds the agent, comes from a commit.
HEARD_AS_COMMITTED = (*_OF_RUNS, "guard", "approval", "session")
BY_USERS = "notify"  # a table that holds secrets, and where a repository must not lead what is told
_CONFINING = ("confine", "network", "agent_network", "readable", "writable")
SYSTEM_FILE = "/etc/planrail/planrail.toml"  # written by root alone; it can make approval stricter


@record
class SettingsFiles:
    """What each file says, checked. `committed` is the project's file as it is committed."""

    system: "Said"
    user: "Said"
    project: "Said"
    committed: "Said"

    def heard(self, table: str) -> "list[tuple[str, Said]]":
        """The files that are heard on a table, each by its name; the later one is heard first."""
        if table == BY_USERS:
            return [("user", self.user)]
        if table == "approval":
            return [("system", self.system), ("user", self.user), ("project", self.committed)]
        return [("user", self.user), ("project", self.committed if table in HEARD_AS_COMMITTED else self.project)]

    def merge(self, table: str) -> "dict[str, Any]":
        return _merge(table, *(file for _, file in self.heard(table)))

    def is_uncommitted(self, table: str, key: str) -> bool:
        """Whether the working file says another thing on a setting that is heard only as it is committed."""
        said = (self.project.get(table, {}).get(key), self.committed.get(table, {}).get(key))
        return table in HEARD_AS_COMMITTED and said[0] != said[1]


def read_files(root: str | None, environment: "Mapping[str, str] | None", committed: str | None) -> SettingsFiles:
    """All files that are heard for a repository (None: outside all of them), or a `UsageError` that names the key."""
    user = _read_file(user_file(os.environ if environment is None else environment))
    project = _read_file(os.path.join(root, FILE_NAME)) if root is not None else {}
    settled = _parse_committed(committed, is_corrected=bool(project)) if committed else {}
    if project.get(BY_USERS) or settled.get(BY_USERS):
        own = user_file(os.environ if environment is None else environment)
        text = f"{FILE_NAME}: [{BY_USERS}] is heard in your own file alone: its addresses are secrets"
        raise UsageError(text, remedy=f"move the table to {own}")
    return SettingsFiles(_read_file(SYSTEM_FILE), user, project, settled)


def load_settings(
    root: str | None, environment: "Mapping[str, str] | None" = None, *, committed: str | None = None
) -> Settings:
    """The settings for a repository (None: outside all of them), or a `UsageError` that names the key.

    `committed` is the repository's file as it is committed, the only form of it that can loosen the guard.
    """
    files = read_files(root, environment, committed)
    user, settled = files.user, files.committed
    context = tables.ContextSettings(**files.merge("context"))
    if context.warn > context.hold:
        text = f"[context] warns at {context.warn} % but holds at {context.hold} %"
        raise UsageError(text, remedy="let warn be at most hold")
    return Settings(  # each value was checked by _read_file
        LintSettings(**files.merge("lint")),
        tables.PlansSettings(**files.merge("plans")),
        PlanningSettings(**files.merge("planning")),
        _guard(user.get("guard", {}), settled.get("guard", {})),
        tables.SessionSettings(**files.merge("session")),
        context,
        tables.ApprovalSettings(*(file.get("approval", {}) for _, file in files.heard("approval"))),
        RunSettings(**_run(user.get("run", {}), settled.get("run", {}))),
        tables.TestingSettings(**files.merge("testing")),
        tables.BudgetSettings(**files.merge("budget")),
        _ui(files.merge("ui"), user.get("ui", {}), settled.get("ui", {})),
        tables.ScheduleSettings(**files.merge("schedule")),
        tables.WorkerSettings(**files.merge("worker")),
        TasksSettings(**files.merge("tasks")),
        tables.NotifySettings(**files.merge("notify")),
    )


def list_uncommitted(root: str, committed: str | None) -> list[str]:
    """The settings of runs in which the working file differs from `committed`: they hold only once committed."""
    files = read_files(root, None, committed)
    return [f"[{table}] {key}" for table in _OF_RUNS for key in TABLES[table] if files.is_uncommitted(table, key)]


def load_tasks(root: str | None, environment: "Mapping[str, str] | None" = None) -> TasksSettings:
    """The `[tasks]` table alone. A file without it is not even parsed: a status update has no time for that."""
    paths = [user_file(os.environ if environment is None else environment)]
    paths += [os.path.join(root, FILE_NAME)] if root is not None else []
    texts = [(path, _read_text(path)) for path in paths]
    return TasksSettings(**_merge("tasks", *(_parse(path, text) for path, text in texts if "tasks" in text)))


def load_notify(environment: "Mapping[str, str] | None" = None) -> tables.NotifySettings:
    """The `[notify]` table alone, of the user's file; a file without it is not even parsed."""
    path = user_file(os.environ if environment is None else environment)
    text = _read_text(path)
    return tables.NotifySettings(**_merge(BY_USERS, _parse(path, text) if BY_USERS in text else {}))


def read_database(path: str, text: str) -> str:
    """The `database` that a file names at its top level; "" where it names none. `path` is for the errors alone."""
    url = _load(path, text).get("database", "")
    if not isinstance(url, str):
        raise UsageError(f"{path}: database is {url!r}", remedy='write database = "postgresql://USER@HOST/NAME"')
    return url


def user_file(environment: "Mapping[str, str]") -> str:
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "planrail", FILE_NAME)


def _merge(table: str, *files: dict[str, dict[str, object]]) -> "dict[str, Any]":
    return {key: value for file in files for key, value in file.get(table, {}).items()}


def _run(user: dict[str, object], committed: dict[str, object]) -> "dict[str, Any]":
    """Where a user demands that checks are confined, no repository opens anything."""
    is_strict = user.get("confine") == "required"
    return user | {key: value for key, value in committed.items() if not (is_strict and key in _CONFINING)}


def _guard(user: dict[str, object], committed: dict[str, object]) -> tables.GuardSettings:
    """Only the user can switch blocking off; a tool is allowed by either file, or by both where both have a list."""
    lists = [file["allow_tools"] for file in (user, committed) if "allow_tools" in file]
    first = lists[0] if lists else []
    assert isinstance(first, list)
    allowed = [tool for tool in first if all(tool in other for other in lists)]  # type: ignore[operator]
    return tables.GuardSettings(block=user.get("block", True) is not False, allow_tools=allowed)


def _ui(merged: "dict[str, Any]", *files: dict[str, object]) -> tables.UiSettings:
    """A file that wants a person to look is heard, whatever the other one says."""
    said = [file["sign_off"] for file in files if "sign_off" in file]
    return tables.UiSettings(**{**merged, "sign_off": any(said) or not said})


def _read_file(path: str) -> dict[str, dict[str, object]]:
    """The tables of a file that this module knows, checked."""
    text = _read_text(path)
    return _parse(path, text) if text else {}


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", remedy="check the file's permissions") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", remedy="correct that line") from error


def _parse(path: str, text: str) -> dict[str, dict[str, object]]:
    document = _load(path, text)
    for name in document.keys() - TABLES.keys() - TOP_LEVEL:
        _refuse_unknown(path, name)
    return {name: _checked(path, name, document.get(name, {})) for name in TABLES}


def _parse_committed(text: str, *, is_corrected: bool) -> dict[str, dict[str, object]]:
    """The same of the committed text. `is_corrected`: the file itself was read before, and is right."""
    try:
        return _parse(f"{FILE_NAME} as committed", text)
    except UsageError as error:
        if not is_corrected:
            raise
        message = f"{error.message}; the file here is right by now, and what is committed is heard"
        remedy = f"git add {FILE_NAME} && git commit -m 'Correct the settings' {FILE_NAME}"
        raise UsageError(message, remedy=remedy) from error


def _refuse_unknown(path: str, name: str) -> None:
    from difflib import get_close_matches

    meant = get_close_matches(name, TABLES, 1)
    remedy = f"if [{meant[0]}] is meant, write that" if meant else f"remove it; the tables are: {', '.join(TABLES)}"
    raise UsageError(f"{path}: planrail knows no table [{name}], so nothing in it would hold", remedy=remedy)


def _load(path: str, text: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}", remedy="correct that line") from error


def _checked(path: str, name: str, table: object) -> dict[str, object]:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {name!r} must be a table", remedy=f"write it as [{name}]")
    keys = TABLES[name]
    for key, value in table.items():
        if key not in keys:
            raise UsageError(f"{path}: [{name}] has no setting {key!r}", remedy=f"use one of: {', '.join(keys)}")
        accepts, what = keys[key]
        if not accepts(value):
            text = f"{path}: [{name}] {key} is {value!r}, which is not {what}"
            raise UsageError(text, remedy=f"write {key} = {what}")
    return table
