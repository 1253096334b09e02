"""The grammar, case by case: each document in `fixtures/` is read as the `.expected.json` beside it says.

A new case needs no code. A case that planrail is known to read wrongly says so under `bug`, and turns red once it is read
rightly. `status`, `route`, `next` and `phases` are compared always; `diagnostics` (the rules, in order)
are none unless the case names some; what else the case names is compared as well.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from planrail.cli.plans.show_command import describe
from planrail.projects.open_plan import open_plan
from tests.plans.cases import FIXTURES, case_of, cases, documents, expectation


def _parameters() -> list[ParameterSet]:
    found = []
    for document in documents():
        bug = expectation(document).get("bug")
        marks = [pytest.mark.xfail(strict=True, reason=bug)] if bug else []
        found.append(pytest.param(document, marks=marks, id=document.relative_to(FIXTURES).as_posix()))
    return found


def _read(document: Path, folder: Path) -> dict[str, Any]:
    """The document as `planrail show --json` describes it, away from this repository and its history."""
    place = folder / document.relative_to(FIXTURES)  # where a document lies tells which tool keeps it
    shutil.copytree(document.parent, place.parent, dirs_exist_ok=True)
    described: dict[str, Any] = json.loads(json.dumps(describe(open_plan(str(place)))))
    return described


_FIELDS = {"titles": "title", "lines": "line", "reasons": "reason", "proofs": "proof", "depends_on": "depends_on"}


def _essence(shown: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """The part of an answer that a case speaks about, in the form that the case has."""
    phases = {phase["id"]: phase for phase in shown["phases"]}
    upcoming = shown["next"]
    if upcoming and "item" not in (expected["next"] or {}):
        upcoming = {"phase": upcoming["phase"]}
    said = {
        "status": shown["status"],
        "route": shown["route"],
        "next": upcoming,
        "phases": [[phase["id"], phase["status"]] for phase in shown["phases"]],
        "diagnostics": [problem["rule"] for problem in shown["diagnostics"]],
        "diagnostic_lines": [problem["line"] for problem in shown["diagnostics"]],
        "format": shown["format"],
        "title": shown["title"],
        "items": {name: _items(phases[name]) for name in expected.get("items", ())},
        "criteria": {name: len(phases[name]["criteria"]) for name in expected.get("criteria", ())},
    }
    for part, field in _FIELDS.items():
        said[part] = {name: phases[name][field] for name in expected.get(part, ())}
    return {part: value for part, value in said.items() if part in expected}


def _items(phase: dict[str, Any]) -> list[list[Any]]:
    return [[item["text"], item["done"]] for item in phase["items"]]


@pytest.mark.parametrize("document", _parameters())
def test_a_document_is_read_as_its_case_says(document: Path, tmp_path: Path) -> None:
    expected = {"diagnostics": []} | expectation(document)
    why = expected.pop("why")
    expected.pop("bug", None)
    assert _essence(_read(document, tmp_path), expected) == expected, why


def test_every_case_has_its_document() -> None:
    assert sorted(map(case_of, documents())) == cases()
