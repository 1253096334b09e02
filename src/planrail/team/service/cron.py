"""cron, for machines without systemd and launchd: a line that the person adds, the script behind it, and their end.

planrail writes nothing into a crontab. It takes lines out that end with its sign, which an older planrail wrote there,
or the person did; other lines stay byte for byte.
"""

import contextlib
import os
import re
import shutil
import signal
import time
from shlex import quote

from planrail.approval.people.processes import list_by_ps, read_process
from planrail.base.errors import ToolFailed
from planrail.team.registry import PRIVATE, PROGRAM, ServiceFile, remove_file, write_file
from planrail.team.service.kinds import MARK
from planrail.team.service.machine import Machine, ask_program, is_program, tell_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds
from planrail.team.waking import find_workers

SIGN = b"# planrail service"
_ONCE = "--unless-running"  # only a worker that cron starts is told so
_LOOK = "crontab -l"
_PAUSE = 0.1  # seconds
_LOG_BYTES = 10_000_000
_SCRIPT = """\
#!/bin/sh
{mark}, and written anew by it. cron starts it every five minutes;
# where a worker lives already it does nothing. Secrets belong into the file that is read below.
umask 077
cd /
{variables}
set -a
if [ -r {secrets} ]; then . {secrets}; fi
set +a
if [ -f {log} ] && [ "$(wc -c < {log})" -gt {bytes} ]; then cp {log} {log}.1 && : > {log}; fi
exec {command} {once} < /dev/null >> {log} 2>&1
"""


def plan_script(machine: Machine, call: WorkerCall) -> ServiceFile:
    """The script that the line starts: the lines of a crontab may not be long. It becomes the worker."""
    text = _SCRIPT.format(
        mark=MARK,
        variables="\n".join(f"export {name}={quote(value)}" for name, value in call.variables.items()),
        secrets=quote(call.secrets),
        log=quote(machine.log),
        bytes=_LOG_BYTES,
        command=" ".join(map(quote, call.words)),
        once=_ONCE,
    )
    return ServiceFile(_locate(machine, "start.sh"), os.fsencode(text), PROGRAM)


def render_line(machine: Machine) -> bytes:
    """The line for the crontab. There `%` means the end of a line, unless a backslash stands before it."""
    script = os.fsencode(quote(_locate(machine, "start.sh")))
    return b"*/5 * * * * /bin/sh " + script.replace(b"%", rb"\%") + b" " + SIGN


def has_lines(machine: Machine) -> bool:
    """Whether a line with planrail's sign is in the crontab, as far as that can be read."""
    answer = ask_program(machine, "crontab", "-l")
    return answer.is_good and take_lines(answer.output) != answer.output


def take_lines(text: bytes) -> bytes:
    """A crontab without planrail's lines. Only a line feed ends one, whatever else a line holds."""
    lines = re.findall(rb"[^\n]*\n|[^\n]+", text)
    return b"".join(line for line in lines if line.lstrip().startswith(b"#") or not line.rstrip().endswith(SIGN))


def remove(machine: Machine) -> list[str]:
    """Take the lines out, stop what they started, remove the script; what was done."""
    script = _locate(machine, "start.sh")
    if not has_lines(machine) and not os.path.exists(script):
        return []
    said = ["took planrail's lines out of your crontab"] if _edit_crontab(machine) else []
    _stop_workers(machine)
    said += ["the worker was stopped", *([f"removed {script}"] if remove_file(script) else [])]
    for left in ("stopped", "crontab.before"):
        remove_file(_locate(machine, left))
    shutil.rmtree(_locate(machine, "pids"), ignore_errors=True)
    return [*said, f"kept the worker's log: {machine.log}"] if os.path.exists(machine.log) else said


def _locate(machine: Machine, name: str) -> str:
    return os.path.join(machine.folder, name)


def _stop_workers(machine: Machine) -> None:
    """End the workers that cron started; one that was started by hand goes on."""
    seconds = find_stop_seconds(machine)
    for pid in _find_workers():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for _ in range(int(seconds / _PAUSE)):
        if not _find_workers():
            return
        time.sleep(_PAUSE)
    pids = ", ".join(map(str, _find_workers()))
    raise ToolFailed(f"the worker did not end within {seconds} s (process {pids})", remedy="planrail service logs")


def _find_workers() -> list[int]:
    found = [address.pid for address in find_workers()]
    processes = map(read_process, found) if os.path.exists("/proc/self/stat") else map(list_by_ps().get, found)
    return [facts.pid for facts in processes if facts is not None and _ONCE in facts.arguments]


def _edit_crontab(machine: Machine) -> bool:
    """Take planrail's lines out of the crontab; whether there were any. What it held is kept beside, until all is done.

    From a file, not a pipe: a pipe whose writer dies would make a crontab of half its lines.
    """
    before = _read_crontab(machine)
    after = take_lines(before)
    if before == after:
        return False
    write_file(ServiceFile(_locate(machine, "crontab.before"), before, PRIVATE))
    if not after:
        tell_program(machine, "crontab", "-r", remedy=_LOOK)
        return True
    place = _locate(machine, "crontab.new")
    try:
        write_file(ServiceFile(place, after, PRIVATE))
        # By its name alone: the crontab of Debian and of the BSDs cuts a path off after a hundred characters.
        tell_program(
            machine, "crontab", os.path.basename(place), remedy=f"{_LOOK}   (it is as it was)", folder=machine.folder
        )
    finally:
        with contextlib.suppress(ToolFailed):
            remove_file(place)
    if _read_crontab(machine).rstrip(b"\n") != after.rstrip(b"\n"):  # edited by another program at the same time
        text = f"your crontab changed while it was edited; its former text is in {_locate(machine, 'crontab.before')}"
        raise ToolFailed(text, remedy=f"compare it with: {_LOOK}")
    return True


def _read_crontab(machine: Machine) -> bytes:
    """What the crontab holds; nothing where there is none.

    An error must not be taken for an empty one: what is written next would replace it.
    """
    answer = ask_program(machine, "crontab", "-l")
    said = answer.problem.lower()
    if answer.is_good:
        return answer.output
    if not is_program(machine, "crontab") or "no crontab" in said:
        return b""
    if "can't open" in said and "no such file" in said:  # busybox's word
        return b""
    raise ToolFailed(f"your crontab cannot be read: {answer.problem or answer.code}", remedy=_LOOK)
