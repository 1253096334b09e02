"""What is installed, by the files at the top of a project."""

import shlex

import pytest

from planrail.git.workspaces.provisions import decide_provision


@pytest.mark.parametrize(
    ("files", "steps"),
    [
        ({"package.json", "package-lock.json"}, ("npm ci",)),
        ({"package.json", "pnpm-lock.yaml"}, ("pnpm install --frozen-lockfile",)),
        ({"package.json", "yarn.lock"}, ("yarn install --frozen-lockfile",)),
        ({"package.json", "yarn.lock", ".yarnrc.yml"}, ("yarn install --immutable",)),
        ({"Gemfile", "Gemfile.lock"}, ("BUNDLE_FROZEN=true bundle install",)),
        ({"composer.lock"}, ("composer install --no-interaction",)),
        ({"go.mod", "go.sum"}, ()),
        ({"Cargo.toml", "Cargo.lock"}, ()),
        ({"README.md"}, ()),
    ],
)
def test_the_lock_file_says_what_is_run(files: set[str], steps: tuple[str, ...]) -> None:
    assert decide_provision(files, "").steps == steps


def test_a_python_project_is_given_an_environment_of_its_own_whose_programs_are_found() -> None:
    for files in ({"uv.lock", "pyproject.toml"}, {"poetry.lock"}, {"requirements.txt"}):
        made = decide_provision(files, "")
        assert made.path == (".venv/bin",)
        assert made.inputs


def test_all_lists_of_requirements_are_installed_into_an_environment_that_ignores_itself() -> None:
    (step,) = decide_provision({"requirements.txt", "requirements-dev.txt"}, "").steps
    assert "-r requirements-dev.txt -r requirements.txt" in step
    assert ".venv/.gitignore" in step


def test_a_name_with_odd_signs_never_reaches_a_command() -> None:
    assert decide_provision({"requirements;touch x.txt", "requirements$(id).txt"}, "").steps == ()


def test_one_tool_of_a_kind_is_run_and_one_for_each_language() -> None:
    files = {"package-lock.json", "pnpm-lock.yaml", "uv.lock", "poetry.lock"}
    assert [shlex.split(step)[-3:][0] for step in decide_provision(files, "").steps] == ["pnpm", "uv"]


def test_a_setting_wins() -> None:
    chosen = decide_provision({"package-lock.json"}, "make deps")
    assert (chosen.steps, chosen.inputs) == (("make deps",), ())
    assert decide_provision({"package-lock.json"}, "none").steps == ()
