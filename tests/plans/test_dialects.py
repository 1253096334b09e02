"""A plan format is one declaration: whoever recognises, reads, edits, divides or runs a plan asks its dialect."""

from collections.abc import Iterator

import pytest

from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.edits import change_status
from planrail.plans.execution.executions import order_phases
from planrail.plans.formats.dialects import DIALECTS, Dialect, dialect_of, find_dialect
from planrail.plans.formats.entries import TaskEntry, make_plan
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.source import PlanSource

_TEXT = "build = completed\ntest = open\nship = open\n"


def _read_lines(source: PlanSource, _: Surroundings | None) -> Plan:
    entries, at = [], 0
    for line in source.text.splitlines(keepends=True):
        name, _equals, status = line.rstrip("\n").partition(" = ")
        start = at + line.index(status)
        entries.append(TaskEntry(name, name, status, start, start + len(status), [], []))
        at += len(line)
    return make_plan(source, "Lines", "lines-of-work", entries)


@pytest.fixture
def own_dialect() -> Iterator[Dialect]:
    words = {State.TODO: "open", State.DONE: "completed"}
    own = Dialect("lines-of-work", suffixes=("work",), read=_read_lines, layout="lines", has_header=False, words=words)
    DIALECTS.append(own)
    yield own
    DIALECTS.remove(own)


def test_a_format_that_is_declared_is_recognised_and_read(own_dialect: Dialect) -> None:
    plan = read(PlanSource("jobs.work", _TEXT))
    assert find_dialect("jobs.work") is dialect_of(plan) is own_dialect
    assert plan.states == [("build", State.DONE), ("test", State.TODO), ("ship", State.TODO)]
    assert plan.next is not None
    assert plan.next.phase == "test"


@pytest.mark.usefixtures("own_dialect")
def test_a_status_is_set_in_its_words_and_voids_no_approval() -> None:
    source = PlanSource("jobs.work", _TEXT)
    plan = read(source)
    text = change_status(source, plan, plan.phases[1], State.DONE).apply(_TEXT)
    assert text == _TEXT.replace("test = open", "test = completed")
    assert canonicalise(read(PlanSource("jobs.work", text)), text).hash == canonicalise(plan, _TEXT).hash
    assert [order.text for order in order_phases(plan, _TEXT)] == _TEXT.splitlines()
