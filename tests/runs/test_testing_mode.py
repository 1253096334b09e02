"""Whether a project has tests: by what its files say, not by their names alone."""

import json

import pytest

from planrail.runs.request.orders import decide_testing


@pytest.mark.parametrize(
    "makefile",
    [
        "test:\n\tpytest\n",
        ".PHONY: test\nall:\n\ttrue\ntest: all ## the tests\n\tpytest\n",
        "test-unit:\n\tgo test ./...\n",
        "lint test::\n\ttrue\n",
    ],
)
def test_a_makefile_with_a_target_for_tests_shows_tests(makefile: str) -> None:
    assert decide_testing("", ["Makefile"], {"Makefile": makefile}).mode == "error"


@pytest.mark.parametrize(
    "makefile",
    [
        "all:\n\tcc -o a a.c\n",
        "test := 1\ncheck = 2\nall: a\n",
        "all:\n\techo test: nothing\n",
        "# test: none yet\nbuild:\n\ttrue\n",
        "testdata:\n\ttrue\n",
    ],
)
def test_a_makefile_without_one_shows_none(makefile: str) -> None:
    assert decide_testing("", ["Makefile"], {"Makefile": makefile}).mode == "skipped"


@pytest.mark.parametrize("script", ["vitest run", "node --test", "npm run lint && jest"])
def test_a_script_of_npm_shows_tests(script: str) -> None:
    package = json.dumps({"scripts": {"test": script}})
    assert decide_testing("", ["package.json"], {"package.json": package}).mode == "error"


@pytest.mark.parametrize(
    "package",
    [
        json.dumps({"scripts": {"test": 'echo "Error: no test specified" && exit 1'}}),
        json.dumps({"scripts": {"build": "tsc"}, "devDependencies": {"test": "1.0.0"}}),
        json.dumps({"scripts": {"test": ""}}),
        json.dumps([]),
        "{",
        "",
    ],
)
def test_a_package_without_tests_shows_none(package: str) -> None:
    assert decide_testing("", ["package.json"], {"package.json": package}).mode == "skipped"


@pytest.mark.parametrize(
    "path",
    [
        *("main_test.go", "tests/it.rs", "src/test/java/XTest.java", "src/a.test.ts", "test_x.py", "spec/x_spec.rb"),
        *("tests/XTest.php", "pkg/deep/a_test.go", "tests/unit/deep/test_a.py", "t/basic.t", "e2e/login.spec.ts"),
    ],
)
def test_a_project_is_asked_how_its_tests_are_run_wherever_they_are(path: str) -> None:
    files = ["README.md", "Makefile", "package.json", path]
    assert path in decide_testing("", files, {"Makefile": "all:\n", "package.json": "{}"}).problem


@pytest.mark.parametrize(
    "path", ["node_modules/a/a.test.js", "vendor/a/a_test.go", "src/latest.py", "docs/testing.md", "examples/test_a.py"]
)
def test_tests_of_others_are_none_of_the_project(path: str) -> None:
    assert decide_testing("", [path]).mode == "skipped"
