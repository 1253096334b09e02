"""Which words are a status and nothing else: only these are left out of what is approved."""

from planrail.base.patterns import pattern
from planrail.plans.words.marks import read_box, read_phrase, read_waiting
from planrail.plans.words.words import GLYPHS, LIVE, PREPARED

_LONGEST = 40  # characters
_SIGNS = pattern("[" + "".join(GLYPHS) + "\ufe0f*_~|\\[\\]【】()（）]")
_AMOUNT = pattern(r"\d{1,6}\s*(?:/|of)\s*\d{1,6}|\d{1,3}\s*%|\d{4}-\d\d-\d\d")  # or a date
_AND = pattern(r"[\s+&/]+")  # "done + verified"
_EDGE = " \t:：.!,-–—"


def is_mark(words: str) -> bool:
    """Whether nothing but a status stands there: signs, an amount, a date, and the words that name a state."""
    if not words.strip(" -–—") or read_box(words) is not None:
        return True
    bare = _AMOUNT.sub(" ", _SIGNS.sub(" ", words)).strip(_EDGE)
    is_state = not bare or bare.lower() in LIVE | PREPARED or read_phrase(bare) is not None
    is_label = " " not in bare and read_waiting(bare) is not None  # what a task waits for: "ready-for-agent"
    return len(words) <= _LONGEST and (is_state or is_label or all(map(read_phrase, _AND.split(bare))))
