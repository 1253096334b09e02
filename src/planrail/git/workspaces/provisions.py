"""What has to be installed before a project's tests can run, by the lock files at its top. A wrong guess is told by the
baseline, and a setting overrules it."""

from collections.abc import Set as AbstractSet

from planrail.base.settings import Settings
from planrail.base.values import value

NOTHING = ("none", "off", "no", "false")
_VENV = ".venv/bin"
# In each group the first lock file that is there counts: a project that moved from one tool to another keeps both.
_NODE = (
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install --frozen-lockfile"),
    ("bun.lock", "bun install --frozen-lockfile"),
    ("bun.lockb", "bun install --frozen-lockfile"),
    ("package-lock.json", "npm ci"),
    ("npm-shrinkwrap.json", "npm ci"),
)
# Compiled at once: what a test run compiles later would look as if the agent had touched the packages.
_PYTHON = (
    ("uv.lock", "UV_COMPILE_BYTECODE=1 uv sync --frozen"),
    ("poetry.lock", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction"),
    ("pdm.lock", "pdm sync"),
    ("Pipfile.lock", "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"),
)
_OTHERS = (
    ("Gemfile.lock", "BUNDLE_FROZEN=true bundle install"),
    ("composer.lock", "composer install --no-interaction"),
    ("mix.lock", "mix deps.get"),
    ("packages.lock.json", "dotnet restore --locked-mode"),
)
_MODERN_YARN = ".yarnrc.yml"
_INPUTS = frozenset(
    (
        *(name for table in (_NODE, _PYTHON, _OTHERS) for name, _ in table),
        *("package.json", ".npmrc", ".yarnrc", _MODERN_YARN, "pnpm-workspace.yaml", ".nvmrc", ".node-version"),
        *("pyproject.toml", "setup.py", "setup.cfg", "uv.toml", "poetry.toml", "Pipfile", ".python-version"),
        *("Gemfile", ".ruby-version", "composer.json", "mix.exs", "nuget.config", ".tool-versions", "mise.toml"),
    )
)
# An environment that ignores itself, as newer Pythons make it: it must not look like a part of the work.
_MAKE_VENV = "python3 -m venv .venv && printf '*\\n' > .venv/.gitignore && .venv/bin/python -m pip install -q"


@value
class Provision:
    """How a fresh working tree is made fit to run tests. `path` are folders of programs that it makes.

    `inputs` are the files that the result depends on; none where that is not known.
    """

    steps: tuple[str, ...] = ()
    why: str = ""
    path: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()


def decide_provision(files: AbstractSet[str], command: str) -> Provision:
    """What to run, given the names of the files of the base commit and the setting (`none`: nothing is run).

    Go, Cargo, Maven and Gradle fetch what they need when they build, and share it between working trees.
    """
    programs = (_VENV,) if _python(files) is not None or ".venv" in command else ()
    if command.strip():
        why = "the settings say so"
        return Provision(why=why) if command.strip() in NOTHING else Provision((command.strip(),), why, programs)
    chosen = [step for step in (_choose(files, _NODE), _python(files)) if step is not None]
    chosen += [(name, step) for name, step in _OTHERS if name in files]
    steps = tuple(_modern(files, step) for _, step in chosen)
    inputs = tuple(name for name in sorted(files) if name in _INPUTS or name in _requirements(files)) if steps else ()
    return Provision(steps, ", ".join(name for name, _ in chosen), programs, inputs)


def list_project_commands(settings: Settings, files: AbstractSet[str]) -> tuple[tuple[str, str], ...]:
    """All that a run executes besides the phases' own commands, each with its occasion."""
    run = settings.run
    found = [
        *(("before each phase", step) for step in decide_provision(files, run.provision).steps),
        ("for the tests, in each phase", settings.testing.runnable),
        ("to look at pages", settings.ui.server),
        ("as the agent `command`", run.command),
        ("as the agent `acp`", run.acp),
    ]
    return tuple((occasion, command.strip()) for occasion, command in found if command.strip())


def _choose(files: AbstractSet[str], table: tuple[tuple[str, str], ...]) -> tuple[str, str] | None:
    return next(((name, step) for name, step in table if name in files), None)


def _python(files: AbstractSet[str]) -> tuple[str, str] | None:
    locked = _choose(files, _PYTHON)
    lists = _requirements(files)
    if locked is not None or not lists:
        return locked
    return ", ".join(lists), " ".join([_MAKE_VENV, *(f"-r {name}" for name in lists)])


def _requirements(files: AbstractSet[str]) -> list[str]:
    """The lists of packages at the top. A name with other signs than these is not put into a command."""
    found = (name for name in files if name.startswith("requirements") and name.endswith(".txt"))
    return sorted(name for name in found if name.replace("-", "").replace("_", "").replace(".", "").isalnum())


def _modern(files: AbstractSet[str], step: str) -> str:
    """Yarn has another word for the same since its second version, which its settings file gives away."""
    return "yarn install --immutable" if step.startswith("yarn ") and _MODERN_YARN in files else step
