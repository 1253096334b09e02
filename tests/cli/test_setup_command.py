"""`planrail setup`: what a project's tests need is found, proven on the base, and written down after a person's word."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from tests.cli.test_run_command import Project, two_phases
from tests.support.patience import PATIENCE

_PHASE = """
## Phase 1 — Break it

- [ ] write 1.txt

```sh run
echo 1 > 1.txt
echo exit 1 > t.sh
```

```sh check
grep -q 1 1.txt
```
"""
_LIBRARY = "def f():\n    return 1\n"
_TEST = "from pk import f\n\n\ndef test_f():\n    assert f() == 1\n\n\ndef test_g():\n    assert f() < 2\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.git("config", "user.name", "me")
    made.git("config", "user.email", "me@localhost")
    return made


@pytest.fixture
def made(project: Project) -> Project:
    """Its tests are run by make."""
    project.write("Makefile", "test:\n\tsh t.sh\n")
    project.write("t.sh", "echo ok\n")
    project.plan(_PHASE)
    return project


def set_up(project: Project, *words: str) -> tuple[int, dict[str, object]]:
    done = project.type("setup", "--json", *words)
    return done.returncode, json.loads(done.stdout)


def make_library(project: Project) -> Path:
    """A library with a src layout, and an environment in which it is installed from the checkout."""
    for name, text in (("src/pk/__init__.py", _LIBRARY), ("tests/test_f.py", _TEST), (".gitignore", ".venv\n")):
        (project.root / name).parent.mkdir(parents=True, exist_ok=True)
        project.write(name, text)
    project.write("pyproject.toml", '[project]\nname = "pk"\nversion = "1"\n[tool.pytest.ini_options]\n')
    project.commit()
    place = project.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python3*/site-packages")
    (packages / "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n{project.root}/src\n")
    return place


def test_the_environment_that_a_project_has_is_used_as_it_is_with_the_sources_of_the_base(project: Project) -> None:
    place = make_library(project)
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in place.rglob("*"))
    project.write("src/pk/__init__.py", _LIBRARY.replace("1", "3"))  # of the checkout, and not of the base
    code, told = set_up(project)
    assert (code, told["environment"], told["test_command"]) == (0, ".venv", "python3 -m pytest"), told
    assert (told["suite"], told["cause"], told["written"]) == ({"collected": 2, "passed": True}, None, False)
    assert before == sorted((str(path), path.lstat().st_mtime_ns) for path in place.rglob("*"))
    assert project.git("status", "--porcelain").split() == ["M", "src/pk/__init__.py"]


@pytest.mark.full
def test_tests_that_cannot_be_collected_are_told_by_their_first_cause(project: Project) -> None:
    make_library(project)
    project.write("tests/test_f.py", "import no_such_module_anywhere\n" + _TEST)
    project.commit()
    code, told = set_up(project, "--yes")
    assert (code, told["written"], told["suite"]) == (1, False, {"collected": 0, "passed": False})
    assert told["cause"] == "ModuleNotFoundError: No module named 'no_such_module_anywhere'"
    assert str(told["repair"]).startswith("install no_such_module_anywhere ")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not here")
def test_a_package_is_tested_by_its_script(project: Project) -> None:
    project.write("package.json", json.dumps({"name": "a", "version": "1.0.0", "scripts": {"test": "node --test"}}))
    project.write("a.test.js", 'const t = require("node:test"); t("a", () => {}); t("b", () => {});\n')
    project.commit()
    code, told = set_up(project)
    assert (code, told["test_command"], told["environment"]) == (0, "npm test", "npm"), told
    assert told["suite"] == {"collected": 2, "passed": True}


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not here")
def test_a_crate_whose_tests_are_in_its_sources_has_tests(project: Project) -> None:
    project.write("Cargo.toml", '[package]\nname = "g"\nversion = "0.1.0"\nedition = "2021"\n')
    (project.root / "src").mkdir()
    project.write("src/lib.rs", "#[cfg(test)]\nmod t {\n    #[test]\n    fn a() {}\n}\n")
    project.plan(_PHASE)
    refused = project.ask("run", "PLAN.md", "auto")
    assert (refused.returncode, "has tests (src/lib.rs)" in refused.stderr) == (2, True), refused.stderr
    home = {name: os.path.expanduser(f"~/.{name[:-5].lower()}") for name in ("CARGO_HOME", "RUSTUP_HOME")}
    done = project.type("setup", "--json", **home)
    assert json.loads(done.stdout)["suite"] == {"collected": 1, "passed": True}, done.stdout + done.stderr


def test_what_is_found_is_written_and_committed_alone_and_holds_the_next_run(made: Project) -> None:
    refused = made.ask("run", "PLAN.md", "auto")
    assert (refused.returncode, "planrail setup" in refused.stderr) == (2, True), refused.stderr
    made.write("beside.txt", "not mine\n")
    made.git("add", "beside.txt")
    code, told = set_up(made, "--yes")
    assert (code, told["test_command"], told["environment"], told["written"]) == (0, "make test", "make", True)
    assert made.git("show", "--name-only", "--format=", "HEAD").split() == ["planrail.toml"]
    assert made.git("status", "--porcelain").split() == ["A", "beside.txt"]
    assert set_up(made, "--yes")[1]["written"] is False  # it is there already
    broken = made.type("run", "PLAN.md", "auto")
    assert (broken.returncode, made.landed()) == (1, []), broken.stdout
    assert "tests fail that did not fail on the base" in broken.stdout


def test_ignored_files_that_tests_need_are_found(made: Project) -> None:
    made.write(".gitignore", "local.conf\n")
    made.write("t.sh", "test -e local.conf || { echo 'FileNotFoundError: local.conf'; exit 1; }\n")
    made.commit()
    made.write("local.conf", "x\n")
    code, told = set_up(made, "--yes")
    assert (code, told["changes"]) == (0, {"testing.command": "make test", "run.include": ["local.conf"]}), told


def test_tests_that_fail_are_told_and_are_no_reason_to_forget_how_they_are_run(made: Project) -> None:
    made.write("t.sh", "echo 'FAILED t.py::a - assert 1 == 2'; echo 1 failed, 2 passed in 0.1s; exit 1\n")
    made.commit()
    code, told = set_up(made, "--yes")
    assert (code, told["suite"], told["written"]) == (1, {"collected": 3, "passed": False}, True)
    assert told["cause"] == "FAILED t.py::a - assert 1 == 2"


_RED = "echo 'FAILED t.py::a - assert 1 == 2'; echo 1 failed, 2 passed in 0.1s; exit 1\n"
_TOLD = "1 of 3 tests fail on the base already: FAILED t.py::a - assert 1 == 2; that is not held against the phases"


def test_a_base_whose_tests_run_and_fail_is_told_and_the_same_call_goes_on(project: Project) -> None:
    project.write("Makefile", "test:\n\tsh t.sh\n")
    project.write("t.sh", _RED)
    project.plan(two_phases())
    first = project.type("run", "PLAN.md", "auto", "--yes")
    assert (first.returncode, project.landed()) == (0, ["1"]), first.stdout + first.stderr
    assert (first.stderr.count(_TOLD), first.stderr.count("assert 1 == 2")) == (1, 1), first.stderr
    later = project.type("run", "PLAN.md", "auto")
    assert (later.returncode, project.landed(), _TOLD in later.stderr) == (0, ["2", "1"], True), later.stderr


def test_a_base_whose_tests_do_not_run_is_refused_and_all_name_the_same_next(made: Project) -> None:
    made.write("t.sh", "no-such-program\n")
    made.commit()
    refused = made.type("run", "PLAN.md", "--yes")
    assert (refused.returncode, made.landed()) == (1, []), refused.stderr
    assert "no-such-program: not found; nothing was started" in refused.stderr
    again = refused.stderr.rstrip().rpartition("then: ")[2]
    assert again == "planrail run PLAN.md 1"
    for look in ("status", "next", "report"):
        assert made.ask(look, "PLAN.md").stdout.rstrip().endswith(f"next: {again}")
    made.write("t.sh", "echo ok\n")
    made.commit()
    mended = made.type(*again.split()[1:], "--yes")
    assert "tests fail that did not fail on the base" in mended.stdout, mended.stdout + mended.stderr  # it began


def make_nested(project: Project, folder: str) -> None:
    (project.root / folder / "tests").mkdir(parents=True)
    project.write(f"{folder}/calc.py", "def add(a, b):\n    return a + b\n")
    case = "class T(unittest.TestCase):\n    def test_add(self): self.assertEqual(calc.add(1, 2), 3)\n"
    project.write(f"{folder}/tests/test_calc.py", f"import unittest, calc\n{case}")
    project.plan(_PHASE)


def test_the_tests_of_the_one_package_below_the_top_are_found(project: Project) -> None:
    make_nested(project, "packages/calc")
    code, told = set_up(project, "--yes")
    assert (code, told["suite"]) == (0, {"collected": 1, "passed": True}), told
    assert told["test_command"] == "cd packages/calc && python3 -m unittest discover -s tests"


def test_where_no_command_runs_the_tests_the_person_at_the_terminal_is_asked(made: Project) -> None:
    made.write("t.sh", "no-such-program\n")
    made.write("u.sh", "echo ok\n")
    made.commit()
    answers = [("Type the command", "sh t.sh"), ("(?s)Type the command.*Type the", "sh u.sh"), ("commit it", "y")]
    code, shown = made.type_at_terminal(answers, "setup", FORCE_COLOR="1")
    assert (code, "no-such-program: not found" in shown) == (0, True), shown
    assert 'command = "sh u.sh"' in (made.root / "planrail.toml").read_text()
    assert "x1b" not in shown  # colours are no text


def test_a_project_without_tests_needs_no_word_and_none_is_a_persons(project: Project) -> None:
    project.plan(_PHASE)
    code, told = set_up(project, "--yes")
    assert (code, told["test_command"], told["cause"], told["written"]) == (0, None, None, False)
    project.write("planrail.toml", '[approval]\nrequired = false\n[testing]\ncommand = "none"\n')
    project.write("test_a.py", "assert False\n")
    project.commit()
    assert set_up(project)[0] == 0
    assert project.type("run", "PLAN.md", "auto").returncode == 0
    assert "**No tests.** Its settings say so" in project.ask("report", "PLAN.md", "--full").stdout


def test_edits_of_the_settings_that_are_not_committed_are_left_as_they_are(made: Project) -> None:
    made.write("planrail.toml", "[approval]\nrequired = false\n# mine\n")
    done = made.type("setup", "--yes", "--json")
    assert (done.returncode, "has edits that are not committed" in done.stderr) == (1, True), done.stderr
    assert made.git("status", "--porcelain").split() == ["M", "planrail.toml"]


@pytest.mark.full
@pytest.mark.parametrize(("answer", "commits"), [("y", 2), ("n", 1)])
def test_the_first_run_at_a_terminal_asks_before_it_writes(made: Project, answer: str, commits: int) -> None:
    code, shown = made.type_at_terminal([(r"commit it\? \[y/N\]", answer)], "run", "PLAN.md", "auto")
    assert ("make test" in shown, made.landed()) == (True, []), shown
    assert len(made.git("log", "--format=%h").split()) == commits
    assert code == (1 if answer == "y" else 2)


@pytest.mark.full
def test_no_agent_starts_on_a_base_whose_tests_cannot_be_collected(project: Project) -> None:
    command = "echo \\\"E   ModuleNotFoundError: No module named 'yaml'\\\"; echo Interrupted: 1 error during collection; exit 2"
    project.write("planrail.toml", f'[approval]\nrequired = false\n[testing]\ncommand = "{command}"\n')
    project.plan(_PHASE)
    done = project.type("run", "PLAN.md", "auto")
    assert (done.returncode, project.landed()) == (1, []), done.stdout
    assert "ModuleNotFoundError: No module named 'yaml'; no agent was started; install yaml" in done.stdout
    assert done.stdout.endswith("next: planrail setup\n")


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["ended", "hung-up"])
def test_a_setup_that_is_ended_by_a_signal_leaves_no_process_and_no_folder(
    made: Project, tmp_path: Path, number: signal.Signals
) -> None:
    begun, go_on, temporary = tmp_path / "begun", tmp_path / "go on", tmp_path / "temporary"
    temporary.mkdir()
    made.variables["TMPDIR"] = str(temporary)
    provision = f"echo $$ >> '{begun}'; test -e '{go_on}' || sleep 600"
    made.write("planrail.toml", f'[approval]\nrequired = false\n[run]\nprovision = "{provision}"\n')
    made.plan(two_phases())
    command = [sys.executable, "-m", "planrail", "run", "PLAN.md", "auto", "--agent", "runbook", "--yes"]
    process = subprocess.Popen(command, cwd=made.root, env=made.environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + PATIENCE
    while not (begun.exists() and begun.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    told = process.communicate(timeout=PATIENCE)[1]
    assert (process.returncode, "the same again: planrail run PLAN.md auto" in told) == (130, True), told
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)
    assert [*temporary.iterdir(), *tmp_path.rglob("setup-*")] == []
    go_on.touch()
    assert (made.type(*command[3:]).returncode, made.landed()) == (0, ["1"])
