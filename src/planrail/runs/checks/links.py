"""The files and links of a tree, read by git, and which of them lead out of it."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.git.git_writing import run_git
from planrail.git.object_store import read_blobs
from planrail.runs.evidence.running_files import find_bare, judge_links, resolve_link

_LINK = "120000"


@record
class Shape:
    """The files of a tree by their names; `links` with their targets."""

    names: tuple[str, ...]
    links: Mapping[str, str]

    @property
    def reached(self) -> dict[str, str]:
        found = ((path, resolve_link(path, self.links)) for path in self.links)
        return {path: place for path, place in found if place}


@lru_cache(maxsize=4)  # a tree never changes, and several look at the same one
def read_shape(root: str, tree: str) -> Shape:
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
