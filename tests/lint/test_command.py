"""`planrail lint`: what it prints, and how it ends."""

import json
import subprocess
from pathlib import Path

import pytest

from planrail.cli.main import main

_SOUND = """# Plan

## Goal
One sentence.

## Scope
This.

## Non-Scope
That.

## Phase 1 — Work

- [ ] Modify `src/app.py`

```sh check
grep -q hello src/app.py
```

## Risks
None.

## Open Questions
None.
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file and a sound plan, in which the test stands."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_text("class UserService:\n    pass\n")
    (root / "PLAN.md").write_text(_SOUND)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    monkeypatch.chdir(root)
    return root


def _json(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert isinstance(problems, list)
    return problems


def test_a_sound_plan_has_no_problems_and_what_comes_next_is_to_work_on_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "PLAN.md"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "0 errors, 0 warnings in 1 plan"
    assert lines[-1] == "next: planrail next PLAN.md"


def test_an_error_ends_with_1_and_names_file_line_rule_and_message(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "PLAN.md").write_text(_SOUND.replace("src/app.py`", "src/apps.py`"))
    assert main(["lint", "PLAN.md"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "PLAN.md:14: error grounding  there is no file `src/apps.py`; closest: src/app.py"
    assert lines[-1] == "next: planrail lint PLAN.md        (once PLAN.md:14 is repaired)"


def test_warnings_alone_end_with_0(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "PLAN.md").write_text(_SOUND.replace("## Risks", "## Other"))
    assert main(["lint", "PLAN.md"]) == 0
    assert "PLAN.md:1: warning missing-section" in capsys.readouterr().out


def test_errors_come_before_warnings(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "PLAN.md").write_text(
        _SOUND.replace("## Risks", "## Other").replace("grep -q hello src/app.py", "true")
    )
    assert main(["lint", "PLAN.md"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[:2]] == ["error", "warning"]


def test_json_is_what_the_contract_says(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "PLAN.md").write_text(_SOUND.replace("src/app.py`", "src/apps.py`"))
    assert main(["lint", "PLAN.md", "--json"]) == 1
    (problem,) = _json(capsys)
    assert problem["rule"] == "grounding"
    assert problem["severity"] == "error"
    assert problem["line"] == 14
    assert isinstance(problem["message"], str)
    assert problem["path"] == "PLAN.md"
    assert problem["suggestion"] == "src/app.py"


def test_json_of_a_sound_plan_is_an_empty_list(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "PLAN.md", "--json"]) == 0
    assert _json(capsys) == []


def test_several_plans_are_told_apart_by_their_path(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "NOTES.md").write_text("# Notes\n\nProse.\n")
    assert main(["lint", "PLAN.md", "NOTES.md", "--json"]) == 1
    assert {problem["path"] for problem in _json(capsys)} == {"NOTES.md"}


def test_grounding_can_be_left_out(repository: Path) -> None:
    (repository / "PLAN.md").write_text(_SOUND.replace("src/app.py`", "src/apps.py`"))
    assert main(["lint", "PLAN.md", "--no-grounding"]) == 0


def test_another_root_is_where_citations_are_looked_up(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "PLAN.md"
    outside.write_text(_SOUND)
    assert main(["lint", str(outside)]) == 0
    assert main(["lint", str(outside), "--root", str(repository)]) == 0
    assert main(["lint", str(outside), "--root", str(tmp_path / "config")]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["lint", str(outside), "--root", str(tmp_path / "empty")]) == 1
    assert "there is no file `src/app.py`" in capsys.readouterr().out


def test_a_symbol_is_looked_up_in_the_repository(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = _SOUND.replace("- [ ] Modify `src/app.py`", "- [ ] Modify `UserService` and `UserServce`")
    (repository / "PLAN.md").write_text(plan)
    assert main(["lint", "PLAN.md", "--json"]) == 1
    (problem,) = _json(capsys)
    assert problem["suggestion"] == "UserService"


@pytest.mark.parametrize("name", ["missing.md", "src"])
def test_what_is_not_a_plan_ends_with_3(repository: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", name]) == 3
    assert capsys.readouterr().out == ""


def test_the_settings_of_the_repository_are_heard(repository: Path) -> None:
    (repository / "NOTES.md").write_text("# Notes\n\nProse.\n")
    assert main(["lint", "NOTES.md"]) == 1
    (repository / "planrail.toml").write_text('[lint]\nignore = ["no-phases"]\n')
    assert main(["lint", "NOTES.md"]) == 0


def test_a_wrong_setting_ends_with_2_and_names_the_key(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "planrail.toml").write_text("[lint]\nmax_chars = 3\n")
    assert main(["lint", "PLAN.md"]) == 2
    assert "max_chars" in capsys.readouterr().err


def test_a_rule_that_does_not_exist_cannot_be_ignored(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (repository / "planrail.toml").write_text('[lint]\nignore = ["spelling"]\n')
    assert main(["lint", "PLAN.md"]) == 2
    error = capsys.readouterr().err
    assert "spelling" in error
    assert "vague-wording" in error


def test_lint_writes_nothing(repository: Path) -> None:
    before = sorted(repository.rglob("*"))
    main(["lint", "PLAN.md"])
    assert sorted(repository.rglob("*")) == before


def test_the_data_file_of_another_tool_is_linted(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {"tasks": [{"id": 1, "title": "a", "status": "pending", "dependencies": []}]}
    (repository / "tasks.json").write_text(json.dumps(tasks))
    assert main(["lint", "tasks.json", "--json"]) == 0
    assert _json(capsys) == []
