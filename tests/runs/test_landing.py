"""Whether a phase lands, how far, and what then: tables and properties."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import Refusal
from planrail.runs.landing.candidates import (
    WaitOnBranch,
    decide_checkout,
    refuse_landing,
)


def test_a_protected_main_refuses_direct_and_says_what_to_do() -> None:
    refusal = refuse_landing("direct", verified=True, main_is_protected=True)
    assert refusal == Refusal("refused", "main is protected", "planrail run PLAN --landing pr")
    assert refuse_landing("pr", verified=True, main_is_protected=True) is None
    for mode in ("cherry-pick", "pr", "direct"):
        assert refuse_landing(mode, verified=False, main_is_protected=False) is not None
        assert refuse_landing(mode, verified=True, main_is_protected=False) is None


_PATHS = st.sets(st.sampled_from(["a", "a/b", "a/b/c", "d", "A", "d/e"]))


@given(_PATHS, _PATHS)
def test_nothing_uncommitted_is_ever_written_over(touched: set[str], dirty: set[str]) -> None:
    decision = decide_checkout(touched, dict.fromkeys(dirty, "mine"), dict.fromkeys(touched, "new"))
    nested = any(_is_related(one, other) for one in touched for other in dirty)
    assert isinstance(decision, WaitOnBranch) == nested


def _is_related(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def test_what_is_equal_already_is_no_obstacle() -> None:
    new = {"a": "100644 1", "gone": ""}
    assert decide_checkout({"a", "gone"}, {"a": "100644 1", "gone": ""}, new) is None
    assert decide_checkout({"a", "gone"}, {"a": "100755 1"}, new) == WaitOnBranch(
        "uncommitted work is in the way: a", ("a",), "commit, stash or move away a"
    )
    assert isinstance(decide_checkout({"a", "gone"}, {"gone": "100644 2"}, new), WaitOnBranch)
    assert isinstance(decide_checkout({"a"}, {"a": ""}, {"a": "100644 1"}), WaitOnBranch)


def test_names_that_differ_in_case_alone_are_one_where_the_file_system_says_so() -> None:
    assert decide_checkout({"README"}, {"readme": "mine"}, {"README": "new"}) is None
    assert isinstance(decide_checkout({"README"}, {"readme": "mine"}, {"README": "new"}, folds_case=True), WaitOnBranch)
    assert isinstance(decide_checkout({"e\u0301"}, {"\u00e9": "m"}, {"e\u0301": "n"}, folds_case=True), WaitOnBranch)
    assert isinstance(decide_checkout({"README", "readme"}, {}, {"readme": "n"}, folds_case=True), WaitOnBranch)


def test_many_names_are_shortened() -> None:
    names = [f"f{number}" for number in range(9)]
    decision = decide_checkout(set(names), dict.fromkeys(names, "mine"), {})
    assert isinstance(decision, WaitOnBranch)
    assert decision.reason.endswith("f4 and 4 more")
    assert decision.paths == tuple(names)
