"""The documents of a task: those that its entry lists, where they really lie, and those that nobody has listed."""

from collections.abc import Collection, Iterable
from shlex import quote

from planrail.base.records import record
from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.folders import Folder, Shelf, clean_path, documents, locate_document, type_by_place
from planrail.tasks.importing.model import Draft
from planrail.tasks.model import PLAN, REPORT, SUMMARY, TYPES
from planrail.tasks.rounds import number_of

_OLD_TYPES = {"research": REPORT, "implementation": SUMMARY}
_OWN = ("path", "type", "summary", "round")


@record
class Surroundings:
    """What there is on the disk, as far as an import asks."""

    shelf: Shelf
    others: Collection[str]  # files elsewhere in the repository
    base: str


def read_documents(draft: Draft, links: Iterable[tuple[str, str]], world: Surroundings, remarks: Remarks) -> None:
    """Settle the documents of an entry, in place: all of them exist, lie where they say and have a known type.

    `links` are type and path of those that TODO.md names. What cannot be linked is kept aside, and told.
    """
    found: dict[str, dict[str, object]] = {}
    for item in _items(draft, remarks):
        settled = _settle(item, draft, world, remarks)
        if settled is not None:
            _add(found, settled, draft, remarks)
    for type_, path in links:
        place = _place(path, draft.number, world)
        if place is None:
            _tell_missing(path, {"path": path, "type": type_, "source": "TODO.md"}, draft, remarks)
        elif place not in found:
            remarks.add("todo_differs", draft.number, f"task {draft.number}: only TODO.md links {place}; linked")
            found[place] = {"path": place, "type": type_, "summary": "", "round": _round(place, draft)}
    draft.entry["artifacts"] = list(found.values())


def link_unlisted(draft: Draft, folders: Iterable[Folder], remarks: Remarks) -> None:
    """Link what lies in the folders of a task and is listed nowhere. A plan is linked only where the task has none.

    An entry that lists a plan says which one holds: others in the folder were replaced by it.
    """
    listed = _listed(draft)
    known = {item["path"] for item in listed}
    has_plan = any(item["type"] == PLAN for item in listed)
    for folder in folders:
        for type_, path in documents(folder):
            if path in known:
                continue
            is_replaced = type_ == PLAN and has_plan
            told = "it has another plan" if is_replaced else "linked"
            remedy = f"planrail task link-artifact {draft.number} plan {quote(path)}" if is_replaced else ""
            remarks.add("file_unlisted", draft.number, f"task {draft.number} does not list {path}; {told}", remedy)
            if not is_replaced:
                listed.append({"path": path, "type": type_, "summary": "", "round": _round(path, draft)})
    draft.entry["artifacts"] = listed


def settle_round(draft: Draft, remarks: Remarks) -> None:
    """The number of the next round: what the entry says, unless its reports are ahead of that."""
    listed = _listed(draft)
    said = draft.entry.get("next_artifact_number")
    reports = max((_as_int(item["round"]) for item in listed if item["type"] == REPORT), default=0)
    if not isinstance(said, int) or isinstance(said, bool) or not 0 < said < 10**6:
        if said is not None:
            draft.kept["next_artifact_number"] = said
        draft.entry["next_artifact_number"] = max((_as_int(item["round"]) for item in listed), default=0) + 1
    elif said <= reports:
        told = f"task {draft.number} says that its next round is {said}, and it has a report of round {reports}"
        remarks.add("round_differs", draft.number, told)
        draft.entry["next_artifact_number"] = reports + 1


def _items(draft: Draft, remarks: Remarks) -> list[dict[str, object]]:
    value = draft.entry.get("artifacts")
    items = value if isinstance(value, list) else [] if value in (None, "", {}) else [value]
    found: list[dict[str, object]] = []
    for item in items:
        if isinstance(item, str):
            found.append({"path": item})
        elif isinstance(item, dict) and isinstance(item.get("path"), str) and item["path"].strip():
            found.append(item)
        else:
            _keep(item, draft)
            remarks.add("field_unusable", draft.number, f"task {draft.number}: a document without a path; kept aside")
    return found


def _settle(item: dict[str, object], draft: Draft, world: Surroundings, remarks: Remarks) -> dict[str, object] | None:
    said = str(item["path"])
    place = _place(said, draft.number, world)
    if place is None:
        _tell_missing(said, item, draft, remarks)
        return None
    type_ = _type(item, place)
    if type_ is None:
        _keep(item, draft)
        told = (
            f"task {draft.number}: {place} is a `{item.get('type') or '?'}`, which planrail does not have; kept aside"
        )
        remarks.add("artifact_type", draft.number, told)
        return None
    if place != clean_path(said, world.base):
        remarks.add("artifact_moved", draft.number, f"task {draft.number}: {said} lies at {place}; the link follows")
    elif type_ != item.get("type") and item.get("type") not in _OLD_TYPES:
        told = f"task {draft.number}: {place} is listed as `{item.get('type') or '?'}`; taken as {type_}"
        remarks.add("artifact_type", draft.number, told)
    return _entry(item, place, type_, draft)


def _entry(item: dict[str, object], place: str, type_: str, draft: Draft) -> dict[str, object]:
    summary, round_ = item.get("summary"), item.get("round")
    rest = {key: value for key, value in item.items() if key not in _OWN}
    is_number = isinstance(round_, int) and not isinstance(round_, bool) and 0 <= round_ < 10**6
    return {
        "path": place,
        "type": type_,
        "summary": summary if isinstance(summary, str) else "",
        "round": round_ if is_number else _round(place, draft),
        **rest,
    }


def _type(item: dict[str, object], place: str) -> str | None:
    """The type of a document. What an older file calls `implementation` is code, unless it lies among the summaries."""
    said = item.get("type")
    by_place = type_by_place(place)
    if said in TYPES:
        return str(said)
    if said == "research":
        return REPORT
    return by_place or None


def _place(path: str, number: int, world: Surroundings) -> str | None:
    found = locate_document(path, number, world.shelf, world.base)
    wanted = clean_path(path, world.base)
    return found or (wanted if wanted in world.others else None)


def _add(found: dict[str, dict[str, object]], item: dict[str, object], draft: Draft, remarks: Remarks) -> None:
    """One entry for each document; the later one counts, and the earlier is kept where it says something else."""
    place = str(item["path"])
    earlier = found.pop(place, None)
    if earlier is not None:
        remarks.add("artifact_twice", draft.number, f"task {draft.number} lists {place} twice")
        if earlier != item:
            _keep(earlier, draft)
    found[place] = item


def _tell_missing(path: str, item: object, draft: Draft, remarks: Remarks) -> None:
    _keep(item, draft)
    remarks.add("artifact_missing", draft.number, f"task {draft.number}: {path} is not there; no longer linked")


def _keep(item: object, draft: Draft) -> None:
    kept = draft.kept.get("artifacts")
    items = kept if isinstance(kept, list) else []
    draft.kept["artifacts"] = [*items, item] if item not in items else items


def _round(path: str, draft: Draft) -> int:
    """The round that a name states; `research-072.md` of task 72 states the task."""
    number = number_of(path)
    return 0 if number == draft.number and number > 9 else number


def _listed(draft: Draft) -> list[dict[str, object]]:
    value = draft.entry.get("artifacts")
    return value if isinstance(value, list) else []


def _as_int(value: object) -> int:
    return value if isinstance(value, int) else 0
