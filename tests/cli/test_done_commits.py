"""planrail done --commit: exactly the files of the phase, and nothing that somebody else had lying there."""

import os
from pathlib import Path

import pytest

from planrail.runs.in_session.assigning import assign
from planrail.runs.in_session.committing import choose_own
from tests.cli.in_session import PLAN, Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


def _hand_out(project: Project) -> None:
    assign({"plan": str(project.plan), "root": str(project.root), "agent": "claude", "session": "s1", "now": "5"})


def test_a_commit_has_the_files_of_the_phase_the_mark_and_the_trailers(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1", "--commit", "hello.txt", "-m", "Say hello")
    assert answer["commit"] == project.git("rev-parse", "HEAD").strip()
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md"]
    said = project.git("log", "-1", "--format=%an|%B")
    assert said.startswith("Lena|Say hello\n\n")
    assert f"Planrail-Plan: plan.md\nPlanrail-Phase: 1\nPlanrail-Evidence: {answer['evidence']}\n" in said
    assert project.git("status", "--porcelain") == ""


def test_without_a_message_the_phase_says_what_it_is(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.ask("done", "plan.md", "1", "--commit", "--all")
    assert project.git("log", "-1", "--format=%s") == "Greeter: phase 1, Write\n"


def test_without_the_wish_nothing_is_committed_and_nothing_is_staged(project: Project) -> None:
    before = project.git("rev-parse", "HEAD")
    project.write("hello.txt", "hello\n")
    project.planrail("done", "plan.md", "1")
    assert project.git("rev-parse", "HEAD") == before
    assert project.git("diff", "--cached", "--name-only") == ""


def test_what_the_person_had_changed_before_the_phase_began_is_not_committed(project: Project) -> None:
    project.write("own.txt", "half a thought\n")
    project.write("notes.txt", "a note\n")
    project.git("add", "own.txt")
    _hand_out(project)
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1", "--commit")
    assert (answer["committed"], answer["left_out"]) == (["hello.txt", "plan.md"], ["notes.txt", "own.txt"])
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md"]
    assert project.git("status", "--porcelain") == "M  own.txt\n?? notes.txt\n"


def test_what_a_check_left_behind_is_not_committed(project: Project) -> None:
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "grep -q hello hello.txt; date > left.log"))
    project.commit("Another check")
    project.write("hello.txt", "hello\n")
    project.ask("done", "plan.md", "1", "--commit", "--all")
    assert "left.log" not in project.git("ls-tree", "-r", "--name-only", "HEAD")


def test_removed_and_renamed_files_and_odd_names_are_committed_as_they_are(project: Project) -> None:
    os.rename(project.root / "own.txt", project.root / 'ein "Name".txt')
    script = project.write("run me.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    project.write("hello.txt", "hello\n")
    project.ask("done", "plan.md", "1", "--commit", "--all")
    names = project.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    assert "own.txt" not in names
    assert {'ein "Name".txt', "run me.sh"} <= set(names)
    assert project.git("ls-tree", "HEAD", "run me.sh").startswith("100755")
    assert project.git("status", "--porcelain") == ""


@pytest.mark.full
def test_a_second_commit_of_the_same_phase_is_not_made(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    first = project.ask("done", "plan.md", "1", "--commit", "hello.txt")["commit"]
    assert project.ask("done", "plan.md", "1", "--commit")["commit"] == first is not None
    assert project.git("rev-list", "--count", "HEAD") == "2\n"


def test_in_the_middle_of_a_merge_nothing_is_marked_or_committed(project: Project) -> None:
    project.git("switch", "-q", "-c", "other")
    project.write("own.txt", "theirs\n")
    project.commit("Theirs")
    project.git("switch", "-q", "main")
    project.write("own.txt", "ours\n")
    project.commit("Ours")
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "other")
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1", "--commit")
    assert code == 1
    assert "in the middle of" in err
    assert project.plan.read_text() == PLAN


def test_a_message_without_a_commit_is_a_wrong_call(project: Project) -> None:
    assert project.planrail("done", "plan.md", "1", "-m", "x")[0] == 2


def test_a_plan_that_git_does_not_track_is_marked_and_not_committed(project: Project) -> None:
    project.git("rm", "-q", "--cached", "plan.md")
    project.git("commit", "-q", "-m", "Keep the plan out")
    project.write("hello.txt", "hello\n")
    project.ask("done", "plan.md", "1", "--commit", "hello.txt")
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt"]
    assert "- [x] write hello.txt" in project.plan.read_text()


def test_the_first_commit_of_a_repository_can_be_a_phase(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git("update-ref", "-d", "HEAD")
    settings = tmp_path / "config" / "planrail"
    settings.mkdir(parents=True)
    (settings / "planrail.toml").write_text("[approval]\nrequired = false\n")
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1", "--commit", "--all")
    assert answer["commit"] == project.git("rev-parse", "HEAD").strip()
    assert "hello.txt" in project.git("ls-tree", "-r", "--name-only", "HEAD")
    assert project.git("status", "--porcelain") == ""


def test_files_that_nobody_saw_begin_are_not_guessed(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.write("unrelated.txt", "mine\n")
    code, _, err = project.planrail("done", "plan.md", "1", "--commit")
    assert code == 1
    assert "hello.txt, unrelated.txt" in err
    assert "planrail done plan.md 1 --commit hello.txt unrelated.txt" in err
    assert project.plan.read_text() == PLAN
    assert project.git("rev-list", "--count", "HEAD") == "1\n"


def test_programs_hear_which_command_commits(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1", "--commit")
    assert (answer["status"], answer["done"], answer["commit"]) == ("refused", False, None)
    assert answer["next"] == "planrail done plan.md 1 --commit hello.txt"


def test_only_named_files_are_committed_and_the_others_are_told(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.write("mysecret.txt", "secret\n")
    project.write("planrail.toml", "[approval]\nrequired = false\n# mine\n")
    _, out, _ = project.planrail("done", "plan.md", "1", "--commit", "hello.txt")
    assert "not committed, though the checks saw it: mysecret.txt, planrail.toml" in out
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md"]
    assert project.git("status", "--porcelain") == " M planrail.toml\n?? mysecret.txt\n"


def test_names_are_read_from_where_the_person_stands_and_a_folder_stands_for_its_files(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.root / "src" / "deep").mkdir(parents=True)
    project.write("src/deep/-a.py", "a = 1\n")
    project.write("src/b.py", "b = 1\n")
    project.write("hello.txt", "hello\n")
    monkeypatch.chdir(project.root / "src")
    assert project.ask("done", "../plan.md", "1", "--commit", "../hello.txt", "deep")["done"] is True
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md", "src/deep/-a.py"]


def test_an_ignored_or_unchanged_file_cannot_be_named(project: Project) -> None:
    project.write(".gitignore", "*.key\n")
    project.commit("Ignore keys")
    project.write("my.key", "secret\n")
    project.write("hello.txt", "hello\n")
    for name in ("my.key", "own.txt", "nowhere.txt", "../elsewhere.txt"):
        assert project.planrail("done", "plan.md", "1", "--commit", "hello.txt", name)[0] == 2
    assert project.plan.read_text() == PLAN
    project.ask("done", "plan.md", "1", "--commit", "--all")
    assert "my.key" not in project.git("ls-tree", "-r", "--name-only", "HEAD")


def test_what_lay_there_before_is_left_out_even_where_the_phase_changed_it_too(project: Project) -> None:
    project.write("own.txt", "half a thought\n")
    project.write("mysecret.txt", "secret\n")
    _hand_out(project)
    project.write("own.txt", "half a thought\nand the phase's\n")
    project.write("hello.txt", "hello\n")
    _, out, _ = project.planrail("done", "plan.md", "1", "--commit")
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md"]
    assert "not committed, though the checks saw it: mysecret.txt, own.txt" in out
    assert "changed before the phase began and since: own.txt" in out


@pytest.mark.full
def test_what_is_marked_first_can_be_committed_later(project: Project) -> None:
    _hand_out(project)
    project.write("hello.txt", "hello\n")
    assert project.ask("done", "plan.md", "1")["done"] is True
    project.ask("done", "plan.md", "1", "--commit")
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md"]


@pytest.mark.full
def test_a_commit_that_was_handed_out_is_not_made_twice(project: Project) -> None:
    _hand_out(project)
    project.write("hello.txt", "hello\n")
    first = project.ask("done", "plan.md", "1", "--commit")["commit"]
    again = project.ask("done", "plan.md", "1", "--commit")
    assert (again["done"], again["commit"]) == (True, first)


@pytest.mark.parametrize("words", [("--all",), ("--commit", "hello.txt", "--all")])
def test_wishes_that_contradict_each_other_are_a_wrong_call(project: Project, words: tuple[str, ...]) -> None:
    assert project.planrail("done", "plan.md", "1", *words)[0] == 2


def test_the_files_of_a_phase_are_those_that_changed_since_and_were_untouched_before() -> None:
    chosen = choose_own({"new", "mixed", "old"}, before={"mixed", "old"}, since={"new", "mixed", "gone again"})
    assert (chosen.paths, chosen.left_out, chosen.mixed) == (("new",), ("mixed", "old"), ("mixed",))
