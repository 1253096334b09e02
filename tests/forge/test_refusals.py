"""What never merges: red, unknown, another head, another base, a target that moved."""

from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.runs.forge.pull_requests import MergeTerms, Patience, Waiting, describe_landing
from planrail.runs.forge.steps import checks_step, confirm_step, merge_step, pr_step, push_step
from planrail.runs.landing.proofs import prove
from tests.forge.stage import BRANCH, QUICK, Story, add_work, git, live, on_target, quiet, request_order
from tests.support.forge_server import ForgeServer, Hosted, bare

pytestmark = pytest.mark.soak  # a gh for each step: `test_life` and `test_run` are the sample

_SHORT = Patience(grace=0.0, limit=0.0, first_pause=0.0, longest_pause=0.0)


def _merge(story: Story, root: Path, patience: Patience = _SHORT, name: str = "one.txt") -> tuple[str, str]:
    """Everything up to the merge: its state, and the state of the landing."""
    work = add_work(root, name)
    push_step(story.root, "origin", BRANCH, work.commit, "")
    pr = pr_step(story.forge, request_order(work.commit))
    checks = checks_step(story.forge, work, story.waiting, patience)
    terms = MergeTerms("main", auto=True, patience=patience)
    answer = merge_step(story.root, story.forge, pr.number, work, checks, terms, story.waiting)
    return answer.state, describe_landing(answer).state


@pytest.mark.parametrize(
    ("looks", "patience"),
    [
        ([{"lint": "success", "ci": "new_word"}], _SHORT),  # all other words: tests/runs
        ([{"ci": "queued"}, {"ci": "in_progress"}, {"ci": "failure"}], QUICK),  # it turns red while one waits
        ([{"lint": "success"}, {"lint": "success", "ci": "queued"}, {"lint": "success", "ci": "failure"}], QUICK),
        ([{"ci": "success"}, {"ci": "success"}, {"ci": "failure"}], QUICK),  # and after the wait
    ],
    ids=["unknown", "while waiting", "starts late", "after the wait"],
)
def test_a_check_that_did_not_pass_never_merges(
    story: Story, hosted: Hosted, root: Path, looks: list[dict[str, str]], patience: Patience
) -> None:
    hosted.looks = looks
    answer, _ = _merge(story, root, patience)
    assert answer in ("red", "refused")
    assert hosted.merges == 0


def test_a_failed_status_of_an_older_kind_never_merges(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks, hosted.statuses = [{"ci": "success"}], {"deploy": "error"}
    assert _merge(story, root) == ("red", "pr-ci-failing")
    assert hosted.merges == 0


def test_checks_that_take_too_long_leave_it_for_later(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "in_progress"}]
    assert _merge(story, root) == ("late", "pr-ready")


def test_no_checks_are_waited_for_until_then(story: Story, hosted: Hosted, root: Path) -> None:
    paused: list[float] = []
    waiting = Waiting(tell=lambda text: None, pause=paused.append, clock=lambda: sum(paused))
    work = add_work(root, "one.txt")
    checks = checks_step(story.forge, work, waiting, Patience(grace=30, limit=600, first_pause=2, longest_pause=30))
    assert checks.verdict == "none"
    assert checks.waited >= 30
    assert paused == sorted(paused)


def test_a_target_that_moved_is_verified_anew(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    bare.commit_file(hosted.path, "main", "theirs.txt", "theirs\n")
    assert _merge(story, root) == ("reverify", "moved")
    assert hosted.merges == 0


def test_a_head_that_somebody_moved_is_not_merged(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    hosted.before("PUT", "/merge", lambda: _add_to_branch(hosted))
    assert _merge(story, root, QUICK) == ("refused", "pr-failed")
    assert hosted.merges == 0


def test_a_request_that_still_shows_the_old_head_is_waited_for(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    pr = pr_step(story.forge, request_order(work.commit))
    hosted.requests[pr.number].frozen_head = work.base
    patience = Patience(grace=60.0, limit=60.0, first_pause=0.0, longest_pause=0.0)
    waiting = Waiting(
        tell=lambda text: None, pause=lambda seconds: setattr(hosted.requests[pr.number], "frozen_head", "")
    )
    checks = checks_step(story.forge, work, waiting, patience)
    terms = MergeTerms("main", auto=True, patience=patience)
    assert merge_step(story.root, story.forge, pr.number, work, checks, terms, waiting).state == "merged"


@pytest.mark.parametrize(
    ("change", "state"),
    [({"base": "other"}, "refused"), ({"is_draft": True}, "person"), ({"state": "closed"}, "refused")],
    ids=["another branch", "draft", "closed"],
)
def test_a_request_that_was_changed_meanwhile_is_not_merged(
    story: Story, hosted: Hosted, root: Path, change: dict[str, object], state: str
) -> None:
    hosted.looks = [{"ci": "success"}]
    bare.run(hosted.path, "branch", "other", "main")
    [(name, value)] = change.items()
    hosted.before("GET", "/check-runs", lambda: setattr(hosted.requests[1], name, value))
    assert _merge(story, root)[0] == state
    assert hosted.merges == 0


@pytest.mark.parametrize(("word", "state"), [("blocked", "person"), ("dirty", "reverify"), ("unknown", "late")])
def test_the_rules_of_the_forge_are_kept(story: Story, hosted: Hosted, root: Path, word: str, state: str) -> None:
    hosted.looks, hosted.readiness = [{"ci": "success"}], word
    assert _merge(story, root)[0] == state
    assert hosted.merges == 0


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_a_merge_by_somebody_else_is_recognised(story: Story, hosted: Hosted, root: Path, method: str) -> None:
    hosted.looks = [{"ci": "success"}]
    hosted.before("GET", "/check-runs", lambda: _merge_as_somebody(hosted, method))
    answer, proof = live(story, add_work(root, "one.txt"))
    assert (answer.state, proof.state, proof.is_exact, hosted.merges) == ("merged", "landed", True, 1)


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_several_phases_merged_onto_a_moved_target_are_proven(
    story: Story, hosted: Hosted, root: Path, method: str
) -> None:
    hosted.looks = [{"ci": "success"}]
    hosted.before("PUT", "/merge", lambda: _move_main(hosted))
    first = add_work(root, "one.txt")
    whole = on_target(root, add_work(root, "two.txt", first.commit))
    answer, proof = live(story, whole, method=method)
    assert (answer.state, proof.state, proof.is_exact) == ("merged", "landed", False)


def test_a_merge_that_is_looked_at_only_afterwards_is_proven_no_less(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    hosted.before("PUT", "/merge", lambda: _move_main(hosted))
    work = add_work(root, "one.txt")
    answer, _ = live(story, work, method="merge")
    later = replace(work, base=work.commit, paths=())  # the target has the work by now: its own base is itself
    proof = confirm_step(story.root, story.forge, answer.number, later, "main", prove, quiet())
    assert (proof.state, proof.is_exact) == ("landed", False)
    damaged = replace(later, tree=git(root, "rev-parse", "main^{tree}"))
    assert confirm_step(story.root, story.forge, answer.number, damaged, "main", prove, quiet()).state == "unproven"


def test_a_rebase_onto_a_moved_target_is_proven_where_phases_change_one_file(
    story: Story, hosted: Hosted, root: Path
) -> None:
    hosted.looks = [{"ci": "success"}]
    hosted.before("PUT", "/merge", lambda: _move_main(hosted))
    first = add_work(root, "one.txt", text="first\n")
    whole = on_target(root, add_work(root, "one.txt", first.commit, text="second\n"))
    answer, proof = live(story, whole, method="rebase")
    assert (answer.state, proof.state) == ("merged", "landed")


@pytest.mark.parametrize("is_late", [False, True])
def test_a_merge_that_drops_the_work_is_no_landing(story: Story, hosted: Hosted, root: Path, is_late: bool) -> None:
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    pr = pr_step(story.forge, request_order(work.commit))
    _merge_without_the_work(hosted, pr.number, work.commit)
    seen = replace(work, base=work.commit, paths=()) if is_late else work
    proof = confirm_step(story.root, story.forge, pr.number, seen, "main", prove, quiet())
    assert proof.state == "unproven"


def test_a_merge_of_more_than_was_verified_is_no_landing(story: Story, hosted: Hosted, root: Path) -> None:
    work = add_work(root, "one.txt")
    push_step(story.root, "origin", BRANCH, work.commit, "")
    pr = pr_step(story.forge, request_order(work.commit))
    _add_to_branch(hosted)
    hosted.merge(pr.number, "squash")
    proof = confirm_step(story.root, story.forge, pr.number, work, "main", prove, quiet())
    assert proof.state == "unproven"
    assert "theirs.txt" in " ".join(proof.problems)


def test_a_merge_that_the_target_does_not_have_is_no_landing(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.looks = [{"ci": "success"}]
    work = add_work(root, "one.txt")
    answer, _ = live(story, work)
    bare.run(hosted.path, "update-ref", "refs/heads/main", work.base)  # somebody put main back
    proof = confirm_step(story.root, story.forge, answer.number, work, "main", prove, quiet())
    assert proof.state == "unproven"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/pulls", 502), ("PUT", "/merge", 500), ("POST", "/pulls", 500)],
    ids=["a moment", "the merge's answer", "the request's answer"],
)
def test_what_was_not_answered_is_asked_again_or_found_and_done_once(
    story: Story, server: ForgeServer, root: Path, method: str, path: str, status: int
) -> None:
    server.hosted.looks = [{"ci": "success"}]
    server.hosted.fail(method, path, status, is_done=method != "GET")
    assert _merge(story, root, QUICK)[0] == "merged"
    assert list(server.hosted.requests) == [1]
    assert len(server.asked("PUT", "/merge")) == 1


def test_checks_that_cannot_be_read_never_merge(story: Story, hosted: Hosted, root: Path) -> None:
    for _ in range(12):
        hosted.fail("GET", "/check-runs", 429, message="rate limit", headers={"retry-after": "60"})
    assert _merge(story, root) == ("refused", "pr-failed")
    assert hosted.merges == 0


def test_checks_that_this_login_may_not_read_are_an_error(story: Story, hosted: Hosted, root: Path) -> None:
    hosted.fail("GET", "/check-runs", 403, message="Resource not accessible")
    with pytest.raises(ToolFailed, match="does not allow that"):
        _merge(story, root)


def _move_main(hosted: Hosted) -> None:
    bare.commit_file(hosted.path, "main", "moved.txt", "moved\n")


def _merge_without_the_work(hosted: Hosted, number: int, head: str) -> None:
    """As `git merge -s ours` does it: the history says merged, and the files are not there."""
    main = bare.commit_file(hosted.path, "main", "moved.txt", "moved\n")
    lost = bare.run(hosted.path, "commit-tree", f"{main}^{{tree}}", "-p", main, "-p", head, "-m", "Merge")
    bare.run(hosted.path, "update-ref", "refs/heads/main", lost)
    request = hosted.requests[number]
    request.state, request.merge_commit, request.frozen_head = "merged", lost, head


def _add_to_branch(hosted: Hosted) -> None:
    bare.commit_file(hosted.path, BRANCH, "theirs.txt", "theirs\n")


def _merge_as_somebody(hosted: Hosted, method: str) -> None:
    hosted.merge(1, method)
