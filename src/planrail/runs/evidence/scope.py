"""Does the work of a phase keep to what its text says: the files that it names, and the items that are ticked? Pure.

A text that names files accounts for those, for what lies under a folder that it names, and for their tests. Other files
are named to people; where the text says that nothing else is touched, they speak against the phase. A text that names
none judges nothing: what changed is shown.
"""

import fnmatch
import re
from collections.abc import Callable, Collection, Iterable, Iterator

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.base.wording import clip, name_some
from planrail.plans.words.kept_paths import list_kept
from planrail.plans.words.words import word_set
from planrail.runs.strength.permitted_words import REFUSING, TAKING

_FENCE = pattern(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_PATH = pattern(
    r"(?<![\w/.-])(?:[\w@*-][\w.@*-]*/)*"
    r"(?:[\w@*-][\w.@*-]+\.[A-Za-z*]\w{0,9}|[\w@*-]\.[A-Za-z]\w{1,9}|[A-Z][a-z]+file|[\w.-]+/)(?![\w/])"
)
_NO_FILES = word_set("node.js|vue.js|next.js|nuxt.js|react.js|express.js|three.js|d3.js|socket.io|asp.net")
_CODE = pattern(r"`([^`\n]+)`")
_CLOSED = pattern(
    r"\bnothing else\b|\bno other files?\b|\bno files? (?:other than|besides)\b|\bnothing but\b"
    r"|\bonly (?:these|this|the following)\b"
    r"|\b(?:touch|change|edit|modify|update)(?:es|s)? only\b|\bonly (?:touch|change|edit|modify|update)\b|\band only\b"
    r"|\bsonst nichts\b|\bnur diese\b|\bkeine (?:anderen|weiteren) dateien\b|\brien d'autre\b|\baucun autre fichier\b"
    r"|\bnada más\b|\bningún otro archivo\b|\bsolo est[eo]s?\b|\bnada mais\b|\bnenhum outro arquivo\b|\bnient'altro\b"
    r"|\bnessun altro file\b|\bбольше ничего\b|\bтолько эт\w+|仅限|只(?:修改|改|能改)|不(?:要)?(?:修改|改动)其他"
    r"|だけを(?:変更|編集)|以外は変更しない|만 (?:수정|변경)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\b(?:if|where|unless|optional|optionally|e\.g\.|or)\b", re.IGNORECASE)
_MAKES = pattern(
    r"\b(?:write|create|add|implement|introduce|generate|put|save|define|build|extend|update|change|edit|modify)\b",
    re.I,
)
_NEW = pattern(r"\b(?:write|create|generate|save)\b", re.IGNORECASE)
_NAME = pattern(r"([A-Za-z_][A-Za-z0-9_]{2,})(?:\(.*\))?")
_LEFT_BY_TOOLS = ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", "node_modules")
_MOST = 5
CHANGED, UNACCOUNTED = "changed_files", "unaccounted"


@record
class PhaseScope:
    """The files that a text names, and the line by which it says that there are no others; "" where it does not."""

    named: frozenset[str]
    closed_by: str = ""


@record
class TickedItem:
    text: str
    line: int
    is_ticked: bool


def read_scope(text: str, around: str = "", rules: Iterable[str] = ()) -> PhaseScope:
    """What a phase says about files. `around` is what the plan says outside of its phases, which may name more, but for
    what its `rules` keep as it is."""
    lines = _FENCE.sub("", text).split("\n")
    closed_by = next((line.strip() for line in lines if _CLOSED.search(line)), "")
    named = {path for line in lines for path in _named_in(line)}
    more = set() if closed_by else {path for line in _FENCE.sub("", around).split("\n") for path in _named_in(line)}
    kept = {path.rstrip("/") for rule in rules for path in list_kept(rule)}
    return PhaseScope(frozenset(named | (more - kept if named else set())), closed_by)


def _named_in(line: str) -> Iterator[str]:
    """The paths of a line, up to the first word that refuses: "change `a.py`, and leave `b.py` as it is"."""
    plain, kept = _CLOSED.sub(" ", line), {path.rstrip("/") for path in list_kept(line)}
    for found in _PATH.finditer(plain):
        before = re.findall(r"[\w'’-]+", plain[: found.start()].lower().rpartition(". ")[2])
        path = found[0].removeprefix("./").rstrip("/")
        if found[0].lower() not in _NO_FILES and not REFUSING & set(before) and path not in kept:
            yield path


def judge_scope(scope: PhaseScope, changed: Collection[str]) -> list[Finding]:
    own = sorted(path for path in changed if not any(part in path.split("/") for part in _LEFT_BY_TOOLS))
    if not own:
        return []
    if not scope.named:
        return [Finding(CHANGED, f"changed: {name_some(own, _MOST)}", is_failure=False)]
    others = [path for path in own if not is_named(path, scope.named)]
    if not others:
        return []
    if scope.closed_by:
        said = clip(scope.closed_by.lstrip("-*# "), 80)
        return [Finding("outside_scope", f"{name_some(others, _MOST)}: changed, and the phase says “{said}”")]
    text = f"not accounted for by the phase: {name_some(others, _MOST)}"
    return [Finding(UNACCOUNTED, text, is_failure=False)]


def judge_kept(rules: Iterable[str], changed: Collection[str]) -> list[Finding]:
    """What speaks against work that changes a path of which the plan says that it stays as it is.

    A name without a slash is that of a file: what else has such a name is no program's to judge.
    """
    found = []
    for rule in rules:
        for name in list_kept(rule):
            folder = f"{name.rstrip('/')}/"
            own = sorted(one for one in changed if one == name or ("/" in name and one.startswith(folder)))
            if own:
                text = f"{name_some(own, _MOST)}: changed, and the plan says “{clip(rule, 120)}”"
                found.append(Finding("outside_scope", text))
    return found


def is_named(path: str, named: Iterable[str]) -> bool:
    """Whether a file is one of these, lies below one, or is the test of one."""
    base = path.rpartition("/")[2]
    stem = re.sub(
        r"^test_|_test$|\.test$|\.spec$", "", base.partition(".")[0] if base.count(".") < 2 else base.rpartition(".")[0]
    )
    for name in named:
        last = name.rpartition("/")[2]
        is_same = path == name or ("/" not in name and last == base) or path.endswith(f"/{name}")
        is_below = path.startswith(f"{name}/") or fnmatch.fnmatchcase(path, name)
        is_test = stem != base.partition(".")[0] and stem == last.partition(".")[0]
        if is_same or is_below or is_test:
            return True
    return False


def judge_items(
    items: Iterable[TickedItem],
    exists: Callable[[str], bool],
    changed: Collection[str],
    has_symbol: Callable[[str], bool],
) -> list[Finding]:
    """The items that are not true: what they order to write is not there; and, ticked, it was not touched. One that is
    open is marked with its phase, and is not true where neither its file was touched nor its name is anywhere."""
    found = []
    for item in items:
        why = _why_false(item, exists, changed, has_symbol)
        if why:
            state = "is ticked" if item.is_ticked else "is open"
            text = f"line {item.line}, “{clip(item.text, 60)}”, {state}, and {why}"
            found.append(Finding("false_item", text, str(item.line)))
    return found


def _why_false(
    item: TickedItem, exists: Callable[[str], bool], changed: Collection[str], has_symbol: Callable[[str], bool]
) -> str:
    words = set(re.findall(r"[\w'’-]+", item.text.lower()))
    if words & (REFUSING | TAKING) or _OPEN.search(item.text) or not _MAKES.search(item.text):
        return ""  # what is taken away, or may be left, says nothing by being absent
    paths = [path for path in _named_in(item.text) if "*" not in path]
    gone = [path for path in paths if not exists(path)]
    if gone and (item.is_ticked or _NEW.search(item.text)):
        return f"there is no {gone[0]}"
    is_idle = bool(paths) and not any(is_named(other, paths) for other in changed)
    if item.is_ticked and is_idle:
        return f"nothing changed in {paths[0]}"
    names = [match[1] for code in _CODE.findall(item.text) if (match := _NAME.fullmatch(code.strip()))]
    absent = [name for name in names if name not in paths and not has_symbol(name)]
    # an open one becomes ticked with its phase: then both speak against it
    return f"there is no `{absent[0]}` anywhere" if absent and (item.is_ticked or is_idle) else ""
