"""Where the list of those who may sign lies, and who could change it."""

import os
import stat
from collections.abc import Iterator, Mapping

from planrail.approval.channels import ChannelRefusal
from planrail.base.records import record

MACHINE_FILE = "/etc/planrail/allowed_signers"
_NAME = "allowed_signers"
_MOST_LINKS = 40


@record
class Signers:
    """A file of signers. `is_guarded`: only root can change it, so that no process of a user can name a key."""

    path: str
    is_guarded: bool
    note: str


def locate_signers(
    environment: Mapping[str, str], chosen: str = "", root: str | None = None, machine_file: str | None = None
) -> Signers | ChannelRefusal:
    """The list of signers that counts, or why there is none.

    A list inside the repository is refused: an agent works there, and so does every user who can push. So is one that
    can be changed without being root: an agent is a process of the user, and could name a key that needs no touch.
    """
    machines = machine_file or MACHINE_FILE
    path = choose_signers(environment, chosen, machines)
    top = os.path.realpath(root) if root is not None else ""
    if top and os.path.join(os.path.realpath(path), "").startswith(os.path.join(top, "")):
        reason = f"{path} lies in the repository, where everyone who edits the code can name a signer"
        return ChannelRefusal(reason, remedy=_moved(path, machines))
    if not os.path.isfile(path):
        line = 'a line such as: lena@example.org namespaces="planrail" sk-ssh-ed25519@openssh.com AAAA…'
        return ChannelRefusal(f"there is no list of signers at {path}", remedy=f"let root write {machines}, {line}")
    signers = describe_signers(path)
    return signers if signers.is_guarded else ChannelRefusal(signers.note, remedy=_moved(path, machines))


def choose_signers(environment: Mapping[str, str], chosen: str = "", machine_file: str = MACHINE_FILE) -> str:
    if os.path.lexists(machine_file):
        return machine_file
    if chosen:
        return os.path.expanduser(chosen)
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "planrail", _NAME)


def describe_signers(path: str) -> Signers:
    """Whether only root can change the file, by writing it or by replacing it or a folder on the way to it."""
    for place in _way_to(path):
        try:
            is_roots = decide_guarded(os.stat(place))
        except OSError:
            is_roots = False
        if not is_roots:
            break
    else:
        also = "; you are root, and so is every process of yours" if os.getuid() == 0 else ""
        return Signers(path, is_guarded=True, note=f"only root can change {path}{also}")
    note = f"{place} can be changed without being root: a process of that user can name a key of its own"
    return Signers(path, is_guarded=False, note=note)


def decide_guarded(status: os.stat_result) -> bool:
    """Whether nobody but root could write a file, or exchange what lies in a folder."""
    is_shared = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    keeps_entries = stat.S_ISDIR(status.st_mode) and bool(status.st_mode & stat.S_ISVTX)
    return status.st_uid == 0 and (keeps_entries or not is_shared)


def _moved(path: str, place: str) -> str:
    return f"sudo mkdir -p {os.path.dirname(place)} && sudo install -m 644 {path} {place}"


def _way_to(path: str) -> Iterator[str]:
    """The file and every folder on the way to it, and likewise for each link that is followed there."""
    following = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        way = [following]
        while way[-1] != os.path.dirname(way[-1]):
            way.append(os.path.dirname(way[-1]))
        yield from way
        link = next((place for place in reversed(way) if os.path.islink(place)), None)
        if link is None:
            return
        target = os.path.join(os.path.dirname(link), os.readlink(link))
        following = os.path.normpath(target + following[len(link) :])
    yield ""  # nowhere: links that lead in a circle guard nothing
