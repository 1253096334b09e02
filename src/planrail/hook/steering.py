"""Which variables that planrail believes do a project's own files set for its agent?

A repository can carry an agent's settings, and those set the environment of its hooks. What such a file sets is taken
for unset: where state, settings and interpreter are is the user's to say. `plugin/hooks/planrail-hook` does it for the
hooks that agents start; this is the same look for `planrail hook` and `planrail doctor`.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NAMES = (
    *("HOME", "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PLANRAIL_STATE_DIR", "PLANRAIL_PYTHON"),
    *("PLANRAIL_UNATTENDED", "PLANRAIL_PRIVATE_WORKSPACE", "PLANRAIL_AGENT_PROCESS"),
    *("CLAUDE_CONFIG_DIR", "CLAUDE_PID", "CLAUDE_CODE_SESSION_ID"),
)
# By these an agent's own shell is told from the agent: unset, they would let it speak in the user's name.
MARKS = ("AI_AGENT", "CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED")
FILES = (
    *(".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gemini/settings.json"),
    *(".gemini/.env", ".env", ".env.*"),
)
# What runs other code in a hook before its first line. No hook can do anything about these.
_LIBRARIES = ("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES")
_BREAKING = (*_LIBRARIES, "BASH_ENV", "SHELLOPTS", "BASH_FUNC_")
# In a file of variables, which programs of every kind read: by these a command that only reads runs what they name, or
# what stands where they lead, or writes a log. With `_` at its end: any rest. In an agent's own settings they are not
# needed: what is not known to be harmless there counts (`_is_harmless`).
RUNNING = (
    *_BREAKING,
    *("HOME", "PATH", "CDPATH", "XDG_CONFIG_HOME", "ZDOTDIR", "BASHOPTS", "PS4", "ENV", "LOCPATH", "GCONV_PATH"),
    *("PAGER", "MANPAGER", "MANPATH", "MANOPT", "LESSOPEN", "LESSCLOSE", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"),
    *("GIT_EXTERNAL_DIFF", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_", "GIT_DIR", "GIT_COMMON_DIR"),
    *("GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_EXEC_PATH"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_PAGER", "GIT_EDITOR"),
    *("GIT_TRACE", "GIT_TRACE_", "GIT_TRACE2", "GIT_TRACE2_"),
    *("TAR_OPTIONS", "RIPGREP_CONFIG_PATH", "BAT_CONFIG_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES"),
    *("NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONINSPECT"),
    *("PIP_PYTHON", "PERL5OPT", "PERL5LIB", "PERL5DB", "PERLLIB", "RUBYOPT", "RUBYLIB"),
    *("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "KUBECONFIG", "DOCKER_CONFIG", "GH_CONFIG_DIR"),
)
# In such a file these are everyday: the name of a stage, where modules lie, how much memory there is.
_OFTEN_PLAIN = ("ENV", "PYTHONPATH", "NODE_OPTIONS")
# What an agent's own settings may set while it plans: read by the agent or by planrail alone, and it names neither a
# program nor a file. So not all of CLAUDE_CODE_…: _SHELL and _SHELL_PREFIX name what runs each command, _SIMPLE may
# switch hooks off, _TMPDIR leads elsewhere. `guard.variables.may_export` adds what any program may be given (TZ, CI …).
_OF_AGENTS = frozenset(
    (
        *("PLANRAIL_DIRECT", "PLAN_CONTEXT_WARNING_PCT", "PLAN_CONTEXT_CRITICAL_PCT", "CONTEXT_WINDOW_TOKENS"),
        *("BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH", "API_TIMEOUT_MS"),
        *("MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT", "ENABLE_TOOL_SEARCH"),
        *("DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_AUTOUPDATER", "DISABLE_BUG_COMMAND"),
        *("DISABLE_COST_WARNINGS", "DISABLE_NON_ESSENTIAL_MODEL_CALLS", "DISABLE_PROMPT_CACHING", "DISABLE_COMPACT"),
        *("CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_MAX_OUTPUT_TOKENS"),
        *("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_EFFORT_LEVEL"),
        *("CLAUDE_CODE_DISABLE_TERMINAL_TITLE", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "CLAUDE_CODE_ENABLE_TASKS"),
        *("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_1M_CONTEXT", "CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
        *("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLOUD_ML_REGION"),
        *("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "CLAUDE_CODE_HIDE_ACCOUNT_INFO"),
        *("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"),
        *("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_METRIC_EXPORT_INTERVAL"),
        *("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
        *("GOOGLE_GENAI_USE_VERTEXAI", "OPENAI_API_KEY"),
        *("NODE_ENV", "PORT"),  # which stage and which port: no program that reads looks at them
    )
)
_POLICY = "shell_environment_policy"  # where Codex is told what its commands are given
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_READ = frozenset("${")  # before a name, they read it
ESCAPES = "escapes"
_ESCAPED = ("\\u004", "\\u005", "\\U0000004", "\\U0000005")  # a capital letter or `_`, which nobody writes like this


def find_steering(folder: str, home: str, names: tuple[str, ...] = (*NAMES, *MARKS)) -> dict[str, str]:
    """Which of these names do files of this folder, or of one above it, set? Each with the file."""
    return _find(folder, home, lambda path: _names_in(path, names))


def find_running(folder: str, home: str) -> dict[str, str]:
    """The names set there by which a command that only reads may do more; each with the file."""
    return _find(folder, home, _running_in)


def _find(folder: str, home: str, look: "Callable[[str], Iterable[str]]") -> dict[str, str]:
    """What `look` finds in the files of this folder and of those above it. The user's home is theirs."""
    found: dict[str, str] = {}
    own: dict[str, str] = {}
    while True:
        here = own if folder == home else found
        for path in _files(folder):
            for name in look(path):
                here.setdefault(name, path)
        above = os.path.dirname(folder)
        if above == folder:
            return {**own, **found} if "HOME" in own or "HOME" in found else found
        folder = above


def find_breaking(folder: str) -> dict[str, str]:
    """What a hook cannot be proof against, in the files of a project; each with the file."""
    return {name: path for path in _files(folder) for name in _names_in(path, _BREAKING) if name != ESCAPES}


def _files(folder: str) -> "Iterator[str]":
    for file in FILES:
        if not file.endswith("*"):
            yield os.path.join(folder, file)
            continue
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        yield from (os.path.join(folder, name) for name in names if name.startswith(file[:-1]))


def _running_in(path: str) -> tuple[str, ...]:
    """In an agent's own settings everything that is not known to be harmless, elsewhere what is known not to be."""
    if not path.endswith((*FILES[:3], ".gemini/.env")):
        return _names_in(path, RUNNING)
    text = _read(path)
    if path.endswith(".env"):
        values = _in_lines(text)
    else:
        values = _in_policy(text) if path.endswith(".toml") else _in_settings(text)
    return tuple(name for name, value in values.items() if not _is_harmless(name, value))


def _is_harmless(name: str, value: object) -> bool:
    from planrail.guard.shell.variables import may_export
    from planrail.guard.shell.words import Word

    is_of_agents = name in _OF_AGENTS or name.startswith("ANTHROPIC_")  # keys, addresses and models
    return is_of_agents or may_export(name, Word(str(value)))


def _in_settings(text: str) -> "dict[str, object]":
    """The variables of Claude Code's settings; `env` itself where nobody can say which."""
    from planrail.base.decoding import decode

    try:
        settings = decode(text.removeprefix("\ufeff")) if text.strip() else {}
    except ValueError:
        return {"env": ""}
    variables = settings.get("env") if isinstance(settings, dict) else None
    return variables if isinstance(variables, dict) else {}


def _in_policy(text: str) -> "dict[str, object]":
    if _POLICY not in text and "\\" not in text:
        return {}
    import tomllib  # dear, and rarely needed

    try:
        return dict(_policies(tomllib.loads(text)))
    except (ValueError, RecursionError):
        return {_POLICY: ""}


def _policies(node: object) -> "Iterator[tuple[str, object]]":
    for key, value in node.items() if isinstance(node, dict) else ():
        if key == _POLICY and isinstance(value, dict) and isinstance(value.get("set"), dict):
            yield from value["set"].items()
        yield from _policies(value)


def _in_lines(text: str) -> "dict[str, object]":
    lines = (line.strip().removeprefix("export ").partition("=") for line in text.split("\n"))
    return {name.strip(): value.strip() for name, equals, value in lines if equals and name[:1] != "#"}


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().replace("\0", "")
    except OSError:
        return ""


def _names_in(path: str, names: tuple[str, ...]) -> tuple[str, ...]:
    text = _read(path)
    if path.endswith(".json"):
        found = [name for name in names if (f'"{name}' if name.endswith("_") else f'"{name}"') in text]
    else:
        plain = () if path.endswith(".toml") else _OFTEN_PLAIN
        said = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
        found = [name for name in names if name not in plain and _is_set(name, f" {said} ")]
    return (*found, ESCAPES) if any(escape in text for escape in _ESCAPED) else tuple(found)


def _is_set(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        if text[at - 1] not in _WORD | _READ and (name.endswith("_") or text[at + len(name)] not in _WORD):
            return True
        at = text.find(name, at + 1)
    return False
