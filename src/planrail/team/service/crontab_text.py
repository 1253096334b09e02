"""The text of a crontab with planrail's lines in it, or without them, and the script that they start. Pure.

Other lines stay byte for byte. Each line of planrail's ends with a comment that names it, so that it is found again
wherever a person has moved it to.
"""

from shlex import quote

from planrail.team.service.starting import WorkerCall
from planrail.team.service.unit_text import MARK

SIGN = b"# planrail service"
BOOT = "boot"
_LOG_BYTES = 10_000_000
_SCRIPT = """\
#!/bin/sh
{mark}, and written anew by it. cron starts it at boot and every five minutes;
# where a worker lives already it does nothing. Secrets belong into the file that is read below.
umask 077
cd /
if [ "$1" = {boot} ]; then rm -f {stopped}; fi
if [ -e {stopped} ]; then exit 0; fi
{variables}
set -a
if [ -r {secrets} ]; then . {secrets}; fi
set +a
mkdir -p {pids}
alive=
for file in {pids}/*; do
    if kill -0 "${{file##*/}}" 2>/dev/null; then alive=yes; else rm -f "$file"; fi
done
if [ -z "$alive" ] && [ -f {log} ] && [ "$(wc -c < {log})" -gt {bytes} ]; then mv {log} {log}.1; fi
: > {pids}/$$
exec {command} --unless-running < /dev/null >> {log} 2>&1
"""


def render_script(call: WorkerCall, *, stopped: str, pids: str, log: str) -> str:
    """The script: it becomes the worker, whose number is the name of a file in `pids`."""
    exports = [f"export {name}={quote(value)}" for name, value in call.variables.items()]
    return _SCRIPT.format(
        mark=MARK,
        boot=BOOT,
        stopped=quote(stopped),
        variables="\n".join(exports),
        secrets=quote(call.secrets),
        pids=quote(pids),
        log=quote(log),
        bytes=_LOG_BYTES,
        command=" ".join(map(quote, call.words)),
    )


def render_lines(script: bytes) -> list[bytes]:
    """The lines for the crontab. There `%` means the end of a line, unless a backslash stands before it."""
    command = b"/bin/sh " + _quote(script).replace(b"%", rb"\%")
    return [b"@reboot " + command + b" boot " + SIGN, b"*/5 * * * * " + command + b" " + SIGN]


def put_lines(text: bytes, lines: list[bytes]) -> bytes:
    """The crontab with these lines at its end, and none of planrail's elsewhere; as it is where it has them already."""
    if [line for line in _split(text) if _is_ours(line)] == [line + b"\n" for line in lines]:
        return text
    rest = take_lines(text)
    if rest and not rest.endswith(b"\n"):
        rest += b"\n"
    return rest + b"".join(line + b"\n" for line in lines)


def take_lines(text: bytes) -> bytes:
    """The crontab without planrail's lines."""
    return b"".join(line for line in _split(text) if not _is_ours(line))


def has_lines(text: bytes) -> bool:
    """Whether a line of planrail's is in it."""
    return any(_is_ours(line) for line in _split(text))


def _split(text: bytes) -> list[bytes]:
    """The lines with their ends; only a line feed ends one, whatever else a line holds."""
    parts = text.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _is_ours(line: bytes) -> bool:
    return line.rstrip().endswith(SIGN) and not line.lstrip().startswith(b"#")


def _quote(path: bytes) -> bytes:
    return b"'" + path.replace(b"'", b"'\"'\"'") + b"'"
