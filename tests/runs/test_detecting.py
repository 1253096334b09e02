"""How a project's tests are run, and where, by the files that it has."""

import pytest

from planrail.git.workspaces.provisions import decide_provision
from planrail.runs.evidence.causes import tell_red_base
from planrail.runs.setup.detecting import (
    Choice,
    MachineTools,
    SuiteCommand,
    detect_tests,
    find_mentioned,
    list_choices,
)
from planrail.runs.setup.setting_up import Setup, render_setup
from planrail.runs.setup.tox_files import find_tox_command
from planrail.runs.setup.trying import BaseFiles, BaseProof
from tests.support.tables import read_table


@pytest.mark.parametrize(("files", "texts", "commands", "environment"), read_table("runs/tables/detecting", "commands"))
def test_the_files_of_a_project_say_how_its_tests_are_run(
    files: list[str], texts: dict[str, str], commands: list[str], environment: str
) -> None:
    found = detect_tests(frozenset(files), texts, texts.get("test", ""))
    assert [tests.command for tests in found] == commands
    assert {tests.environment for tests in found} == set(environment.split())


@pytest.mark.parametrize(("files", "folders", "tools", "wanted"), read_table("runs/tables/detecting", "environments"))
def test_an_environment_that_the_project_has_comes_before_one_that_is_made(
    files: list[str], folders: list[str], tools: list[str], wanted: list[str]
) -> None:
    around, python = (
        MachineTools(tuple(folders), "", frozenset(tools)),
        SuiteCommand("python3 -m pytest", "python", True),
    )
    assert [choice.environment for choice in list_choices(python, frozenset(files), {}, around)] == wanted


def test_a_library_without_a_lock_file_is_installed_with_what_it_names_for_tests() -> None:
    texts = {
        "pyproject.toml": "[project.optional-dependencies]\ndocs = []\ntest = []\n"
        '[dependency-groups]\nold = ["a"]\ndev = ["b>1", {include-group = "old"}]\n',
        "tox.ini": "[testenv]\ndeps =\n  c==2\n  x: {posargs}\n  -r requirements/more.txt\n[testenv:docs]\ndeps = d\n",
    }
    names = ("pyproject.toml", "src/a.py", "requirements/tests.txt", "requirements/docs.txt")
    python, files = SuiteCommand("python3 -m pytest", "python", True), frozenset(names)
    (choice,) = list_choices(python, files, texts, MachineTools())
    ((name, recipe),) = choice.settings
    assert name == "run.provision"
    assert decide_provision(frozenset(("pyproject.toml",)), recipe).path == (".venv/bin",), "it is made to be used"
    assert recipe.endswith("-e '.[test]' pytest -r requirements/tests.txt 'b>1' a c==2 -r requirements/more.txt")


def test_a_package_without_a_lock_file_is_installed_where_it_needs_something() -> None:
    npm, files = SuiteCommand("npm test", "npm"), frozenset(("package.json",))
    (needs,) = list_choices(npm, files, {"package.json": '{"devDependencies": {"jest": "1"}}'}, MachineTools())
    (lacks,) = list_choices(npm, files, {"package.json": "{}"}, MachineTools())
    assert (needs.settings[0][1].startswith("npm install "), lacks.settings) == (True, ())


def test_ignored_files_count_where_failing_tests_name_them() -> None:
    ignored = ["src/pk/_version.py", ".env.test", "a.log", "notes/versions.txt"]
    assert find_mentioned(ignored, "No module named 'pk._version'") == ["src/pk/_version.py"]
    assert find_mentioned(ignored, "open('.env.test'): no such file") == [".env.test"]


@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        (
            "pytest -v --doctest-modules --ignore benchmark {posargs}",
            "-m pytest -v --doctest-modules --ignore benchmark",
        ),
        ("\n  {envpython} -m pytest \\\n    --cov a --cov-report=xml \\\n    {posargs:tests}", "-m pytest tests"),
        ("py.test --basetemp={envtmpdir} --cov=a -k 'a or b'", "-m pytest -k 'a or b'"),
        ("\n  coverage run -p -m pytest tests\n  coverage report", "-m pytest tests"),
        ("pytest --cov {envsitepackagesdir}/a --cov-report term -q", "-m pytest -q"),
        ("\n  # all\n  python -m unittest -v {posargs}", "-m unittest -v"),
        ("\n  pytest README.rst\n  flake8\n  pytest tests", "-m pytest README.rst && python3 -m pytest tests"),
        ("pytest --basetemp {envtmpdir}", ""),
        ("make test", ""),
        ("pytest 'open", ""),
    ],
)
def test_the_command_of_tox_is_the_projects_own(commands: str, wanted: str) -> None:
    text = f"[tox]\n[testenv]\ndeps = pytest\ncommands = {commands}\n[testenv:docs]\ncommands = pytest docs\n"
    assert find_tox_command(text) == (f"python3 {wanted}" if wanted else "")


@pytest.mark.parametrize(
    ("proof", "said"),
    [
        ({"collected": 2, "is_passed": True, "is_loaded": True, "output": "2 passed"}, "2 tests, passed (0.0 s)"),
        ({"collected": 1, "is_loaded": True, "output": "1 failed"}, "1 test, failed (0.0 s)"),
        ({"is_passed": True, "is_loaded": True, "output": "fine"}, "passed (0.0 s); how many tests ran cannot be read"),
        ({"output": "thing 3 is broken"}, "failed (0.0 s); how many tests ran cannot be read"),
        ({"collected": 0, "output": "no module named x"}, "not run (0.0 s)"),
        ({"cause": "the environment could not be made"}, "not run (0.0 s)"),
    ],
)
def test_no_number_of_tests_is_told_that_nobody_has_counted(proof: dict[str, object], said: str) -> None:
    files = BaseFiles("", "", frozenset(), {}, "", MachineTools())
    found = BaseProof(SuiteCommand("sh t.sh", "", False), Choice("a plain checkout"), **proof)  # type: ignore[arg-type]
    lines = render_setup(Setup(files, found))
    assert lines[1] == "tests        sh t.sh ([testing] command)"
    assert lines[2].startswith(f"on the base  {said}"), lines


def test_a_base_with_one_test_is_told_in_the_singular() -> None:
    assert tell_red_base("1 failed in 0.1s").startswith("the only test fails on the base already: ")
    assert tell_red_base("1 failed, 2 passed in 0.1s").startswith("1 of 3 tests fail on the base already: ")
    assert tell_red_base("thing 3 is broken").startswith("tests fail on the base already: thing 3")
