"""What SQL chooses is what the rule chooses, and it chooses quickly however long the line is."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queue_limits import CAN_START, IN_LINE, NEAR
from planrail.team.queue_rows import add_row
from planrail.team.queueing import QUEUED, STOPPING, TAKEN, Submission
from tests.runs.queue_rule import choose_next
from tests.store.queue_stage import StageTables, make, open_embedded
from tests.store.test_queue_firing import open_memory

NAMES = st.sampled_from(("", "x", "y"))
FEW = st.integers(0, 2)
NOW = 1_000_000.0
ROWS: st.SearchStrategy[dict[str, object]] = st.builds(
    dict,
    repository=NAMES,
    account=NAMES,
    priority=FEW,
    state=st.sampled_from((QUEUED, QUEUED, QUEUED, TAKEN, STOPPING)),
    due=st.sampled_from((0.0, NOW, NOW + 5)),
    served=FEW.map(float),
    submitted=FEW.map(float),
    remote=st.sampled_from(("", "git@h:o/n")),
    host=st.sampled_from(("", "here", "there")),
)
LIMITS = st.dictionaries(
    st.tuples(st.sampled_from(("repository", "account")), st.sampled_from(("x", "y", "*"))), st.integers(1, 3)
)
HOLDS = st.dictionaries(st.sampled_from(("x", "y")), st.sampled_from((NOW - 1, NOW + 1)))


def fill(
    tables: StageTables, rows: list[dict[str, object]], limits: dict[tuple[str, str], int], holds: dict[str, float]
) -> list[Submission]:
    made = [make(f"p{number:03}", id=f"i{number:03}", **row) for number, row in enumerate(rows)]
    with tables.exclusive():
        for table in ("submissions", "queue_limits", "accounts"):
            tables.change(f"DELETE FROM {table}")
        for row in made:
            add_row(tables, row)
        for (kind, name), most in limits.items():
            Dispatch(tables).set_limit(kind, name, most)
        for name, until in holds.items():
            Dispatch(tables).hold_account(name, until)
    return made


def check(
    tables: StageTables, rows: list[dict[str, object]], limits: dict[tuple[str, str], int], holds: dict[str, float]
) -> None:
    made = {row.id: row for row in fill(tables, rows, limits, holds)}
    while True:
        known = Dispatch(tables).list_limits()
        expected = choose_next(made.values(), known, Dispatch(tables).list_holds(), tables.now(), "here")
        found = Dispatch(tables).take("w", "{}", "here")
        assert (found.id if found else None) == (expected.id if expected else None)
        if found is None:
            return
        made[found.id] = found


@pytest.mark.full
@given(st.lists(ROWS, max_size=12), LIMITS, HOLDS)
def test_the_database_takes_what_the_rule_says(
    rows: list[dict[str, object]], limits: dict[tuple[str, str], int], holds: dict[str, float]
) -> None:
    with open_memory() as tables:
        check(tables, rows, limits, holds)


@pytest.mark.full
def test_so_does_a_shared_one(database: str) -> None:
    tables = StageTables(open_team_tables(database))

    @given(st.lists(ROWS, max_size=8), LIMITS, HOLDS)
    def run(rows: list[dict[str, object]], limits: dict[tuple[str, str], int], holds: dict[str, float]) -> None:
        check(tables, rows, limits, holds)

    run()


def test_a_long_line_is_walked_in_its_own_order_and_never_sorted(tmp_path: Path) -> None:
    with open_embedded(tmp_path) as tables:
        question = f"EXPLAIN QUERY PLAN SELECT * FROM submissions {CAN_START}{NEAR} {IN_LINE} LIMIT 1"
        steps = [str(row[3]) for row in tables.rows(question, NOW, "", "", "", "", NOW, "here", NOW, "here")]
    assert steps[0] == "SCAN submissions USING INDEX submissions_in_line"
    assert not [step for step in steps if "ORDER BY" in step]
