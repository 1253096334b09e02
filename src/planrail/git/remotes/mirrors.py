"""Mirrors: clones of planrail's own, in which a worker serves a repository that is somewhere else.

Nothing is ever checked out in one. Its branches follow the remote, whatever was here before; so nobody may work in it,
and a mark says that it is one. HEAD is detached at the target as it was last opened, and there is no index.
"""

import contextlib
import glob
import hashlib
import os
import shutil
import time
import uuid
from collections.abc import Mapping

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.identity import safe_name
from planrail.base.whole_files import write_whole
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.remotes.forge_places import hide_credentials
from planrail.git.remotes.pushing import FETCHED, FETCHING, fetch_object, fetch_ref, find_fault

REMOTE = "origin"
_MARK = "planrail-mirror"  # a file in the git directory
_HEADS = "refs/heads/"
_LINK = "120000"
_SECONDS = 3600  # a large repository, brought here for the first time
_TAGS = "+refs/tags/*:refs/tags/*"  # many a project computes its version from them
_FORMATS = ("sha1", "sha256")
_ADDRESS = "planrail-remote"  # the same: the part of git's settings that has the address, for its owner alone
_CONFIG = f"""[core]
\thooksPath = /dev/null
[gc]
\tauto = 0
[maintenance]
\tauto = false
[include]
\tpath = {_ADDRESS}
"""


def mirror_name(repository: str, target: str) -> str:
    """What the folder of a mirror is called: one for each target, since HEAD is there."""
    name = target.removeprefix(_HEADS)
    digest = hashlib.sha256(f"{hide_credentials(repository)}\0{name}".encode("utf-8", "surrogateescape")).hexdigest()
    last = safe_name(repository.rstrip("/").rpartition("/")[2].removesuffix(".git") or "repository")
    return f"{last[:40]}-{digest[:16]}"


def open_mirror(folder: str, url: str, target: str) -> str:
    """The clone of a remote in a folder, with all that its target has now; made where there is none. Its root.

    Any number of processes may ask at once. Raises `PlanrailError` where the remote has no such branch, `ToolFailed`
    where it cannot be reached; no message has the credentials of the address.
    """
    root = os.path.abspath(folder)
    if problem := find_fault(target.removeprefix(_HEADS)):
        raise PlanrailError(problem, remedy="[run] target = NAME")
    os.makedirs(os.path.dirname(root), mode=0o700, exist_ok=True)
    with hold(f"{root}.lock", patience=_SECONDS):
        for place in glob.glob(f"{glob.escape(root)}.*~"):  # what others began to make; a live one would have our lock
            shutil.rmtree(place, ignore_errors=True)
        # A disk that was full or lost its power leaves what git cannot work with.
        if is_mirror(root) and ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{tree}") is not None:
            known = ask_git(root, "config", "--get", f"remote.{REMOTE}.url") or ""
            if known.removesuffix("\n") != url:  # it may change, as tokens in it do
                _write_address(root, url)
            _bring(root, url, target)
            _drop_leftovers(root)
        else:
            _make(root, url, target)
    return root


def bring_branch(root: str, ref: str) -> str:
    """The commit of another branch of the remote, such as that of a pull request; here it is the same then. "": none.

    To be done before an order is made: what has landed on the branch is part of a plan's past.
    """
    with hold(f"{os.path.abspath(root)}.lock", patience=_SECONDS):
        found = fetch_ref(root, REMOTE, ref.removeprefix(_HEADS)) or ""
        if found:
            follow(root, {ref: found})
    return found


def is_mirror(root: str) -> bool:
    """Whether a repository is a clone of planrail's own, whose branches may be moved at will."""
    return os.path.isfile(os.path.join(root, ".git", _MARK))


def follow(root: str, commits: Mapping[str, str]) -> None:
    """Set branches of a mirror to what the remote has, whatever they were."""
    if not is_mirror(root):
        raise ToolFailed(f"{root} is no clone of planrail's own: its branches are left alone", remedy="planrail doctor")
    lines = "".join(f"update {ref} {commit}\n" for ref, commit in commits.items())
    message = "planrail: as the remote has it"
    run_git(root, "update-ref", "--no-deref", "-m", message, "--create-reflog", "--stdin", data=os.fsencode(lines))


def write_plan_file(root: str, target: str, path: str) -> str:
    """Put the plan's file as the target has it where it would lie if that were checked out. Its place.

    Nothing else is there: neither a candidate nor a snapshot is made from this folder.
    """
    if os.path.isabs(path) or any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
        raise PlanrailError(f"{path} is no path inside of the repository", remedy="give the plan's path from its root")
    place = os.path.join(root, path)
    name = target.removeprefix(_HEADS)
    entry = ask_git(root, "ls-tree", "-z", f"{_HEADS}{name}", "--", path) or ""
    mode, _, rest = entry.partition("\t")[0].partition(" ")
    kind, _, oid = rest.partition(" ")
    if kind != "blob" or mode == _LINK:
        raise PlanrailError(
            f"{path} is no file on {REMOTE}/{name}, and a worker runs what is there",
            remedy=f"git add {path}; git commit; git push {REMOTE} {name}",
        )
    _clear_way(root, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    content = run_git(root, "cat-file", "blob", oid)
    write_whole(place, os.fsencode(content), mode=0o666, durable=False)
    return place


# --------------------------------------------------------------------------------------------------------------- making


def _make(root: str, url: str, target: str) -> None:
    """Under another name first, so that what has the name is whole."""
    try:
        made = _make_apart(root, url, target, _FORMATS[0])
    except ToolFailed as error:
        if "mismatched algorithms" not in error.message:
            raise
        made = _make_apart(root, url, target, _FORMATS[1])
    reach("mirror.brought")
    if os.path.lexists(root):  # whatever has the name is kept for once: there may be work in it
        shutil.rmtree(f"{root}.broken", ignore_errors=True)
        os.rename(root, f"{root}.broken")
    os.rename(made, root)
    reach("mirror.made")


def _make_apart(root: str, url: str, target: str, format: str) -> str:
    temporary = f"{root}.{uuid.uuid4().hex[:12]}~"
    try:
        _begin(temporary, url, format)
        reach("mirror.begun")
        _bring(temporary, url, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return temporary


def _begin(place: str, url: str, format: str) -> None:
    os.mkdir(place, mode=0o700)
    files = ("-c", "init.defaultRefFormat=files")  # whatever the user's own settings say
    made = ("--quiet", "--template=", f"--object-format={format}", "--initial-branch=planrail-nothing")
    run_git(place, *files, "init", *made)
    with open(os.path.join(place, ".git", "config"), "a", encoding="utf-8") as file:
        file.write(_CONFIG)
    _write_address(place, url)


def _bring(root: str, url: str, target: str) -> None:
    """Fetch the target and the tags; then the branch and HEAD are there, and the mark that says so."""
    name = target.removeprefix(_HEADS)
    kept = f"{FETCHED}/{REMOTE}/{name}"
    try:
        commit = fetch_object(root, REMOTE, f"{_HEADS}{name}", kept=kept, also=(_TAGS,), seconds=_SECONDS)
    except ToolFailed as error:
        plain = hide_credentials(url)  # git may repeat the address in ways of its own
        raise ToolFailed(error.message.replace(url, plain), remedy=f"check: git ls-remote {plain}") from None
    if commit is None:
        raise PlanrailError(
            f"{hide_credentials(url)} has no branch {name} to land on", remedy=f"git push {REMOTE} {name}"
        )
    with open(os.path.join(root, ".git", _MARK), "w", encoding="utf-8") as file:
        file.write("A clone of planrail's own: its branches are moved at will.\n")
    follow(root, {f"{_HEADS}{name}": commit, "HEAD": commit})


def _write_address(root: str, url: str) -> None:
    """By hand: as an argument of git, every user of this machine could read it."""
    if any(sign in url for sign in "\n\0"):
        raise PlanrailError("the address of the remote has a line end in it", remedy="git remote set-url")
    quoted = url.replace("\\", "\\\\").replace('"', '\\"')
    text = f'[remote "{REMOTE}"]\n\turl = "{quoted}"\n'
    write_whole(os.path.join(root, ".git", _ADDRESS), os.fsencode(text), durable=False)


def _drop_leftovers(root: str) -> None:
    """What fetches left behind that were killed; a fetch of now keeps its own."""
    told = ask_git(root, "for-each-ref", "--format=%(refname)", f"{FETCHING}/") or ""
    mine = [name for name in told.split() if _is_old(name)]
    if mine:
        ask_git(root, "update-ref", "--no-deref", "--stdin", data="".join(f"delete {name}\n" for name in mine).encode())


def _is_old(name: str) -> bool:
    with contextlib.suppress(ValueError):
        return time.time_ns() - int(name.rpartition("/")[2].partition("-")[0], 16) > 2 * _SECONDS * 1_000_000_000
    return True


def _clear_way(root: str, path: str) -> None:
    """Only real folders lead to the file: what else has such a name is not ours, or of a plan that was there before."""
    place = root
    for part in path.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
            os.unlink(place)
    last = os.path.join(root, path)
    if os.path.isdir(last) and not os.path.islink(last):
        shutil.rmtree(last)
