"""Where the rooms of checks lie. Tools look for settings and packages in every folder above the one they run in, so a
room lies where as little as possible is above it: not in the home folder if it can be avoided, in a folder of its own.
"""

import os
import pwd
import stat
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.git.tree_removal import remove_tree
from planrail.runs.evidence.upward_names import is_read_upwards

SCRATCH = "/var/tmp"  # on disk, and hardly used by anybody else: unlike /tmp
OWN = "planrail-"  # how the folders begin that planrail makes there
_PEOPLE = range(500, 60_000)  # the numbers of users that are people, on Linux and macOS
_NOBODYS = ("nologin", "false", "sync", "shutdown", "halt")  # the shells of users that are not


def choose_rooms(moved: str, prefix: str = "", environment: Mapping[str, str] | None = None) -> str:
    """A new name for the folder of a run's rooms. `moved` is the folder that the settings say; "" where they do not."""
    values = os.environ if environment is None else environment
    name = prefix + uuid.uuid4().hex[:12]  # short: tests make sockets below it, whose paths have 107 bytes at most
    if moved:
        return os.path.join(os.path.abspath(os.path.expanduser(moved)), "rooms", name)
    if values.get("PLANRAIL_STATE_DIR"):  # whoever moves all of planrail's state moves this too
        return os.path.join(state_folder(values), "rooms", name)
    return choose_between(SCRATCH, os.path.join(state_folder(values), "rooms"), name)


def choose_between(scratch: str, own: str, name: str) -> str:
    """The folder of this name in the first of two places above which nothing steers checks. Other people's files would,
    so where there are other people on this machine, a folder that they may write to is none of them."""
    if can_hold(scratch) and not list_steering(scratch, with_hidden=True) and is_alone():
        return os.path.join(scratch, f"{OWN}{name}")
    found = list_steering(own)
    if not found:
        return os.path.join(own, name)
    top = os.path.dirname(found[0])
    message = f"{found[0]} stands above the folder in which checks would run, and tools that look upwards would obey it"
    raise PlanrailError(
        f"{message}; nothing was begun",
        remedy=f'move it away, or set [run] workspaces = "FOLDER", to one that is not below {top}',
    )


def list_steering(folder: str, *, with_hidden: bool = False) -> list[str]:
    """What stands in a folder or above it that tools would obey. Hidden files in a home folder are settings of the
    person, who has them there for all projects."""
    return [
        os.path.join(place, name)
        for place in (folder, *folders_above(folder))
        for name in list_names(place)
        if is_read_upwards(name) and (with_hidden or not name.startswith("."))
    ]


def can_hold(folder: str) -> bool:
    """Whether programs can be written to a folder, and run there; and nobody can take away what others made."""
    try:
        mode = os.stat(folder).st_mode
        is_mounted_so = os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0)
    except OSError:
        return False
    return bool(mode & stat.S_ISVTX) and not is_mounted_so and os.access(folder, os.W_OK | os.X_OK)


def is_alone() -> bool:
    """Whether no other person has an account here. Accounts that the machine does not list itself are of others."""
    me, known = os.geteuid(), list(_list_accounts())
    people = {number for number, shell in known if number in _PEOPLE and not shell.endswith(_NOBODYS)}
    return people <= {me} and any(number == me for number, _ in known)


def _list_accounts() -> Iterator[tuple[int, str]]:
    if sys.platform == "darwin":
        yield from ((account.pw_uid, account.pw_shell) for account in pwd.getpwall())
        return
    try:
        with open("/etc/passwd", encoding="utf-8", errors="replace") as file:
            fields = [line.rstrip("\n").split(":") for line in file]
    except OSError:
        return
    yield from ((int(parts[2]), parts[6]) for parts in fields if len(parts) == 7 and parts[2].isdigit())


def make_rooms(folder: str) -> None:
    """The folder, new and empty: what was there before is gone."""
    remove_tree(folder)
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.mkdir(folder, 0o700)


def folders_above(folder: str) -> Iterable[str]:
    """The folders above one, the nearest first."""
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


def list_names(folder: str) -> list[str]:
    """The names in a folder; none where it cannot be looked into."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
