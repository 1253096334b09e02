"""Non-goals and constraints are found in any usual form and language; what only sounds like them is not."""

import pytest

from planrail.plans.contract import kind_of, list_documents, read_passages, read_rules
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

PHASES = "\n## Phase 1 — A\n\n- [ ] x\n\n### Constraints\n\n- of this phase alone\n\n## Phase 2 — B\n\n- [ ] y\n"


def rules(text: str) -> list[str]:
    whole = f"# Login\n\n{text}{PHASES}"
    return [str(rule) for rule in read_rules(whole, read(PlanSource("p.md", whole)))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## Non-Goals\n\n- SSO\n- themes\n  and colours\n", ["Non-Goals: SSO", "Non-Goals: themes and colours"]),
        ("## 3. Out of Scope (v1)\n\nNo plugins.\nNone at all.\n", ["3. Out of Scope (v1): No plugins. None at all."]),
        ("## Constraints\n\n**Speed**\n- under 200 ms\n", ["Constraints: under 200 ms"]),
        ("## Constraints\n\n| what |\n|---|\n| no threads |\n", ["Constraints: no threads"]),
        ("## Goals & Non-Goals\n\n**Goals**:\n- log in\n\n**Non-Goals**:\n- SSO\n", ["Non-Goals: SSO"]),
        (
            "## Goals & Non-Goals\n\n- Goal: log in\n- Non-goals: SSO\n  - OAuth\n",
            ["Non-goals: SSO", "Non-goals: OAuth"],
        ),
        ("## Scope\n\n**Constraints**: offline\n**Scale**: 10 users\n", ["Constraints: offline"]),
        ("**Non-goals.** No SSO.\n\nThe design comes next.\n", ["Non-goals: No SSO."]),
        ("## What We're NOT Doing\n\n1. hooks\n", ["What We're NOT Doing: hooks"]),
        ("## Nicht-Ziele\n\n- SSO\n", ["Nicht-Ziele: SSO"]),
        ("## Ограничения\n\n- без зависимостей\n", ["Ограничения: без зависимостей"]),
        ("## 制約\n\n- 依存を増やさない\n", ["制約: 依存を増やさない"]),
        ("## 非目标\n\n- 登录\n", ["非目标: 登录"]),
        ("## Constraints\n\n- None\n- [fill this in]\n", []),
        ("## Known constraints\n\n- it is slow\n", []),
        ("## Background\n\nConstraints are good for you.\n", []),
        ("## Context\n\nIt is old. No changes to\n`a/b.py`. So be it.\n", ["Context: No changes to `a/b.py`."]),
        ("It greets. `a/b.py` must not change.\n", ["Login: `a/b.py` must not change."]),
        ("## Context\n\n**Note:**\nLeave `a/b.py` alone.\n", ["Context: **Note:** Leave `a/b.py` alone."]),
        ("## Context\n\n- one\n- `a/b.py` は変更しない\n", ["Context: `a/b.py` は変更しない"]),
        ("## Context\n\nIf it is slow, do not touch `a/b.py`.\n", []),
        ("## Context\n\nThe file says:\n```\ndo not touch `a/b.py`\n```\n", []),
        ("## Alternatives considered\n\nLeave `a/b.py` as it is.\n", []),
        ("## Open questions\n\nLeave `a/b.py` as it is.\n", []),
        ("## Unique keys and the constraints of tables in PostgreSQL\n\n- email\n", []),
    ],
)
def test_each_rule_is_found_by_itself(text: str, found: list[str]) -> None:
    assert rules(text) == found


def test_a_long_rule_is_told_with_the_line_that_has_all_of_it() -> None:
    (told,) = rules("## Constraints\n\n- " + "never " * 100 + "\n")
    assert told.endswith("… (line 5)")
    assert len(told) < 450


def test_the_goal_and_the_design_are_passed_on_word_for_word() -> None:
    text = f"# Login\n\nFirst words.\n\n## Goal\n\nUsers  log in.\n\n## Architecture\n\n```\na -> b\n```\n\n### Data\n\nrows\n{PHASES}"
    found = read_passages(text, read(PlanSource("p.md", text)))
    assert [(one.title, one.text) for one in found] == [
        ("Goal", "Users  log in."),
        ("Architecture", "```\na -> b\n```"),
        ("Data", "rows"),
    ]
    bare = read_passages("# Login\n\nFirst words.\n\n## Phase 1\n\n- [ ] x\n")
    assert [one.text for one in bare] == ["First words."]


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Goals", "Goal"), ("Design & Constraints", "Constraints"), ("Technical Design", "Design"), ("设计", "Design"),
        ("Scope and out of scope", "Goal"), ("Ziele und Nicht-Ziele", "Goal"), ("Tasks", ""), ("", ""),
        ("Format: `[ID] Description`", ""),
    ],
)  # fmt: skip
def test_a_title_says_what_a_section_is(title: str, kind: str) -> None:
    assert kind_of(title) == kind


def test_the_documents_of_a_tool_lie_beside_its_tasks() -> None:
    own, project = list_documents("specs/001-login/tasks.md")
    assert {"specs/001-login/spec.md", "specs/001-login/plan.md", "specs/001-login/contracts/"} <= set(own)
    assert {"AGENTS.md", ".specify/memory/constitution.md"} <= set(project)
    assert "plan.md" not in list_documents("PLAN.md")[0]
