"""The terms of a text: what two texts are compared by, in any language.

Words are compared in lower case and without their endings. A hyphenated word counts as a whole and in parts, so that
"re-try" meets "retry" and "type-check" meets "type checking"; so do `snake_case`, `camelCase` and paths. Scripts that
put no spaces between words, and Korean with its endings, are compared by pairs of characters.
"""

import re
import unicodedata
from functools import lru_cache


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"[{_UNSPACED}]+")
_WORD = re.compile(rf"[^\W_{_UNSPACED}]+(?:[-_'’][^\W_{_UNSPACED}]+)*(?:\+\+|#(?!\w))?")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINT = re.compile(r"[-_'’]")
_ENDINGS = _split("ations ation ating ated ates ators ator ate ions ion ings ing ers ies ied ed er es s y e")
_LETTERS_OF_STEM = 6  # of words in other alphabets; their endings are longer than the English ones

# Words that say nothing about the task. "go", "ci", "db", "make" are names of things, and not among them.
_STOP_WORDS = """
    a an the of to in on at by for from with into onto over under up out off as and or but nor so if then than that
    this these those it its is are was were be been being am has have had having can could will would shall should
    may might must not no do does did done i we you he she they them their our your my me us his her who whom which
    what when where how why there here all any some each every both few more most other such only own same too very
    just also about after before again once please let lets using use used new need needs want via der die das den
    dem des ein eine einen einem und oder nicht ist sind war mit von zu im am auf für aus bei le la les un une des
    du de et ou est sont dans pour par sur avec ce cette el los las y o es son en con por para que se il lo gli e di
    da per non и в на с не что это как по из для или от к у за
"""
STOP_WORDS = frozenset(_split(_STOP_WORDS))
_PREFIXES = frozenset(_split("re un non pre de co sub"))  # parts of a hyphenated word that say nothing alone


@lru_cache(maxsize=4096)  # each lesson is compared with many others
def terms_of(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKC", text)
    found: set[str] = set()
    for word in _WORD.findall(plain):
        found.update(_terms_of_word(word))
    for run in _RUN.findall(plain):
        found.update([run[at : at + 2] for at in range(len(run) - 1)] or [run])
    return frozenset(found)


def is_pair(term: str) -> bool:
    """Whether a term is a pair of characters: half a word, roughly."""
    return len(term) <= 2 and _RUN.match(term) is not None


@lru_cache(maxsize=16_384)  # the words of a project are few
def _terms_of_word(word: str) -> frozenset[str]:
    parts = [part for joint in _JOINT.split(word) for part in _HUMP.split(joint)]
    whole = _JOINT.sub("", word).casefold()
    if len(parts) == 1:
        return frozenset((_stem(whole),) if _says_something(whole) else ())
    single = {part.casefold() for part in parts} - _PREFIXES
    return frozenset((_stem(whole), *(_stem(part) for part in single if _says_something(part))))


def _says_something(word: str) -> bool:
    return len(word) > 1 and word not in STOP_WORDS


def _stem(word: str) -> str:
    """A word without its ending. Both sides are cut alike, so a stem need not be a word."""
    if not word.isascii():
        return word[:_LETTERS_OF_STEM]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4 and not word.endswith("ss"):
            stem = word[: -len(ending)]
            # "planning" and "plans" meet: a consonant that is doubled before an ending counts once.
            is_doubled = stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
            return stem[:-1] if is_doubled else stem
    return word[:-1] if len(word) == 4 and word.endswith("s") and not word.endswith("ss") else word
