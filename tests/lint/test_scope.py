"""What a plan leaves out it does not work on."""

import pytest

from tests.lint.linting import messages
from tests.support.tables import read_table


def _plan(
    *, inside: str = "- The parser", outside: str, title: str = "Read numbers", item: str = "Change `src/a.py`"
) -> str:
    return (
        f"# Plan\n\n## Scope\n\n{inside}\n\n## Non-Scope\n\n{outside}\n\n"
        f"## Steps\n\n### Phase 1: {title}\n\n- [ ] 1.1 {item}\n"
    )


@pytest.mark.parametrize(("inside", "outside"), read_table("lint/tables/scope", "in both sections"))
def test_the_same_entry_in_both_sections_is_reported(inside: str, outside: str) -> None:
    (message,) = messages("scope", _plan(inside=inside, outside=outside))
    assert message.startswith("Scope includes what Non-Scope leaves out")


@pytest.mark.parametrize(("title", "outside"), read_table("lint/tables/scope", "phases"))
def test_a_phase_that_is_what_was_left_out_is_reported(title: str, outside: str) -> None:
    (message,) = messages("scope", _plan(title=title, outside=outside))
    assert message.startswith("phase 1 is what Non-Scope leaves out")


@pytest.mark.parametrize(("item", "outside"), read_table("lint/tables/scope", "work items"))
def test_a_work_item_on_what_was_left_out_is_reported(item: str, outside: str) -> None:
    (message,) = messages("scope", _plan(item=item, outside=outside))
    assert message.startswith("phase 1 works on what Non-Scope leaves out")


@pytest.mark.parametrize(("item", "outside"), read_table("lint/tables/scope", "left alone"))
def test_what_only_shares_words_is_left_alone(item: str, outside: str) -> None:
    assert messages("scope", _plan(item=item, outside=outside)) == []


def test_goals_and_non_goals_under_one_heading_are_told_apart_by_their_labels() -> None:
    text = (
        "# P\n\n## Goals & Non-Goals\n\n**Goals**:\n- Dark mode\n\n**Non-Goals**:\n- Light mode\n- Dark mode\n\n"
        "## Phase 1 — Colours\n\n- [ ] x\n"
    )
    assert len(messages("scope", text)) == 1


def test_what_one_phase_leaves_out_another_may_do() -> None:
    text = "# P\n\n## Phase 1 — A\n\n### Out of scope\n\n- GitLab support\n\n## Phase 2 — GitLab support\n\n- [ ] x\n"
    assert messages("scope", text) == []


def test_what_is_done_already_is_left_alone() -> None:
    text = _plan(item="x", outside="- GitLab support").replace("- [ ] 1.1 x", "- [x] 1.1 Add GitLab support")
    assert messages("scope", text) == []


@pytest.mark.parametrize("nothing", ["None.", "- None", "Nothing.", "n/a", "없음"])
def test_nothing_is_no_thing(nothing: str) -> None:
    assert messages("scope", _plan(inside=nothing, outside=nothing)) == []
