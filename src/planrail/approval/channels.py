"""Is there a person at this terminal? Decided from what is known of the processes around this one.

What is found here can only refuse: the name of an agent among the ancestors, a mark that an agent leaves in the
environment, a terminal that belongs to another process. That none is found proves no person: a process of the same user
can make a terminal of its own and leave its ancestors. Only a key that demands presence can tell
(`approval.people.signing`).
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from planrail.agents.drivers import PROGRAMS
from planrail.base.records import record

# Programs that are coding agents, as they are called on disk or call themselves; those that planrail drives are added.
AGENTS = frozenset(
    (
        *("aider", "amp", "auggie", "cline", "codebuff", "copilot", "crush", "cursor-agent", "droid", "goose", "iflow"),
        *("kilocode", "kimi", "kiro-cli", "kiro-cli-chat", "mini-swe-agent", "openhands", "plandex", "qchat", "qodo"),
        *("qwen", "rovodev", "sweagent", *PROGRAMS),
    )
)
# Places where an agent's program lies, whatever its file is called: the packages, and folders of single versions.
_PLACES = (
    *("/@anthropic-ai/", "/@openai/codex", "/@google/gemini-cli", "/@qwen-code/", "/@github/copilot", "/opencode-ai/"),
    *("/@sourcegraph/amp", "/@augmentcode/auggie", "/opencode-linux-", "/opencode-darwin-", "/claude/versions/"),
    *("/cursor-agent/versions/", "/site-packages/aider/", "/site-packages/claude_agent_sdk/"),
)
# Programs that people work in, and that make terminals inside the one that they run in.
_HOMES = frozenset(
    (
        *("tmux", "screen", "zellij", "dtach", "abduco"),
        *("emacs", "emacs-nox", "emacs-gtk", "vim", "vim.basic", "nvim", "kak", "hx", "helix", "mc"),
        *("sudo", "su", "doas", "login", "run0", "ssh", "mosh"),
    )
)
# Variables that agents set for the programs that they start. A name that ends in * is a beginning.
MARKERS = (
    *("AI_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_PID", "CLINE_ACTIVE", "CODEX_CI", "CODEX_SANDBOX*"),
    *("CODEX_THREAD_ID", "COPILOT_CLI", "CURSOR_AGENT", "GEMINI_CLI", "GOOSE_TERMINAL", "OPENCODE", "PLANRAIL_AGENT"),
    "QWEN_CODE",
)
# Commands of planrail that start agents: what runs below them is an agent's, whatever that agent is called.
RUNNERS = frozenset(["author", "heavy", "hook", "mcp", "plan", "refine", "run", "work", "worker"])

_INTERPRETERS = ("node", "nodejs", "bun", "deno", "python", "pypy", "ruby", "sh", "bash", "dash", "zsh", "ksh")
_NODES = ("node", "nodejs", "bun", "deno")
_EVALUATING = ("-e", "-p", "-pe", "--eval", "--print")
_TAKING_VALUES = ("-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "-W", "-X", "-o", "+o")
_MODULES = {"aider": "aider", "minisweagent": "mini-swe-agent", "openhands": "openhands", "sweagent": "sweagent"}
_SUFFIXES = (".js", ".mjs", ".cjs", ".ts", ".py", ".exe")
_OTHER_TERMINAL = "open a terminal of your own, outside any agent, and give the command there"


@record
class ProcessFacts:
    """What is known of one process. What could not be read is empty, or 0."""

    pid: int
    parent: int
    name: str = ""  # as the system calls it, which may be cut short
    program: str = ""  # the path of what it runs
    arguments: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()  # the variables of its environment that agents set
    terminal: str = ""  # its controlling terminal
    session: int = 0


@record
class ChannelRefusal:
    """Why this is no channel for an approval, and what to do."""

    reason: str
    remedy: str


def decide_terminal(lineage: Sequence[ProcessFacts], more_agents: Iterable[str] = ()) -> ChannelRefusal | None:
    """Why no approval may be asked for at the terminal of a process; `lineage` is that process, then its ancestors."""
    if not lineage or not lineage[0].terminal:
        return ChannelRefusal("there is no terminal here, so nobody can be asked", _OTHER_TERMINAL)
    if (agent := find_agent(lineage, more_agents)) is not None:
        return agent
    if lineage[0].session not in (process.pid for process in lineage):
        # it left its ancestors, or hides them, and may still hold the terminal of the person it left
        return ChannelRefusal("this terminal belongs to a process that did not start this command", _OTHER_TERMINAL)
    # A terminal that was made by a program which runs in another one: code that a person runs can type for them.
    # Programs that people live in make terminals as well (editors, and what gives a user another name); they are known.
    pids = [process.pid for process in lineage]
    above = lineage[pids.index(lineage[0].session) + 1 :]
    maker = above[0] if above else None
    if maker is None or maker.terminal in ("", lineage[0].terminal):
        return None
    if {_base(maker.program), _base(maker.name)} & _HOMES:
        return None
    name = _base(maker.program) or maker.name
    said = f"this terminal was made by a program in another one ({name}, process {maker.pid}), which could type for you"
    return ChannelRefusal(said, _OTHER_TERMINAL)


def name_agent(process: ProcessFacts, agents: frozenset[str] = AGENTS) -> str:
    """Which agent a process is, by its file, its own name or the script that it runs; empty where it is none."""
    for called in (process.program, process.name, *process.arguments[:1]):
        if (name := _base(called)) in agents:
            return name
    script = _script(process)
    for path in (process.program, script):
        place = next((place for place in _PLACES if place in f"/{path}/".replace("\\", "/").lower()), None)
        if place is not None:
            return place.strip("/")
    if (name := _base(script)) in agents:
        return name
    for word, command in pairwise(process.arguments[:5]):
        if _base(word) == "planrail":
            return f"planrail {command}" if command in RUNNERS else ""
    return ""


def list_markers(names: Iterable[str]) -> tuple[str, ...]:
    exact = {marker for marker in MARKERS if not marker.endswith("*")}
    starts = tuple(marker[:-1] for marker in MARKERS if marker.endswith("*"))
    return tuple(sorted(name for name in names if name in exact or name.startswith(starts)))


def find_agent(lineage: Sequence[ProcessFacts], more_agents: Iterable[str] = ()) -> ChannelRefusal | None:
    """The agent that a command was started by, if any; the nearest reason first.

    The process itself is planrail: it has no agent's name, but it has an environment.
    """
    agents = AGENTS | {name.strip().lower() for name in more_agents}
    for process in lineage:
        agent = name_agent(process, agents) if process is not lineage[0] else ""
        if agent:
            return ChannelRefusal(
                f"this command was started by an agent ({agent}, process {process.pid})", _OTHER_TERMINAL
            )
        if process.markers:
            whose = "this command has" if process is lineage[0] else f"process {process.pid} above it has"
            said = f"{whose} {process.markers[0]} in its environment, which agents set for what they start"
            return ChannelRefusal(said, _OTHER_TERMINAL)
    return None


def _script(process: ProcessFacts) -> str:
    """The script or module that an interpreter runs; empty where the process is none, or was given a command."""
    program = _base(process.program) or _base(process.arguments[0] if process.arguments else "")
    interpreter = program.rstrip("0123456789.")
    if interpreter not in _INTERPRETERS:
        return ""
    words = iter(process.arguments[1:])
    for word in words:
        is_node, is_short = interpreter in _NODES, word.startswith("-") and not word.startswith("--")
        if word in _EVALUATING if is_node else is_short and word.endswith(("c", "e")):  # `bash -lc`: no file follows
            return ""
        if word == "-m" and not is_node:
            module = next(words, "").split(".")[0]
            return _MODULES.get(module, module)
        if word in _TAKING_VALUES:
            next(words, "")
        elif not word.startswith("-") and word != "run":
            return word
    return ""


def _base(path: str) -> str:
    name = path.rsplit("/", 1)[-1].lstrip("-").lower().removesuffix(" (deleted)")
    suffix = next((suffix for suffix in _SUFFIXES if name.endswith(suffix)), "")
    return name.removesuffix(suffix)
