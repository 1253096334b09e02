"""Which files connect planrail to an agent, and what planrail puts into them."""

import json
import os
import shlex
from collections.abc import Mapping

import planrail
from planrail.agents.drivers import load_program
from planrail.agents.starting import Connection
from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import read_whole
from planrail.hook import AGENTS
from planrail.install.json import RULES, Document, OddShape, allows, is_ours, load
from planrail.install.secrets import secret_of

JSON, SCRIPT, SETTINGS = "json", "script", "settings"
PLUGIN_NAME = "planrail@planrail"
DIRECT = "PLANRAIL_DIRECT"
# The first line of a script that planrail wrote.
SCRIPT_MARK = "// Written by `planrail init`; `planrail uninstall` removes it."


@record
class InstallPlace:
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
    return os.path.join(os.path.dirname(os.path.abspath(planrail.__file__)), "plugin")


def wrapper_path() -> str:
    return os.path.join(plugin_folder(), "hooks", "planrail-hook")


def hook_command(agent: str, event: str) -> str:
    """What an agent runs at an event. Where planrail was removed meanwhile, it does nothing: `sh` would exit with 2
    for a missing file, and agents take that for a denial of everything."""
    wrapper = shlex.quote(wrapper_path())
    return f"[ ! -f {wrapper} ] || exec sh {wrapper} {agent} {event}"


def connection_of(agent: str) -> Connection:
    connection = load_program(agent).connection
    assert connection is not None
    return connection


def agent_path(agent: str, place: InstallPlace, environment: Mapping[str, str]) -> str:
    connection = connection_of(agent)
    if not place.is_user:
        return os.path.join(place.root, *connection.in_project)
    return os.path.join(_user_folder(connection, environment), *connection.in_user)


def find_agents(place: InstallPlace, environment: Mapping[str, str]) -> list[str]:
    """Claude Code, and the agents that have a folder in the project or in the user's home."""
    known = {agent: connection_of(agent) for agent in AGENTS}
    return [
        agent
        for agent, connection in known.items()
        if agent == "claude"
        or (not place.is_user and os.path.isdir(os.path.join(place.root, connection.in_project[0])))
        or os.path.isdir(_user_folder(connection, environment))
    ]


def make_target(agent: str, place: InstallPlace, environment: Mapping[str, str], *, allow: bool = False) -> Target:
    """The file that connects an agent, with its contents as of now. `allow`: with rules for planrail's own commands,
    which stay where they are there already."""
    path, connection = agent_path(agent, place, environment), connection_of(agent)
    if agent == "claude":
        entries = _claude_entries(place, wants_status_line=not _has_status_line(place, environment))
        purpose = "hooks, the plugin with its commands, the status line"
        if allow or allows(_read_json(path)):
            entries["permissions"] = {"allow": RULES}
            purpose += ", rules that allow planrail's commands"
        return Target(agent, JSON, path, purpose, entries)
    if kind_of(agent) == JSON:
        return Target(agent, JSON, path, "hooks", {"hooks": _hooks(agent, connection)})
    script = _read(agent, connection.in_user[-1]).replace("@WRAPPER@", json.dumps(wrapper_path())[1:-1])
    return Target(agent, SCRIPT, path, "a small plugin that asks planrail", text=f"{SCRIPT_MARK}\n{script}")


def add_mcp(targets: list[Target], agents: list[str], place: InstallPlace, *, is_wanted: bool) -> list[Target]:
    """The files with the entries by which agents find planrail's tools, of a project; what was there before stays."""
    added = {target.path: target for target in targets}
    for agent in agents if not place.is_user else ():
        connection = connection_of(agent)
        path, entries = os.path.join(place.root, *connection.mcp_file), dict(connection.mcp_entries)
        if not entries or not (is_wanted or _has_mcp(path, entries)):
            continue
        if path in added:
            target = added[path]
            added[path] = replace(target, purpose=f"{target.purpose}, MCP", entries={**target.entries, **entries})
        else:
            added[path] = Target(agent, JSON, path, "MCP: planrail's tools", entries)
    return list(added.values())


def _read_json(path: str) -> Document:
    """A settings file of an agent; empty where there is none, or one that nobody can read."""
    try:
        return load(read_whole(path) or b"{}")
    except OddShape:
        return {}


def _has_mcp(path: str, entries: Mapping[str, object]) -> bool:
    document = _read_json(path)
    tables = (document.get(name) for name in entries)
    return any(isinstance(table, dict) and "planrail" in table for table in tables)


def kind_of(agent: str) -> str:
    return JSON if connection_of(agent).in_project[-1].endswith(".json") else SCRIPT


def settings_target(place: InstallPlace) -> Target:
    """A `planrail.toml` with every setting as a comment."""
    path = os.path.join(place.root, "planrail.toml")
    return Target("planrail", SETTINGS, path, "settings, all of them commented out", text=_read("planrail.toml"))


def _user_folder(connection: Connection, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME") or os.path.expanduser("~")
    named = environment.get(connection.variable) or os.path.join(home, connection.folder)
    return os.path.join(named, connection.inside) if connection.inside else named


def _claude_entries(place: InstallPlace, *, wants_status_line: bool) -> dict[str, object]:
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


def _has_status_line(place: InstallPlace, environment: Mapping[str, str]) -> bool:
    """Whether the user has a status line of their own anywhere, which planrail's must not hide."""
    paths = [os.path.join(_user_folder(connection_of("claude"), environment), "settings.json")]
    if not place.is_user:
        paths += [os.path.join(place.root, ".claude", name) for name in ("settings.json", "settings.local.json")]
    lines = [_read_json(path).get("statusLine") for path in paths]
    return any(line and not is_ours(line) for line in lines)


def _hooks(agent: str, connection: Connection) -> dict[str, object]:
    times = {event: seconds * connection.second for event, seconds in connection.events.items()}
    return {
        event: [{"hooks": [{"type": "command", "command": hook_command(agent, event), "timeout": time}]}]
        for event, time in times.items()
    }


def _read(*names: str) -> str:
    with open(os.path.join(plugin_folder(), *names), encoding="utf-8") as file:
        return file.read()
