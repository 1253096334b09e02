"""The end of a headless planning: the plan file is written whole, proposed, and put before a person. By effect: the
tree of a headless planning is compared with what it was when the planning began.

Done twice it changes nothing more, so a process that was killed here is simply gone on with. What another writer has
written meanwhile is never overwritten.
"""

import contextlib
import os
import re
import secrets
import time

from planrail.approval.diffing import OUTSIDE, compare
from planrail.approval.records import propose
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.base.whole_files import read_whole, write_whole
from planrail.base.wording import clip, plural, quote
from planrail.git.snapshots import snapshots, told
from planrail.planning.answers.drift_log import add_drift_log
from planrail.planning.answers.front_matter import with_front_matter
from planrail.planning.in_session.facts import describe_plan
from planrail.planning.planning import Planning
from planrail.planning.plannings import KeptPlanning, place_of
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.files.lifecycle import PROPOSED, ReachedStage, hash_of, take_step
from planrail.plans.files.plan_files import IN_PROJECT, FileRefusal, reserve
from planrail.plans.files.plan_writing import write_text
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource, load
from planrail.projects.listing import Project
from planrail.projects.open_plan import open_plan

_WHY = re.compile(r"^[ \t>*_-]*why[*_]*\s*:[*_]*[ \t]*(?P<why>\S.*)$|(?<=[.!?]) why: (?P<inline>\S.*)$", re.I | re.M)
_NEXT = re.compile(r"\n\s*\n|\n\s*(?:#|---)")
_QUOTED = re.compile(r"^[ \t]*>.*\n?", re.M)
_PARAGRAPH = re.compile(r"(?<![:：\s])[ \t]*\n\s*\n")  # what ends in a colon goes on in the next one
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?![a-z])|(?<=[。！？])")
LONGEST = 300


def read_reason(answer: str, feedback: str = "") -> str:
    """The sentence that begins with "Why:", above the plan; else the first one of the feedback, where there is any."""
    at = re.search(r"^(?:#|```|~~~)", answer, re.M)
    head = answer[: at.start()] if at else answer[:2_000]
    if found := _WHY.search(head):
        reason = _NEXT.split(head[found.start("why" if found["why"] else "inline") :], maxsplit=1)[0]
    else:
        paragraph = _PARAGRAPH.split(_QUOTED.sub("", mask(feedback)).strip(), maxsplit=1)[0]
        reason = _SENTENCE.split(paragraph, maxsplit=1)[0]
    return clip(" ".join(mask(reason).split()), LONGEST) or "the plan was brought up to date"


@record
class Delivered:
    """What became of the plan. `request` is the id under which it waits for a person; `note` what to know besides."""

    path: str
    is_changed: bool = True
    request: str = ""
    note: str = ""


@record
class Undelivered:
    """The plan could not be put into its file: why, and where its text is kept."""

    error: PlanrailError
    kept: str


def choose_place(project: Project, request: str, output: str, now: float) -> str:
    """Where the plan will be written: the file that the user named, if it is free, else a new name among the plans.

    A project that says nothing about its plans gets them in a folder of its own, where each user sees them: an agent's
    folder is for the sessions of that agent.
    """
    if output:
        return check_output(output)

    is_inside = project.directory in project.folders
    made = reserve(
        project.directory if is_inside else os.path.join(project.root, IN_PROJECT),
        request,
        choose=secrets.randbelow,
        kept_in=f"{project.state}/reservations",
        now=now,
        root=project.root,
    )
    if isinstance(made, FileRefusal):
        raise PlanrailError(made.reason, remedy=made.remedy)
    return made


def check_output(output: str) -> str:
    path = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(output))), os.path.basename(output))
    if os.path.lexists(path):
        raise PlanrailError(f"{output} is there already, and is not overwritten", remedy="name another: --output FILE")
    if not os.path.basename(output) or not os.path.isdir(os.path.dirname(path)):
        raise PlanrailError(f"{output} cannot be written: its folder is not there", remedy="make the folder first")
    return path


def deliver(folder: str, kept: KeptPlanning, now: float) -> Delivered | Undelivered:
    is_new, path = not kept.planning.original, kept.about["plan_file"]
    text = with_front_matter(kept.planning.plan, describe_plan(kept, kept.planning)) if is_new else refined_text(kept)
    if not is_new and text == kept.planning.original:
        return Delivered(path, is_changed=False)
    result = f"{place_of(folder, kept.planning.id)}/plan.md"
    failed = _write_new(kept, path, text, result) if is_new else _replace(kept, path, text, result)
    return failed or _propose(folder, kept, path, now)


def refined_text(kept: KeptPlanning) -> str:
    """The refined plan with what changed, and why, in its drift log; the original where nothing did."""
    planning = kept.planning
    changes = describe_changes(planning.original, planning.plan)
    if not changes:
        return planning.original
    date = time.strftime("%Y-%m-%d", time.gmtime(float(kept.about["created"])))
    why = read_reason(planning.last_answer, planning.feedback)
    return add_drift_log(planning.plan, date, changes, why)


def describe_changes(before: str, after: str) -> str:
    """What differs between two versions of a plan, by phase; "" where nothing but marks of progress does."""
    old, new = (canonicalise(read(PlanSource("PLAN.md", text)), text) for text in (before, after))
    found, parts = compare(old, new), list[str]()
    for verb, kind in (("added", "new"), ("removed", "removed"), ("changed", "changed")):
        keys = [one.key for one in found if one.kind == kind and one.key != OUTSIDE]
        parts += [f"{verb} phase{'s' * (len(keys) > 1)} {', '.join(keys)}"] if keys else []
    parts += ["changed text outside the phases"] if any(one.key == OUTSIDE for one in found) else []
    signs = [line[:1] for one in found for line in one.lines]
    return f"{'; '.join(parts)} ({plural(signs.count('+'), 'line')} in, {signs.count('-')} out)" if parts else ""


def _write_new(kept: KeptPlanning, path: str, text: str, result: str) -> Undelivered | None:
    """Write a file that is not there: whole, or not at all. One that a killed process had written is finished."""
    id_ = kept.planning.id
    temporary = f"{os.path.dirname(path)}/.{os.path.basename(path)}.{id_}"  # one that a killed process left is ours
    try:
        if _read(path) == text:
            return None
        with open(temporary, "wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        why = f"{path} was written by another program meanwhile, and is not overwritten; the plan is kept in {result}"
        return Undelivered(PlanrailError(why, remedy=f"planrail plan --resume {id_} --output OTHER.md"), result)
    except OSError as error:
        why = f"{path} could not be written: {error.strerror}; the plan is kept in {result}"
        return Undelivered(ToolFailed(why, remedy=f"planrail plan --resume {id_}"), result)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
    return None


def _replace(kept: KeptPlanning, path: str, text: str, result: str) -> Undelivered | None:
    """Put the refined plan in the place of the one that was refined; one that has changed meanwhile is left alone."""
    id_, stem, found = kept.planning.id, path.removesuffix(".md"), _read(path)
    if found == text:
        return None
    is_same = found == kept.planning.original
    is_free = not os.path.lexists(f"{stem}.refined.md") or _read(f"{stem}.refined.md") == text
    beside = f"{stem}.refined.md" if is_free else f"{stem}.refined-{id_}.md"
    try:
        write_text(path if is_same else beside, text)
    except ToolFailed as error:
        remedy = f"{error.remedy}, then: planrail plan --resume {id_}"
        return Undelivered(ToolFailed(f"{error.message}; the refined plan is kept in {result}", remedy=remedy), result)
    if is_same:
        return None
    why = f"{path} was changed while it was refined, and is left as it is; the refined plan is in {beside}"
    return Undelivered(PlanrailError(why, remedy=f"git diff --no-index {quote(path)} {quote(beside)}"), beside)


def _propose(folder: str, kept: KeptPlanning, path: str, now: float) -> Delivered:
    """Let the plan wait for a person: in its own record, and in the ledger."""
    step = ReachedStage(PROPOSED, hash_of(open_plan(path), load(path).text), int(now), agent=kept.about["agent"])
    try:
        take_step(folder, path, kept.about["root"], step)
        request = propose(path, agent=kept.about["agent"], now=int(now))
    except PlanrailError as error:  # the plan is written all the same
        return Delivered(path, note=f"{error.message}; {error.remedy}")
    except OSError as error:
        return Delivered(path, note=f"it could not be noted that the plan waits for approval: {error.strerror}")
    return Delivered(path, request=request.id)


def _read(path: str) -> str | None:
    data = read_whole(path)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def title_of(planning: Planning) -> str:
    return clip(" ".join(planning.request.split()), 72)


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
    return (read_whole(f"{place_of(folder, id_)}/{_CHANGES}") or b"").decode("utf-8", "replace").strip()
