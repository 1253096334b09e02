"""What the runners of tests print: how many passed, failed and were skipped, and which ones failed.

Read from the whole output of a run. A runner that is not known leaves everything unknown, and nothing is guessed.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice

from planrail.base.patterns import pattern
from planrail.base.records import record

_TIME = pattern(r" \(?\d+(?:\.\d+)? ?m?s\)?$")
_COLOUR = pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST = 4_000_000  # characters of an output that are read, from its end
_LONGEST_LINE = 1_000  # a program that prints longer ones wants to keep planrail busy
_MOST_NAMES = 5_000


@record
class Tally:
    """The results of tests as their runner states them; None where it does not, and no names where it gives none."""

    passed: int | None = None
    failed: int | None = None
    skipped: int | None = None
    failed_names: frozenset[str] = frozenset()
    runner: str = ""

    @property
    def is_known(self) -> bool:
        return bool(self.runner)

    @property
    def ran_nothing(self) -> bool:
        return self.is_known and self.passed == 0 and not self.failed


def read_results(output: str) -> Tally:
    """The results in an output; several runs in one output, by different runners too, are added up."""
    text = output[-_LONGEST:]
    text = _COLOUR.sub("", text) if "\x1b" in text else text
    text = "\n".join(line[:_LONGEST_LINE] for line in text.splitlines())
    # that one of its words is there is a look that costs nothing beside the readers
    readers = [read for words, read in _READERS if any(word in text for word in words)]
    found = [tally for read in readers if (tally := read(text)) is not None]
    if not found:
        return _read_plain(text) or Tally() if any(word in text for word in ("pass", "Pass", "PASS")) else Tally()
    failed, skipped = (sum(getattr(tally, what) or 0 for tally in found) for what in ("failed", "skipped"))
    known = [tally.passed for tally in found if tally.passed is not None]
    passed = sum(known) if len(known) == len(found) else None
    names = frozenset(name for tally in found for name in tally.failed_names)
    return Tally(passed, failed, skipped, names, "+".join(tally.runner for tally in found))


# The words of all runners for one test, each with the column of the tally that it counts for.
_COLUMNS = {
    **dict.fromkeys(("passed", "xpassed", "pass"), "passed"),
    **dict.fromkeys(("failed", "error", "errors", "failures", "fail", "cancelled", "unexpected successes"), "failed"),
    **dict.fromkeys(("skipped", "xfailed", "deselected", "todo", "pending", "expected failures"), "skipped"),
}


def _count(pairs: Iterable[tuple[str, str]]) -> Counter[str]:
    """The sums of the columns, over pairs of a word and its number, in any order."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        number, word = pair if pair[0].isdigit() else reversed(pair)
        counts[_COLUMNS.get(word, word)] += int(number)
    return counts


def _tell(counts: Counter[str], names: Iterable[str], runner: str) -> Tally:
    """The tally of counts; tests that ran, and neither failed nor were skipped, have passed."""
    failed, skipped = counts["failed"], counts["skipped"]
    passed = counts["ran"] - failed - skipped if "ran" in counts else counts["passed"]
    return Tally(passed, failed, skipped, frozenset(names), runner)


def _names(text: str, *marks: str) -> Iterator[str]:
    """What stands behind a mark at the beginning of a line, without the time that it took."""
    lines = (line.strip() for line in text.split("\n"))
    found = (line[len(mark) :].strip() for line in lines for mark in marks if line.startswith(mark))
    return (_TIME.sub("", name).rstrip(":") for name in islice(found, _MOST_NAMES) if name)


_PYTEST_END = pattern(r"^=*[ ]?(?P<said>(?:no tests ran|(?:\d+ [a-z]+(?:, )?)+) in [\d.]+s)", re.M)
_PYTEST_COUNT = pattern(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|deselected)")


def _read_pytest(text: str) -> Tally | None:
    ends = [end["said"] for end in _PYTEST_END.finditer(text)]
    counts = _count(pair for said in ends for pair in _PYTEST_COUNT.findall(said))
    if not counts and not any("no tests ran" in said for said in ends):
        return None
    told = (name.partition(" - ")[0] for name in _names(text, "FAILED ", "ERROR "))
    return _tell(counts, (name for name in told if " " not in name or "[" in name), "pytest")


_UNITTEST_END = pattern(r"^Ran (?P<ran>\d+) tests? in [^\n]*\n+(?:OK|FAILED|NO TESTS RAN)(?P<rest>[^\n]*)", re.M)
_UNITTEST_COUNT = pattern(r"(failures|errors|skipped|expected failures|unexpected successes)=(\d+)")
_UNITTEST_NAME = pattern(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+ \(\S+\)|\S+)", re.M)


def _read_unittest(text: str) -> Tally | None:
    ends = list(_UNITTEST_END.finditer(text))
    counts = _count(pair for end in ends for pair in (("ran", end["ran"]), *_UNITTEST_COUNT.findall(end["rest"])))
    return _tell(counts, _UNITTEST_NAME.findall(text), "unittest") if ends else None


_JEST_END = pattern(r"^[ \t]*Tests:?[ \t]+(?P<said>(?:\d+ [a-z]+[,| ]*)+(?:\(\d+\)|total|of \d+)?)", re.M)
_JEST_COUNT = pattern(r"(\d+) (passed|failed|skipped|todo|pending)")


def _read_jest(text: str) -> Tally | None:
    """Jest and Vitest: `Tests:  1 failed, 2 passed, 3 total`, `Tests  1 failed | 2 passed (3)`."""
    ends = [match["said"] for match in _JEST_END.finditer(text)]
    counts = _count(pair for said in ends for pair in _JEST_COUNT.findall(said))
    if not counts and not any("0 total" in said for said in ends):
        return None
    return _tell(counts, _names(text, "● ", "FAIL ", "× ", "✕ ") if counts["failed"] else (), "jest")


_GO_TEST = pattern(r"^[ ]*--- (?P<verdict>PASS|FAIL|SKIP): (?P<name>\S+)", re.M)
_GO_PACKAGE = pattern(r"^(?P<verdict>ok  |FAIL|---|\?   )[ ]*\t(?P<name>\S+)(?P<rest>[^\n]*)", re.M)


def _read_go(text: str) -> Tally | None:
    """`go test`: tests where they are named (-v, or failed ones), else packages.

    What passed is not known where go does not name it, which it does with -v only; 0 where there were no tests.
    """
    packages = [match for match in _GO_PACKAGE.finditer(text) if match["verdict"] != "---"]
    if not packages:
        return None
    tests = list(_GO_TEST.finditer(text))
    named = {word: [one["name"] for one in tests if one["verdict"] == word] for word in ("PASS", "FAIL", "SKIP")}
    bad = [one["name"] for one in packages if one["verdict"] == "FAIL"]
    failed = named["FAIL"] or bad
    is_unnamed = any(one["verdict"] == "ok  " and "no tests to run" not in one["rest"] for one in packages)
    passed = len(named["PASS"]) if named["PASS"] or named["SKIP"] else None if is_unnamed else 0
    return Tally(passed, len(failed), len(named["SKIP"]), frozenset((*failed, *bad)), "go")


_TAP_LINE = pattern(
    r"^(?P<not>not )?ok\b(?: (?P<number>\d+))?(?: -)?(?: (?P<name>[^\n#]*))?(?:# (?P<directive>\w+))?", re.M
)
_TAP_PLAN = pattern(r"^(?:TAP version \d+|1\.\.\d+)", re.M)


_NODE = pattern(r"^[#ℹ] (tests|pass|fail|cancelled|skipped|todo) (\d+)$", re.M)
_NODE_NAME = pattern(r"^[ ]*not ok \d+ - (\S[^\n]*)", re.M)


def _read_node_or_tap(text: str) -> Tally | None:
    """`node --test`, whose own lines say more than its TAP: a file counts as one test there."""
    told = _NODE.findall(text)
    if not {"pass", "fail"} <= {word for word, _ in told}:  # TAP, as `prove` and `bats --tap` print it
        lines = list(_TAP_LINE.finditer(text)) if _TAP_PLAN.search(text) else []
        counted = [match for match in lines if (match["directive"] or "").lower() not in ("skip", "todo")]
        failed = [(match["name"] or match["number"] or "").strip() for match in counted if match["not"]]
        found = (len(counted) - len(failed), len(failed), len(lines) - len(counted), frozenset(failed))
        return Tally(*found, "tap") if _TAP_PLAN.search(text) else None
    counts = _count(told)
    names = (*_NODE_NAME.findall(text), *(name for name in _names(text, "✖ ") if name != "failing tests"))
    return _tell(counts, names if counts["failed"] else (), "node")


# Runners whose last line says it all: by the names of its groups; and what names a test that failed.
_LINES = {
    "mocha": (
        r"^[ ]+(?P<passed>\d+) passing\b[^\n]*(?:\n[ ]+(?P<skipped>\d+) pending)?(?:\n[ ]+(?P<failed>\d+) failing)?",
        r"^[ ]+\d+\) (\S[^\n]*?)[: ]*$",
    ),
    "cargo": (
        r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored;",
        r"^test (\S[^\n]*?) \.\.\. FAILED",
    ),
    "rspec": (r"^(?P<ran>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?", r"^rspec (\S+)"),
    "phpunit": (
        r"^Tests: (?P<ran>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failures>\d+))?",
        "",
    ),
    "maven": (
        r"Tests run: (?P<ran>\d+), Failures: (?P<failures>\d+), Errors: (?P<errors>\d+), Skipped: (?P<skipped>\d+) *$",
        "",
    ),
}
_SHAPES = {runner: (pattern(end, re.M), pattern(name, re.M)) for runner, (end, name) in _LINES.items()}


def _read_lines(runner: str, text: str) -> Tally | None:
    """All lines of that shape, added up; the last one of Maven is the sum of those before it."""
    end, name = _SHAPES[runner]
    found = list(end.finditer(text))[-1 if runner == "maven" else 0 :]
    counts = _count((word, number or "0") for match in found for word, number in match.groupdict().items())
    names = name.findall(text) if _LINES[runner][1] and counts["failed"] else ()
    return _tell(counts, names, runner) if found else None


_PLAIN = pattern(
    r"(?<!\d)(?P<passed>\d+)(?:/(?P<total>\d+))?[ \t]+(?:tests? )?pass(?:ed|es|ing)?\b[,;. \t\n|]{1,20}"
    r"(?:and )?(?P<failed>\d+)\s+(?:tests? )?fail(?:ed|ures?|s|ing)?\b(?:[,;\s|]+(?P<skipped>\d+) skipped)?",
    re.I,
)
_PLAIN_FAILS = ("FAIL: ", "FAIL ", "FAILED: ", "FAILED ", "FAILURE: ", "✗ ", "✖ ", "✘ ", "not ok ")


def _read_plain(text: str) -> Tally | None:
    """Any runner that says "N passed, M failed"; the last time that it does."""
    matches = list(_PLAIN.finditer(text))
    if not matches:
        return None
    passed, total, failed, skipped = (int(number or 0) for number in matches[-1].groups())
    failed = max(failed, total - passed - skipped) if total else failed
    return Tally(passed, failed, skipped, frozenset(_names(text, *_PLAIN_FAILS) if failed else ()), "plain")


# Each reader with words of which one is in everything that it can read.
_READERS: tuple[tuple[tuple[str, ...], Callable[[str], Tally | None]], ...] = (
    (("passed", "failed", "skipped", "no tests ran", "error", "xfailed", "deselected"), _read_pytest),
    (("Ran ",), _read_unittest),
    (("Tests",), _read_jest),
    ((" passing",), partial(_read_lines, "mocha")),
    (("ok  \t", "FAIL\t", "?   \t", "ok  ", "?   "), _read_go),
    (("test result: ",), partial(_read_lines, "cargo")),
    (("\n1..", "TAP version", "ℹ ", "# pass ", "1.."), _read_node_or_tap),
    ((" example",), partial(_read_lines, "rspec")),
    (("Assertions: ",), partial(_read_lines, "phpunit")),
    (("Tests run: ",), partial(_read_lines, "maven")),
)
