"""Every open task has a number of its own. Where a file gives one twice, the other task gets a new one."""

from collections.abc import Iterable, Sequence

from planrail.base.records import record
from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.model import Draft


@record
class Numbers:
    """The numbers that the files know: those in use, and what they say is next."""

    state: int | None
    todo: int | None
    highest: int  # of open tasks and folders
    highest_archived: int
    is_vaulted: bool  # numbers began anew once, so those in the archive may be higher


def next_number(numbers: Numbers, remarks: Remarks) -> int:
    """The number of the next task: what the files say, unless it is taken."""
    said = {name: value for name, value in (("state.json", numbers.state), ("TODO.md", numbers.todo)) if value}
    highest = numbers.highest if numbers.is_vaulted else max(numbers.highest, numbers.highest_archived)
    wanted = max([*said.values(), highest + 1, 1])
    wrong = {name: value for name, value in said.items() if value != wanted}
    if wrong:
        told = " and ".join(f"{name} says {value}" for name, value in wrong.items())
        remarks.add("next_number", 0, f"the next number: {told}, the highest in use is {highest}; it is {wanted} now")
    return wanted


def settle_numbers(drafts: Sequence[Draft], first_free: int, remarks: Remarks) -> int:
    """Give each open draft a number of its own, in place; the next free number afterwards.

    Of two entries about the same task the newer stays open and the other goes to the archive; of two tasks with the
    same number the one that was named first keeps it.
    """
    holders: dict[int, Draft] = {}
    free = first_free
    for draft in _newest_first(drafts):
        holder = holders.get(draft.number)
        if draft.number and holder is None:
            holders[draft.number] = draft
        elif holder is not None and holder.name == draft.name:
            draft.is_archived = True
            _tell_double(draft, remarks)
        else:
            _renumber(draft, free, remarks)
            free += 1
    for draft in drafts:
        if not draft.number:
            _renumber(draft, free, remarks)
            free += 1
    return free


def _newest_first(drafts: Iterable[Draft]) -> list[Draft]:
    """The open drafts in the order of the file; of those that are about the same task, the newest first."""
    groups: dict[tuple[int, str], list[Draft]] = {}
    for draft in drafts:
        if not draft.is_archived:
            groups.setdefault((draft.number, draft.name if draft.number else str(id(draft))), []).append(draft)
    return [draft for group in groups.values() for draft in sorted(group, key=_updated, reverse=True)]


def _updated(draft: Draft) -> str:
    value = draft.entry.get("last_updated")
    return value if isinstance(value, str) else ""


def _tell_double(draft: Draft, remarks: Remarks) -> None:
    told = f"task {draft.number} `{draft.name}` is listed twice as open; the newer entry counts, the other is archived"
    remarks.add("number_twice", draft.number, told, f"planrail task show {draft.number}")


def _renumber(draft: Draft, number: int, remarks: Remarks) -> None:
    label = draft.name or str(draft.entry.get("title") or draft.entry.get("description") or "?")[:60]
    if draft.number:
        draft.kept["number"] = draft.number
        told = f"the number {draft.number} is used twice; `{label}` is task {number} now"
        remarks.add("number_twice", draft.number, told, f"planrail task show {number}")
    else:
        said = draft.entry.get("project_number")
        if said is not None:
            draft.kept["number"] = said
        remarks.add(
            "number_missing",
            number,
            f"`{label}` had no number; it is task {number} now",
            f"planrail task show {number}",
        )
    draft.number = number
