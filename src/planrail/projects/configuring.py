"""Which settings hold here, where does each come from, and how is one changed?"""

import os
from collections.abc import Mapping

from planrail.agents.drivers import ALL_NAMES, NAMES, check_names
from planrail.approval.policy import Policy, decide_policy
from planrail.base.errors import UsageError, refused_as
from planrail.base.records import record
from planrail.base.settings import (
    BY_USERS,
    FILE_NAME,
    HEARD_AS_COMMITTED,
    SYSTEM_FILE,
    SettingsFiles,
    load_settings,
    read_files,
    user_file,
)
from planrail.base.settings.tables import ADDRESS, ADDRESSES, AGENT, OTHER_AGENT, TABLES, TOP_LEVEL
from planrail.base.whole_files import read_whole, write_whole
from planrail.base.wording import quote
from planrail.git.git import show_committed
from planrail.projects.settings_writing import read_value, set_value

DEFAULT = "default"
_BY_USERS = ("guard.block", "approval.signers")  # no repository has a say in them
_SECRET = "(a secret)"  # instead of an address


@record
class Setting:
    """A setting as it holds. `origin` is the file that says so, or `default`."""

    name: str  # with its table: run.agent
    value: object
    origin: str
    accepts: str
    is_uncommitted: bool = False  # the file here says another thing, which holds once it is committed


def list_settings(root: str | None, environment: Mapping[str, str]) -> list[Setting]:
    """All of them, in the order of the tables."""
    committed = show_committed(root, FILE_NAME) if root is not None else None
    settings = load_settings(root, environment, committed=committed)
    approval = settings.approval
    policy = decide_policy(approval.user, approval.system, approval.project)
    files = read_files(root, environment, committed)
    names = {"system": SYSTEM_FILE, "user": user_file(environment), "project": FILE_NAME}
    found = []
    for table, keys in TABLES.items():
        for key, (_, accepts) in keys.items():
            value = _approval(policy, key) if table == "approval" else getattr(getattr(settings, table), key)
            origin = " and ".join(names[name] for name in _find_origins(files, table, key, value)) or DEFAULT
            if value and keys[key] in (ADDRESS, ADDRESSES):
                value = _SECRET
            found.append(Setting(f"{table}.{key}", value, origin, accepts, files.is_uncommitted(table, key)))
    return found


def _find_origins(files: SettingsFiles, table: str, key: str, value: object) -> list[str]:
    """The file that says what holds; all that say something, where it follows from several."""
    said = [(name, file[table][key]) for name, file in files.heard(table) if key in file.get(table, {})]
    right = [name for name, found in said if found == value]
    return right[-1:] or ([name for name, _ in said] if isinstance(value, list | tuple) else [])


def _approval(policy: Policy, key: str) -> object:
    return list(policy.leads) if key == "lead" else getattr(policy, key)


def find_setting(settings: list[Setting], name: str) -> Setting:
    """The setting that is named, with or without its table; `UsageError` where none or several are."""
    if name in TOP_LEVEL:
        text = f"{name!r} stands at the top of the file, or in the environment, and is not changed by this command"
        raise UsageError(text, remedy="planrail doctor --database")
    known = [one for one in settings if name in (one.name, one.name.partition(".")[2])]
    if len(known) == 1:
        return known[0]
    if known:
        names = ", ".join(one.name for one in known)
        raise UsageError(f"{name!r} is the name of {len(known)} settings", remedy=f"name one: {names}")
    from difflib import get_close_matches

    near = get_close_matches(name, [one.name for one in settings], 3)
    remedy = f"did you mean {' or '.join(near)}?" if near else "planrail config --all"
    raise UsageError(f"there is no setting {name!r}", remedy=remedy)


def change_setting(path: str, name: str, words: str | None, *, is_own: bool) -> object:
    """Write a setting into a file, which may be new, or with None take it out; the value. All else stays as it is.

    `is_own`: it is the user's own file, which is always heard.
    """
    table, _, key = name.partition(".")
    value = read_value(table, key, words) if words is not None else None
    by_user = f"planrail config {name} {'--unset' if words is None else quote(words)} --user"
    if value and TABLES[table][key] in (AGENT, OTHER_AGENT):
        check_names(str(value), known=NAMES if table == "planning" else ALL_NAMES)
    if (name in _BY_USERS or table == BY_USERS) and not is_own:
        raise UsageError(f"{name} is heard in your own file alone; nothing was changed", remedy=by_user)
    if table in HEARD_AS_COMMITTED and not is_own and not os.path.exists(os.path.join(os.path.dirname(path), ".git")):
        text = f"{name} is heard only as it is committed, and this is no git repository; nothing was changed"
        raise UsageError(text, remedy=by_user)
    if os.path.islink(path):
        raise UsageError(f"{path} is a link; it is as it was", remedy="name its target, or write the line by hand")
    with refused_as(f"{path} could not be written", "planrail doctor"):
        before = (read_whole(path) or b"").decode()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        mode = 0o600 if table == BY_USERS else os.stat(path).st_mode & 0o777 if before else 0o644
        changed = set_value(before, table, key, value)
        if changed != before:
            write_whole(path, changed, mode=mode)
    return value
