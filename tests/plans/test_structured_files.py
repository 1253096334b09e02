"""Plans in JSON and YAML: odd values are read as far as they make sense, and what is no plan is said to be none."""

import pytest

from planrail.base.errors import UnreadablePlan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource


def _states(name: str, text: str) -> dict[str, str]:
    return {phase.id: str(phase.status) for phase in read(PlanSource(name, text)).phases}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ('\ufeff{"tasks": [{"id": 1, "status": "done"}]}', {"1": "done"}),
        ('{"a": {"b": {"c": [{"id": 1, "status": "done"}]}}}', {"1": "done"}),
        ('{"tasks": [{"status": "done"}, {"status": "pending"}]}', {"1": "done", "2": "todo"}),
        ('{"tasks": [{"id": "1.10", "status": "in-progress"}]}', {"1.10": "in_progress"}),
        ('{"tasks": [{"id": 1, "status": "d\\u006fne"}]}', {"1": "done"}),
        ('{"tasks": [{"id": 1, "status": ""}]}', {"1": "unknown"}),
        ('{"tasks": [{"id": 1, "completed": true}, {"id": 2, "completed": false}]}', {"1": "done", "2": "todo"}),
        (
            '{"tasks": [{"id": 1, "status": "review"}, {"id": 2, "status": "deferred"}]}',
            {"1": "in_progress", "2": "skipped"},
        ),
        (
            '{"tasks": [{"id": 1, "status": "done", "subtasks": [1, null, {"status": 5}], "dependencies": "x"}]}',
            {"1": "done"},
        ),
        ('{"tasks": [{"id": 1, "status": "done", "priority": ["x"], "title": 5}]}', {"1": "done"}),
    ],
)
def test_a_list_of_tasks_in_json_is_a_plan(text: str, states: dict[str, str]) -> None:
    assert _states("plan.json", text) == states


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("tasks:\n- {id: a, status: 'in_progress'}\n", {"a": "in_progress"}),
        ("tasks:\n- id: 1\n  status: |\n    done\n", {"1": "done"}),
        ("tasks:\n- id: 1\n  done: true\n- id: 2\n  done: false\n", {"1": "done", "2": "todo"}),
        ("tasks: &t\n- id: 1\n  status: done\n  subtasks: *t\n", {"1": "done"}),
        ("tasks:\n- id: 1\n  status: done\n- only text\n", {"1": "done"}),
        ("- id: 1\n  status: !!python/object:os.system x\n", {"1": "unknown"}),
        ("\ufeffdevelopment_status:\n  1-1-a: done\n", {"1-1-a": "done"}),
        (
            "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  epic-1-retrospective: optional\n",
            {"1-1-a": "done"},
        ),
        ("development_status:\n  1-1-a: review\n  1-2-b: drafted\n", {"1-1-a": "in_progress", "1-2-b": "todo"}),
    ],
)
def test_a_list_of_tasks_in_yaml_is_a_plan(text: str, states: dict[str, str]) -> None:
    assert _states("plan.yaml", text) == states


_JSON = ["", "null", "{}", "[1, 2]", '{"tasks": {}}', '{"a": 1,,}', '{"tasks": [[{"status": "done"}]]}']
_JSON += ['{"tasks": [{"id": 1, "status": "done"}', '{"tasks": [{"id": 1, "status": "done"}]} trailing']
_JSON += ['{"tasks": [{"id": ' + "9" * 5000 + ', "status": "done"}]}']
_YAML = ["", "x", "a: b: c", '"x', "\t- a", "<<: *x", "a: &a [*a]", "%YAML 9.9\n---\na: b\n"]


@pytest.mark.parametrize(
    ("name", "text"), [*(("plan.json", text) for text in _JSON), *(("plan.yaml", text) for text in _YAML)]
)
def test_what_holds_no_tasks_or_is_broken_is_unreadable(name: str, text: str) -> None:
    with pytest.raises(UnreadablePlan) as error:
        read(PlanSource(name, text))
    assert error.value.remedy


def test_the_line_of_a_task_is_where_its_status_stands() -> None:
    plan = read(
        PlanSource(
            "plan.json", '{\n "tasks": [\n  {"id": 1, "status": "done"},\n  {\n   "id": 2, "status": "pending"}\n ]\n}'
        )
    )
    assert [phase.line for phase in plan.phases] in ([3, 4], [3, 5])
    plan = read(PlanSource("plan.yaml", "tasks:\n- id: 1\n  status: done\n- id: 2\n  status: done\n"))
    assert [phase.line for phase in plan.phases] == [3, 5]
