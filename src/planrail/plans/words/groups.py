"""Groups: headings that say how far everything under them is. "Completed phases", "Remaining work", "Future steps"."""

from functools import lru_cache

from planrail.plans.states import State
from planrail.plans.words.marks import read_phrase
from planrail.plans.words.phrases import GROUPED, LATER
from planrail.plans.words.words import NOT_IN_TITLES

_CUTS = str.maketrans(dict.fromkeys("(（:：[【—–", "\n"))
_EDGE = ")）]】*_`~.,!'’-"


@lru_cache(maxsize=512)
def group_state(text: str) -> State | None:
    """The state that a heading states of what stands under it: a status, alone or with a word for work."""
    for part in text.lower().replace(" - ", "\n").translate(_CUTS).split("\n"):
        words = [word.strip(_EDGE) for word in part.split()]
        state = _part_state(" ".join(word for word in words if any(map(str.isalpha, word))))
        if state is not None:
            return state
    return None


def is_later(text: str) -> bool:
    """Whether a heading stands over work that somebody may do some day."""
    return any(part.strip(" *_:").lower() in LATER for part in text.lower().translate(_CUTS).split("\n"))


def _part_state(name: str) -> State | None:
    if not name or len(name) > 40:
        return None
    if name in LATER:
        return State.TODO
    state = read_phrase(name) if name not in NOT_IN_TITLES else None
    if state is not None:
        return state
    for noun in GROUPED:
        if not noun.isascii() and name.endswith(noun):  # 完了済みの機能: without blanks
            state = read_phrase(name.removesuffix(noun).rstrip("の的"))
            if state is not None:
                return state
    words = name.split()
    for word, rest in ((words[0], words[1:]), (words[-1], words[:-1])):
        state = read_phrase(word) if rest and GROUPED.issuperset(rest) else None
        if state is not None:
            return state
    return None
