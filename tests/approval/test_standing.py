"""Standing: a yes holds for the text it was given to, and for nothing else."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.approval.model import DIALOG, KEY, NOBODY, TERMINAL, Approval, Rejection
from planrail.approval.standing import Needed, Standing, decide_standing
from planrail.base.records import replace
from tests.approval.texts import PLAN, approval_of, canonical_of, rejection_of


def stand(
    text: str,
    history: Sequence[Approval | Rejection],
    *,
    strength: str = TERMINAL,
    leads: tuple[str, ...] = (),
    signer: str = "",
) -> Standing:
    needed = Needed("plan.md", "here", strength, lambda approval: signer, leads)
    return decide_standing(canonical_of(text), history, needed)


def states(standing: Standing) -> list[str]:
    return [phase.state for phase in standing.phases]


def test_a_plan_that_nobody_approved_is_new() -> None:
    standing = stand(PLAN, [])
    assert (standing.state, states(standing)) == ("new", ["new"] * 3)


def test_a_plan_is_approved_as_it_was_approved() -> None:
    standing = stand(PLAN, [approval_of(PLAN)])
    assert (standing.state, standing.is_approved, states(standing)) == ("approved", True, ["approved"] * 3)


def test_a_ticked_box_leaves_the_approval_alone() -> None:
    assert stand(PLAN.replace("[ ]", "[x]"), [approval_of(PLAN)]).is_approved


def test_an_edit_of_one_phase_voids_that_phase_and_no_other() -> None:
    standing = stand(PLAN.replace("- [ ] write", "- [ ] write more"), [approval_of(PLAN)])
    assert states(standing) == ["approved", "changed", "approved"]
    assert not standing.is_approved


def test_an_edit_outside_the_phases_voids_all() -> None:
    standing = stand(PLAN.replace("Goal: greet.", "Goal: shout."), [approval_of(PLAN)])
    assert states(standing) == ["changed"] * 3
    assert "outside" in standing.phases[0].why


def test_an_added_phase_is_new_and_voids_no_other() -> None:
    standing = stand(PLAN + "\n## Phase 4: Rest\n\nrest\n", [approval_of(PLAN)])
    assert states(standing) == ["approved"] * 3 + ["new"]


def test_a_plan_that_lost_a_phase_is_not_approved_any_more() -> None:
    standing = stand(PLAN[: PLAN.index("## Phase 3")], [approval_of(PLAN)])
    assert (standing.state, standing.removed, states(standing)) == ("changed", ("3",), ["approved"] * 2)


def test_a_plan_that_lost_all_of_its_phases_is_not_approved_any_more() -> None:
    standing = stand(PLAN[: PLAN.index("## Phase 1")], [approval_of(PLAN)])
    assert (standing.state, standing.removed, states(standing)) == ("changed", ("1", "2", "3"), [])


def test_another_order_of_the_phases_voids_them() -> None:
    first, second, third = (PLAN.index(f"## Phase {number}") for number in "123")
    swapped = PLAN[:first] + PLAN[second:third] + PLAN[first:second] + PLAN[third:]
    standing = stand(swapped, [approval_of(PLAN)])
    assert set(states(standing)) == {"changed"}
    assert "order" in standing.phases[0].why


def test_who_goes_back_to_an_earlier_text_has_to_ask_again() -> None:
    later = PLAN.replace("ship", "ship slowly")
    history = [approval_of(PLAN, at=1), approval_of(later, at=2)]
    assert stand(later, history).is_approved
    assert states(stand(PLAN, history)) == ["approved", "approved", "changed"]


def test_an_old_signed_approval_that_is_added_again_is_not_the_newest() -> None:
    later = PLAN.replace("ship", "ship slowly")
    old = approval_of(PLAN, at=1, strength=KEY, signature="s")
    history = [old, approval_of(later, at=2, strength=KEY, signature="s"), replace(old, id="again")]
    assert not stand(PLAN, history, strength=KEY, signer="lena").is_approved


@pytest.mark.parametrize(
    ("given", "needed", "is_approved"),
    [
        (DIALOG, DIALOG, True),
        (DIALOG, TERMINAL, False),
        (TERMINAL, DIALOG, True),
        (TERMINAL, TERMINAL, True),
        (TERMINAL, KEY, False),
        ("unheard of", DIALOG, False),
        (TERMINAL, "unheard of", False),
    ],
)
def test_a_yes_counts_if_it_is_strong_enough(given: str, needed: str, *, is_approved: bool) -> None:
    standing = stand(PLAN, [approval_of(PLAN, strength=given)], strength=needed)
    assert standing.is_approved is is_approved
    assert is_approved or set(states(standing)) == {"too_weak"}


def test_a_weaker_yes_to_a_later_text_leaves_a_stronger_one_alone() -> None:
    history = [approval_of(PLAN, at=1), approval_of(PLAN.replace("ship", "sell"), at=2, strength=DIALOG)]
    assert stand(PLAN, history).is_approved


@pytest.mark.parametrize("strength", [DIALOG, TERMINAL, KEY])
def test_a_yes_with_a_bad_signature_counts_for_nothing(strength: str) -> None:
    said = approval_of(PLAN, strength=strength, signature="forged")
    assert set(states(stand(PLAN, [said], strength=DIALOG))) == {"new"}


def test_a_key_without_a_signature_counts_for_nothing() -> None:
    assert not stand(PLAN, [approval_of(PLAN, strength=KEY)], strength=DIALOG).is_approved


@pytest.mark.parametrize("change", [{"plan": "other.md"}, {"repository": "there"}])
def test_a_yes_to_another_plan_or_repository_counts_for_nothing(change: dict[str, str]) -> None:
    said = replace(approval_of(PLAN), **change)
    assert set(states(stand(PLAN, [said]))) == {"new"}


def test_a_later_no_takes_the_yes_back_and_a_later_yes_gives_it_again() -> None:
    history: list[Approval | Rejection] = [approval_of(PLAN, at=1), rejection_of(PLAN, at=1)]
    standing = stand(PLAN, history)
    assert (standing.state, set(states(standing))) == ("taken_back", {"taken_back"})
    history.append(approval_of(PLAN, at=1))
    assert stand(PLAN, history).is_approved


def test_a_no_before_the_yes_and_a_no_to_another_text_take_nothing_back() -> None:
    history: list[Approval | Rejection] = [
        rejection_of(PLAN, at=1),
        approval_of(PLAN, at=2),
        rejection_of(PLAN.replace("ship", "sell"), at=3),
    ]
    assert stand(PLAN, history).is_approved


def test_a_no_behind_which_nobody_was_seen_takes_nothing_back() -> None:
    assert stand(PLAN, [approval_of(PLAN, at=1), rejection_of(PLAN, at=2, channel=NOBODY)]).is_approved


@pytest.mark.parametrize("lead", ["lena", "LENA@example.org", "lena <lena@example.org>"])
def test_where_a_lead_is_named_the_lead_has_to_say_yes(lead: str) -> None:
    assert stand(PLAN, [approval_of(PLAN)], leads=(lead,)).is_approved
    other = approval_of(PLAN, who="otto <otto@example.org>")
    assert set(states(stand(PLAN, [other], leads=(lead,)))) == {"too_weak"}
    assert not stand(PLAN, [approval_of(PLAN)], leads=(lead, "otto")).is_approved
    assert stand(PLAN, [approval_of(PLAN, at=1), replace(other, at=2)], leads=(lead, "otto")).is_approved


def test_a_signed_yes_is_the_signers_whatever_it_says() -> None:
    said = approval_of(PLAN, strength=KEY, signature="s")
    assert stand(PLAN, [said], leads=("lena",), signer="lena").is_approved
    assert not stand(PLAN, [said], leads=("lena",), signer="otto").is_approved


def test_a_plan_without_phases_is_approved_as_a_whole() -> None:
    text = "# T\n\nJust words.\n"
    assert stand(text, []).state == "new"
    assert stand(text, [approval_of(text)]).is_approved
    assert stand(text.replace("Just", "More"), [approval_of(text)]).state == "changed"
    assert stand(text, [approval_of(text), rejection_of(text, at=2)]).state == "taken_back"


_TEXTS = (PLAN, PLAN.replace("read\n", "read it\n"), PLAN.replace("ship\n", "sell\n"), PLAN.replace("greet.", "shout."))
_WORDS = st.one_of(
    st.builds(
        lambda text, strength, plan: approval_of(text, strength=strength, plan=plan),
        st.sampled_from(_TEXTS),
        st.sampled_from((DIALOG, TERMINAL)),
        st.sampled_from(("plan.md", "other.md")),
    ),
    st.builds(lambda text: rejection_of(text, at=1), st.sampled_from(_TEXTS)),
)


@pytest.mark.full
@given(st.lists(_WORDS, max_size=8), st.sampled_from(_TEXTS))
def test_whatever_was_said_a_plan_is_approved_only_by_the_last_strong_yes_to_just_this_text(
    history: list[Approval | Rejection], text: str
) -> None:
    here = [said for said in history if said.plan == "plan.md"]
    yeses = [at for at, said in enumerate(here) if isinstance(said, Approval) and said.strength == TERMINAL]
    expected = False
    if yeses:
        last = here[yeses[-1]]
        noes = [said for said in here[yeses[-1] :] if isinstance(said, Rejection)]
        is_this = last.text == approval_of(text).text
        expected = is_this and all(said.text != last.text for said in noes)
    assert stand(text, history).is_approved is expected


LOG = (
    "\n## Drift Log\n\n| Date | What changed | Why |\n|---|---|---|\n"
    "| 2026-01-02 | changed phase 2 (3 lines in, 1 out) | the API moved |\n"
)
GATE = "## Stop\n\nAsk first.\n\n"


def test_a_drift_log_that_has_grown_voids_no_phase_but_has_to_be_seen() -> None:
    standing = stand(PLAN + LOG, [approval_of(PLAN)])
    assert (standing.state, states(standing)) == ("changed", ["approved"] * 3)
    assert "drift log has grown" in standing.note
    assert stand(PLAN + LOG, [approval_of(PLAN), approval_of(PLAN + LOG, at=2)]).is_approved


@pytest.mark.parametrize("log", ["", LOG.replace("moved", "stays"), LOG + "\nMore.\n"])
def test_a_drift_log_that_was_rewritten_voids_all(log: str) -> None:
    standing = stand(PLAN + log, [approval_of(PLAN + LOG)])
    assert set(states(standing)) == {"changed"}


def test_text_that_moves_past_a_phase_voids_all() -> None:
    before, after = (PLAN.replace(place, GATE + place) for place in ("## Phase 2", "## Phase 3"))
    assert set(states(stand(after, [approval_of(before)]))) == {"changed"}


def test_a_phase_that_was_edited_and_has_moved_voids_itself_alone() -> None:
    first, second, third = (PLAN.index(f"## Phase {number}") for number in "123")
    swapped = PLAN[:first] + PLAN[second:third] + PLAN[first:second].replace("read", "skim") + PLAN[third:]
    standing = stand(swapped, [approval_of(PLAN)])
    assert {phase.key: phase.state for phase in standing.phases} == {"1": "changed", "2": "approved", "3": "approved"}


@pytest.mark.parametrize(
    "seal", ["", "0" * 64, "[]", "null", '["",[],0,""]', '["",[[1,2]],0,""]', '["",3,0,""]', "[" * 9_999]
)
def test_what_is_no_seal_holds_nothing(seal: str) -> None:
    assert set(states(stand(PLAN, [replace(approval_of(PLAN), rest=seal)]))) == {"changed"}


def test_a_plan_without_phases_is_seen_again_when_its_log_has_grown() -> None:
    text = "# T\n\nJust words.\n"
    standing = stand(text + LOG, [approval_of(text)])
    assert (standing.state, bool(standing.note)) == ("changed", True)
