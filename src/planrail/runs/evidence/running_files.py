"""Which changes of a phase are to files that run things, and does the phase say so? One decision for all. Pure."""

import json
import posixpath
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.runs.evidence.running_files_table import COUNTING, RUNNING
from planrail.runs.strength.files import fits
from planrail.runs.strength.permitted_files import find_permitted, name_line
from planrail.runs.strength.weakening import Changes

KIND = "runs_things"
# Signs that some file systems leave out of a name when they compare it with another.
_UNSEEN = dict.fromkeys((*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF))

_GIT = (".git", "git~1")
_BARE = "{} is a git repository among the files: every git command there runs what its settings say"
_MOST_STEPS = 40  # links on the way to one place: more is a circle, as for the system


@record
class _Rule:
    """One row of the table: the parts of its pattern, what runs such a file, and the words that count in it."""

    parts: tuple[str, ...]
    at_top: bool
    is_folder: bool
    what: str
    words: tuple[str, ...]


@record
class RunningFile:
    """A file that runs things. `special` says after how many parts of its path the pattern of the table begins."""

    path: str
    what: str
    special: int
    words: tuple[str, ...]


def judge_running_files(text: str, paths: Iterable[str], changes: Changes, links: Mapping[str, str]) -> list[Finding]:
    """What follows for a phase of this text that changes these paths. `links` says where the links of the tree lead."""
    named = find_permitted(text, _is_running)
    found = []
    for path, known in list_running(paths, changes, links):
        # by its path, or by a folder that is special itself: `.github/workflows`, and not `src`
        parts = known.path.split("/")
        names = {path, *("/".join(parts[:count]) for count in range(known.special + 1, len(parts) + 1))}
        if names & named:
            text = f"{path} is changed, and the phase says so: {known.what}"
        else:
            text = (
                f"{path} is changed ({known.what}), and the phase does not say that it will be: put it back, or approve"
            )
            text += f" a plan whose phase has the line: {name_line(path)}"
        found.append(Finding(KIND, text, path, is_failure=not names & named))
    return found


def list_running(paths: Iterable[str], changes: Changes, links: Mapping[str, str]) -> list[tuple[str, RunningFile]]:
    """The changed files that run things, each with the name by which it does: a link may be another one."""
    found = []
    for path in paths:
        # a link beside it may lead to a folder above it
        others = [link + path[len(to) :] for link, to in links.items() if path == to or path.startswith(f"{to}/")]
        known = next(filter(None, map(find_running, (path, *others))), None)
        # in some files only lines with certain words are about what the table means
        contents = [_counting_part(known, one or b"") for one in changes.get(path, ())] if known and known.words else []
        if known is not None and (not contents or contents[0] != contents[1]):
            found.append((path, known))
    return found


def find_running(path: str) -> RunningFile | None:
    parts = tuple(plain_name(part) for part in path.split("/"))
    for start, part in enumerate(parts):
        for rule in _candidates(part):
            rest, wanted = parts[start:], len(rule.parts)
            is_long = len(rest) == wanted or (len(rest) > wanted and rule.is_folder)
            if (start == 0 or not rule.at_top) and is_long and all(map(fits, rest, rule.parts)):
                return RunningFile(path, rule.what, start, rule.words)
    return None


def name_running_files(text: str) -> tuple[tuple[str, str], ...]:
    """The files that run things which a text says it changes, each with what runs it: what a person should be shown."""
    known = ((name, find_running(name)) for name in sorted(find_permitted(text, _is_running)))
    return tuple((name, found.what) for name, found in known if found is not None)


def _is_running(name: str) -> bool:
    return find_running(name) is not None


def plain_name(part: str) -> str:
    """A part of a path, as the least particular file system compares it."""
    return part.translate(_UNSEEN).rstrip(" .").casefold() or part


def _counting_part(known: RunningFile, content: bytes) -> object:
    """The scripts of these names that a package has, all of a text that cannot be read so; else the lines with them."""
    if not known.path.casefold().endswith(".json"):
        lines = (line.strip() for line in content.decode("utf-8", "replace").splitlines())
        return [line for line in lines if any(word in line for word in known.words)]
    try:
        scripts = json.loads(content or b"{}").get("scripts", {})
        return {name: scripts[name] for name in known.words if name in scripts}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return content


@cache
def _rules() -> dict[str, list[_Rule]]:
    """The rules by the first part of their patterns; `*` has those that begin with a pattern."""
    found: dict[str, list[_Rule]] = {"*": []}
    for what, patterns in RUNNING:
        for text in patterns.split():
            parts, words = tuple(text.strip("/").casefold().split("/")), tuple(COUNTING.get(text, "").split())
            rule = _Rule(parts, text.startswith("/"), text.endswith("/"), what, words)
            found.setdefault(parts[0] if "*" not in parts[0] else "*", []).append(rule)
    return found


@cache
def _candidates(part: str) -> tuple[_Rule, ...]:
    """The rules whose pattern may begin with this part of a path. Most names are no beginning of any."""
    return (*_rules().get(part, ()), *(rule for rule in _rules()["*"] if fits(part, rule.parts[0])))


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
    waiting, steps = links[path].split("/"), 0
    if links[path].startswith("/"):
        return None
    while waiting and steps < _MOST_STEPS:
        part = waiting.pop(0)
        if part == "..":
            if not folders:
                return None
            folders.pop()
        elif part not in ("", "."):
            folders.append(part)
            if target := links.get("/".join(folders)):
                if target.startswith("/"):
                    return None
                folders.pop()
                waiting[:0], steps = target.split("/"), steps + 1
    return "/".join(folders)


def find_bare(names: Collection[str], changed: Iterable[str]) -> list[Finding]:
    """Repositories without a working tree among the files of a tree that a change has a part in: a process that runs
    git in one runs what its settings say."""
    plain = {"/".join(plain_name(part) for part in name.split("/")): name for name in names}
    touched = [f"{path}/" for path in changed]
    found = []
    for low, name in sorted(plain.items()):
        at = low.rpartition("/")[0]
        folder = posixpath.dirname(name)
        is_touched = any(path.startswith(f"{folder}/" if folder else "") for path in touched)
        if not is_touched or low.rpartition("/")[2] != "head":
            continue
        inside = f"{at}/" if at else ""
        kinds = {name[len(inside) :].partition("/")[0] for name in plain if name.startswith(inside)}
        if "commondir" in kinds or {"objects", "refs"} <= kinds:
            found.append(Finding("bare_repository", _BARE.format(folder or "."), folder))
    return found
