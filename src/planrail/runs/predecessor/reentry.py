"""Coming back to a plan: what is left to do with it, and what follows from the answer to a claim."""

from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ALREADY_COMPLETE, ONLY_TO_FINISH, UNDER_WAY, GO_ON = 1, 2, 3, 4
_FINISHED = ("done", "skipped")


def decide_reentry(plan_status: str, phases: "Sequence[str]") -> int:
    """What a run finds: the plan complete (1), only its own status open (2), its next phase under way (3), or work (4).

    planrail asks the claim, not the document, whether a phase is under way; the numbers are those of the predecessor.
    """
    if plan_status.lower() in ("complete", "completed", "done"):
        return ALREADY_COMPLETE
    following = next((state for state in phases if state not in _FINISHED), None)
    if following is None:
        return ONLY_TO_FINISH if phases else GO_ON
    return UNDER_WAY if following == "in_progress" else GO_ON


@record
class ClaimAnswer:
    """What follows from a claim: whether to go on, whether it is held, the exit code where not, and what to say."""

    goes_on: bool
    is_held: bool
    exit: int = 0
    text: str = ""


def answer_claim(what: str, code: int, name: str = "") -> ClaimAnswer:
    """What a run does after claiming a plan or an issue, by the exit code of the claim.

    A foreign claim of an issue is a warning, since the plan's own claim already keeps runs apart. A foreign claim of
    the plan declines: the predecessor left with 0 then, planrail leaves with 10.
    """
    if code == 0:
        return ClaimAnswer(goes_on=True, is_held=True)
    if code == 10 and what == "issue":
        return ClaimAnswer(goes_on=True, is_held=False, text=f"issue {name} is claimed by another run; going on")
    if code == 10:
        return ClaimAnswer(goes_on=False, is_held=False, exit=10, text=f"{name or 'the plan'} is held by another run")
    return ClaimAnswer(goes_on=False, is_held=False, exit=2 if code == 2 else 1, text=f"the {what} cannot be claimed")
