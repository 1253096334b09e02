"""The shape of a tree: its names and links, and what among them must not land."""

import posixpath
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.git.change_reading import read_blobs
from planrail.git.git_writing import run_git
from planrail.runs.evidence.running_files import plain_name

_GIT = (".git", "git~1")
_BARE = "{} is a git repository among the files: whoever runs git there runs what its settings say"
_MOST_STEPS = 40  # links on the way to one place: more is a circle, as for the system
_LINK = "120000"


# Links of a tree that lead out of it or into `.git`, and repositories among its files. Pure. What a check finds behind
# such a link is not in the tree, and would not land; what is written through one is not either.


def judge_links(links: Mapping[str, str]) -> dict[str, Finding]:
    """What speaks against links, by their paths; `links` are all those of a tree, with their targets."""
    found = {}
    for path, target in links.items():
        reached = resolve_link(path, links)
        if reached is None:
            text = f"{path} is a link to {target}, which is not part of the work"
            found[path] = Finding("link_leads_out", text, path)
        elif any(plain_name(part) in _GIT for part in reached.split("/")):
            text = f"{path} is a link to {target}, which leads into git's own files"
            found[path] = Finding("link_leads_out", text, path)
    return found


def resolve_link(path: str, links: Mapping[str, str]) -> str | None:
    """Where a link leads, by way of other links of the tree: a path inside of it, "" for its top; None for outside."""
    folders = [part for part in posixpath.dirname(path).split("/") if part]
    waiting = links[path].split("/")
    if links[path].startswith("/"):
        return None
    for _ in range(_MOST_STEPS):
        met = _walk(folders, waiting, links)
        if met is None:
            return None
        if not met:
            return "/".join(folders)
        folders.pop()
        if met.startswith("/"):
            return None
        waiting[:0] = met.split("/")
    return "/".join(folders)


def _walk(folders: list[str], waiting: list[str], links: Mapping[str, str]) -> str | None:
    """Go on until a link is met: its target, "" where there is none left, None where the way leads out."""
    while waiting:
        part = waiting.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not folders:
                return None
            folders.pop()
            continue
        folders.append(part)
        if target := links.get("/".join(folders)):
            return target
    return ""


def find_bare(names: Collection[str], changed: Iterable[str]) -> list[Finding]:
    """Repositories without a working tree among the files of a tree that a change has a part in: whoever runs git in
    one runs what its settings say."""
    plain = {"/".join(plain_name(part) for part in name.split("/")): name for name in names}
    touched = [f"{path}/" for path in changed]
    found = []
    for low, name in sorted(plain.items()):
        at = low.rpartition("/")[0]
        folder = posixpath.dirname(name)
        if low.rpartition("/")[2] == "head" and _has_store(at, plain) and _is_touched(folder, touched):
            found.append(Finding("bare_repository", _BARE.format(folder or "."), folder))
    return found


def _is_touched(folder: str, touched: list[str]) -> bool:
    return any(path.startswith(f"{folder}/" if folder else "") for path in touched)


def _has_store(folder: str, names: Iterable[str]) -> bool:
    at = f"{folder}/" if folder else ""
    kinds = {name[len(at) :].partition("/")[0] for name in names if name.startswith(at)}
    return "commondir" in kinds or {"objects", "refs"} <= kinds


@record
class Shape:
    """The files of a tree by their names; `links` with their targets."""

    names: tuple[str, ...]
    links: Mapping[str, str]

    @property
    def reached(self) -> dict[str, str]:
        """Where each link leads inside of the tree."""
        found = ((path, resolve_link(path, self.links)) for path in self.links)
        return {path: place for path, place in found if place}


@lru_cache(maxsize=4)  # a tree never changes, and several look at the same one
def read_shape(root: str, tree: str) -> Shape:
    """The shape of a tree or a commit."""
    entries = [entry.partition("\t") for entry in run_git(root, "ls-tree", "-r", "-z", tree).split("\0") if entry]
    links = [(name, about.split()[2]) for about, _, name in entries if about.startswith(_LINK)]
    targets = read_blobs(root, [oid for _, oid in links])
    texts = ((target or b"").decode("utf-8", "surrogateescape") for target in targets)
    return Shape(tuple(name for _, _, name in entries), dict(zip((name for name, _ in links), texts, strict=True)))


def find_misshapen(root: str, base: str, shape: Shape, changed: Iterable[str]) -> list[Finding]:
    """The links of a tree that lead out, if they did not on the base, and the repositories among its files."""
    paths = list(changed)
    wrong = judge_links(shape.links)
    if any(path not in paths for path in wrong):
        before = judge_links(read_shape(root, base).links)
        wrong = {path: finding for path, finding in wrong.items() if path in paths or path not in before}
    return [*wrong.values(), *find_bare(shape.names, paths)]
