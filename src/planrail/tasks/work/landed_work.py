"""Does what has landed for a task still hold, where later commits have changed the same files?

What counts is how the plan's newest commit left the files of its phases. A phase of which one is another by now is
checked once more, on HEAD, in a checkout of its own. What is not seen: work that was proven in a session without a
commit, files that no phase changed, and what is not committed.
"""

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence

from planrail.approval.book import Paper, open_paper
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.runs.reporting.gathering import gather_paper
from planrail.tasks.model import Task
from planrail.tasks.work.plan_phases import plan_path
from planrail.tasks.work.summaries import list_files

_MOST = 3  # files that are named


def refuse_undone(root: str, task: Task) -> None:
    """Raise a `PlanrailError` where a phase that has landed does not hold any more, and name it."""
    place = plan_path(root, task)
    if not place or not os.path.exists(os.path.join(root, ".git")):
        return

    paper = open_paper(place)
    facts = gather_paper(paper).facts or {}
    commits = {name: fact.commit for name, fact in facts.items() if fact.is_done and fact.commit}
    newest = _find_newest(root, commits.values())
    for phase, files in _find_changed(root, paper, commits, newest).items() if newest else ():
        failed = _find_failing(paper, phase, newest)
        if failed:
            raise PlanrailError(
                f"phase {phase} has landed, and does not hold any more: later commits changed {_name(files)}, "
                f"and {failed}",
                remedy=f"planrail run {quote(os.path.relpath(paper.place))} {quote(phase)} auto --again",
            )


def _find_newest(root: str, commits: Iterable[str]) -> str:
    """The commit that came last; "" where there is none."""
    known = sorted(set(commits))
    return (ask_git(root, "rev-list", "--topo-order", "--max-count=1", *known) or "").strip() if known else ""


def _find_changed(root: str, paper: Paper, commits: Mapping[str, str], newest: str) -> dict[str, list[str]]:
    """The phases with the files of theirs that are not as the newest commit of the plan left them."""
    changed = set((ask_git(root, "diff", "--name-only", "--no-renames", "-z", newest, "HEAD") or "").split("\0"))
    owned = {phase: list_files(root, paper.path, commit) for phase, commit in commits.items()}
    found = {phase: [name for name in files if name in changed] for phase, files in owned.items()}
    return {phase: names for phase, names in found.items() if names}


def _find_failing(paper: Paper, phase: str, newest: str) -> str:
    """What speaks against a phase on HEAD, and did not when the plan was done; "" for nothing."""
    from planrail.runs.in_session.base_room import open_room
    from planrail.runs.in_session.cases import Base, open_case

    case = open_case(paper.place, phase, paper.root)
    asked = ("HEAD^{commit}", "HEAD^{tree}", f"{newest}^{{tree}}")
    commit, now, then = (ask_git(case.root, "rev-parse", *asked) or "").split()
    standing = replace(case, base=Base(commit, now))
    with tempfile.TemporaryDirectory(prefix="planrail-") as outputs, open_room(standing, outputs) as room:
        if room.made.problem:
            return f"nobody can check it: {room.made.problem}"
        failed = [run.command for run in room.run(case.order.checks, now, "now") if run.exit]
        before = {run.command for run in room.run(case.order.checks, then, "then") if run.exit} if failed else set()
    return next((f"`{command.strip()}` fails on HEAD" for command in failed if command not in before), "")


def _name(files: Sequence[str]) -> str:
    return ", ".join(files[:_MOST]) + (f" and {len(files) - _MOST} more" if len(files) > _MOST else "")
