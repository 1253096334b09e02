"""Why did a command fail, in one line of what it printed, and what repairs that? Pure.

A machine's trouble comes first: a program, a module or a file that is missing says more than the tests that fail by it.
That make, npm or cargo ended because of what they ran is no cause.
"""

import re
from collections.abc import Sequence

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.base.run_model import CheckRun, Evidence, Finding
from planrail.base.wording import name_some
from planrail.runs.evidence.judging import AS_ON_THE_BASE, OF_TESTS, TESTS, ReadOutput, describe_exit
from planrail.runs.evidence.results import read_results
from planrail.runs.strength.files import name_check

SAY_COMMAND = 'say how the tests are run: planrail config testing.command "…", and commit planrail.toml'
UNMADE = "the environment could not be made"
RED_BASE = "red base"  # the topic of which a person is told once
_COLOUR = pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST = 300  # characters of a cause
_MOST_LINES = 12  # of an output that a person is shown
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
# A test or a line of code that fails: pytest, unittest, node, jest, vitest, TAP, go, cargo, mypy, gcc, ruff, eslint.
_OF_A_TEST = pattern(
    r"^(?:FAILED|ERROR|FAIL:|✖(?! \d+ problem)|[ ]*[✕×●]) [^\n]+|^[ ]*--- FAIL: [^\n]+|^[ ]*not ok\b[^\n]*"
    r"|^test \S+ \.\.\. FAILED|^[^\s:]+:\d+(?::\d+)?: (?:(?:fatal )?error: |[A-Z]{1,4}\d+ )[^\n]*"
    r"|^[ ]+\d+:\d+[ ]+error[ ]+[^\n]*|^(?:E[ ]{2,})?[\w.]*(?:Error|Exception)\b:? [^\n]*",
    re.MULTILINE,
)
# What a runner says of a test below its name.
_REASON = pattern(
    r"^[ ]*(?:E[ ]{2,})?(?P<error>[\w.]*(?:Error|Exception)\b(?: \[\w+\])?: [^\n]+)"
    r"|^[ ]+(?P<go>\S+\.go:\d+: [^\n]+)|^thread [^\n]* panicked at [^\n]*:\n(?P<rust>[^\n]+)"
    r"|^[ ]+(?P<jest>(?:expect\(|→ )[^\n]+)|^[ ]+error: (?:\|-\n[ ]*)?(?P<tap>[^\n]+)",
    re.MULTILINE,
)
_NAMES = ("FAIL:", "✖", "✕", "×", "●", "--- FAIL:", "not ok", "test ")  # lines that name a test, and no reason
_LINTED = pattern(r"\d+:\d+[ ]+error[ ]")
# Not one test, or not all of them, could be loaded: what is printed says nothing about any work.
_NOT_COLLECTED = pattern(
    r"Interrupted: \d+ errors? during collection|^ImportError while loading conftest"
    r"|^[^\n]*: No module named (?:pytest|tox|nox|unittest)\b|\berror: unrecognized arguments: "
    r"|^error: could not compile |^FAIL\t\S+ \[(?:build|setup) failed\]|^g?make(?:\[\d+\])?: \*\*\* No targets\b"
    r"|^g?make(?:\[\d+\])?: \*\*\* No rule to make target [^,\n]*\.  Stop\.$"
    r"|^npm (?:ERR!|error) Missing script:|^Error: no test specified$"
    r"|^ImportError: Start directory is not importable",
    re.MULTILINE,
)
_NUMBERS = pattern(r"\d+(?:[.:,]\d+)*|0x[0-9a-f]+")
_ABSENT = 127  # the exit code of a shell that found no program
_CANNOT_RUN = {126: "it cannot be executed", _ABSENT: "there is no such command"}
_MISSING = pattern(r"No module named ['\"]?(?P<module>[\w.-]+)")
_NOT_FOUND = pattern(r"(?P<program>[\w./+-]+): (?:command )?not found\b")


def first_cause(output: str) -> str:
    """The line of an output that says why; its last one where none does, and "" where nothing was printed."""
    output = _COLOUR.sub("", output)
    machine, test = _OF_THE_MACHINE.search(output), _OF_A_TEST.search(output)
    if machine is not None:
        return _shorten(machine[0])
    if test is not None:
        return _shorten(_complete(test[0].strip(), output[: test.start()], output[test.end() :]))
    lines = [line for line in output.splitlines() if line.strip()]
    return _shorten(lines[-1]) if lines else ""


def _complete(line: str, before: str, after: str) -> str:
    """A line that fails with what its runner says elsewhere: why, or in which file."""
    if _LINTED.match(line) is not None:
        files = [one for one in before.splitlines() if one and not one[0].isspace()]
        return f"{files[-1]}: {' '.join(line.split())}" if files else line
    following = _OF_A_TEST.search(after) if line.startswith(_NAMES) else None
    reason = _REASON.search(after) if line.startswith(_NAMES) else None
    if reason is None or reason.lastgroup is None:
        return line
    is_its_own = following is None or reason.start() <= following.start() or line.startswith(("test ", "✕"))
    return f"{line}: {reason[reason.lastgroup].strip()}" if is_its_own else line


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
    if cause.startswith(UNMADE):
        return 'say how it is made: planrail config run.provision "…", and commit planrail.toml'
    missing, absent = _MISSING.search(cause), _NOT_FOUND.search(cause)
    if missing is not None:
        return f"install {missing['module']} where the tests run ([run] environment or provision)"
    if absent is not None:
        return f"install {absent['program']}, or {SAY_COMMAND}"
    return f"repair that on the base, or {SAY_COMMAND}"


def tell_red_base(output: str) -> str:
    """What a person is told of tests that run on the base, and fail there."""
    tally = read_results(output)
    failed = tally.failed or 0
    total, count = failed + (tally.passed or 0) + (tally.skipped or 0), "tests fail"
    if failed and tally.passed is not None:
        count = f"{failed} of {total} tests fail" if total > 1 else "the only test fails"
    why = first_cause(output)
    return f"{count} on the base already{f': {why}' if why else ''}; that is not held against the phases"


def tell_missing(runs: Sequence[CheckRun], read: ReadOutput) -> list[str]:
    """The checks of a plan whose program the base lacks, told before an agent works; the phase may be to make it.

    A path is what phases make. A shell says 127 of the last command alone, so what it printed says which one it was.
    """
    told = []
    for run in (run for run in runs if run.exit == _ABSENT and run.origin != TESTS):
        found = _NOT_FOUND.search(read(run) or run.tail)
        program = found["program"] if found is not None else ""
        if program and "/" not in program:
            line = f"line {run.line}: " if run.line else ""
            text = f"{line}the check {name_check(run.command)} finds no program {program} on the base"
            told.append(f"{text}; unless the phase makes it, install {program} or correct the plan before going on")
    return told


def tell_causes(
    findings: Sequence[Finding], runs: Sequence[CheckRun], base_runs: Sequence[CheckRun], read: ReadOutput
) -> list[Finding]:
    """What failed, each with the first line of its output that says why, and whether the base has it, too."""
    base = {(run.command, run.origin): run for run in base_runs}
    left = [run for run in runs if run.exit > 0]
    told = []
    for finding in findings:
        run = next((one for one in left if finding.is_failure and _is_about(finding, one)), None)
        why = first_cause(read(run) or run.tail) if run is not None else ""
        if run is not None and why:
            left.remove(run)
            before = base.get((run.command, run.origin))
            was = first_cause(read(before) or before.tail) if before is not None and before.exit else ""
            also = "" if finding.text.endswith(AS_ON_THE_BASE) and was == why else _compare(before, why, was)
            finding = replace(finding, text=f"{finding.text}: {why}{also}")
        told.append(finding)
    return told


def show_failures(evidence: Evidence, paths: Sequence[str]) -> list[str]:
    """What a person sees where checks fail: the end of what each has printed, and the files that were changed."""
    shown = []
    for run in (one for one in evidence.runs if one.exit and evidence.failures):
        lines = [line.rstrip() for line in run.tail.splitlines() if line.strip()][-_MOST_LINES:]
        shown.append(
            "\n".join([f"{name_check(run.command)} {describe_exit(run)}", *(f"    │ {line}" for line in lines)])
        )
    return [*shown, f"changed since the base: {name_some(paths, 8)}"] if shown and paths else shown


def list_outputs(evidence: Evidence) -> tuple[str, ...]:
    return tuple(f"$ {run.command}\n{run.tail.strip()}" for run in evidence.runs if run.exit and run.tail.strip())


def _is_about(finding: Finding, run: CheckRun) -> bool:
    if run.origin == TESTS:
        return finding.place == OF_TESTS
    return finding.kind == "check_failed" and finding.text.startswith(name_check(run.command))


def _compare(before: CheckRun | None, why: str, was: str) -> str:
    if before is None:
        return ""
    if not before.exit:
        return " (it passes on the base)"
    if _NUMBERS.sub("", was) == _NUMBERS.sub("", why):
        return " (the base has that, too)"
    return f" (on the base it says: {was})" if was else " (on the base it says nothing)"


def _shorten(line: str) -> str:
    line = re.sub(r"^E\s+", "", line.strip())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
