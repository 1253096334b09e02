"""A request that would meet another one on the same files is not merged by planrail."""

from pathlib import Path

import pytest

from planrail.runs.forge.forge import read_pr
from planrail.runs.forge.meeting import find_meetings
from planrail.runs.forge.steps import pr_step, push_step
from tests.forge.stage import BRANCH, Story, add_work, git, request_order
from tests.forge.test_run import planrail, write_plan
from tests.support.forge_server import Hosted, bare


def _open(hosted: Hosted, branch: str, path: str, **fields: object) -> int:
    """Somebody else's request, which changes a file."""
    bare.run(hosted.path, "branch", branch, "main")
    bare.commit_file(hosted.path, branch, path, "theirs\n")
    request = hosted.open_request(branch, "main", f"Change {path}")
    for name, value in fields.items():
        setattr(request, name, value)
    return request.number


def test_only_open_requests_into_the_same_branch_that_change_the_same_files_meet_it(
    story: Story, hosted: Hosted, root: Path
) -> None:
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    own = pr_step(story.forge, request_order(work.commit))
    same, other = _open(hosted, "theirs", "one.txt"), _open(hosted, "others", "two.txt")
    _open(hosted, "draft", "one.txt", is_draft=True)
    _open(hosted, "closed", "one.txt", state="closed")
    _open(hosted, "elsewhere", "one.txt", base="release")
    own = read_pr(story.forge, own.number)
    met = find_meetings(story.forge, own, ("one.txt",))
    assert [str(one) for one in met] == [f"#{same} (Change one.txt) changes one.txt"]
    assert [one.number for one in find_meetings(story.forge, own, ("two.txt", "three.txt"))] == [other]


@pytest.mark.soak
def test_a_run_leaves_a_request_open_that_another_one_meets(hosted: Hosted, root: Path) -> None:
    write_plan(root, 1)
    hosted.looks = [{"ci": "success"}]
    theirs = _open(hosted, "theirs", "1.txt")
    done = planrail(root, "run", "PLAN.md", "finish", "auto")
    assert f"#{theirs} (Change 1.txt) changes 1.txt" in done.stdout, done.stdout + done.stderr
    assert hosted.merges == 0
    hosted.requests[theirs].state = "closed"
    again = planrail(root, "run", "PLAN.md", "finish", "auto")
    assert again.stdout.startswith("complete"), again.stdout + again.stderr
    assert hosted.merges == 1
    assert git(root, "status", "--porcelain", "--untracked-files=no") == ""
