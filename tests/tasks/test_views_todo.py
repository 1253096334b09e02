"""`TODO.md`: its form, and that no text of a task can be taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.model import Artifact, Task
from planrail.tasks.statuses import TERMINAL, marker
from planrail.tasks.views.todo import BETWEEN, TASKS, plain_text, render_section, render_todo
from tests.tasks.views_values import order_of, tasks

DAY = "2026-07-01"


def render(*given: Task) -> str:
    return render_todo(9, order_of(given, [], DAY), [render_section(task) for task in reversed(given)])


def test_the_section_of_a_task_has_its_fields_its_links_and_its_description() -> None:
    task = Task(
        7,
        "a_b",
        "Do a | b",
        "planned",
        "meta",
        "First line.\nSecond.",
        "2 h",
        "docs",
        dependencies=(3, 5),
        artifacts=(
            Artifact("report", "specs/007_a_b/reports/01_a.md"),
            Artifact("plan", "specs/007_a_b/plans/01_a.md"),
            Artifact("report", "specs/007_a_b/reports/02_a.md"),
        ),
    )
    assert render_section(task) == (
        "### 7. Do a | b\n"
        "- **Effort**: 2 h\n"
        "- **Status**: [PLANNED]\n"
        "- **Task Type**: meta\n"
        "- **Topic**: docs\n"
        "- **Dependencies**: Task 3, Task 5\n"
        "- **Research**:\n"
        "  - [007_a_b/reports/01_a.md]\n"
        "  - [007_a_b/reports/02_a.md]\n"
        "- **Plan**: [007_a_b/plans/01_a.md]\n"
        "\n"
        "**Description**: First line.\nSecond.\n"
    )


def test_the_file_has_front_matter_the_order_and_the_tasks_descending() -> None:
    text = render(Task(1, "a", "A", "completed"), Task(2, "b_c", ""))
    assert text == (
        "---\nnext_project_number: 9\n---\n\n# TODO\n\n"
        f"## Task Order\n\n*Updated {DAY}. Generated from state.json dependency graph.*\n\n"
        "**Dependency Waves**:\n| Wave | Tasks | Blocked by | Topics |\n|------|-------|------------|--------|\n"
        "| 1 | 2 | -- | -- |\n\n"
        "**Grouped by Topic** (indented = depends on parent):\n\n### Uncategorized\n\n2 [NOT STARTED] — b_c\n"
        "\n## Tasks\n\n"
        "### 2. B c\n- **Status**: [NOT STARTED]\n- **Task Type**: general\n- **Dependencies**: None\n"
        "\n---\n\n"
        "### 1. A\n- **Status**: [COMPLETED]\n- **Task Type**: general\n- **Dependencies**: None\n"
    )


@pytest.mark.full
@given(st.tuples(tasks(), tasks(2), tasks(3)))
def test_whatever_tasks_say_the_file_has_these_tasks_with_these_states_and_no_others(drawn: tuple[Task, ...]) -> None:
    text = render(*drawn)
    assert text.encode().decode() == text
    top, tail = text.split(TASKS)
    sections = tail.split(BETWEEN)
    assert [section.split(". ", 1)[0] for section in sections] == ["### 3", "### 2", "### 1"]
    for section, task in zip(sections, reversed(drawn), strict=True):
        lines = section.splitlines()
        assert [line for line in lines if line.startswith("- **Status**")] == [f"- **Status**: [{marker(task.status)}]"]
        assert [line for line in lines if line.lstrip().startswith("#")] == lines[:1]
        assert not [line for line in lines[1:] if line.strip() in ("---", "***", "===", "___")]
        assert sum(line.startswith(("```", "~~~")) for line in lines) % 2 == 0, "a block of code is closed"
    assert [line for line in top.splitlines() if line.startswith("## ")] == ["## Task Order"]
    trees = top.partition("**Grouped by Topic**")[2].splitlines()
    told = [line for line in trees if " — " in line and line[0] != "#" and "(see above)" not in line[-11:]]
    numbers = {line.lstrip(" └─").split(" [", 1)[0] for line in told}
    assert numbers == {str(task.number) for task in drawn if task.status not in TERMINAL}


def test_blocks_of_code_stay_where_they_are_whole_and_are_defused_where_not() -> None:
    whole = "Run:\n```sh\n# comment\nls\n```\ndone"
    assert plain_text(whole) == "Run:\n```sh\n\\# comment\nls\n```\ndone"
    assert plain_text("Run:\n```sh\nls") == "Run:\n\\```sh\nls"
    assert plain_text("```\nx\n```\ny") == "```\nx\n\\```\ny"
    text = "Do:\n- one\n- **two** things\n  * three\n1. four\n> said\n-- five\n\nSix = six."
    assert plain_text(text) == text
