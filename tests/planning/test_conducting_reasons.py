"""Why a plan was refined: the author's own words above the plan, else what a person asked for."""

import pytest

from planrail.planning.headless.delivery import LONGEST, read_reason

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


@pytest.mark.parametrize(
    ("feedback", "why"),
    [
        ("Split it.", "Split it."),
        ("Split phase 2, e.g. by\nmodule. And name the error.", "Split phase 2, e.g. by module."),
        ("two phases are enough\n\nand more", "two phases are enough"),
        ("lena rejected it:\n\nToo lax. Too long.", "lena rejected it: Too lax."),
        (
            "lena rejected it:\n\nTo line 4:\n> - [ ] 2.1 secret\nwhat about stdout?",
            "lena rejected it: To line 4: what about stdout?",
        ),
        ("太长了。再短一点。", "太长了。"),
        ("  \n", "the plan was brought up to date"),
    ],
)
def test_where_the_author_says_nothing_the_first_sentence_of_the_feedback_is_the_reason(
    feedback: str, why: str
) -> None:
    assert read_reason(PLAN, feedback) == why
    assert read_reason(f"Why: it was too large.\n\n{PLAN}", feedback) == "it was too large."


def test_a_long_reason_is_cut_and_no_secret_of_the_feedback_reaches_the_plan() -> None:
    token = "ghp_" + "a1B2" * 8
    assert read_reason(PLAN, f"Use {token} for it.") == "Use [masked token] for it."
    assert len(read_reason(PLAN, "x" * 5_000)) == LONGEST
    assert len(read_reason(f"Why: {'x ' * 1_000}\n\n{PLAN}")) == LONGEST
