"""The rows of `cases/execution.jsonl` that speak about the decisions of a run.

Where the program that a row was made with is wrong, planrail does what the row's note, or the list here, asks for.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.settings import LANDINGS, RunSettings
from planrail.cli import drift_command
from planrail.plans.editing.corrections import evaluate, measure
from planrail.plans.execution.executions import is_ui_phase
from planrail.runs.drift.deciding import decide, read_tokens
from planrail.runs.request.orders import read_issues
from planrail.runs.request.requests import parse_run
from planrail.runs.setup.signs import decide_testing, is_test_infrastructure

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "execution.jsonl"
_OF_SETTINGS = ("B0240", "B0243")  # they are refused where an order is made of them
_ANY_ID = {"B0130": ["3b-i|2|x|1|2"]}  # every id of a phase can be reported

Case = dict[str, Any]


def _cases(kind: str) -> list[Any]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["kind"] == kind]


# --------------------------------------------------------------------------------------------------------------- drift


@pytest.mark.parametrize("case", _cases("drift_value"))
def test_the_drift_of_a_value_is_measured(case: Case) -> None:
    assert measure(case["in"]["stated"], case["in"]["actual"]) == case["out"]["pct"]


@pytest.mark.parametrize(
    "case", [case for case in _cases("drift_decide") if case.values[0]["in"].get("tests_held", True)]
)
def test_what_follows_from_drift(case: Case) -> None:
    words = {
        "skip, log non-derivable": "none",
        "none": "none",
        "no action": "none",
        "auto-correct": "correct",
        "auto-correct+note": "correct_and_note",
        "abort+failure-protocol": "abort",
        "failure-protocol": "abort",
    }
    assert decide(case["in"]["pct"]) == words[case["out"]]


@pytest.mark.parametrize("case", _cases("drift_parse"))
def test_the_tokens_of_a_report_are_read(case: Case) -> None:
    records, errors = read_tokens(case["in"]["text"])
    found = [f"{known.phase}|{known.bullet}|{known.field}|{known.stated}|{known.actual}" for known in records]
    wanted = _ANY_ID.get(case["id"], case["out"]["records"])
    assert found == wanted
    assert len(errors) == (0 if case["id"] in _ANY_ID else case["out"]["errors"])


@pytest.mark.parametrize("case", _cases("drift_eval"))
def test_a_sum_is_evaluated(case: Case) -> None:
    value = evaluate(case["in"]["expr"])
    assert (None if value is None else str(value)) == case["out"]["value"]


def _call(*words: str) -> int:
    import argparse

    parser = argparse.ArgumentParser()
    drift_command.configure(parser)
    try:
        return drift_command.run(parser.parse_args(words))
    except PlanrailError as error:
        return error.exit_code
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.mark.parametrize("case", _cases("drift_correct"))
def test_a_number_is_corrected_and_nothing_else(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_bytes(case["in"]["plan"].encode())
    assert _call("correct", str(path), *case["in"]["args"]) == case["out"]["rc"]
    before, after = case["in"]["plan"].split("\n"), path.read_bytes().decode().split("\n")
    changed = [[at, new] for at, (old, new) in enumerate(zip(before, after, strict=True), 1) if old != new]
    assert changed == [[at, line.replace("<TODAY>", drift_command.today())] for at, line in case["out"]["changed"]]


# ----------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("case", [case for case in _cases("run_plan_args") if case.id not in _OF_SETTINGS])
def test_the_words_of_a_run_are_understood(case: Case) -> None:
    config = case["in"]["config"] or {}
    known = {key: value for key, value in config.get("execution", {}).items() if key in RunSettings.__slots__}  # type: ignore[attr-defined]
    settings = replace(RunSettings(), **known)
    words = parse_run(case["in"]["arguments"].split())
    wanted = case["out"]
    assert words.subcommand == (wanted["subcommand"] or "")
    assert (words.landing or settings.landing or LANDINGS[0]) == (wanted["landing"] or LANDINGS[0])
    assert (words.finish, words.auto, words.every) == (wanted["finish"], wanted["auto"], wanted["every"] or "")
    assert settings.branch_prefix == wanted["branch_prefix"]
    assert words.problem.startswith(wanted["error"] or "")
    assert bool(words.problem) == bool(wanted["error"]) == bool(words.remedy)


@pytest.mark.parametrize("case", _cases("test_mode"))
def test_how_a_project_is_tested(case: Case) -> None:
    files = ["pytest.ini"] if case["in"]["test_infra"] else ["README.md"]
    testing = decide_testing(case["in"]["full_cmd"], files)
    assert testing.mode == case["out"].partition(":")[0]
    assert bool(testing.problem) == bool(testing.remedy) == (testing.mode == "error")


@pytest.mark.parametrize("case", _cases("test_infra"))
def test_which_files_show_that_a_project_has_tests(case: Case) -> None:
    given = case["in"]
    content = str(given.get("content") or given.get("text") or "")
    assert is_test_infrastructure(given["file"], content) is case["out"]


@pytest.mark.parametrize("case", _cases("issue_frontmatter"))
def test_the_issues_of_a_plan_are_read_from_its_front_matter(case: Case) -> None:
    assert list(read_issues(case["in"]["text"])) == case["out"]


@pytest.mark.parametrize("case", _cases("ui_classify"))
def test_phases_that_people_see_are_known(case: Case) -> None:
    assert is_ui_phase(case["in"]["text"]) is case["out"]
