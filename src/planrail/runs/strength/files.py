"""Which files of a repository are tests, which steer how tests are run, and which are neither. By names; no disk."""

import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from planrail.base.patterns import pattern
from planrail.base.run_model import CheckOrder, Finding
from planrail.base.wording import name_some

_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e", "cypress", "__snapshots__", "testdata"))
_CODE = (
    *("py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "rb", "java", "kt", "kts", "scala", "cs"),
    *("swift", "php", "ex", "exs", "dart", "c", "cc", "cpp", "cxx", "h", "hpp", "m", "mm", "sh", "bash", "bats", "t"),
    *("lua", "zig", "hs", "ml", "clj", "cljs", "erl", "jl", "r", "pl", "vue", "svelte", "feature", "robot", "snap"),
)
_NAMES = (
    *("test_*.py", "*_test.py", "*_tests.py", "tests.py", "test.py", "*.test.*", "*.spec.*", "*.cy.*", "*-test.*"),
    *("*-spec.*", "*.e2e.*", "*_test.go", "*_test.rs", "tests.rs", "*_spec.rb", "*_test.rb", "test_*.rb", "*Test.java"),
    *("*Tests.java", "*IT.java", "Test*.java", "*Test.kt", "*Tests.kt", "*Spec.kt", "*Spec.groovy", "*Spec.scala"),
    *("*Test.scala", "*Suite.scala", "*Test.cs", "*Tests.cs", "*Test.swift", "*Tests.swift", "*Test.php", "*_test.exs"),
    *("*_test.dart", "*_test.c*", "test_*.c*", "*_unittest.c*", "*.bats", "*_test.sh", "test_*.sh", "test-*.sh"),
    *("*.test.sh", "*.t", "*.feature", "*.snap", "*_spec.lua", "*_test.lua", "*_test.zig", "*Spec.hs", "*_test.clj"),
    *("*_SUITE.erl", "runtests.jl"),
)
# Loaded by a runner without being asked for: they decide what a test is and whether it counts.
_STEERING = (
    *("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", "setup.cfg", ".coveragerc"),
    *("sitecustomize.py", "usercustomize.py", "*.pth", "jest.config.*", "jest.setup.*", "jest-*.json"),
    *("vitest.config.*", "vitest.setup.*", "vitest.workspace.*", "vite.config.*", "playwright.config.*"),
    *("cypress.config.*", ".mocharc*", "mocha.opts", "karma.conf.*", ".nycrc*", "ava.config.*", "babel.config.*"),
    *(".babelrc*", "bunfig.toml", ".rspec", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", "test_helper.exs"),
    *("phpunit.xml*", "setupTests.*", "setup-tests.*", ".bazelrc", "nextest.toml", "Directory.Build.props", ".npmrc"),
)
# Taken for the runner itself, because a program looks beside what it runs first.
_SHADOWS = pattern(r"(?:src/)?(?:_?pytest|unittest|pluggy|coverage|nose|doctest)(?:\.py|/.*\.py)")
# Besides the standard library, what test runners load at their start: their requirements, and plugins of pytest.
_LOADED = frozenset(
    (
        *("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup", "tomli", "colorama"),
        *("py", "attr", "attrs", "typing_extensions", "importlib_metadata", "zipp", "coverage", "xdist", "execnet"),
        *("hypothesis", "_hypothesis_pytestplugin", "_hypothesis_ftz_detector", "_hypothesis_globals"),
        *("sortedcontainers", "anyio", "sniffio", "idna", "faker", "syrupy", "respx", "django", "nose", "nose2", "tox"),
        *("nox", "virtualenv", "distlib", "filelock", "platformdirs", "setuptools", "pkg_resources", "_distutils_hack"),
        *("pip", "behave"),
    )
)
_MODULES = ("py", "pyc", "so", "pyd", "")  # without a suffix: a link to a package
_CARGO = (".cargo/config.toml", ".cargo/config")
# The same for what a command names by itself: make its Makefile, npm its package.json.
RULES = {
    "make": ("Makefile", "makefile", "GNUmakefile", "*.mk"),
    "gmake": ("Makefile", "makefile", "GNUmakefile", "*.mk"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "rake": ("Rakefile", "*.rake"),
    "npm": ("package.json", ".npmrc"),
    "pnpm": ("package.json", ".npmrc", "pnpm-workspace.yaml"),
    "yarn": ("package.json", ".yarnrc*"),
    "bun": ("package.json", "bunfig.toml"),
    "deno": ("deno.json", "deno.jsonc"),
    "cargo": ("Cargo.toml", ".cargo/config.toml", ".cargo/config"),
    "composer": ("composer.json",),
    "gradle": ("build.gradle*", "settings.gradle*", "gradle.properties"),
    "./gradlew": ("build.gradle*", "settings.gradle*", "gradle.properties", "gradlew"),
    "mvn": ("pom.xml",),
    "./mvnw": ("pom.xml", "mvnw"),
    "pytest": ("pyproject.toml",),
    "tox": ("pyproject.toml",),
    "nox": ("pyproject.toml",),
    "poetry": ("pyproject.toml",),
    "uv": ("pyproject.toml",),
    "hatch": ("pyproject.toml",),
    "python": ("pyproject.toml",),
    "python3": ("pyproject.toml",),
    "ctest": ("CMakeLists.txt", "CTestCustom.cmake"),
    "cmake": ("CMakeLists.txt",),
}
_LOCKS = frozenset(
    (
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock"),
        *("Cargo.lock", "go.sum", "go.work.sum", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock"),
        *("composer.lock", "mix.lock", "pubspec.lock", "Package.resolved", "packages.lock.json", "flake.lock"),
    )
)
_TEXTS = ("md", "markdown", "rst", "txt", "adoc")
_RUST_TEST = pattern(r"#\[(?:\w+::)*test\b|#\[cfg\(test\)\]")


def is_test(path: str, text: str = "", *, files: Iterable[str] = ()) -> bool:
    """Whether a file is a test. `files` are globs of the project's settings; `text` is for tests inside a source."""
    folders, _, name = path.rpartition("/")
    suffix = name.rpartition(".")[2].lower()
    if any((fnmatchcase(path, glob) or fnmatchcase(path.rpartition("/")[2], glob)) for glob in files):
        return True
    if suffix in _TEXTS or is_steering(path):
        return False
    if is_collected(path) or (suffix in _CODE and _FOLDERS & set(folders.split("/"))):
        return True
    return suffix == "rs" and _RUST_TEST.search(text) is not None


def belongs_to_tests(path: str, *, files: Iterable[str] = ()) -> bool:
    """Whether a file is a test or lies beside tests, as what they compare with does; not a source with tests in it."""
    return is_test(path, files=files) or bool(_FOLDERS & set(path.split("/")[:-1]))


def is_collected(path: str) -> bool:
    """Whether runners take a file for a test because of its name alone."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() in _CODE and any(fits(name, glob) for glob in _NAMES)


def fits(name: str, glob: str) -> bool:
    """Whether a name fits a glob that has no other sign than `*`. Eighty of them are asked for each changed file, so
    none is made an expression of."""
    if "*" not in glob:
        return name == glob
    first, *middle, last = glob.split("*")
    if not name.startswith(first) or not name.endswith(last) or len(name) < len(first) + len(last):
        return False
    place = len(first)
    for part in middle:
        place = name.find(part, place, len(name) - len(last)) + len(part)
        if place < len(part):
            return False
    return True


def is_steering(path: str) -> bool:
    """Whether a test runner loads this file by itself, wherever it lies."""
    name = path.rpartition("/")[2]
    return any(fits(name, glob) for glob in _STEERING) or path.endswith(_CARGO) or _SHADOWS.fullmatch(path) is not None


def takes_a_place(path: str, folders: Iterable[str] = ()) -> bool:
    """Whether Python takes a new file for a module of its own or of a test runner: it looks into the root, `src`, the
    folders of tests and `folders` first. A folder without `__init__.py` takes no place, a module in a package none."""
    folder, _, name = path.rpartition("/")
    module, _, suffix = name.partition(".")
    if module == "__init__":
        folder, _, module = folder.rpartition("/")
    if suffix.rpartition(".")[2] not in _MODULES:
        return False
    is_known = module in sys.stdlib_module_names or module in _LOADED or module.startswith("pytest_")
    return is_known and (folder in ("", "src", *folders) or bool(_FOLDERS & set(folder.split("/"))))


def is_lock(path: str) -> bool:
    """Whether a package manager writes this file by itself."""
    return path.rpartition("/")[2] in _LOCKS


def is_text(path: str) -> bool:
    return path.rpartition(".")[2].lower() in _TEXTS


def judge_traces(check: CheckOrder, changed: Sequence[str], left: Iterable[str]) -> list[Finding]:
    """What speaks against a check that changed tracked files, or left tests behind for the next one.

    A lock file that a package manager rewrote is worth knowing and no more; everything else means that the check did
    not judge the tree that is to land.
    """
    place = f"line {check.line}" if check.line else ""
    found = []
    edited = [path for path in changed if not is_lock(path)]
    if edited:
        text = f"{name_check(check.command)} changed the files that it judges: {name_some(edited)}"
        found.append(Finding("check_changed_tree", text, place))
    elif changed:
        text = f"{name_check(check.command)} rewrote {name_some(changed)}"
        found.append(Finding("check_changed_lock", text, place, is_failure=False))
    planted = [path for path in left if is_test(path) or is_steering(path) or takes_a_place(path)]
    if planted:
        text = f"{name_check(check.command)} left what the next check may run: {name_some(planted)}"
        found.append(Finding("check_left_tests", text, place))
    return found


def name_check(command: str) -> str:
    """The first line of a command, as a sentence names it."""
    first, _, rest = command.strip().partition("\n")
    return f"`{first[:120]}{' …' if rest or len(first) > 120 else ''}`"
