"""Which files connect planrail to an agent, and what planrail puts into them."""

import json
import os
import shlex
from collections.abc import Mapping

import planrail
from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.install.json import OddShape, is_ours, load
from planrail.install.secrets import secret_of

AGENTS = ("claude", "codex", "gemini", "opencode")
NAMES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode"}
# These run a hook of the project and the same one of the user; Claude Code runs it once.
ASKING_TWICE = ("codex", "gemini")
JSON, SCRIPT, SETTINGS = "json", "script", "settings"
PLUGIN_NAME = "planrail@planrail"
DIRECT = "PLANRAIL_DIRECT"
# The first line of a script that planrail wrote.
SCRIPT_MARK = "// Written by `planrail init`; `planrail uninstall` removes it."
# Codex knows Claude's events and its JSON; it ends a SessionEnd hook after three seconds whatever is asked for.
_CODEX = {
    "SessionStart": 30,
    "UserPromptSubmit": 30,
    "PreToolUse": 60,
    "PostToolUse": 30,
    "SubagentStart": 15,
    "Stop": 60,
    "SessionEnd": 3,
}
_GEMINI = {
    "SessionStart": 30,
    "BeforeAgent": 30,
    "BeforeTool": 60,
    "AfterTool": 30,
    "AfterAgent": 60,
    "SessionEnd": 10,
}


@record
class Place:
    """Where planrail is installed for agents: a project's root, or everywhere for this user."""

    root: str
    is_user: bool = False

    @property
    def scope(self) -> str:
        """The folder below which its secret counts, with a slash at its end."""
        return "/" if self.is_user else os.path.join(os.path.realpath(self.root), "")


@record
class Target:
    """One file: what it is for, and what planrail puts into it (`entries` of a JSON file, else the whole `text`)."""

    agent: str
    kind: str
    path: str
    purpose: str
    entries: dict[str, object] = {}  # noqa: RUF012 - a record is never changed
    text: str = ""


def plugin_folder() -> str:
    """The plugin that comes with this package."""
    return os.path.join(os.path.dirname(os.path.abspath(planrail.__file__)), "plugin")


def wrapper_path() -> str:
    return os.path.join(plugin_folder(), "hooks", "planrail-hook")


def hook_command(agent: str, event: str) -> str:
    """What an agent runs at an event. Where planrail was removed meanwhile, it does nothing: `sh` would exit with 2
    for a missing file, and agents take that for a denial of everything."""
    wrapper = shlex.quote(wrapper_path())
    return f"[ ! -f {wrapper} ] || exec sh {wrapper} {agent} {event}"


def agent_path(agent: str, place: Place, environment: Mapping[str, str]) -> str:
    """The file that connects an agent, in a project or for the user."""
    if not place.is_user:
        return os.path.join(place.root, *_PROJECT_FILES[agent])
    return os.path.join(_user_folder(agent, environment), *_USER_FILES[agent])


def find_agents(place: Place, environment: Mapping[str, str]) -> list[str]:
    """Claude Code, and the agents that have a folder in the project or in the user's home."""
    return [
        agent
        for agent in AGENTS
        if agent == "claude"
        or (not place.is_user and os.path.isdir(os.path.join(place.root, _PROJECT_FILES[agent][0])))
        or os.path.isdir(_user_folder(agent, environment))
    ]


def make_target(agent: str, place: Place, environment: Mapping[str, str]) -> Target:
    """The file that connects an agent, with its contents as of now."""
    path = agent_path(agent, place, environment)
    match agent:
        case "claude":
            entries = _claude_entries(place, wants_status_line=not _has_status_line(place, environment))
            return Target(agent, JSON, path, "hooks, the plugin with its commands, the status line", entries)
        case "codex":
            return Target(agent, JSON, path, "hooks", {"hooks": _hooks("codex", _CODEX, 1)})
        case "gemini":
            return Target(agent, JSON, path, "hooks", {"hooks": _hooks("gemini", _GEMINI, 1000)})
        case _:
            script = _read("opencode", "planrail.js").replace("@WRAPPER@", json.dumps(wrapper_path())[1:-1])
            return Target(agent, SCRIPT, path, "a small plugin that asks planrail", text=f"{SCRIPT_MARK}\n{script}")


def settings_target(place: Place) -> Target:
    """A `planrail.toml` with every setting as a comment."""
    path = os.path.join(place.root, "planrail.toml")
    return Target("planrail", SETTINGS, path, "settings, all of them commented out", text=_read("planrail.toml"))


_PROJECT_FILES = {
    "claude": (".claude", "settings.local.json"),
    "codex": (".codex", "hooks.json"),
    "gemini": (".gemini", "settings.json"),
    "opencode": (".opencode", "plugins", "planrail.js"),
}
_USER_FILES = {
    "claude": ("settings.json",),
    "codex": ("hooks.json",),
    "gemini": ("settings.json",),
    "opencode": ("plugins", "planrail.js"),
}


def _user_folder(agent: str, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME") or os.path.expanduser("~")
    match agent:
        case "claude":
            return environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        case "codex":
            return environment.get("CODEX_HOME") or os.path.join(home, ".codex")
        case "gemini":
            return os.path.join(home, ".gemini")
        case _:
            return os.path.join(environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "opencode")


def _claude_entries(place: Place, *, wants_status_line: bool) -> dict[str, object]:
    """Claude Code loads a plugin only in a folder that the user trusts, and some versions only from the second run on.

    So the hooks stand in the settings themselves, which always hold; the plugin brings the commands, and its own hooks
    step aside where PLANRAIL_DIRECT is the secret that `planrail init` wrote down for the folder: a project could set
    anything else in its own settings.
    """
    hooks = json.loads(_read("hooks", "hooks.json"))["hooks"]  # the plugin's own, called by their path
    for event, groups in hooks.items():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook["command"] = hook_command("claude", event)
    marketplace = {"source": {"source": "directory", "path": plugin_folder()}}
    entries: dict[str, object] = {
        "env": {DIRECT: secret_of(place.scope, state_folder())},
        "extraKnownMarketplaces": {"planrail": marketplace},
        "enabledPlugins": {PLUGIN_NAME: True},
        "hooks": hooks,
    }
    if wants_status_line:
        entries["statusLine"] = {"type": "command", "command": hook_command("claude", "StatusLine")}
    return entries


def _has_status_line(place: Place, environment: Mapping[str, str]) -> bool:
    """Whether the user has a status line of their own anywhere, which planrail's must not hide."""
    paths = [os.path.join(_user_folder("claude", environment), "settings.json")]
    if not place.is_user:
        paths += [os.path.join(place.root, ".claude", name) for name in ("settings.json", "settings.local.json")]
    for path in paths:
        try:
            with open(path, "rb") as file:
                line = load(file.read()).get("statusLine")
        except (OSError, OddShape):
            continue
        if line and not is_ours(line):
            return True
    return False


def _hooks(agent: str, events: dict[str, int], second: int) -> dict[str, object]:
    """Hooks in the form that Codex and Gemini share with Claude Code; `second` is one in the agent's unit of time."""
    return {
        event: [{"hooks": [{"type": "command", "command": hook_command(agent, event), "timeout": seconds * second}]}]
        for event, seconds in events.items()
    }


def _read(*names: str) -> str:
    with open(os.path.join(plugin_folder(), *names), encoding="utf-8") as file:
        return file.read()
