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


_AT = [PLAN.index(f"## Phase {number}") for number in "123"]
_FIRST, _SECOND, _THIRD = PLAN[_AT[0] : _AT[1]], PLAN[_AT[1] : _AT[2]], PLAN[_AT[2] :]
_HEAD = PLAN[: _AT[0]]
LOG = (
    "\n## Drift Log\n\n| Date | What changed | Why |\n|---|---|---|\n"
    "| 2026-01-02 | changed phase 2 (3 lines in, 1 out) | the API moved |\n"
)
GATE = "## Stop\n\nAsk first.\n\n"
_YES, _NO = "approved", "changed"


@pytest.mark.parametrize(
    ("before", "text", "state", "phases"),
    [
        (PLAN, PLAN, _YES, [_YES] * 3),
        (PLAN, PLAN.replace("[ ]", "[x]"), _YES, [_YES] * 3),
        (PLAN, PLAN.replace("- [ ] write", "- [ ] write more"), _NO, [_YES, _NO, _YES]),
        (PLAN, PLAN.replace("Goal: greet.", "Goal: shout."), _NO, [_NO] * 3),
        (PLAN, PLAN + "\n## Phase 4: Rest\n\nrest\n", "new", [_YES] * 3 + ["new"]),
        (PLAN, _HEAD + _SECOND + _FIRST + _THIRD, _NO, [_NO] * 3),
        (PLAN, _HEAD + _SECOND + _FIRST.replace("read", "skim") + _THIRD, _NO, [_YES, _NO, _YES]),  # it voids itself
        (_HEAD + _FIRST + GATE + _SECOND + _THIRD, _HEAD + _FIRST + _SECOND + GATE + _THIRD, _NO, [_NO] * 3),
        (PLAN, PLAN + LOG, _NO, [_YES] * 3),
        (PLAN + LOG, PLAN, _NO, [_NO] * 3),
        (PLAN + LOG, PLAN + LOG.replace("moved", "stays"), _NO, [_NO] * 3),
        (PLAN + LOG, PLAN + LOG + "\nMore.\n", _NO, [_NO] * 3),
    ],
)
def test_an_edit_voids_what_it_touches_and_nothing_else(before: str, text: str, state: str, phases: list[str]) -> None:
    standing = stand(text, [approval_of(before)])
    assert (standing.state, standing.is_approved, states(standing)) == (state, state == _YES, phases)


def test_what_voided_an_approval_is_said() -> None:
    assert (stand(PLAN, []).state, states(stand(PLAN, []))) == ("new", ["new"] * 3)
    approved = [approval_of(PLAN)]
    assert "outside" in stand(PLAN.replace("greet.", "shout."), approved).phases[0].why
    assert "order" in stand(_HEAD + _SECOND + _FIRST + _THIRD, approved).phases[0].why
    assert "drift log has grown" in stand(PLAN + LOG, approved).note
    assert stand(PLAN + LOG, [*approved, approval_of(PLAN + LOG, at=2)]).is_approved


@pytest.mark.parametrize(("text", "removed"), [(_HEAD + _FIRST + _SECOND, ("3",)), (_HEAD, ("1", "2", "3"))])
def test_a_plan_that_lost_phases_is_not_approved_any_more(text: str, removed: tuple[str, ...]) -> None:
    standing = stand(text, [approval_of(PLAN)])
    assert (standing.state, standing.removed) == ("changed", removed)
    assert states(standing) == ["approved"] * (3 - len(removed))


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


@pytest.mark.parametrize(
    "said",
    [
        *(approval_of(PLAN, strength=strength, signature="forged") for strength in (DIALOG, TERMINAL, KEY)),
        approval_of(PLAN, strength=KEY),  # a key without a signature
        approval_of(PLAN, plan="other.md"),
        approval_of(PLAN, repository="there"),
    ],
)
def test_a_yes_with_a_bad_signature_or_to_another_plan_or_repository_counts_for_nothing(said: Approval) -> None:
    assert set(states(stand(PLAN, [said], strength=DIALOG))) == {"new"}


def test_a_later_no_takes_the_yes_back_and_a_later_yes_gives_it_again() -> None:
    history: list[Approval | Rejection] = [approval_of(PLAN, at=1), rejection_of(PLAN, at=1)]
    standing = stand(PLAN, history)
    assert (standing.state, set(states(standing))) == ("taken_back", {"taken_back"})
    history.append(approval_of(PLAN, at=1))
    assert stand(PLAN, history).is_approved


def test_an_earlier_no_one_to_another_text_and_one_that_nobody_was_seen_behind_take_nothing_back() -> None:
    other, unseen = rejection_of(PLAN.replace("ship", "sell"), at=3), rejection_of(PLAN, at=4, channel=NOBODY)
    assert stand(PLAN, [rejection_of(PLAN, at=1), approval_of(PLAN, at=2), other, unseen]).is_approved


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
    grown = stand(text + LOG, [approval_of(text)])
    assert (grown.state, bool(grown.note)) == ("changed", True)


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


@pytest.mark.parametrize("seal", ["", "0" * 64, "null", '["",[],0,""]', '["",3,0,""]'])
def test_what_is_no_seal_holds_nothing(seal: str) -> None:
    assert set(states(stand(PLAN, [replace(approval_of(PLAN), rest=seal)]))) == {"changed"}
