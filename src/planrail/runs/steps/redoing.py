"""Work that was verified and contradicts what the target has got meanwhile: what the agent that redoes it is given."""

from planrail.git.git_writing import ask_git
from planrail.git.workspaces.work_snapshots import read_diff
from planrail.runs.steps.site import SIDE, At, Site
from planrail.store.runs.run_facts import PHASE

REDONE = "redone"  # how such an attempt ends: the phase is done once more, on the target as it is now
EARLIER_FILE = f"{SIDE}/earlier.diff"


def read_earlier(site: Site, at: At) -> str:
    """The diff of the attempt before this one, where that ended so; "" for none."""
    before = At(at.phase, at.attempt - 1)
    wanted = (site.order.run, at.phase.id, before.attempt, REDONE)
    told = (tuple(map(fact.value.get, ("run", "phase", "attempt", "reason"))) for fact in site.read(PHASE))
    if not before.attempt or wanted not in told:
        return ""
    names = [site.ref(before, f"snapshot.{part}") for part in (2, 1)]  # after a fix, or as it was
    commits = [ask_git(site.root, "rev-parse", "--verify", "--quiet", name) for name in names]
    commit = next(filter(None, commits), "").strip()
    return read_diff(site.root, f"{commit}^", commit) if commit else ""
