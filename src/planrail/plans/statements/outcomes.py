"""Outcomes: sentences in a phase's own text that say how it went.

"All tasks of this phase were completed on 2026-01-02." A sentence is believed where the phase itself, or all of it, is
what it speaks of. One with a condition, a plan or a denial in it says nothing.
"""

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.words.marks import Mark, read_phrase
from planrail.plans.words.phrases import WHOLE
from planrail.plans.words.words import CONDITIONS, NEGATIONS, NOT_IN_TITLES, STATUS, UNDECIDED, word_set

_CLAUSE = pattern(r"[,;!?()（）。，；！]|[.:：](?=\W*(?:\s|$))|\s[-–—]+\s")
_WORD = pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\w.-]*")
_MOST_WORDS = 14
_DATE = pattern(r"[*_:]*\s*(?:on |am |le |el |em |in )?\(?(?:\d{4}-\d\d|\d{1,2}[./]\d{1,2}[./]\d\d|[A-Z][a-z]{2,8} \d)")
_CJK = pattern(
    r"(?:本|该|該|此|这个|這個|この|이|全部|所有|すべての|全ての|全|모든)[^，,。.]{0,16}?(?:已全部完成|已完成|全部完成|完了しました|完了済み|完了|완료되었습니다|완료됨|완료)\s*(?:[。.!！(（]|$)"
)


def read_outcome(text: str, identity: str) -> Mark | None:
    """The mark of a sentence about the phase of this id, at the beginning of a line."""
    line = text.lstrip("*_ >")
    lead = len(text) - len(line)
    if not line.isascii() and _CJK.match(line):
        return Mark(State.DONE, lead, len(text.rstrip()))
    first, _, rest = line[:40].partition(" ")
    first = first.lower().strip("*_:,.")
    if first not in WHOLE and first not in STATUS and not rest.startswith(identity):  # a quick look
        return None
    cut = _CLAUSE.search(line)
    clause = line[: cut.start()] if cut else line
    words = [word.lower() for word in _WORD.findall(clause)][:_MOST_WORDS]
    found = _first_state(words)
    if found is None or not found[1].is_terminal or any(word in _UNSURE for word in words[: found[0]]):
        return None
    at, state, following = found
    if at == 0:
        is_stated = bool(_DATE.match(line, len(words[0])))  # "Completed on 2026-01-02"
    else:
        is_whole = words[0] in WHOLE and (words[1] not in _VERBS or words[0] in _ALL)
        is_stated = at > 1 and (is_whole or words[1] == identity.lower()) and following in _AFTER
    return Mark(state, lead, lead + len(clause.rstrip("*_ "))) if is_stated else None


_VERBS = word_set("is|was|has|ist|est|es|é|è|to")  # "This is done by ..." speaks of anything
_ALL = word_set("everything|alles|tout|todo|всё")
_UNSURE = (CONDITIONS | NEGATIONS | UNDECIDED) - {"no"}
_AFTER = word_set("|on|in|at|by|to|until|as|via|with|and|am|le|el|em|und|et|y|e|и")


def _first_state(words: list[str]) -> tuple[int, State, str] | None:
    """The place of the first words that name a state, the state, and the word behind them."""
    for at in range(len(words)):
        for count in (2, 1):
            phrase = " ".join(words[at : at + count])
            state = read_phrase(phrase) if phrase not in NOT_IN_TITLES else None
            if state is not None:
                following = words[at + count] if at + count < len(words) else ""
                return at, state, following
    return None
