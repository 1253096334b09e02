"""Handing work on to the full package: what needs git, a plan's reader or the settings' format.

A process of its own, started with what it is asked on standard input. Nothing here imports the package, or
`subprocess`, which alone would cost more than the hook may.
"""

import os
import sys

from planrail.base.decoding import decode, encode

# Requests that read plans, which may need a package that is not part of Python; the others do without looking for any.
_WITH_PACKAGES = (
    *("summary", "examine", "find", "stage", "prepare", "begin"),
    *("answer", "phase", "end_planning", "look", "gate"),
)
_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from planrail.cli.hook.full_package import main; main()"


class HeavyFailed(Exception):
    """The full package could not answer."""


def ask(request: dict[str, object], instead: dict[str, str] | None = None) -> dict[str, object]:
    """The answer of the full package to one request. Where it fails: `instead`, with what failed for its `{error}`."""
    code, output = _run(command_for(request), encode(request).encode())
    try:
        answer = decode(output.decode("utf-8", "replace"))
        failed = f"exit {code}" if code or not isinstance(answer, dict) else answer.get("error")
    except ValueError:
        answer, failed = {}, f"no answer (exit {code})"
    if failed is None and isinstance(answer, dict):
        return answer
    error = f"{request.get('do')}: {failed}"
    if instead is None:
        raise HeavyFailed(error)
    return {name: text.replace("{error}", error) for name, text in instead.items()}


def command_for(request: dict[str, object]) -> list[str]:
    """The process that answers a request, which it expects on its standard input."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options = ["-I"] if request.get("do") in _WITH_PACKAGES else ["-I", "-S"]
    return [sys.executable, *options, "-c", _PROGRAM, package]


def _run(arguments: list[str], data: bytes) -> tuple[int, bytes]:
    """Run a program with some input; its exit code and its output. What it says on the side goes to our own side."""
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    moves = [(os.POSIX_SPAWN_DUP2, in_read, 0), (os.POSIX_SPAWN_DUP2, out_write, 1)]
    pid = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=moves)
    os.close(in_read)
    os.close(out_write)
    try:
        while data:
            data = data[os.write(in_write, data) :]
    except BrokenPipeError:
        pass
    finally:
        os.close(in_write)
    parts = []
    while part := os.read(out_read, 65_536):
        parts.append(part)
    os.close(out_read)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), b"".join(parts)
