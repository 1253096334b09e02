"""How the project's own tests are run: by the command of the settings, or not at all, and then the report says so."""

import json
import re
from collections.abc import Iterable, Mapping

from planrail.base.values import value
from planrail.runs.strength.files import is_test

CONFIG, SKIPPED, ERROR = "config", "skipped", "error"
_AT_ROOT = re.compile(r"(?:vitest\.config\..+|jest\.config\..+|pytest\.ini|\.mocharc\..+|Makefile)")
# What others wrote, or what is no test of this project.
_NOT_OURS = frozenset(("node_modules", "vendor", "third_party", "testdata", "fixtures", "examples", "templates"))
# Files of which only the content tells whether there are tests.
TELLING_FILES = ("package.json", "Makefile")
_TARGET = re.compile(r"^(?:[\w./-]+ +)*(?:tests?|check)(?:[-_:.][\w.-]+)?(?: +[\w./-]+)* *::?(?!=)", re.MULTILINE)
_PLACEHOLDER = "no test specified"  # what npm init writes


@value
class Testing:
    """How the tests are run. `mode`: config, skipped or error; `note` is for the report, `problem` for a refusal."""

    mode: str
    command: str = ""
    note: str = ""
    problem: str = ""
    remedy: str = ""


def is_test_infrastructure(path: str, content: str = "") -> bool:
    """Whether a file, by its path from the root, shows that a project has tests.

    Of package.json its script does, of a Makefile its target; a Makefile that nobody has read may have one. A test does
    by its name, or by the folder that it lies in.
    """
    if path == "package.json":
        return _has_script(content)
    if path == "Makefile" and content:
        return _TARGET.search(content) is not None
    parts = path.split("/")
    return _AT_ROOT.fullmatch(path) is not None or (is_test("/".join(parts[-2:])) and not _NOT_OURS & set(parts))


def _has_script(package: str) -> bool:
    try:
        script = json.loads(package)["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(script, str) and bool(script.strip()) and _PLACEHOLDER not in script


def decide_testing(command: str, files: Iterable[str], contents: Mapping[str, str] | None = None) -> Testing:
    """The three cases: a command is set, tests are there without one, or there are none.

    `files` are the paths of the project from its root, `contents` the texts of the telling ones.
    """
    if command.strip():
        return Testing(CONFIG, command)
    found = next((path for path in files if is_test_infrastructure(path, (contents or {}).get(path, ""))), "")
    if found:
        problem = f"the project has tests ({found}), but [testing] command is empty: how are they run?"
        return Testing(
            ERROR, problem=problem, remedy='set command = "…" under [testing] in planrail.toml, and commit it'
        )
    return Testing(SKIPPED, note="the project has no tests that planrail knows of: only the plan's checks were run")
