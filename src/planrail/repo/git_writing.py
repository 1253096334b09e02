"""git for what planrail itself keeps: objects, refs and index files of its own. Never the user's index or files.

Started by `posix_spawn` and without `subprocess`, whose import alone costs as much CPU as four times `git status` in a
repository of a thousand files. As in `git`: a scrubbed environment, no hooks, no monitors, no prompts.
"""

import posix
import select
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from planrail.errors import ToolFailed

_SECONDS = 120
_CHUNK = 1 << 16
# Settings of a repository that would make git overlook a change are overruled: they may be the change.
_OPTIONS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.trustctime=true",
    "core.checkStat=default",
    "core.ignoreStat=false",
    "submodule.recurse=false",
)
_STATUS = ("--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames")
_IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "planrail"), ("EMAIL", "planrail@localhost"))
}


def run_git(
    root: str, *arguments: str, index: str | None = None, data: bytes = b"", accepted: tuple[int, ...] = (0,)
) -> str:
    """What git prints, names that are not UTF-8 included. Raises `ToolFailed` with git's own words where it fails."""
    code, output, problem = _start(root, arguments, index, data)
    if code not in accepted:
        said = decode_name(problem).strip().splitlines() or [f"exit status {code}"]
        raise failure(f"git {arguments[0]} failed in {root}: {said[-1]}", remedy="git status")
    return decode_name(output)


def failure(message: str, remedy: str) -> "ToolFailed":
    """The error of a git that failed; its module is loaded only where there is one."""
    from planrail.errors import ToolFailed

    return ToolFailed(message, remedy=remedy)


def ask_git(root: str, *arguments: str, index: str | None = None, data: bytes = b"") -> str | None:
    """The same, for questions to which failing is an answer: None."""
    from planrail.errors import ToolFailed

    try:
        return run_git(root, *arguments, index=index, data=data)
    except ToolFailed:
        return None


def ask_status(root: str, index: str) -> list[str]:
    """The entries of `git status` against an index file of planrail's own."""
    return run_git(root, "status", *_STATUS, "--ignore-submodules=dirty", index=index).split("\0")


def decode_name(name: bytes) -> str:
    """As `os.fsdecode`, whose module is too dear here."""
    return name.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def encode_name(name: str) -> bytes:
    """As `os.fsencode`."""
    return name.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def join_paths(paths: "Iterable[str]") -> bytes:
    """Paths as git reads them on its standard input with `-z`."""
    return b"".join(encode_name(path) + b"\0" for path in paths)


def _start(root: str, arguments: tuple[str, ...], index: str | None, data: bytes) -> tuple[int, bytes, bytes]:
    options = [part for option in _OPTIONS for part in ("-c", option)]
    literal = () if arguments[0] == "check-ignore" else ("--literal-pathspecs",)  # that one refuses the option
    command = ["git", "-C", root, *options, *literal, "--no-pager", *arguments]
    pipes = [posix.pipe(), posix.pipe(), posix.pipe()]  # standard input, output and error
    ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
    theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
    actions = [(posix.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(theirs)]
    try:
        try:
            child = posix.posix_spawnp("git", command, _environment(index), file_actions=actions)
        except OSError as error:
            raise failure(f"git cannot be started: {error.strerror}", remedy="install git") from error
        finally:
            _close(theirs)
        return _converse(child, ours, data)
    finally:
        _close(ours)


def _converse(child: int, ours: list[int], data: bytes) -> tuple[int, bytes, bytes]:
    """Feed and read a process to its end; one that hangs, as on a dead mount, is ended."""
    try:
        answers = _exchange(ours, data)
    except BaseException:
        posix.kill(child, 9)
        posix.waitpid(child, 0)
        raise
    _, status = posix.waitpid(child, 0)
    return posix.waitstatus_to_exitcode(status), b"".join(answers[1]), b"".join(answers[2])


def _exchange(ours: list[int], data: bytes) -> list[list[bytes]]:
    answers: list[list[bytes]] = [[], [], []]
    watch, rest, deadline = select.poll(), memoryview(data), time.monotonic() + _SECONDS
    number_of = {end: number for number, end in enumerate(ours)}
    posix.set_blocking(ours[0], False)
    watch.register(ours[0], select.POLLOUT)
    for end in ours[1:]:
        watch.register(end, select.POLLIN)
    while number_of:
        ready = watch.poll(max(0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise failure(f"git did not answer within {_SECONDS} seconds", remedy="check the disk, and try again")
        for end, _ in ready:
            if end == ours[0]:
                rest = _feed(end, rest)
                is_over = not rest
            else:
                chunk = posix.read(end, _CHUNK)
                answers[number_of[end]].append(chunk)
                is_over = not chunk
            if is_over:
                watch.unregister(end)
                del number_of[end]
                posix.close(end)
                ours[ours.index(end)] = -1
    return answers


def _feed(end: int, rest: memoryview) -> memoryview:
    try:
        return rest[posix.write(end, rest[:_CHUNK]) :] if rest else rest
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        return rest[:0]  # git has heard enough; its exit status says the rest


def _close(ends: list[int]) -> None:
    for end in ends:
        if end >= 0:
            posix.close(end)


def _environment(index: str | None) -> dict[str, str]:
    """An index of planrail's own may be refreshed; the user's is never locked."""
    kept = clean_environment() | _IDENTITY
    return kept | ({"GIT_INDEX_FILE": index} if index else {"GIT_OPTIONAL_LOCKS": "0"})


def clean_environment() -> dict[str, str]:
    """Ours without what steers git: in a hook, `GIT_DIR` and `GIT_INDEX_FILE` would lead it elsewhere."""
    kept = {name: value for name, value in _own_environment().items() if not name.startswith("GIT_")}
    return kept | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def _own_environment() -> "Mapping[str, str]":
    """The environment as `os` knows it where somebody has loaded it, since changes are made there; else as it began."""
    loaded = sys.modules.get("os")
    if loaded is not None:
        return loaded.environ  # type: ignore[no-any-return]
    return {decode_name(name): decode_name(value) for name, value in posix.environ.items()}
