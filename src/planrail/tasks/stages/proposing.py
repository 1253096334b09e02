"""A plan of a task waits for a person's yes, as every plan does; and what to type where no yes is asked for."""

import os

from planrail.approval.book import load_policy
from planrail.approval.records import propose
from planrail.base.errors import PlanrailError
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.looks import from_here
from planrail.tasks.stage_folders import StageFolder


def propose_plan(desk: Desk, folder: StageFolder) -> str:
    """Let `planrail approvals` list the plan of a stage; what a person should know where that failed, else "".

    The plan is written all the same. Proposed twice, it is one request.
    """
    try:
        propose(os.path.join(desk.root, folder.text("artifact")), agent=folder.text("agent"), root=desk.root)
    except PlanrailError as error:
        return f"{error.message}; {error.remedy}"
    except OSError as error:
        return f"it could not be noted that the plan waits for a yes: {error.strerror}"
    return ""


def after_plan(desk: Desk, number: int, path: str) -> str:
    """What follows a plan: a person's yes, or the work, where the settings ask for none."""
    is_asked = load_policy(desk.root, os.environ).required
    return f"planrail approve {from_here(desk, path)}" if is_asked else f"planrail task implement {number}"
