"""Whether a worktree can be made for a branch, by what git says about both: the predecessor's codes, as a decision.

For the setting `workspace = "worktree"`, and for scripts that branch on these codes. Unlike the predecessor, planrail
never deletes a branch that is there on a remote.
"""

from planrail.records import record

MADE, PATH_TAKEN, BEHIND, AHEAD, BAD_CALL, NO_FETCH, DIVERGED, NOT_WRITTEN, STUB_FAILED = 0, 2, 3, 4, 5, 6, 7, 8, 9


@record
class WorktreeFacts:
    """What is known before and after. `ahead` and `behind` count the commits of a branch that is there already."""

    is_valid: bool = True
    is_path_taken: bool = False
    fetch_failed: bool = False
    base_diverged: bool = False
    branch_exists: bool = False
    ahead: int = 0
    behind: int = 0
    may_resume: bool = False
    write_failed: bool = False  # what planrail notes in it; the worktree is rolled back
    setup_failed: bool = False  # the project's own script; the worktree is kept


def decide_worktree(facts: WorktreeFacts) -> int:
    """The code for these facts; the first that applies."""
    checks = (
        (not facts.is_valid, BAD_CALL),
        (facts.is_path_taken, PATH_TAKEN),
        (facts.fetch_failed, NO_FETCH),
        (facts.base_diverged, DIVERGED),
        (facts.branch_exists and facts.behind > 0 and not facts.ahead, BEHIND),
        (facts.branch_exists and facts.ahead > 0 and not facts.may_resume, AHEAD),
        (facts.write_failed, NOT_WRITTEN),
        (facts.setup_failed, STUB_FAILED),
    )
    return next((code for applies, code in checks if applies), MADE)
