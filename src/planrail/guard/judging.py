"""The judge: what a session that plans may do. Pure: whatever it needs to know about the disk is an argument."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.guard.places import Line, RepositoryLook

MAX_LENGTH = 20_000
_LOOKING = {"session_id", "chars", "yield_time_ms", "max_output_tokens"}


class Verdict:
    """`allow`, `deny`, or `unsure`: the construct is beyond the tokeniser and shfmt's tree has to be asked.

    The reason of a refusal names the construct or the argument, and what to use instead.
    """

    # Not a @record: making one costs a fifth of a millisecond, and every tool call while planning pays for it.
    __slots__ = ("decision", "reason")

    def __init__(self, decision: str, reason: str = ""):
        self.decision = decision
        self.reason = reason


def allow() -> Verdict:
    """The call changes nothing."""
    return Verdict("allow", "")


def deny(reason: str) -> Verdict:
    """The call may change something, or is not understood."""
    return Verdict("deny", reason)


class Policy:
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


def judge(tool: str, tool_input: "dict[str, object]", policy: Policy, resolve: "Callable[[str], str]") -> Verdict:
    """Whether a tool call changes nothing but the session's own plan. Never raises; what fails is denied."""
    try:
        return _judge(tool, tool_input, policy, resolve)
    except Exception as error:
        return deny(f"the guard could not judge this call ({type(error).__name__}); use a simpler form")


def judge_tree(command: str, tree: object, policy: Policy) -> Verdict:
    """The second opinion: judge by shfmt's syntax tree (decoded JSON of `shfmt -tojson`). Never unsure.

    `policy.cwd` is where the command runs: see `start_of`.
    """
    from planrail.guard.places import Line
    from planrail.guard.tree.tree import judge_file

    try:
        reason = judge_file(command, tree, Line(policy.cwd, policy.home, policy.repositories))
    except Exception as error:
        return deny(f"the guard could not judge this command ({type(error).__name__}); use a simpler form")
    return deny(reason) if reason else allow()


def script_of(tool: str, tool_input: "dict[str, object]") -> str:
    """The shell text that `judge` was unsure about, for shfmt to read; "" where there is none."""
    from planrail.guard.tools import SHELLS, shell_script

    script = shell_script(tool_input) if tool in SHELLS and isinstance(tool_input, dict) else None
    if isinstance(script, list):
        return script[2] if _is_wrapped_script(script) else ""
    return script or ""


def judge_command(command: str, line: "Line") -> Verdict:
    """Judge the text of a shell command with the tokeniser alone."""
    from planrail.guard.programs.commands import judge_simple
    from planrail.guard.shell.parsing import parse_commands
    from planrail.guard.shell.scanning import Beyond, Malformed

    if len(command) > MAX_LENGTH:
        return deny("the command is too long to judge; use several short ones")
    try:
        commands = parse_commands(command)
        refused = [(found, reason) for found in commands if (reason := judge_simple(found, line))]
    except Beyond as construct:
        return Verdict("unsure", f"{construct} is beyond the quick reading; use a plain command or a pipeline")
    except Malformed as problem:
        return deny(f"{problem} is refused while planning; use a plain command")
    if not refused:
        return allow()
    certain = [reason for found, reason in refused if found.is_literal()]
    reason = certain[0] if certain else refused[0][1]
    if not certain and any(found.assignments and not found.words for found in commands):
        return Verdict("unsure", reason)  # the tree knows more about the variables that are set here
    return deny(reason)


def _judge(tool: object, tool_input: object, policy: Policy, resolve: "Callable[[str], str]") -> Verdict:
    from planrail.guard.tools import READERS, SHELLS, SKILLS, SUBAGENTS, WRITERS

    if not isinstance(tool, str) or not isinstance(tool_input, dict):
        return deny("a tool call without a name and an object as its input")
    if tool in SHELLS:
        return _judge_shell(tool_input, policy)
    if tool in WRITERS:
        return _judge_write(tool, tool_input, policy, resolve)
    if tool in SUBAGENTS:
        return _judge_subagent(tool, tool_input)
    if tool in SKILLS and not _is_allowed(tool, policy.allowed_tools):
        return deny(
            "a skill can run commands while it is loaded, unseen by the guard; read its SKILL.md instead, or let a "
            'person allow skills while planning with `allow_tools = ["Skill"]` under [guard] in their own planrail.toml'
        )
    if tool == "write_stdin" and not tool_input.get("chars") and set(tool_input) <= _LOOKING:
        return allow()  # only looks at what a running command has printed
    if tool in READERS or _is_allowed(tool, policy.allowed_tools):
        return allow()
    return deny(
        f"the tool {tool[:80]} is not known to be read-only, so it waits until the plan is approved; a person can "
        "allow it while planning with `allow_tools` under [guard] in their own planrail.toml"
    )


def _is_allowed(tool: str, patterns: tuple[str, ...]) -> bool:
    return any(
        tool.startswith(pattern[:-1]) if pattern.endswith("*") and len(pattern) > 1 else tool == pattern
        for pattern in patterns
    )


def _judge_subagent(tool: str, tool_input: "dict[str, object]") -> Verdict:
    """A sub-agent answers to the same guard; one that works in a copy of its own makes a worktree first."""
    if tool_input.get("isolation"):
        return deny(f"{tool} with `isolation` makes a worktree; start it without while planning")
    for key in ("team_name", "mode"):
        if tool_input.get(key):
            return deny(f"{tool} with `{key}` may answer to other rules than this session; start it without")
    return allow()


def _judge_shell(tool_input: "dict[str, object]", policy: Policy) -> Verdict:
    from planrail.guard.places import Line
    from planrail.guard.tools import changed_meaning, shell_script, start_of

    script = shell_script(tool_input)
    if script is None:
        return deny("a shell tool without a command that can be read")
    changed = changed_meaning(tool_input)
    if changed:
        return deny(f"a shell tool with `{changed}` is refused while planning; leave it out")
    line = Line(start_of(tool_input, policy.cwd), policy.home, policy.repositories)
    if isinstance(script, str):
        return judge_command(script, line)
    if _is_wrapped_script(script):
        return judge_command(script[2], line)
    from planrail.guard.programs.commands import base_name, judge_words
    from planrail.guard.shell.words import Word

    if base_name(script[0]) in ("bash", "sh", "zsh", "dash"):
        return deny("a shell with other arguments than -c and one command; write the command alone")
    reason = judge_words([Word(part) for part in script], line)
    return deny(reason) if reason else allow()


def _is_wrapped_script(script: list[str]) -> bool:
    from planrail.guard.tools import SHELL_PATHS

    return len(script) == 3 and script[0] in SHELL_PATHS and script[1] in ("-c", "-lc")


def _judge_write(
    tool: str, tool_input: "dict[str, object]", policy: Policy, resolve: "Callable[[str], str]"
) -> Verdict:
    from planrail.guard.tools import written_paths

    paths = written_paths(tool, tool_input)
    if paths is None:
        return deny(f"{tool} names no file that the guard can read for certain; write the session's plan file")
    for path in paths:
        if not _is_plan(path, policy, resolve):
            known = policy.plan_files[0] if policy.plan_files else "none yet"
            return deny(
                f"{tool} to {path[:200]} waits until the plan is approved; only the plan may be written: {known}"
            )
    return allow()


def _is_plan(path: str, policy: Policy, resolve: "Callable[[str], str]") -> bool:
    """Whether the path is a plan of the session however the tool reads it: ~ and .. are read in more than one way."""
    from planrail.guard.places import tidied

    if "\0" in path or path.startswith("~"):
        return False
    absolute = path if path.startswith("/") else policy.cwd.rstrip("/") + "/" + path
    readings = {absolute, tidied(absolute)}
    return all(resolve(reading) in policy.plan_files for reading in readings)
