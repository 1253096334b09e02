"""A person's yes to the plan of a task, asked for where they are: by approve's own flow, at their own terminal."""

from planrail.approval.desk import open_desk
from planrail.base.wording import quote
from planrail.runs.request.approving import ApproveRequest, approve
from planrail.tasks.orchestrating import APPROVE, DECLINED, OK, RESTS, Outcome


def ask_approval(path: str, number: int, *, is_asked: bool) -> Outcome:
    """Ask at the terminal, where a person is there; else it rests, and goes on after their yes. A no is a no."""
    if not is_asked:
        return Outcome(APPROVE, RESTS, f"waits for your yes: {path}", f"planrail approve {quote(path)}")

    if approve(ApproveRequest(path), open_desk()).is_approved:
        return Outcome(APPROVE, OK)
    return Outcome(
        APPROVE, DECLINED, f"you said no to {path}; nothing was started", f"planrail task revise {number} WHAT"
    )
