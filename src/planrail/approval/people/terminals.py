"""The terminal of the person who is asked: `/dev/tty`, so that neither a pipe nor what was typed before can answer. The
processes above this one, read from `/proc` where there is one, else from `ps`.
"""

import contextlib
import os
import pwd
import shlex
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Mapping

from planrail.approval import channels
from planrail.approval.channels import ChannelRefusal, ProcessFacts, decide_terminal, list_markers
from planrail.base.errors import PlanrailError, ToolFailed, UsageError, refused_as
from planrail.base.records import replace
from planrail.base.visible import show_text
from planrail.base.whole_files import read_whole


def open_in_editor(path: str) -> None:
    """Open a file in the user's editor: no shell in between, and only where there is a person to edit."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PlanrailError("an editor needs a terminal, and this is none", remedy=f"edit it yourself: {path}")
    command = decide_editor(os.environ)
    with refused_as(f"{command[0]} cannot be started", "set VISUAL or EDITOR"):
        code = subprocess.run([*command, path], check=False).returncode
    if code:
        raise ToolFailed(f"{command[0]} ended with {code}", remedy=f"see whether the plan is as you want it: {path}")


def decide_editor(environment: Mapping[str, str]) -> list[str]:
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        command = shlex.split(named)
    except ValueError as error:
        raise UsageError(f"the editor {named!r} is badly quoted: {error}", remedy="correct VISUAL or EDITOR") from error
    if not command:
        raise UsageError("no editor is known", remedy="export EDITOR=nano")
    return command


_SECONDS = 20
_LONGEST_ANSWER = 4096  # bytes; as much as a terminal takes for one line


class PersonalTerminal:
    """A person at a terminal, as far as that can be told. Closed by `close`, or at the end of a `with` block."""

    def __init__(self, descriptor: int, who: str) -> None:
        self._descriptor, self.who = descriptor, who

    def ask(self, prompt: str) -> str:
        """One line that is typed after the prompt is shown. Empty at the end of input, or where nobody can answer."""
        with contextlib.suppress(OSError, termios.error), _by_lines(self._descriptor):
            termios.tcflush(self._descriptor, termios.TCIFLUSH)  # before the prompt: a quick answer to it counts
            self.say(prompt, end="")
            return os.read(self._descriptor, _LONGEST_ANSWER).decode("utf-8", "replace").strip()
        return ""

    def say(self, text: str, *, end: str = "\n") -> None:
        """Show a text. What comes from a document cannot steer the terminal, and hides nothing."""
        rest = (show_text(text) + end).encode("utf-8", "replace")
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> "PersonalTerminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_terminal(environment: Mapping[str, str], more_agents: Iterable[str] = ()) -> PersonalTerminal | ChannelRefusal:
    """The terminal of the person who gave this command, or why there is none that counts."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        descriptor = None
    lineage = _with_own(list_lineage(), environment, has_terminal=descriptor is not None)
    refusal = decide_terminal(lineage, more_agents)
    if descriptor is not None and refusal is None:
        return PersonalTerminal(descriptor, read_who(environment))
    if descriptor is not None:
        os.close(descriptor)
    assert refusal is not None  # a process whose terminal does not open is refused
    return refusal


def find_agent(environment: Mapping[str, str], more_agents: Iterable[str] = ()) -> ChannelRefusal | None:
    """The agent that this command was started by, if any: what it types is no person's word."""
    return channels.find_agent(_with_own(list_lineage(), environment, has_terminal=False), more_agents)


def read_who(environment: Mapping[str, str]) -> str:
    """Who this is: the login name as the system has it, and the e-mail of the user's own git settings."""
    command = ["git", "config", "--global", "--get", "user.email"]
    name, given, email = read_login(), {"env": dict(environment), "cwd": "/", "timeout": _SECONDS}, ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, **given)  # type: ignore[call-overload]
        email = done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
    return f"{name} <{email}>" if email and email.isprintable() else name


def read_login() -> str:
    """The name of the user that this process belongs to; no variable can change it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


@contextlib.contextmanager
def _by_lines(descriptor: int) -> Iterator[None]:
    """Let the terminal give whole lines, whatever a program before has left it in: one stray key is no answer."""
    before = termios.tcgetattr(descriptor)
    usual = [before[0] | termios.ICRNL, *before[1:3], before[3] | termios.ICANON | termios.ECHO | termios.ISIG]
    termios.tcsetattr(descriptor, termios.TCSANOW, [*usual, *before[4:]])
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _with_own(lineage: list[ProcessFacts], environment: Mapping[str, str], *, has_terminal: bool) -> list[ProcessFacts]:
    """What this process knows of itself better than the system: its environment, and whether its terminal opens."""
    if not lineage:
        return []
    own = lineage[0]
    markers = list_markers(name for name, value in environment.items() if value)
    terminal = (own.terminal or "tty") if has_terminal else ""
    return [replace(own, markers=markers or own.markers, terminal=terminal), *lineage[1:]]


_DEEPEST = 1000  # ancestors; far beyond any real tree
_FIELDS = ("pid=", "ppid=", "tty=", "comm=")


def list_lineage() -> list[ProcessFacts]:
    """This process and its ancestors, as far up as they can be seen."""
    look = read_process if os.path.exists("/proc/self/stat") else list_by_ps().get
    found: list[ProcessFacts] = []
    seen, following = {0}, os.getpid()
    while following not in seen and len(found) < _DEEPEST:
        facts = look(following)
        if facts is None:
            break
        seen.add(following)
        found.append(facts)
        following = facts.parent
    return found


def read_process(pid: int) -> ProcessFacts | None:
    """What `/proc` tells of a process; None where it is gone, or hidden from this user."""
    stat = _read(f"/proc/{pid}/stat")
    name, closing, rest = stat.partition(" (")[2].rpartition(") ")
    fields = rest.split()
    if not closing or len(fields) < 5:
        return None
    parent, session, device = int(fields[1]), int(fields[3]), int(fields[4])
    major, minor = (device >> 8) & 0xFFF, (device & 0xFF) | ((device >> 12) & 0xFFF00)
    terminal = f"pts/{minor + 256 * (major - 136)}" if 136 <= major <= 143 else f"tty {major}:{minor}"
    try:
        program = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        program = ""
    variables = (entry.partition("=") for entry in _read(f"/proc/{pid}/environ").split("\0"))
    arguments = tuple(_read(f"/proc/{pid}/cmdline").removesuffix("\0").split("\0"))
    markers = list_markers(name for name, _, value in variables if value)
    return ProcessFacts(pid, parent, name, program, arguments, markers, terminal if device else "", session)


def list_by_ps() -> dict[int, ProcessFacts]:
    """All processes as `ps` shows them. It shows no environments, and an argument with a space as two."""
    arguments = {int(pid): tuple(words) for pid, *words in (line.split() for line in _ask_ps("pid=", "args="))}
    found = {}
    for facts in filter(None, map(parse_ps_line, _ask_ps(*_FIELDS))):
        session = 0
        with contextlib.suppress(OSError):
            session = os.getsid(facts.pid)
        found[facts.pid] = replace(facts, arguments=arguments.get(facts.pid, ()), session=session)
    return found


def parse_ps_line(line: str) -> ProcessFacts | None:
    """One line of `ps -o pid=,ppid=,tty=,comm=`; the last field may hold spaces, and is a path on some systems."""
    fields = line.split(None, 3)
    if len(fields) < 4 or not (fields[0].isdigit() and fields[1].isdigit()):
        return None
    pid, parent, terminal, command = int(fields[0]), int(fields[1]), fields[2], fields[3].strip()
    program = command if "/" in command else ""
    name = command.rsplit("/", 1)[-1]
    return ProcessFacts(pid, parent, name, program, terminal="" if terminal.startswith("?") else terminal)


def _ask_ps(*fields: str) -> list[str]:
    columns = [word for field in fields for word in ("-o", field)]
    command = ["/bin/ps", "-A", "-ww", *columns]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [line for line in os.fsdecode(done.stdout).split("\n") if line.strip()]


def _read(path: str) -> str:
    return os.fsdecode(read_whole(path) or b"")
