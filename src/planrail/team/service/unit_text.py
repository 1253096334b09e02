"""The text of the systemd unit, in systemd's own quoting. Pure.

Its rules, of which each line of a unit has others (systemd.service(5), systemd.exec(5), systemd.syntax(7)): words may
stand in double quotes, with C escapes; `%` begins a specifier everywhere; `$` a variable in a command's arguments only;
the program itself may hold neither quote nor backslash, and has no variables; EnvironmentFile takes the rest of the
line as it is, and as a pattern.
"""

import re
from collections.abc import Sequence

from planrail.team.service.starting import WorkerCall

MARK = "# Written by `planrail service install`"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "%": "%%"}
_SPECIAL = re.compile('[\\\\"\n\t\r%]|[\x00-\x1f\x7f]')
_UNSAFE = re.compile("[\"'\\\\$\x00-\x1f\x7f]")  # what systemd refuses, or might change, in the name of a program
_TEMPLATE = """\
{mark}, and written anew by it.
# Changes of your own belong into a drop-in (systemctl --user edit planrail), which planrail never touches.

[Unit]
Description=planrail worker: schedules, and runs that wait
# However often it fails, it is tried again: a database or a disk may come back hours later.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={command}
# In no repository: it serves those that are registered, and none by accident of where it stands.
WorkingDirectory=/
Restart=always
RestartSec=5
# Only the worker is stopped. The agents that it started go on, and the next worker takes them over: an upgrade or a
# restart costs nobody the work of hours.
KillMode=process
# One agent that needs more memory than there is must not end the worker and all the others.
OOMPolicy=continue
# Longer than the worker's drain ([worker] drain in your planrail.toml), in which phases come to a rest.
TimeoutStopSec={seconds}
{variables}
# Secrets, for their owner's eyes only; the file need not be there.
EnvironmentFile=-{secrets}

[Install]
WantedBy=default.target
"""


def render_unit(call: WorkerCall) -> str:
    """The unit for a worker."""
    variables = [f"Environment={quote_word(f'{name}={value}')}" for name, value in call.variables.items()]
    return _TEMPLATE.format(
        mark=MARK,
        command=render_command(call.words),
        seconds=call.stop_seconds,
        variables="\n".join(variables),
        secrets=quote_pattern(call.secrets),
    )


def render_command(words: Sequence[str]) -> str:
    """A command for ExecStart; by way of `sh` where its program has a name that systemd would not take."""
    if _UNSAFE.search(words[0]):
        words = ("/bin/sh", "-c", 'exec "$0" "$@"', *words)
    program, *arguments = words
    return " ".join(
        [_quote_where_needed(program), *(_quote_where_needed(word.replace("$", "$$")) for word in arguments)]
    )


def quote_word(text: str) -> str:
    """A word in double quotes."""
    return '"' + _SPECIAL.sub(_escape, text) + '"'


def quote_pattern(path: str) -> str:
    """A path where systemd takes the rest of the line, expands specifiers, and then looks for a pattern."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", path).replace("%", "%%")


def _quote_where_needed(word: str) -> str:
    return word if re.fullmatch(r"[A-Za-z0-9_./@:=+,-]+", word) else quote_word(word)


def _escape(found: re.Match[str]) -> str:
    sign = found[0]
    return _ESCAPES.get(sign) or f"\\x{ord(sign):02x}"
