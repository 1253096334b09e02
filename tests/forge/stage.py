"""A repository with a remote on the scripted forge, and the whole life of a pull request played on it."""

import os
import subprocess
from pathlib import Path

from planrail.base.records import record
from planrail.base.run_model import Snapshot
from planrail.git.remotes.forge_places import Forge, locate_forge
from planrail.git.remotes.request_values import MergeAnswer, MergeProof, Pushed, RequestOrder
from planrail.runs.forge.pull_requests import MergeTerms, Patience, Waiting
from planrail.runs.forge.steps import checks_step, confirm_step, merge_step, pr_step, push_step
from planrail.runs.landing.proofs import prove
from tests.support.forge_server import HOST, Hosted

BRANCH = "feat/story"
QUICK = Patience(grace=0.0, limit=60.0, first_pause=0.0, longest_pause=0.0)
_ROWS = (("1", "First", "done", "abc"),)
_WHO = ("-c", "user.name=me", "-c", "user.email=me@localhost")


def git(root: str | Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(root), *_WHO, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def make_repository(folder: Path) -> tuple[Path, Hosted]:
    """A clone whose remote has the forge's address, while git finds it in a folder beside."""
    bare, root = folder / "hosted.git", folder / "work"
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    git(folder, "init", "--quiet", "--initial-branch=main", str(root))
    (root / "base.txt").write_text("base\n")
    git(root, "add", "base.txt")
    git(root, "commit", "--quiet", "--message", "Begin")
    git(root, "config", f"url.{bare}.insteadOf", f"https://{HOST}/o/r.git")
    git(root, "remote", "add", "origin", f"https://{HOST}/o/r.git")
    git(root, "push", "--quiet", "origin", "main")
    return root, Hosted(str(bare))


def add_work(root: Path, name: str, base: str = "main", text: str = "work\n") -> Snapshot:
    """A verified commit on a base: one file, with the trailers of a phase. Not on any branch, as planrail has it."""
    start = git(root, "rev-parse", base)
    blob = subprocess.run(
        ["git", "-C", str(root), "hash-object", "-w", "--stdin"], input=text, capture_output=True, text=True, check=True
    ).stdout.strip()
    index = {**os.environ, "GIT_INDEX_FILE": str(root / ".git" / "stage-index")}
    for command in (["read-tree", start], ["update-index", "--add", "--cacheinfo", f"100644,{blob},{name}"]):
        subprocess.run(["git", "-C", str(root), *command], env=index, check=True)
    made = subprocess.run(["git", "-C", str(root), "write-tree"], env=index, capture_output=True, text=True, check=True)
    tree = made.stdout.strip()
    message = f"Add {name}\n\nPlanrail-Plan: p\nPlanrail-Phase: {name}\nPlanrail-Evidence: {blob[:12]}\n"
    commit = git(root, "commit-tree", tree, "-p", start, "-m", message)
    return Snapshot(commit, tree, start, (name,))


def on_target(root: Path, snapshot: Snapshot) -> Snapshot:
    """The same work with everything since main, as a pull request of several phases has it."""
    base = git(root, "merge-base", "main", snapshot.commit)
    paths = git(root, "diff", "--name-only", base, snapshot.commit).split()
    return Snapshot(snapshot.commit, snapshot.tree, base, tuple(paths))


@record
class Story:
    """What a whole life needs."""

    root: str
    forge: Forge
    waiting: Waiting


def quiet() -> Waiting:
    """Nobody is told, and nobody waits."""
    return Waiting(tell=lambda text: None, pause=lambda seconds: None)


def begin(root: Path) -> Story:
    """A story in a repository."""
    return Story(str(root), locate_forge(str(root), "origin"), quiet())


def request_order(head: str, rows: tuple[tuple[str, str, str, str], ...] = _ROWS) -> RequestOrder:
    """What the pull request of the story should be."""
    return RequestOrder(BRANCH, head, "main", "[story] A story", "What it is about.", rows)


def live(
    story: Story, work: Snapshot, *, method: str = "squash", auto: bool = True, expected: str = ""
) -> tuple[MergeAnswer, MergeProof]:
    """Push, request, await, merge, prove: what a run does."""
    pushed = push_step(story.root, "origin", BRANCH, work.commit, expected)
    assert isinstance(pushed, Pushed), pushed
    pr = pr_step(story.forge, request_order(work.commit))
    checks = checks_step(story.forge, work, story.waiting, QUICK)
    terms = MergeTerms("main", auto=auto, method=method, patience=QUICK)
    answer = merge_step(story.root, story.forge, pr.number, work, checks, terms, story.waiting)
    proof = confirm_step(story.root, story.forge, pr.number, work, "main", prove, story.waiting)
    return answer, proof
