"""What is worth telling: decided from the facts of a plan, and from how a run that is live stands. Pure."""

from planrail.approval.book import REQUEST
from planrail.approval.model import read_request
from planrail.base.records import record
from planrail.base.settings.tables import NOTICES
from planrail.base.wording import clean, clip, plural, quote
from planrail.store.facts import Fact
from planrail.store.journal_lines import STUCK as MAY_BE_STUCK
from planrail.store.journal_lines import Life, Step, answer_stuck, describe_step, judge_life_signs, render_time
from planrail.store.runs.run_facts import read_fact
from planrail.store.runs.run_history import RunFact

NEEDS_YOU, STUCK, FAILED, PARKED, COMPLETE, LANDED = NOTICES
TITLES = {
    NEEDS_YOU: "needs you",
    STUCK: "may be stuck",
    FAILED: "failed",
    PARKED: "rests",
    COMPLETE: "is complete",
    LANDED: "landed a phase",
}
_OF_RUNS = {
    "paused": NEEDS_YOU,
    "waiting": NEEDS_YOU,
    "failed": FAILED,
    "parked": PARKED,
    "complete": COMPLETE,
    "phase_done": LANDED,
}
_LONGEST = 300  # characters of a text
_PATIENCE = 60  # seconds that a question at a terminal may wait before it is told elsewhere


@record
class Notice:
    """One thing to tell. `id` is the same wherever and however often it is found; `command` answers it."""

    id: str
    kind: str
    plan: str
    text: str
    command: str
    at: int

    @property
    def title(self) -> str:
        return f"{self.plan} {TITLES[self.kind]}"


def judge_fact(fact: Fact) -> Notice | None:
    """What a fact has to tell a person, if anything."""
    if fact.kind == REQUEST and (request := read_request(fact.value)) is not None:
        command = f"planrail approve {quote(request.path)}"
        return _make(fact.id, NEEDS_YOU, request.title or request.path, "a plan waits for approval", command, fact.at)
    said = read_fact(fact)
    if not isinstance(said, RunFact) or said.event not in _OF_RUNS:
        return None
    command = said.command or f"planrail status {quote(said.path)}"
    return _make(fact.id, _OF_RUNS[said.event], said.title or said.path, said.text, command, fact.at)


def judge_step(run: str, title: str, path: str, step: Step, life: Life) -> Notice | None:
    """What a step that is under way has to tell: it asks a person, who may not be there, or gives no sign of life."""
    told, id = judge_life_signs(life, step=step.name), f"{run}/{step.phase}/{step.attempt}/{step.name}/{step.began}"
    if told == MAY_BE_STUCK:
        text, command = answer_stuck(life, step=step.name), f"planrail status {quote(path)}"
        return _make(f"stuck:{id}", STUCK, title or path, text, command, int(step.began + life.in_step))
    if told == "waiting" and life.in_step >= _PATIENCE:
        text = f"{describe_step(step.name)}, for {render_time(life.in_step)}"
        return _make(f"asks:{id}", NEEDS_YOU, title or path, text, f"planrail status {quote(path)}", int(step.began))
    return None


def join_notices(notices: "list[Notice]") -> Notice:
    """Several things as one, where each by itself would be too many."""
    first, last = notices[0], notices[-1]
    text = "; ".join(notice.title for notice in notices)
    plan = f"{plural(len(notices), 'thing')} happened, the last: {last.plan}"
    return _make(f"joined:{first.id}", last.kind, plan, text, "planrail list", last.at)


def _make(id: str, kind: str, plan: str, text: str, command: str, at: int) -> Notice:
    plan, text = (clip(" ".join(clean(said).split()), _LONGEST) for said in (plan, text))
    return Notice(id, kind, plan, text, command, at)
