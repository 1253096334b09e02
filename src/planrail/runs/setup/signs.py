"""Has a project tests, by its files? One that has them, and does not say how they are run, is asked."""

import json
import re
from collections.abc import Iterable, Mapping

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.settings.tables import NO_TESTS
from planrail.git.git_writing import ask_git, run_git
from planrail.runs.strength.files import is_test

# What others wrote, or what is no test of this project.
NOT_OURS = frozenset(("node_modules", "vendor", "third_party", "testdata", "fixtures", "examples", "templates"))
_AT_ROOT = pattern(r"(?:vitest\.config\..+|jest\.config\..+|pytest\.ini|\.mocharc\..+|Makefile)")
# Files of which only the content tells whether there are tests, with what it has to say.
_TELLING = {"pyproject.toml": "[tool.pytest", "setup.cfg": "[tool:pytest]", "package.json": "", "Makefile": ""}
_TARGET = pattern(
    r"^(?:[\w./-]+ +)*(?:tests?|check)(?:[-_:.][\w.-]+)?(?: +[\w./-]+)* *::?(?!=)",
    re.MULTILINE,
)
_PLACEHOLDER = "no test specified"  # what npm init writes
_RUST_TEST = r"#\[([a-z_]+::)*test\]|#\[cfg\(test\)\]"


@record
class Testing:
    """How the tests are run. `mode`: config (by the command of the settings), none (a person says that there are none),
    skipped (none were seen), and then the report says so, or error."""

    mode: str
    problem: str = ""
    remedy: str = ""


def read_testing(root: str, commit: str, command: str) -> Testing:
    """The same for a commit."""
    if command.strip():
        return decide_testing(command, ())
    return decide_testing(command, *read_signs(root, commit))


def read_signs(root: str, commit: str) -> tuple[list[str], dict[str, str]]:
    """All paths of a commit, and the texts of those that tell something; of Rust, of sources that have tests."""
    files = [name for name in run_git(root, "ls-tree", "-r", "-z", "--name-only", commit).split("\0") if name]
    contents = {name: ask_git(root, "show", f"{commit}:{name}") or "" for name in _TELLING if name in files}
    if "Cargo.toml" in files:
        told = ask_git(root, "grep", "-I", "-l", "-z", "-E", _RUST_TEST, commit) or ""
        contents |= {name.partition(":")[2]: "#[test]" for name in told.split("\0") if name.endswith(".rs")}
    return files, contents


def decide_testing(command: str, files: Iterable[str], contents: Mapping[str, str] | None = None) -> Testing:
    """The cases: a command is set, tests are there without one, or there are none. Pure.

    `files` are the paths of the project from its root, `contents` the texts of the telling ones.
    """
    if command.strip():
        return Testing("none" if command.strip() == NO_TESTS else "config")
    found = find_test(files, contents or {})
    if not found:
        return Testing("skipped")
    problem = f"the project has tests ({found}), but [testing] command is empty: how are they run?"
    return Testing("error", problem, "planrail setup --yes finds out, tries it and commits planrail.toml")


def find_test(files: Iterable[str], contents: Mapping[str, str]) -> str:
    """The first file that shows tests; "" where none does."""
    return next((path for path in files if is_test_infrastructure(path, contents.get(path, ""))), "")


def is_test_infrastructure(path: str, content: str = "") -> bool:
    """Whether a file, by its path from the root, shows that a project has tests.

    Of package.json its script does, of a Makefile its target; a Makefile that nobody has read may have one. A test does
    by its name, or by the folder that it lies in.
    """
    if path == "package.json":
        return has_test_script(content)
    if path == "Makefile" and content:
        return _TARGET.search(content) is not None
    if _TELLING.get(path):
        return _TELLING[path] in content
    parts = path.split("/")
    is_ours = not NOT_OURS & set(parts)
    return _AT_ROOT.fullmatch(path) is not None or (is_test("/".join(parts[-2:]), content) and is_ours)


def has_test_script(package: str) -> bool:
    script = read_json(package, "scripts").get("test")
    return isinstance(script, str) and bool(script.strip()) and _PLACEHOLDER not in script


def read_json(text: str, part: str = "") -> Mapping[str, object]:
    """An object, or a part of it that is one; an empty one where there is none."""
    try:
        told = json.loads(text)
        told = told.get(part) if part else told
    except (ValueError, AttributeError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
