"""How the service starts a worker: the words of the command, the variables that it gets, and those that are secret.

Nothing secret stands in a unit, a property list or a crontab: those are read by backups, by `systemctl cat` and by
people who look over a shoulder. It goes into the file `environment` of the service, which its owner alone can read.
"""

import os
import re
from collections.abc import Mapping

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.settings import load_settings
from planrail.team.service.machine import Machine

_MARGIN, _USUAL_DRAIN = 30, 60  # seconds
DATABASE = "PLANRAIL_DATABASE"
# What a worker needs of the person who installs it: agents and git are found by PATH, and their settings by the rest.
_KEPT = (
    *("PLANRAIL_STATE_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "LANG", "LC_ALL", "TZ", "PYTHONPATH", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"),
)
_PROXIES = tuple(f"{name}_PROXY" for name in ("HTTP", "HTTPS", "ALL", "NO"))
# What agents and forges are often let in by. It is named to the person, who decides, and never copied.
KEYS = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"),
    *("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", *_PROXIES),
)
_ESCAPED = re.compile(r'(["\\`$])')
_LINE = r"[ \t]*(?:export[ \t]+)?{}="


@record
class WorkerCall:
    """What is started, and with what. `secrets` is the file with further variables; it need not be there."""

    words: tuple[str, ...]
    variables: Mapping[str, str]
    secrets: str
    stop_seconds: int = _USUAL_DRAIN + _MARGIN  # after which a worker that was told to end is ended


def plan_call(machine: Machine, slots: int | None) -> WorkerCall:
    """How the worker is started. Folders that depend on where one stands are left out of its PATH."""
    # -P: a folder `planrail` in the home folder, where services stand, is not taken for this package.
    words = (machine.python, "-P", "-m", "planrail", "worker", *(("--slots", str(slots)) if slots else ()))
    environment = machine.environment
    named = environment.get("PATH", os.defpath).split(os.pathsep)
    folders = dict.fromkeys(folder for folder in named if os.path.isabs(folder) and is_plain(folder))
    variables = {"PATH": os.pathsep.join(folders)}
    variables |= {name: environment[name] for name in _KEPT if environment.get(name)}
    for name in (*_PROXIES, *map(str.lower, _PROXIES)):
        if environment.get(name) and "@" not in environment[name]:  # before that sign stands a password
            variables[name] = environment[name]
    if "PLANRAIL_STATE_DIR" in variables:
        variables["PLANRAIL_STATE_DIR"] = machine.state
    call = WorkerCall(words, variables, locate_secrets(machine), find_stop_seconds(machine))
    odd = next((text for text in (*words, call.secrets, *variables.values()) if not is_plain(text)), None)
    if odd is not None:
        text = f"no service can be told of {odd!r}: it holds a line end, another control, or no text at all"
        raise UsageError(text, remedy="use a folder with another name")
    return call


def find_stop_seconds(machine: Machine) -> int:
    """How long a worker may take to end: its drain as the settings have it, and some more. Its agents go on."""
    try:
        return load_settings(None, machine.environment).worker.drain + _MARGIN
    except PlanrailError:
        return _USUAL_DRAIN + _MARGIN


def is_plain(text: str) -> bool:
    """Whether a text can stand in a unit, a property list and a script alike: no control, and no half of a letter."""
    return not any(ord(sign) < 32 or ord(sign) == 127 or 0xD800 <= ord(sign) < 0xE000 for sign in text)


def locate_secrets(machine: Machine) -> str:
    return os.path.join(machine.folder, "environment")


def set_variable(text: str, name: str, value: str | None) -> str:
    """The text of such a file with one variable set, or taken out; every other line stays as a person wrote it."""
    lines = text.splitlines(keepends=True)
    rest = [line for line in lines if not re.match(_LINE.format(name), line)]
    if value is None:
        return "".join(rest)
    if rest and not rest[-1].endswith("\n"):
        rest[-1] += "\n"
    return "".join([*rest, f"{name}={quote_value(value)}\n"])


def quote_value(value: str) -> str:
    """A value as both `sh` and systemd read it: in double quotes, with what means something there escaped."""
    return '"' + _ESCAPED.sub(r"\\\1", value) + '"'


def find_value(text: str, name: str) -> str | None:
    """The value that was written by `set_variable`; None where there is none."""
    line = next((line for line in reversed(text.splitlines()) if re.match(_LINE.format(name), line)), None)
    if line is None:
        return None
    value = line.partition("=")[2].strip()
    inner = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return re.sub(r'\\(["\\`$])', r"\1", inner) if value.startswith('"') else inner
