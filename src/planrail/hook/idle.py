"""The first look at an event: does it concern planrail at all?

Most events come from sessions that have no plan. This module answers for those, and imports nothing for it: the
interpreter takes ten milliseconds, and this must not add three. `plugin/hooks/planrail-hook` applies the same rules in
`sh`, where no session is active at all; a test holds the two against each other.
"""

import posix
import sys

from planrail.hook import AGENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TAIL = 131_072  # bytes of a transcript: the newest usage is in there, but for a giant last line
_CHUNK = 1 << 16
# Anything in a prompt that could be a command or a phrase of `hook.sessions.triggers`.
_PROMPT_WORDS = (b"plan", b"reload", b"progress", b"/approve")
_CONTEXT_NAMES = (b"PLAN_CONTEXT_WARNING_PCT", b"PLAN_CONTEXT_CRITICAL_PCT", b"CONTEXT_WINDOW_TOKENS")
_TICKET = ".ticket"
_USAGE = 1
_DENIED = 2
_seen: list[bytes] = []  # the event, for the case that everything else breaks down
_DAY = 86_400
_SAFE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_PROMPTS = (b"UserPromptSubmit", b"BeforeAgent", b"chat.message")
_STOPS = (b"Stop", b"AfterAgent", b"session.idle")
_TURNS = (b"UserPromptSubmit", b"PreToolUse")  # where Codex's own plan mode is entered
_STARTS = (b"SessionStart", b"session.created")
_ENDS = (b"SessionEnd",)
_FORGETTING = (b"clear", b"compact")  # after which an agent knows nothing any more
_ALWAYS = (b"StatusLine",)
_COUNTS = (b'input_tokens"', b'"input"', b'"total')
_SIDE_CHAIN = (b'"isSidechain":true', b'"isSidechain": true')
_HALF = 100_000  # tokens: half of the smallest window that is common
_NEWEST = 40  # counts; an answer has up to five
_TOGETHER = 500  # bytes: as far as the counts of one answer reach


def run(arguments: list[str]) -> int:
    """Answer one event: `AGENT [EVENT]`, the agent's JSON on standard input."""
    agent = arguments[0] if arguments else ""
    if agent not in AGENTS:
        sys.stderr.write(f"planrail: there is no agent {agent!r}; use one of: {', '.join(AGENTS)}\n")
        return _USAGE
    data = _read(0)
    _seen.append(data)
    environment = posix.environ
    environment[b"HOME"] = _home(environment)  # also for what is started from here
    folder = state_folder(environment)
    if is_idle(agent, data, folder, environment):
        return 0
    import gc

    gc.disable()  # the process is gone before there is anything to collect
    from planrail.hook.process import answer

    return answer(agent, arguments[1] if len(arguments) > 1 else "", data, folder, field_of)


def state_folder(environment: "Mapping[bytes, bytes]") -> str:
    """As `planrail.base.state_folder`, without importing `os`."""
    moved = _text(environment.get(b"PLANRAIL_STATE_DIR") or b"")
    if moved:
        return moved if moved.startswith("/") else f"{_text(_home(environment))}/{moved}"
    base = _text(environment.get(b"XDG_STATE_HOME") or b"")
    return f"{base}/planrail" if base.startswith("/") else f"{_text(_home(environment))}/.local/state/planrail"


def is_idle(agent: str, data: bytes, folder: str, environment: "Mapping[bytes, bytes]") -> bool:
    """Whether an event is nothing to planrail. Whatever looks odd is not idle: the next step has a closer look."""
    session = field_of(data, b"session_id") or field_of(data, b"sessionID")
    name = field_of(data, b"hook_event_name")
    if not session or not name or name in _ALWAYS:
        return False
    if not _SAFE.issuperset(session) or len(session) > 120 or session.startswith(b"."):
        return False  # the store gives such an id another name
    if _exists(f"{folder}/sessions/{agent}/{_text(session)}.json"):
        return False
    if field_of(data, b"permission_mode") == b"plan" or b"EnterPlanMode" in data or b"enter_plan_mode" in data:
        return False
    if agent == "codex" and name in _TURNS and _is_plan_turn(data):
        return False
    if name not in _ENDS and _is_successor(agent, folder, environment):
        return False
    if name in _STARTS:
        return not _start_matters(agent, session, data, folder, environment)
    if name in _ENDS:
        return field_of(data, b"reason") != b"clear" or not _has_ticket(f"{folder}/sessions/{agent}")
    if name in _PROMPTS and any(word in data[data.find(b'"prompt"') :].lower() for word in _PROMPT_WORDS):
        return False
    if name in _PROMPTS or name in _STOPS:
        return not _may_be_full(data, environment, is_stop=name in _STOPS)
    return True


def _start_matters(agent: str, session: bytes, data: bytes, folder: str, environment: "Mapping[bytes, bytes]") -> bool:
    """A session that begins may be one that is resumed, or come after a clear; or it is time to forget old ones."""
    if _exists(f"{folder}/ended/{agent}/{_text(session)}.json") or _has_old(f"{folder}/sessions/{agent}"):
        return True
    source = field_of(data, b"source")
    if source in (b"fork", b"resume") or field_of(data, b"model").lower().endswith(b"[1m]"):
        return True  # it may be branched off from one that plans; and no transcript tells of a large window
    if source == b"clear" and _has_ticket(f"{folder}/sessions/{agent}"):
        return True
    return (source in _FORGETTING and _is_primed(data, folder)) or bool(_settings_files(data, environment))


def _is_plan_turn(data: bytes) -> bool:
    transcript = field_of(data, b"transcript_path")
    if b"\\" in transcript:
        return True
    from planrail.hook.turns import is_plan_turn

    return is_plan_turn(_text(transcript))


def _is_successor(agent: str, folder: str, environment: "Mapping[bytes, bytes]") -> bool:
    """Whether the agent's process had another session before this one, which has a plan or left it in a ticket."""
    number = environment.get(b"CLAUDE_PID", b"") if agent == "claude" else b""
    if not number:
        return False
    place, mark = f"{folder}/sessions/{agent}", b'"process":"' + number + b":"
    try:
        names = posix.listdir(place)
    except OSError:
        return False
    return any(mark in _contents(f"{place}/{name}", 1 << 20) for name in names if _TICKET in name or name[:1] != ".")


def _has_ticket(folder: str) -> bool:
    try:
        return any(name.endswith(_TICKET) for name in posix.listdir(folder))
    except OSError:
        return False


def _is_primed(data: bytes, folder: str) -> bool:
    """Whether this project has open tasks, of which a session that lost its context is told."""
    try:
        if all(name.startswith(".") for name in posix.listdir(f"{folder}/primed")):
            return False
    except OSError:
        return False
    cwd = field_of(data, b"cwd")
    if not cwd or b"\\" in cwd:
        return True
    from planrail.base.primed import find_place, primed_path

    return _exists(primed_path(folder, find_place(_text(cwd))))


def _has_old(folder: str) -> bool:
    import time

    try:
        return any(time.time() - posix.stat(f"{folder}/{name}").st_mtime > _DAY for name in posix.listdir(folder))
    except OSError:
        return False


def _may_be_full(data: bytes, environment: "Mapping[bytes, bytes]", *, is_stop: bool) -> bool:
    """Whether the window could be half full: settings of its own, or large counts at the end of the transcript."""
    if any(name in environment for name in _CONTEXT_NAMES):
        return True
    if any(b"context" in _contents(path) for path in _settings_files(data, environment)):
        return True
    transcript = field_of(data, b"transcript_path")
    if b"\\" in transcript:
        return True
    tail = _contents(_text(transcript), _TAIL) if transcript else b""
    largest = _largest_count(tail)
    # Nothing counted behind one giant line, at the first stop of all (its message is written a moment later), or a
    # window that the agent names itself, leave it open.
    is_open = not largest and bool(tail) and (is_stop or len(tail) == _TAIL)
    return largest >= _HALF or is_open or b'"model_context_window"' in tail


def _largest_count(text: bytes) -> int:
    """The largest of the newest counts of tokens (all agents' names for them), those of one answer added up.

    Several are looked at, since the newest may be empty: an agent's note of an error has counts as well. Those of a
    side chain say nothing about this window.
    """
    largest = 0
    for word in _COUNTS:
        end = len(text)
        for _ in range(_NEWEST):
            end = text.rfind(word, 0, end)
            if end < 0:
                break
            first, last = text.rfind(b"\n", 0, end) + 1, text.find(b"\n", end)
            answer = text[end : end + _TOGETHER].partition(b"\n")[0]
            if all(text.find(mark, first, last) < 0 for mark in _SIDE_CHAIN):
                counts = [part[:24].partition(b":")[2].lstrip() for part in answer.split(word)[1:]]
                numbers = [count[: len(count) - len(count.lstrip(b"0123456789"))] for count in counts]
                largest = max(largest, sum(int(number or 0) for number in numbers))
    return largest


def _settings_files(data: bytes, environment: "Mapping[bytes, bytes]") -> list[str]:
    """The settings that could say something about this session: the user's, and the first above its folder."""
    config = environment.get(b"XDG_CONFIG_HOME")
    base = _text(config) if config else f"{_text(_home(environment))}/.config"
    found = [path for path in (f"{base}/planrail/planrail.toml",) if _exists(path)]
    folder = _text(field_of(data, b"cwd"))
    while folder.startswith("/"):
        path = f"{folder.rstrip('/')}/planrail.toml"
        if _exists(path):
            return [*found, path]
        if folder == "/":
            break
        folder = folder.rpartition("/")[0] or "/"
    return found


def field_of(data: bytes, name: bytes) -> bytes:
    """The text of the first field with this name, as it is written; empty where there is none."""
    start = data.find(b'"' + name + b'"')
    if start < 0:
        return b""
    rest = data[start + len(name) + 2 : start + len(name) + 4_200].lstrip(b" \t\r\n")
    value = rest[1:].lstrip(b" \t\r\n")
    return value[1 : value.find(b'"', 1)] if rest[:1] == b":" and value[:1] == b'"' else b""


def _home(environment: "Mapping[bytes, bytes]") -> bytes:
    home = environment.get(b"HOME")
    if not home:
        import pwd  # for the rare agent that runs without

        home = pwd.getpwuid(posix.getuid()).pw_dir.encode("utf-8", "surrogateescape")
    return home


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _exists(path: str) -> bool:
    try:
        posix.stat(path)
    except OSError as error:  # any other: something is there that cannot be looked at
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True


def _contents(path: str, tail: int = _CHUNK) -> bytes:
    """The end of a file; nothing where it cannot be read."""
    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        size = posix.fstat(descriptor).st_size
        return posix.pread(descriptor, tail, max(0, size - tail))
    except OSError:
        return b""
    finally:
        posix.close(descriptor)


def _read(descriptor: int) -> bytes:
    parts = []
    while part := posix.read(descriptor, _CHUNK):
        parts.append(part)
    return b"".join(parts)


def main() -> None:
    """The hook as a program. It leaves without taking the interpreter apart, which would cost a millisecond."""
    try:
        code = run(sys.argv[1:])
    except BaseException as error:  # nothing may end as a traceback that an agent takes for consent
        sys.stderr.write(f"planrail: the hook failed: {type(error).__name__}: {error}\n")
        # A denial although no session is known, where the agent itself says that it plans.
        data = b"".join(_seen)
        is_tool = field_of(data, b"hook_event_name") == b"PreToolUse"
        code = _DENIED if is_tool and field_of(data, b"permission_mode") == b"plan" else _USAGE
    sys.stderr.flush()
    posix._exit(code)
