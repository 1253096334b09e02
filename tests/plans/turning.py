"""Setting a status and setting it back, as `planrail set` does it."""

from planrail.base.errors import PlanrailError
from planrail.plans.editing.edits import Edit, change_status
from planrail.plans.model import Phase, Plan
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource


def turn(source: PlanSource, plan: Plan, phase: Phase, state: State) -> bool:
    """Assert that a status can be set and set back, or is refused; whether it could be set."""
    edit = attempt(source, plan, phase, state)
    if edit is None:
        return False
    changed = PlanSource(source.path, edit.apply(source.text))
    after = read(changed)
    assert_one_span(source.text, changed.text, edit)
    assert_says(after, phase, state)
    assert_others_stay(plan, after, phase)
    turned = after.phase(phase.id)
    assert turned is not None
    back = change_status(changed, after, turned, phase.status, edit.old)
    assert back.apply(changed.text) == source.text
    return True


def attempt(source: PlanSource, plan: Plan, phase: Phase, state: State) -> Edit | None:
    """The edit that gives a phase another status; None where it is refused."""
    try:
        return change_status(source, plan, phase, state)
    except PlanrailError:
        return None


def assert_one_span(before: str, after: str, edit: Edit) -> None:
    """The edit replaces what it says, within one line, and nothing else."""
    assert before[edit.start : edit.end] == edit.old
    assert after == before[: edit.start] + edit.new + before[edit.end :]
    assert not {"\n", "\r"} & set(edit.old + edit.new)


def assert_says(after: Plan, phase: Phase, state: State) -> None:
    """The phase has the state that was asked for; a box that is opened over ticked ones counts as in progress."""
    turned = after.phase(phase.id)
    assert turned is not None
    is_counted = state is State.TODO and turned.status is State.IN_PROGRESS
    assert turned.status is state or is_counted


def assert_others_stay(before: Plan, after: Plan, phase: Phase) -> None:
    """Every other phase reads as it did; one of which nobody could tell may read as open beside the first mark."""
    pairs = list(zip(before.phases, after.phases, strict=True))
    assert all(old.id == new.id for old, new in pairs)
    changed = {(old.status, new.status) for old, new in pairs if old.id != phase.id and old.status is not new.status}
    assert all(old is State.UNKNOWN and not new.is_terminal for old, new in changed)
