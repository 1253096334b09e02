"""Codex, driven by `codex exec --json`.

Codex is held by its own sandbox, read-only or to its folder, and the sandbox is tried out before each assignment: where
it does not hold, the agent is not started. MCP servers, hooks, apps, plugins and the notify program run outside the
sandbox, and are switched off. A continued conversation does not remember its sandbox, so it is given each time.
Measured with 0.166.0.
"""

import glob
import json
import os
import subprocess
import tomllib
from collections.abc import Callable, Mapping

from planrail.agents.model import Assignment, Began, Outcome, Said, UsageEvent, Used, failure
from planrail.agents.starting import Connection, Prepared, ProgramDriver, ScratchFolder
from planrail.agents.wires import CloseInput, Parts, Permissions, Send, Wire
from planrail.base.json_reading import command_in, describe_use, number_in, object_in, objects_in, read_object, text_in
from planrail.base.records import replace
from planrail.git.tree_removal import remove_tree

_TOOLS = {"command_execution": "Bash", "file_change": "Edit", "mcp_tool_call": "MCP", "web_search": "WebSearch"}


class CodexWire(Wire):
    """See `Wire`. `used` says what a conversation has used so far, by Codex's own record of it."""

    def __init__(
        self,
        assignment: Assignment,
        permissions: Permissions,
        used: Callable[[str], UsageEvent],
        scratch: ScratchFolder | None = None,
    ) -> None:
        super().__init__("codex", assignment, permissions)
        self._scratch, self._used, self._counted = scratch, used, used(self.conversation)

    def open(self) -> Parts:
        yield Send(self._assignment.prompt)
        yield CloseInput()

    def hear(self, line: bytes) -> Parts:
        heard = read_object(line)
        kind = text_in(heard, "type")
        if kind == "thread.started":
            self.conversation = text_in(heard, "thread_id") or self.conversation
            yield Began(self.conversation)
        elif kind.startswith("item."):
            yield from self._item(kind, object_in(heard, "item"))
        elif kind == "turn.completed":
            self._is_done, self._error = True, ""
            yield self._spent(spent_on(object_in(heard, "usage")))
        elif kind == "turn.failed":
            self._is_done, self._error = False, _plain(text_in(object_in(heard, "error"), "message"))
        elif kind == "error":
            self._error = _plain(text_in(heard, "message"))

    def _item(self, kind: str, item: dict[str, object]) -> Parts:
        what = text_in(item, "type")
        if what == "agent_message" and kind == "item.completed":
            self._last_words = text_in(item, "text")
            yield Said(self._last_words)
        elif what == "file_change" and kind == "item.completed":
            paths = ", ".join(text_in(change, "path") for change in objects_in(item, "changes"))
            yield Used("Edit", paths)
        elif what in _TOOLS and kind == "item.started":
            yield Used(_TOOLS[what], describe_use(item), command_in(item))

    def _spent(self, total: UsageEvent) -> UsageEvent:
        """What is new: the figures of a continued conversation begin at its beginning."""
        before, self._counted = self._counted, total
        return UsageEvent(max(0, total.tokens_in - before.tokens_in), max(0, total.tokens_out - before.tokens_out))

    def settle(self) -> Parts:
        """What a turn had used that was not allowed to complete."""
        if self._scratch is not None:
            self._scratch.remove()
        if not self._is_done and self.conversation:
            spent = self._spent(self._used(self.conversation))
            if spent.tokens_in or spent.tokens_out:
                yield spent


def _plain(message: str) -> str:
    return text_in(object_in(read_object(message.encode(errors="surrogatepass")), "error"), "message") or message


def used_so_far(environment: Mapping[str, str], conversation: str) -> UsageEvent:
    """The last figures in the conversation's own file; nothing where there is none: then too much is counted."""
    if not conversation:
        return UsageEvent(0, 0)
    pattern = os.path.join(codex_home(environment), "sessions", "**", f"rollout-*{glob.escape(conversation)}.jsonl")
    found = UsageEvent(0, 0)
    try:
        with open(max(glob.glob(pattern, recursive=True), default=""), "rb") as file:
            for line in file:
                payload = object_in(read_object(line), "payload") if b'"token_count"' in line else {}
                total = object_in(object_in(payload, "info"), "total_token_usage")
                found = spent_on(total) if payload.get("type") == "token_count" and total else found
    except OSError:
        return UsageEvent(0, 0)
    return found


def spent_on(usage: Mapping[str, object]) -> UsageEvent:
    """A usage as Codex reports it; what came from a cache is part of what went in."""
    return UsageEvent(number_in(usage, "input_tokens"), number_in(usage, "output_tokens"))


def codex_home(environment: Mapping[str, str]) -> str:
    return environment.get("CODEX_HOME") or os.path.join(environment.get("HOME", ""), ".codex")


def variable_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that Codex's providers take their keys from. Settings that cannot be read name none."""
    try:
        with open(os.path.join(codex_home(environment), "config.toml"), "rb") as file:
            config = tomllib.load(file)
    except (OSError, ValueError):
        return ()
    providers = object_in(config, "model_providers")
    each = [object_in(providers, name) for name in providers]
    named = [found.get("env_key") for found in each]
    named += [name for found in each for name in object_in(found, "env_http_headers").values()]
    return tuple(name for name in named if isinstance(name, str) and name.isidentifier())


CODEX = ("OPENAI_*", "CODEX_*")
INSTALL = "npm install --global @openai/codex"
_SECONDS = 30  # for the two looks before the start
_SWITCHED_OFF = ("features.hooks=false", "features.apps=false", "features.plugins=false", "notify=[]")
# A write that must not succeed, and for an agent that may work in its folder one that must.
_PROBES = {"read-only": "echo inside; : > probe", "workspace-write": "echo inside; touch ../probe; touch made"}
_TEMPORARY = "sandbox_workspace_write.exclude_slash_tmp=true", "sandbox_workspace_write.exclude_tmpdir_env_var=true"


def _mode_of(assignment: Assignment) -> str:
    return "read-only" if assignment.read_only else "workspace-write"


class Codex(ProgramDriver):
    """See `model.Driver`. Codex decides about tools by its sandbox and puts no questions: nobody is asked."""

    name, install = "codex", INSTALL
    login = (".codex/auth.json",)
    copied = (".codex/config.toml", ".codex/AGENTS.md")
    connection = Connection(
        "Codex",
        "Codex skips hooks silently until you trust them: start codex here, type /hooks, and trust planrail's.",
        (".codex", "hooks.json"),
        ("hooks.json",),
        ".codex",
        "CODEX_HOME",
        # It knows Claude's events and its JSON, and ends a SessionEnd hook after three seconds whatever is asked for.
        events={"SessionStart": 30, "UserPromptSubmit": 30, "PreToolUse": 60, "PostToolUse": 30}
        | {"SubagentStart": 15, "Stop": 600, "SessionEnd": 3},
        is_doubled=True,
        mcp_command="codex mcp add planrail -- planrail mcp",
    )

    @classmethod
    def variables(cls, environment: Mapping[str, str]) -> tuple[str, ...]:
        return (*CODEX, *variable_names(environment))

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared | Outcome:
        """Codex is started once its sandbox has been seen to hold."""
        try:
            listed = json.loads(self._look(["mcp", "list", "--json"], assignment.folder, assignment) or "")
            servers = [str(entry["name"]) for entry in listed if isinstance(entry, dict) and "name" in entry]
        except ValueError:
            servers = None
        mode = _mode_of(assignment)
        problem = self._unsafe(servers) or ("" if assignment.confinement.holds else self._leaks(assignment))
        if problem:
            return failure("failed", problem, assignment.conversation)
        scratch = ScratchFolder(assignment.log) if assignment.schema else None
        off = (*_SWITCHED_OFF, *(f"mcp_servers.{name}.enabled=false" for name in servers or ()))
        choices = ['approval_policy="never"', *off, *self._closed(assignment)]
        arguments = [
            *("exec", "--json", "--sandbox", mode, "--skip-git-repo-check", "--color", "never"),
            *(word for choice in choices for word in ("-c", choice)),
            *(["--output-schema", scratch.write("schema.json", assignment.schema)] if scratch else []),
            *([f"--model={assignment.model}"] if assignment.model else []),
            *(["resume", assignment.conversation] if assignment.conversation else []),
            "-",
        ]
        home = assignment.confinement.holds and os.path.join(assignment.confinement.scratch, "home", ".codex")
        given = {"CODEX_HOME": home} if home else self.environment
        return arguments, CodexWire(assignment, permissions, lambda known: used_so_far(given, known), scratch)

    def refuse_confinement(self, assignment: Assignment) -> str:
        """Codex keeps its own sandbox, where that works inside of another one."""
        is_lost = bool(self._leaks(assignment))
        return f"codex's own sandbox does not work inside of {assignment.confinement.backend}" if is_lost else ""

    def _closed(self, assignment: Assignment) -> tuple[str, ...]:
        """Temporary folders are open to an agent that may write, unless something lies in them that it must not."""
        temporary = [os.path.realpath(name) for name in ("/tmp", self.environment.get("TMPDIR", "/tmp"))]
        protected = [os.path.realpath(place) for place in assignment.protected]
        is_near = any(place.startswith(folder.rstrip("/") + "/") for place in protected for folder in temporary)
        return _TEMPORARY if is_near and not assignment.read_only else ()

    def _unsafe(self, servers: list[str] | None) -> str:
        """Why Codex must not be started with these servers; "" if nothing speaks against it."""
        if servers is None:
            return (
                "codex does not say which MCP servers it would start, so it is not started; try `codex mcp list --json`"
            )
        odd = [name for name in servers if not name.replace("-", "").replace("_", "").isalnum()]
        if odd:
            return f"the MCP server {odd[0]!r} cannot be switched off by its name; rename it in codex's settings"
        return ""

    def _leaks(self, assignment: Assignment) -> str:
        """Try the sandbox on a folder that nobody misses, and not in the home folder of an agent that was at work."""
        outer, mode = ScratchFolder(), _mode_of(assignment)
        try:
            inner = os.path.join(outer.path, "inner")
            os.mkdir(inner)
            open_ones = _TEMPORARY if mode == "workspace-write" else ()  # the probe itself lies in a temporary folder
            choices = (f'sandbox_mode="{mode}"', *open_ones)
            flags = [word for choice in choices for word in ("-c", choice)]
            words = ["sandbox", *flags, "--", "sh", "-c", _PROBES[mode]]
            held = replace(assignment.confinement, scratch=os.path.join(outer.path, "held"))
            said = self._look(words, inner, replace(assignment, folder=outer.path, confinement=held))
            if any(os.path.exists(os.path.join(folder, "probe")) for folder in (outer.path, inner)):
                return f"codex's {mode} sandbox does not hold on this machine, so codex is not started"
            can_work = mode == "read-only" or os.path.exists(os.path.join(inner, "made"))
        finally:
            remove_tree(outer.path)
        if said is None or "inside" not in said or not can_work:
            return "codex has no working sandbox on this machine, so it is not started; see `codex sandbox -- true`"
        return ""

    def _look(self, arguments: list[str], folder: str, assignment: Assignment) -> str | None:
        """What a short command of Codex prints, held as the assignment is; None where it does not run."""
        try:
            command, given = self.enclose([self.path, *arguments], assignment)
            done = subprocess.run(
                command,
                cwd=folder,
                env=dict(given),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.decode(errors="replace")


DRIVER = Codex
