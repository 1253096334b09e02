"""The user's crontab, by the program `crontab` alone. An edit that is interrupted leaves the old one or the new one."""

import contextlib
import os

from planrail.base.errors import ToolFailed
from planrail.team.service.crontab_text import take_lines
from planrail.team.service.machine import Machine
from planrail.team.service.programs import ask_program, tell_program
from planrail.team.service_files import PRIVATE, ServiceFile, remove_file, write_file

_LOOK = "crontab -l"


def read_crontab(machine: Machine) -> bytes:
    """What the crontab holds; nothing where there is none. Raises `ToolFailed` where that cannot be told.

    An error must not be taken for an empty one: what is written next would replace it.
    """
    answer = ask_program(machine, "crontab", "-l")
    if answer.is_good:
        return answer.output
    said = answer.problem.lower()
    if "no crontab" in said or ("can't open" in said and "no such file" in said):  # the second is busybox's word
        return b""
    raise ToolFailed(f"your crontab cannot be read: {answer.problem or answer.code}", remedy=_LOOK)


def write_crontab(machine: Machine, before: bytes, after: bytes) -> bool:
    """Replace the crontab, unless it is so already; whether it was. What it held is kept beside, until the next edit.

    From a file, not a pipe: a pipe whose writer dies would make a crontab of half its lines.
    """
    if before == after:
        return False
    write_file(ServiceFile(_copy(machine), before, PRIVATE))
    if not after:
        tell_program(machine, "crontab", "-r", remedy=_LOOK)
        return True
    place = os.path.join(machine.folder, "crontab.new")
    try:
        write_file(ServiceFile(place, after, PRIVATE))
        # By its name alone: the crontab of Debian and of the BSDs cuts a path off after a hundred characters.
        tell_program(
            machine, "crontab", os.path.basename(place), remedy=f"{_LOOK}   (it is as it was)", folder=machine.folder
        )
    finally:
        with contextlib.suppress(ToolFailed):
            remove_file(place)
    _check_kept(machine, before)
    return True


def forget_copy(machine: Machine) -> None:
    """Remove the copy of the former text, when all is done."""
    remove_file(_copy(machine))


def _copy(machine: Machine) -> str:
    return os.path.join(machine.folder, "crontab.before")


def _check_kept(machine: Machine, before: bytes) -> None:
    """Somebody else may have edited it in the same moment; then their text, or ours, is in the copy."""
    kept = take_lines(read_crontab(machine))
    if kept.rstrip(b"\n") != take_lines(before).rstrip(b"\n"):
        raise ToolFailed(
            f"your crontab changed while it was edited; its former text is in {_copy(machine)}",
            remedy=f"compare it with: {_LOOK}",
        )
