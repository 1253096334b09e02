"""What checks prove: their runs on the base and on the work, judged. Planrail's own runs only; nothing is believed.

The rules, for the checks of a phase (blocks and criteria):

- A check that fails is a failure of the phase, whatever it did on the base.
- A check that succeeds while its runner says that tests failed, or that not one was run, is a failure.
- A check that succeeds on the base as well proves nothing, and that is noted. Where nobody but the checks judges a
  phase, one of them has to be able to tell the work from the base; a phase that says in words that it keeps things as
  they are is excepted, one whose checks cannot fail at all is not.

For the project's tests see `baselines`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence

from planrail.base.patterns import pattern
from planrail.base.run_model import RULE, CheckRun, Finding
from planrail.base.wording import name_some, plural
from planrail.runs.evidence.results import Tally, read_results
from planrail.runs.strength.files import name_check
from planrail.runs.strength.reached_commands import why_hollow

_VARIES = pattern(r"0x[0-9a-f]+|/tmp/\S+|\d+(?:[.:,]\d+)*")
OF_TESTS = "the project's tests"  # the place of what is found by them

# What is said of a run that succeeds, and is silent, says that tests failed, or ran none.
_OF_TESTS = (
    "the tests succeed without the summary that {} printed on the base",
    "the tests end with exit code 0 and say themselves that {} failed",
    "not one test was run",
)
_OF_A_CHECK = (
    " succeeds without the summary that {} printed on the base",
    " succeeds and says itself that {} failed",
    " did not run one test",
)
_ALL_SUCCEED = (
    "every check of this phase succeeds on the untouched base as well, and nobody else judges it; give it a check "
    "that fails before the work, or say in its text that things stay as they are"
)
# All that a check printed; None where its file is not what planrail wrote.
ReadOutput = Callable[[CheckRun], str | None]
TESTS = "tests"
AS_ON_THE_BASE = ", as on the base"
# What programs say that do not reach what they need, where they are confined.
_NO_NETWORK = pattern(
    r"name resolution|Name or service not known|[Cc]ould not resolve|ENOTFOUND|EAI_AGAIN|Network is unreachable|"
    r"ENETUNREACH|Connection refused|ECONNREFUSED|Temporary failure in name"
)
_NO_ACCESS = pattern(
    r"Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM|[Cc]annot open display|"
    r"[Cc]annot connect to the Docker daemon|docker\.sock|[Cc]annot autolaunch|[Nn]o protocol specified"
)
_CONNECT = "planrail config run.network on"
_OPEN = "[run] readable and writable, or all of it by `planrail config run.confine off`"
_KEEPS = pattern(
    r"\brefactor|\bno (?:change|difference)s? (?:of|in) behaviou?r|\bbehaviou?r (?:is |stays |remains )?(?:un|not )?"
    r"(?:changed|the same)|\bstill (?:pass|work|hold|build|succeed|run)|\bkeeps? (?:pass|work)ing|\bstays? green|"
    r"\bremains? (?:green|unchanged)|\bwithout (?:a )?(?:functional|behaviou?ral) change|\bverification only\b",
    re.IGNORECASE,
)


# The project's tests before and after a phase: what broke, what was broken already, what is no longer run.
#
# Failures are told apart by the names of tests where the runner gives them, else by counts, else by the whole output.


def tell_old_failures(findings: Iterable[Finding]) -> str:
    """What to add to the word that work is done, where the project's tests fail as they did before it; else ""."""
    found = [finding.text for finding in findings if finding.kind == "baseline_failure"]
    return f"; but the project's tests do not pass: {found[0]}" if found else ""


def compare_tests(base: CheckRun | None, now: CheckRun, before: str, after: str) -> list[Finding]:
    """What follows from the tests on the base and on the work. `before` and `after` are the whole outputs."""
    was = read_results(before)
    tally = read_results(after)
    found = _contradictions(base, was, tally, OF_TESTS) if not now.exit else []
    if now.exit < 0:
        found.append(Finding("tests_failed", f"the tests ran out of time after {now.seconds:.0f} s", OF_TESTS))
    elif now.exit and (base is None or not base.exit):
        found.append(_tell_new(sorted(tally.failed_names)))
    elif now.exit and base is not None and base.exit < 0:
        found.append(Finding("tests_failed", "the tests fail, and on the base they ran out of time", OF_TESTS))
    elif now.exit and base is not None:
        found.append(_tell_apart(base, now, (before, was), (after, tally)))
    elif base is not None and base.exit:
        found.append(Finding("baseline_mended", "tests that failed on the base pass now", OF_TESTS, is_failure=False))
    ran, ran_before = ((each.passed or 0) + (each.failed or 0) for each in (tally, was))
    is_comparable = base is not None and was.runner == tally.runner and None not in (was.passed, tally.passed)
    if is_comparable and ran_before > ran:
        found.append(Finding("fewer_tests", f"{plural(ran, 'test')} ran, and on the base {ran_before}", OF_TESTS))
    return found


def _contradictions(base: CheckRun | None, was: Tally, tally: Tally, place: str, name: str = "") -> list[Finding]:
    """What speaks against a run that succeeds and says itself that it did not, or that it did nothing."""
    silent, contradicts, nothing = _OF_A_CHECK if name else _OF_TESTS
    if was.is_known and not tally.is_known:
        return [Finding("tests_silent", name + silent.format(was.runner), place)]
    old = was if base is not None and not base.exit else Tally()
    if tally.failed:
        text = name + contradicts.format(tally.failed)
        return [Finding("tests_contradict", text, place, is_failure=not old.failed)]
    if tally.ran_nothing:
        text = f"{name}{nothing}{f' ({tally.skipped} skipped)' if tally.skipped else ''}"
        return [Finding("nothing_ran", text, place, is_failure=not old.ran_nothing)]
    return []


def _tell_apart(base: CheckRun, now: CheckRun, before: tuple[str, Tally], after: tuple[str, Tally]) -> Finding:
    """The tests failed before as well: are these the same failures?"""
    was, tally = before[1], after[1]
    if was.failed_names and tally.failed_names:
        new = sorted(tally.failed_names - was.failed_names)
        if new:
            return _tell_new(new)
        if (tally.failed or 0) > (was.failed or 0):
            return Finding("regression", f"failing tests: {tally.failed}, and on the base {was.failed}", OF_TESTS)
        same = name_some(sorted(tally.failed_names))
        return Finding(
            "baseline_failure", f"tests that fail on the base still fail: {same}", OF_TESTS, is_failure=False
        )
    if was.is_known and tally.is_known and was.failed:
        if (tally.failed or 0) > was.failed or now.exit != base.exit or not tally.failed:
            return Finding("regression", f"failing tests: {tally.failed}, and on the base {was.failed}", OF_TESTS)
        text = f"as many tests fail as on the base ({tally.failed}); their names are not known"
        return Finding("baseline_failure", text, OF_TESTS, is_failure=False)
    # without what differs between any two runs: numbers, addresses, temporary names
    steady = [
        [_VARIES.sub("N", line.strip()) for line in output.splitlines() if line.strip()]
        for output, _ in (before, after)
    ]
    if now.exit == base.exit and steady[0] == steady[1]:
        return Finding("baseline_failure", "the tests fail exactly as on the base", OF_TESTS, is_failure=False)
    text = "the tests fail on the base and now, and what they print does not tell whether the failures are the same"
    return Finding("tests_failed", text, OF_TESTS)


def _tell_new(names: list[str]) -> Finding:
    """Failures that the base did not have. Whether it had the tests is unknown: runners seldom name those that pass."""
    named = f": {name_some(names)}" if names else ""
    return Finding("regression", f"tests fail that did not fail on the base{named}", OF_TESTS)


def judge_checks(
    base_runs: Sequence[CheckRun],
    runs: Sequence[CheckRun],
    *,
    phase_text: str = "",
    checks_decide: bool = False,
    read: ReadOutput = lambda run: run.tail,
) -> list[Finding]:
    """What the runs on the work say, beside those on the untouched base.

    `checks_decide`: nobody else gives a verdict. `read` gives the whole output of a run; without it the tail has to do.
    """
    base = {(run.command, run.origin): run for run in base_runs}
    found: list[Finding] = []
    for run in runs:
        before, place = base.get((run.command, run.origin)), f"line {run.line}" if run.line else ""
        output, named = read(run), name_check(run.command)
        was = (read(before) or "") if before is not None else ""
        if output is None:
            found.append(Finding("evidence_changed", f"the output of {named} is not what planrail wrote", run.output))
            continue
        if run.origin == TESTS:
            own = compare_tests(before, run, was, output)
        elif run.exit:
            also = AS_ON_THE_BASE if before is not None and before.exit == run.exit else ""
            # a rule that the base breaks as well is for the phase that makes it hold, and for the end of the plan
            is_failure = run.origin != RULE or before is None or not before.exit
            own = [Finding("check_failed", f"{named} {describe_exit(run)}{also}", place, is_failure=is_failure)]
        else:
            own = _contradictions(before, read_results(was), read_results(output), place, named)
        why = why_out_of_reach(run, output) if run.exit and any(finding.is_failure for finding in own) else ""
        found += [Finding("out_of_reach", f"{named} {why}", place), *own] if why else own  # the cause comes first
    checks = [run for run in runs if run.origin not in (TESTS, RULE)]
    return found + _judge_proof(base, checks, phase_text, checks_decide=checks_decide)


def why_out_of_reach(run: CheckRun, output: str) -> str:
    """What a confined check that failed may have needed, by its own words, and how a person opens that; else ""."""
    by, _, network = run.confined.partition(", ")
    is_confined = by not in ("", "none")
    if is_confined and network and (said := _NO_NETWORK.search(output)):
        return f"has {network}, and says {said[0]!r}: a person can open it by `{_CONNECT}`"
    if is_confined and (said := _NO_ACCESS.search(output)):
        return f"was confined, and says {said[0]!r}: a person can open what it needs by {_OPEN}"
    return ""


def why_unprovable(base_runs: Sequence[CheckRun], phase_text: str) -> str:
    """Why no work on this base could be proven by the phase's checks, where nobody else judges; "" where some could."""
    own = [run for run in base_runs if run.origin not in (TESTS, RULE)]
    base = {(run.command, run.origin): run for run in own}
    found = _judge_proof(base, own, phase_text, checks_decide=True)
    return next((finding.text for finding in found if finding.is_failure), "")


def hash_evidence(runs: Sequence[CheckRun]) -> str:
    """A hash over what was run, on which tree, with which result: the same for the same evidence, on any machine."""
    rows = [[run.command, run.origin, run.line, run.tree, run.exit, run.output_hash] for run in runs]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def describe_exit(run: CheckRun) -> str:
    return f"ran out of time after {run.seconds:.0f} s" if run.exit < 0 else f"ended with exit code {run.exit}"


def _judge_proof(
    base: dict[tuple[str, str], CheckRun], own: list[CheckRun], phase_text: str, *, checks_decide: bool
) -> list[Finding]:
    """Whether the checks of a phase can tell the work from the base."""
    found = []
    hollow = {run.command: why for run in own if (why := why_hollow(run.command))}
    for run in own:
        before = base.get((run.command, run.origin))
        place = f"line {run.line}" if run.line else ""
        if run.command in hollow:
            text = f"{name_check(run.command)} cannot fail: {hollow[run.command]}"
            found.append(Finding("hollow_check", text, place, is_failure=False))
        elif not run.exit and before is not None and not before.exit:
            text = f"{name_check(run.command)} proves nothing: it succeeds on the untouched base as well"
            found.append(Finding("proves_nothing", text, place, is_failure=False))
    if checks_decide and own and len(found) == len(own):
        if len(hollow) == len({run.command for run in own}):
            found.append(Finding("proves_nothing", "no check of this phase can fail, and nobody else judges it"))
        elif not _KEEPS.search(phase_text):
            found.append(Finding("proves_nothing", _ALL_SUCCEED))
    return found
