"""Which changes of tests are wanted: because the plan says so, or because of a reason that a verifier accepts.

An implementer gives a reason with a line of its own: `TEST-CHANGE: tests/test_a.py: the format it read is gone`.
That makes a question of a failure; the answer is the verifier's. Where there is no verifier only the plan counts.
"""

import re

from planrail.records import replace
from planrail.runs.evidence.permitted_files import find_permitted
from planrail.runs.model import Finding
from planrail.runs.strength.late_patterns import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOKEN = "TEST-CHANGE:"
OPEN = "reasoned:"  # before the kind of a finding that waits for the verifier's word
_LINE = LatePattern(
    rf"^[ \t>*`-]*{TOKEN}[ \t]*`?(?P<path>[^\s:`]+(?: [^\s:`]+)*)`?[ \t]*:[ \t]*(?P<reason>\S[^\n]*)", re.M
)
_LETTERS = LatePattern(r"[^\W\d_]")
_FEWEST_LETTERS = 10
# What can be wanted. A failing check, or evidence that somebody touched, never is.
EXCUSABLE = frozenset(
    (
        *("test_removed", "test_skipped", "test_singled_out", "assertion_removed", "assertion_weakened"),
        *("assertion_hollow", "test_exits", "test_unreached", "failure_swallowed", "threshold_lowered"),
        *("cannot_fail", "harness_changed", "fewer_tests"),
    )
)
_VERBS = LatePattern(
    r"\b(?:remov|delet|drop|skip|replac|rewrit|disabl|retir|renam|mov(?:e|ing)|merg|xfail|lower|relax|loosen|weaken|"
    r"obsolet|supersed|consolidat)\w*|\bmark\w* as (?:skipped|expected)",
    re.IGNORECASE,
)
_NEGATION = LatePattern(
    r"\b(?:not|never|no|don['’]t|doesn['’]t|without|nor|avoid|instead of|rather than)\b", re.IGNORECASE
)
_TEST_NAME = LatePattern(r"^the test `(?P<name>[^`]+)`|^`(?P<other>[^`]+)`")


def read_reasons(text: str) -> "dict[str, str]":
    """The reasons that an agent, or a plan, gives for changes of tests, by path."""
    return {
        match["path"].removeprefix("./"): match["reason"].rstrip("` \t\r")
        for match in _LINE.finditer(text)
        if len(_LETTERS.findall(match["reason"])) >= _FEWEST_LETTERS
    }


def apply_reasons(findings: "Sequence[Finding]", phase_text: str, said: str, *, has_verifier: bool) -> list[Finding]:
    """The findings, less severe where the plan wants them; questions for the verifier where a reason was given."""
    stated, given = read_reasons(phase_text), read_reasons(said) if has_verifier else {}
    judged = [_judge(finding, phase_text, stated, given) for finding in findings]
    return _settle_counts(judged)


def open_changes(findings: "Sequence[Finding]") -> "dict[str, list[Finding]]":
    """The findings that wait for the verifier's word, by path."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.kind.startswith(OPEN):
            found.setdefault(path_of(finding.place), []).append(finding)
    return found


def path_of(place: str) -> str:
    """The path in FILE or FILE:LINE."""
    path, _, line = place.rpartition(":")
    return path if path and line.isdigit() else place


def _judge(finding: Finding, text: str, stated: "Mapping[str, str]", given: "Mapping[str, str]") -> Finding:
    if not finding.is_failure or finding.kind not in EXCUSABLE:
        return finding
    path = path_of(finding.place)
    if path in stated:
        return replace(finding, is_failure=False, text=f"{finding.text} (the plan says why: {stated[path]})")
    if _is_wanted(text, path, finding):
        return replace(finding, is_failure=False, text=f"{finding.text} (the plan says so)")
    if path in given:
        text = f"{finding.text} (the reason given: {given[path][:300]})"
        return replace(finding, is_failure=False, kind=OPEN + finding.kind, text=text)
    return finding


def _is_wanted(text: str, path: str, finding: Finding) -> bool:
    """Whether the plan says what is to happen. A harness is named by each check that runs it: there it has to be said
    that the file will be changed."""
    if finding.kind == "harness_changed":
        names = {path, path.rpartition("/")[2]} - {"__init__.py"}
        return bool(names & find_permitted(text, names.__contains__))
    return any(_wants(line, path, finding) for line in text.split("\n"))


def _wants(line: str, path: str, finding: Finding) -> bool:
    """Whether a line of the plan names the file, a folder of it or the test, and says what is to happen to it."""
    return bool(_VERBS.search(line)) and not _NEGATION.search(line) and _names(line, path, finding)


def _names(line: str, path: str, finding: Finding) -> bool:
    parts = path.split("/")
    folders = {"/".join(parts[:count]) + "/" for count in range(1, len(parts))} - {"tests/", "test/", "src/", "spec/"}
    match = _TEST_NAME.match(finding.text)
    name = (match["name"] or match["other"] or "") if match else ""
    words = {path, parts[-1], *folders, *({name} if len(name) > 5 else ())}
    return any(re.search(rf"(?<![\w./-]){re.escape(word)}(?![\w-])", line) for word in words if word)


def _settle_counts(findings: list[Finding]) -> list[Finding]:
    """That fewer tests are run follows from tests that are gone: it is judged as they are."""
    losses = [one for one in findings if one.kind.removeprefix(OPEN) in ("test_removed", "test_skipped")]
    if not losses or any(one.is_failure for one in losses):
        return findings
    text = "{} (tests were taken away, see there)"
    return [
        replace(one, is_failure=False, text=text.format(one.text)) if one.kind == "fewer_tests" else one
        for one in findings
    ]
