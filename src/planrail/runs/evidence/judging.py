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
from collections.abc import Callable, Sequence

from planrail.base.patterns import pattern
from planrail.base.run_model import CheckRun, Finding
from planrail.runs.evidence.baselines import compare_tests
from planrail.runs.evidence.results import Tally, read_results
from planrail.runs.strength.hollow_checks import why_hollow

# All that a check printed; None where its file is not what planrail wrote.
ReadOutput = Callable[[CheckRun], str | None]


TESTS = "tests"
_KEEPS = pattern(
    r"\brefactor|\bno (?:change|difference)s? (?:of|in) behaviou?r|\bbehaviou?r (?:is |stays |remains )?(?:un|not )?"
    r"(?:changed|the same)|\bstill (?:pass|work|hold|build|succeed|run)|\bkeeps? (?:pass|work)ing|\bstays? green|"
    r"\bremains? (?:green|unchanged)|\bwithout (?:a )?(?:functional|behaviou?ral) change|\bverification only\b",
    re.IGNORECASE,
)


def judge_checks(
    base_runs: Sequence[CheckRun],
    runs: Sequence[CheckRun],
    *,
    phase_text: str = "",
    checks_decide: bool = False,
    read: ReadOutput | None = None,
) -> list[Finding]:
    """What the runs on the work say, beside those on the untouched base.

    `checks_decide`: nobody else gives a verdict. `read` gives the whole output of a run; without it the tail has to do.
    """
    base = {(run.command, run.origin): run for run in base_runs}
    found: list[Finding] = []
    for run in runs:
        found += _judge_one(base.get((run.command, run.origin)), run, read or _tail)
    own = [run for run in runs if run.origin != TESTS]
    return found + _judge_proof(base, own, phase_text, checks_decide=checks_decide)


def why_unprovable(base_runs: Sequence[CheckRun], phase_text: str) -> str:
    """Why no work on this base could be proven by the phase's checks, where nobody else judges; "" where some could."""
    own = [run for run in base_runs if run.origin != TESTS]
    base = {(run.command, run.origin): run for run in own}
    found = _judge_proof(base, own, phase_text, checks_decide=True)
    return next((finding.text for finding in found if finding.is_failure), "")


def hash_evidence(runs: Sequence[CheckRun]) -> str:
    """A hash over what was run, on which tree, with which result: the same for the same evidence, on any machine."""
    rows = [[run.command, run.origin, run.line, run.tree, run.exit, run.output_hash] for run in runs]
    return hashlib.sha256(json.dumps(rows, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def describe_exit(run: CheckRun) -> str:
    """How a run ended, in words."""
    return f"ran out of time after {run.seconds:.0f} s" if run.exit < 0 else f"ended with exit code {run.exit}"


def name_check(command: str) -> str:
    """A check in a sentence: its first line."""
    first, _, rest = command.strip().partition("\n")
    return f"`{first[:120]}{' …' if rest or len(first) > 120 else ''}`"


def _tail(run: CheckRun) -> str | None:
    return run.tail


def _judge_one(base: CheckRun | None, run: CheckRun, read: ReadOutput) -> list[Finding]:
    output = read(run)
    if output is None:
        text = f"the output of {name_check(run.command)} is not what planrail wrote"
        return [Finding("evidence_changed", text, run.output)]
    if run.origin == TESTS:
        before = (read(base) or "") if base is not None else ""
        return compare_tests(base, run, before, output)
    return _judge_own(base, run, output, read)


def _judge_own(base: CheckRun | None, run: CheckRun, output: str, read: ReadOutput) -> list[Finding]:
    place = f"line {run.line}" if run.line else ""
    if run.exit:
        also = ", as on the base" if base is not None and base.exit == run.exit else ""
        return [Finding("check_failed", f"{name_check(run.command)} {describe_exit(run)}{also}", place)]
    tally = read_results(output)
    before = read_results(read(base) or "") if base is not None else Tally()
    if before.is_known and not tally.is_known:
        text = f"{name_check(run.command)} succeeds without the summary that {before.runner} printed on the base"
        return [Finding("tests_silent", text, place)]
    if not tally.failed and not tally.ran_nothing:
        return []
    was = before if base is not None and not base.exit else Tally()
    if tally.failed:
        text = f"{name_check(run.command)} succeeds and says itself that {tally.failed} failed"
        return [Finding("tests_contradict", text, place, is_failure=not was.failed)]
    skipped = f" ({tally.skipped} skipped)" if tally.skipped else ""
    text = f"{name_check(run.command)} did not run one test{skipped}"
    return [Finding("nothing_ran", text, place, is_failure=not was.ran_nothing)]


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
        found += _judge_silence(phase_text, can_fail=len(hollow) < len({run.command for run in own}))
    return found


def _judge_silence(phase_text: str, *, can_fail: bool) -> list[Finding]:
    if not can_fail:
        return [Finding("proves_nothing", "no check of this phase can fail, and nobody else judges it")]
    if _KEEPS.search(phase_text):
        return []
    text = (
        "every check of this phase succeeds on the untouched base as well, and nobody else judges it; give it a check "
        "that fails before the work, or say in its text that things stay as they are"
    )
    return [Finding("proves_nothing", text)]
