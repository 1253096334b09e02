"""Every instant of a run at which a test kills it, in the order in which a run comes to them."""

from tests.support.crash_names import points_of

# What others walk through: see tests/forge and tests/ui; tests/landing and tests/git for what concerns a remote; and
# test_task_points for the views of tasks, tests/team/test_pruning for what is removed.
ELSEWHERE = ("pr.", "stage.", "task.", "push.", "issue.", "view.", "views.", "remote.", "mirror.", "prune.")

BEGINNING = ("claim.temporary_written", "claim.fence_written", "claim.written", "run_folder.written")
AGAIN = ("claim.takeover_recorded",)  # only a run that is resumed comes to this
ROOM = ("workspace.made", "workspace.filled", "workspace.opened")
PROVISION = ("provision.begun", "provision.copied", "provision.step")
CHECK = ("check.begun", "check.ended")
AGENT = ("job.locked", "job.written", "job.spawned")
SNAPSHOT = ("snapshot.staged", "snapshot.committed", "snapshot.kept")
LANDING = (
    *("land.before", "land.intended", "land.locked", "land.ref_moved"),
    *("land.index_ready", "land.index_set", "land.checkout_half", "land.done"),
)
ENDING = ("workspace.closing", "workspace.removed", "end.cleaned", "ending.written", "end.recorded")
RUNNER = ("runner.identified", "runner.agent_ended", "runner.outcome_written")  # these kill the runner, not planrail


def _around(step: str, *inside: str) -> list[str]:
    begun, done, recorded = points_of(step)
    return [begun, *inside, done, recorded]


PHASE = (
    *_around("start"),
    *_around("baseline", *ROOM, *PROVISION, *CHECK),
    *_around("fresh"),
    *_around("workspace"),
    *_around("implement.1", *AGENT),
    *_around("snapshot.1", *SNAPSHOT),
    *_around("checks.1"),
    *_around("verify.1"),
    *_around("drift"),
    *_around("candidate.1"),
    *_around("prove.1"),
    *_around("land.1", *LANDING),
    *_around("end"),
)
MENDING = (*_around("fix"), *_around("snapshot.2"), *_around("checks.2"), *_around("verify.2"))
FINISH = (*_around("verify_all"), *_around("mark.1"), *_around("complete.1"))
# A first run comes to all of these; the last one of them is reached when nothing is left to be resumed.
IN_ORDER = (*BEGINNING, *_around("choose"), *PHASE, *MENDING, *FINISH, *ENDING)
NAMED = {*BEGINNING, *ROOM, *PROVISION, *CHECK, *AGENT, *SNAPSHOT, *LANDING, *ENDING}  # by hand, in the source
EVERYWHERE = (*IN_ORDER, *AGAIN, *RUNNER)
STEPS = {name.rpartition(".")[0] for name in IN_ORDER if name.endswith(".recorded") and name != "end.recorded"} | {
    "end"
}
