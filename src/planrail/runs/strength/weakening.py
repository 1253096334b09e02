"""Were tests weakened? The tests of the base and of the work, compared: what is gone, skipped, emptied or demands less.

Nothing here is forgiven: a finding is a failure until `test_reasons` finds that the plan wants it, or a reason stands.
A rename or a move is no loss: a test is looked for under its name everywhere, then by what it asserts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.base.wording import plural
from planrail.runs.strength.blocks import Block, find_lowered, find_marks, is_comment, read_blocks
from planrail.runs.strength.files import is_collected, is_steering, is_test, is_text

# What a file was and what it is; None where it was not, or is no more.
Changes = Mapping[str, tuple[bytes | None, bytes | None]]
# Tests that are new where they stand, with the file.
Newcomers = list[tuple[str, Block]]
_MOST_LINES = 3  # of a test that are quoted
_LONGEST_LINE = 160
# Outside of tests and their settings only what names itself a limit: a number in a source may mean anything.
_LIMITS = ("fail_under", "fail-under", "threshold", "max-warnings", "minimumcoverage", "min_coverage")
_SNAPSHOTS = (".snap", ".ambr", ".golden", ".approved.txt")
_TEST_CLASS = pattern(r"class Test|class .*TestCase")
_SAID = {
    "test_skipped": "is skipped now",
    "test_singled_out": "makes the runner leave out all other tests",
    "assertion_hollow": "asserts what holds for anything",
    "test_exits": "ends the run with success, whatever failed",
    "test_unreached": "keeps what follows from being reached",
    "failure_swallowed": "swallows a failure",
}


@record
class Pair:
    """A test file before and after, taken apart."""

    path: str
    old: dict[str, Block] | None
    new: dict[str, Block] | None


def find_weakened(changes: Changes, *, files: Iterable[str] = ()) -> list[Finding]:
    """All the ways in which the changes take force away from tests. `files` are globs of the project's settings."""
    globs = tuple(files)
    tests = [_take_apart(path, *pair) for path, pair in sorted(changes.items()) if _concerns(path, pair, globs)]
    newcomers = [
        (file.path, block) for file in tests for name, block in (file.new or {}).items() if name not in (file.old or {})
    ]
    found = [finding for file in tests for finding in _judge_file(file, newcomers)]
    for path, (old, new) in sorted(changes.items()):
        if old is not None and new is not None:
            whole = is_steering(path) or _concerns(path, (old, new), globs)
            wanted = () if whole else _LIMITS
            for before, after in find_lowered(_lines(old, wanted), _lines(new, wanted)):
                text = f"less is demanded than before: `{before[:_LONGEST_LINE]}` became `{after[:_LONGEST_LINE]}`"
                found.append(Finding("threshold_lowered", text, path))
    return found


def changed_tests(changes: Changes, *, files: Iterable[str] = ()) -> list[str]:
    globs = tuple(files)
    return [path for path, pair in sorted(changes.items()) if pair[1] is not None and _concerns(path, pair, globs)]


def changes_tests_only(changes: Changes, *, files: Iterable[str] = ()) -> bool:
    """Whether tests were added and nothing else was done: then they may well pass on the old code.

    A test that asserts something else than before is not added: it may have been made to agree with what is wrong.
    """
    globs = tuple(files)
    tests = {path: pair for path, pair in changes.items() if not is_text(path)}
    for path, pair in tests.items():
        file = _take_apart(path, *pair)
        after, old = file.new or read_blocks(path, ""), (file.old or {}).items()
        grows = all(
            name in after and not Counter(one.assertions) - Counter(after[name].assertions) for name, one in old
        )
        if not grows or not _concerns(path, pair, globs):
            return False
    return True


def _concerns(path: str, pair: tuple[bytes | None, bytes | None], files: tuple[str, ...]) -> bool:
    return is_test(path, decode(pair[0]) + decode(pair[1]), files=files)


def _take_apart(path: str, *pair: bytes | None) -> Pair:
    return Pair(path, *(None if data is None else read_blocks(path, decode(data)) for data in pair))


def _judge_file(file: Pair, newcomers: Newcomers) -> Iterator[Finding]:
    if file.path.endswith(_SNAPSHOTS) and file.old is not None and file.new is not None:
        text = "what tests compare with was recorded anew"
        yield Finding("snapshot_changed", text, file.path, is_failure=False)
    if file.old is not None:
        yield from _judge_old_tests(file, file.old, newcomers)
    if file.old is not None and file.path.endswith(".py") and file.new:
        # a class whose name no longer begins with Test hides all its tests from pytest
        old, new = (
            [line for block in blocks.values() for line in block.lines if _TEST_CLASS.match(line)]
            for blocks in (file.old, file.new)
        )
        if len(new) < len(old):
            gone = list((Counter(old) - Counter(new)).elements())
            yield Finding("test_removed", f"a class of tests is none any more{_quote(gone)}", file.path)
    for name, block in (file.new or {}).items():
        before = (file.old or {}).get(name)
        yield from _judge_marks(file, before, block)


def _judge_old_tests(file: Pair, old: dict[str, Block], newcomers: Newcomers) -> Iterator[Finding]:
    kept, elsewhere = file.new or {}, Elsewhere(file.path, newcomers)
    if not any(block.lines for block in kept.values()):
        lost = [name for name, block in old.items() if name and elsewhere.find(block) is None]
        has_tests = any(old) or any(block.assertions for block in old.values())
        if lost or (has_tests and not any(old)):
            what = "is gone" if file.new is None else "is empty now"
            with_it = f", and with it {plural(len(lost), 'test')}: {', '.join(lost[:5])}" if lost else ""
            yield Finding("test_removed", f"the test file {what}{with_it}", file.path)
        return
    for name, block in old.items():
        now = kept.get(name) or elsewhere.find(block)
        if now is None:
            text = f"the test `{name}` is gone{_quote(block.assertions)}"
            yield Finding("test_removed", text, f"{file.path}:{block.line}")
        else:
            yield from _compare(file, block, now)


class Elsewhere:
    """The tests that are new where they stand: a test that is gone from its place may be one of them.

    Only those count that a runner finds as it found the file before: a test that moved to where nobody looks is gone.
    """

    def __init__(self, path: str, newcomers: Newcomers) -> None:
        self._by_name: dict[str, Block] = {}
        self._by_assertion: dict[str, list[Block]] = {}
        for place, block in newcomers:
            if is_collected(place) or not is_collected(path):
                self._by_name.setdefault(block.name, block)
                for line in set(block.assertions):
                    self._by_assertion.setdefault(line, []).append(block)

    def find(self, block: Block) -> Block | None:
        """The test under its name in another file, or under another name with all that it asserted."""
        if block.name and block.name in self._by_name:
            return self._by_name[block.name]
        wanted = Counter(block.assertions)
        rarest = min((self._by_assertion.get(line, []) for line in wanted), key=len, default=[])
        return next((other for other in rarest if not wanted - Counter(other.assertions)), None)


def _compare(file: Pair, old: Block, new: Block) -> Iterator[Finding]:
    gone = list((Counter(old.assertions) - Counter(new.assertions)).elements())
    where, what = f"{file.path}:{new.line}", f"`{old.name}`" if old.name else "the file"
    if len(new.assertions) < len(old.assertions):
        lost = len(old.assertions) - len(new.assertions)
        text = f"{what} asserts less: {lost} of {len(old.assertions)} assertions are gone{_quote(gone)}"
        yield Finding("assertion_removed", text, where)
    elif new.strength < old.strength:
        yield Finding("assertion_weakened", f"{what} compares less exactly than before{_quote(gone)}", where)
    elif gone:
        yield Finding("assertion_changed", f"{what} asserts something else now{_quote(gone)}", where, is_failure=False)


def _judge_marks(file: Pair, before: Block | None, block: Block) -> Iterator[Finding]:
    added = Counter(block.lines) - Counter(before.lines if before is not None else ())
    is_new_test = before is None or file.old is None
    lines = (line for line in added.elements() if not is_comment(line) or line.startswith("//go:build"))
    for kind, line, is_conditional in find_marks(lines):
        if kind in ("test_unreached", "failure_swallowed") and (is_new_test or not block.name):
            continue  # ordinary code in a helper or in a new test, which has to fail on the old code anyway
        mild = is_new_test and (is_conditional or kind == "test_exits")
        what = f"`{block.name}`" if block.name else "the file"
        text = f"{what}: this line {_SAID[kind]}: {line[:_LONGEST_LINE]}"
        yield Finding(kind, text, f"{file.path}:{block.line}", is_failure=not mild)
    if is_new_test and block.name and not block.assertions:
        text = f"the new test `{block.name}` asserts nothing that planrail can see"
        yield Finding("no_assertion", text, f"{file.path}:{block.line}", is_failure=False)


def _quote(lines: Iterable[str]) -> str:
    listed = [line[:_LONGEST_LINE] for line in lines]
    return f" ({'; '.join(listed[:_MOST_LINES])}{'; …' if len(listed) > _MOST_LINES else ''})" if listed else ""


def _lines(data: bytes, wanted: tuple[str, ...]) -> list[str]:
    """The lines without their indentation; only those with one of the words, where there are any."""
    text = decode(data)
    if wanted and not any(word in text.lower() for word in wanted):
        return []
    lines = (" ".join(line.split()).rstrip(";,") for line in text.split("\n"))
    return [line for line in lines if not wanted or any(word in line.lower() for word in wanted)]


def decode(data: bytes | None) -> str:
    """The text of a file; none where it is absent."""
    return (data or b"").decode(errors="replace")
