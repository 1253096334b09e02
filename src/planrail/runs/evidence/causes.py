"""Why did a command fail, in one line of what it printed, and what repairs that? Pure.

A machine's trouble comes first: a program, a module or a file that is missing says more than the tests that fail by it.
That make, npm or cargo ended because of what they ran is no cause.
"""

import re

from planrail.base.patterns import pattern

UNMADE = "the environment could not be made"
_COLOUR = pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST = 300  # characters of a cause
_OF_THE_MACHINE = pattern(
    r"^(?:E[ ]{2,})?(?:ModuleNotFoundError|ImportError|SyntaxError|IndentationError|FileNotFoundError): [^\n]*"
    r"|^[^\n]*\bNo module named [^\n]*|^[^\n]*: (?:command )?not found\b[^\n]*|^[^\n]*\bunrecognized arguments: [^\n]*"
    r"|^error(?:\[E\d+\])?: (?!test failed)[^\n]*|^ERROR: (?!usage: )[^\n]*|^Error: Cannot find [^\n]*"
    r"|^[^\n]*\berror TS\d+[^\n]*"
    r"|^npm (?:ERR!|error) (?:Missing script|404|notarget|enoent|[Cc]ould not|[Cc]annot|`npm ci`)[^\n]*"
    r"|^g?make(?:\[\d+\])?: \*\*\* (?!\[)[^\n]*"
    r"|^\S+\.go:\d+:\d+: [^\n]*|^fatal: [^\n]*|^go: [^\n]*\b(?:no required|cannot find|missing)[^\n]*",
    re.MULTILINE,
)
_OF_A_TEST = pattern(
    r"^(?:FAILED|ERROR|FAIL:|✖|✕|×|●) [^\n]+|^[ ]*--- FAIL: [^\n]+|^[ ]*not ok\b[^\n]*|^test \S+ \.\.\. FAILED"
    r"|^(?:E[ ]{2,})?[\w.]*(?:Error|Exception)\b:? [^\n]*",
    re.MULTILINE,
)
# Not one test, or not all of them, could be loaded: what is printed says nothing about any work.
_NOT_COLLECTED = pattern(
    r"Interrupted: \d+ errors? during collection|^ImportError while loading conftest"
    r"|^[^\n]*: No module named (?:pytest|tox|nox|unittest)\b|\berror: unrecognized arguments: "
    r"|^error: could not compile |^FAIL\t\S+ \[(?:build|setup) failed\]|^g?make(?:\[\d+\])?: \*\*\* No targets\b"
    r"|^g?make(?:\[\d+\])?: \*\*\* No rule to make target [^,\n]*\.  Stop\.$"
    r"|^npm (?:ERR!|error) Missing script:|^Error: no test specified$",
    re.MULTILINE,
)
_CANNOT_RUN = {126: "it cannot be executed", 127: "there is no such command"}
_MISSING = pattern(r"No module named ['\"]?(?P<module>[\w.-]+)")
_NOT_FOUND = pattern(r"(?P<program>[\w./+-]+): (?:command )?not found\b")


def first_cause(output: str) -> str:
    """The line of an output that says why; its last one where none does, and "" where nothing was printed."""
    output = _COLOUR.sub("", output)
    for causes in (_OF_THE_MACHINE, _OF_A_TEST):
        found = causes.search(output)
        if found is not None:
            return _shorten(found[0])
    lines = [line for line in output.splitlines() if line.strip()]
    return _shorten(lines[-1]) if lines else ""


def is_of_the_machine(output: str) -> bool:
    """Whether something is missing here that another environment may have."""
    return _OF_THE_MACHINE.search(_COLOUR.sub("", output)) is not None


def why_uncollected(exit: int, output: str) -> str:
    """Why a command for the tests says nothing about any work: it does not load them; "" where it does."""
    if exit <= 0:
        return ""
    is_known = exit in _CANNOT_RUN or _NOT_COLLECTED.search(_COLOUR.sub("", output)) is not None
    told = first_cause(output) if is_known else ""
    return told or _CANNOT_RUN.get(exit, "")


def name_repair(cause: str) -> str:
    """What a person does about a cause."""
    if cause.startswith(UNMADE):
        return 'say how it is made: planrail config run.provision "…", and commit planrail.toml; then: planrail setup'
    missing, absent = _MISSING.search(cause), _NOT_FOUND.search(cause)
    if missing is not None:
        return f"install {missing['module']} where the tests run ([run] environment or provision), then: planrail setup"
    if absent is not None:
        return f"install {absent['program']}, or correct [testing] command in planrail.toml, then: planrail setup"
    return "repair that on the base, or correct [testing] command in planrail.toml, then: planrail setup"


def _shorten(line: str) -> str:
    line = re.sub(r"^E\s+", "", line.strip())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
