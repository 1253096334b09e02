"""The drift log: whatever an author says of a change, it is a row of the log and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.planning.answers.drift_log import PlanChanges, add_drift_log, render_changes
from planrail.plans.canonical.canonical import LOG_GROWN, Canonical, canonicalise, compare_seal
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

PLAN = "# Greeter\n\nGoal: greet.\n\n## Phase 1: Read\n\n- [ ] read\n\n## Phase 2: Write\n\nwrite\n"
_IDS = st.lists(st.from_regex(r"\A[\w.-]{1,8}\Z"), max_size=3).map(tuple)
_CHANGES = st.builds(
    PlanChanges,
    added=_IDS,
    removed=_IDS,
    renamed=_IDS,
    changed=_IDS,
    is_changed_elsewhere=st.booleans(),
    lines_added=st.integers(0, 9_999),
    lines_removed=st.integers(0, 9_999),
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
@given(_CHANGES, _WORDS, st.sampled_from(("\n", "\r\n")))
def test_a_row_for_any_change_and_any_reason_makes_the_log_grow_and_changes_nothing_else(
    changes: PlanChanges, why: str, newline: str
) -> None:
    text = PLAN.replace("\n", newline)
    for _ in range(2):
        before = _canonical(text)
        text = add_drift_log(text, "2026-02-03", render_changes(changes), why)
        after = _canonical(text)
        assert after.phases == before.phases
        keys = {phase.key for phase in after.phases}
        assert compare_seal(before.rest_hash, after.outside, keys) == LOG_GROWN


def test_a_long_reason_and_a_change_of_many_phases_are_cut_off_and_are_a_row_of_the_log() -> None:
    many = render_changes(PlanChanges(changed=tuple(map(str, range(500)))))
    after = _canonical(add_drift_log(PLAN, "2026-02-03", many, "all of it"))
    assert compare_seal(_canonical(PLAN).rest_hash, after.outside, {"1", "2"}) == LOG_GROWN
    text = add_drift_log(PLAN, "2026-02-03", render_changes(PlanChanges(changed=("2",))), "because " * 99)
    assert text.endswith("… |\n")
    assert len(text.splitlines()[-1]) < 400
