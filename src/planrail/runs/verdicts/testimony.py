"""What an agent says about tests and about its own work, judged by its form alone: necessary, never sufficient.

planrail believes the exit status of the commands that it runs itself. These rules of the predecessor are kept as a
first look: a result without its tally, or an answer that stopped in the middle, is refused before anybody reads it.
"""

import re

SHORTEST = 200  # bytes
_LAST_LINES = 10
_TALLY = re.compile(r"Overall: (?P<passed>[0-9]+)/(?P<all>[0-9]+) passed, (?P<failed>[0-9]+) failed")
_STALLED = (
    "let me wait for the monitor",
    "tests are running. let me wait",
    "monitor will signal",
    "monitor to signal",
    "still searching. let me wait",
    "waiting on bashoutput",
    "polling bashoutput",
)


def judge_tally(results: str, baseline_passed: int | None = None) -> str:
    """Why the last tally of a test run (`Overall: N/M passed, F failed`) does not hold; "" where it does."""
    tallies = list(_TALLY.finditer(results))
    if not tallies:
        return "the results have no tally"
    passed, total, failed = (int(tallies[-1][name]) for name in ("passed", "all", "failed"))
    if failed or passed != total:
        return f"{passed} of {total} passed, {failed} failed"
    if passed < (baseline_passed or 0):
        return f"{passed} passed, but {baseline_passed} did before: tests are missing"
    return ""


def judge_response(text: str) -> str:
    """Why an answer of an agent is none: it is too short, or ends in waiting for something; "" where it may be one."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size < SHORTEST:
        return f"the answer is too short ({size} bytes, of {SHORTEST} at least): empty or a stub"
    tail = "\n".join(text.rstrip("\n").split("\n")[-_LAST_LINES:]).lower()
    phrase = next((phrase for phrase in _STALLED if phrase in tail), "")
    return f"the answer ends in waiting: {phrase!r} in its last {_LAST_LINES} lines" if phrase else ""
