"""What people say, on its way: settings, comments, feedback, differences, statements, JSON."""

import json

import pytest

from planrail.approval.diffing import compare
from planrail.approval.model import (
    KEY,
    Comment,
    Request,
    make_statement,
    read_approval,
    read_rejection,
    read_request,
    says_the_same,
    to_json,
    with_signature,
)
from planrail.approval.policy import decide_policy, is_person
from planrail.approval.records import render_approval, render_rejection
from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.cli.plans.reject_command import read_comment
from tests.approval.texts import PLAN, approval_of, canonical_of, rejection_of


@pytest.mark.parametrize(
    ("user", "project", "expected"),
    [
        ({}, {"auto": "key"}, "key"),
        ({"auto": "key"}, {"auto": "dialog"}, "key"),
        ({"auto": "dialog"}, {}, "dialog"),
        ({"auto": "dialog"}, {"auto": "terminal"}, "terminal"),
        ({}, {"auto": "dialog"}, "terminal"),
        ({}, {"auto": "nonsense"}, "terminal"),
        ({}, {}, "terminal"),
    ],
)
def test_the_stricter_strength_wins_and_the_repository_loosens_nothing(
    user: dict[str, object], project: dict[str, object], expected: str
) -> None:
    assert decide_policy(user, project).strengths == {"in_session": "dialog", "headless": "terminal", "auto": expected}


@pytest.mark.parametrize(
    ("user", "project", "expected"),
    [
        ({}, {}, True),
        ({}, {"required": False}, False),
        ({"required": True}, {"required": False}, True),
        ({"required": False}, {}, False),
        ({"required": False}, {"required": True}, True),
    ],
)
def test_only_the_user_can_do_without_approval(
    user: dict[str, object], project: dict[str, object], *, expected: bool
) -> None:
    assert decide_policy(user, project).required is expected


def test_leads_and_agents_of_all_files_count_and_signers_of_the_users_alone() -> None:
    policy = decide_policy(
        {"lead": "lena", "agents": ["mine"], "signers": "/a"}, {"lead": "otto", "agents": ["ours"], "signers": "/b"}
    )
    assert (policy.leads, policy.agents, policy.signers) == (("lena", "otto"), ("mine", "ours"), "/a")


@pytest.mark.parametrize(
    ("who", "named", "expected"),
    [
        ("lena <lena@example.org>", "lena", True),
        ("lena <lena@example.org>", "Lena@Example.org", True),
        ("lena", "lena@example.org", False),
        ("helena <h@example.org>", "lena", False),
        ("lena", "", False),
        ("", "lena", False),
    ],
)
def test_a_person_is_known_by_name_or_address(who: str, named: str, *, expected: bool) -> None:
    assert is_person(who, named) is expected


@pytest.mark.parametrize(
    ("value", "comment"),
    [
        ("3:why?", Comment(3, "Goal: greet.", "why?")),
        (" 3 : why: really? ", Comment(3, "Goal: greet.", "why: really?")),
        ("5-7:too long", Comment(5, "## Phase 1: Read\n\nread", "too long")),
    ],
)
def test_a_comment_quotes_the_lines_that_it_speaks_of(value: str, comment: Comment) -> None:
    assert read_comment(value, PLAN) == comment


@pytest.mark.parametrize("value", ["0:a", "99:a", "5-3:a", "14-99:a", "3:", "3:  ", "no line", ":a", "-1:a"])
def test_a_comment_to_lines_that_are_not_there_is_refused(value: str) -> None:
    with pytest.raises(UsageError):
        read_comment(value, PLAN)


def test_the_author_hears_the_quoted_lines_and_then_the_comment_and_of_edits() -> None:
    said = replace(rejection_of(PLAN, at=1), feedback="Too vague.", comments=(read_comment("5-7:say what", PLAN),))
    text = render_rejection(said, "Greeter")
    assert "Too vague." in text
    assert "To line 5:\n> ## Phase 1: Read\n> \n> read\nthey say:\n> say what" in text
    assert "unchanged will not be taken" in text
    assert "Ask, once" in render_rejection(rejection_of(PLAN, at=1), "Greeter")  # without a word
    assert ["edited" in render_approval("Greeter", edited=edited) for edited in (True, False)] == [True, False]


def test_a_difference_is_told_phase_by_phase() -> None:
    text = PLAN.replace("- [ ] write", "- [x] write well").replace("greet.", "shout.") + "\n## Phase 4: Rest\n\nrest\n"
    found = compare(canonical_of(PLAN), canonical_of(text))
    assert [(one.key, one.kind) for one in found] == [("", "changed"), ("2", "changed"), ("4", "new")]
    assert "-- [] write" in found[1].lines
    assert "+- [] write well" in found[1].lines
    assert compare(canonical_of(PLAN), canonical_of(PLAN.replace("[ ]", "[x]"))) == []


def test_a_removed_and_a_moved_phase_are_told() -> None:
    assert [one.kind for one in compare(canonical_of(PLAN), canonical_of(PLAN[: PLAN.index("## Phase 3")]))] == [
        "removed"
    ]
    first, second, third = (PLAN.index(f"## Phase {number}") for number in "123")
    swapped = PLAN[:first] + PLAN[second:third] + PLAN[first:second] + PLAN[third:]
    assert [one.kind for one in compare(canonical_of(PLAN), canonical_of(swapped))] == ["moved"]


def test_text_that_moved_past_a_phase_is_told_with_the_places_of_the_phases() -> None:
    gate = "## Stop\n\nAsk first.\n\n"
    before, after = (PLAN.replace(place, gate + place) for place in ("## Phase 2", "## Phase 3"))
    (moved,) = compare(canonical_of(before), canonical_of(after))
    assert moved.kind == "moved"
    assert "-… phase 2 …" in moved.lines
    assert "+… phase 2 …" in moved.lines


def test_a_drift_log_that_has_grown_is_told() -> None:
    head = "\n## Drift Log\n\n| Date | What changed | Why |\n|---|---|---|\n"
    row = "| 2026-01-02 | changed phase 2 (3 lines in, 1 out) | the API moved |"
    (grown,) = compare(canonical_of(PLAN + head), canonical_of(PLAN + head + row + "\n"))
    assert (grown.title, grown.kind) == ("the drift log", "changed")
    assert f"+{row}" in grown.lines


@pytest.mark.parametrize("change", ["plan", "repository", "rest", "text", "who", "request", "at", "phases", "strength"])
def test_an_approval_that_says_another_thing_than_was_signed_is_seen(change: str) -> None:
    said = approval_of(PLAN, strength=KEY)
    signed = with_signature(said, make_statement(said, "n"), "s")
    assert says_the_same(signed)
    other = {"at": 7, "phases": said.phases[::-1]}.get(change, "other")
    assert not says_the_same(replace(signed, **{change: other}))
    for statement in ("", "{}", "[]", "null", '{"nonce": 1}', "{"):
        assert not says_the_same(with_signature(said, statement, "s"))
    assert make_statement(said, "a") != make_statement(said, "b")


def test_records_come_back_from_json_as_they_were() -> None:
    approval = approval_of(PLAN)
    rejection = replace(rejection_of(PLAN, at=1), comments=(Comment(1, "a", "b"),))
    request = Request("id", "plan.md", "plan.md", "T", "t", "c", "lena", 5)
    assert read_approval(json.loads(json.dumps(to_json(approval)))) == approval
    assert read_rejection(json.loads(json.dumps(to_json(rejection)))) == rejection
    assert read_request(json.loads(json.dumps(to_json(request)))) == request


_CHANGES: list[dict[str, object]] = [{"at": "1"}, {"at": True}, {"who": None}, {"phases": [["a"]]}, {"phases": "ab"}]


@pytest.mark.parametrize("change", [*_CHANGES, {"edited": 1}, {"strength": []}])
def test_what_is_not_exactly_an_approval_is_none(change: dict[str, object]) -> None:
    written = to_json(approval_of(PLAN))
    assert read_approval({**written, **change}) is None
    del written["rest"]
    assert read_approval(written) is None
    assert read_rejection({"comments": [{"line": 1}]}) is None
