"""Open work is never hidden without a word: a plan that is complete has no open box, or says that one contradicts it."""

import pytest

from planrail.plans.reading import read
from planrail.plans.states import PlanStatus
from planrail.plans.text.blocks import Item
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from tests.plans.efforts import each_effort, search
from tests.plans.generated_plans import plans_of_one_kind


def _open_boxes(text: str) -> list[Item]:
    """The open boxes of a text that do not hang under a ticked one."""
    closed: set[Item] = set()
    found = []
    for block in scan(text)[1]:
        if isinstance(block, Item) and block.box is not None:
            if block.is_done or (block.parent is not None and block.parent in closed):
                closed.add(block)
            else:
                found.append(block)
    return found


def _hides_nothing(text: str) -> None:
    plan = read(PlanSource("plan.md", text))
    assert plan.status is not PlanStatus.COMPLETE or plan.diagnostics or not _open_boxes(text)


@pytest.mark.full
@each_effort
def test_a_plan_of_one_kind_hides_no_open_work(effort: str) -> None:
    search(effort, plans_of_one_kind(), _hides_nothing)


@pytest.mark.parametrize(
    "text",
    [
        "## Phase 1: A ✅\n- [ ] open\n",
        "| Phase | Status |\n|---|---|\n| 1 | ✅ |\n\n## Phase 1: A\n- [ ] open\n",
        "---\nstatus: complete\n---\n## Phase 1: A\n- [ ] open\n\n## Phase 2: B\n- [x] a\n",
        pytest.param("## Phase 1: A ✅\n\n## Phase 1: B\n- [ ] open\n", id="two headings with one id"),
        pytest.param("## Phase 01: A ✅\n\n## Phase 1: B\n- [ ] open\n", id="two spellings of one id"),
        pytest.param(
            "| Phase | Status |\n|---|---|\n| 1 | ✅ |\n| 1 | ⬚ |\n\n- [ ] Phase 1: A\n", id="two rows with one id"
        ),
        pytest.param(
            "| Phase | Status |\n|---|---|\n| 1 | ✅ |\n\n- [ ] Phase 1: A\n", id="a row and an entry of a list"
        ),
        pytest.param(
            "---\nstatus: complete\n---\n- [ ] Phase 1: A\n- [ ] Phase 2: B\n", id="a header over open phases"
        ),
        pytest.param("# Plan [COMPLETED]\n\n## Phase 1: A\n- [ ] open\n", id="a title over open boxes"),
        pytest.param(
            "# Plan\n\n**Phase 1: A** [COMPLETED]\n- [ ] open\n\n**Phase 2: B**\n- [x] a\n\n**Phase 3: C**\n- [x] a\n",
            id="a bold phase with a tag",
        ),
    ],
)
def test_work_that_another_place_hides_is_said(text: str) -> None:
    _hides_nothing(text)
