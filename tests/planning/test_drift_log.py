"""The drift log: whatever an author says of a change, it is a row of the log and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.planning.answers.drift_log import add_drift_log
from planrail.plans.canonical.canonical import LOG_GROWN, Canonical, canonicalise, compare_seal
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

PLAN = "# Greeter\n\nGoal: greet.\n\n## Phase 1: Read\n\n- [ ] read\n\n## Phase 2: Write\n\nwrite\n"
_CHANGED = (
    "added phase 4 (3 lines in, 0 out)",
    "added phases 3, 4; changed text outside the phases (9 lines in, 0 out)",
    "removed phase 2a; changed phases 1, 3.1 (1 line in, 1 out)",
)
_WORDS = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(("|", "\\", "`", "<!--", "-->", "\n", "## Phase 9", "[x](y)", " ", "a", "~~~"))).map(
        "".join
    ),
)


def _canonical(text: str) -> Canonical:
    return canonicalise(read(PlanSource("plan.md", text)), text)


@pytest.mark.full
@given(st.sampled_from(_CHANGED), _WORDS, st.sampled_from(("\n", "\r\n")))
def test_a_row_for_any_change_and_any_reason_makes_the_log_grow_and_changes_nothing_else(
    changed: str, why: str, newline: str
) -> None:
    text = PLAN.replace("\n", newline)
    for _ in range(2):
        before = _canonical(text)
        text = add_drift_log(text, "2026-02-03", changed, why)
        after = _canonical(text)
        assert after.phases == before.phases
        keys = {phase.key for phase in after.phases}
        assert compare_seal(before.rest_hash, after.outside, keys) == LOG_GROWN


def test_a_long_reason_and_a_change_of_many_phases_are_cut_off_and_are_a_row_of_the_log() -> None:
    many = f"changed phases {', '.join(map(str, range(500)))} (9 lines in, 9 out)"
    after = _canonical(add_drift_log(PLAN, "2026-02-03", many, "all of it"))
    assert compare_seal(_canonical(PLAN).rest_hash, after.outside, {"1", "2"}) == LOG_GROWN
    text = add_drift_log(PLAN, "2026-02-03", _CHANGED[0], "because " * 99)
    assert text.endswith("… |\n")
    assert len(text.splitlines()[-1]) < 400
