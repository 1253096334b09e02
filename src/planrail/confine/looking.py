"""`planrail look`: any command, read-only and without network, with its own output and exit code."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.confine.backends import NONE, Backend, ConfinedCommand, confine
from planrail.confine.places import SHARED_PLACES
from planrail.confine.policies import look_policy
from planrail.confine.scratch import open_scratch
from planrail.git.checkouts import read_text
from planrail.git.workspaces.workspace_git import object_folders

_OF_A_SIGNAL = 128


@record
class Looked:
    """What a command said, where it was to be kept, and its exit code as a shell would put it."""

    exit: int
    stdout: str
    stderr: str


def look(
    argv: Sequence[str], folder: str, backend: Backend, environment: Mapping[str, str], *, is_kept: bool = False
) -> Looked:
    """Run a command in a folder. `is_kept`: what it says is returned, else it goes where planrail's own output goes."""
    if backend.name == NONE:
        raise ToolFailed(
            f"nothing on this machine can keep a command from writing: {backend.reason}; so it was not run",
            remedy=backend.remedy,
        )
    with open_scratch() as scratch:
        seen = list(_seen_folders(folder))
        hidden = [state_folder(environment), *(os.path.join(place, "planrail") for place in seen[1:])]
        policy = look_policy(seen, scratch, environment, hidden)
        inside = confine(argv, policy, backend, environment)
        # Files, not pipes: what is left in the background may hold a pipe open for ever.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            code = _run(inside, folder, (out.fileno(), err.fileno()) if is_kept else (None, None))
            said = [_read(file) if is_kept else "" for file in (out, err)]
        return Looked(code if code >= 0 else _OF_A_SIGNAL - code, *said)


def _run(inside: ConfinedCommand, folder: str, outputs: tuple[int | None, int | None]) -> int:
    given = subprocess.DEVNULL if sys.stdin is None or sys.stdin.isatty() else None
    # A session of its own: what has a terminal could type into it.
    process = subprocess.Popen(
        inside.argv,
        cwd=folder,
        env=inside.environment,
        stdin=given,
        stdout=outputs[0],
        stderr=outputs[1],
        start_new_session=True,
    )
    try:
        if hasattr(os, "waitid"):  # not collected yet: until it is, its number is its own
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        else:
            process.wait()
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # what it left in the background, where no namespace ends it
        code = process.wait()
    return code


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _seen_folders(folder: str) -> Iterator[str]:
    """The project around a folder, and the git directories that belong to it. git is not asked: nothing is run here."""
    root = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(root, ".git")) and root != os.path.dirname(root):
        root = os.path.dirname(root)
    if root == os.path.dirname(root):
        yield from [folder] if os.path.realpath(folder) not in SHARED_PLACES else []  # there lie sockets of others
        return
    yield root
    place = os.path.join(root, ".git")
    if not os.path.isdir(place):
        place = os.path.join(root, read_text(place).removeprefix("gitdir: "))
    common = os.path.join(place, read_text(os.path.join(place, "commondir")))
    yield from (os.path.realpath(found) for found in (place, common, *object_folders(common)))
