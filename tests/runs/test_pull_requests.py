"""Whether a pull request may be merged, and what became of it: tables and properties."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import Snapshot
from planrail.git.remotes.request_values import Checks, CheckState, MergeAnswer, MergeProof, PullRequest, judge_checks
from planrail.runs.forge.pull_requests import MergeTerms, Patience, decide_merge, describe_landing
from tests.support.tables import read_table

_HEAD, _OTHER = "a" * 40, "b" * 40
_WORK = Snapshot(_HEAD, "t" * 40, "c" * 40, ("one.txt",))
_PR = PullRequest(7, "https://forge/7", "open", _HEAD, "feat/x", "main", readiness="clean")
_GREEN = Checks(_HEAD, "green", (CheckState("ci", "success"),))
_TERMS = MergeTerms("main", auto=True, patience=Patience(30, 600))
_KNOWN = ("success", "neutral", "skipped", "failure", "error", "cancelled", "timed_out", "action_required", "stale")
_states = st.lists(st.one_of(st.sampled_from((*_KNOWN, "pending", "queued", "startup_failure")), st.text(max_size=9)))


def _decide(
    pr: PullRequest, checks: Checks, terms: MergeTerms = _TERMS, *, holds_target: bool = True, waited: float = 100.0
) -> MergeAnswer:
    return decide_merge(pr, checks, _WORK, terms, holds_target=holds_target, waited=waited)


@pytest.mark.parametrize(("states", "verdict"), read_table("runs/tables/pull_requests", "states of checks"))
def test_checks_are_judged_by_their_explicit_states(states: list[str], verdict: str) -> None:
    assert judge_checks(states) == verdict


@given(_states)
def test_green_is_nothing_but_passed_checks(states: list[str]) -> None:
    if judge_checks(states) == "green":
        assert {state.lower() for state in states} <= {"success", "neutral", "skipped"}
        assert "success" in [state.lower() for state in states]


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "merge"),
        ({"state": "merged"}, "merged"),
        ({"state": "closed"}, "refused"),
        ({"state": "unknown"}, "refused"),
        ({"head": _OTHER}, "refused"),
        ({"base": "release"}, "refused"),
        ({"is_draft": True}, "person"),
        ({"readiness": "blocked"}, "person"),
        ({"readiness": "unknown"}, "wait"),
        ({"readiness": "dirty"}, "reverify"),
        ({"readiness": "behind"}, "reverify"),
        ({"readiness": "unstable"}, "merge"),
        ({"readiness": ""}, "merge"),
    ],
)
def test_a_request_is_merged_only_as_it_should_be(changes: dict[str, Any], state: str) -> None:
    assert _decide(replace(_PR, **changes), _GREEN).state == state


@pytest.mark.parametrize(("verdict", "waited", "state"), read_table("runs/tables/pull_requests", "verdicts"))
def test_checks_decide_by_their_verdict(verdict: str, waited: float, state: str) -> None:
    assert _decide(_PR, Checks(_HEAD, verdict), waited=waited).state == state


def test_without_auto_the_command_for_a_person_names_the_commit() -> None:
    decision = _decide(_PR, _GREEN, replace(_TERMS, auto=False, method="rebase"))
    assert decision.state == "person"
    assert decision.command == f"gh pr merge 7 --rebase --match-head-commit {_HEAD}"


def test_what_is_not_of_this_work_or_not_of_this_target_is_waited_for_or_verified_anew() -> None:
    assert _decide(_PR, replace(_GREEN, head=_OTHER)).state == "wait"
    assert _decide(replace(_PR, head=_OTHER), _GREEN, waited=1.0).state == "wait"
    assert _decide(_PR, _GREEN, holds_target=False).state == "reverify"


@given(
    st.sampled_from(["open", "closed", "merged", "unknown"]),
    st.sampled_from([_HEAD, _OTHER]),
    st.sampled_from(["green", "red", "pending", "none", "unknown", "?"]),
    st.sampled_from([_HEAD, _OTHER]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 100.0, 9999.0]),
)
def test_whatever_is_merged_was_verified_and_checked(
    state: str, head: str, verdict: str, checked: str, auto: bool, holds: bool, waited: float
) -> None:
    request, terms = replace(_PR, state=state, head=head), replace(_TERMS, auto=auto)
    decision = _decide(request, Checks(checked, verdict), terms, holds_target=holds, waited=waited)
    if decision.state == "merge":
        assert (state, head, checked, auto, holds) == ("open", _HEAD, _HEAD, True, True)
        assert verdict == "green" or (verdict == "none" and waited >= 30)


@pytest.mark.parametrize(
    ("answer", "proof", "state"),
    [
        ("merged", MergeProof("landed", _OTHER), "landed"),
        ("merged", MergeProof("unproven", _OTHER, problems=("lost",)), "pr-failed"),
        ("merged", None, "pr-failed"),
        ("person", None, "pr-ready"),
        ("late", None, "pr-ready"),
        ("reverify", None, "moved"),
        ("red", None, "pr-ci-failing"),
        ("refused", None, "pr-failed"),
        ("a word of tomorrow", None, "pr-failed"),
    ],
)
def test_only_a_proven_merge_is_a_landing(answer: str, proof: MergeProof | None, state: str) -> None:
    assert describe_landing(MergeAnswer(answer, 7), proof).state == state
