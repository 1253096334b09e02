"""One agent process: lines out, lines in, errors apart, a limit of time, and an end that leaves nothing behind.

One thread does all the reading and writing, so no pipe can fill up while another is waited for.
"""

import os
import select
import subprocess
import time
import uuid
from collections import deque

from planrail.agents.trees import MARK, end_tree, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CHUNK = 1 << 18
_TAIL = 8_000  # bytes of the errors that are kept
_LOOK = 0.2  # seconds between two looks at whether the process still lives: a pipe may be held open by others
_IN, _OUT, _ERR = b"> ", b"< ", b"! "


class Clock:
    """Counts down the seconds of an assignment; a person who thinks about an answer stops it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left."""
        return self._end - time.monotonic()

    def limit(self, seconds: float) -> None:
        """At most so much is left from now on."""
        self._end = min(self._end, time.monotonic() + seconds)

    def give_back(self, seconds: float) -> None:
        """Time that somebody else took."""
        self._end += seconds


class Lines:
    """Puts lines together from chunks. Each byte is looked at once, however long the line is."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, chunk: bytes) -> "Iterator[bytes]":
        """The lines that this chunk completes."""
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            yield b"".join([*self._begun, line])
            self._begun = []
        if rest:
            self._begun.append(rest)

    def rest(self) -> bytes:
        """A last line without its end."""
        return b"".join(self._begun)


class AgentProcess:
    """A process in a session of its own: what is typed at our terminal does not reach it."""

    def __init__(
        self, command: list[str], folder: str, environment: "Mapping[str, str]", clock: Clock, log: str = ""
    ) -> None:
        """Start it; OSError where it cannot be."""
        self._mark = uuid.uuid4().hex
        self._clock = clock
        self._log = _open_log(log)
        self._pending: deque[bytes] = deque()
        self._closes = self._is_finishing = False
        self._errors = b""
        self.was_stopped = self.timed_out = False
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, MARK: self._mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._in, self._out, self._err = self._process.stdin, self._process.stdout, self._process.stderr
        os.set_blocking(self._in.fileno(), False)

    @property
    def errors(self) -> str:
        """The end of what the process said on its error stream."""
        return self._errors.decode(errors="replace").strip()

    def send(self, text: str) -> None:
        """Say this to the process, as soon as it listens."""
        data = text.encode(errors="replace")
        self._write_log(_IN, data)
        self._pending.append(data)

    def close_input(self) -> None:
        """Nothing more will be said, once what is pending has been."""
        self._closes = True

    def finish(self, seconds: float) -> None:
        """The work is done: the process gets so long to end by itself, and no blame if it does not."""
        self.close_input()
        self._is_finishing = True
        self._clock.limit(seconds)

    def lines(self) -> "Iterator[bytes]":
        """What the process says, line by line; ends with the process, at a stop, or when the time is over."""
        lines, open_pipes = Lines(), {self._out.fileno(), self._err.fileno()}
        while not self.was_stopped:
            if self._clock.left() <= 0:
                self.timed_out = not self._is_finishing
                return
            is_over = self._process.poll() is not None
            chunks = self._exchange(open_pipes, 0.0 if is_over else min(_LOOK, self._clock.left()))
            for line in lines.feed(chunks):
                self._write_log(_OUT, line)
                yield line
            if is_over and not chunks:
                break
        if lines.rest():
            yield lines.rest()

    def _exchange(self, open_pipes: set[int], seconds: float) -> bytes:
        """Write and read whatever can be now, waiting at most so long; what was read from the output."""
        self._settle_input()
        poll = select.poll()
        for pipe in open_pipes:
            poll.register(pipe, select.POLLIN)
        if self._pending:
            poll.register(self._in.fileno(), select.POLLOUT)
        if not open_pipes and not self._pending:
            time.sleep(min(seconds, 0.05))
        ready = [pipe for pipe, _ in poll.poll(max(0, int(seconds * 1000)))] if open_pipes or self._pending else []
        read = b""
        for pipe in ready:
            if pipe not in open_pipes:
                self._write()
            elif chunk := os.read(pipe, _CHUNK):
                read += chunk if pipe == self._out.fileno() else self._keep_errors(chunk)
            else:
                open_pipes.discard(pipe)
        return read

    def _settle_input(self) -> None:
        if self._closes and not self._pending and not self._in.closed:
            self._in.close()

    def _write(self) -> None:
        """As much as the pipe takes. A process that no longer listens loses what it would not hear."""
        data = self._pending.popleft()
        try:
            written = os.write(self._in.fileno(), data[:_CHUNK])
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._pending.clear()
            self._closes = True
            return
        if data[written:]:
            self._pending.appendleft(data[written:])

    def _keep_errors(self, chunk: bytes) -> bytes:
        self._write_log(_ERR, chunk.rstrip(b"\n"))
        self._errors = (self._errors + chunk)[-_TAIL:]
        return b""

    def _write_log(self, sign: bytes, data: bytes) -> None:
        if self._log is not None:
            os.write(self._log, sign + data.rstrip(b"\n") + b"\n")

    def stop(self) -> None:
        """End the process and everything that it started; from any thread."""
        self.was_stopped = True
        end_tree(self._process.pid, self._mark)

    def end(self) -> int:
        """Let nothing be left of the process, and say with which code it ended."""
        if self._process.poll() is None or tree(self._process.pid, self._mark):
            end_tree(self._process.pid, self._mark)
        code = self._process.wait()
        for pipe in (self._out, self._err):
            pipe.close()
        if not self._in.closed:
            self._in.close()
        if self._log is not None:
            os.close(self._log)
            self._log = None
        return code


def _open_log(path: str) -> int | None:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600) if path else None
