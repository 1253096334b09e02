"""Trackers: the commits of landed phases in the column that is there for them, and not one other byte."""

from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.edits import find_empty_cells, write_commits
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

TABLE = (
    "| Phase | Status | Commit | Notes |\r\n|---|---|---|---|\r\n"
    "| 1: A | ✅ Done | `1111111` | |\r\n| 2: B | ✅ Done |  | a \\| b |\r\n|3: C|⬚|—||\r\n"
)
COMMITS = {"1": "f" * 40, "2": "abc1234", "3": "e" * 40}


def _write(text: str, commits: dict[str, str] = COMMITS) -> str:
    return write_commits(PlanSource("plan.md", text), commits)


def test_empty_cells_of_phases_that_landed_get_their_commits_once_and_an_approval_still_holds() -> None:
    wanted = TABLE.replace("Done |  | a", "Done | `abc1234` | a").replace("|⬚|—||", f"|⬚| `{'e' * 12}` ||")
    assert _write(TABLE) == _write(wanted) == wanted
    assert find_empty_cells(PlanSource("plan.md", wanted)) == {}
    assert _write(TABLE, {"2": "abc1234"}) == TABLE.replace("Done |  | a", "Done | `abc1234` | a")
    hashes = {canonicalise(read(PlanSource("plan.md", text)), text).hash for text in (TABLE, wanted)}
    assert len(hashes) == 1


def test_a_cell_with_other_words_in_it_and_a_plan_without_such_a_column_stay_as_they_are() -> None:
    for text in (
        TABLE.replace("Done |  | a", "Done | see PR | a"),
        "- [x] Phase 1 — commit the A\n- [ ] Phase 2 — B\n",
    ):
        assert _write(text, {"2": "abc1234"}) == text
