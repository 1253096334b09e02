"""The names of all files, arranged so that a citation is found in one look, and what comes closest to one that is not."""

import re
from itertools import pairwise

from planrail.plans.lint.grounding.file_types import GENERATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPO = 0.84  # similarity from which a name is likelier a slip than another file
_CLOSE = 0.7  # from which it is worth a suggestion


class FileIndex:
    """Paths by their whole, by their folders and by their last part."""

    def __init__(self, paths: "Sequence[str]") -> None:
        self.files = frozenset(paths)
        self.names: dict[str, list[str]] = {}
        self.folders: set[str] = set()
        self.folder_names: dict[str, list[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            self.names.setdefault(name, []).append(path)
            self._note_folder(folder)
        self._stems: set[str] = set()
        self._by_ending: dict[str, list[tuple[str, int]]] | None = None

    def _note_folder(self, folder: str) -> None:
        while folder and folder not in self.folders:
            self.folders.add(folder)
            parent, _, name = folder.rpartition("/")
            self.folder_names.setdefault(name, []).append(folder)
            folder = parent

    def find(self, path: str, beside: str) -> list[str]:
        """The files and folders that a cited path may mean; `beside` is the folder of the plan that cites it.

        A path may be given from the root, from the plan's folder or from any folder between, and a module without
        its ending.
        """
        path = _normal(path, beside)
        if path in self.files or path in self.folders:
            return [path]
        name = path.rsplit("/", 1)[-1]
        ending = "/" + path
        found = [file for file in self.names.get(name, ()) if file.endswith(ending)]
        found += [folder for folder in self.folder_names.get(name, ()) if folder.endswith(ending)]
        return found or self._find_shorter(path)

    def _find_shorter(self, path: str) -> list[str]:
        """The path without its first part, which may be the name of the repository itself."""
        first, _, rest = path.partition("/")
        if "/" in rest and first not in self.folders and (rest in self.files or rest in self.folders):
            return [rest]
        return []

    def find_module(self, path: str) -> bool:
        """Whether a path without an ending names a module: `src/parser` for `src/parser.ts`."""
        if not self._stems:
            self._stems.update(file.split(".")[0] if file[0] != "." else file for file in self.files)
        return path in self._stems

    def is_generated(self, path: str) -> bool:
        """Whether a path lies in what a build or a machine leaves behind, and the repository does not hold."""
        parts = path.split("/")
        return any(
            part.startswith(".env") or (part in GENERATED and part not in self.folder_names) for part in parts
        )

    def matches(self, pattern: str) -> bool:
        """Whether a glob matches a file or a folder, from the root or from any folder."""
        expression = re.compile("(?:.*/)?" + _translate(pattern.rstrip("/")) + r"(?:/.*)?\Z")
        return any(expression.match(path) for path in self.files)

    def closest(self, path: str) -> tuple[str, bool]:
        """What comes closest to a path that is not there, and whether that is near enough for a slip.

        The same name elsewhere comes first. It proves a slip only where it is the only file of that name.
        """
        name = path.rsplit("/", 1)[-1]
        same = self.names.get(name, []) + self.folder_names.get(name, [])
        if same:
            best = max(same, key=lambda other: _shared_parts(other, path))
            return best, len(same) == 1
        return self._similar(path, name)

    def _similar(self, path: str, name: str) -> tuple[str, bool]:
        from difflib import SequenceMatcher

        stem, dot, ending = name.rpartition(".")
        stem, ending = (stem, ending) if dot else (name, "")
        best, score = "", 0.0
        for other, mask in self._ending(ending):
            if not _may_resemble(stem, _mask(stem), other, mask):
                continue
            ratio = SequenceMatcher(None, stem.lower(), other.lower(), autojunk=False).ratio()
            if ratio > score:
                best, score = other, ratio
        if score < _CLOSE:
            return "", False
        places = self.names[f"{best}.{ending}" if dot else best]
        nearest = max(places, key=lambda place: _shared_parts(place, path))
        is_near = nearest.rpartition("/")[0].endswith(path.rpartition("/")[0])
        return nearest, score >= _TYPO and is_near and not _differs_in_number(stem, best)

    def _ending(self, ending: str) -> list[tuple[str, int]]:
        if self._by_ending is None:
            self._by_ending = {}
            for name in self.names:
                stem, dot, last = name.rpartition(".")
                entry = (stem, _mask(stem)) if dot else (name, _mask(name))
                self._by_ending.setdefault(last if dot else "", []).append(entry)
        return self._by_ending.get(ending, [])


def _normal(path: str, beside: str) -> str:
    """A path without `.` and `..`, which count from the plan's folder."""
    if not path.startswith(("../", "./")) and "/../" not in path:
        return path
    parts = beside.split("/") if path.startswith("../") and beside else []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


def _translate(pattern: str) -> str:
    """A glob as a regular expression: `**` crosses folders, `*` and `?` do not."""
    return re.sub(
        r"\\\*\\\*/|\\\*\\\*|\\\*|\\\?",
        lambda match: {r"\*\*/": "(?:.*/)?", r"\*\*": ".*", r"\*": "[^/]*", r"\?": "[^/]"}[match[0]],
        re.escape(pattern).replace("/", "/"),
    )


def _shared_parts(path: str, other: str) -> tuple[int, int]:
    """How alike two paths are: the parts they have in common, then the shorter one."""
    return len(set(path.split("/")) & set(other.split("/"))), -len(path)


def _mask(stem: str) -> int:
    """The letter pairs of a name as bits: names that share few cannot be alike, and are not compared."""
    lower = stem.lower()
    mask = 0
    for first, second in pairwise(lower):
        mask |= 1 << ((ord(first) * 31 + ord(second)) % 61)
    return mask


def _may_resemble(stem: str, mask: int, other: str, other_mask: int) -> bool:
    longest = max(len(stem), len(other))
    return (
        abs(len(stem) - len(other)) * 3 <= longest and (mask & other_mask).bit_count() * 2 >= mask.bit_count()
    )


def _differs_in_number(stem: str, other: str) -> bool:
    """`step_2` beside `step_1` is the next one, not a slip."""
    return re.sub(r"\d+", "", stem) == re.sub(r"\d+", "", other)
