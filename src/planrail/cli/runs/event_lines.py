"""What happened to a plan, as lines for people: for `planrail log` and `planrail watch`."""

import time

from planrail.approval.book import PlanFile, list_facts
from planrail.base.masking import mask
from planrail.base.wording import clip, paint
from planrail.runs.reporting.events import PlanEvent, list_events
from planrail.runs.steps.site import WHOLE
from planrail.team.next_steps import name_here


def list_all(plan_file: PlanFile) -> list[PlanEvent]:
    return list_events(list_facts(plan_file.root, plan=plan_file.id))


def render_event(event: PlanEvent, plan_file: PlanFile) -> str:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.at))
    what = event.phase if event.phase == WHOLE else f"phase {event.phase}" if event.phase else event.kind
    return f"{paint(when, 'dim')}  {what:<10}  {clip(name_here(plan_file.path, plan_file.root, mask(event.text)), 200)}"
