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


def _section(text: str, heading: str) -> str:
    start = text.index(heading)
    return text[start : text.index("\n##", start + 4)].split("\n### Phase 2")[0]


@pytest.mark.full
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
def test_feedback_reaches_the_author_and_the_critic_is_another_process(desk: Desk) -> None:
    code, _, told = desk.answer("refine", "PLAN.md", "--feedback", "Split phase 2.", "--feedback", "Name the error.")
    assert code == 0, told
    assert all("> Split phase 2.\n> \n> Name the error." in prompt for prompt in desk.prompts("author"))
    assert DONE.strip() in desk.prompts("author")[0]
    assert len(desk.prompts("critic")) == 1


@pytest.mark.full
def test_what_a_person_rejected_is_told_with_the_lines_that_were_quoted(desk: Desk) -> None:
    line = next(number for number, text in enumerate(DONE.splitlines(), 1) if "2.1" in text)
    rejected = desk.run("reject", "PLAN.md", "--feedback", "Too lax.", "--comment", f"{line}:what about stdout?")
    assert rejected.returncode == 0, rejected.stderr
    code, _, told = desk.answer("refine", "PLAN.md")
    assert code == 0, told
    (said,) = {prompt.partition("What was said about the plan, quoted:")[2] for prompt in desk.prompts("author")[:1]}
    assert "Too lax." in said
    assert "> > - [ ] 2.1" in said
    assert "what about stdout?" in said


@pytest.mark.full
def test_a_finished_plan_has_nothing_left_to_refine(desk: Desk) -> None:
    (desk.repo / "PLAN.md").write_text(DONE.replace("- [ ]", "- [x]"))
    done = desk.run("refine", "PLAN.md", "--agent", "scripted")
    assert done.returncode == 0
    assert "nothing left to refine" in done.stdout
    assert desk.plannings() == []
    code, answer, _ = desk.answer("refine", "PLAN.md")
    assert (code, answer["status"], answer["next"]) == (0, "nothing to refine", "planrail show PLAN.md")
    (desk.repo / "PLAN.md").write_text(DONE)
    assert desk.answer("refine", "PLAN.md")[1].keys() == answer.keys()


@pytest.mark.full
def test_where_the_author_does_not_say_why_the_drift_log_has_the_words_of_the_person(desk: Desk) -> None:
    desk.follow(_script(said=""))
    code, _, told = desk.answer("refine", "PLAN.md", "--feedback", "Say nothing else on stdout. Be strict.")
    assert code == 0, told
    assert "| Say nothing else on stdout. |" in (desk.repo / "PLAN.md").read_text()


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


def test_a_revision_that_gives_a_finished_number_to_something_else_is_refused(desk: Desk) -> None:
    desk.follow(_script(REVISED.replace("Phase 1: Refuse an empty name", "Phase 1: Rewrite everything in another way")))
    code, answer, _ = desk.answer("refine", "PLAN.md", "--attempts", "2")
    assert (code, answer["status"]) == (1, "exhausted")
    assert "finished" in str(answer["problems"])
    assert (desk.repo / "PLAN.md").read_text() == DONE


@pytest.mark.full
def test_a_refinement_that_changes_nothing_writes_nothing(desk: Desk) -> None:
    desk.follow(_script(EXAMPLE))
    code, answer, told = desk.answer("refine", "PLAN.md")
    assert (code, answer["changed"]) == (0, False), told
    assert (desk.repo / "PLAN.md").read_text() == DONE


@pytest.mark.full
def test_a_refinement_that_failed_is_gone_on_with(desk: Desk) -> None:
    desk.follow(_script()[:1])
    code, answer, _ = desk.answer("refine", "PLAN.md")
    assert (code, answer["next"]) == (11, f"planrail plan --resume {desk.plannings()[0]}")
    assert (desk.repo / "PLAN.md").read_text() == DONE
    desk.follow(_script())
    code, answer, told = desk.plan("--resume", desk.plannings()[0])
    assert (code, answer["status"]) == (0, "finished"), told
    assert "and nothing else" in (desk.repo / "PLAN.md").read_text()


def test_a_file_that_is_no_plan_is_said_so(desk: Desk) -> None:
    assert desk.run("refine", "nothing.md", "--agent", "scripted").returncode == 3
    code, answer, told = desk.answer("refine", "nothing.md")
    assert (code, answer["status"], answer["planning"]) == (3, "refused", None)
    assert str(answer["error"]) in told


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
    desk.follow(_script(FOREIGN.replace("Add them", "Add them, rounded,")))
    code, _, told = desk.answer("refine", "PLAN.md")
    assert code == 0, told
    assert "Keep the form of the plan" in desk.prompts("author")[0]
    text = (desk.repo / "PLAN.md").read_text()
    assert text.startswith(FOREIGN.partition("### Phase 2")[0])
    assert "Add them, rounded," in text


def test_a_text_without_a_heading_of_a_plan_is_refused_before_anything_begins(desk: Desk) -> None:
    (desk.repo / "PLAN.md").write_text("- [ ] One thing\n- [ ] Another\n")
    done = desk.run("refine", "PLAN.md", "--agent", "scripted")
    assert done.returncode == 1
    assert "no heading of PLAN.md names a section (Goal, " in done.stderr
    assert "revised by hand" in done.stderr
    assert desk.plannings() == []
