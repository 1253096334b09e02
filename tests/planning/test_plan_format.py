"""The format that planrail asks for is one that planrail reads, lints and edits without loss, at any length."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planrail.base.settings import DEFAULT_LINT, SECTIONS
from planrail.cli.main import main
from planrail.planning.answers.front_matter import with_front_matter
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.plan_format import EXAMPLE, FORMAT, SMALL_EXAMPLE
from planrail.plans.checks import read_checks
from planrail.plans.editing.edits import change_status
from planrail.plans.lint.rules import lint
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource
from tests.lint.linting import problems_of

_GREETER = 'def greet(name: str) -> str:\n    return f"Hello, {name}!"\n'


def _read(text: str) -> Plan:
    return read(PlanSource("PLAN.md", text))


def test_the_small_example_is_one_phase_with_work_and_a_check_that_lint_has_nothing_against() -> None:
    (phase,) = _read(SMALL_EXAMPLE).phases
    assert (len(phase.items), bool(read_checks(list(phase.sections)))) == (2, True)
    assert problems_of(SMALL_EXAMPLE, files={"src/greeter.py": _GREETER}) == []


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository that the example speaks about, with the plan in it."""
    (tmp_path / "state").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "greeter.py").write_text(_GREETER)
    (tmp_path / "PLAN.md").write_text(with_front_matter(EXAMPLE, {"id": "p1", "title": "Refuse: empty names"}))
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_format_is_short_and_shows_the_whole_example() -> None:
    assert len(FORMAT) < 3_500
    assert EXAMPLE in FORMAT
    assert extract_plan(FORMAT) == EXAMPLE
    assert [name for name in SECTIONS if f"\n## {name}\n" in EXAMPLE] == list(SECTIONS)


def test_show_loses_nothing_of_the_example(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = _json(capsys, "show", "PLAN.md")
    phases = shown["phases"]
    assert [(phase["id"], phase["title"], phase["depends_on"]) for phase in phases] == [
        ("1", "Refuse an empty name", []),
        ("2", "Exit with status 2", ["1"]),
    ]
    boxes = re.findall(r"^- \[ \] (.*)$", EXAMPLE, re.MULTILINE)
    assert [item["text"] for phase in phases for item in [*phase["items"], *phase["criteria"]]] == boxes
    assert shown["diagnostics"] == []
    assert shown["title"] == "Refuse empty names"


def test_every_phase_of_the_example_has_a_check() -> None:
    assert [[check.command for check in read_checks(list(phase.sections))] for phase in _read(EXAMPLE).phases] == [
        ["python3 -m pytest tests/test_empty.py"],
        ['python3 src/greeter.py "" 2>/dev/null; test $? -eq 2\npython3 src/greeter.py Ada | grep -qx "Hello, Ada!"'],
    ]


def test_the_example_is_linted_clean_in_its_repository_and_next_and_set_work_on_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _json(capsys, "lint", "PLAN.md", "--root", str(project)) == {"problems": []}
    assert problems_of(EXAMPLE, files={"src/greeter.py": _GREETER}, principles=True) == []
    assert _json(capsys, "next", "PLAN.md")["phase"] == "1"
    before = (project / "PLAN.md").read_text()
    _json(capsys, "set", "PLAN.md", "1", "done")
    assert _json(capsys, "next", "PLAN.md")["phase"] == "2"
    _json(capsys, "set", "PLAN.md", "1", "todo")
    assert (project / "PLAN.md").read_text() == before


def _long_plan(count: int) -> str:
    """A plan in the format with this many phases, of about 1,300 characters each."""
    phases = []
    for number in range(1, count + 1):
        needs = f"Phase {number - 1}" if number > 1 else "none"
        items = "".join(
            f"- [ ] {number}.{part} Write part {part} of module {number}: {'words ' * 15}\n" for part in range(1, 10)
        )
        phases.append(
            f"### Phase {number}: Module {number}\n\n**Depends on:** {needs}\n**Effort:** M\n\n{items}\n"
            f"#### Acceptance Criteria\n\n- [ ] `make test-{number}` passes\n\n```sh check\nmake all-{number}\n```\n\n"
        )
    head, _, rest = EXAMPLE.partition("### Phase 1")
    return head + "".join(phases) + rest[rest.index("## Verification") :]


@pytest.mark.full
def test_a_plan_of_four_hundred_phases_is_read_and_set_without_loss() -> None:
    text = with_front_matter(_long_plan(400), {"id": "big", "title": "Big"})
    assert len(text) > 500_000
    source = PlanSource("PLAN.md", text)
    plan = read(source)
    assert [phase.id for phase in plan.phases] == [str(number) for number in range(1, 401)]
    assert [phase.depends_on for phase in plan.phases] == [[], *([str(number)] for number in range(1, 400))]
    assert {(len(phase.items), len(phase.criteria)) for phase in plan.phases} == {(9, 1)}
    assert {len(read_checks(list(phase.sections))) for phase in plan.phases} == {2}
    assert plan.diagnostics == []
    assert {problem.rule for problem in lint(source, plan, settings=DEFAULT_LINT, tree=None)} <= {"length"}
    phase = plan.phase("200")
    assert phase is not None
    after = _read(change_status(source, plan, phase, State.DONE).apply(text))
    assert [other.id for other in after.phases if other.status is State.DONE] == ["200"]


# ---- spellings that agents use instead ----

_PHASES = (
    *("### Phase {n}: {title}", "## Phase {n}: {title}", "#### Phase {n}: {title}", "### Phase {n} — {title}"),
    *(
        "### **Phase {n}: {title}**",
        "**Phase {n}: {title}**",
        "### Step {n}: {title}",
        "### {n}. {title}",
        "### {n}단계: {title}",
    ),
)
_NEEDS = (
    "**Depends on:** {needs}",
    "**Depends on**: {needs}",
    "- **Depends on:** {needs}",
    "Dependencies: {needs}",
    "**선행 단계:** {needs}",
)
_CRITERIA = (
    "#### Acceptance Criteria",
    "**Acceptance Criteria:**",
    "**Done when:**",
    "#### 완료 조건",
    "#### 인수 조건",
)
_NAMES = (
    SECTIONS,
    [f"{number}. {name}" for number, name in enumerate(SECTIONS, 1)],
    ["목표", "범위", "비범위", "작업 단계", "검증", "위험", "미해결 질문"],
)
_TITLES = ("Alpha model", "Beta views", "Gamma docs")


def _spelled(phase: str, needs: str, criteria: str, names: list[str]) -> str:
    parts = [f"# Plan\n\n## {names[0]}\n\nA.\n\n## {names[1]}\n\nB.\n\n## {names[2]}\n\nC.\n\n## {names[3]}\n\n"]
    for number, title in enumerate(_TITLES, 1):
        word = re.match(r"\W*([A-Z][a-z]+)", phase)
        need = f"{word[1] if word else 'Phase'} {number - 1}" if number > 1 else "none"
        parts.append(
            f"{phase.format(n=number, title=title)}\n\n{needs.format(needs=need)}\n\n- [ ] {number}.1 work\n\n"
            f"{criteria}\n\n- [ ] `make test-{number}` passes\n\n"
        )
    return "".join([*parts, *(f"## {name}\n\nNone.\n\n" for name in names[4:])])


@pytest.mark.parametrize("criteria", _CRITERIA)
@pytest.mark.parametrize("phase", _PHASES)
def test_other_spellings_of_the_format_are_read_without_loss(phase: str, criteria: str) -> None:
    for needs, names in zip(_NEEDS, (*_NAMES, *_NAMES[1:]), strict=True):
        phases = _read(_spelled(phase, needs, criteria, names)).phases
        assert [(found.id, found.title) for found in phases] == [(str(n), title) for n, title in enumerate(_TITLES, 1)]
        assert [found.depends_on for found in phases] == [[], ["1"], ["2"]]
        assert [(len(found.items), len(found.criteria)) for found in phases] == [(1, 1)] * 3
        assert [len(read_checks(list(found.sections))) for found in phases] == [1, 1, 1]
