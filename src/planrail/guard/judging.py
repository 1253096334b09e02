"""The judge: what a session that plans may do. Pure: whatever it needs to know about the disk is an argument. Which
tools of the agents only read, which write files, and which run a shell.
"""

from planrail.guard.shell.words import name_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.guard.places import Line, RepositoryLook


MAX_LENGTH = 20_000
_LOOKING = {"session_id", "chars", "yield_time_ms", "max_output_tokens"}


class GuardVerdict:
    """`allow`, `deny`, or `unsure`: the construct is beyond the tokeniser and shfmt's tree has to be asked.

    The reason of a refusal names the construct or the argument, and what to use instead.
    """

    # Not a @record: making one costs a fifth of a millisecond, and every tool call while planning pays for it.
    __slots__ = ("decision", "reason")

    def __init__(self, decision: str, reason: str = ""):
        self.decision = decision
        self.reason = reason


class GuardPolicy:
    """What a session that plans may write, where git may run, and which further tools its owner calls read-only.

    `plan_files` are resolved absolute paths; in `allowed_tools` a trailing `*` makes a prefix.
    """

    # Not a @record: making one costs a fifth of a millisecond, and every tool call while planning pays for it.
    __slots__ = ("allowed_tools", "cwd", "home", "plan_files", "repositories")

    def __init__(
        self,
        plan_files: tuple[str, ...],
        cwd: str,
        home: str,
        repositories: "RepositoryLook",
        allowed_tools: tuple[str, ...] = (),
    ):
        self.plan_files = plan_files
        self.cwd = cwd
        self.home = home
        self.repositories = repositories
        self.allowed_tools = allowed_tools


def judge(
    tool: str, tool_input: "dict[str, object]", policy: GuardPolicy, resolve: "Callable[[str], str]"
) -> GuardVerdict:
    """Whether a tool call changes nothing but the session's own plan. Never raises; what fails is denied."""
    try:
        return _judge(tool, tool_input, policy, resolve)
    except Exception as error:
        return _verdict(f"the guard could not judge this call ({type(error).__name__}); use a simpler form")


def _verdict(reason: str) -> GuardVerdict:
    """The call changes nothing where there is no reason against it; otherwise it may, or is not understood."""
    return GuardVerdict("deny" if reason else "allow", reason)


def judge_tree(command: str, tree: object, policy: GuardPolicy) -> GuardVerdict:
    """The second opinion: judge by shfmt's syntax tree (decoded JSON of `shfmt -tojson`). Never unsure.

    `policy.cwd` is where the command runs: see `start_of`.
    """
    from planrail.guard.places import Line
    from planrail.guard.tree.tree import judge_file

    try:
        return _verdict(judge_file(command, tree, Line(policy.cwd, policy.home, policy.repositories)))
    except Exception as error:
        return _verdict(f"the guard could not judge this command ({type(error).__name__}); use a simpler form")


def script_of(tool: str, tool_input: "dict[str, object]") -> str:
    """The shell text that `judge` was unsure about, for shfmt to read; "" where there is none."""
    script = shell_script(tool_input) if tool in SHELLS and isinstance(tool_input, dict) else None
    return script if isinstance(script, str) else ""


def judge_command(command: str, line: "Line") -> GuardVerdict:
    """Judge the text of a shell command with the tokeniser alone."""
    from planrail.guard.programs.commands import judge_simple
    from planrail.guard.shell.parsing import parse_commands
    from planrail.guard.shell.scanning import Beyond, Malformed

    if len(command) > MAX_LENGTH:
        return _verdict("the command is too long to judge; use several short ones")
    try:
        commands = parse_commands(command)
        refused = [(found, reason) for found in commands if (reason := judge_simple(found, line))]
    except Beyond as construct:
        return GuardVerdict("unsure", f"{construct} is beyond the quick reading; use a plain command or a pipeline")
    except Malformed as problem:
        return _verdict(f"{problem} is refused while planning; use a plain command")
    certain = [reason for found, reason in refused if found.is_literal()]
    if certain or not refused:
        return _verdict(certain[0] if certain else "")
    # Where variables are set here, the tree knows more about them.
    is_unsure = any(found.assignments and not found.words for found in commands)
    return GuardVerdict("unsure" if is_unsure else "deny", refused[0][1])


def _judge(tool: object, tool_input: object, policy: GuardPolicy, resolve: "Callable[[str], str]") -> GuardVerdict:
    if not isinstance(tool, str) or not isinstance(tool_input, dict):
        return _verdict("a tool call without a name and an object as its input")
    if tool in SHELLS:
        return _judge_shell(tool_input, policy)
    if tool in WRITERS:
        return _verdict(_refuse_write(tool, tool_input, policy, resolve))
    if tool in SUBAGENTS:
        return _verdict(_refuse_subagent(tool, tool_input))
    is_allowed = any(
        tool.startswith(pattern[:-1]) if pattern.endswith("*") and len(pattern) > 1 else tool == pattern
        for pattern in policy.allowed_tools
    )
    if tool in SKILLS and not is_allowed:
        return _verdict(
            "a skill can run commands while it is loaded, unseen by the guard; read its SKILL.md instead, or let a "
            'person allow skills while planning with `allow_tools = ["Skill"]` under [guard] in their own planrail.toml'
        )
    # With nothing to write, the tool only looks at what a running command has printed.
    is_looking = tool == "write_stdin" and not tool_input.get("chars") and set(tool_input) <= _LOOKING
    if is_looking or is_allowed or tool in READERS:
        return _verdict("")
    return _verdict(
        f"the tool {tool[:80]} is not known to be read-only, so it waits until the plan is approved; a person can "
        "allow it while planning with `allow_tools` under [guard] in their own planrail.toml"
    )


def _refuse_subagent(tool: str, tool_input: "dict[str, object]") -> str:
    """A sub-agent answers to the same guard; one that works in a copy of its own makes a worktree first."""
    if tool_input.get("isolation"):
        return f"{tool} with `isolation` makes a worktree; start it without while planning"
    other = next((key for key in ("team_name", "mode") if tool_input.get(key)), "")
    return f"{tool} with `{other}` may answer to other rules than this session; start it without" if other else ""


def _judge_shell(tool_input: "dict[str, object]", policy: GuardPolicy) -> GuardVerdict:
    from planrail.guard.places import Line

    script = shell_script(tool_input)
    if script is None:
        return _verdict("a shell tool without a command that can be read")
    changed = changed_meaning(tool_input)
    if changed:
        return _verdict(f"a shell tool with `{changed}` is refused while planning; leave it out")
    line = Line(start_of(tool_input, policy.cwd), policy.home, policy.repositories)
    if isinstance(script, str):
        return judge_command(script, line)
    from planrail.guard.programs.commands import base_name, judge_words
    from planrail.guard.shell.words import Word

    if base_name(script[0]) in ("bash", "sh", "zsh", "dash"):
        return _verdict("a shell with other arguments than -c and one command; write the command alone")
    return _verdict(judge_words([Word(part) for part in script], line))


def _refuse_write(
    tool: str, tool_input: "dict[str, object]", policy: GuardPolicy, resolve: "Callable[[str], str]"
) -> str:
    from planrail.guard.places import tidied

    paths = written_paths(tool, tool_input)
    if paths is None:
        return f"{tool} names no file that the guard can read for certain; write the session's plan file"
    for path in paths:
        absolute = path if path.startswith("/") else policy.cwd.rstrip("/") + "/" + path
        is_odd = "\0" in path or path.startswith("~")
        # A plan of the session however the tool reads the path: ~ and .. are read in more than one way.
        if is_odd or any(resolve(reading) not in policy.plan_files for reading in {absolute, tidied(absolute)}):
            known = policy.plan_files[0] if policy.plan_files else "none yet"
            return f"{tool} to {path[:200]} waits until the plan is approved; only the plan may be written: {known}"
    return ""


# Claude Code, Codex, Gemini CLI and opencode. Nothing here changes a file or talks to another program for the agent.
READERS = name_set(
    "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet"
    " AskUserQuestion ExitPlanMode EnterPlanMode ToolSearch BashOutput TaskOutput KillShell KillBash TaskStop LSP"
    " AgentOutput AgentOutputTool ListMcpResources ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool"
    " StructuredOutput"
    " read_file read_many_files list_directory glob search_file_content grep_search web_fetch google_web_search"
    " write_todos ask_user exit_plan_mode enter_plan_mode get_internal_docs activate_skill codebase_investigator"
    " read grep list webfetch websearch codesearch todowrite todoread question skill lsp plan_exit plan_enter invalid"
    " update_plan view_image web_search read_dir list_dir grep_files request_user_input list_mcp_resources"
    " list_mcp_resource_templates read_mcp_resource"
)
# A skill may hold lines that the agent runs in a shell while it loads them, and no hook hears of those.
SKILLS = frozenset(("Skill", "SlashCommand"))
# A sub-agent is held to the same rules by its own events, unless it works in a copy of its own.
SUBAGENTS = frozenset(("Agent", "Task", "task"))
WRITERS = name_set("Write Edit MultiEdit NotebookEdit write_file replace write edit multiedit patch apply_patch")
SHELLS = name_set("Bash run_shell_command shell bash exec_command local_shell shell_command container.exec")

_PATH_KEYS = ("file_path", "filePath", "notebook_path", "notebookPath", "path", "absolute_path", "filename", "file")
_HEADERS = ("*** Update File: ", "*** Add File: ")
_PATCH_KEYS = ("input", "patch", "patchText", "patch_text", "command")
_SHELL_PATHS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash", "/usr/bin/zsh", "/usr/bin/sh")
_FOLDER_KEYS = ("workdir", "cwd", "dir_path", "directory", "working_directory")
_CHANGES = name_set(
    "dangerouslyDisableSandbox with_escalated_permissions sandbox_permissions additional_permissions env environment"
    " shell user stdin input"
)


def written_paths(tool: str, tool_input: dict[str, object]) -> list[str] | None:
    """Every path that a writing tool names, or None where they cannot be told for certain."""
    if tool in ("patch", "apply_patch"):
        return _patched_paths(tool_input)
    paths = [tool_input[key] for key in _PATH_KEYS if key in tool_input]
    edits = tool_input.get("edits", [])
    for edit in edits if isinstance(edits, list) else [None]:
        if not isinstance(edit, dict):
            return None
        paths.extend(edit[key] for key in _PATH_KEYS if key in edit)
    found = [path for path in paths if isinstance(path, str) and path]
    return found if found and len(found) == len(paths) else None


def _patched_paths(tool_input: dict[str, object]) -> list[str] | None:
    """The files in the headers. Deleting or moving is odd for a plan, and so is a header that is not understood."""
    texts = [tool_input[key] for key in _PATCH_KEYS if key in tool_input]
    if len(texts) != 1 or set(tool_input) - {*_PATCH_KEYS, "description"}:
        return None
    patch = texts[0]
    if isinstance(patch, list) and len(patch) == 2 and patch[0] == "apply_patch":
        patch = patch[1]
    lines = patch.strip().split("\n") if isinstance(patch, str) else [""]
    if lines[0].strip() != "*** Begin Patch" or lines[-1].strip() != "*** End Patch":
        return None
    paths = []
    for line in lines[1:-1]:
        if not line.lstrip().startswith("***") or line.rstrip() == "*** End of File":
            continue
        header = next((known for known in _HEADERS if line.startswith(known)), "")
        path = line[len(header) :].rstrip("\r")
        if not header or not path or path != path.strip():
            return None
        paths.append(path)
    return paths or None


def _places(tool_input: dict[str, object]) -> list[dict[str, object]]:
    """Where the fields of a shell tool may stand."""
    action = tool_input.get("action")
    return [tool_input, action] if isinstance(action, dict) else [tool_input]


def shell_script(tool_input: dict[str, object]) -> str | list[str] | None:
    """The command of a shell tool: a text, a list of arguments, or None where there is none to judge for certain.

    Of a shell with a text as its command the text alone.
    """
    commands = [place[key] for place in _places(tool_input) for key in ("command", "cmd", "script") if key in place]
    command = commands[0] if len(commands) == 1 else None
    if not isinstance(command, list):
        return command if isinstance(command, str) else None
    if not command or not all(isinstance(part, str) for part in command):
        return None
    is_wrapped = len(command) == 3 and command[0] in _SHELL_PATHS and command[1] in ("-c", "-lc")
    return str(command[2]) if is_wrapped else command


def start_of(tool_input: dict[str, object], cwd: str) -> str:
    """The folder that a shell tool starts in. Codex and Claude Code say it as the event's own."""
    for place in _places(tool_input):
        for key in _FOLDER_KEYS:
            value = place.get(key) or ""
            if not isinstance(value, str):
                raise TypeError(key)
            cwd = value if value.startswith("/") else f"{cwd}/{value}" if value else cwd
    return cwd


def changed_meaning(tool_input: dict[str, object]) -> str:
    """The field that makes a shell tool more than its command: another shell, an environment, no sandbox."""
    for place in _places(tool_input):
        for key, value in place.items():
            is_usual = (key == "shell" and value in _SHELL_PATHS) or value == "use_default"
            if key in _CHANGES and value and not is_usual:
                return key
    return ""
