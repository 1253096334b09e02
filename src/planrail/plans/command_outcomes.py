"""The words behind a command: do they say that it succeeds, that it fails, or what it has to print?

Only words that are known to mean success do. All others, however they say it, do not.
"""

import re
from enum import Enum

from planrail.plans.words import phrases


class CommandOutcome(Enum):
    """What the words behind a command say about how it ends."""

    SUCCESS = "success"
    FAILURE = "failure"
    OUTPUT = "output"
    UNKNOWN = "unknown"


# Patterns as texts: compiling them takes longer than reading a plan that needs none.
# Latin and Cyrillic words end where no letter follows; Chinese, Japanese and Korean ones go on.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"


def _any(words: tuple[str, ...]) -> str:
    return "|".join(one if one[-1] > "\u3000" else rf"{one}\b" for one in words)


def _words(either: str) -> str:
    return rf"(?:(?<!\w)|(?<=[{_CJK}]))(?:{either})"


_MODAL = (
    r"(?:(?:must|should|shall|will|has to|have to|needs? to|still|now|currently|again|both|all|it|they|which|that|"
    r"(?:is|are) expected to|ought to) )*"
)
_SEE = r"(?:(?:and |then |to )?(?:see|check|confirm|verify|ensure|make sure) (?:that )?)?"
# Signs that say nothing, and those of a success; all others mean something.
_SIGNS = r"[\s*_.,:;()\[\]\"'“”‘’`。、，：；（）—–✅✔✓☑🟢\ufe0f-]*"
_MUST = _any(phrases.MUST)
_LEAD = rf"{_SIGNS}(?:(?:→|⇒|=+>|->){_SIGNS})?{_SEE}{_MODAL}(?:(?:{_MUST}) ?)*"
_ENDS = r"(?=\W*(?:$|[.,;:)—–]|and\b|with\b|on\b|in\b|for\b|again\b|as (?:before|expected)\b))"
_FAULT = (
    r"(?:[\w-]+ ){0,2}?(?:errors?|failures?|issues?|problems?|warnings?|violations?|findings?|vulnerabilit\w+|"
    r"complaints?|regressions?|diagnostics?)\b"
)
_BE = (
    r"(?:is|are|be|stays?|remains?|goes|runs?|comes? back|exits?|finish(?:es)?|ends?|completes?|returns?|reports?|"
    r"shows?|builds?|compiles?)"
)
_TESTS = (
    r"(?:(?:all|both|every|each|the|these|existing|new|unit|integration|e2e|end-to-end|regression|smoke|full|whole|"
    r"entire|of|\d+(?:/\d+)?) )+(?:tests?|suites?|cases?|checks?|specs?|assertions?|scenarios?)\b"
    r"(?: (?:(?:are|is|must|should|still|now) )*(?:pass(?:es|ing)?|succeed|green|ok)\b)?"
)
# What is said of the exit status itself ...
_PASSES = (
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed|ing)?|works?)\b|"
    r"(?:exit|finish|end|terminate)\w* (?:with )?(?:an? )?(?:exit )?(?:code |status )?(?:of )?`?(?:0|zero)\b|"
    rf"(?:exit )?(?:code|status) `?0\b|(?:{_BE} )?(?:successful(?:ly)?|success|normally)\b|"
    rf"completes?\b|runs? (?:through|to (?:completion|the end))\b|{_any(phrases.SUCCEEDS)}|"
    rf"(?:runs?|holds?|builds?|compiles?|type-?checks?|validates?){_ENDS}|"
    r"(?:(?:does|do|did|must|should|will|may) not|doesn['’]t|don['’]t|never|no longer) (?:fail|error|crash|break)\w*"
    r"(?: out)?(?= any ?more| any longer| either|\W*$|[.,;])"
)
# ... and what is said of the work, which a program that judges it tells by its exit status.
_JUDGES = (
    rf"(?:{_BE} )?(?:all |fully |completely )?(?:green|clean(?:ly)?|ok(?:ay)?|fine|true|error-free|passing)\b|"
    r"returns? (?:an? )?(?:exit )?(?:code |status )?(?:of )?`?(?:0|zero)\b(?!\W?\w)|"
    rf"(?:{_BE} |finds? |has |gives? |produces? |yields? |prints? |emits? )?"
    rf"(?:(?:(?:with )?(?:no|zero|0)|without(?: any)?|free of) {_FAULT}|{_any(phrases.NO_FAULTS)})|(?:{_BE} )?{_TESTS}"
)
_FOUND = r"(?:finds?|has|gets) (?:it|them|something|at least one|an? (?:match|hit)|the \w+)\b|match(?:es)?(?=\W*$|[.;])"
_SAME = (
    r"(?:(?:is|stays|prints|returns|shows|reports|outputs) )?"
    r"(?:empty|nothing|no (?:output|differences?|changes?|diff))\b"
)
_THERE = r"(?:(?:the |a )?(?:file|folder|directory) )?(?:exists?|is (?:there|present|executable))\b"
_LISTED = r"\s*(?P<others>(?:,|and\b|plus\b)[^.;:()`]{1,80}?) (?:all )?(?:pass|succeed|are (?:green|clean))\b"
# By the last program of a line: those that compare, that look at a file, that search, that succeed whatever they print.
_LAST = re.compile(r"(?:^|[|;&])[\s(]*(?P<program>[^|;&]+?)[\s)]*$")
_COMPARES = r"(?:diff|cmp)\b|git (?:-C \S+ )?diff\b.* --(?:exit-code|quiet|check)\b"
_LOOKS = r"(?:test|\[\[?) -(?!z\b)"
_SEARCHES = r"(?:git )?(?:grep|egrep|fgrep|rg|ag|ack)\b"
_SHOWS = (
    r"(?:cat|head|tail|less|ls|find|wc|jq|yq|sed|awk|sort|uniq|tee|tree|stat|echo|printf|curl|wget|journalctl|gofmt|"
    r"docker(?:-compose| compose)? (?:logs|ps)|kubectl (?:logs|get|describe)|"
    r"git (?:-C \S+ )?(?:status|log|show|diff|ls-files|branch))\b"
)

_JUDGED, _SHOWN, _SEARCHED, _COMPARED, _LOOKED_AT = (
    rf"{_LEAD}(?:{said})|{_LISTED}"
    for said in (
        f"{_PASSES}|{_JUDGES}",
        _PASSES,
        f"{_PASSES}|{_FOUND}",
        f"{_PASSES}|{_JUDGES}|{_SAME}",
        f"{_PASSES}|{_JUDGES}|{_THERE}",
    )
)
_DENIED = rf"(?:not|\w+n['’]t|cannot|never|nowhere|neither|nor|no (?:longer|more|case|way))\b|{_any(phrases.DENIALS)}"
_FAILS = (
    r"fail|error|stop|cease|raise|throw|abort|break|crash|panic|is empty|none\b|nothing\b|"
    r"(?:is |gets )?(?:rejected|refused|denied|forbidden|blocked|unsuccessful|red|absent|gone)\b|"
    r"exits? (?:with )?(?:an? )?(?:error|(?:code |status )?[1-9]|non-?zero)|(?:exit )?(?:code|status) [1-9]|"
    r"(?:ends? (?:with|in)|returns?) (?:an? )?(?:error|non-?zero|(?:exit )?(?:code|status) [1-9])|"
    r"(?:return|print|output|find|show|produce|yield|report|match|list|give)\w* "
    rf"(?:nothing|no\b(?! {_FAULT})|empty|zero|none)|(?:has |gives )?no (?:output|match|hit|result)|"
    rf"{_any(phrases.FAILS)}"
)
_CONTRARY = (
    r"\W*(?:(?:must|should|shall|will|does|do|did|is|are|can|still|now|currently|both|all|it|they) )*"
    rf"(?:(?:{_MUST}) ?)?(?:{_DENIED}|no\b|{_FAILS})"
)
_ZERO = r"\W*(?:(?!exit|end|finish)\w+ ){0,2}[`*]*0\b"
# What takes a success back, or half of it: in its own clause, or where a later one begins.
_CLAUSE = re.compile(r"[.;,!?(。；，！？（]|\s[—–-]\s")
_TAKES_BACK = _words(_DENIED)
_LEAVES_OPEN = _words(_any(phrases.ALTERNATIVES))
_GOES_ON = rf"[*_`'’\"\s]*(?:$|[.,;:!()\[—–+&。，；：！（）{_CJK}]|-\s|[1-9]|(?:{_any(phrases.GOES_ON)}))"
_LATER = (
    r"(?:\b(?:and|but|then|or)\b|[,;(])\W{0,8}(?:(?:it|must|should|then|does|do|is|but|and) ){0,3}"
    rf"(?:{_DENIED}|{_FAILS})"
)
_MOST = 300  # of the words, as far as they are looked at for what takes a success back

_SAYS_WHAT_IS_NOT = _words(f"{_DENIED}|{_FAILS}|{_any(phrases.ABSENT)}")
_APART = r"[*_]*\s*(?:[—–(（\[]|-\s|[:：]\s)"
_AFFIRMS = _words(_any(phrases.AFFIRMS))
_IS_NEGATED = re.compile(r"(?:^|[\[\s(])! ")
_IS_NUMBER = re.compile(r"\W*(?:[A-Za-z]{1,9}[ .-]?)?\d[\w.-]*\W*$")

_FINE = r"(?!\W{0,8}(?:(?:an?|the|all|with|exit|status|code|tests?)\W{1,8}){0,4}(?:success|clean|green|pass|true\b))"
_CODE_0 = r"(?!\W{1,8}(?:(?:with|an?|exit|status|code)\W{1,8}){0,4}(?:0\b|zero|ok\b))"
_NO_FAULTS = rf"(?!\W{{1,8}}(?:0|no|zero) {_FAULT})"
# Counted, because it is searched for at every joint of a text of any length.
_FEW_MODALS = _MODAL[:-1] + "{0,4}"
# What has to be seen in the output, of which the exit status says nothing.
_ASKS = (
    rf"(?:^|\b(?:and|that|it|then|but|which)\b|[,;(])\W{{0,8}}{_FEW_MODALS}(?:"
    rf"(?:prints?|outputs?|shows?|displays?|lists?|contains?|includes?|equals?|emits?|yields?|gives?|says?|reports?|"
    rf"responds?|answers?|echoe?s|logs?|match(?:es)?|reads?)\b{_FINE}{_NO_FAULTS}|returns?\b{_FINE}{_CODE_0}{_NO_FAULTS}|"
    r"(?:is|are|has) (?:exactly |at (?:least|most) )?[`\"'“]?\d|"
    r"(?:affiche|renvoie|retourne|contient|zeigt|liefert|gibt|enthält|druckt|muestra|imprime|devuelve|contiene|mostra|"
    r"retorna|restituisce|stampa|выводит|возвращает|показывает|содержит)\b|(?:会|應|应|將|将|必须|は|が|を)?\s?(?:输出|輸出|返回|显示|"
    r"顯示|打印|包含|出力|表示|返す|출력|반환|표시))|"
    rf"^\s*(?:→|⇒|[=-]>|==?|≥|≤|>=|<=){_FINE}(?!\W*(?:exit |status |code )+0)\s*(?=[`\"'“\w])"
)


def says_nothing(words: str) -> bool:
    """Whether no word follows, and no sign that means something."""
    return re.fullmatch(_SIGNS, words) is not None


def is_remark(words: str) -> bool:
    """Whether words are set apart from the command, and speak neither of what is not nor of one thing or another."""
    return re.match(_APART, words) is not None and not _has(f"{_SAYS_WHAT_IS_NOT}|{_LEAVES_OPEN}", words[:_MOST])


def read_outcome(command: str, words: str) -> CommandOutcome:
    """How the words behind a command say that it ends. Nothing but a success that is known and whole is one."""
    if says_nothing(words):
        return CommandOutcome.SUCCESS
    last = found["program"] if (found := _LAST.search(command)) else command
    told = re.match(_success_of(last), words, re.IGNORECASE)
    if told is None:
        is_empty = re.match(_SEARCHES, last) and re.match(_ZERO, words, re.IGNORECASE)
        if is_empty or re.match(_CONTRARY, words, re.IGNORECASE):
            return CommandOutcome.FAILURE
        return CommandOutcome.OUTPUT if _has(_ASKS, words) else CommandOutcome.UNKNOWN
    rest = words[told.end() :]
    clause = f"{told['others'] or ''} {_CLAUSE.split(rest[:_MOST], maxsplit=1)[0]}"
    if _has(_TAKES_BACK, clause) or _has(_LATER, rest[:_MOST]):
        return CommandOutcome.FAILURE
    if _has(_ASKS, rest):
        return CommandOutcome.OUTPUT
    is_whole = re.match(_GOES_ON, rest, re.IGNORECASE) and not _has(_LEAVES_OPEN, clause)
    return CommandOutcome.SUCCESS if is_whole else CommandOutcome.UNKNOWN


def read_label(label: str, command: str, words: str) -> CommandOutcome:
    """What a label before a command says about how it ends: "All tests pass: ", "AC-1 — ", "Must fail: ".

    One that says what is not fits a command that says so too. Where no words are behind the command, the label has to
    be known to announce something that succeeds.
    """
    if _has(_SAYS_WHAT_IS_NOT, label):
        return CommandOutcome.SUCCESS if _IS_NEGATED.search(command) else CommandOutcome.FAILURE
    is_known = not says_nothing(words) or _IS_NUMBER.match(label) or _has(_AFFIRMS, label)
    return CommandOutcome.SUCCESS if is_known and not _has(_LEAVES_OPEN, label) else CommandOutcome.UNKNOWN


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _success_of(program: str) -> str:
    """The words by which this program is said to succeed: not all of them tell as much of all programs."""
    if re.match(_COMPARES, program):
        return _COMPARED
    if re.match(_SEARCHES, program):
        return _SEARCHED
    if re.match(_LOOKS, program):
        return _LOOKED_AT
    return _SHOWN if re.match(_SHOWS, program) else _JUDGED
