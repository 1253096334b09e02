"""What the runners of tests print: how many passed, failed and were skipped, and which ones failed.

Read from the whole output of a run. A runner that is not known leaves everything unknown, and nothing is guessed.
"""

import re
from collections.abc import Iterator
from itertools import islice

from planrail.base.patterns import pattern
from planrail.base.records import record

_TIME = pattern(r" \(?\d+(?:\.\d+)? ?m?s\)?$")
_COLOUR = pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST = 4_000_000  # characters of an output that are read, from its end
_LONGEST_LINE = 1_000  # whoever prints longer ones wants to keep us busy
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
    found = [tally for words, read in _READERS if _has(text, words) and (tally := read(text)) is not None]
    if found:
        return _add_up(found)
    return _read_plain(text) or Tally() if _has(text, ("pass", "Pass", "PASS")) else Tally()


def _has(text: str, words: tuple[str, ...]) -> bool:
    """Whether any of the words is there: a look that costs nothing beside the readers."""
    return any(word in text for word in words)


def _add_up(tallies: list[Tally]) -> Tally:
    failed, skipped = (sum(getattr(tally, what) or 0 for tally in tallies) for what in ("failed", "skipped"))
    known = [tally.passed for tally in tallies if tally.passed is not None]
    passed = sum(known) if len(known) == len(tallies) else None
    names = frozenset(name for tally in tallies for name in tally.failed_names)
    return Tally(passed, failed, skipped, names, "+".join(tally.runner for tally in tallies))


def _pairs(shape: re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    return ((match[1], match[2]) for match in shape.finditer(text))


def _names(text: str, *marks: str) -> Iterator[str]:
    """What stands behind a mark at the beginning of a line, without the time that it took."""
    lines = (line.strip() for line in text.split("\n"))
    found = (line[len(mark) :].strip() for line in lines for mark in marks if line.startswith(mark))
    return (_TIME.sub("", name).rstrip(":") for name in islice(found, _MOST_NAMES) if name)


def _sum(matches: Iterator[re.Match[str]], *names: str) -> list[int] | None:
    """The sums of named numbers over all matches; None where there is no match."""
    rows = [[int(match[name] or 0) for name in names] for match in matches]
    return [sum(column) for column in zip(*rows, strict=True)] if rows else None


_PYTEST_END = pattern(r"^=*[ ]?(?P<said>(?:no tests ran|(?:\d+ [a-z]+(?:, )?)+) in [\d.]+s)", re.M)
_PYTEST_COUNT = pattern(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|deselected)")


def _read_pytest(text: str) -> Tally | None:
    ends = list(_PYTEST_END.finditer(text))
    counts = [(int(number), word) for end in ends for number, word in _pairs(_PYTEST_COUNT, end["said"])]
    if not ends or not (counts or any("no tests ran" in end["said"] for end in ends)):
        return None
    total = {word: sum(number for number, found in counts if found.startswith(word)) for word in _PYTEST_WORDS}
    skipped = total["skipped"] + total["xfailed"] + total["deselected"]
    told = (name.partition(" - ")[0] for name in _names(text, "FAILED ", "ERROR "))
    names = frozenset(name for name in told if " " not in name or "[" in name)
    return Tally(total["passed"] + total["xpassed"], total["failed"] + total["error"], skipped, names, "pytest")


_PYTEST_WORDS = ("passed", "failed", "error", "skipped", "xfailed", "xpassed", "deselected")
_UNITTEST_END = pattern(r"^Ran (?P<ran>\d+) tests? in [^\n]*\n+(?:OK|FAILED|NO TESTS RAN)(?P<rest>[^\n]*)", re.M)
_UNITTEST_COUNT = pattern(r"(failures|errors|skipped|expected failures|unexpected successes)=(\d+)")
_UNITTEST_NAME = pattern(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+ \(\S+\)|\S+)", re.M)


def _read_unittest(text: str) -> Tally | None:
    ends = list(_UNITTEST_END.finditer(text))
    if not ends:
        return None
    ran = sum(int(end["ran"]) for end in ends)
    counts: dict[str, int] = {}
    for end in ends:
        for word, number in _pairs(_UNITTEST_COUNT, end["rest"]):
            counts[word] = counts.get(word, 0) + int(number)
    failed = counts.get("failures", 0) + counts.get("errors", 0) + counts.get("unexpected successes", 0)
    skipped = counts.get("skipped", 0) + counts.get("expected failures", 0)
    return Tally(ran - failed - skipped, failed, skipped, frozenset(_UNITTEST_NAME.findall(text)), "unittest")


_JEST_END = pattern(r"^[ \t]*Tests:?[ \t]+(?P<said>(?:\d+ [a-z]+[,| ]*)+(?:\(\d+\)|total|of \d+)?)", re.M)
_JEST_COUNT = pattern(r"(\d+) (passed|failed|skipped|todo|pending)")


def _read_jest(text: str) -> Tally | None:
    """Jest and Vitest: `Tests:  1 failed, 2 passed, 3 total`, `Tests  1 failed | 2 passed (3)`."""
    ends = [match["said"] for match in _JEST_END.finditer(text)]
    counts = [(int(number), word) for said in ends for number, word in _pairs(_JEST_COUNT, said)]
    if not ends or (not counts and not any("0 total" in said for said in ends)):
        return None
    of = {word: sum(number for number, found in counts if found == word) for _, word in counts}
    skipped = of.get("skipped", 0) + of.get("todo", 0) + of.get("pending", 0)
    names = frozenset(_names(text, "● ", "FAIL ", "× ", "✕ ")) if of.get("failed") else frozenset()
    return Tally(of.get("passed", 0), of.get("failed", 0), skipped, names, "jest")


_MOCHA_END = pattern(
    r"^[ ]+(?P<passed>\d+) passing\b[^\n]*(?:\n[ ]+(?P<skipped>\d+) pending)?(?:\n[ ]+(?P<failed>\d+) failing)?", re.M
)
_MOCHA_NAME = pattern(r"^[ ]+\d+\) (\S[^\n]*)", re.M)


def _read_mocha(text: str) -> Tally | None:
    sums = _sum(_MOCHA_END.finditer(text), "passed", "failed", "skipped")
    if sums is None:
        return None
    names = frozenset(name.rstrip(": ") for name in _MOCHA_NAME.findall(text)) if sums[1] else frozenset()
    return Tally(sums[0], sums[1], sums[2], names, "mocha")


_GO_TEST = pattern(r"^[ ]*--- (?P<verdict>PASS|FAIL|SKIP): (?P<name>\S+)", re.M)
_GO_PACKAGE = pattern(r"^(?P<verdict>ok  |FAIL|---|\?   )[ ]*\t(?P<name>\S+)(?P<rest>[^\n]*)", re.M)


def _read_go(text: str) -> Tally | None:
    """`go test`: tests where they are named (-v, or failed ones), else packages."""
    packages = [match for match in _GO_PACKAGE.finditer(text) if match["verdict"] != "---"]
    if not packages:
        return None
    tests = list(_GO_TEST.finditer(text))
    named = {word: [one["name"] for one in tests if one["verdict"] == word] for word in ("PASS", "FAIL", "SKIP")}
    bad = [one["name"] for one in packages if one["verdict"] == "FAIL"]
    failed = named["FAIL"] or bad
    passed = len(named["PASS"]) if tests and (named["PASS"] or named["SKIP"]) else _unnamed(packages)
    return Tally(passed, len(failed), len(named["SKIP"]), frozenset((*failed, *bad)), "go")


def _unnamed(packages: list[re.Match[str]]) -> int | None:
    """None where tests passed that go does not name, which it does with -v only; 0 where there were none."""
    return None if any(one["verdict"] == "ok  " and "no tests to run" not in one["rest"] for one in packages) else 0


_CARGO_END = pattern(
    r"^test result: \w+\. (?P<passed>\d+) passed; (?P<failed>\d+) failed; (?P<skipped>\d+) ignored;"
    r"(?: (?P<measured>\d+) measured;)?(?: (?P<filtered>\d+) filtered out)?",
    re.M,
)
_CARGO_NAME = pattern(r"^test (\S[^\n]*?) \.\.\. FAILED", re.M)


def _read_cargo(text: str) -> Tally | None:
    sums = _sum(_CARGO_END.finditer(text), "passed", "failed", "skipped")
    if sums is None:
        return None
    return Tally(sums[0], sums[1], sums[2], frozenset(_CARGO_NAME.findall(text)), "cargo")


_TAP_LINE = pattern(
    r"^(?P<not>not )?ok\b(?: (?P<number>\d+))?(?: -)?(?: (?P<name>[^\n#]*))?(?:# (?P<directive>\w+))?", re.M
)
_TAP_PLAN = pattern(r"^(?:TAP version \d+|1\.\.\d+)", re.M)


def _read_tap(text: str) -> Tally | None:
    """TAP, as `prove`, `bats --tap` and `node --test` print it; only what stands at the beginning of a line."""
    if not _TAP_PLAN.search(text):
        return None
    passed = failed = skipped = 0
    names = set()
    for match in _TAP_LINE.finditer(text):
        if (match["directive"] or "").lower() in ("skip", "todo"):
            skipped += 1
        elif match["not"]:
            failed += 1
            names.add((match["name"] or match["number"] or "").strip())
        else:
            passed += 1
    return Tally(passed, failed, skipped, frozenset(names), "tap")


_NODE = pattern(r"^[#ℹ] (tests|pass|fail|cancelled|skipped|todo) (\d+)$", re.M)
_NODE_NAME = pattern(r"^[ ]*not ok \d+ - (\S[^\n]*)", re.M)


def _read_node(text: str) -> Tally | None:
    """`node --test`, whose own lines say more than its TAP: a file counts as one test there."""
    counts: dict[str, int] = {}
    for word, number in _pairs(_NODE, text):
        counts[word] = counts.get(word, 0) + int(number)
    if "pass" not in counts or "fail" not in counts:
        return None
    failed = counts["fail"] + counts.get("cancelled", 0)
    names = (
        frozenset(_NODE_NAME.findall(text)) | frozenset(name for name in _names(text, "✖ ") if name != "failing tests")
        if failed
        else frozenset()
    )
    return Tally(counts["pass"], failed, counts.get("skipped", 0) + counts.get("todo", 0), names, "node")


_PLAIN = pattern(
    r"(?<!\d)(?P<passed>\d+)(?:/(?P<total>\d+))?[ \t]+(?:tests? )?pass(?:ed|es|ing)?\b[,;. \t\n|]{1,20}"
    r"(?:and )?(?P<failed>\d+)\s+(?:tests? )?fail(?:ed|ures?|s|ing)?\b(?:[,;\s|]+(?P<skipped>\d+) skipped)?",
    re.I,
)
_PLAIN_FAILS = ("FAIL: ", "FAIL ", "FAILED: ", "FAILED ", "FAILURE: ", "✗ ", "✖ ", "✘ ", "not ok ")
_PHPUNIT = pattern(
    r"^Tests: (?P<ran>\d+), Assertions: \d+(?:, Errors: (?P<errors>\d+))?(?:, Failures: (?P<failures>\d+))?", re.M
)
_RSPEC = pattern(r"^(?P<ran>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<skipped>\d+) pending)?", re.M)
_RSPEC_NAME = pattern(r"^rspec (\S+)", re.M)
_SUREFIRE = pattern(
    r"Tests run: (?P<ran>\d+), Failures: (?P<failures>\d+), Errors: (?P<errors>\d+), Skipped: (?P<skipped>\d+)[ ]*$",
    re.M,
)


def _read_plain(text: str) -> Tally | None:
    """Any runner that says "N passed, M failed"; the last time that it does."""
    matches = list(_PLAIN.finditer(text))
    if not matches:
        return None
    last = matches[-1]
    passed, failed = int(last["passed"]), int(last["failed"])
    total = int(last["total"] or 0)
    failed = max(failed, total - passed - int(last["skipped"] or 0)) if total else failed
    names = frozenset(_names(text, *_PLAIN_FAILS)) if failed else frozenset()
    return Tally(passed, failed, int(last["skipped"] or 0), names, "plain")


def _read_rspec(text: str) -> Tally | None:
    sums = _sum(_RSPEC.finditer(text), "ran", "failed", "skipped")
    if sums is None:
        return None
    names = frozenset(_RSPEC_NAME.findall(text))
    return Tally(sums[0] - sums[1] - sums[2], sums[1], sums[2], names, "rspec")


def _read_phpunit(text: str) -> Tally | None:
    sums = _sum(_PHPUNIT.finditer(text), "ran", "errors", "failures")
    return None if sums is None else Tally(sums[0] - sums[1] - sums[2], sums[1] + sums[2], 0, runner="phpunit")


def _read_surefire(text: str) -> Tally | None:
    """Maven: the last line is the sum of those before it."""
    matches = list(_SUREFIRE.finditer(text))
    if not matches:
        return None
    ran, failures, errors, skipped = (int(number) for number in matches[-1].groups())
    return Tally(ran - failures - errors - skipped, failures + errors, skipped, runner="maven")


def _read_node_or_tap(text: str) -> Tally | None:
    return _read_node(text) or _read_tap(text)


# Each reader with words of which one is in everything that it can read.
_READERS = (
    (("passed", "failed", "skipped", "no tests ran", "error", "xfailed", "deselected"), _read_pytest),
    (("Ran ",), _read_unittest),
    (("Tests",), _read_jest),
    ((" passing",), _read_mocha),
    (("ok  \t", "FAIL\t", "?   \t", "ok  ", "?   "), _read_go),
    (("test result: ",), _read_cargo),
    (("\n1..", "TAP version", "ℹ ", "# pass ", "1.."), _read_node_or_tap),
    ((" example",), _read_rspec),
    (("Assertions: ",), _read_phpunit),
    (("Tests run: ",), _read_surefire),
)
