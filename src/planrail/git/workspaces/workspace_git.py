"""The git directories around a workspace, written by hand: a process for each of these few files would cost more.

A workspace has two. The agent's own (`.git` inside of it) is for the agent: its commits, branches and settings mean
nothing to planrail. planrail's view of it lies beside planrail's index: HEAD is the base, all else is the user's
repository, so that the user's settings, filters and ignore rules count, and nothing that an agent wrote.
"""

import hashlib
import os
import stat
from collections.abc import Iterator

from planrail.base.errors import ToolFailed
from planrail.base.whole_files import write_whole
from planrail.git.checkouts import Home
from planrail.git.git_writing import ask_git
from planrail.git.tree_removal import remove_tree

_LONGEST = 4096  # bytes of a file that names a folder
_DEEPEST = 5  # alternates of alternates; git follows no more either
# What a repository may say about its files. Nothing that runs a program but the filters that git itself would run.
_SETTINGS = frozenset(
    f"core.{name}"
    for name in (
        *("autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode", "excludesfile"),
        *("attributesfile", "longpaths", "quotepath", "abbrev", "commentchar", "protecthfs", "protectntfs"),
    )
)
_PERSON = ("user.name", "user.email")
_COPIED = ("info/exclude", "info/attributes")
# The agent's commits ask nobody for a signature, and run no hook of the user's.
_OWN = {
    "core.hookspath": "/dev/null",
    "core.bare": "false",
    "core.logallrefupdates": "true",
    "commit.gpgsign": "false",
    "tag.gpgsign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_SETTINGS_FILE, _HEAD = "workspace.settings", "HEAD"


def check_place(path: str) -> None:
    """Refuse a folder in whose place, or above it, there is a link."""
    if os.path.realpath(path) != path or not os.path.isdir(path):
        raise ToolFailed(f"{path} is not the folder that planrail made", remedy="planrail stop, then run again")


def view_of(index: str) -> str:
    return f"{index}.git"


def make_view(home: Home, index: str, base: str) -> str:
    """The git directory for planrail's own questions: HEAD is the base, and the rest is the user's repository."""
    if home.has_tables:
        return home.git_dir  # HEAD in a file would not be believed there
    view = view_of(index)
    os.makedirs(view, mode=0o700, exist_ok=True)
    settings = _read_bytes(os.path.join(home.git_dir, "config.worktree"))
    write_file(os.path.join(view, "commondir"), os.fsencode(f"{home.common}\n"))
    write_file(os.path.join(view, _HEAD), os.fsencode(f"{base}\n"))
    if settings:
        write_file(os.path.join(view, "config.worktree"), settings)
    return view


def find_view(home: Home, index: str) -> str:
    return home.git_dir if home.has_tables else view_of(index)


def write_clone(home: Home, path: str, base: str, index: str) -> None:
    """Make the agent's `.git` anew: the user's objects, a detached HEAD, no remote, no hook, no settings of before."""
    place = os.path.join(path, ".git")
    remove_tree(place)
    for name in ("objects/info", "refs/heads", "refs/tags", "info"):
        os.makedirs(os.path.join(place, name))
    alternates = "".join(f"{folder}\n" for folder in dict.fromkeys(object_folders(home.common)))
    write_file(os.path.join(place, "objects/info/alternates"), os.fsencode(alternates))
    write_file(os.path.join(place, "config"), os.fsencode(load_settings(home, index)))
    for name in (*_COPIED, "shallow"):
        _copy_if_there(os.path.join(home.common, name), os.path.join(place, name))
    _copy_tags(home, place)
    copy_index(index, os.path.join(place, "index"))
    write_file(os.path.join(place, _HEAD), os.fsencode(f"{base}\n"))


def write_link(home: Home, path: str, base: str, index: str) -> None:
    """Make the workspace a linked working tree of the user's repository, as `git worktree add --detach` would."""
    if home.has_tables:
        raise ToolFailed(f"{home.common} keeps refs in tables", remedy='set [run] workspace = "clone"')
    admin = link_folder(home, path)
    remove_tree(admin)
    os.makedirs(admin)
    write_file(os.path.join(admin, "locked"), b"planrail works here\n")
    write_file(os.path.join(admin, "gitdir"), os.fsencode(f"{path}/.git\n"))
    write_file(os.path.join(admin, "commondir"), b"../..\n")
    copy_index(index, os.path.join(admin, "index"))
    write_file(os.path.join(admin, _HEAD), os.fsencode(f"{base}\n"))
    place = os.path.join(path, ".git")
    remove_tree(place)
    write_file(place, os.fsencode(f"gitdir: {admin}\n"))


def link_folder(home: Home, path: str) -> str:
    """Where the user's repository keeps what belongs to a linked workspace."""
    return os.path.join(home.common, "worktrees", link_name(path))


def link_name(path: str) -> str:
    """The name of a linked workspace: no other place has it."""
    return f"planrail-{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}"


def agents_index(path: str) -> str:
    """The index that git uses for the agent that works in the workspace."""
    place = os.path.join(path, ".git")
    if os.path.isdir(place):
        return os.path.join(place, "index")
    return os.path.join(_read(place).removeprefix("gitdir:").strip(), "index")


def is_linked(path: str) -> bool:
    return os.path.isfile(os.path.join(path, ".git"))


def copy_index(source: str, target: str) -> None:
    """Copy an index with its time: by that, git knows which files it cannot trust to be as they were."""
    status = os.stat(source)
    write_file(target, _read_bytes(source))
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))


def write_file(path: str, content: bytes) -> None:
    """Write a file whole, never through a link."""
    write_whole(path, content, mode=0o644, durable=False)


def load_settings(home: Home, index: str) -> str:
    """The text of a clone's `config`. git is asked once for each workspace; then it is kept beside planrail's index."""
    kept = os.path.join(view_of(index), _SETTINGS_FILE)
    text = os.fsdecode(_read_bytes(kept))
    if not text:
        settings = {**_settings_of_files(home), **_OWN}
        settings["core.repositoryformatversion"] = "1" if "extensions.objectformat" in settings else "0"
        text = "".join(_render(name, value) for name, value in settings.items())
        os.makedirs(os.path.dirname(kept), mode=0o700, exist_ok=True)
        write_file(kept, os.fsencode(text))
    return text


def knows_no_case(settings: str) -> bool:
    """Whether these settings say that two names which differ in case alone are one file here."""
    return _render("core.ignorecase", "true") in settings


def _settings_of_files(home: Home) -> dict[str, str]:
    """The settings of the user's repository that say how files are kept, and who the person is."""
    answer = ask_git(home.root, "config", "--list", "-z", "--show-scope", view=home.git_dir) or ""
    fields = answer.split("\0")
    entries = zip(fields[::2], (entry.partition("\n") for entry in fields[1::2]), strict=False)
    return {name: value for scope, (name, _, value) in entries if name in _PERSON or _is_wanted(scope, name)}


def _is_wanted(scope: str, name: str) -> bool:
    if scope not in ("local", "worktree"):
        return False
    return name in _SETTINGS or name.startswith("filter.") or name == "extensions.objectformat"


def _render(name: str, value: str) -> str:
    section, _, rest = name.partition(".")
    middle, _, key = rest.rpartition(".")
    title = f'{section} "{_escape(middle)}"' if middle else section
    return f'[{title}]\n\t{key} = "{_escape(value)}"\n'


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


def object_folders(common: str, depth: int = 0) -> Iterator[str]:
    """Where a repository's objects lie: in a folder of its own, and in those of others that it borrows from."""
    objects = os.path.join(common, "objects") if depth == 0 else common
    yield objects
    for line in _read(os.path.join(objects, "info/alternates"), 1 << 20).splitlines():
        if line and not line.startswith(("#", '"')) and depth < _DEEPEST:
            yield from object_folders(os.path.realpath(os.path.join(objects, line)), depth + 1)


def _copy_tags(home: Home, place: str) -> None:
    """The tags, since many a project computes its version from them."""
    if home.has_tables:
        return
    packed = _packed_tags(_read_bytes(os.path.join(home.common, "packed-refs")).splitlines(keepends=True))
    if packed:
        write_file(os.path.join(place, "packed-refs"), b"".join(packed))
    _copy_loose(os.path.join(home.common, "refs/tags"), os.path.join(place, "refs/tags"))


def _packed_tags(lines: list[bytes]) -> list[bytes]:
    """The lines of `packed-refs` about tags, with its head. A line that begins with `^` belongs to the one before."""
    found: list[bytes] = []
    is_wanted = True
    for line in lines:
        if not line.startswith(b"^"):
            is_wanted = line.startswith(b"#") or line.partition(b" ")[2].startswith(b"refs/tags/")
        if is_wanted:
            found.append(line)
    return found


def _copy_loose(source: str, target: str) -> None:
    for entry in os.scandir(source) if os.path.isdir(source) else ():
        place = os.path.join(target, entry.name)
        if entry.is_dir(follow_symlinks=False):
            os.makedirs(place, exist_ok=True)
            _copy_loose(entry.path, place)
        elif entry.is_file(follow_symlinks=False) and not entry.name.endswith(".lock"):
            _copy_if_there(entry.path, place)


def _copy_if_there(source: str, target: str) -> None:
    content = _read_bytes(source)
    if content:
        write_file(target, content)


def _read(path: str, most: int = _LONGEST) -> str:
    return os.fsdecode(_read_bytes(path)[:most])


def _read_bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return b""
