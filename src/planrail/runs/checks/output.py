"""What a check prints: kept in a file that has a hash, bounded, without secrets, with its end at hand."""

import contextlib
import hashlib
import os
from collections.abc import Mapping

from planrail.base.masked_stream import MaskedStream
from planrail.base.masking import secret_values
from planrail.base.run_model import CheckRun

LONGEST = 20 << 20  # bytes that are kept
_REMARK = 100  # bytes of it for the line that says how much is missing
_TAIL = 2_000  # characters of the end that are shown
_RECENT = 8_000  # bytes of the end that are at hand


class Output:
    """A file that is written once. It gets its name when it is complete, so that a half one is never evidence.

    Secrets of known shapes are masked before anything is kept, and so are those of the check's environment.
    """

    def __init__(self, path: str, longest: int = LONGEST, environment: Mapping[str, str] | None = None) -> None:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(unfinished(path), flags, 0o600)
        self._path, self._hash = path, hashlib.sha256()
        self._end_size = longest // 4
        self._room = longest - self._end_size - _REMARK
        self._recent = self._end = b""
        self._left_out = 0
        self._environment = environment or {}
        self._stream: MaskedStream | None = None

    def add(self, chunk: bytes) -> None:
        if self._stream is None and chunk:
            self._stream = MaskedStream(secret_values(self._environment))
        self._keep(self._stream.feed(chunk) if self._stream is not None else b"")

    def _keep(self, chunk: bytes) -> None:
        self._recent = (self._recent + chunk)[-_RECENT:]
        head, rest = chunk[: self._room], chunk[self._room :]
        if head:
            self._room -= len(head)
            self._write(head)
        self._end += rest
        if len(self._end) > 2 * self._end_size:
            self._shorten()

    def close(self) -> tuple[str, str]:
        """Give the file its name; its hash, and the end of it, masked."""
        self._keep(self._stream.rest() if self._stream is not None else b"")
        if len(self._end) > self._end_size:
            self._shorten()
        if self._left_out:
            self._write(f"\n[{self._left_out} bytes are left out here]\n".encode())
        self._write(self._end)
        os.close(self._file)
        os.replace(unfinished(self._path), self._path)
        tail = self._recent.decode(errors="replace").replace("\r\n", "\n")[-_TAIL:]
        return self._hash.hexdigest(), tail

    def discard(self) -> None:
        os.close(self._file)
        os.unlink(unfinished(self._path))

    def _shorten(self) -> None:
        self._left_out += len(self._end) - self._end_size
        self._end = self._end[-self._end_size :]

    def _write(self, data: bytes) -> None:
        self._hash.update(data)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]


def unfinished(path: str) -> str:
    return path + ".part"


def read_output(run: CheckRun) -> str | None:
    """All that a check printed; None where the file is not what planrail wrote, or is gone."""
    try:
        with open(run.output, "rb") as file:
            data = file.read(2 * LONGEST)
    except OSError:
        return None
    return data.decode(errors="replace") if hashlib.sha256(data).hexdigest() == run.output_hash else None
