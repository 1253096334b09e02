"""The life of a pull request: pushed, made, kept up to date, checked, merged, recognised."""

from pathlib import Path

import pytest

from planrail.git.remotes.pushing import delete_branch
from planrail.git.remotes.request_values import Pushed
from planrail.runs.forge.forge import read_pr
from planrail.runs.forge.pull_requests import describe_landing
from planrail.runs.forge.steps import pr_step, push_step
from tests.forge.stage import BRANCH, Story, add_work, git, live, on_target, request_order
from tests.support.forge_server import ForgeServer, Hosted, bare


@pytest.mark.full
@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_green_checks_merge_what_was_verified(story: Story, hosted: Hosted, root: Path, method: str) -> None:
    hosted.looks = [
        {},
        {"ci": "queued"},
        {"ci": "in_progress", "lint": "success"},
        {"ci": "success", "lint": "skipped"},
    ]
    work = add_work(root, "one.txt")
    answer, proof = live(story, work, method=method)
    assert (answer.state, proof.state, proof.is_exact) == ("merged", "landed", True)
    assert describe_landing(answer, proof).state == "landed"
    assert hosted.merges == 1
    assert git(root, "rev-parse", f"{proof.target}^{{tree}}") == work.tree


@pytest.mark.full
def test_a_squash_keeps_the_trailers_of_every_phase(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    first = add_work(root, "one.txt")
    _, proof = live(story, on_target(root, add_work(root, "two.txt", first.commit)))
    shape = "--format=%(trailers:key=Planrail-Phase,valueonly,separator=%x2C)"
    assert git(root, "log", "-1", shape, proof.commit) == "one.txt,two.txt"
    assert git(root, "log", "-1", "--format=%s", proof.commit) == "[story] A story (#1)"


@pytest.mark.full
def test_the_body_follows_the_phases_and_keeps_what_people_wrote(story: Story, server: ForgeServer, root: Path) -> None:
    states: list[tuple[str, str, str, str]] = [(str(number), f"Part {number}", "todo", "") for number in (1, 2, 3)]
    commit, expected = "main", ""
    for number in range(3):
        work = add_work(root, f"{number}.txt", commit)
        assert isinstance(push_step(story.root, "origin", BRANCH, work.commit, expected), Pushed)
        states[number] = (str(number + 1), f"Part {number + 1}", "done", work.commit)
        pr = pr_step(story.forge, request_order(work.commit, tuple(states)))
        server.hosted.requests[pr.number].body += "\r\nA person says: fine."
        commit = expected = work.commit
    body = read_pr(story.forge, 1).body
    assert body.count("✅ Done") == 3
    assert body.count("A person says: fine.") == 3
    assert body.startswith("What it is about.")
    assert len(server.hosted.requests) == 1


def test_a_body_that_is_up_to_date_and_a_title_of_a_person_are_not_written_again(
    story: Story, server: ForgeServer, root: Path
) -> None:
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    pr_step(story.forge, request_order(work.commit))
    pr_step(story.forge, request_order(work.commit))
    written = len(server.asked("PATCH", "/pulls/1"))
    server.hosted.requests[1].title = "A better title"
    assert pr_step(story.forge, request_order(work.commit)).title == "A better title"
    assert len(server.asked("PATCH", "/pulls/1")) == written


@pytest.mark.full
def test_without_auto_a_person_merges_and_the_branch_stays_until_it_has_landed(
    story: Story, hosted: Hosted, root: Path
) -> None:
    hosted.looks = [{"ci": "success"}]
    work = add_work(root, "one.txt")
    answer, waiting = live(story, work, auto=False)
    assert (answer.state, waiting.state, hosted.merges) == ("person", "open", 0)
    assert f"--match-head-commit {work.commit}" in answer.command
    assert describe_landing(answer, waiting).state == "pr-ready"
    assert not delete_branch(story.root, "origin", BRANCH, work.commit, waiting)
    assert bare.head_of(hosted.path, BRANCH) == work.commit
    _, landed = live(story, work, expected=work.commit)
    assert delete_branch(story.root, "origin", BRANCH, work.commit, landed)
    assert bare.head_of(hosted.path, BRANCH) == ""
    assert delete_branch(story.root, "origin", BRANCH, work.commit, landed)  # and again


@pytest.mark.full
def test_a_branch_that_somebody_added_to_stays(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    work = add_work(root, "one.txt")
    _, proof = live(story, work)
    theirs = bare.commit_file(hosted.path, BRANCH, "theirs.txt", "theirs\n")
    assert not delete_branch(story.root, "origin", BRANCH, work.commit, proof)
    assert bare.head_of(hosted.path, BRANCH) == theirs
