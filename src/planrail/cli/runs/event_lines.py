"""What happened to a plan, as lines for people: for `planrail log` and `planrail watch`."""

import time

from planrail.approval.book import PlanFile, list_facts
from planrail.base.masking import mask
from planrail.base.wording import clip, paint
from planrail.runs.reporting.events import PlanEvent, list_events
from planrail.runs.steps.site import WHOLE
from planrail.team.next_steps import name_here


def list_all(paper: PlanFile) -> list[PlanEvent]:
    return list_events(list_facts(paper.root, plan=paper.id))


def render_event(event: PlanEvent, paper: PlanFile) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.at))
    what = event.phase if event.phase == WHOLE else f"phase {event.phase}" if event.phase else event.kind
    return f"{paint(when, 'dim')}  {what:<10}  {clip(name_here(paper.path, paper.root, mask(event.text)), 200)}"
