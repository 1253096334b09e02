"""A test file taken apart: its tests by name, what each of them asserts, and what else stands in it. Any language.

Nothing is parsed. A test begins where a line says so and goes on to the next one; that is enough to compare two
versions of a file, and holds for a dozen languages.
"""

import re
from collections import Counter
from collections.abc import Iterator

from planrail.base.patterns import pattern
from planrail.base.records import record

_TITLE = r"(?P<quote>['\"`])(?P<title>(?:\\.|(?!(?P=quote)).)+)(?P=quote)"
_PYTHON = pattern(r"^[ \t]*(?:async )?def (?P<name>test\w*)[ \t]*\(", re.M)
_SCRIPT = pattern(
    rf"^[ \t]*[xf]?(?:it|test|specify|Deno\.test|bench)(?:\.\w+)*(?:\([^'\"`\n]*\)|`[^`]{{0,2000}}`)?"
    rf"\s{{0,20}}\(\s{{0,20}}{_TITLE}",
    re.M,
)
_GO = pattern(r"^func (?P<name>(?:Test|Benchmark|Fuzz|Example)\w*)\(", re.M)
_RUST = pattern(
    r"^[ \t]*#\[(?:\w+::)*(?:test|rstest|test_case)\b[^\n]*\n(?:[ \t]*(?:#\[[^\n]*|//[^\n]*)?\n){0,20}"
    r"[ \t]*(?:pub )?(?:async )?fn (?P<name>\w+)",
    re.M,
)
_RUBY = pattern(
    rf"^[ \t]*(?:[xf]?(?:it|specify|scenario|example|test|should)\b\s*\(?\s*{_TITLE}|def (?P<name>test_\w+))", re.M
)
_BRACES = pattern(
    r"^[ \t]*(?:@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b|#\[Test\])"
    r"(?:[^\n]*\n){1,6}?[^\n]*?\b(?:void|fun|function|Task|func)\s+`?(?P<name>[\w ]+?)`?\s*\("
    r"|^[ \t]*(?:public |private |@objc )*(?:function|func|fun|void)\s+(?P<other>test\w*)\s*\(",
    re.M,
)
_SHELL = pattern(rf"^[ \t]*(?:@test\s+{_TITLE}|(?:function\s+)?(?P<name>test\w*)\s*\(\))", re.M)
_C = pattern(
    r"^[ \t]*(?:(?:TYPED_)?TEST(?:_F|_P)?\s*\(\s*(?P<name>\w+\s*,\s*\w+)|"
    r"(?:TEST_CASE|SCENARIO)\s*\(\s*\"(?P<other>[^\"\n]+)\""
    r"|(?:static )?(?:void|int) (?P<third>test_\w+)\s*\()",
    re.M,
)
_ELIXIR = pattern(rf"^[ \t]*(?:test|property)\s+{_TITLE}", re.M)
_GHERKIN = pattern(r"^[ \t]*Scenario(?: Outline)?:[ \t]*(?P<name>[^\n]+)", re.M)
_STARTS = {
    **dict.fromkeys(("py",), _PYTHON),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"), _SCRIPT),
    **dict.fromkeys(("go",), _GO),
    **dict.fromkeys(("rs",), _RUST),
    **dict.fromkeys(("rb",), _RUBY),
    **dict.fromkeys(("java", "kt", "kts", "scala", "groovy", "cs", "php", "swift"), _BRACES),
    **dict.fromkeys(("sh", "bash", "bats"), _SHELL),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "m", "mm"), _C),
    **dict.fromkeys(("ex", "exs"), _ELIXIR),
    **dict.fromkeys(("feature",), _GHERKIN),
    **dict.fromkeys(("dart",), _SCRIPT),
}
_ASSERTION = pattern(
    r"\bassert\w*\b!?|\bexpect\w*\s*[({.!<]|\.should\b|\bshould\.|\bt\.(?:Error|Fatal|Fail)\w*\(|\brequire\.[A-Z]\w*\(|"
    r"\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(|\bXCTAssert\w*|\b(?:pytest\.)?raises\(|\bverify\(|"
    r"\b(?:must|wont)_\w+|\bpanic!\(|\bis_deeply\b|\brefute\w*\b|\bcheck\.(?:equal|that)\(|#expect\("
)
_SHELL_ASSERTION = pattern(
    r"^(?:\S+ (?:&& )?)?(?:\[\[? |test |! )|\bgrep\b|\bdiff\b|\bcmp\b|\bexit [1-9]|\bassert\w*\b|\bfail\b|\brefute\w*\b"
)
_GHERKIN_ASSERTION = pattern(r"^(?:Then|And|But)\b")
_STRONG = pattern(
    r"(?<![=!<>])==(?!=)|===|\bassert(?:_|\w*)(?:[Ee]qual|[Ee]q|Same|Dict|List|Json|Raises|Throws|Match|Regex)\w*|"
    r"\bto(?:Strict|Deep)?(?:Be|Eq|Equal|Match\w*|StrictEqual|Throw\w*|HaveLength|HaveBeenCalledWith)\(|"
    r"\.(?:equal|equals|eql|deepEqual|strictEqual|deepStrictEqual|isEqualTo|containsExactly\w*|Equal\w*|EqualError)\(|"
    r"\b(?:EXPECT|ASSERT)_(?:EQ|STREQ|FLOAT_EQ|DOUBLE_EQ|THROW)|\bXCTAssert(?:Equal|Throws)\w*|\braises\(|"
    r"\beq\(|\bmust_equal|\bcmp\b|\bdiff\b|\[\[? .*=.*\]|\bto eq\b|assert_eq!|assert_ne!|\bis_deeply\b"
)
_COMMENT = pattern(r"^(?:#(?![\[!]|expect)|//|/?\*|--|\"\"\"|''')")
_LARGEST = 1_000_000  # characters of a file that is taken apart
_LONGEST_LINE = 1_000
_ABOVE = pattern(r"^[ \t]*(?:@|#\[|\[\w|//|#|/?\*)")


@record
class Block:
    """One test: its name, with a number where there are several of that name, and its lines without blanks."""

    name: str
    line: int
    lines: tuple[str, ...]
    assertions: tuple[str, ...]

    @property
    def strength(self) -> int:
        """How many of the assertions compare with something, rather than look whether anything is there."""
        return sum(1 for line in self.assertions if _STRONG.search(line))


def read_blocks(path: str, text: str) -> dict[str, Block]:
    """The tests of a file by name; what stands before the first one, or all of a file of no known kind, is ""."""
    suffix = path.rpartition(".")[2].lower()
    found: dict[str, Block] = {}
    start = _STARTS.get(suffix) if len(text) <= _LARGEST else None
    text = "\n".join(line[:_LONGEST_LINE] for line in text.split("\n"))
    counts: Counter[str] = Counter()
    for name, line, body in _cut(text, start):
        counts[name] += 1
        unique = name if counts[name] == 1 else f"{name} #{counts[name]}"
        lines = tuple(stripped for one in body.split("\n") if (stripped := " ".join(one.split()).rstrip(";,")))
        found[unique] = Block(unique, line, lines, tuple(one for one in lines if is_assertion(one, suffix)))
    return found


def is_assertion(line: str, suffix: str) -> bool:
    """Whether a line, without its indentation, asserts something."""
    if _COMMENT.match(line) or line.startswith(("import ", "from ", "use ", "#include", "using ")):
        return False
    if suffix in ("sh", "bash", "bats", "t"):
        return _SHELL_ASSERTION.search(line) is not None
    if suffix == "feature":
        return _GHERKIN_ASSERTION.match(line) is not None
    return _ASSERTION.search(line) is not None


def is_comment(line: str) -> bool:
    return _COMMENT.match(line) is not None


def _cut(text: str, start: re.Pattern[str] | None) -> Iterator[tuple[str, int, str]]:
    marks = list(start.finditer(text)) if start is not None else []
    begins = []
    for match in marks:
        start_at = text.rfind("\n", 0, match.start()) + 1
        while start_at > 0:  # decorators and attributes belong to the test under them
            above = text.rfind("\n", 0, start_at - 1) + 1
            if not _ABOVE.match(text[above : start_at - 1]):
                break
            start_at = above
        begins.append(start_at)
    yield "", 1, text[: begins[0]] if begins else text
    line, seen = 1, 0
    for at, match in enumerate(marks):
        end = begins[at + 1] if at + 1 < len(marks) else len(text)
        line, seen = line + text.count("\n", seen, match.end()), match.end()
        groups = match.groupdict()
        name = next(groups[key] for key in ("name", "title", "other", "third") if groups.get(key))
        yield " ".join(name.split()), line, text[begins[at] : end]
