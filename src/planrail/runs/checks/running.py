"""Running checks: planrail's own hands on the exact tree. What they find out is evidence; nobody types it in.

A check is a shell script in a session of its own, in a folder that holds one tree. It reads nothing, knows nothing of
planrail, and prints into a pipe, so that it has no handle on the place where its output is kept.
"""

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from planrail.agents.processes.trees import watch
from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import record, replace
from planrail.base.run_model import CheckOrder, CheckRun, Finding, Workspace
from planrail.git.exact_trees import changed_paths, new_files
from planrail.git.tree_removal import remove_tree
from planrail.runs.checks.enclosures import BARE, Enclosure
from planrail.runs.checks.environment import without_bytecode
from planrail.runs.checks.leftovers import MARK, end_forgotten, end_leftovers, make_mark, make_private, without_orphans
from planrail.runs.checks.output import Output, unfinished
from planrail.runs.strength.files import judge_traces

TIMED_OUT = -1
NOT_STARTED = 126
SHELL = "/bin/sh"
_CHUNK = 1 << 16
_LOOK = 0.05  # seconds between two looks at a process, where the system cannot tell us of its end
_LONGEST_ARGUMENT = 100_000  # bytes; a longer script is read from a file


@record
class CheckPlace:
    """Where checks are run: a workspace that holds exactly this tree. `outputs` is a folder out of its reach."""

    root: str  # the user's repository
    workspace: Workspace
    tree: str
    environment: Mapping[str, str]
    outputs: str
    timeout: float
    enclosure: Enclosure = BARE
    look: Callable[[], Sequence[Finding]] = lambda: ()  # at what surrounds the checks: why they prove nothing

    @property
    def temporary(self) -> str:
        """Where checks get folders for their temporary files: beside the workspace, with the same folders above."""
        return os.path.dirname(self.workspace.path)


@record
class Checked:
    """What checks said, what they did to the tree, and what speaks against all of them (`around`)."""

    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...]
    around: tuple[Finding, ...] = ()


def run_checks(checks: Iterable[CheckOrder], place: CheckPlace, restore: Callable[[], object]) -> Checked:
    """Run each check on the exact tree, whatever the others say. `restore` brings back a tree that one changed."""
    runs: list[CheckRun] = []
    findings: list[Finding] = []
    ordered = list(checks)
    around = list(place.look())
    for number, check in enumerate(ordered, 1):
        began = time.time_ns()
        output = os.path.join(place.outputs, f"{number:02}.log")
        folder = place.workspace.path
        given = (place.tree, without_bytecode(place.environment, around), output, place.timeout)
        runs.append(run_check(check, folder, *given, replace(place.enclosure, temporary=place.temporary)))
        if number == len(ordered) or not place.enclosure.is_certain:
            around += [finding for finding in place.look() if finding not in around]
        changed = changed_paths(place.root, place.workspace, place.tree)
        left = new_files(place.root, place.workspace, began) if number < len(ordered) else []
        findings += judge_traces(check, changed, left)
        if changed:
            restore()
    return Checked(tuple(runs), tuple(findings), tuple(around))


def run_check(
    check: CheckOrder,
    folder: str,
    tree: str,
    environment: Mapping[str, str],
    output_path: str,
    timeout: float,
    enclosure: Enclosure = BARE,
) -> CheckRun:
    """Run one check in a folder that holds this tree. Nothing that it started is left afterwards.

    Called again after a crash it first ends what the earlier call had started, and then runs the check anew. git looks
    for no repository above the folder, nor above that of its temporary files.
    """
    if os.path.lexists(unfinished(output_path)):
        end_forgotten(output_path, enclosure.temporary)
    output = Output(output_path, environment=environment)
    private = make_private(output_path, enclosure.temporary)
    ceilings = os.pathsep.join(os.path.dirname(os.path.realpath(place)) for place in (folder, private))
    given = {**environment, "TMPDIR": private, "GIT_CEILING_DIRECTORIES": ceilings}
    began = time.monotonic()
    reach("check.begun")
    try:
        with without_orphans():
            code = _execute(check.command, folder, given, output, output_path, timeout, enclosure)
    except BaseException:
        output.discard()
        raise
    finally:
        with contextlib.suppress(ToolFailed):
            remove_tree(private)
    seconds = round(time.monotonic() - began, 3)
    digest, tail = output.close()
    reach("check.ended")
    found = (tree, code, seconds, digest, output_path, tail, enclosure.told)
    return CheckRun(check.command, check.origin, check.line, *found)


def end_forgotten_checks(folder: str) -> None:
    """End every check whose output is below a folder, and that was begun by a planrail that is gone."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            output = path.removesuffix(unfinished(""))
            if output != path:
                end_forgotten(output)
                os.unlink(path)


def _execute(
    command: str,
    folder: str,
    environment: dict[str, str],
    output: Output,
    name: str,
    timeout: float,
    enclosure: Enclosure,
) -> int:
    """Its exit code, as a shell would put it. What it says is read until it ends or its time is over."""
    script = ["-c", command]
    if len(command.encode(errors="surrogateescape")) >= _LONGEST_ARGUMENT:
        script = [os.path.join(environment["TMPDIR"], "script.sh")]
        with open(script[0], "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(command)
    mark = make_mark(name)
    try:
        inside = enclosure.enclose([SHELL, "-e", *script], folder, environment["TMPDIR"], {**environment, MARK: mark})
        process = subprocess.Popen(
            inside.argv,
            cwd=folder,
            env=inside.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        output.add(f"{error}\n".encode(errors="replace"))
        return NOT_STARTED
    began = time.monotonic()
    assert process.stdout is not None
    with process.stdout:
        try:
            pipe = process.stdout.fileno()
            os.set_blocking(pipe, False)
            is_over = _listen(process, pipe, output, began + timeout)
            end_leftovers(process.pid, mark, began, politely=not is_over)
            code = process.wait()
            while chunk := _read(pipe):
                output.add(chunk)
        except BaseException:
            end_leftovers(process.pid, mark, began)
            process.wait()
            raise
    if not is_over:
        output.add(f"\n[ended after {timeout:g} seconds]\n".encode())
        return TIMED_OUT
    return code if code >= 0 else 128 - code


def _listen(process: subprocess.Popen[bytes], pipe: int, output: Output, deadline: float) -> bool:
    """Whether the shell ended in time. A pipe that something in the background holds open is not waited for."""
    poll, ending = select.poll(), watch(process.pid)
    poll.register(pipe, select.POLLIN)
    try:
        if ending >= 0:
            poll.register(ending, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            wait = left if ending >= 0 else min(left, _LOOK)
            ready = [file for file, _ in poll.poll(max(1, int(wait * 1000)))]
            if pipe in ready:
                chunk = _read(pipe)
                output.add(chunk or b"")
                if chunk == b"":
                    poll.unregister(pipe)
            if (ending in ready or ending < 0) and _has_ended(process):
                return True
        return _has_ended(process)
    finally:
        if ending >= 0:
            os.close(ending)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the shell is over. It is not collected yet: until then nobody else gets its number."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _read(pipe: int) -> bytes | None:
    """What is there now; b"" where nothing will come any more, None where nothing is there yet."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
