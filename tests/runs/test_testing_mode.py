"""Whether a project has tests: by what its files say, not by their names alone."""

import json

import pytest

from planrail.runs.setup.signs import decide_testing
from tests.support.tables import read_table


@pytest.mark.parametrize("makefile", read_table("runs/tables/testing", "makefiles with tests"))
def test_a_makefile_with_a_target_for_tests_shows_tests(makefile: str) -> None:
    assert decide_testing("", ["Makefile"], {"Makefile": makefile}).mode == "error"


@pytest.mark.parametrize("makefile", read_table("runs/tables/testing", "makefiles without tests"))
def test_a_makefile_without_one_shows_none(makefile: str) -> None:
    assert decide_testing("", ["Makefile"], {"Makefile": makefile}).mode == "skipped"


@pytest.mark.parametrize("script", ["vitest run", "node --test", "npm run lint && jest"])
def test_a_script_of_npm_shows_tests(script: str) -> None:
    package = json.dumps({"scripts": {"test": script}})
    assert decide_testing("", ["package.json"], {"package.json": package}).mode == "error"


@pytest.mark.parametrize("package", read_table("runs/tables/testing", "packages without tests"))
def test_a_package_without_tests_shows_none(package: str) -> None:
    assert decide_testing("", ["package.json"], {"package.json": package}).mode == "skipped"


@pytest.mark.parametrize("path", read_table("runs/tables/testing", "tests"))
def test_a_project_is_asked_how_its_tests_are_run_wherever_they_are(path: str) -> None:
    files = ["README.md", "Makefile", "package.json", path]
    assert path in decide_testing("", files, {"Makefile": "all:\n", "package.json": "{}"}).problem


@pytest.mark.parametrize(
    "path", ["node_modules/a/a.test.js", "vendor/a/a_test.go", "src/latest.py", "docs/testing.md", "examples/test_a.py"]
)
def test_tests_of_others_are_none_of_the_project(path: str) -> None:
    assert decide_testing("", [path]).mode == "skipped"
