"""Which tools of the agents only read, which write files, and which run a shell."""

from planrail.guard.shell.words import name_set

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
