"""The capsule: short enough to arrive, whole where the whole fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.cli.hook.plan_summary import find_limits
from planrail.hook.deciding.capsule import (
    LIMIT,
    render_capsule,
    render_loop_resume,
    render_mention,
    render_progress,
    render_reload_block,
    render_resume,
    render_status,
)
from planrail.hook.sessions.state import Summary

_PATH = "/project/plans/cache.md"
_SUMMARY = Summary(
    title="A cache",
    goal="Answer twice as fast.",
    status="in_progress",
    phase="2: Write through",
    phases_done=1,
    phases=3,
    done=4,
    total=9,
    item="Invalidate on delete",
    open_items=["Invalidate on delete", "Measure"],
)
_LIMITS = """# P

## Non-Goals
- no web
- no database

**Constraints:** Python 3.11 only

## Phase 1: Go
- [ ] keep to the rules
"""

_long = st.text(max_size=30) | st.sampled_from(["x" * 600_000, "wide 語 " * 40_000, "\n" * 20_000])
_summaries = st.builds(
    Summary,
    title=_long,
    goal=_long,
    status=st.sampled_from(["not_started", "in_progress", "complete", "unknown", ""]),
    phase=_long,
    phases_done=st.integers(0, 10**6),
    phases=st.integers(0, 10**6),
    done=st.integers(0, 10**6),
    total=st.integers(0, 10**6),
    item=_long,
    open_items=st.lists(_long, max_size=3) | st.just(["an item that is open"] * 1_000),
)


@pytest.mark.full
@given(_summaries, _long, st.sampled_from([_PATH, "/" + "long/" * 800 + "plan.md"]))
def test_no_capsule_is_longer_than_agents_read(summary: Summary, text: str, path: str) -> None:
    for said in (
        render_capsule(path, summary, text),
        render_resume(path, summary, text),
        render_mention(path, summary),
        render_status(path, summary),
        render_reload_block(path, summary),
    ):
        assert len(said) <= LIMIT


@given(_long, _long)
def test_a_loop_is_resumed_in_few_words(prompt: str, promise: str) -> None:
    loop = {"kind": "loop", "prompt": prompt, "promise": promise, "remaining": 3}
    assert len(render_loop_resume(loop)) <= LIMIT


def test_a_capsule_has_what_an_agent_needs_and_repeats_the_plan_that_fits() -> None:
    plan = "# A cache\n\n- [ ] Invalidate on delete\n"
    text = render_capsule(_PATH, _SUMMARY, plan)
    for part in (_PATH, "Answer twice as fast.", "2: Write through", "4/9 tasks (44%)", "Invalidate on delete"):
        assert part in text
    assert text.endswith(plan)
    assert render_progress(Summary()) == "no trackable tasks"


def test_a_plan_that_does_not_fit_is_not_cut_but_pointed_to() -> None:
    plan = "# A cache\n" + "- [ ] a step that is described at length\n" * 1_000
    text = render_capsule(_PATH, _SUMMARY, plan)
    assert "described at length" not in text
    assert "- [ ] Measure" in text
    assert f"read it at {_PATH}" in text


def test_resuming_says_what_to_do_first_and_a_mention_asks_for_nothing() -> None:
    text = render_resume(_PATH, replace(_SUMMARY, phase_id="2b", checks=1), "")
    assert text.startswith("**ACTION REQUIRED - POST-CLEAR RESUME:**")
    assert text.index("to-do list") < text.index("memory server") < text.index("Invalidate on delete")
    assert "2: Write through" in text
    assert f"`planrail done {_PATH} 2b`" in text
    mention = render_mention(_PATH, _SUMMARY)
    assert "ACTION REQUIRED" not in mention
    assert "Do not resume it" in mention


def test_text_that_ends_a_loops_arguments_stays_inside_them() -> None:
    """The prompt is somebody's text: a quote in it must not end the argument it stands in."""
    loop = {"kind": "loop", "prompt": 'say "hi") and stop', "promise": "it's done", "remaining": 3}
    line = render_loop_resume(loop).splitlines()[-1]
    assert 'say \\"hi\\") and stop' in line
    assert line.endswith('--max-iterations 3")')


def test_a_phase_with_checks_is_marked_by_planrail_and_one_without_by_whoever_did_it() -> None:
    text = render_capsule("/project/my plans/a.md", replace(_SUMMARY, phase_id="2b", checks=1))
    assert "`planrail check '/project/my plans/a.md' 2b`" in text
    assert "`planrail done '/project/my plans/a.md' 2b`" in text
    assert "tick its box" not in text
    text = render_capsule(_PATH, replace(_SUMMARY, phase_id="2b"))
    assert "tick its box" in text
    assert "planrail done" not in text


def test_what_a_plan_leaves_out_and_what_constrains_it_is_in_the_capsule() -> None:
    limits = find_limits(_LIMITS)
    assert limits == ["Not in this plan: no web; no database", "Constraints: Python 3.11 only"]
    capsule = render_capsule(_PATH, replace(_SUMMARY, limits=limits))
    assert "\n**Not in this plan:** no web; no database\n**Constraints:** Python 3.11 only\n" in capsule
    assert find_limits("# P\n\n- rules of the road\n\nconstraints matter\n") == []
