"""Claims: at most one owner who lives, whatever is asked in whatever order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from planrail.base.records import replace
from planrail.store.claim_rules import (
    Acquired,
    AlreadyYours,
    Claim,
    Damaged,
    HeldBy,
    NothingHeld,
    NotYours,
    Owner,
    ReasonMissing,
    Released,
    TakenOver,
    decide_acquire,
    decide_phase,
    decide_release,
    decide_takeover,
    from_json,
    is_fenced_out,
    is_same_owner,
    judge_lease,
    judge_life,
    to_json,
)

_OWNERS = st.builds(
    Owner,
    st.sampled_from(["a", "b"]),
    st.integers(1, 3),
    st.sampled_from(["10", "20"]),
    st.sampled_from(["boot-1", "boot-2"]),
    st.sampled_from(["here#1", "there#2"]),
    st.sampled_from(["", "pid:[1]"]),
    st.sampled_from(["", "run-1"]),
)
_CLAIMS = st.builds(
    Claim, st.just("plan"), st.text(min_size=1), _OWNERS, st.integers(1, 9), st.integers(0, 9), st.text(), st.text()
)
_ME = Owner("me", 1, "10", "boot", "here#1")


def _claim(owner: Owner, fence: int = 1) -> Claim:
    return Claim("plan", "PLAN.md", owner, fence, 100)


@given(_CLAIMS, _OWNERS, st.booleans(), st.integers(1, 9))
def test_of_two_owners_one_holds_and_it_is_the_first_as_long_as_it_lives(
    existing: Claim, other: Owner, is_alive: bool, fence: int
) -> None:
    decision = decide_acquire(existing, replace(existing, owner=other, fence=fence), is_alive=is_alive)
    if is_same_owner(existing.owner, other):
        assert decision == AlreadyYours(existing)
    elif is_alive:
        assert decision == HeldBy(existing)
    else:
        assert isinstance(decision, TakenOver)
        assert decision.former == existing
        assert decision.claim.owner == other
        assert decision.claim.fence > existing.fence


@pytest.mark.full
@given(_CLAIMS)
def test_a_claim_comes_back_as_it_was_written(claim: Claim) -> None:
    assert from_json(to_json(claim)) == claim


@pytest.mark.parametrize("found", [None, [], {}, {"kind": "plan"}, {**to_json(_claim(_ME)), "fence": "1"}, "text", 7])
def test_what_is_no_claim_is_damaged_and_never_holds(found: object) -> None:
    damaged = from_json(found)
    assert isinstance(damaged, Damaged)
    decision = decide_acquire(damaged, _claim(_ME), is_alive=False)
    assert isinstance(decision, TakenOver)
    assert decision.former is None
    assert "could not be read" in decision.reason


_MINE, _OTHER = _claim(_ME, 2), replace(_ME, id="other", pid=2)


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (decide_acquire(_MINE, _claim(replace(_ME, pid=2, process_start="11")), is_alive=True), HeldBy(_MINE)),
        (decide_takeover(_MINE, _claim(_OTHER), is_alive=True, reason=" "), ReasonMissing()),
        (decide_takeover(_MINE, _claim(_OTHER), is_alive=True, reason="x"), TakenOver(_claim(_OTHER, 3), _MINE, "x")),
        (decide_takeover(None, _MINE, is_alive=False, reason="why"), Acquired(_MINE)),
        (decide_takeover(_MINE, _claim(_ME), is_alive=True, reason="why"), AlreadyYours(_MINE)),
        (decide_release(_MINE, "me"), Released(_MINE)),
        (decide_release(_MINE, "me", fence=2), Released(_MINE)),
        (decide_release(_MINE, "me", fence=1), NotYours(_MINE)),  # it was fenced out, by its namesake
        (decide_release(_MINE, "other"), NotYours(_MINE)),
        (decide_release(None, "me"), NothingHeld()),
        (decide_release(Damaged("torn"), "me"), Released(None)),
        (decide_phase(_MINE, "me", "Phase 2"), replace(_MINE, current_phase="Phase 2")),
        (decide_phase(_MINE, "other", "Phase 2"), NotYours(_MINE)),
        (decide_phase(None, "me", "Phase 2"), NothingHeld()),
        (from_json({**to_json(_MINE), "colour": "red"}), _MINE),
        (is_fenced_out(_MINE, _claim(_OTHER, 3)), True),
    ],
)
def test_only_the_owner_says_what_becomes_of_its_claim_and_a_takeover_needs_a_reason(
    decision: object, expected: object
) -> None:
    assert decision == expected


@pytest.mark.parametrize(
    ("owner", "seen", "lives"),
    [
        (_ME, "10", True),
        (_ME, None, False),
        (_ME, "11", False),  # the number was used again
        (_ME, "", True),  # there is one, and it tells nothing
        (replace(_ME, boot="before"), "10", False),  # the machine was started anew
        (replace(_ME, boot="before", host="there#2"), None, True),  # another machine: nobody here can tell
        (replace(_ME, host="renamed#1"), None, False),  # the same boot: this machine, whatever its name is now
        (replace(_ME, space="pid:[2]"), None, True),  # another container
    ],
)
def test_an_owner_is_dead_only_where_that_is_known(owner: Owner, seen: str | None, lives: bool) -> None:
    assert judge_life(owner, _ME, seen) is lives


@pytest.mark.parametrize(
    ("changed", "seen", "is_lapsed", "expected"),
    [
        ({}, "1", True, True),  # it lives here
        ({}, "2", False, False),  # its number is another one's by now
        ({}, "", False, True),  # it is hidden: nobody can tell
        ({}, "", True, False),
        ({"host": "other"}, "1", True, False),
        ({"host": "other"}, None, False, True),
        ({"boot": "other"}, None, False, True),  # two machines may bear one name
        ({"space": "other"}, None, False, True),
    ],
)
def test_near_owners_are_judged_by_their_process_and_all_others_by_their_lease(
    changed: dict[str, str], seen: str | None, is_lapsed: bool, expected: bool
) -> None:
    here = replace(_ME, process_start="1", space="space")
    assert judge_lease(replace(here, **changed), here, seen, is_lapsed=is_lapsed) is expected


class ClaimMachine(RuleBasedStateMachine):
    """Owners that acquire, die, release and take over, against what a claim promises."""

    @initialize()
    def begin(self) -> None:
        self.claim: Claim | None = None
        self.alive: set[int] = set()
        self.believers: dict[int, Claim] = {}  # what each live process thinks that it holds
        self.fence = 0
        self.last_pid = 0

    def _owner(self, pid: int) -> Owner:
        return Owner(f"owner {pid % 3}", pid, str(pid), "boot", "here#1")

    def _lives(self) -> bool:
        return self.claim is not None and self.claim.owner.pid in self.alive

    def _won(self, claim: Claim) -> None:
        assert claim.fence >= self.fence
        self.claim, self.fence, self.believers[claim.owner.pid] = claim, claim.fence, claim

    @rule()
    def starts(self) -> None:
        self.last_pid += 1
        self.alive.add(self.last_pid)

    @rule(data=st.data())
    def acquires(self, data: st.DataObject) -> None:
        if self.alive:
            owner = self._owner(data.draw(st.sampled_from(sorted(self.alive))))
            wanted = Claim("plan", "p", owner, self.fence + 1, 0)
            decision = decide_acquire(self.claim, wanted, is_alive=self._lives())
            if not isinstance(decision, HeldBy):
                self._won(decision.claim)

    @rule(data=st.data())
    def takes_over(self, data: st.DataObject) -> None:
        if self.alive:
            owner = self._owner(data.draw(st.sampled_from(sorted(self.alive))))
            wanted = Claim("plan", "p", owner, self.fence + 1, 0)
            decision = decide_takeover(self.claim, wanted, is_alive=self._lives(), reason="because")
            assert not isinstance(decision, ReasonMissing)
            self._won(decision.claim)

    @rule(data=st.data())
    def dies(self, data: st.DataObject) -> None:
        if self.alive:
            pid = data.draw(st.sampled_from(sorted(self.alive)))
            self.alive.discard(pid)
            self.believers.pop(pid, None)

    @rule(data=st.data())
    def releases(self, data: st.DataObject) -> None:
        if self.believers:
            pid = data.draw(st.sampled_from(sorted(self.believers)))
            mine = self.believers.pop(pid)
            if isinstance(decide_release(self.claim, mine.owner.id, mine.fence), Released):
                self.claim = None

    @invariant()
    def at_most_one_is_inside_the_fence(self) -> None:
        inside = [mine for mine in self.believers.values() if not is_fenced_out(mine, self.claim)]
        assert len(inside) <= 1


TestClaimMachine = ClaimMachine.TestCase
