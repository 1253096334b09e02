"""kill -9 at every named instant, and again from the start: one pull request, one merge, one comment."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from tests.forge.stage import BRANCH, add_work
from tests.support.forge_server import ForgeServer, bare

pytestmark = pytest.mark.soak  # a gh for each step: `test_life` and `test_run` are the sample
ROOT = Path(__file__).parents[2]
_POINTS = (
    *("push.sent", "pr.pushed", "pr.created", "pr.updated", "pr.checked", "pr.merged", "pr.confirming"),
    *("issue.commented", "issue.closed", "push.deleted"),
)
_PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from planrail.runs.forge.forge import close_issue
from planrail.git.remotes.pushing import delete_branch
from planrail.base.run_model import Snapshot
from tests.forge.stage import BRANCH, begin, live

root, commit, tree, base = sys.argv[2:]
story = begin(Path(root))
work = Snapshot(commit, tree, base, ("one.txt",))
answer, proof = live(story, work)
issue = close_issue(story.forge, 70, "Done.", "run-1")
gone = delete_branch(story.root, "origin", BRANCH, work.commit, proof)
print(answer.state, proof.state, issue.state, gone)
"""


@pytest.mark.parametrize("point", _POINTS)
def test_a_life_that_was_cut_off_is_lived_to_its_end_once(server: ForgeServer, root: Path, point: str) -> None:
    server.hosted.looks = [{"ci": "success"}]
    issue = server.hosted.add_issue(70)
    work = add_work(root, "one.txt")
    arguments = (str(root), work.commit, work.tree, work.base)
    assert _live(point, arguments).returncode == -signal.SIGKILL
    again = _live("", arguments)
    assert again.stdout.split()[:2] == ["merged", "landed"], again.stderr
    assert [request.state for request in server.hosted.requests.values()] == ["merged"]
    assert (server.hosted.merges, issue.state, len(issue.comments)) == (1, "closed", 1)
    assert bare.head_of(server.hosted.path, BRANCH) == ""


def _live(point: str, arguments: tuple[str, ...]) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, VARIABLE: point}
    command = [sys.executable, "-c", _PROGRAM, str(ROOT), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)
