"""Plan files: in which folder they lie, how a new one is made, and how one is found by its name.

Names come from prompts and agents and are data: they select among the files that are there and never form a path.
Nothing is ever overwritten.
"""

import errno
import os

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

IN_PROJECT = "plans"  # where plans lie that must be inside a project which says nothing about it

ARCHIVE = "archive"
SUFFIX = ".md"
TRIES = 10
_DAY = 86_400  # seconds
_LONGEST_ID = 72
_REGULAR, _KIND = 0o100000, 0o170000  # without `stat`
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
# Documents that stand in any folder and are not its plans.
_COMPANY = ("agents", "changelog", "claude", "code_of_conduct", "contributing", "gemini", "index", "license", "readme")


@record
class FileRefusal:
    """Something that is not done, why, and what to do instead."""

    reason: str
    remedy: str = ""


def decide_directory(
    setting: str | None, *, root: str, default: str, resolve: "Callable[[str], str]"
) -> str | FileRefusal:
    """The folder of the project's plans: where the setting says, if that is inside `root` once links are followed.

    `resolve` follows links, and raises OSError where no folder can be; `resolve_folder` does so on the disk.
    """
    if setting is None:
        return default
    if not setting.strip():
        return _refuse(setting, "is empty")
    if not setting.isprintable():
        return _refuse(setting, "has characters that cannot be seen")
    if setting.startswith("~"):
        return _refuse(setting, "begins with ~, which stands for a folder outside the project")
    try:
        place, limit = resolve(os.path.join(root, setting)), resolve(root)
    except (OSError, ValueError) as error:
        return _refuse(setting, f"cannot be a folder ({getattr(error, 'strerror', None) or error})")
    if not is_inside(place, limit):
        return _refuse(setting, "leads out of the project")
    if ".git" in place[len(limit) :].lower().split("/"):
        return _refuse(setting, "lies in git's own folder")
    return place


def resolve_folder(path: str) -> str:
    """The path with all links followed. Raises OSError where something that is no folder is in the way."""
    place = os.path.realpath(path)
    if os.path.realpath(place) != place:  # behind a circle of links it gives up, and leaves later links as they are
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    above = place
    while True:
        try:
            os.stat(f"{above}/.")
            return place
        except FileNotFoundError:
            above = os.path.dirname(above)


def is_inside(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies below it; both with links followed."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def create(
    directory: str, prompt: str, *, choose: "Callable[[int], int]", text: str = "", root: str | None = None
) -> str | FileRefusal:
    """Make a new plan file and return its path. What is there is never touched, whatever other process is at work.

    With `root` the folder must lie inside it, as it is on the disk at this moment.
    """
    try:
        return _find_name(directory, prompt, choose, root, lambda path: write_new(path, text))
    except OSError as error:
        return FileRefusal(
            f"no plan file could be made in {directory}: {error.strerror}", "check that you may write there"
        )


def reserve(
    directory: str, prompt: str, *, choose: "Callable[[int], int]", kept_in: str, now: float, root: str | None = None
) -> str | FileRefusal:
    """A path for a new plan that nobody else is given for a day. `kept_in` is the folder of reservations.

    The file itself is not made: agents refuse to write over a file that they have not read.
    """
    try:
        return _find_name(directory, prompt, choose, root, lambda path: _reserve_name(kept_in, path, now))
    except OSError as error:
        return FileRefusal(
            f"no plan file can be made in {directory}: {error.strerror}", "check that you may write there"
        )


def _reserve_name(kept_in: str, path: str, now: float) -> bool:
    """Whether a name could be reserved; a reservation that is older than a day has lapsed."""
    import hashlib

    os.makedirs(kept_in, 0o700, exist_ok=True)
    place = f"{kept_in}/{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()}"
    if os.path.lexists(path):
        return False
    try:
        if now - os.stat(place).st_mtime <= _DAY:
            return False
        os.unlink(place)
    except FileNotFoundError:
        pass
    return write_new(place, path)


def _find_name(
    directory: str, prompt: str, choose: "Callable[[int], int]", root: str | None, take: "Callable[[str], bool]"
) -> str | FileRefusal:
    """The first path for a plan that can be taken; its folder is made, inside `root` as the disk is now."""
    from planrail.plans.files.slugs import file_name

    place = resolve_folder(directory)
    if root is not None and not is_inside(place, os.path.realpath(root)):
        return FileRefusal(f"{directory} leads out of the project", "remove the link, or change [plans] directory")
    os.makedirs(place, exist_ok=True)
    for _ in range(TRIES):
        path = f"{place}/{file_name(prompt, choose)}"
        if take(path):
            return path
    return FileRefusal(
        f"{TRIES} names were tried in {directory}, and all are taken; nothing was written",
        "try again, or clear up with: planrail plans archive NAME",
    )


def find_in_project(root: str, name: str) -> str:
    """A Markdown file of a project that a name means: by its path, or in `plans/`; "" where there is none."""
    top = os.path.realpath(root)
    for path in (name, f"{IN_PROJECT}/{name}", f"{IN_PROJECT}/{name}.md"):
        found = os.path.realpath(os.path.join(top, path))
        if found.endswith(".md") and is_inside(found, top) and os.path.isfile(found):
            return found
    return ""


def sub_agent_path(plan_path: str, agent_id: str) -> str:
    """The file of a sub-agent's own plan, beside its parent's; different ids have different files."""
    return f"{plan_path.removesuffix(SUFFIX)}-agent-{_safe_id(agent_id)}{SUFFIX}"


def family_of(plan_path: str) -> list[str]:
    """A plan and those of its sub-agents, which lie beside it."""
    folder, name = os.path.split(plan_path)
    start = f"{name.removesuffix(SUFFIX)}-agent-"
    try:
        others = [entry for entry in os.listdir(folder) if entry.startswith(start)]
    except OSError:
        others = []
    return [plan_path, *(os.path.join(folder, other) for other in others)]


def is_sub_agent_file(name: str, names: "Iterable[str]") -> bool:
    """Whether a file is a sub-agent's, with its parent's plan among the others of the folder."""
    known, parts = set(names), name.split("-agent-")
    return any("-agent-".join(parts[:count]) + SUFFIX in known for count in range(1, len(parts)))


def match_names(names: "Iterable[str]", wanted: str) -> list[str]:
    """The names that are meant, by the first of these that fits any: equal, without suffix, in any case, a part."""
    known = list(names)
    bare = wanted.strip().casefold().removesuffix(SUFFIX)
    for group in (
        [name for name in known if name == wanted.strip()],
        [name for name in known if name == wanted.strip() + SUFFIX],
        [name for name in known if name.casefold().removesuffix(SUFFIX) == bare],
    ):
        if group:
            return group
    return [name for name in known if bare and bare in name.casefold().removesuffix(SUFFIX)]


def list_plans(directory: str) -> list[str]:
    """The names of the plan files in a folder, newest first; none where it cannot be read."""
    try:
        limit = os.path.realpath(directory)
        shown = [entry for entry in os.scandir(directory) if entry.name.isprintable() and entry.name[0] != "."]
        plans = [entry for entry in shown if entry.name.lower().endswith(SUFFIX)]
        named = [entry for entry in plans if entry.name.lower().removesuffix(SUFFIX) not in _COMPANY]
        dated = [(_modified(entry, limit), entry.name) for entry in named]
    except OSError:
        return []
    return [name for modified, name in sorted(dated, key=lambda pair: (-pair[0], pair[1])) if modified]


def move(path: str, folder: str) -> str | FileRefusal:
    """Move a plan into a folder under a name that is free there, and return the new path."""
    stem = os.path.basename(path).removesuffix(SUFFIX)
    try:
        if os.path.islink(path) or os.path.islink(folder):
            return FileRefusal(f"{path if os.path.islink(path) else folder} is a link", "move what it leads to by hand")
        os.makedirs(folder, exist_ok=True)
        for number in range(1, 1000):
            place = f"{folder}/{stem}{f'-{number}' if number > 1 else ''}{SUFFIX}"
            if write_new(place, ""):
                return _rename_over(path, place)
    except OSError as error:
        return FileRefusal(f"{path} could not be moved: {error.strerror}", "check that you may write there")
    return FileRefusal(f"every name for {stem} is taken in {folder}", "clear up there")


def _refuse(setting: str, fault: str) -> FileRefusal:
    return FileRefusal(
        f"[plans] directory is {setting!r}, which {fault}", 'write a folder of the project, such as "plans"'
    )


def write_new(path: str, text: str) -> bool:
    """Write a file that is not there yet; False where it is. A half-written one is taken away again."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        return False
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)
    return True


def _rename_over(path: str, place: str) -> str:
    """Rename over the empty file that was made to keep the name, and over nothing else."""
    try:
        os.rename(path, place)
    except OSError:
        os.unlink(place)
        raise
    return place


def _safe_id(agent_id: str) -> str:
    """An id as part of a file name: what could leave the folder is spelled out, what is too long is summed up."""
    letters = [
        character if character in _SAFE else "~" + character.encode("utf-8", "surrogatepass").hex()
        for character in agent_id
    ]
    spelled = "".join(letters) or "~"
    if len(spelled) <= _LONGEST_ID:
        return spelled
    import hashlib  # for ids that no agent has

    return spelled[:40] + "~" + hashlib.sha256(spelled.encode()).hexdigest()[:24]


def _modified(entry: "os.DirEntry[str]", limit: str) -> int:
    """When a file was last written; 0 for what is no file, or a link that leads out."""
    try:
        if entry.is_symlink() and not is_inside(os.path.realpath(entry.path), limit):
            return 0
        status = entry.stat()
    except OSError:
        return 0
    return max(status.st_mtime_ns, 1) if status.st_mode & _KIND == _REGULAR else 0
