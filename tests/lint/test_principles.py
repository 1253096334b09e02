"""`planrail lint --principles`: the findings under the principles that they refute."""

import json
from pathlib import Path

import pytest

from planrail.cli.main import main

_PLAN = """# Plan

## Goal
One sentence.

## Scope
This function.

## Non-Scope
- GitLab support

## Steps

### Phase 1: Part one

**Depends on:** Phase 2

- [ ] 1.1 Add GitLab support properly

### Phase 2: Part two

**Effort:** S

- [ ] 2.1 Work

```sh check
test -f x
```

## Risks
None.

## Open Questions
None.
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "PLAN.md"
    path.write_text(_PLAN)
    return path


def test_each_principle_that_a_program_can_judge_has_its_findings_under_it(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "PLAN.md", "--principles"]) == 1
    lines = capsys.readouterr().out.splitlines()
    heads = [line for line in lines if line.startswith("P") and not line.startswith("PLAN.md")]
    verdicts = {head.split()[0]: head.rpartition(": ")[2] for head in heads}
    assert verdicts == {
        "P1": "FAIL",
        "P2": "nothing found",
        "P6": "FAIL",
        "P9": "FAIL",
        "P11": "FAIL",
    }
    first = next(at for at, line in enumerate(lines) if line.startswith("P1 "))
    assert "error late-dependency" in lines[first + 1]


def test_the_json_says_what_refutes_each_principle_and_a_rule_that_is_ignored_refutes_none(
    tmp_path: Path, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "PLAN.md", "--principles", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert set(answer["refuted"]["PLAN.md"]) == {"P1", "P6", "P9", "P11"}
    assert "line 16" in answer["refuted"]["PLAN.md"]["P1"]
    assert {"late-dependency", "effort"} <= {problem["rule"] for problem in answer["problems"]}
    (tmp_path / "config" / "planrail").mkdir(parents=True)
    (tmp_path / "config" / "planrail" / "planrail.toml").write_text('[lint]\nignore = ["effort", "late-dependency"]\n')
    main(["lint", "PLAN.md", "--principles", "--json"])
    assert set(json.loads(capsys.readouterr().out)["refuted"]["PLAN.md"]) == {"P6", "P9"}


def test_without_being_asked_nothing_is_grouped_and_a_late_dependency_is_advice(
    plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "PLAN.md"]) == 0
    shown = capsys.readouterr().out
    assert "warning late-dependency" in shown
    assert "P1 " not in shown
