"""The line of a run: the ref that its phases land on, one after the other. The target, or the branch of a request."""

from planrail.repo.checkouts import find_checkouts, read_layout
from planrail.repo.git_writing import ask_git, run_git
from planrail.repo.pushing import fetch_ref, holds, remote_of
from planrail.repo.repository_lock import hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.site import Site

_NOTHING = "0" * 40


def resolve_line(site: "Site") -> str:
    """The commit that the next phase builds on. The branch of a request is made where there is none yet."""
    found = _commit(site, site.order.line)
    if found:
        return found
    base = _base(site)
    with hold(site.lock):
        run_git(site.root, "update-ref", "--create-reflog", "-m", "planrail: begin", site.order.line, base, _NOTHING)
    return base


def close_line(site: "Site", commit: str) -> None:
    """Take away the branch of a request that was merged, if nobody has it checked out or has added to it."""
    with hold(site.lock):
        if _commit(site, site.order.line) == commit and not find_checkouts(read_layout(site.root), site.order.line):
            run_git(site.root, "update-ref", "-d", site.order.line, commit)


def _base(site: "Site") -> str:
    """The target: as its remote has it, where that has all that is here."""
    here = _commit(site, site.order.target)
    upstream = remote_of(site.root, site.order.target)
    there = fetch_ref(site.root, upstream.remote, upstream.branch) if upstream is not None else None
    return there if there and (not here or holds(site.root, there, here)) else here


def _commit(site: "Site", ref: str) -> str:
    return (ask_git(site.root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") or "").strip()
