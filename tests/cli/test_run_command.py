"""`planrail run` as a person types it: what is refused before anything begins, and what is never done twice."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import call, type_at_terminal
from tests.support.patience import PATIENCE

PHASE = """
## Phase {0} — Part {0}

- [ ] write {0}.txt

```sh run
echo {0} > {0}.txt
```

```sh check
grep -q {0} {0}.txt
```
"""


class Project:
    """A repository with a plan, and a person who types."""

    def __init__(self, root: Path) -> None:
        self.root, self.variables = root, dict[str, str]()
        root.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("planrail.toml", "[approval]\nrequired = false\n")

    def git(self, *words: str) -> str:
        who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
        done = subprocess.run(["git", *who, *words], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def commit(self) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "Work")

    def plan(self, text: str, name: str = "PLAN.md") -> None:
        self.write(name, f"# Plan\n{text}")
        self.commit()

    @property
    def environment(self) -> dict[str, str]:
        """That of the person: the ledger lies in the repository."""
        given = {name: value for name, value in os.environ.items() if name != "PLANRAIL_STATE_DIR"}
        home = self.root.parent
        return {**given, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), **self.variables}

    def let_agents_out(self) -> None:
        """From now on nothing is confined: agents tell the test what they do by files beside the repository."""
        self.variables["PLANRAIL_CONFINE"] = "off"

    def type(self, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        command, environment = [sys.executable, "-m", "planrail", *words], {**self.environment, **variables}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    def type_at_terminal(self, answers: "list[tuple[str, str]]", *words: str, **variables: str) -> tuple[int, str]:
        """The exit code and what is shown to a person at a terminal, who gives these answers."""
        return type_at_terminal(words, answers, self.root, {**self.environment, "TERM": "dumb", **variables})

    def ask(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Type what only looks, or is refused before anything begins, in this process."""
        home = self.root.parent
        return call(*words, cwd=self.root, HOME=str(home), XDG_STATE_HOME=str(home / "state"), PLANRAIL_STATE_DIR=None)

    def landed(self) -> list[str]:
        return self.git("log", "--format=%(trailers:key=Planrail-Phase,valueonly)", "main").split()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def two_phases() -> str:
    return PHASE.format(1) + PHASE.format(2)


@pytest.mark.parametrize(
    ("text", "words", "code", "said"),
    [
        ("Nothing to do.\n", ("PLAN.md",), 3, "nothing to execute"),
        (two_phases() + PHASE.format(1), ("PLAN.md", "finish", "auto"), 1, "the id 1 is given to two phases"),
        (f"{two_phases()}\n## Notes\n\n```sh run\nrm x\n```\n", ("PLAN.md", "auto"), 1, "belongs to no phase"),
        (two_phases(), ("PLAN.md", "9", "auto"), 2, "no phase '9'; it has: 1, 2"),
        (two_phases(), ("PLAN.md", "auto", "--agent", "nobody"), 2, "not an agent that planrail can drive"),
        (two_phases(), ("PLAN.md", "--agent", "command", "auto"), 2, "planrail config run.command 'my-agent {prompt}'"),
        (two_phases(), ("PLAN.md", "--agent", "acp", "auto"), 2, "planrail config run.acp 'my-agent acp'"),
        (two_phases(), ("PLAN.md", "auto", "pr"), 1, "no remote to open a pull request at"),
        (two_phases(), ("PLAN.md", "auto", "--parallel", "0"), 2, "not from 1 to 10"),
        (two_phases(), ("PLAN.md", "auto", "--again"), 2, "--again needs the phase"),
    ],
)
def test_what_cannot_end_well_is_not_begun(
    project: Project, text: str, words: tuple[str, ...], code: int, said: str
) -> None:
    project.plan(text)
    done = project.ask("run", *words)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr
    assert project.landed() == []
    assert project.ask("list", "runs", "--json").stdout.count('"run"') == 0


def test_a_repository_or_settings_that_are_odd_stop_a_run_before_it_begins(project: Project) -> None:
    project.plan(two_phases())
    project.git("remote", "add", "origin", str(project.root.parent / "elsewhere"))
    refused = project.ask("run", "PLAN.md", "finish", "auto", "pr")
    assert "planrail run PLAN.md finish auto --landing cherry-pick" in refused.stderr, refused.stderr
    project.write("planrail.toml", "[approval]\nrequired = false\n[budgets]\nmoney = 1\n")
    project.commit()
    refused = project.ask("run", "PLAN.md", "auto")
    assert (refused.returncode, "[budgets]" in refused.stderr, "[budget]" in refused.stderr) == (2, True, True)
    project.git("reset", "--quiet", "--hard", "HEAD~")
    project.git("symbolic-ref", "refs/heads/master", "refs/heads/main")
    refused = project.ask("run", "PLAN.md", "auto")
    assert (refused.returncode, "only another name for main" in refused.stderr) == (1, True)
    assert project.landed() == []


@pytest.mark.full
def test_a_landed_phase_is_done_once_more_where_a_person_says_so_or_its_text_is_another(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "1", "auto")
    project.git("revert", "--no-edit", "HEAD")
    assert "add --again" in project.type("run", "PLAN.md", "1", "auto").stdout
    assert project.landed() == ["1"]
    done = project.type("run", "PLAN.md", "1", "--again", "auto")
    assert (done.returncode, project.landed()) == (0, ["1", "1"]), done.stderr
    text = (project.root / "PLAN.md").read_text()
    project.write("PLAN.md", text.replace("1.txt", "one.txt").replace("[x]", "[ ]"))
    project.commit()
    assert '"proof": "proven"' not in project.ask("show", "PLAN.md", "--json").stdout
    project.type("run", "PLAN.md", "finish", "auto")
    assert (project.root / "one.txt").exists()


@pytest.mark.full
def test_an_unfinished_run_goes_on_as_it_was_ordered_or_not_at_all(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    other = project.type("run", "PLAN.md", "2", "auto", "direct")
    assert other.returncode == 1
    assert "its phase is none in particular, not 2; its landing is cherry-pick, not direct" in other.stderr
    assert project.landed() == []
    assert project.type("run", "PLAN.md", "finish", "auto").returncode == 0
    assert sorted(project.landed()) == ["1", "2"]


@pytest.mark.full
def test_finish_goes_on_with_a_run_of_one_phase_only_where_that_is_all_that_is_left(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    other = project.type("run", "PLAN.md", "finish", "auto")
    assert other.returncode == 1
    assert "it does phase 1 alone, and `finish` asks for all of them" in other.stderr
    assert project.type("run", "PLAN.md", "1", "auto").returncode == 0
    assert project.landed() == ["1"]
    project.type("run", "PLAN.md", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    done = project.type("run", "PLAN.md", "finish", "auto", "--as-committed")
    assert (done.returncode, sorted(project.landed())) == (0, ["1", "2"]), done.stderr


@pytest.mark.full
@pytest.mark.parametrize("is_moved", [True, False])
def test_a_run_goes_on_in_its_own_repository_alone(project: Project, tmp_path: Path, is_moved: bool) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    original, other = project.root, tmp_path / "other"
    if is_moved:
        shutil.move(original, other)
    else:
        shutil.copytree(original, other, symlinks=True)
    project.root = other
    refused = project.type("resume")
    assert (refused.returncode, "cannot go on here" in refused.stderr) == (1, True), refused.stderr
    assert project.type("stop").returncode == 0
    assert project.type("run", "PLAN.md", "finish", "auto").returncode == 0
    assert sorted(project.landed()) == ["1", "2"]
    if not is_moved:
        assert not (original / "1.txt").exists()
        project.root = original
        assert project.type("resume").returncode == 0
        assert sorted(project.landed()) == ["1", "2"]


@pytest.mark.full
def test_a_plan_that_was_changed_while_its_run_rested_does_not_run_as_it_was(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="workspace.begun")
    project.write("PLAN.md", f"# Plan\n{two_phases().replace('echo 2', 'echo new 2')}")
    project.commit()
    resumed = project.type("resume")
    assert (resumed.returncode, "says something else than when the run began" in resumed.stdout) == (1, True), resumed
    assert not (project.root / "2.txt").exists()


@pytest.mark.full
def test_auto_is_heard_where_it_is_said_of_a_run_that_rests_and_after_a_kill_as_well(project: Project) -> None:
    project.plan(two_phases() + PHASE.format(3))
    assert "paused" in project.type("run", "PLAN.md", "finish").stdout
    assert project.landed() == ["1"]
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    assert project.landed() == ["1"]
    resumed = project.type("resume")
    assert (resumed.returncode, "complete" in resumed.stdout) == (0, True), resumed
    assert sorted(project.landed()) == ["1", "2", "3"]


@pytest.mark.full
@pytest.mark.parametrize("is_known_file", [True, False])
def test_settings_that_are_not_committed_are_named_and_the_advice_works(project: Project, is_known_file: bool) -> None:
    project.plan(two_phases())
    settings = (project.root / "planrail.toml").read_text() + '[testing]\ncommand = "test -e 1.txt || exit 0"\n'
    if not is_known_file:
        project.git("rm", "--quiet", "--cached", "planrail.toml")
        project.git("commit", "--quiet", "--message", "No settings")
        project.write("user.toml", "")
    project.write("planrail.toml", settings)
    refused = project.type("run", "PLAN.md", "1", "auto")
    assert (refused.returncode, "[testing] command" in refused.stderr) == (2, True), refused.stderr
    assert project.landed() == []
    advice = refused.stderr.rpartition("→ ")[2].strip()
    for name, value in {"user.name": "A Person", "user.email": "me@localhost"}.items():
        project.git("config", name, value)
    if not is_known_file:  # then it is not committed either that no approval is needed, and only a person can say so
        assert advice == "at a terminal of your own, which asks for all of it: planrail run PLAN.md 1 auto"
        project.git("add", "planrail.toml")
        project.git("commit", "--quiet", "--message", "Settings")
        advice = "planrail run PLAN.md 1 auto --yes"
    assert advice == "planrail run PLAN.md 1 auto --yes"
    done = project.type(*shlex.split(advice)[1:])
    assert done.returncode == 0, done.stderr
    assert project.landed() == ["1"]


@pytest.mark.parametrize("word", ["1", "finish"])
def test_a_phase_without_a_check_is_refused_before_an_approval_is_asked_for_where_checks_are_the_verdict(
    project: Project, word: str
) -> None:
    project.write("planrail.toml", '[run]\ncommand = "touch one.txt"\n')
    project.plan("\n## Phase 1 — One\n\n- [ ] write one.txt\n")
    refused = project.ask("run", "PLAN.md", word, "auto", "--agent", "command", "--verifier", "runbook")
    assert (refused.returncode, "phase 1 has no check" in refused.stderr) == (1, True), refused.stdout + refused.stderr
    assert "approve" not in refused.stderr
    assert f"planrail run PLAN.md {word} auto --agent command --verifier command" in refused.stderr
    assert json.loads(project.ask("list", "runs", "--json").stdout)["runs"] == []


def test_a_path_that_the_plan_keeps_is_judged_without_a_reader_and_the_report_says_what_nobody_read(
    project: Project,
) -> None:
    project.write("kept.txt", "as it is\n")
    rules = "\n## Constraints\n\n- `kept.txt` must not change\n- the words are short\n"
    project.plan(rules + PHASE.format(1) + PHASE.format(2).replace("echo 2 >", "echo 2 > kept.txt; echo 2 >"))
    assert project.type("run", "PLAN.md", "1", "auto").returncode == 0
    line = next(line for line in project.ask("report", "PLAN.md").stdout.splitlines() if "Part 1" in line)
    assert "nobody has read" in line
    broken = project.type("run", "PLAN.md", "2", "auto")
    assert (broken.returncode, project.landed()) == (1, ["1"]), broken.stdout
    assert "kept.txt: changed, and the plan says" in broken.stdout


TRACKER = "\n| Phase | Status | Commit |\n|---|---|---|\n| 1 | ⬚ | |\n| 2 | ⬚ | — |\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("top", "dated"),
    [
        ("---\nstatus: active\n---\n", "status: complete\ncompleted: {}\n---\n"),
        ("**Status:** In progress\n", "**Status:** complete ({})\n"),
    ],
)
def test_a_complete_plan_has_the_commits_of_its_phases_and_its_date(project: Project, top: str, dated: str) -> None:
    is_front = top.startswith("---")
    text = f"{top if is_front else ''}# Plan\n\n{'' if is_front else top}{TRACKER}{two_phases()}"
    project.write("PLAN.md", text)
    project.commit()
    assert project.type("run", "PLAN.md", "finish", "auto").returncode == 0
    log = project.git("log", "--reverse", "--format=%h %(trailers:key=Planrail-Phase,valueonly,separator=)")
    commits = {phase: commit for commit, _, phase in (line.partition(" ") for line in log.splitlines()) if phase}
    marked = (project.root / "PLAN.md").read_text()
    rows = [line for line in marked.splitlines() if line.startswith(("| 1 |", "| 2 |"))]
    assert [commits[phase] in row for phase, row in zip("12", rows, strict=True)] == [True, True], marked
    day = project.git("log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d").strip()
    assert dated.format(day) in marked
    assert project.git("status", "--porcelain", "PLAN.md") == ""


def test_where_no_check_could_prove_the_work_no_agent_is_started(project: Project, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    text = PHASE.format(1).replace("echo 1 > 1.txt", f"touch {begun}").replace("grep -q 1 1.txt", "test -e PLAN.md")
    project.plan(text)
    project.let_agents_out()
    failed = project.type("run", "PLAN.md", "auto")
    assert (failed.returncode, begun.exists()) == (1, False), failed.stdout
    assert "every check of this phase succeeds on the untouched base as well" in failed.stdout
    assert "no agent was started" in failed.stdout


@pytest.mark.full
@pytest.mark.parametrize("name", ["./-dash.md", "a & b.md"])
def test_a_plan_of_any_name_is_named_so_that_it_can_be_typed(project: Project, name: str) -> None:
    project.plan(two_phases(), name)
    told = shlex.split(project.ask("next", name).stdout.rpartition("next: ")[2])
    assert told == ["planrail", "run", name, "1"]
    done = project.type(*told[1:], "auto")
    assert (done.returncode, shlex.split(done.stdout.rpartition("next: ")[2])) == (0, ["planrail", "run", name, "2"]), (
        done
    )
    assert shlex.split(project.ask("status", name).stdout.rpartition("next: ")[2]) == ["planrail", "run", name, "2"]
    project.type("run", name, "finish")
    listed = json.loads(project.ask("list", "runs", "--json").stdout)["runs"][0]["next"]
    assert shlex.split(listed)[2:] == [name], listed


@pytest.mark.full
@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        ("make test", 1, "[testing] command = 'make test' cannot run"),
        ("no-such-runner --all", 1, "[testing] command = 'no-such-runner --all' cannot run"),
        ("echo broken; exit 1", 0, "but the project's tests do not pass: the tests fail exactly as on the base"),
    ],
)
def test_tests_that_cannot_run_begin_nothing_and_those_that_failed_before_are_named_at_the_end(
    project: Project, command: str, code: int, told: str
) -> None:
    project.write("planrail.toml", f'[approval]\nrequired = false\n[testing]\ncommand = "{command}"\n')
    project.write("Makefile", "all:\n\ttrue\n")
    project.plan(two_phases())
    done = project.type("run", "PLAN.md", "finish", "auto")
    assert (done.returncode, told in done.stdout) == (code, True), done.stdout
    assert ("the agent works" in done.stderr, project.landed() == []) == (code == 0, code == 1)
    assert code or done.stdout.startswith("complete: ")


@pytest.mark.full
def test_what_a_failure_names_next_works(project: Project) -> None:
    text = PHASE.format(1).replace("write 1.txt", "Fix the bug in `src/nope.py`")
    project.plan(text)
    failed = project.type("run", "PLAN.md", "auto")
    assert (failed.returncode, "let the line say so (Create …)" in failed.stdout) == (1, True), failed.stdout
    assert failed.stdout.endswith("next: planrail lint PLAN.md\n")
    assert "there is no file `src/nope.py`" in project.ask("lint", "PLAN.md").stdout
    project.plan(text.replace("Fix the bug in", "Create").replace("grep -q 1", "grep -q never"))
    failed = project.type("run", "PLAN.md", "auto")
    assert failed.stdout.endswith("next: planrail run PLAN.md 1 auto\n")
    for command in ("status", "report", "next"):
        assert project.ask(command).stdout.endswith("next: planrail run PLAN.md 1 auto\n")
    project.plan(text.replace("Fix the bug in", "Create"))
    assert project.type("run", "PLAN.md", "1", "auto").returncode == 0
