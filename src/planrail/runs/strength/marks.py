"""Lines that take a test's force away: skips, exits, assertions that hold for anything, code that is never reached."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from planrail.base.patterns import pattern

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
