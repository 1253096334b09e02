"""cron, for machines without systemd and launchd: a script, and the line for it that the person adds to the crontab."""

import os
from shlex import quote

from planrail.team.registry import PROGRAM, ServiceFile, remove_file
from planrail.team.service.machine import MARK, Machine, ask_program
from planrail.team.service.starting import WorkerCall
from planrail.team.waking import find_workers

_SIGN = "# planrail service"
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
exec {command} --unless-running < /dev/null >> {log} 2>&1
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
    )
    return ServiceFile(_locate(machine), os.fsencode(text), PROGRAM)


def render_line(machine: Machine) -> str:
    """The line for the crontab. There `%` means the end of a line, unless a backslash stands before it."""
    return f"*/5 * * * * /bin/sh {quote(_locate(machine))} {_SIGN}".replace("%", r"\%")


def remove(machine: Machine) -> list[str]:
    """Remove the script; what was done, and what is left to the person: the line, and the worker that it started."""
    script = _locate(machine)
    said = [f"removed {script}"] if remove_file(script) else []
    lines = [line.strip() for line in ask_program(machine, "crontab", "-l").text.split("\n")]
    said += [
        f"your crontab has a line of planrail; to take it out: crontab -e   ({line})"
        for line in lines
        if line.endswith(_SIGN) and not line.startswith("#")
    ]
    for worker in find_workers() if said else ():
        said.append(f"a worker that you or cron started goes on; to end it: kill {worker.pid}")
    return said


def _locate(machine: Machine) -> str:
    return os.path.join(machine.folder, "start.sh")
