"""The documents of a task: those that its entry lists, where they really lie, and those that nobody has listed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from shlex import quote

from planrail.base.records import record
from planrail.tasks.importing.drafts import TaskDraft
from planrail.tasks.importing.model import KEPT
from planrail.tasks.model import FOLDERS, PLAN, REPORT, TYPES, Task, number_of

_FOLDER = re.compile(r"(?P<prefix>[A-Za-z]{1,6}[_-])?(?P<number>\d{1,9})[_-](?P<name>.+)")
_KINDS = {folder: type_ for type_, folder in FOLDERS.items()}
Entry = dict[str, object]  # of a document


@record
class Folder:
    path: str
    number: int
    name: str
    is_archived: bool
    is_canonical: bool  # three digits and nothing before them
    files: tuple[str, ...] = ()


class Shelf:
    """What lies on the disk: the folders of tasks, and which of the documents elsewhere exist.

    `plans` are texts by path, `skipped` says why something was not looked into.
    """

    def __init__(
        self,
        files: Iterable[str],
        base: str = "specs",
        empty: Iterable[str] = (),
        others: Collection[str] = (),
        plans: Mapping[str, str] | None = None,
        skipped: Mapping[str, str] | None = None,
    ) -> None:
        self.base, self.others, self.plans, self.skipped = base, others, plans or {}, skipped or {}
        self.files = frozenset(files)
        self.folders: list[Folder] = []
        self.by_number: dict[int, list[Folder]] = {}
        grouped: dict[str, list[str]] = {path: [] for path in empty}
        for path in sorted(self.files):
            grouped.setdefault(task_folder(path, base), []).append(path)
        for path, inside in sorted(grouped.items()):
            last = path.rsplit("/", 1)[-1]
            match = _FOLDER.fullmatch(last)
            if match is not None:
                number, name = int(match["number"]), match["name"]
                is_archived, is_canonical = path.startswith(f"{base}/archive/"), last == f"{number:03d}_{name}"
                self.folders.append(Folder(path, number, name, is_archived, is_canonical, tuple(inside)))
                self.by_number.setdefault(number, []).append(self.folders[-1])

    def find(self, path: str, number: int) -> str | None:
        """Where a document lies that was named so: there, in the archive, or in the task's folder under another name.

        A folder may have lost its prefix or its padding, or got another name: the rest of the path decides.
        """
        wanted = clean_path(path, self.base)
        if wanted in self.files:
            return wanted
        inside = wanted.removeprefix(f"{self.base}/").removeprefix("archive/")
        first, _, rest = inside.partition("/")
        match = _FOLDER.fullmatch(first)
        said, name, tail = (int(match["number"]), match["name"], rest) if match is not None else (number, "", inside)
        folders = [folder for one in dict.fromkeys((said, number)) for folder in self.by_number.get(one, ())]
        tails = [f"{one.path}/{tail}" for one in sorted(folders, key=lambda folder: folder.name != name)]
        places = (f"{self.base}/archive/{inside}", f"{self.base}/{inside}", *tails)
        return next((place for place in places if place in self.files), wanted if wanted in self.others else None)


def settle_documents(draft: TaskDraft, folders: Iterable[Folder], shelf: Shelf) -> None:
    """The documents of a draft, in place: all of them exist, lie where they say and have a known type.

    First those of its entry, then those that TODO.md links, then what lies in its folders and is listed nowhere. What
    cannot be linked is kept aside, and told.
    """
    found: dict[str, Entry] = {}
    for item in raw_documents(draft):
        settled = _settle({"path": item} if isinstance(item, str) else item, draft, shelf)
        if settled is None:
            continue
        path = str(settled["path"])
        earlier = found.pop(path, settled)
        if earlier is not settled:
            draft.tell("field_unusable", f" lists {path} twice; the later entry counts")
            _keep([earlier] if earlier != settled else [], draft)
        found[path] = settled
    for type_, path in draft.todo.links if draft.todo is not None else ():
        lies = shelf.find(path, draft.number)
        if lies is None:
            _keep([{"path": path, "type": type_, "source": "TODO.md"}], draft)
            draft.tell("artifact_missing", f": {path} is not there; no longer linked")
        elif lies not in found:
            draft.tell("only_in_one", f": only TODO.md links {lies}; linked")
            found[lies] = _entry({}, lies, type_, draft)
    has_plan = any(item["type"] == PLAN for item in found.values())  # the one that holds: it has replaced the others
    for type_, path in (one for folder in folders for one in documents(folder) if one[1] not in found):
        if type_ == PLAN and has_plan:
            remedy = f"planrail task link-artifact {draft.number} plan {quote(path)}"
            draft.tell("file_unlisted", f" does not list {path}; it has another plan", remedy)
        else:
            found[path] = _entry({}, path, type_, draft)
            draft.tell("file_unlisted", f" does not list {path}; linked")
    draft.entry["artifacts"] = list(found.values())
    _settle_round(draft, [(item["type"], item["round"]) for item in found.values()])


def _settle_round(draft: TaskDraft, rounds: Sequence[tuple[object, object]]) -> None:
    """The number of the next round: what the entry says, unless its reports are ahead of that."""
    numbers = [(type_, round_) for type_, round_ in rounds if isinstance(round_, int)]
    reports = max((round_ for type_, round_ in numbers if type_ == REPORT), default=0)
    said = draft.entry.get("next_artifact_number")
    if not _is_count(said):
        draft.kept |= {"next_artifact_number": said} if said is not None else {}
        draft.entry["next_artifact_number"] = max((round_ for _, round_ in numbers), default=0) + 1
    elif isinstance(said, int) and said <= reports:
        sides = {"state.json": said, "the name of a report": reports + 1}
        draft.remarks.differ(draft.number, "next round", sides, reports + 1)
        draft.entry["next_artifact_number"] = reports + 1


def _is_count(value: object, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 10**6


def raw_documents(draft: TaskDraft) -> list[object]:
    value = draft.entry.get("artifacts")
    return value if isinstance(value, list) else [] if value in (None, "", {}) else [value]


def named_paths(draft: TaskDraft) -> list[str]:
    paths = [item.get("path") if isinstance(item, dict) else item for item in raw_documents(draft)]
    return [path for path in paths if isinstance(path, str) and path.strip()]


def _settle(item: object, draft: TaskDraft, shelf: Shelf) -> Entry | None:
    said = item.get("path") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(said, str) or not said.strip():
        _keep([item], draft)
        draft.tell("field_unusable", ": a document without a path; kept aside")
        return None
    lies, kind = shelf.find(said, draft.number), item.get("type")
    # What an older file calls `implementation` is code, unless it lies among the summaries.
    by_place = [_KINDS[part] for part in (lies or "").split("/")[:-1] if part in _KINDS]
    type_ = str(kind) if kind in TYPES else REPORT if kind == "research" else "".join(by_place[-1:])
    if lies is None:
        draft.tell("artifact_missing", f": {said} is not there; no longer linked")
    elif not type_:
        draft.tell("field_unusable", f": {lies} is a `{kind or '?'}`, which planrail does not have; kept aside")
    elif lies != clean_path(said, shelf.base):
        draft.tell("artifact_moved", f": {said} lies at {lies}; the link follows")
    elif type_ != kind and kind not in ("research", "implementation"):
        draft.tell("field_unusable", f": {lies} is listed as `{kind or '?'}`; taken as {type_}")
    if lies is not None and type_:
        return _entry(item, lies, type_, draft)
    _keep([item], draft)
    return None


def _entry(item: Entry, place: str, type_: str, draft: TaskDraft) -> Entry:
    """An entry of a document. The round is the one that a name states; `research-072.md` of task 72 states the task."""
    summary, round_, stated = item.get("summary"), item.get("round"), number_of(place)
    if not _is_count(round_, 0):
        round_ = 0 if stated == draft.number and stated > 9 else stated
    own = {"path": place, "type": type_, "summary": summary if isinstance(summary, str) else "", "round": round_}
    return {**own, **{key: value for key, value in item.items() if key not in own}}


def _keep(items: Iterable[object], draft: TaskDraft) -> None:
    kept = draft.kept.get("artifacts")
    known = kept if isinstance(kept, list) else []
    more = [item for item in items if item not in known]
    draft.kept |= {"artifacts": [*known, *more]} if more else {}


@record
class DocumentOwner:
    """A task as far as folders go: the numbers that it has or had, its name, and where its documents are said to be."""

    numbers: Collection[int]
    name: str
    is_archived: bool
    paths: Collection[str]


def said_number(kept: object, number: int) -> int:
    """The number that a task had in its file; its folder may still be called so. `kept` is what the file said."""
    said = kept.get("number") if isinstance(kept, dict) else None
    return said if isinstance(said, int) else number


def owner_of(task: Task) -> DocumentOwner:
    numbers = (task.number, said_number(task.extra.get(KEPT), task.number))
    return DocumentOwner(numbers, task.name, task.is_archived, [one.path for one in task.artifacts])


def find_owners(
    owners: Sequence[DocumentOwner], shelf: Shelf, *, with_renamed: bool = False
) -> dict[int, list[Folder]]:
    """The folders of each owner, by its place among them, and under -1 those of nobody.

    A folder belongs to the task of its number and name, open or archived as it is, else to one that lists what is in
    it. `with_renamed`: else to the only one of its number, where that has no other folder.
    """
    by_number: dict[int, list[int]] = {}
    for at, owner in enumerate(owners):
        for number in set(owner.numbers):
            by_number.setdefault(number, []).append(at)
    found: dict[int, list[Folder]] = {}
    for folder in shelf.folders:
        rivals = by_number.get(folder.number, [])
        last = folder.path.rsplit("/", 1)[-1]
        own = [at for at in rivals if owners[at].name == folder.name]
        own = own or [at for at in rivals if any(last in path.split("/") for path in owners[at].paths)]
        if with_renamed and not own and len(shelf.by_number[folder.number]) == 1:
            is_one = len({owners[at].name for at in rivals}) == 1
            own = [at for at in rivals[:1] if is_one and owners[at].is_archived == folder.is_archived]
        best = min(own, key=lambda at: (owners[at].is_archived != folder.is_archived, not owners[at].paths), default=-1)
        found.setdefault(best, []).append(folder)
    return found


def documents(folder: Folder) -> list[tuple[str, str]]:
    """The documents of a task's folder: type and path of each Markdown file directly in one of the three folders."""
    places = [(path[len(folder.path) + 1 :].split("/"), path) for path in folder.files if path.lower().endswith(".md")]
    return [(_KINDS[inside[0]], path) for inside, path in places if len(inside) == 2 and inside[0] in _KINDS]


def clean_path(path: str, base: str = "specs") -> str:
    """A path as planrail writes it: from the root on, with slashes; `x/reports/1.md` lies in the folder of tasks."""
    parts = [part for part in path.strip().replace("\\", "/").split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts:
        return path
    if parts and parts[0] != base and _FOLDER.fullmatch(parts[0]) and len(parts) > 1:
        parts.insert(0, base)
    return "/".join(parts)


def task_folder(path: str, base: str) -> str:
    """The folder under `specs/` or `specs/archive/` that a file lies in; "" for files beside them."""
    parts = path.removeprefix(f"{base}/").split("/")
    depth = 2 if parts[0] == "archive" else 1
    return "/".join([base, *parts[:depth]]) if len(parts) > depth and parts[depth - 1] else ""
