"""Where a pull request goes, and what it would bring along: its base is the target as the forge has it."""

from collections.abc import Collection, Iterable, Sequence

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.run_model import Refusal
from planrail.git.git_writing import run_git
from planrail.git.remotes.forge_places import Forge, locate_forge
from planrail.git.remotes.pushing import FETCHED, Upstream, fetch_ref, remote_of
from planrail.git.trailers import PLAN, decode_value, read_trailers

_HEADS = "refs/heads/"

OPTION = "--with-unpushed"
_MOST_NAMED = 5
_HASH_SHOWN = 10
Told = tuple[str, str]  # a commit, and the first line of its message


@record
class RequestPlace:
    """A target on a forge. Branches are pushed to `remote`; where that is a fork, requests go to another one."""

    forge: Forge
    remote: str
    branch: str  # the target, as the forge calls it

    @property
    def name(self) -> str:
        return f"{self.forge.base_remote}/{self.branch}"

    @property
    def fetched(self) -> str:
        """The ref that has it as it was fetched last."""
        return f"{FETCHED}/{self.name}"


def locate_request(root: str, target: str, remote: str = "") -> RequestPlace:
    """Where requests for a local branch go. `remote` is the one whose target is the truth, where that was said."""
    told = Upstream(remote, target.removeprefix(_HEADS)) if remote else remote_of(root, target)
    if told is None:
        raise PlanrailError("there is no remote to open a pull request at", remedy="git remote add origin URL")
    return RequestPlace(locate_forge(root, told.remote), told.remote, told.branch)


def fetch_base(root: str, place: RequestPlace) -> str:
    """The commit that a request is based on: the target as the forge has it now."""
    found = fetch_ref(root, place.forge.base_remote, place.branch)
    if not found:
        raise PlanrailError(
            f"{place.forge.base_remote} has no branch {place.branch}, so no pull request can go there",
            remedy=f"git push {place.forge.base_remote} {place.branch}",
        )
    return found


def list_commits(root: str, tip: str, known: Iterable[str]) -> list[Told]:
    """The commits of a tip that nothing of what is known has, the oldest first."""
    return [commit for commit, _ in _read(root, tip, known)]


def list_strange(root: str, plan: str, tip: str, known: Iterable[str], allowed: Collection[str]) -> list[Told]:
    """Those of them that are neither planrail's own work on a plan nor allowed: a request must not bring them along."""

    def is_ours(message: str) -> bool:
        return any(name == PLAN and decode_value(value) == plan for name, value in read_trailers(message))

    found = _read(root, tip, known)
    return [commit for commit, message in found if commit[0] not in allowed and not is_ours(message)]


def _read(root: str, tip: str, known: Iterable[str]) -> list[tuple[Told, str]]:
    shape = "--format=%H%n%B"
    told = run_git(root, "log", "--reverse", "--encoding=UTF-8", "-z", shape, tip, "--not", *known, "--")
    entries = (entry.split("\n", 1) for entry in told.split("\0") if entry)
    return [((id, message.split("\n", 1)[0].strip()), message) for id, message in entries]


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
    """Why nothing is pushed: the branch of the request has unpublished commits that planrail did not make."""
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
    named = "; ".join(f"{commit[:_HASH_SHOWN]} {subject}" for commit, subject in commits[:_MOST_NAMED])
    more = len(commits) - _MOST_NAMED
    count = "1 commit" if len(commits) == 1 else f"{len(commits)} commits"
    return f"{count} ({named}{f' and {more} more' if more > 0 else ''})"
