"""git as a process: for questions, and for objects, refs and index files of planrail's own. Never the user's index.

Started by `posix_spawn` and without `subprocess`, whose import alone costs as much CPU as four times `git status` in a
repository of a thousand files. A scrubbed environment, no hooks, no monitors, no prompts.
"""

import _thread
import posix
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from planrail.base.errors import ToolFailed

_SECONDS = 120
_PATIENCE = 300.0  # seconds for a lock; longer than git may take for one thing
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05  # seconds
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
    "core.safecrlf=false",  # else an odd line end could not be kept at all
    "submodule.recurse=false",
    "core.filesRefLockTimeout=3000",  # milliseconds: many runs share one repository, and wait rather than fail
    "core.packedRefsTimeout=10000",
)
_STATUS = ("--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames")
_IDENTITY = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "planrail"), ("EMAIL", "planrail@localhost"))
}

# The locks of each thread by their paths, with the descriptors, which git inherits: see `hold`.
_held: dict[int, dict[str, int]] = {}


def run_git(
    root: str,
    *arguments: str,
    index: str | None = None,
    view: str | None = None,
    data: bytes = b"",
    accepted: tuple[int, ...] = (0,),
    seconds: int = _SECONDS,
) -> str:
    """What git prints, names that are not UTF-8 included. Raises `ToolFailed` with git's own words where it fails."""
    places = {"GIT_INDEX_FILE": index} if index else {"GIT_OPTIONAL_LOCKS": "0"}  # the user's index is never locked
    places |= {"GIT_DIR": view, "GIT_WORK_TREE": root} if view else {}
    code, output, problem = _start(root, arguments, places, data, seconds)
    if code not in accepted:
        said = decode_name(problem).strip().splitlines() or [f"exit status {code}"]
        command = next((word for word in arguments if not word.startswith("--")), arguments[0])
        raise failure(f"git {command} failed in {root}: {said[-1]}", remedy="git status")
    return decode_name(output)


def failure(message: str, remedy: str) -> "ToolFailed":
    """The error of a git that failed; its module is loaded only where there is one."""
    from planrail.base.errors import ToolFailed

    return ToolFailed(message, remedy=remedy)


def ask_git(
    root: str,
    *arguments: str,
    index: str | None = None,
    view: str | None = None,
    data: bytes = b"",
    accepted: tuple[int, ...] = (0,),
) -> str | None:
    """The same, for questions to which failing is an answer: None."""
    try:
        return run_git(root, *arguments, index=index, view=view, data=data, accepted=accepted)
    except Exception as error:
        from planrail.base.errors import ToolFailed

        if not isinstance(error, ToolFailed):
            raise
        return None


def ask_status(root: str, index: str, view: str = "") -> list[str]:
    """The entries of `git status` against an index file of planrail's own.

    A view is a git directory in which HEAD is what that index holds, so that git need not tell them apart: where many
    files were changed or untracked at entry that saves a sixth of its time. One that is damaged is not used.
    """
    question = ("status", *_STATUS, "--ignore-submodules=dirty")
    answer = ask_git(root, *question, index=index, view=view) if view else None
    return (run_git(root, *question, index=index) if answer is None else answer).split("\0")


def list_tree(root: str, tree: str) -> dict[str, tuple[str, str]]:
    """The files of a tree or commit: mode and object of each path."""
    found = {}
    for entry in run_git(root, "ls-tree", "-r", "-z", "--full-tree", tree).split("\0"):
        about, _, path = entry.partition("\t")
        if path:
            mode, _, oid = about.split(" ")
            found[path] = (mode, oid)
    return found


def decode_name(name: bytes) -> str:
    """As `os.fsdecode`, whose module is too dear here."""
    return name.decode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def encode_name(name: str) -> bytes:
    """As `os.fsencode`."""
    return name.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())


def join_paths(paths: "Iterable[str]") -> bytes:
    """Paths as git reads them on its standard input with `-z`."""
    return b"".join(encode_name(path) + b"\0" for path in paths)


def hold(path: str, patience: float = _PATIENCE, pause: "Callable[[float], None]" = time.sleep) -> "_Lock":
    """Hold the lock of this name. Again in the same thread is no waiting; other threads and processes wait.

    It lasts as long as the work under it. planrail may be killed while a git that it started is still at work, and a
    new planrail that took the lock then would race with it; so git inherits the descriptor, and the lock is free only
    when both are gone.
    """
    return _Lock(path, patience, pause)


class _Lock:
    def __init__(self, path: str, patience: float, pause: "Callable[[float], None]") -> None:
        self._path, self._patience, self._pause = path, patience, pause
        self._place = ""  # of a lock that is to be let go

    def __enter__(self) -> None:
        import os

        place, mine = os.path.abspath(self._path), _held.setdefault(_thread.get_ident(), {})
        if place not in mine:
            mine[place] = self._acquire(place)
            self._place = place

    def _acquire(self, place: str) -> int:
        deadline, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while (descriptor := _try_lock(place)) is None:
            if time.monotonic() > deadline:
                raise failure(f"{place} is held by another planrail, or by a git that it started", remedy="try again")
            self._pause(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return descriptor

    def __exit__(self, *_: object) -> None:
        if self._place:
            posix.close(_held[_thread.get_ident()].pop(self._place))


def _try_lock(place: str) -> int | None:
    """Take the lock, if it is free and the file still has its name: one that was removed guards nothing."""
    import fcntl
    import os

    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise failure(f"{place} cannot be locked: {error.strerror}", "check the disk and its rights") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.lstat(place)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _start(
    root: str, arguments: tuple[str, ...], places: dict[str, str], data: bytes, seconds: int
) -> tuple[int, bytes, bytes]:
    options = [part for option in _OPTIONS for part in ("-c", option)]
    literal = () if arguments[0] == "check-ignore" else ("--literal-pathspecs",)  # that one refuses the option
    command = ["git", "-C", root, *options, *literal, "--no-pager", *arguments]
    files = [_make_file(data), _make_file(), _make_file()]  # standard input, output and error
    actions = [(posix.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate(files)]
    held = _held.get(_thread.get_ident(), {}).values()
    free = max((*files, *held)) + 1  # numbers that stand for nothing yet
    actions += [(posix.POSIX_SPAWN_DUP2, file, free + number) for number, file in enumerate(held)]
    try:
        try:
            child = posix.posix_spawnp("git", command, clean_environment() | _IDENTITY | places, file_actions=actions)
        except OSError as error:
            raise failure(f"git cannot be started: {error.strerror}", remedy="install git") from error
        code = _wait(child, seconds)
        return code, _read_file(files[1]), _read_file(files[2])
    finally:
        for file in files:
            posix.close(file)


def _wait(child: int, seconds: int) -> int:
    """The exit code of a process; one that hangs, as on a dead mount, is ended.

    Looking now and then costs less than to be told: for that a module would have to be loaded.
    """
    deadline, pause = time.monotonic() + seconds, _FIRST_PAUSE
    try:
        while not (ended := posix.waitpid(child, posix.WNOHANG))[0]:
            if time.monotonic() > deadline:
                raise failure(f"git did not answer within {seconds} seconds", remedy="check the disk, and try again")
            time.sleep(pause)
            pause = min(pause * 1.2, _LONGEST_PAUSE)
    except BaseException:
        posix.kill(child, 9)
        posix.waitpid(child, 0)
        raise
    return posix.waitstatus_to_exitcode(ended[1])


def _make_file(data: bytes = b"") -> int:
    """A file without a name, at its beginning. Unlike a pipe it never fills up, and wakes nobody for each few lines."""
    if hasattr(posix, "memfd_create"):
        file = posix.memfd_create("planrail")
    else:
        import tempfile

        with tempfile.TemporaryFile() as temporary:
            file = posix.dup(temporary.fileno())
    rest = memoryview(data)
    while rest:
        rest = rest[posix.write(file, rest) :]
    posix.lseek(file, 0, 0)
    return file


def _read_file(file: int) -> bytes:
    posix.lseek(file, 0, 0)
    parts = []
    while part := posix.read(file, max(1, posix.fstat(file).st_size)):
        parts.append(part)
    return b"".join(parts)


def clean_environment() -> dict[str, str]:
    """Ours without what steers git: in a hook, `GIT_DIR` and `GIT_INDEX_FILE` would lead it elsewhere."""
    kept = {name: value for name, value in _own_environment().items() if not name.startswith("GIT_")}
    # Refs that put one object in the place of another may be an agent's: what is landed is what is named.
    return kept | {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}


def _own_environment() -> "Mapping[str, str]":
    """The environment as `os` knows it where a module has loaded it, since changes are made there; else as it began."""
    loaded = sys.modules.get("os")
    if loaded is not None:
        return loaded.environ  # type: ignore[no-any-return]
    return {decode_name(name): decode_name(value) for name, value in posix.environ.items()}
