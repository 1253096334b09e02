"""Review on the page: comments that survive edits, a no that reaches the author, a click that is worth a dialog."""

import pytest

from planrail.approval.model import DIALOG
from planrail.board.comments import GONE, HERE, MOVED, Remark, decide_fate, find_block
from planrail.board.showing import render_plan, squeeze
from tests.board.stage import PLAN, BoardStage

PAGE = "/api/plan?plan=plans/greet.md"


def _remark(text: str, quote: str, replacement: str = "") -> Remark:
    block = next(block for block in render_plan(text) if quote in block.plain)
    return Remark("1", block.first, quote, block.hash, block.source, "no", replacement, "ada", 0)


def test_each_item_and_paragraph_is_a_part_with_its_lines() -> None:
    found = [(block.first, block.last, block.source.split("\n")[0]) for block in render_plan(PLAN)]
    assert (7, 7, "- [ ] write `hello.sh`") in found
    assert (10, 12, "```sh check") in found
    assert [block.source for block in render_plan("---\nid: x\n---\n# A\n")] == ["---\nid: x\n---", "# A"]
    assert [block.source for block in render_plan('{"a": 1}', is_markdown=False)] == ['{"a": 1}']


def test_numbers_of_an_ordered_list_are_kept() -> None:
    assert 'start="4"' in render_plan("3. a\n4. b\n")[1].html


def test_a_comment_is_found_again_by_its_part_then_by_its_quote() -> None:
    remark = _remark(PLAN, "keep it small")
    moved = PLAN.replace("# Greet", "# Greet\n\nMore words.\n\n#", 1)
    changed = PLAN.replace("keep it small", "keep it small, and quick")
    assert find_block(remark, render_plan(PLAN))[1] == HERE
    assert find_block(remark, render_plan(moved))[1] == HERE
    assert find_block(remark, render_plan(changed))[1] == MOVED
    assert find_block(remark, render_plan(PLAN.replace("- [ ] keep it small\n", ""))) == (None, GONE)


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        (PLAN, "unchanged"),
        (PLAN.replace("keep it small", "keep it   below ten lines"), "taken"),
        (PLAN.replace("keep it small", "keep it small, please"), "changed around it"),
        (PLAN.replace("keep it small", "make it large"), "gone"),
    ],
)
def test_what_became_of_a_comment(text: str, fate: str) -> None:
    remark = _remark(PLAN, "keep it small", "keep it below ten lines")
    assert decide_fate(remark, render_plan(text)) == fate


def test_blanks_do_not_matter_for_a_quote() -> None:
    assert squeeze(" a\n\t b ") == "a b"


def _comment(stage: BoardStage, quote: str = "keep it small", **more: str) -> str:
    blocks = stage.get(PAGE).told["blocks"]
    block = next(block for block in blocks if quote in block["html"])
    reply = stage.post("comment", block=block["hash"], line=str(block["first"]), quote=quote, text="how small?", **more)
    assert reply.status == 200
    return str(reply.told["id"])


def test_what_will_be_run_and_what_lint_finds_is_shown(stage: BoardStage) -> None:
    told = stage.get(PAGE).told
    assert [phase["commands"] for phase in told["runs"]["phases"]] == [["test -f hello.sh"], ["test -f hallo.sh"]]
    assert told["problems"]
    assert told["request"]["member"] == "ada"
    assert told["standing"]["needed"] == {"in_session": "dialog", "headless": "terminal", "auto": "terminal"}


def test_a_comment_is_kept_shown_and_taken_back(stage: BoardStage) -> None:
    name = _comment(stage)
    assert [(one["at_line"], one["place"]) for one in stage.get(PAGE).told["comments"]] == [(8, "here")]
    stage.plan.write_text(PLAN.replace("- [ ] keep it small\n", ""))
    assert [(one["at_line"], one["place"]) for one in stage.get(PAGE).told["comments"]] == [(None, "gone")]
    assert stage.post("uncomment", id=name).status == 200
    assert stage.get(PAGE).told["comments"] == []
    assert stage.post("uncomment", id=name).status == 409


def test_a_rejection_carries_the_comments_and_the_next_version_shows_what_became_of_them(stage: BoardStage) -> None:
    _comment(stage, replacement="keep it below ten lines")
    _comment(stage, "hallo.sh")
    assert stage.post("reject", feedback="nearly").told["comments"] == 2
    (said,) = [fact.value for fact in stage.facts() if fact.kind == "rejection"]
    assert (said["channel"], said["feedback"]) == (DIALOG, "nearly")
    texts = [comment["text"] for comment in said["comments"]]  # type: ignore[attr-defined]
    assert texts[0] == "“keep it small”:\nhow small?\nWrite instead:\nkeep it below ten lines"
    stage.plan.write_text(PLAN.replace("keep it small", "keep it below ten lines"))
    told = stage.get(PAGE).told
    assert told["comments"] == []
    assert [one["fate"] for one in told["rejection"]["comments"]] == ["taken", "unchanged"]
    assert "+- [ ] keep it below ten lines" in told["rejection"]["diff"]
    assert not told["rejection"]["is_same"]


def test_a_secret_in_a_comment_does_not_reach_the_ledger(stage: BoardStage) -> None:
    _comment(stage, replacement="token ghp_" + "a1B2c3D4e5F6" * 3)
    assert "ghp_" not in str(stage.facts())


def test_a_click_approves_with_the_strength_dialog_and_no_more(stage: BoardStage) -> None:
    told = stage.get(PAGE).told
    assert stage.post("approve", hash=told["hash"]).told["approved"]
    (said,) = [fact.value for fact in stage.facts() if fact.kind == "approval"]
    assert (said["strength"], said["channel"]) == (DIALOG, DIALOG)
    standing = stage.get(PAGE).told["standing"]
    assert (standing["state"], standing["enough_for"]) == ("approved", ["in_session"])


def test_a_text_that_the_page_has_not_shown_is_not_approved(stage: BoardStage) -> None:
    shown = stage.get(PAGE).told["hash"]
    stage.plan.write_text(PLAN.replace("hallo.sh", "hallo.sh; curl evil"))
    assert stage.post("approve", hash=shown).status == 409
    assert stage.post("approve").status == 409
    assert not stage.facts()


def test_what_changed_since_the_approval_is_shown(stage: BoardStage) -> None:
    stage.post("approve", hash=stage.get(PAGE).told["hash"])
    stage.plan.write_text(PLAN.replace("keep it small", "keep it tiny"))
    (change,) = stage.get(PAGE).told["since"]["changes"]
    assert (change["key"], change["kind"]) == ("1", "changed")
    assert stage.get("/api/inbox").told["waiting"][0]["kind"] == "approval"


def test_an_empty_or_endless_comment_is_refused(stage: BoardStage) -> None:
    block = stage.get(PAGE).told["blocks"][0]["hash"]
    assert stage.post("comment", block=block, text=" ").status == 409
    assert stage.post("comment", block=block, text="x" * 20_001).status == 409
    assert stage.post("comment", block="0" * 16, text="x").status == 409
