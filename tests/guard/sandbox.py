"""A throw-away repository in which a shell command is run for real, and an account of what it changed.

The command runs in namespaces of its own: no network, everything outside the box read-only, not as root where there is
another choice; it has ended with all its children before anybody looks. Where the machine has no namespaces to give,
`open_sandbox` raises `NoSandbox`, and nothing is ever run in the open.
"""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_INSIDE = _HERE / "sandbox_inside.py"
_BUILD = _HERE / "commands" / "repository.sh"
_SCRATCH = ("tmp", "vartmp", "shm")
# What git tells about its index; the bytes of the index may change, since `git status` refreshes them.
_INDEX = "git ls-files --stage -v -t && git status --porcelain=v2 --branch --show-stash"
_QUIET = {"repo/.git", *_SCRATCH}  # folders in which a lock or a here-document comes and goes

_JAVA = "tmp/hsperfdata_"  # where each Java machine keeps its own figures while it runs

Tree = dict[str, tuple[object, ...]]


class NoSandbox(Exception):
    """This machine has no namespaces to give."""


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit status, its output, and each path that is not as it was."""

    status: int
    ended: bool
    output: str
    changes: tuple[str, ...]


def _fact(path: str, name: str, info: os.stat_result) -> tuple[object, ...]:
    kind = stat.S_IFMT(info.st_mode)
    if stat.S_ISLNK(info.st_mode):
        return (kind, os.readlink(path))
    modified = 0 if name in _QUIET else info.st_mtime_ns
    fact = (kind, stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, modified, tuple(os.listxattr(path)))
    if not stat.S_ISREG(info.st_mode):
        return fact
    with open(path, "rb") as file:
        return (*fact, info.st_nlink, hashlib.blake2b(file.read()).digest())


def _walk(folder: str, prefix: str = "") -> Iterator[tuple[str, str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            info = entry.stat(follow_symlinks=False)
            yield entry.path, name, info
            if stat.S_ISDIR(info.st_mode):
                yield from _walk(entry.path, name + "/")


def observe(box: Path) -> Tree:
    """Every path of the box with its type, mode, owner, time of change, links, attributes and content."""
    return {name: _fact(path, name, info) for path, name, info in _walk(str(box))}


def compare(before: Tree, after: Tree) -> tuple[str, ...]:
    """The paths that came, went or differ; git's own index is judged by its meaning, elsewhere."""
    paths = sorted((before.keys() | after.keys()) - {"repo/.git/index"})
    found = []
    for path in paths:
        if path.startswith(_JAVA):
            continue
        if path not in before:
            found.append(f"+ {path}")
        elif path not in after:
            found.append(f"- {path}")
        elif before[path] != after[path]:
            found.append(f"~ {path}")
    return tuple(found)


class Sandbox:
    """One throw-away repository; `run` leaves it as it was, whatever the command did."""

    def __init__(self, folder: Path) -> None:
        self._box = folder / "box"
        self._template = folder / "template"
        for name in ("home", *_SCRATCH):
            (self._box / name).mkdir(parents=True)
        self._owner, self._group = (65534, 65534) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
        self._own()
        self._process = self._start()
        self._build()

    def _own(self) -> None:
        for path in (self._box, *self._box.iterdir()):
            path.chmod(0o777 if path.name in _SCRATCH else 0o755)
            os.chown(path, self._owner, self._group)

    def _start(self) -> "subprocess.Popen[str]":
        unshare = ["unshare", *([] if os.geteuid() == 0 else ["-U", "-r"]), "-m", "-n", "-p", "-i", "-u", "-f"]
        try:
            process = subprocess.Popen(
                [
                    *unshare,
                    "--kill-child",
                    sys.executable,
                    "-I",
                    str(_INSIDE),
                    str(self._box),
                    os.readlink("/proc/self/ns/pid"),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        except OSError as error:
            raise NoSandbox(str(error)) from error
        assert process.stdout
        assert process.stderr
        if "ready" not in process.stdout.readline():
            process.wait()
            reason = process.stderr.read()
            _close(process)
            raise NoSandbox(reason)
        return process

    def _build(self) -> None:
        answer = self._ask(_BUILD.read_text("utf-8"), 60)
        if answer["status"] != 0:
            raise NoSandbox(f"the repository could not be built: {answer['output']}")
        subprocess.run(["cp", "-a", f"{self._box}/.", str(self._template)], check=True)
        self._meaning = self._ask(_INDEX, 20)["output"]
        self._reset()

    def _reset(self) -> None:
        for name in os.listdir(self._box):
            path = self._box / name
            if name not in _SCRATCH:
                shutil.rmtree(path)
                continue
            path.chmod(0o777)
            for child in path.iterdir():
                _remove(child)
        subprocess.run(["cp", "-a", f"{self._template}/.", str(self._box)], check=True)
        self._before = observe(self._box)

    def _mend(self, changes: tuple[str, ...]) -> None:
        """Put back only what differs, which is quick; all of it where that is not enough."""
        paths = [change[2:] for change in changes if change[2:] in self._before or change[:2] == "+ "]
        try:
            for path in [*paths, "repo/.git/index"]:
                self._put_back(path)
            for path in {*paths, *(os.path.dirname(path) for path in paths)} & self._before.keys():
                shutil.copystat(self._template / path, self._box / path, follow_symlinks=False)
        except OSError:
            self._reset()
        if compare(self._before, observe(self._box)):
            self._reset()

    def _put_back(self, path: str) -> None:
        source, target = self._template / path, self._box / path
        if path in self._before and source.is_dir() and target.is_dir() and not target.is_symlink():
            return
        _remove(target)
        if path not in self._before:
            return
        if source.is_dir() and not source.is_symlink():
            target.mkdir()  # its children come next: they are gone as well
        else:
            shutil.copy2(source, target, follow_symlinks=False)
        os.chown(target, self._owner, self._group, follow_symlinks=False)

    def _ask(self, command: str, seconds: float) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([command, seconds]) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def run(self, command: str, seconds: float = 5) -> Outcome:
        """Run the command with bash in the repository, wait for its last child, and say what has changed."""
        answer = self._ask(command, seconds)
        after = observe(self._box)
        changes = compare(self._before, after)
        if not changes and self._before["repo/.git/index"] != after["repo/.git/index"]:
            changes = () if self._ask(_INDEX, 20)["output"] == self._meaning else ("~ the meaning of git's index",)
            self._before = observe(self._box)
        if changes:
            self._mend(changes)
        return Outcome(answer["status"], answer["ended"], answer["output"], changes)

    def close(self) -> None:
        """End the namespaces, and with them all that runs inside."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(10)
        _close(self._process)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _close(process: "subprocess.Popen[str]") -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe and not pipe.closed:
            pipe.close()


@contextmanager
def open_sandbox(folder: Path) -> Iterator[Sandbox]:
    """A sandbox in a folder of the caller's; raises NoSandbox where the machine cannot hold one."""
    if not sys.platform.startswith("linux") or not shutil.which("unshare") or not shutil.which("git"):
        raise NoSandbox("this needs Linux, unshare and git")
    sandbox = Sandbox(folder)
    try:
        yield sandbox
    finally:
        sandbox.close()
