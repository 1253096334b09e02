"""One agent process: lines out, lines in, errors apart, a limit of time, and an end that leaves nothing behind.

One thread does all the reading and writing, so no pipe can fill up while another is waited for.
"""

import os
import select
import time
from collections.abc import Iterator, Mapping

from planrail.agents.model import Asked, Denied, Event, Outcome, Said, Used
from planrail.agents.processes.trees import MARK, ChildProcess, end_tree, is_anybody_left, spawn, watch
from planrail.base.decoding import decode, encode
from planrail.base.masked_stream import MaskedStream
from planrail.base.records import replace
from planrail.base.secret_signs import has_signs, secret_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.base.masking import MaskedLines

_LONGEST_LOG = 100 << 20  # bytes: an agent that prints without end must not fill the disk


class Masking:
    """Masks events and outcomes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._known = secret_values(environment)
        self._lines: MaskedLines | None = None

    def mask_event(self, event: Event) -> Event:
        """The event without secrets; a private key may go on from one message to the next."""
        if isinstance(event, Said) and (self._lines is not None or has_signs(event.text, self._known)):
            from planrail.base.masking import MaskedLines

            self._lines = self._lines or MaskedLines(self._known)  # nothing goes on from a text that has no signs
            return replace(event, text=self._lines.mask(event.text))
        if isinstance(event, Used | Denied):
            told = "detail" if isinstance(event, Used) else "reason"
            return replace(event, **{name: self._mask(getattr(event, name)) for name in (told, "command")})
        if isinstance(event, Asked):
            return Asked(tuple(replace(one, text=self._mask(one.text)) for one in event.questions))
        return event

    def mask_outcome(self, outcome: Outcome) -> Outcome:
        masked = replace(outcome, text=self._mask(outcome.text), error=self._mask(outcome.error))
        if not outcome.structured:
            return masked
        return replace(masked, structured=encode(self._mask_value(decode(outcome.structured))))

    def _mask_value(self, value: object) -> object:
        if isinstance(value, dict):
            return {name: self._mask_value(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._mask_value(part) for part in value]
        return self._mask(value) if isinstance(value, str) else value

    def _mask(self, text: str) -> str:
        if not has_signs(text, self._known):
            return text
        from planrail.base.masking import mask  # ten milliseconds of expressions

        return mask(text, self._known)


class AgentLog:
    """All that is said, each part with a sign of who says it. What it is given has no secrets any more."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600) if path else -1
        self._size = 0

    def add(self, sign: bytes, data: bytes) -> None:
        """A log that cannot be written (the disk is full) is a pity, and no reason to end the work."""
        if self._file < 0 or not data or self._size > _LONGEST_LOG:
            return
        self._size += len(data)
        kept = data.rstrip(b"\n") if self._size <= _LONGEST_LOG else b"the log ends here; the work goes on"
        try:
            os.write(self._file, sign + kept + b"\n")
        except OSError:
            return

    def close(self) -> None:
        """Nothing more is said; more than once does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_CHUNK = 1 << 18
_TAIL = 8_000  # bytes of the errors that are kept
_LOOK = 0.2  # seconds between two looks at whether it was stopped, or has ended: a pipe may be held open by others
_SHORT = 0.02  # the same where there is nothing else to wait for
_IN, _OUT, _ERR = b"> ", b"< ", b"! "


class Clock:
    """Counts down the seconds of an assignment; a person who thinks about an answer stops it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self._seconds

    def left(self) -> float:
        return self._end - time.monotonic()

    def limit(self, seconds: float) -> None:
        self._end = min(self._end, time.monotonic() + seconds)

    def give_back(self, seconds: float) -> None:
        self._end += seconds


class Lines:
    """Puts lines together from chunks. Each byte is looked at once, however long the line is."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            yield b"".join([*self._begun, line])
            self._begun = []
        if rest:
            self._begun.append(rest)

    def rest(self) -> bytes:
        return b"".join(self._begun)


class AgentProcess:
    """A process in a session of its own: what is typed at our terminal does not reach it."""

    def __init__(
        self,
        command: list[str],
        folder: str,
        environment: Mapping[str, str],
        clock: Clock,
        log: str = "",
        mark: str = "",
    ) -> None:
        """Start it; OSError where it cannot be. All its descendants carry the mark."""
        self._mark = mark or os.urandom(16).hex()
        self._clock = clock
        self.environment = environment
        self._log = AgentLog(log)
        known = secret_values(environment)
        self._voices = {sign: MaskedStream(known) for sign in (_IN, _OUT, _ERR)}
        self._pending: list[bytes] = []
        self._closes = self._is_finishing = False
        self._errors = b""
        self.was_stopped = self.timed_out = False
        self._end = -1
        theirs_in, self._in = os.pipe()
        self._out, theirs_out = os.pipe()
        self._err, theirs_err = os.pipe()
        try:
            given = {**environment, MARK: self._mark}
            self._process = ChildProcess(spawn(command, folder, given, (theirs_in, theirs_out, theirs_err)))
        except OSError:
            self._close()
            raise
        finally:
            for pipe in (theirs_in, theirs_out, theirs_err):
                os.close(pipe)
        self._end = watch(self._process.pid)
        os.set_blocking(self._in, False)

    @property
    def errors(self) -> str:
        """The end of what the process said on its error stream, without secrets."""
        self._add_errors(self._voices[_ERR].rest())
        return self._errors.decode(errors="replace").strip()

    def send(self, text: str) -> None:
        self.note(text)
        self._pending.append(text.encode(errors="replace"))

    def note(self, text: str) -> None:
        """Keep in the log what the process is told in another way."""
        self._note(_IN, text.encode(errors="replace") + b"\n")
        self._log.add(_IN, self._voices[_IN].rest())  # what it is told is whole each time

    def close_input(self) -> None:
        """Nothing more will be said, once what is pending has been."""
        self._closes = True

    def finish(self, seconds: float) -> None:
        """The work is done: the process gets so long to end by itself, and no blame if it does not."""
        self.close_input()
        self._is_finishing = True
        self._clock.limit(seconds)

    def lines(self) -> Iterator[bytes]:
        """What the process says, line by line; ends with the process, at a stop, or when the time is over."""
        lines, open_pipes = Lines(), {self._out, self._err}
        while not self.was_stopped:
            if self._clock.left() <= 0:
                self.timed_out = not self._is_finishing
                return
            is_over = self._process.poll() is not None
            chunks = self._exchange(open_pipes, 0.0 if is_over else min(_LOOK, self._clock.left()))
            for line in lines.feed(chunks):
                self._note(_OUT, line + b"\n")
                yield line
            if is_over and not chunks:
                break
        if lines.rest():
            self._note(_OUT, lines.rest())
            yield lines.rest()

    def _exchange(self, open_pipes: set[int], seconds: float) -> bytes:
        """Write and read whatever can be now, waiting at most so long; what was read from the output."""
        read = b""
        for pipe in self._ready(open_pipes, seconds):
            if pipe == self._in:
                self._write()
            elif pipe not in open_pipes:
                continue  # the process has ended
            elif chunk := os.read(pipe, _CHUNK):
                if pipe == self._out:
                    read += chunk
                else:
                    self._add_errors(self._voices[_ERR].feed(chunk))
            else:
                open_pipes.discard(pipe)
        return read

    def _ready(self, open_pipes: set[int], seconds: float) -> list[int]:
        if self._closes and not self._pending and self._in >= 0:
            os.close(self._in)
            self._in = -1
        poll = select.poll()
        for pipe in open_pipes:
            poll.register(pipe, select.POLLIN)
        if self._pending:
            poll.register(self._in, select.POLLOUT)
        if self._end >= 0 and seconds:
            poll.register(self._end, select.POLLIN)
        pause = seconds if self._end >= 0 or open_pipes or self._pending else min(seconds, _SHORT)
        return [pipe for pipe, _ in poll.poll(max(0, int(pause * 1000)))]

    def _write(self) -> None:
        """As much as the pipe takes. A process that no longer listens loses what it would not hear."""
        data = self._pending.pop(0)
        try:
            written = os.write(self._in, data[:_CHUNK])
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._pending.clear()
            self._closes = True
            return
        if data[written:]:
            self._pending.insert(0, data[written:])

    def _add_errors(self, masked: bytes) -> None:
        self._log.add(_ERR, masked)
        self._errors = (self._errors + masked)[-_TAIL:]

    def _note(self, sign: bytes, data: bytes) -> None:
        self._log.add(sign, self._voices[sign].feed(data))

    def stop(self) -> None:
        """End the process and everything that it started; from any thread."""
        self.was_stopped = True
        end_tree(self._root(), self._mark)

    def end(self) -> int:
        """Let nothing be left of the process, and say with which code it ended."""
        if self._root() or is_anybody_left(0, self._mark):
            end_tree(self._root(), self._mark)
        code = self._process.wait()
        self._close()
        return code

    def _root(self) -> int:
        """The number of the process; 0 once it has been collected, since the number may be another's by now."""
        return self._process.pid if self._process.poll() is None else 0

    def _close(self) -> None:
        for descriptor in (self._in, self._out, self._err, self._end):
            if descriptor >= 0:
                os.close(descriptor)
        self._in = self._out = self._err = self._end = -1
        for sign, voice in self._voices.items():
            self._log.add(sign, voice.rest()) if sign != _ERR else self._add_errors(voice.rest())
        self._log.close()
