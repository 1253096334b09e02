"""The first look at an event: does it concern planrail at all?

Most events come from sessions that have no plan. This module answers for those, and imports nothing for it: the
interpreter takes ten milliseconds, and this must not add three. `plugin/hooks/planrail-hook` applies the same rules in
`sh`, where no session is active at all; a test holds the two against each other.
"""

import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TAIL = 262_144  # bytes of a transcript: the newest usage is in there, but for a giant last line
_CHUNK = 1 << 16
# Anything in a prompt that could be a command or a phrase of `sessions.triggers`.
_PROMPT_WORDS = (b"plan", b"reload", b"progress", b"/approve")
_CONTEXT_NAMES = (b"PLAN_CONTEXT_WARNING_PCT", b"PLAN_CONTEXT_CRITICAL_PCT", b"CONTEXT_WINDOW_TOKENS")
_PROMPTS = (b"UserPromptSubmit", b"BeforeAgent", b"chat.message")
_STOPS = (b"Stop", b"AfterAgent", b"session.idle")
_STARTS = (b"SessionStart",)
_ALWAYS = (b"StatusLine",)
# A third of half of the smallest window that is common (200,000): below it no sum of three counts can be half.
_LARGE = 30_000


def run(arguments: list[str]) -> int:
    """Answer one event: `AGENT [EVENT]`, the agent's JSON on standard input."""
    agent = arguments[0] if arguments else ""
    data = _read(0)
    environment = posix.environ
    folder = state_folder(environment)
    if is_idle(agent, data, folder, environment):
        return 0
    from planrail.hook.process import answer

    return answer(agent, arguments[1] if len(arguments) > 1 else "", data, folder)


def state_folder(environment: "Mapping[bytes, bytes]") -> str:
    """As `planrail.state_folder`, without importing `os`."""
    moved = environment.get(b"PLANRAIL_STATE_DIR")
    if moved:
        text = _text(moved)
        return text if text.startswith("/") else f"{posix.getcwd()}/{text}"
    base = environment.get(b"XDG_STATE_HOME")
    return f"{_text(base)}/planrail" if base else f"{_text(_home(environment))}/.local/state/planrail"


def is_idle(agent: str, data: bytes, folder: str, environment: "Mapping[bytes, bytes]") -> bool:
    """Whether an event is nothing to planrail. Whatever looks odd is not idle: the next step has a closer look."""
    session = _field(data, b"session_id") or _field(data, b"sessionID")
    name = _field(data, b"hook_event_name")
    if not session or not name or b"\\" in session or name in _ALWAYS:
        return False
    if _exists(f"{folder}/sessions/{agent}/{_text(session)}.json"):
        return False
    if _field(data, b"permission_mode") == b"plan" or b"EnterPlanMode" in data or b"enter_plan_mode" in data:
        return False
    if name in _STARTS:
        return not _start_matters(agent, data, folder, environment)
    if name in _PROMPTS and _has_command(data):
        return False
    if name in _PROMPTS or name in _STOPS:
        return not _may_be_full(data, environment)
    return True


def _start_matters(agent: str, data: bytes, folder: str, environment: "Mapping[bytes, bytes]") -> bool:
    """A session that begins may be one that is resumed, or come after a clear; or the settings have a word for it."""
    if _exists(f"{folder}/ended/{agent}") and _field(data, b"source") != b"startup":
        return True
    if _field(data, b"source") == b"clear" and _has_ticket(f"{folder}/sessions/{agent}"):
        return True
    return bool(_settings_files(data, environment))


def _has_ticket(folder: str) -> bool:
    try:
        return any(name.endswith(".ticket") for name in posix.listdir(folder))
    except OSError:
        return False


def _has_command(data: bytes) -> bool:
    prompt = data[data.find(b'"prompt"') :].lower()
    return any(word in prompt for word in _PROMPT_WORDS)


def _may_be_full(data: bytes, environment: "Mapping[bytes, bytes]") -> bool:
    """Whether the window could be half full: settings of its own, or large counts at the end of the transcript."""
    if any(name in environment for name in _CONTEXT_NAMES):
        return True
    if any(b"[context]" in _contents(path) for path in _settings_files(data, environment)):
        return True
    transcript = _field(data, b"transcript_path")
    if b"\\" in transcript:
        return True
    return bool(transcript) and _has_large_count(_contents(_text(transcript), _TAIL))


def _has_large_count(text: bytes) -> bool:
    """Whether some `…input…": N` or `…total…": N` is large: the names that all agents' counts of tokens have."""
    for word in (b'input_tokens"', b'"input"', b'"total'):
        start = text.find(word)
        while start >= 0:
            digits = text[start + len(word) : start + len(word) + 24].partition(b":")[2].lstrip()
            number = digits[: len(digits) - len(digits.lstrip(b"0123456789"))]
            if number and int(number) >= _LARGE:
                return True
            start = text.find(word, start + 1)
    return False


def _settings_files(data: bytes, environment: "Mapping[bytes, bytes]") -> list[str]:
    """The settings that could say something about this session: the user's, and the first above its folder."""
    config = environment.get(b"XDG_CONFIG_HOME")
    base = _text(config) if config else f"{_text(_home(environment))}/.config"
    found = [path for path in (f"{base}/planrail/planrail.toml",) if _exists(path)]
    folder = _text(_field(data, b"cwd"))
    while folder.startswith("/"):
        path = f"{folder.rstrip('/')}/planrail.toml"
        if _exists(path):
            return [*found, path]
        if folder == "/":
            break
        folder = folder.rpartition("/")[0] or "/"
    return found


def _field(data: bytes, name: bytes) -> bytes:
    """The text of the first field with this name, as it is written; empty where there is none."""
    start = data.find(b'"' + name + b'"')
    if start < 0:
        return b""
    rest = data[start + len(name) + 2 : start + len(name) + 4_200].lstrip(b" \t\r\n")
    if rest[:1] != b":":
        return b""
    rest = rest[1:].lstrip(b" \t\r\n")
    if rest[:1] != b'"':
        return b""
    return rest[1 : rest.find(b'"', 1)]


def _home(environment: "Mapping[bytes, bytes]") -> bytes:
    return environment.get(b"HOME") or b"/"


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _exists(path: str) -> bool:
    try:
        posix.stat(path)
    except OSError:
        return False
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
        code = 1
    sys.stderr.flush()
    posix._exit(code)
