"""How does a project run its tests, by the files that it has, and in which environments may they run? Pure.

All of it is a proposal: what is proposed is proven on the base before anybody relies on it.
"""

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import takewhile

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.base.values import value
from planrail.git.workspaces.provisions import decide_provision
from planrail.runs.setup.signs import NOT_OURS, has_test_script, read_json
from planrail.runs.setup.tox_files import SAFE_LIST, find_tox_command, list_tox_deps

# Files at the top whose text is looked at.
TELLING = (
    *("package.json", "Makefile", "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini"),
    *("Cargo.toml", "composer.json", "Gemfile"),
)
ENVIRONMENTS = (".venv", "venv", "env")  # folders in which people keep one
PYTHON_TEST = pattern(r"(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests?)\.py$")
_TARGET = pattern(r"^(?:[\w./-]+ +)*(?P<name>tests?|check)(?: +[\w./-]+)* *::?(?!=)", re.MULTILINE)
_SESSION = pattern(r"^def (?P<name>tests?|unit|pytest)\(", re.MULTILINE)
_LISTS = pattern(r"(?:requirements[-_/])?(?:tests?|dev)(?:[-_.]requirements)?\.txt")
_EXTRAS = ("test", "tests", "testing", "dev", "develop")  # the names of what is installed for tests
# The first marker at the top that is there, the files that show tests, the environment, the command.
_ROWS = (
    (("Cargo.toml",), r"\.rs$", "cargo", "cargo test"),
    (("go.mod",), r"_test\.go$", "go", "go test ./..."),
    (("gradlew",), r"(?:^|/)src/\w*[tT]est/", "gradle", "./gradlew test"),
    (("build.gradle", "build.gradle.kts"), r"(?:^|/)src/\w*[tT]est/", "gradle", "gradle test"),
    (("mvnw",), r"(?:^|/)src/test/", "maven", "./mvnw -B -q test"),
    (("pom.xml",), r"(?:^|/)src/test/", "maven", "mvn -B -q test"),
    (("mix.exs",), r"_test\.exs$", "mix", "mix test"),
    (("Gemfile",), r"_spec\.rb$", "bundler", "bundle exec rspec"),
    (("deno.json", "deno.jsonc"), r"(?:_test|\.test)\.[jt]sx?$", "deno", "deno test"),
)
TOOLS = ("tox", "nox")
_NODE = (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun run"), ("bun.lockb", "bun run"))
_LOCKS = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv"))
_MAKE_VENV = "python3 -m venv .venv && printf '*\\n' > .venv/.gitignore && .venv/bin/python -m pip install -q"
_NPM_INSTALL = "npm install --no-package-lock --no-audit --no-fund"


@value
class SuiteCommand:
    """A command that runs tests, and what it belongs to."""

    command: str
    environment: str
    is_python: bool = False


@value
class MachineTools:
    """What a project has on this machine besides its commits."""

    folders: tuple[str, ...] = ()  # environments in the checkout
    active: str = ""  # the environment of the shell
    programs: frozenset[str] = frozenset()  # of the tools that lock files name, those that are installed


@value
class Choice:
    """Where tests may run: what it is called, and the settings that make it so."""

    environment: str
    settings: tuple[tuple[str, str], ...] = ()  # each with its table: run.environment


def detect_tests(files: AbstractSet[str], texts: Mapping[str, str], test_text: str = "") -> tuple[SuiteCommand, ...]:
    """The commands that may run all tests, the likeliest first; none where no tests are seen.

    `files` are all paths of the base from its root on, `texts` those of the telling ones, `test_text` that of a Python
    test. Where several languages have tests, the Makefile knows how they go together, or one command follows the other.
    """
    own = {path for path in files if not NOT_OURS & set(path.split("/")[:-1])}
    first, later = list[SuiteCommand](), list[SuiteCommand]()
    if script := _node(files, texts):
        first.append(script)
    python = _python(own, texts, test_text)
    first += python[:1]
    later += python[1:]
    for markers, shown, environment, command in _ROWS:
        is_new = environment not in {known.environment for known in first}
        if is_new and not files.isdisjoint(markers) and any(re.search(shown, path) for path in own):
            whole = " --workspace" if environment == "cargo" and "[workspace]" in texts.get("Cargo.toml", "") else ""
            first.append(SuiteCommand(command + whole, environment))
    target = _TARGET.search(texts.get("Makefile", ""))
    made = [SuiteCommand(f"make {target['name']}", "make")] if target is not None else []
    if len(first) > 1:
        names, is_python = "+".join(one.environment for one in first), any(one.is_python for one in first)
        made = [SuiteCommand(one.command, names, is_python) for one in made]
        return (*made, SuiteCommand(" && ".join(one.command for one in first), names, is_python))
    if first:
        made = [SuiteCommand(one.command, first[0].environment, first[0].is_python) for one in made]
    return (*first, *later, *made)


def list_choices(
    tests: SuiteCommand, files: AbstractSet[str], texts: Mapping[str, str], around: MachineTools
) -> tuple[Choice, ...]:
    """Where the tests may run, the project's own environment before one that is made."""
    top = {path for path in files if "/" not in path}
    if tests.environment in TOOLS:  # it makes what it needs, where it is installed
        own = Choice(tests.environment, (("run.provision", "none"),))
        return (own,) if tests.environment in around.programs else ()
    if not tests.is_python:
        return (Choice(tests.environment, _install_node(top, texts)),)
    found = [Choice(name) for lock, name in _LOCKS if lock in top and name in around.programs][:1]
    found += [Choice(folder, (("run.environment", folder),)) for folder in around.folders]
    if around.active:
        found.append(Choice(around.active, (("run.provision", "none"),) if decide_provision(top, "").steps else ()))
    if decide_provision(top, "").steps and not any(lock in top for lock, _ in _LOCKS):
        found.append(Choice("requirements of the project"))
    if not any(path.startswith("src/") and path.endswith(".py") for path in files):  # else an installed one is tested
        found.append(Choice("python3", (("run.provision", "none"),) if decide_provision(top, "").steps else ()))
    if recipe := _recipe(top, files, texts):
        found.append(Choice("made from pyproject.toml" if "pyproject.toml" in top else "made from setup.py", recipe))
    return tuple(found) or (Choice("python3"),)


def find_mentioned(ignored: Iterable[str], output: str) -> list[str]:
    """Of the files that no commit holds, those that an output of failing tests names."""
    found = []
    for path in ignored:
        name = path.rpartition("/")[2]
        stem = name.partition(".")[0] or name
        if len(stem) > 3 and (name in output or re.search(rf"(?<!\w){re.escape(stem)}(?!\w)", output)):
            found.append(path)
    return found


def _node(files: AbstractSet[str], texts: Mapping[str, str]) -> SuiteCommand | None:
    package = texts.get("package.json", "")
    if not has_test_script(package):
        return None
    manager = next((program for lock, program in _NODE if lock in files), "")
    named = read_json(package).get("packageManager")
    manager = manager or (str(named).partition("@")[0] if isinstance(named, str) else "") or "npm"
    known = manager if manager in ("pnpm", "yarn", "bun run") else "npm"
    return SuiteCommand(f"{known} test", known.partition(" ")[0])


def _python(own: AbstractSet[str], texts: Mapping[str, str], test_text: str) -> list[SuiteCommand]:
    if not any(PYTHON_TEST.search(path) for path in own):
        return []
    said = "".join(texts.get(name, "") for name in TELLING) + test_text
    by_pytest = "pytest" in said or any(path.rpartition("/")[2] in ("conftest.py", "pytest.ini") for path in own)
    commands = ["python3 -m pytest"]
    if not by_pytest and "manage.py" in own:
        commands = ["python3 manage.py test"]
    elif not by_pytest and "unittest" in test_text:
        folder = "tests" if any(path.startswith("tests/") for path in own) else "."
        package = f"{folder}/__init__.py" in own
        commands.insert(0, f"python3 -m unittest discover{'' if folder == '.' else f' -s {folder}'}{' -t .' * package}")
    told = find_tox_command(texts.get("tox.ini", ""))
    commands = list(dict.fromkeys((*((told,) if told else ()), *commands)))
    found = [SuiteCommand(command, "python", is_python=True) for command in commands]
    if "tox.ini" in own or "[tool.tox" in texts.get("pyproject.toml", ""):
        found.append(SuiteCommand("tox -e py", "tox"))
    session = _SESSION.search(texts.get("noxfile.py", ""))
    found += [SuiteCommand(f"nox -s {session['name']}", "nox")] if session is not None else []
    folder = _find_package(own) if "manage.py" not in own else ""  # that one knows the tests of all folders
    inside = {path.removeprefix(f"{folder}/") for path in own if folder and path.startswith(f"{folder}/")}
    nested = [one for one in _python(inside, {}, test_text) if one.is_python]
    return [*found, *(replace(one, command=f"cd {shlex.quote(folder)} && {one.command}") for one in nested)]


def _find_package(own: AbstractSet[str]) -> str:
    """The one folder below the top that all tests of Python belong to; "" where there is none."""
    tests = [path.split("/")[:-1] for path in own if PYTHON_TEST.search(path)]
    found = {"/".join(takewhile(lambda part: part not in ("tests", "test"), parts)) for parts in tests}
    return found.pop() if len(found) == 1 else ""


def _install_node(top: AbstractSet[str], texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    package = read_json(texts.get("package.json", ""))
    needs = any(package.get(name) for name in ("dependencies", "devDependencies"))
    return (("run.provision", _NPM_INSTALL),) if needs and not decide_provision(top, "").steps else ()


def _recipe(top: AbstractSet[str], files: AbstractSet[str], texts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """How an environment is made for a library that has no lock file: itself, with what it names for tests."""
    if not {"pyproject.toml", "setup.py"} & top:
        return ()
    extras, groups = _read_extras(texts.get("pyproject.toml", ""))
    asked = next((name for name in _EXTRAS if name in extras), "")
    group = next((name for name in _EXTRAS if name in groups), "")
    lists = sorted((name for name in files if _LISTS.fullmatch(name)), key=lambda name: "test" not in name)[:1]
    named = [*_flatten(groups, group), *list_tox_deps(texts.get("tox.ini", ""))]
    needed = [one if SAFE_LIST.fullmatch(one) else shlex.quote(one) for one in named]
    steps = [_MAKE_VENV, f"-e '.[{asked}]'" if asked else "-e .", "pytest", *(f"-r {name}" for name in lists), *needed]
    return (("run.provision", " ".join(dict.fromkeys(steps))),)


def _read_extras(pyproject: str) -> tuple[Mapping[str, object], Mapping[str, object]]:
    try:
        told = tomllib.loads(pyproject)
    except tomllib.TOMLDecodeError:
        return {}, {}
    project, groups = told.get("project"), told.get("dependency-groups")
    extras = project.get("optional-dependencies") if isinstance(project, dict) else None
    return extras if isinstance(extras, dict) else {}, groups if isinstance(groups, dict) else {}


def _flatten(groups: Mapping[str, object], name: str, above: tuple[str, ...] = ()) -> list[str]:
    """The requirements of a group, with those of the groups that it includes: older versions of pip know no groups."""
    listed, found = groups.get(name), list[str]()
    for one in listed if isinstance(listed, list) and name not in above else ():
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            found += _flatten(groups, str(one.get("include-group")), (*above, name))
    return found
