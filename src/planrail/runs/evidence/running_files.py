"""Which changes of a phase are to files that run things, and does the phase say so? One decision for all. Pure."""

import json
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
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
_BARE = "{} is a git repository among the files: whoever runs git there runs what its settings say"
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
    found = list_running(paths, changes, links)
    return [_judge(path, known, is_named=path in named or _is_named(known, named)) for path, known in found]


def list_running(paths: Iterable[str], changes: Changes, links: Mapping[str, str]) -> list[tuple[str, RunningFile]]:
    """The changed files that run things, each with the name by which it does: a link may be another one."""
    found = []
    for path in paths:
        known = next(filter(None, (find_running(name) for name in (path, *_aliases(path, links)))), None)
        if known is not None and _counts(known, changes.get(path, (None, None)), is_read=path in changes):
            found.append((path, known))
    return found


def find_running(path: str) -> RunningFile | None:
    parts = tuple(plain_name(part) for part in path.split("/"))
    for start, part in enumerate(parts):
        for rule in _candidates(part):
            if (start == 0 or not rule.at_top) and _fits(rule, parts[start:]):
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


def _judge(path: str, known: RunningFile, *, is_named: bool) -> Finding:
    if is_named:
        text = f"{path} is changed, and the phase says so: {known.what}"
        return Finding(KIND, text, path, is_failure=False)
    text = (
        f"{path} is changed ({known.what}), and the phase does not say that it will be: put it back, or approve a plan"
    )
    return Finding(KIND, f"{text} whose phase has the line: {name_line(path)}", path)


def _is_named(known: RunningFile, named: frozenset[str]) -> bool:
    """By its path, or by a folder that is special itself: `.github/workflows`, and not `src`."""
    parts = known.path.split("/")
    return any("/".join(parts[:count]) in named for count in range(known.special + 1, len(parts) + 1))


def _counts(known: RunningFile, contents: tuple[bytes | None, bytes | None], *, is_read: bool) -> bool:
    """Whether a change is about what the table means: in some files only lines with certain words are."""
    if not known.words or not is_read:
        return True
    before, after = (_counting_part(known, content or b"") for content in contents)
    return before != after


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


def _aliases(path: str, links: Mapping[str, str]) -> Iterator[str]:
    """Other names of a path: a link beside it may lead to a folder above it."""
    for link, reached in links.items():
        if path == reached or path.startswith(f"{reached}/"):
            yield link + path[len(reached) :]


def _fits(rule: _Rule, parts: tuple[str, ...]) -> bool:
    if len(parts) < len(rule.parts) or (len(parts) > len(rule.parts) and not rule.is_folder):
        return False
    return all(fits(part, pattern) for part, pattern in zip(parts, rule.parts, strict=False))


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
    """Repositories without a working tree among the files of a tree that a change has a part in: whoever runs git in
    one runs what its settings say."""
    plain = {"/".join(plain_name(part) for part in name.split("/")): name for name in names}
    touched = [f"{path}/" for path in changed]
    found = []
    for low, name in sorted(plain.items()):
        at = low.rpartition("/")[0]
        folder = posixpath.dirname(name)
        is_touched = any(path.startswith(f"{folder}/" if folder else "") for path in touched)
        if is_touched and low.rpartition("/")[2] == "head" and _has_store(at, plain):
            found.append(Finding("bare_repository", _BARE.format(folder or "."), folder))
    return found


def _has_store(folder: str, names: Iterable[str]) -> bool:
    at = f"{folder}/" if folder else ""
    kinds = {name[len(at) :].partition("/")[0] for name in names if name.startswith(at)}
    return "commondir" in kinds or {"objects", "refs"} <= kinds
