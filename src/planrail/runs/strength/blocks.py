"""A test file taken apart: its tests by name, what each of them asserts, and what else stands in it. Any language.
Lines that take a test's force away: skips, exits, assertions that hold for anything, code that is never reached.

Nothing is parsed. A test begins where a line says so and goes on to the next one; that is enough to compare two
versions of a file, and holds for a dozen languages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

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


_NUMBER = pattern(r"(?<![\w.])-?\d+(?:_\d+)*(?:\.\d+)?(?:[eE]-?\d+)?(?![\w.])")
# Where more is weaker; else less is, where the line demands something at all.
_TOLERANCE = pattern(
    r"<=|<(?![\w=]*>)|\btoBeLess\w*|assertLess|\bLess\w*\(|\bmax\w*|at most|toleran|delta|epsilon|"
    r"\beps\b|\babs=|\brel=|\batol|"
    r"\brtol|timeout|retries|reruns|max-warnings|allowed|flak|within|(?<!Be)closeTo\(|AlmostEqual\(.*delta",
    re.IGNORECASE,
)
_DEMAND = pattern(
    r">=|>(?![\w]*>)|\btoBeGreater\w*|assertGreater|\bGreater\w*\(|\bmin\w*|at least|fail[-_]under|threshold|coverage|"
    r"\b(?:branches|functions|lines|statements)\b|toBeCloseTo|places=|precision|toHaveLength|num_?(?:runs|examples)|"
    r"max_examples|iterations|repeat",
    re.IGNORECASE,
)
_ARROW = pattern(r"->|=>|<-|<[/\w]+>")


_SUITES = r"(?:it|test|describe|context|suite|specify)"
_CONDITIONAL = pattern(
    r"skipif\b|skipUnless\b|skipIf\b|importorskip|testing\.Short\(\)|\.skipIf\(|\.runIf\(|EnabledIf|DisabledIf"
)
_KINDS = (
    (
        "test_skipped",
        pattern(
            r"\bpytest\.mark\.(?:skip|xfail)|\bpytest\.(?:skip|xfail|importorskip)\(|\bunittest\.(?:skip|expectedFailure)|"
            r"\bself\.skipTest\(|\bSkipTest\b|@(?:skip|expectedFailure|skipIf|skipUnless)\b|"
            rf"\b{_SUITES}(?:\.\w+)*\.(?:skip|todo|fails?|fixme|skipIf|failing)\b|\bx{_SUITES}\s*[(.'\"]|"
            r"\bskip\s*:\s*(?:true|['\"])|\{\s*(?:todo|skip)\b|\bthis\.skip\(|\bt\.Skip(?:f|Now)?\(|#\[ignore\b|"
            r"@(?:Disabled|Ignore)\b|\[Ignore|\bSkip\s*=\s*\"|markTest(?:Skipped|Incomplete)|\bXCTSkip|@tag :skip|"
            r"\bGTEST_SKIP|\bDISABLED_|@Ignore\b|//go:build ignore|#!\[cfg\(any\(\)\)\]|\bcollect_ignore|"
            r"\bpytest_plugins\b|^skip(?:\s+['\"].*)?$|^pending\b|\bskip_all\b|\b__test__ = False"
        ),
    ),
    ("test_singled_out", pattern(rf"\b{_SUITES}\.only\b|\bf(?:it|describe|context)\s*\(|\bfocus:\s*true")),
    (
        "assertion_hollow",
        pattern(
            r"\bassert (?:True|1|not False)\b(?! *[-+*/%.(=<>!&|]| and| or| in| is)|"
            r"\bassertTrue\(\s*True\b|\bassertFalse\(\s*False\b|"
            r"\bassert(?:Equals?|Is)?\(\s*(\w+)\s*,\s*\1\s*\)|\bassert (\w+) == \2$|\bassert!?\(\s*true\s*\)|"
            r"\bexpect\(\s*(true|1|false)\s*\)\.to(?:Be|Equal|StrictEqual|BeTruthy|BeFalsy|BeDefined)\(\s*(?:\3)?\s*\)|"
            r"\bassert(?:_eq)?!\(\s*(\w+)\s*,\s*\4\s*\)|\bassert\.(?:ok|isTrue|True|isOk)\(\s*(?:t,\s*)?true\s*\)|"
            r"\bassert\.\w*[eE]qual\(\s*(?:t,\s*)?(\w+)\s*,\s*\5\s*\)|\bassert\b.*\bor True\b|\|\| true\s*\)|"
            r"\[\[? (\S+) (?:=|==|-eq) \6 \]|\bXCTAssert(?:True)?\(\s*true\s*\)|\bEXPECT_TRUE\(\s*true\s*\)"
        ),
    ),
    (
        "test_exits",
        pattern(
            r"\bsys\.exit\(\s*0?\s*\)|\bos\._exit\(|\bprocess\.exit\(\s*0?\s*\)|\bos\.Exit\(0\)|\bprocess::exit\(0\)|"
            r"\bSystem\.exit\(0\)|\bquit\(0?\)|^exit(?: 0)?$|; *exit 0|\|\| *(?:true|:|exit 0)(?:\s|$|;)|^set \+e|"
            r"\bpytest\.exit\(|\btrap\b.*\bexit 0|\bos\.kill\(os\.getpid"
        ),
    ),
    (
        "test_unreached",
        pattern(
            r"^if (?:False|0|None)\s*:|^if\s*\(\s*(?:false|0)\s*\)|^while (?:False|0)\s*:|^return(?: None| nil)?$|"
            r"^#if 0|^if false\b"
        ),
    ),
    (
        "failure_swallowed",
        pattern(
            r"^except\b[^:]*:(?: pass)?$|^except\b[^:]*: *(?:return|\.\.\.)|\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|"
            r"\.catch\(\s*\(?\w*\)?\s*=>\s*\{?\s*\}?\s*\)|\bsuppress\(|#\[should_panic|\brescue\b.*(?:nil|$)|\brecover\(\)"
        ),
    ),
)


def find_marks(lines: Iterable[str]) -> Iterator[tuple[str, str, bool]]:
    """The lines, without their indentation, that take force away: how, and whether only under some condition, which may
    be a good one."""
    for line in lines:
        kind = next((kind for kind, shape in _KINDS if shape.search(line)), "")
        if kind:
            yield kind, line, _CONDITIONAL.search(line) is not None


def find_lowered(old: Iterable[str], new: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of lines, without their indentation, that differ in numbers alone and demand less in the new text."""
    removed, added = Counter(old), Counter(new)
    came: dict[str, list[str]] = {}
    for line in (added - removed).elements():
        came.setdefault(_NUMBER.sub("N", line), []).append(line)
    for line in (removed - added).elements():
        waiting = came.get(_NUMBER.sub("N", line))
        if waiting:
            match, plain = waiting.pop(0), _ARROW.sub(" ", line)
            demands, tolerates = _DEMAND.search(plain), _TOLERANCE.search(plain)
            before, after = ([float(found.replace("_", "")) for found in _NUMBER.findall(one)] for one in (line, match))
            pairs = list(zip(before, after, strict=True))
            if "max_examples" in plain or (demands and not tolerates):
                is_less = any(now < was for was, now in pairs)
            else:
                is_less = bool(tolerates and not demands) and any(now > was for was, now in pairs)
            if is_less:
                yield line, match
