"""Why a plan was refined is taken from the author's own words, above the plan, and from nowhere else."""

import pytest

from planrail.authoring.reasons import LONGEST, read_reason

PLAN = "# A plan\n\n## Goal\n\nWhy: because it says so in the plan.\n"


@pytest.mark.parametrize(
    "said",
    [
        "I split phase 2. Why: it was too large.",
        "I split phase 2.\nWhy: it was too large.",
        "I split phase 2.\n\n**Why:** it was\ntoo large.",
        "- What: phase 2 is split\n- Why: it was too large.",
    ],
)
def test_the_sentence_that_begins_with_why_is_the_reason(said: str) -> None:
    assert read_reason(f"{said}\n\n{PLAN}") == "it was too large."


def test_a_sentence_of_the_plan_is_no_reason() -> None:
    assert read_reason(PLAN) == "the plan was brought up to date"
    assert read_reason(f"```markdown\n{PLAN}```") == "the plan was brought up to date"
    assert read_reason(PLAN, "Split it.") == "a person asked for changes"


def test_a_long_reason_is_cut() -> None:
    assert len(read_reason(f"Why: {'x ' * 1_000}\n\n{PLAN}")) == LONGEST
