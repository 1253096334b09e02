"""Commits that the forge does not have: a pull request must not bring them along unless a person says so. Pure."""

from collections.abc import Sequence

from planrail.base.run_model import Refusal

OPTION = "--with-unpushed"
_MOST_NAMED = 5
_HASH_SHOWN = 10

Told = tuple[str, str]  # a commit, and the first line of its message


def refuse_unpushed(
    commits: Sequence[Told], here: str, there: str, *, has_moved: bool, push: str, pull: str, again: str
) -> Refusal:
    """Why a run by pull request does not begin: the target here has commits that the forge lacks.

    `has_moved`: the forge has others, which are not here. `again` is the call with which the commits travel.
    """
    told = f"{here} has {name_commits(commits)}, which {there} lacks, and a pull request would bring that along"
    if has_moved:
        text = f"{told}; {there} has moved on as well; nothing was started"
        return Refusal("refused", text, f"{pull}, then {push}; then try again")
    return Refusal("refused", f"{told}; nothing was started", f"{push}; or, to let it travel on purpose: {again}")


def refuse_strange(commits: Sequence[Told], branch: str, push: str) -> Refusal:
    """Why nothing is pushed: the branch of the request has commits of somebody else that were never published."""
    text = f"{branch} has {name_commits(commits)}, which planrail did not make; nothing was pushed"
    return Refusal("refused", text, f"git log {branch}; if it shall be a part of the request: {push}")


def announce_unpushed(commits: Sequence[Told]) -> str:
    """What travels with a request, because a person said so; "" for nothing."""
    return f"with the pull request travels, by {OPTION}: {name_commits(commits)}" if commits else ""


def advise_after_merge(commits: Sequence[Told], base: str, branch: str, remote: str, there: str) -> str:
    """How the branch here gets what was merged: without the commits that travelled, which a squash has made anew, and
    with all that came after `base`, the commit here that the request was built upon. Uncommitted work is kept."""
    if not commits:
        return "git pull"
    return f"git fetch {remote} && git rebase --autostash --onto {there} {base[:_HASH_SHOWN]} {branch}"


def name_commits(commits: Sequence[Told]) -> str:
    """Commits by their names and subjects, the first few of them."""
    named = "; ".join(f"{commit[:_HASH_SHOWN]} {subject}" for commit, subject in commits[:_MOST_NAMED])
    more = len(commits) - _MOST_NAMED
    count = "1 commit" if len(commits) == 1 else f"{len(commits)} commits"
    return f"{count} ({named}{f' and {more} more' if more > 0 else ''})"
