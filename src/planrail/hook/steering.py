"""Which variables that planrail believes do a project's own files set for its agent?

A repository can carry an agent's settings, and those set the environment of its hooks. What such a file sets is taken
for unset: where state, settings and interpreter are is the user's to say. `plugin/hooks/planrail-hook` does it for the
hooks that agents start; this is the same look for `planrail hook` and `planrail doctor`.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
_BREAKING = (
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "SHELLOPTS",
    "BASH_FUNC_",
)
# By these a command that only reads runs what they name, or what stands where they lead. With `_` at its end: any rest.
RUNNING = (
    *_BREAKING,
    *("HOME", "PATH", "XDG_CONFIG_HOME", "ZDOTDIR", "BASHOPTS", "PS4", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE"),
    *("GIT_EXTERNAL_DIFF", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_", "GIT_DIR", "GIT_COMMON_DIR"),
    *(
        "GIT_WORK_TREE",
        "GIT_EXEC_PATH",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "GIT_PAGER",
    ),
    *(
        "GIT_EDITOR",
        "TAR_OPTIONS",
        "RIPGREP_CONFIG_PATH",
        "NODE_OPTIONS",
        "PYTHONSTARTUP",
        "PYTHONPATH",
        "PERL5OPT",
        "RUBYOPT",
    ),
    *("DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ENV"),
)
# In a file of variables these are everyday: the name of a stage, where modules lie, how much memory there is.
_OFTEN_PLAIN = ("ENV", "PYTHONPATH", "NODE_OPTIONS")
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_READ = frozenset("${")  # before a name, they read it
ESCAPES = "escapes"
_ESCAPED = ("\\u004", "\\u005", "\\U0000004", "\\U0000005")  # a capital letter or `_`, which nobody writes like this


def find_steering(folder: str, home: str, names: tuple[str, ...] = (*NAMES, *MARKS)) -> dict[str, str]:
    """The names that files of this folder, or of one above it, set; each with the file. The user's home is theirs."""
    found: dict[str, str] = {}
    own: dict[str, str] = {}
    while True:
        here = own if folder == home else found
        for path in _files(folder):
            for name in _names_in(path, names):
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


def _names_in(path: str, names: tuple[str, ...]) -> tuple[str, ...]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read().replace("\0", "")
    except OSError:
        return ()
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
