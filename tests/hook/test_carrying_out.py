"""A plan carried out in a session, from `execute plan` to the clear: real files, real commands, the hook's own answers."""

from pathlib import Path
from shlex import quote

import pytest

from planrail.approval.records import record_dialog
from tests.cli.in_session import PLAN, Project, make_project
from tests.hook.driving import Host


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    made = make_project(tmp_path, monkeypatch, capsys)
    made.write("planrail.toml", '[plans]\ndirectory = "plans"\n')
    (made.root / "plans").mkdir()
    made.plan.rename(made.root / "plans" / "greeter.md")
    made.plan = made.root / "plans" / "greeter.md"
    made.commit("Keep plans in a folder")
    return made


def _say(host: Host, project: Project, prompt: str, session: str = "s1") -> str:
    return host.send("UserPromptSubmit", session, project.root, prompt=prompt).context


def test_the_agent_gets_the_current_phase_word_for_word_and_the_rules(host: Host, project: Project) -> None:
    told = _say(host, project, "execute plan")
    assert "NOT APPROVED" in told
    assert f"planrail approve {quote(str(project.plan))}" in told
    record_dialog(str(project.plan), agent="claude", session="s1", at=1000, edited=False)
    told = _say(host, project, "execute plan")
    first = PLAN[PLAN.index("## Phase 1") : PLAN.index("## Phase 2")].strip()
    assert first in told
    assert "## Phase 2: More" not in told
    assert f"planrail check {quote(str(project.plan))} 1" in told
    assert f"planrail done {quote(str(project.plan))} 1" in told
    assert "Tick no box" in told
    assert "NOT APPROVED" not in told


def test_a_phase_without_a_check_can_only_be_claimed(host: Host, project: Project) -> None:
    text = PLAN[PLAN.index("## Phase 3") :]
    project.plan.write_text("# Greeter\n\n" + text)
    record_dialog(str(project.plan), agent="claude", session="s1", at=1000, edited=False)
    told = _say(host, project, "execute plan")
    assert f"planrail set {quote(str(project.plan))} 3 done" in told
    assert "planrail done" not in told.replace("planrail done PLAN", "")


def test_a_long_phase_is_pointed_to_and_what_is_told_arrives(host: Host, project: Project) -> None:
    long = PLAN.replace("- [ ] say hello in it", "- [ ] say hello in it\n" + "- [ ] say it once more, please\n" * 600)
    project.plan.write_text(long)
    record_dialog(str(project.plan), agent="claude", session="s1", at=1000, edited=False)
    told = _say(host, project, "execute plan")
    assert len(told) < 10_000
    assert f"read {project.plan} from line 3 on" in told


@pytest.mark.full
def test_a_proven_phase_is_followed_by_the_next_one_also_after_a_clear(host: Host, project: Project) -> None:
    record_dialog(str(project.plan), agent="claude", session="s1", at=1000, edited=False)
    _say(host, project, "execute plan")
    project.write("hello.txt", "hello\n")
    code, out, err = project.planrail("done", str(project.plan), "1")
    assert code == 0, out + err
    assert "/clear" in out
    told = _say(host, project, "execute plan")
    assert "## Phase 2: More" in told
    assert f"planrail done {quote(str(project.plan))} 2" in told
    told = host.clear("s1", "s2", project.root).context
    assert "ACTION REQUIRED" in told
    assert "Phase 2: More" in told
    assert f"planrail done {quote(str(project.plan))} 2" in told


@pytest.mark.full
def test_what_was_there_before_is_not_in_the_phases_commit_and_a_complete_plan_does_not_come_back(
    host: Host, project: Project
) -> None:
    project.plan.write_text(PLAN[: PLAN.index("## Phase 2")])
    project.commit("Make the plan shorter")
    record_dialog(str(project.plan), agent="claude", session="s1", at=1000, edited=False)
    project.write("own.txt", "half a thought\n")
    _say(host, project, "execute the plan and commit")
    project.write("hello.txt", "hello\n")
    assert "PLAN COMPLETE" in project.planrail("done", str(project.plan), "1", "--commit")[1]
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plans/greeter.md"]
    assert project.git("status", "--porcelain") == " M own.txt\n"
    told = host.clear("s1", "s2", project.root).context
    assert "Resume the current task" not in told
    assert "completed" in told
