"""Which changes of tests are wanted: because the plan says so, or because of a reason that a verifier accepts.

An implementer gives a reason with a line of its own: `TEST-CHANGE: tests/test_a.py: the format it read is gone`.
That makes a question of a failure; the answer is the verifier's. Where there is no verifier only the plan counts. Of
some changes, which honest work often needs, a verifier is asked without a reason of the author's.
"""

import re
from collections.abc import Mapping, Sequence

from planrail.base.patterns import pattern
from planrail.base.records import replace
from planrail.base.run_model import Finding
from planrail.runs.strength.permitted_files import find_permitted

TOKEN = "TEST-CHANGE:"
OPEN = "reasoned:"  # before the kind of a finding that waits for the verifier's word
_LINE = pattern(rf"^[ \t>*`-]*{TOKEN}[ \t]*`?(?P<path>[^\s:`]+(?: [^\s:`]+)*)`?[ \t]*:[ \t]*(?P<reason>\S[^\n]*)", re.M)
_LETTERS = pattern(r"[^\W\d_]")
_FEWEST_LETTERS = 10
# What can be wanted. A failing check, or evidence that was tampered with, never is.
EXCUSABLE = frozenset(
    (
        *("test_removed", "test_skipped", "test_singled_out", "assertion_removed", "assertion_weakened"),
        *("assertion_hollow", "test_exits", "test_unreached", "failure_swallowed", "threshold_lowered"),
        *("cannot_fail", "harness_changed", "harness_unnamed", "fewer_tests", "old_test_fails", "old_tests_evaded"),
    )
)
_ASKED = frozenset(("harness_unnamed", "old_test_fails"))
_VERBS = pattern(
    r"\b(?:remov|delet|drop|skip|replac|rewrit|disabl|retir|renam|mov(?:e|ing)|merg|xfail|lower|relax|loosen|weaken|"
    r"obsolet|supersed|consolidat)\w*|\bmark\w* as (?:skipped|expected)",
    re.IGNORECASE,
)
_ADAPTS = pattern(r"\b(?:adapt|adjust|chang)\w*", re.IGNORECASE)
_NEGATION = pattern(r"\b(?:not|never|no|don['’]t|doesn['’]t|without|nor|avoid|instead of|rather than)\b", re.IGNORECASE)
_TEST_NAME = pattern(r"^the test `(?P<name>[^`]+)`|^`(?P<other>[^`]+)`")


def read_reasons(text: str) -> dict[str, str]:
    return {
        match["path"].removeprefix("./"): match["reason"].rstrip("` \t\r")
        for match in _LINE.finditer(text)
        if len(_LETTERS.findall(match["reason"])) >= _FEWEST_LETTERS
    }


def apply_reasons(findings: Sequence[Finding], phase_text: str, said: str, *, has_verifier: bool) -> list[Finding]:
    """The findings, less severe where the plan wants them; questions for the verifier where a reason was given."""
    stated, given = read_reasons(phase_text), read_reasons(said) if has_verifier else {}
    judged = [_judge(finding, phase_text, stated, given) for finding in findings]
    judged = [
        replace(one, is_failure=False, kind=OPEN + one.kind)
        if has_verifier and one.is_failure and one.kind in _ASKED
        else one
        for one in judged
    ]
    losses = [one for one in judged if one.kind.removeprefix(OPEN) in ("test_removed", "test_skipped")]
    if losses and not any(
        one.is_failure for one in losses
    ):  # that fewer tests are run follows from those that are gone
        judged = [
            replace(one, is_failure=False, text=f"{one.text} (tests were taken away, see there)")
            if one.kind == "fewer_tests"
            else one
            for one in judged
        ]
    return [replace(one, text=one.text + name_reason(one)) if one.is_failure else one for one in judged]


def name_reason(finding: Finding) -> str:
    """What to do about a change of tests that is meant: a line of a plan that says why. "" for other findings."""
    if finding.kind.removeprefix(OPEN) not in EXCUSABLE - {"fewer_tests"}:
        return ""
    return f" (where it is meant, put a line into the phase: {TOKEN} {path_of(finding.place)}: the reason)"


def open_changes(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.kind.startswith(OPEN):
            found.setdefault(path_of(finding.place), []).append(finding)
    return found


def path_of(place: str) -> str:
    path, _, line = place.rpartition(":")
    return path if path and line.isdigit() else place


def _judge(finding: Finding, text: str, stated: Mapping[str, str], given: Mapping[str, str]) -> Finding:
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
    """Whether the plan says what is to happen, in a line that names the file, a folder of it or the test. A harness is
    named by each check that runs it: there it has to be said that the file will be changed."""
    if finding.kind.startswith("harness_"):
        names = {path, path.rpartition("/")[2]} - {"__init__.py"}
        return bool(names & find_permitted(text, names.__contains__))
    # That a test is adapted makes its old form fail, and takes nothing away.
    said = (_VERBS, _ADAPTS) if finding.kind == "old_test_fails" else (_VERBS,)
    lines = [line for line in text.split("\n") if any(verbs.search(line) for verbs in said)]
    parts, match = path.split("/"), _TEST_NAME.match(finding.text)
    folders = {"/".join(parts[:count]) + "/" for count in range(1, len(parts))} - {"tests/", "test/", "src/", "spec/"}
    name = (match["name"] or match["other"] or "") if match else ""
    words = {path, parts[-1], *folders, *({name} if len(name) > 5 else ())} - {""}
    named = [re.compile(rf"(?<![\w./-]){re.escape(word)}(?![\w-])") for word in words]
    return any(not _NEGATION.search(line) and any(word.search(line) for word in named) for line in lines)
