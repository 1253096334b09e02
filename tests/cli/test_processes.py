"""planrail as a process: streams, pipes, encodings, and what it does not import."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.processes import call, planrail
from tests.house.hot_modules import DEAR_TO_READERS, loaded_by_command

PLAN = "# Räume\n\n| Phase | Status |\n|---|---|\n| 1 — A | ✅ |\n| 2 — B | ⬚ |\n"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "PLAN.md"
    path.write_text(PLAN, "utf-8")
    return path


def test_the_module_is_the_program_and_json_is_all_that_goes_to_standard_output(plan: Path) -> None:
    done = planrail("next", "PLAN.md", cwd=plan.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("next: planrail run PLAN.md 2\n")
    done = planrail("show", "PLAN.md", "--json", cwd=plan.parent)
    assert (done.returncode, done.stderr, json.loads(done.stdout)["title"]) == (0, "", "Räume")
    assert planrail("set", "PLAN.md", "--plan", "complete", cwd=plan.parent).returncode == 1
    assert planrail("bogus").returncode == 2
    failed = planrail("show", "none.md", "--json", cwd=plan.parent)
    assert (failed.returncode, "there is no file" in failed.stderr) == (3, True)
    assert json.loads(failed.stdout) == {
        "status": "refused",
        "error": "there is no file none.md",
        "next": "check the name, or run: planrail next",
    }


@pytest.mark.full
@pytest.mark.parametrize("options", [[], ["--json"], ["--items"]])
def test_a_reader_that_leaves_early_is_no_error(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("".join(f"## Phase {number}: A\n- [ ] a\n\n" for number in range(3000)), "utf-8")
    command = [sys.executable, "-m", "planrail", "show", str(path), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_into_a_pipe_goes_no_colour_and_on_request_some(plan: Path) -> None:
    assert "\033[" not in planrail("show", "PLAN.md", cwd=plan.parent).stdout
    assert "\033[" in planrail("show", "PLAN.md", cwd=plan.parent, NO_COLOR="", FORCE_COLOR="1").stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_terminal_that_knows_few_characters_is_no_error(options: list[str], plan: Path) -> None:
    done = planrail("show", "PLAN.md", *options, cwd=plan.parent, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
def test_a_full_disk_behind_standard_output_is_exit_code_11(plan: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "planrail", "show", str(plan)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 11
    assert b"Traceback" not in done.stderr


def test_control_characters_of_a_plan_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("# T\x1b]0;owned\x07\n\n## Phase 1: \x1b[2JA\n- [ ] \x1b[31ma\n", "utf-8")
    for words in (["show", str(path), "--items"], ["next", str(path)]):
        assert "\x1b" not in call(*words).stdout


# ------------------------------------------------------------------------------------------------------ imports


@pytest.mark.parametrize(
    "text",
    [
        "## Phase 1: A\n- [ ] a\n\n## Phase 2: B ✅\n",
        "- [ ] a\n- [x] b\n",
        "# 标题\n\n## 阶段 1：甲\n**状态：** 已完成\n",
    ],
)
def test_no_way_of_writing_a_plan_makes_reading_it_dear(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text(text, "utf-8")
    assert not loaded_by_command("next", str(path)) & DEAR_TO_READERS


def test_json_is_imported_where_it_is_asked_for(plan: Path) -> None:
    imported = loaded_by_command("next", str(plan), "--json")
    assert "json" in imported
    assert not imported & (DEAR_TO_READERS - {"json"})


def test_the_version_imports_next_to_nothing() -> None:
    imported = loaded_by_command("--version")
    assert not imported & {*DEAR_TO_READERS, "argparse", "re", "enum", "importlib"}
    assert {name for name in imported if name.startswith("planrail")} <= {
        "planrail",
        "planrail.cli",
        "planrail.cli.main",
    }
