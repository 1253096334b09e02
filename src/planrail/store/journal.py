"""The journal of a run: one line when a step begins, one when it has ended, on the disk before the run goes on.

A file of its own for each run, only ever added to. A line that was torn by a crash is none: its step is done again.
"""

import json
import os
import threading
import time
from collections.abc import Callable

from planrail.base.errors import ToolFailed
from planrail.base.values import pack, unpack
from planrail.store.journal_lines import BEGUN, ENDED, parse_journal


class Journal:
    """An open journal; of one process at a time, of any number of its threads."""

    def __init__(self, path: str, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._lock = threading.Lock()
        self._results, whole = read_results(path)
        self._ours: set[str] = set()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            os.ftruncate(self._file, whole)  # a torn line must not swallow the next one
        except OSError as error:
            raise _unwritten(path, error) from error

    def has(self, key: str) -> bool:
        return key in self._results

    def result(self, key: str) -> object:
        return unpack(self._results[key])

    def is_ours(self, key: str) -> bool:
        """Whether this very process saw the step end."""
        return key in self._ours

    def keys(self) -> list[str]:
        """The steps that have ended, in their order."""
        return list(self._results)

    def begin(self, key: str) -> None:
        """A step begins. Nothing depends on this line: it is for people who look."""
        self._write({"at": self._clock(), "key": key, "state": BEGUN}, lasting=False)

    def end(self, key: str, result: object) -> None:
        """A step has ended; when this returns, it will never be done again."""
        packed = pack(result)
        self._write({"at": self._clock(), "key": key, "state": ENDED, "value": packed}, lasting=True)
        self._note(key, packed)

    def close(self) -> None:
        """Let go of the file. What a thread still wants to write is refused: the number may become another file's."""
        with self._lock:
            os.close(self._file)
            self._file = -1

    def _note(self, key: str, packed: object) -> None:
        with self._lock:
            self._results[key] = packed
            self._ours.add(key)

    def _write(self, line: dict[str, object], *, lasting: bool) -> None:
        data = json.dumps(line).encode() + b"\n"
        try:
            with self._lock:
                size = os.fstat(self._file).st_size
                if os.write(self._file, data) != len(data):
                    os.ftruncate(self._file, size)
                    raise OSError(28, os.strerror(28))
                if lasting:
                    os.fdatasync(self._file) if hasattr(os, "fdatasync") else os.fsync(self._file)
        except OSError as error:
            raise _unwritten(self.path, error) from error


def read_results(path: str) -> tuple[dict[str, object], int]:
    """The results of the steps that have ended, still packed, and how much of the file is whole lines."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return {}, 0
    except OSError as error:
        raise _unwritten(path, error) from error
    whole = data.rfind(b"\n") + 1
    results: dict[str, object] = {}
    for line in parse_journal(data[:whole]):
        if line.state == ENDED:
            results.setdefault(line.key, line.value)
    return results, whole


def _unwritten(path: str, error: OSError) -> ToolFailed:
    text = f"{path} could not be written: {error.strerror}; what had ended before is kept"
    return ToolFailed(text, remedy="make room or fix the permissions, then: planrail resume")
