"""A session that executes a plan is held to it: real files, real checks, the hook's own answers."""

import shutil
import time
from pathlib import Path

import pytest

from planrail.approval.records import record_dialog
from planrail.hook.sessions.events import HOLD, HookAnswer
from tests.cli.in_session import PLAN, UNAPPROVED, Project, make_project
from tests.hook.driving import Host

_ONE = PLAN[: PLAN.index("## Phase 2")]
_TWO = PLAN[PLAN.index("## Phase 2") : PLAN.index("## Phase 3")]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    made = make_project(tmp_path, monkeypatch, capsys)
    made.write("planrail.toml", f'{UNAPPROVED}[plans]\ndirectory = "plans"\n')
    (made.root / "plans").mkdir()
    made.plan.rename(made.root / "plans" / "greeter.md")
    made.plan = made.root / "plans" / "greeter.md"
    made.commit("Keep plans in a folder")
    return made


def _say(host: Host, project: Project, prompt: str) -> HookAnswer:
    return host.send("UserPromptSubmit", "s1", project.root, prompt=prompt)


def _stop(host: Host, project: Project, message: str, *, again: bool = False) -> HookAnswer:
    return host.send("Stop", "s1", project.root, last_assistant_message=message, stop_hook_active=again)


def test_a_claim_without_work_is_held_with_what_is_missing_in_four_lines(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    held = _stop(host, project, "All done!")
    assert held.decision == HOLD
    assert "phase 1 (Write) of greeter.md is not done" in held.reason
    assert "grep -q hello hello.txt" in held.reason
    assert len(held.reason.split("\n")) <= 4


def test_an_honest_end_is_marked_told_and_not_held(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    ended = _stop(host, project, "Phase 1 is done.")
    assert not ended.decision
    assert "phase 1 (Write) of greeter.md is proven, and marked. Next is phase 2 (More)" in ended.message
    assert "- [x] write hello.txt" in project.plan.read_text()
    assert not _stop(host, project, "As I said.").message
    assert "Next is phase 2 (More)" in _say(host, project, "thanks").context


def test_an_unchanged_tree_is_answered_from_memory_and_only_where_work_is_claimed(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE.replace("grep -q hello hello.txt", "echo run >> ../runs; grep -q hello hello.txt"))
    project.commit("Count the runs")
    _say(host, project, "execute plan")
    runs = project.root.parent / "runs"
    assert not _stop(host, project, "I read the code.").decision
    assert not runs.exists()
    project.write("hello.txt", "hi\n")
    assert _stop(host, project, "I wrote something.").decision == HOLD
    assert len(runs.read_text().split()) == 1
    assert not _stop(host, project, "I look at it again.", again=True).decision
    assert _stop(host, project, "It is complete.", again=True).decision == HOLD
    assert len(runs.read_text().split()) == 1


def test_an_honest_word_is_not_held_and_a_half_truth_is_told(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    project.write("hello.txt", "hi\n")
    assert _stop(host, project, "Phase 1 is not done: I need to know what to say. What shall it be?") == HookAnswer()
    told = _stop(host, project, "The file is written; the greeting is not done yet.")
    assert not told.decision
    assert "is NOT done" in told.message


def test_a_ticked_box_is_a_claim(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    project.plan.write_text(project.plan.read_text().replace("- [ ] write hello", "- [x] write hello"))
    assert _stop(host, project, "Phase 1.").decision == HOLD


def test_a_plan_that_nobody_handed_out_or_approved_is_told_of_and_nothing_is_run(host: Host, project: Project) -> None:
    _say(host, project, "!load-plan greeter")
    told = _stop(host, project, "Phase 1 is done.")
    assert not told.decision
    assert told.message.endswith("is not proven: it was not handed out here, so nothing was run.")
    assert _stop(host, project, "Loaded.") == HookAnswer()


def test_who_claims_the_whole_plan_is_held_for_the_next_phase(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    held = _stop(host, project, "All phases of the plan are done.")
    assert held.decision == HOLD
    assert "phase 1 is proven, and marked; phase 2 (More) of greeter.md is not done" in held.reason


def test_checks_that_take_too_long_are_left_to_the_agent(host: Host, project: Project) -> None:
    project.write("planrail.toml", f'{UNAPPROVED}[plans]\ndirectory = "plans"\n[session]\nhold_seconds = 1\n')
    project.plan.write_text(_ONE.replace("grep -q hello hello.txt", "sleep 30"))
    project.commit("Check slowly")
    _say(host, project, "execute plan")
    held = _stop(host, project, "Phase 1 is done.")
    assert held.decision == HOLD
    assert "the checks did not end within 1 s: run `planrail done" in held.reason


def test_a_phase_is_held_to_the_text_that_was_handed_out(host: Host, project: Project) -> None:
    """An agent that rewrites the check and does half of the work proves nothing; the user can accept the new text."""
    _say(host, project, "execute plan")
    project.write("hello.txt", "hi\n")
    text = project.plan.read_text()
    project.plan.write_text(text.replace("grep -q hello hello.txt", "grep -q hi hello.txt"))
    code, out, _ = project.planrail("done", str(project.plan), "1")
    assert code == 1
    assert "line 9: “grep -q hello hello.txt” is now “grep -q hi hello.txt” since it was handed out" in out
    held = _stop(host, project, "Phase 1 is done.")
    assert held.decision == HOLD
    again = _say(host, project, "execute plan")
    assert "phase 1 is handed out with another text than before: line 9" in again.message
    assert project.planrail("done", str(project.plan), "1")[0] == 0


def test_files_besides_those_that_a_phase_allows_are_named_and_block_it(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE.replace("- [ ] write", "Change hello.txt, and nothing else.\n\n- [ ] write", 1))
    project.commit("Allow one file")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("own.txt", "theirs\n")
    held = _stop(host, project, "Phase 1 is done.")
    assert held.decision == HOLD
    assert "own.txt: changed, and the phase says “Change hello.txt, and nothing else.”" in held.reason


def test_a_sentence_outside_of_the_phases_keeps_a_path_as_a_constraint_does(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE.replace("# Greeter\n", "# Greeter\n\nIt greets. No changes to `own.txt`.\n"))
    project.commit("Keep a file")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("own.txt", "theirs\n")
    held = _stop(host, project, "Phase 1 is done.")
    assert held.decision == HOLD
    assert "own.txt: changed, and the plan says “Greeter: No changes to `own.txt`.”" in held.reason


def test_a_ticked_item_that_is_false_is_named_with_its_line(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE.replace("- [ ] say hello in it", "- [x] write notes.md"))
    project.commit("Tick a box")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    code, out, _ = project.planrail("done", str(project.plan), "1")
    assert code == 1
    assert "line 6, “write notes.md”, is ticked, and there is no notes.md" in out
    project.write("notes.md", "hello\n")
    project.write("more.md", "hello\n")
    ended = _stop(host, project, "Phase 1 is done.")
    assert ended.message.endswith("PLAN COMPLETE.\nnot accounted for by the phase: more.md")


_NATIVE = """# Greet

## Changes

1. `hello.txt`: say hello
2. `more.txt`: say more

## Verification

- Run: `cat hello.txt more.txt | grep -q more` (passes)
"""


@pytest.fixture
def native(project: Project) -> Project:
    """Numbered changes and one verification for all of them, as Claude Code writes plans."""
    project.plan.write_text(_NATIVE)
    project.commit("Plan as Claude Code does")
    return project


@pytest.mark.parametrize("said", ["All done!", "Phase 1 is done.", "I have added it."])
def test_changes_with_one_verification_are_held_by_it_where_nothing_was_done(
    host: Host, native: Project, said: str
) -> None:
    _say(host, native, "execute plan")
    held = _stop(host, native, said)
    assert (held.decision, "grep -q more" in held.reason) == (HOLD, True), held


@pytest.mark.parametrize("said", ["All done!", "Done. I have said hello and more."])
def test_changes_with_one_verification_are_all_proven_by_it(host: Host, native: Project, said: str) -> None:
    _say(host, native, "execute plan")
    native.write("hello.txt", "hello\n")
    native.write("more.txt", "more\n")
    ended = _stop(host, native, said)
    assert not ended.decision, ended
    assert "PLAN COMPLETE" in ended.message
    phases = native.ask("show", str(native.plan))["phases"]
    assert [phase["proof"] for phase in phases] == ["proven", "proven"]
    assert phases[0]["title"] == "`hello.txt`: say hello"


def test_of_the_first_of_such_changes_the_person_is_told_and_the_rest_is_held(host: Host, native: Project) -> None:
    _say(host, native, "execute plan")
    native.write("hello.txt", "hello\n")
    told = _stop(host, native, "Phase 1 is done.")
    assert (told.decision, "verification does not pass yet" in told.message) == ("", True), told
    assert _stop(host, native, "All of it is done.").decision == HOLD


def test_a_change_of_which_no_file_was_touched_is_not_proven_by_the_work_of_others(host: Host, native: Project) -> None:
    _say(host, native, "execute plan")
    native.write("more.txt", "more\n")
    native.write("hello.txt.bak", "hello\n")
    native.plan.write_text(_NATIVE.replace("cat hello.txt more.txt", "cat more.txt"))
    native.commit("Verify less")
    _say(host, native, "execute plan")
    code, out, _ = native.planrail("done", str(native.plan), "1")
    assert (code, "of what the phase names, nothing has changed: hello.txt" in out) == (1, True), out


def test_the_last_of_such_changes_has_to_be_made_as_well(host: Host, native: Project) -> None:
    native.plan.write_text(_NATIVE.replace("cat hello.txt more.txt | grep -q more", "grep -q hello hello.txt"))
    native.commit("Verify the first alone")
    _say(host, native, "execute plan")
    native.write("hello.txt", "hello\n")
    held = _stop(host, native, "All done!")
    assert (held.decision, "nothing has changed: more.txt" in held.reason) == (HOLD, True), held
    native.write("more.txt", "more\n")
    assert "PLAN COMPLETE" in _stop(host, native, "All done!").message


def test_outside_of_git_nothing_is_not_proven_and_work_is_with_a_word_about_it(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE.replace("grep -q hello hello.txt", "true").replace("test -s hello.txt", "test -d ."))
    shutil.rmtree(project.root / ".git")
    record_dialog(str(project.plan), agent="claude", session="s1", at=int(time.time()), edited=False)
    _say(host, project, "execute plan")
    held = _stop(host, project, "All done!")
    assert (held.decision, "no file has changed since the phase began" in held.reason) == (HOLD, True), held
    project.write("hello.txt", "hello\n")
    assert "there is no commit to compare with" in _stop(host, project, "All done!").message


def test_an_open_item_of_which_nothing_is_there_is_not_ticked_with_its_phase(host: Host, project: Project) -> None:
    project.write("tests.txt", "old\n")
    project.plan.write_text(_ONE.replace("say hello in it", "add `test_hello` to tests.txt"))
    project.commit("Ask for a test")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    held = _stop(host, project, "Phase 1 is done.")
    assert (held.decision, "there is no `test_hello` anywhere" in held.reason) == (HOLD, True), held
    project.write("tests.txt", "old\ntest_hello\n")
    assert "is proven, and marked" in _stop(host, project, "Phase 1 is done.").message


def test_a_check_whose_run_on_the_base_is_cut_off_proves_nothing(host: Host, project: Project) -> None:
    project.write("planrail.toml", f'{UNAPPROVED}[plans]\ndirectory = "plans"\n[session]\nhold_seconds = 3\n')
    project.plan.write_text(_ONE.replace("grep -q hello hello.txt", "sleep 2").replace("test -s hello.txt", "true"))
    project.commit("Check nothing, slowly")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    assert _stop(host, project, "Phase 1 is done.").decision == HOLD
    assert project.ask("show", str(project.plan))["phases"][0]["proof"] != "proven"


def test_work_on_several_phases_that_was_committed_at_once_is_proven(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    project.commit("All of it")
    assert not _stop(host, project, "All phases of the plan are done.").decision
    proofs = [phase["proof"] for phase in project.ask("show", str(project.plan))["phases"]]
    assert proofs[:2] == ["proven", "proven"]


def test_every_phase_that_one_stop_marks_is_named_and_the_status_line_knows_of_it(host: Host, project: Project) -> None:
    third = "## Phase 3: Most\n\n- [ ] write most.txt\n\n```sh check\ngrep -q most most.txt\n```\n"
    project.plan.write_text(_ONE + _TWO + third)
    project.commit("Three phases")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    held = _stop(host, project, "All phases of the plan are done.")
    assert "phases 1, 2 are proven, and marked; phase 3 (Most) of greeter.md is not done" in held.reason
    session = host.session("s1")
    assert session is not None
    assert session.summary is not None
    assert (session.summary.phase_id, session.summary.proven) == ("3", 2)
    project.write("most.txt", "most\n")
    assert "PLAN COMPLETE" in _stop(host, project, "All done!").message


def test_a_verification_that_passes_without_the_work_is_told_and_holds_nobody_who_worked(
    host: Host, native: Project
) -> None:
    native.plan.write_text(_NATIVE.replace("cat hello.txt more.txt | grep -q more", "test -d ."))
    native.commit("Verify nothing")
    _say(host, native, "execute plan")
    assert _stop(host, native, "All done!").decision == HOLD, "nothing was done"
    native.write("hello.txt", "hello\n")
    told = _stop(host, native, "All done!")
    assert (told.decision, "passes without the work as well" in told.message) == ("", True), told
    assert native.ask("show", str(native.plan))["phases"][0]["proof"] != "proven"


@pytest.mark.parametrize("text", ["[session\n", "[session]\nholds = 1\n", '[notify]\nchannels = ["x"]\n'])
def test_settings_that_cannot_be_read_let_no_claim_pass(host: Host, project: Project, text: str) -> None:
    _say(host, project, "execute plan")
    project.write("planrail.toml", text)
    held = _stop(host, project, "All done!")
    assert (held.decision, "planrail.toml" in held.reason) == (HOLD, True), held
    assert not _stop(host, project, "I look at the settings.").decision


def test_words_about_how_things_are_hold_nobody_before_anything_has_changed(host: Host, project: Project) -> None:
    _say(host, project, "execute plan")
    told = _stop(host, project, "The existing test passes.")
    assert (told.decision, "no file has changed since it was begun" in told.message) == ("", True), told
    assert not _stop(host, project, "This is implemented in most shops that way.").decision
    assert _stop(host, project, "Here is how the greeter works.") == HookAnswer()
    project.write("hello.txt", "hi\n")
    assert _stop(host, project, "The test passes.").decision == HOLD


_SUITE = """# Greet

## Phase 1: Say hello

- [ ] `greeter.py`: add `hello()`

Check: `python3 -m unittest -q`
"""
_OLD_TEST = "import unittest\n\n\nclass Old(unittest.TestCase):\n    def test(self) -> None:\n        import greeter\n"


@pytest.fixture
def suite(project: Project) -> Project:
    """A phase whose check is the project's tests, which pass before the work."""
    project.write("greeter.py", "")
    project.write("test_old.py", _OLD_TEST)
    project.plan.write_text(_SUITE)
    project.commit("Test")
    return project


def test_tests_that_come_with_the_work_and_fail_without_it_prove_it(host: Host, suite: Project) -> None:
    _say(host, suite, "execute plan")
    suite.write("greeter.py", "def hello() -> str:\n    return 'hello'\n")
    suite.write("test_new.py", _OLD_TEST.replace("import greeter\n", "from greeter import hello\n\n        hello()\n"))
    assert "PLAN COMPLETE" in _stop(host, suite, "All done!").message
    assert suite.ask("show", str(suite.plan))["phases"][0]["proof"] == "proven"


@pytest.mark.parametrize("test", ["", _OLD_TEST.replace("Old", "New")])
def test_without_such_tests_the_person_is_told_and_nobody_who_worked_is_held(
    host: Host, suite: Project, test: str
) -> None:
    _say(host, suite, "execute plan")
    suite.write("greeter.py", "def hello() -> str:\n    return 'hello'\n")
    if test:
        suite.write("test_new.py", test)
    told = _stop(host, suite, "All done!")
    assert (told.decision, "passes without the work as well" in told.message) == ("", True), told
    assert suite.ask("show", str(suite.plan))["phases"][0]["proof"] != "proven"


def test_work_beside_the_plan_that_is_told_as_such_holds_nobody(host: Host, suite: Project) -> None:
    _say(host, suite, "execute plan")
    suite.write("notes.txt", "hello\n")
    told = _stop(host, suite, "Fixed the typo in notes.txt.")
    assert (told.decision, "nothing has changed: greeter.py" in told.message) == ("", True), told
    assert _stop(host, suite, "Phase 1 is done.").decision == HOLD


def test_work_elsewhere_does_not_pass_for_work_on_the_files_that_a_phase_names(host: Host, suite: Project) -> None:
    _say(host, suite, "execute plan")
    suite.write("notes.txt", "hello\n")
    held = _stop(host, suite, "All done!")
    assert (held.decision, "nothing has changed: greeter.py" in held.reason) == (HOLD, True), held


def _undo(project: Project) -> None:
    project.git("reset", "-q", "--hard")
    project.git("clean", "-fdq")


def test_a_proof_ends_with_the_work_that_it_was_about(host: Host, project: Project) -> None:
    """Also where the plan is approved again and other work is proven: what was undone before is not done by that."""
    project.plan.write_text(_ONE + _TWO)
    project.commit("Two phases")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    assert "PLAN COMPLETE" in _stop(host, project, "All phases of the plan are done.").message
    _undo(project)
    first, second = project.ask("show", str(project.plan))["phases"]
    assert [first["status"], second["status"]] == ["todo", "todo"]
    assert "its work was undone since" in first["reason"]
    record_dialog(str(project.plan), agent="claude", session="s1", at=int(time.time()), edited=False)
    _say(host, project, "execute plan")
    project.write("more.txt", "more\n")
    assert project.planrail("done", str(project.plan), "2")[0] == 0
    assert "phase 1 (Write) of greeter.md is not done" in _stop(host, project, "All done!").reason
    project.write("hello.txt", "hello\n")
    assert "PLAN COMPLETE" in _stop(host, project, "All done!").message


def test_work_that_was_undone_in_part_is_missed_where_the_plan_ends(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE + _TWO)
    project.commit("Two phases")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    project.write("notes.txt", "hello\n")
    assert "phase 1 (Write) of greeter.md is proven" in _stop(host, project, "Phase 1 is done.").message
    _say(host, project, "go on")
    (project.root / "hello.txt").unlink()
    project.write("more.txt", "more\n")
    assert "phase 1 (Write) of greeter.md is not done" in _stop(host, project, "Phase 1 is done.").reason
    ended = _stop(host, project, "Phase 2 is done. The plan is complete.")
    assert "PLAN COMPLETE" not in ended.message
    assert "phase 1 (Write) of greeter.md is not done" in ended.reason


def test_a_check_of_an_earlier_phase_that_fails_where_the_plan_ends_is_told(host: Host, project: Project) -> None:
    project.plan.write_text(_ONE + _TWO)
    project.commit("Two phases")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    assert "is proven" in _stop(host, project, "Phase 1 is done.").message
    _say(host, project, "go on")
    project.write("hello.txt", "good bye\n")
    project.write("more.txt", "more\n")
    ended = _stop(host, project, "Phase 2 is done. The plan is complete.")
    assert "A check of phase 1 fails by now: `grep -q hello hello.txt`" in ended.message


def test_what_a_later_phase_puts_back_undoes_no_earlier_one(host: Host, project: Project) -> None:
    clean_up = _TWO.replace("grep -q more more.txt", "grep -q more more.txt && ! test -e hello.txt")
    clean_up = clean_up.replace("write more.txt", "write more.txt, and delete hello.txt again")
    project.plan.write_text(_ONE.replace("Write", "Try") + clean_up)
    project.commit("Try, and clean up")
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    assert "phase 1 (Try) of greeter.md is proven" in _stop(host, project, "Phase 1 is done.").message
    _say(host, project, "go on")
    (project.root / "hello.txt").unlink()
    project.write("more.txt", "more\n")
    assert "PLAN COMPLETE" in _stop(host, project, "Phase 2 is done.").message
