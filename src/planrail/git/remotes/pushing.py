"""Branches on a remote: pushed, fetched and taken away again, each only from where planrail knows it to be.

git speaks to the remote with the user's own credentials. It runs no hook and asks nobody. What is fetched lies under
`refs/planrail/remotes/`, beside the user's own refs.
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import count

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed, refused_as
from planrail.base.records import record
from planrail.git.git_writing import ask_git, clean_environment, run_git
from planrail.git.remotes.forge_places import hide_credentials
from planrail.git.remotes.request_values import MergeProof, Pushed, PushFailed, PushRejected

FETCHED = "refs/planrail/remotes"
FETCHING = "refs/planrail/fetching"  # what a fetch brings, for as long as it takes to read it
_SECONDS = 300
_NOT_THERE = 2  # what ls-remote exits with; anything else but 0 is a failure
# How git finds its credentials and its way. Everything else that begins with GIT_ would steer it.
_KEPT = ("GIT_SSH", "GIT_ASKPASS", "GIT_CONFIG", "GIT_SSL", "GIT_HTTP", "GIT_PROXY")
_OPTIONS = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"),
    *("push.followTags=false", "push.recurseSubmodules=no", "fetch.recurseSubmodules=no", "fetch.pruneTags=false"),
)
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f") | frozenset(map(chr, range(32)))
_FETCH = ("--no-tags", "--no-write-fetch-head", "--no-prune", "--refmap=", "--no-recurse-submodules", "--quiet")
_STRANGERS = ("Authentication failed", "Permission denied", "could not read Username", "publickey", "403")
_numbers = count()


@record
class Upstream:
    """Where a branch is published: the name of a remote, and the branch there."""

    remote: str
    branch: str


@record
class RefMove:
    """A ref of the remote that is to be at `new` ("": gone), if it is at `old` now ("": not there)."""

    ref: str
    new: str
    old: str


def remote_of(root: str, ref: str) -> Upstream | None:
    """Where a local branch is published: as git was told, else the only remote, else `origin`; None without any."""
    name = ref.removeprefix("refs/heads/")
    printed = ask_git(root, "config", "--null", "--get-regexp", r"^(branch|remote)\.") or ""
    settings = {key: value for key, _, value in (entry.partition("\n") for entry in printed.split("\0") if entry)}
    urls = [key for key in settings if key.startswith("remote.") and key.endswith(".url")]
    remotes = [key.removeprefix("remote.").removesuffix(".url") for key in urls]
    told = settings.get(f"branch.{name}.remote", "")
    if told in remotes:
        merges = settings.get(f"branch.{name}.merge", ref)
        return Upstream(told, merges.removeprefix("refs/heads/"))
    if len(remotes) == 1 or "origin" in remotes:
        return Upstream(remotes[0] if len(remotes) == 1 else "origin", name)
    return None


def push(
    root: str, remote: str, local_commit: str, branch: str, expected: str = ""
) -> Pushed | PushRejected | PushFailed:
    """Put a commit on a branch of the remote, if that is at `expected` ("": not there) or has the commit already."""
    if problem := find_fault(branch):
        return PushRejected(branch, problem, "choose another [run] branch_prefix")
    ref = f"refs/heads/{branch}"
    answer = _change_remote(root, remote, ref, local_commit, expected)
    reach("push.sent")
    return Pushed(branch, local_commit) if not answer else explain_push(answer, remote, branch)


def fetch_ref(root: str, remote: str, branch: str) -> str | None:
    """The commit that a branch of the remote is at, with its objects; None where there is no such branch."""
    if problem := find_fault(branch):
        raise ToolFailed(problem, remedy=f"git ls-remote --heads {remote}")
    found = fetch_object(root, remote, f"refs/heads/{branch}", kept=f"{FETCHED}/{remote}/{branch}")
    if found is None:
        return None
    return run_git(root, "rev-parse", "--verify", "--end-of-options", f"{found}^{{commit}}").strip()


def note_pushed(root: str, remote: str, branch: str, commit: str) -> None:
    """Remember what a remote has now, as a fetch would."""
    run_git(root, "update-ref", f"{FETCHED}/{remote}/{branch}", commit)


def find_pushed(root: str, branch: str) -> str:
    """The remote that has commits of a local branch under its name, as it was last heard of; "" where none has."""
    tip = (ask_git(root, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}") or "").strip()
    told = run_git(root, "for-each-ref", "--format=%(objectname) %(refname)", f"{FETCHED}/") if tip else ""
    for commit, name in (line.split(" ", 1) for line in told.splitlines()):
        if name.endswith(f"/{branch}") and holds(root, tip, commit):
            return name.removeprefix(f"{FETCHED}/").removesuffix(f"/{branch}")
    return ""


def fetch_object(
    root: str, remote: str, ref: str, *, kept: str = "", also: tuple[str, ...] = (), seconds: int = _SECONDS
) -> str | None:
    """The object that a ref of the remote is at, brought here; None where there is no such ref.

    `kept` is a ref of ours that is set to it; `also` are further refspecs. It is read from a ref that nobody else
    has: another fetch, or one whose planrail was killed, may bring something older at the same time.
    """
    private = f"{FETCHING}/{time.time_ns():x}-{os.getpid()}-{next(_numbers)}"
    code, _, said = _talk(root, "fetch", *_FETCH, "--", remote, f"+{ref}:{private}", *also, seconds=seconds)
    if code and "couldn't find remote ref" in said:
        return None
    if code:
        raise ToolFailed(f"{remote} could not be fetched: {_last_line(said)}", remedy=_remedy(said, remote))
    found = run_git(root, "rev-parse", "--verify", "--end-of-options", private).strip()
    moves = [*([f"update {kept} {found}"] if kept else []), f"delete {private}"]
    run_git(root, "update-ref", "--no-deref", "--stdin", data=os.fsencode("".join(f"{move}\n" for move in moves)))
    return found


def read_remote(root: str, remote: str, *refs: str, seconds: int = _SECONDS) -> dict[str, str]:
    """Where these refs of the remote are now; those that it does not have are left out. Nothing is brought here.

    A `*` stands for any part of a name: no ref has one in its own.
    """
    code, printed, said = _talk(root, "ls-remote", "--", remote, *refs, seconds=seconds)
    if code:
        raise ToolFailed(f"{remote} cannot be asked: {_last_line(said)}", remedy=_remedy(said, remote))
    rows = (line.split("\t", 1) for line in printed.splitlines() if "\t" in line)
    return {name: found for found, name in rows if any(fnmatchcase(name, ref) for ref in refs)}


def push_together(root: str, remote: str, moves: Sequence[RefMove], *, seconds: int = _SECONDS) -> str:
    """Move several refs of the remote, all or none, each only from where it is expected. Why not; "" where it is done.

    The remote itself compares: it is told what each of them was when git looked, which was what we expect.
    """
    leases = [f"--force-with-lease={move.ref}:{move.old}" for move in moves]
    specs = [f"{move.new}:{move.ref}" for move in moves]
    return _push(root, remote, ("--atomic", *leases), specs, seconds)


def delete_branch(root: str, remote: str, branch: str, expected: str, proof: MergeProof) -> bool:
    """Take a branch away from the remote, once its work is proven to have landed and if nobody has added to it.

    Whether it is gone now. Without a proof nothing is asked of the remote.
    """
    if proof.state != "landed" or not expected or find_fault(branch):
        return False
    ref = f"refs/heads/{branch}"
    answer = _change_remote(root, remote, ref, "", expected)
    reach("push.deleted")
    return not answer or _talk(root, "ls-remote", "--exit-code", "--", remote, ref)[0] == _NOT_THERE


def holds(root: str, commit: str, other: str) -> bool:
    """Whether a commit has another in its history, or is that one."""
    return commit == other or ask_git(root, "merge-base", "--is-ancestor", other, commit) is not None


def _change_remote(root: str, remote: str, ref: str, commit: str, expected: str) -> str:
    """Move one ref of the remote by compare-and-swap; why not, or "" where it is as wanted."""
    return _push(root, remote, (f"--force-with-lease={ref}:{expected}",), [f"{commit}:{ref}"])


def _push(root: str, remote: str, options: tuple[str, ...], specs: list[str], seconds: int = _SECONDS) -> str:
    words = ("push", "--porcelain", "--no-verify", *options, "--", remote, *specs)
    code, printed, said = _talk(root, *words, seconds=seconds)
    if not code:
        return ""
    return "\n".join([line for line in printed.splitlines() if line.startswith("!")] + [said]).strip() or "no answer"


def explain_push(answer: str, remote: str, branch: str) -> PushRejected | PushFailed:
    """Why nothing was pushed: the remote said no, or could not be spoken to."""
    look = f"git ls-remote --heads {remote} {branch}"
    if "stale info" in answer:
        return PushRejected(branch, f"{branch} on {remote} is not where planrail left it", look)
    if "GH008" in answer or "LFS" in answer:
        return PushRejected(branch, "files of Git LFS are missing on the remote", f"git lfs push --all {remote}")
    if answer.startswith("!"):
        return PushRejected(branch, f"{remote} refuses {branch}: {_bracketed(answer)}", look)
    return PushFailed(branch, f"nothing was pushed to {remote}: {_last_line(answer)}", _remedy(answer, remote))


def _bracketed(answer: str) -> str:
    """The reason that git's porcelain gives in brackets, with what the remote said about it."""
    lines = answer.splitlines()
    told = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
    reasons = [line.rpartition("\t")[2] for line in lines if line.startswith("!")]
    own = next((reason for reason in reasons if "atomic push fail" not in reason), reasons[0])
    return "; ".join([own, *(line for line in told if line)])


def _remedy(said: str, remote: str) -> str:
    if any(sign in said for sign in _STRANGERS):
        return "gh auth setup-git, or add your key: ssh-add"
    return f"git ls-remote {remote}"


def _last_line(said: str) -> str:
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:", "remote: error"))]
    return (lines or said.splitlines() or ["no reason was given"])[0].strip()


def find_fault(branch: str) -> str:
    """Why something is no name of a branch, so that it can mean nothing else in a refspec; "" where it is one."""
    parts = branch.split("/")
    is_bad = (
        bool(_FORBIDDEN & set(branch))
        or any(not part or part.startswith(".") or part.endswith((".", ".lock")) for part in parts)
        or ".." in branch
        or "@{" in branch
        or branch.startswith("-")
        or branch == "HEAD"
    )
    return f"{branch!r} is no name for a branch" if is_bad else ""


def _talk(root: str, *arguments: str, seconds: int = _SECONDS) -> tuple[int, str, str]:
    """git and a remote: exit code, output, errors. In a session of its own, so that nothing can ask at the terminal."""
    options = [part for option in _OPTIONS for part in ("-c", option)]
    try:
        with refused_as("git cannot be started", "install git"):
            command = ["git", "-C", root, *options, "--no-pager", *arguments]
            code, printed, said = run_apart(command, _environment(), b"", seconds)
    except subprocess.TimeoutExpired:
        return 124, "", f"fatal: the remote did not answer within {seconds} seconds"
    return code, printed.decode("utf-8", "replace"), hide_credentials(said)


def run_apart(
    command: Sequence[str], environment: Mapping[str, str], data: bytes, seconds: float
) -> tuple[int, bytes, str]:
    """Run a program in a session of its own: exit code, output, errors. With what it started, it is ended in time."""
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    try:
        printed, said = child.communicate(data, timeout=seconds)
    finally:
        if child.returncode is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
    return child.returncode, printed, said.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith(_KEPT)}
    return clean_environment() | kept
