"""What plannings in a session and headless ones share: their ids, their options, and what a plan says about itself."""

import secrets
import time

from planrail.base.settings import PlanningSettings
from planrail.planning.options import Options
from planrail.planning.phases import CRITIQUE
from planrail.planning.planning import Planning
from planrail.planning.plannings import Kept
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.reading import read
from planrail.plans.text.source import Source


def new_id(now: float) -> str:
    """An id for a planning: when it began, and something that no other has."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{secrets.token_hex(3)}"


def options_from(settings: PlanningSettings) -> Options:
    """The options that hold where a person says nothing."""
    return Options(
        usual_rounds=settings.rounds,
        attempts=settings.attempts,
        length=settings.length,
        interview=settings.workflow == "interview",
        free=settings.workflow == "free",
    )


def describe_plan(kept: Kept, planning: Planning) -> dict[str, str]:
    """What stands in the front matter of a plan: facts of planrail's own, and no word of a person or an agent."""
    about = kept.about
    return {
        "id": f"plan-{planning.id}",
        "created": time.strftime("%Y-%m-%d", time.gmtime(float(about["created"]))),
        "author": about["agent"],
        "critic": about.get("critic") or about["agent"],
        "rounds": str(planning.progress.phases.count(CRITIQUE)),
    }


def says_the_same(path: str, text: str, other: str) -> bool:
    """Whether two texts of a plan differ in nothing that an approval would notice: blanks, marks, planrail's keys."""
    first, second = (canonicalise(read(Source(path, one)), one) for one in (text, other))
    return first.hash == second.hash
