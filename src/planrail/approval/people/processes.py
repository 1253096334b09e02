"""The processes above this one, read from `/proc` where there is one, else from `ps`."""

import contextlib
import os
import subprocess

from planrail.approval.channels import ProcessFacts, list_markers
from planrail.base.records import replace

_DEEPEST = 1000  # ancestors; far beyond any real tree
_SECONDS = 20
_FIELDS = ("pid=", "ppid=", "tty=", "comm=")


def list_lineage() -> list[ProcessFacts]:
    """This process and its ancestors, as far up as they can be seen."""
    look = read_process if os.path.exists("/proc/self/stat") else list_by_ps().get
    found: list[ProcessFacts] = []
    seen, following = {0}, os.getpid()
    while following not in seen and len(found) < _DEEPEST:
        facts = look(following)
        if facts is None:
            break
        seen.add(following)
        found.append(facts)
        following = facts.parent
    return found


def read_process(pid: int) -> ProcessFacts | None:
    """What `/proc` tells of a process; None where it is gone, or hidden from this user."""
    stat = _read(f"/proc/{pid}/stat")
    name, closing, rest = stat.partition(" (")[2].rpartition(") ")
    fields = rest.split()
    if not closing or len(fields) < 5:
        return None
    parent, session, device = int(fields[1]), int(fields[3]), int(fields[4])
    major, minor = (device >> 8) & 0xFFF, (device & 0xFF) | ((device >> 12) & 0xFFF00)
    terminal = f"pts/{minor + 256 * (major - 136)}" if 136 <= major <= 143 else f"tty {major}:{minor}"
    try:
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        program = ""
    variables = (entry.partition("=") for entry in _read(f"/proc/{pid}/environ").split("\0"))
    arguments = tuple(_read(f"/proc/{pid}/cmdline").removesuffix("\0").split("\0"))
    markers = list_markers(name for name, _, value in variables if value)
    return ProcessFacts(pid, parent, name, program, arguments, markers, terminal if device else "", session)


def list_by_ps() -> dict[int, ProcessFacts]:
    """All processes as `ps` shows them. It shows no environments, and an argument with a space as two."""
    arguments = {int(pid): tuple(words) for pid, *words in (line.split() for line in _ask_ps("pid=", "args="))}
    found = {}
    for facts in filter(None, map(parse_ps_line, _ask_ps(*_FIELDS))):
        session = 0
        with contextlib.suppress(OSError):
            session = os.getsid(facts.pid)
        found[facts.pid] = replace(facts, arguments=arguments.get(facts.pid, ()), session=session)
    return found


def parse_ps_line(line: str) -> ProcessFacts | None:
    """One line of `ps -o pid=,ppid=,tty=,comm=`; the last field may hold spaces, and is a path on some systems."""
    fields = line.split(None, 3)
    if len(fields) < 4 or not (fields[0].isdigit() and fields[1].isdigit()):
        return None
    pid, parent, terminal, command = int(fields[0]), int(fields[1]), fields[2], fields[3].strip()
    program = command if "/" in command else ""
    name = command.rsplit("/", 1)[-1]
    return ProcessFacts(pid, parent, name, program, terminal="" if terminal.startswith("?") else terminal)


def _ask_ps(*fields: str) -> list[str]:
    columns = [word for field in fields for word in ("-o", field)]
    command = ["/bin/ps", "-A", "-ww", *columns]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in os.fsdecode(done.stdout).split("\n") if line.strip()]


def _read(path: str) -> str:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return os.fsdecode(file.read())
    return ""
