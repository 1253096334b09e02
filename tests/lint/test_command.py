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


def test_an_error_ends_with_1_comes_before_warnings_and_names_file_line_rule_and_message(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "PLAN.md").write_text(_SOUND.replace("src/app.py`", "src/apps.py`").replace("## Goal", "## Other"))
    assert main(["lint", "PLAN.md"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "PLAN.md:14: error grounding  there is no file `src/apps.py`; closest: src/app.py"
    assert lines[1].startswith("PLAN.md:1: warning missing-section")
    assert lines[-1] == "next: planrail lint PLAN.md        (once PLAN.md:14 is repaired)"
    assert main(["lint", "PLAN.md", "--no-grounding"]) == 0  # warnings alone


def test_json_is_what_the_contract_says_and_tells_plans_apart_by_their_path(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "PLAN.md", "--json"]) == 0
    assert _json(capsys) == []
    (repository / "WRONG.md").write_text(_SOUND.replace("src/app.py`", "src/apps.py`"))
    assert main(["lint", "PLAN.md", "WRONG.md", "--json"]) == 1
    (problem,) = _json(capsys)
    assert isinstance(problem.pop("message"), str)
    wanted = {"rule": "grounding", "severity": "error", "line": 14, "path": "WRONG.md", "suggestion": "src/app.py"}
    assert wanted.items() <= problem.items()


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


def test_the_settings_of_the_repository_are_heard_and_a_wrong_one_ends_with_2_and_its_name(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / "NOTES.md").write_text("# Notes\n\nProse.\n")
    assert main(["lint", "NOTES.md"]) == 1
    (repository / "planrail.toml").write_text('[lint]\nignore = ["no-phases"]\n')
    assert main(["lint", "NOTES.md"]) == 0
    for setting, names in (("max_chars = 3", ["max_chars"]), ('ignore = ["spelling"]', ["spelling", "vague-wording"])):
        (repository / "planrail.toml").write_text(f"[lint]\n{setting}\n")
        assert main(["lint", "PLAN.md"]) == 2
        error = capsys.readouterr().err
        assert all(name in error for name in names)


def test_lint_writes_nothing(repository: Path) -> None:
    before = sorted(repository.rglob("*"))
    main(["lint", "PLAN.md"])
    assert sorted(repository.rglob("*")) == before
