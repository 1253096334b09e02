"""`planrail refine`: what is left of a plan is revised, what is finished stays, and nobody's edit is lost."""

import json
from pathlib import Path

import pytest

from planrail.planning.plan_format import EXAMPLE
from tests.cli.planning_runs import Desk, Reply, reply
from tests.planning.conducting_fakes import CRITIQUE, EXPLORED
from tests.support.patience import PATIENCE

PHASE_2 = "### Phase 2: Exit with status 2"
DONE = EXAMPLE.replace("- [ ] 1.", "- [x] 1.").replace("- [ ] `python3", "- [x] `python3")
REVISED = EXAMPLE.replace("exit with 2\n", "exit with 2 and nothing else\n")
SAID = "I made phase 2 stricter. Why: the exit status was not the only output.\n\n"


def _script(plan: str = REVISED, said: str = SAID, **more: object) -> list[Reply]:
    replies = [
        reply("Phase: EXPLORE", EXPLORED),
        reply("Phase: CRITIQUE", CRITIQUE, "critic"),
        reply("This is the last round", f"{said}{plan}\n<promise>PLAN_OK</promise>\n", "author"),
        reply("Phase: REVISE", said + plan, "author"),
        reply("Phase: DRAFT", said + plan, "author"),
    ]
    return [one | more for one in replies]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    (made.repo / "PLAN.md").write_text(DONE)
    made.follow(_script())
    return made


def test_finished_phases_stay_as_they_are_and_the_drift_log_says_what_changed_and_why(desk: Desk) -> None:
    done = desk.run("refine", "PLAN.md", "--agent", "scripted")
    assert done.returncode == 0, done.stderr
    text = (desk.repo / "PLAN.md").read_text()
    finished = DONE[DONE.index("### Phase 1") : DONE.index(PHASE_2)]
    assert finished in text  # byte for byte, its ticked boxes included
    assert "exit with 2 and nothing else" in text
    (row,) = [line for line in text.splitlines() if line.startswith("| 2")]
    assert "changed phase 2" in row
    assert "the exit status was not the only output" in row
    assert "the plan is refined: PLAN.md" in done.stdout
    assert "next: planrail approve PLAN.md" in done.stdout
    assert (desk.kept() / "original.md").read_text() == DONE


@pytest.mark.full
def test_what_people_said_reaches_the_author_and_the_drift_log(desk: Desk) -> None:
    line = next(number for number, text in enumerate(DONE.splitlines(), 1) if "2.1" in text)
    rejected = desk.run("reject", "PLAN.md", "--feedback", "Too lax.", "--comment", f"{line}:what about stdout?")
    assert rejected.returncode == 0, rejected.stderr
    desk.follow(_script(said="")[:1])
    code, answer, _ = desk.answer("refine", "PLAN.md", "--feedback", "Say nothing else. Be strict.")
    assert (code, answer["next"]) == (11, f"planrail plan --resume {desk.plannings()[0]}")
    assert (desk.repo / "PLAN.md").read_text() == DONE
    desk.follow(_script(said=""))
    code, answer, told = desk.plan("--resume", desk.plannings()[0])
    assert (code, answer["status"]) == (0, "finished"), told
    said = desk.prompts("author")[0].partition("What was said about the plan, quoted:")[2]
    for part in ("Too lax.", "> > - [ ] 2.1", "what about stdout?", "> Say nothing else. Be strict."):
        assert part in said
    assert DONE.strip() in desk.prompts("author")[0]
    assert len(desk.prompts("critic")) == 1
    text = (desk.repo / "PLAN.md").read_text()
    assert "and nothing else" in text
    assert "Too lax. |" in text, "the author did not say why"


@pytest.mark.soak
def test_where_nothing_is_left_or_nothing_changes_nothing_is_written(desk: Desk) -> None:
    desk.follow(_script(EXAMPLE))
    code, answer, told = desk.answer("refine", "PLAN.md")
    assert (code, answer["changed"]) == (0, False), told
    assert (desk.repo / "PLAN.md").read_text() == DONE
    (desk.repo / "PLAN.md").write_text(DONE.replace("- [ ]", "- [x]"))
    done = desk.run("refine", "PLAN.md", "--agent", "scripted")
    assert (done.returncode, "nothing left to refine" in done.stdout, len(desk.plannings())) == (0, True, 1)
    code, nothing, _ = desk.answer("refine", "PLAN.md")
    assert (code, nothing["status"], nothing["next"]) == (0, "nothing to refine", "planrail show PLAN.md")
    assert nothing.keys() == answer.keys()


@pytest.mark.full
def test_a_plan_that_was_changed_meanwhile_is_left_alone_and_the_result_lies_beside_it(desk: Desk) -> None:
    desk.follow(_script(delay=0.5))
    process = desk.start("refine", "PLAN.md", "--agent", "scripted", "--explorers", "1", "--json")
    assert process.stderr is not None
    for line in process.stderr:
        if "draft" in line:
            (desk.repo / "PLAN.md").write_text(DONE + "\nMine.\n")
            break
    said, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "PLAN.refined.md" in told
    answer = json.loads(said)
    assert (answer["status"], answer["plan"]) == ("unwritten", None)
    assert answer["result"] == str(desk.repo / "PLAN.refined.md")
    assert "was changed while it was refined" in answer["error"]
    assert answer["next"].startswith("git diff --no-index")
    assert (desk.repo / "PLAN.md").read_text() == DONE + "\nMine.\n"
    assert "exit with 2 and nothing else" in (desk.repo / "PLAN.refined.md").read_text()


FOREIGN = """# Checkout

## Implementation Phases

### Phase 1: Prices ✅

- [x] Round them in `src/greeter.py`

### Phase 2: Taxes

- [ ] Add them in `lib/not-there.py`
"""


@pytest.mark.full
def test_somebody_elses_plan_keeps_its_form_and_its_old_faults(desk: Desk) -> None:
    """It has not the seven sections, and cites a file that is not there: neither is the author's to fix."""
    (desk.repo / "PLAN.md").write_text(FOREIGN)
    script = _script(FOREIGN.replace("Add them", "Add them, rounded,"))
    script[1] = reply(
        "Phase: CRITIQUE", f"{CRITIQUE}\n5. P7 Risks: FAIL - Phase 2: Taxes does not say how they are rounded", "critic"
    )
    desk.follow(script)
    code, _, told = desk.answer("refine", "PLAN.md")
    assert code == 0, told
    assert "Keep the form of the plan" in desk.prompts("author")[0]
    text = (desk.repo / "PLAN.md").read_text()
    assert text.startswith(FOREIGN.partition("### Phase 2")[0])
    assert "Add them, rounded," in text


def test_what_cannot_be_refined_is_said_before_anything_begins(desk: Desk) -> None:
    code, answer, told = desk.answer("refine", "nothing.md")
    assert (code, answer["status"], answer["planning"]) == (3, "refused", None)
    assert str(answer["error"]) in told
    (desk.repo / "PLAN.md").write_text("- [ ] One thing\n- [ ] Another\n")
    done = desk.run("refine", "PLAN.md", "--agent", "scripted")
    assert done.returncode == 1
    assert "no heading of PLAN.md names a section (Goal, " in done.stderr
    assert "revised by hand" in done.stderr
    assert desk.plannings() == []
