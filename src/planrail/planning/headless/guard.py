"""By effect: the tree of a headless planning is compared with what it was when the planning began."""

import contextlib
import os

from planrail.base.errors import PlanrailError
from planrail.base.whole_files import write_whole
from planrail.git.snapshots import snapshots, told
from planrail.planning.plannings import KeptPlanning, place_of

_CHANGES = "changes.md"


def take_snapshot(folder: str, kept: KeptPlanning) -> tuple[KeptPlanning, str]:
    """Keep the state of the tree, once for each planning; and what a person should know about that."""
    if kept.about.get("snapshot"):
        return kept, ""
    name = f"planning-{kept.planning.id}"
    about = {"session": kept.planning.id, "agent": kept.about["agent"], "taken_at": float(kept.about["created"])}
    try:
        taken = snapshots.take_snapshot(kept.about["root"], f"{folder}/snapshots", name, **about)  # type: ignore[arg-type]
    except (PlanrailError, OSError) as error:  # planning goes on all the same: the guard holds
        return kept, f"changes of the tree cannot be detected: {error}"
    return kept.note(snapshot=taken.name), "; ".join(taken.notes)


def compare_tree(folder: str, kept: KeptPlanning, *, is_leaving: bool = False) -> tuple[KeptPlanning, str]:
    """What has changed in the tree since the planning began, parked and told once; "" where nothing is new."""
    name = kept.about.get("snapshot", "")
    if not name or not os.path.exists(f"{folder}/snapshots/{name}.json"):  # let go of when nothing had changed
        return kept, ""
    request = {
        "folder": folder,
        "snapshot": name,
        "plan": kept.about["plan_file"],
        "label": f"planning-{kept.planning.id}",
        "is_leaving": "yes" if is_leaving else "",
    }
    try:
        found = told.compare_tree(request)
    except (PlanrailError, OSError) as error:
        return kept, f"the tree could not be compared: {error}"
    mark, report = found["mark"], found["report"]
    if not mark or mark == kept.about.get("tree_mark"):
        return kept, ""
    report = report.removeprefix("planrail: ").replace("plan mode was entered", "the planning began")
    before = told_changes(folder, kept.planning.id)
    with contextlib.suppress(OSError):  # it was told all the same, and the branch is there
        write_whole(f"{place_of(folder, kept.planning.id)}/{_CHANGES}", f"{before}\n\n{report}\n".lstrip())
    return kept.note(tree_mark=mark), report


def told_changes(folder: str, id_: str) -> str:
    """All that was told of changes in the tree since the planning began; "" where nothing was."""
    try:
        with open(f"{place_of(folder, id_)}/{_CHANGES}", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return ""
