"""What a text is made of: words that carry something, sentences, placeholders. What is no language at all.

Without a model and without a dictionary: the small words of a few languages tell a sentence from a heap of words.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from planrail.plans.words.words import word_set

# Articles, pronouns, prepositions, conjunctions, auxiliaries.
_LANGUAGES = {
    "en": (
        "a an the this that these those it its he she we you they them their our your his her my me us i and or "
        "but nor so if then than as at by for from in into of off on onto out over to under up with without about "
        "after before between is are was were be been being am do does did done has have had can could will would "
        "shall should may might must not no only also too very more most less any all some each every both either "
        "what which who whom whose when where why how there here because while until again once same other another "
        "such just even still now yet let's don't isn't it's "
    ),
    "de": (
        "der die das den dem des ein eine einen einem einer eines und oder aber denn weil wenn dann als wie auf "
        "aus bei bis durch für gegen in im ins ist sind war waren sein wird werden wurde worden hat haben hatte "
        "kann können soll sollte muss müssen darf nicht kein keine keinen nur auch noch schon sehr mehr man wir "
        "ihr sie er es ich mich uns sich zu zum zur von vom vor nach mit ohne über unter um an am dass ob da dort "
        "hier was wer wo so also doch bisher heute jede jeder jedes alle alles beide diese dieser dieses bereits "
        "wieder sonst dabei davon dazu würde wäre "
    ),
    "fr": (
        "le la les un une des du de au aux et ou mais donc car ni que qui quoi dont où ce cet cette ces il elle on "
        "nous vous ils elles je se sa son ses leur leurs mon est sont était être sera a ont avait peut doit ne pas "
        "plus moins très aussi tout toute tous pour par sur sous dans en avec sans entre vers chez si quand comme "
        "alors d l n s c j qu y déjà rien "
    ),
    "es": (
        "el la los las un una unos unas de del al y o u pero sino que quien cual cuyo este esta esto estos estas "
        "ese esa lo se su sus mi es son era ser está están fue hay ha han puede pueden debe no sí más menos muy "
        "también todo toda todos con sin por para en entre sobre desde hasta cuando como donde porque si ya solo "
        "nada "
    ),
    "it": (
        "il lo la gli le un uno una e ed o ma non è sono di da in con su per che chi cui come questo questa nel "
        "della del si anche più "
    ),
    "pt": (
        "o a os as um uma de do da dos das e ou mas não é são em no na com sem por para que como este esta isso se "
        "mais também "
    ),
}
_SMALL = {name: frozenset(words.split()) for name, words in _LANGUAGES.items()}
SMALL = frozenset().union(*_SMALL.values())
# An article of these stands before a noun; what must not follow it, or end a sentence, tells a heap of words.
_ARTICLES = word_set("a|an|the|le|un|une|el|los|una|ein|eine")
_JOINTS = word_set("of|and|or|in|on|at|to|by|with|from|is|are|was|the|a|an|de|et|dans|avec|est|le|un|une|con|y|los")
_TWICE = word_set("that|had|die|der|sie|nous|vous")  # may stand twice in a row
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d[\d.,]*\d|\d")
_UNSPACED = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_SENTENCE_END = re.compile(r"[.!?;]+(?=\s|$)|[。！？；]+|\n+|\s\|\s?")
_PLACEHOLDER = re.compile(
    r"(^(?:[^\S\n]|[>#*_+|\[\]x\d.)-])*|[:：|–—-]\s*|[,.]\s+)(?:"
    r"todo|tbd|tba|fixme|xxx+|placeholder|lorem ipsum|\.\.\.|…|"
    r"to be (?:determined|defined|done|filled|added|written|decided|completed)|coming soon|"
    r"will be filled|fill (?:this )?in|"
    r"wird noch|folgt (?:noch|später)|noch (?:zu ergänzen|offen)|à (?:compléter|définir|venir|remplir)|"
    r"por (?:definir|determinar|completar)|pendiente|待定|待补充|待填|未定)(?!\w)[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKETS = re.compile(r"(?<![\w`\]])\[(?![ xX]\])[^\[\]\n`]{3,80}\](?![(\[:])|<(?=[^<>\n]*\s)[a-zA-Z][^<>\n=/]{2,80}>")
_HAS_VOWEL = re.compile(r"[aeiouyäöüáéíóúàèìòùâêîôûãõåæøœıěůý]", re.IGNORECASE)
_LEAST_HEAP = 2  # impossible pairs
_LEAST_PROSE = 15  # words that cannot all be large ones
_MOST_WORDS = 5_000  # that are looked at


def without_placeholders(text: str) -> str:
    return _PLACEHOLDER.sub(r"\1", _BRACKETS.sub(" ", text))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, a bounded number; scripts that do not part words give pairs of characters."""
    found: list[str] = []
    for match in _WORD.finditer(text.lower()):
        runs = _UNSPACED.findall(match[0])
        found += [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))] if runs else [match[0]]
        found += _LETTERS.findall(_UNSPACED.sub(" ", match[0])) if runs else []
        if len(found) > _MOST_WORDS:
            break
    return found[:_MOST_WORDS]


def language_of(text: str) -> str:
    """The language of a text, by its small words or its script; "" where nothing tells."""
    words = words_of(text)
    if sum(_UNSPACED.match(word) is not None for word in words) * 2 > len(words):
        return "unspaced"
    counts = {name: sum(word in small for word in words) for name, small in _SMALL.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def content_of(words: Iterable[str], frame: Iterable[str]) -> set[str]:
    """The different words that carry something: no small ones, no bare digits, and none of the frame (with `*`)."""
    whole = {word for word in frame if not word.endswith("*")}
    stems = tuple(word[:-1] for word in frame if word.endswith("*"))
    return {
        word
        for word in set(words) - SMALL - whole
        if len(word) > 1 and not (word.isdecimal() and len(word) < 3) and not word.startswith(stems)
    }


def are_alike(word: str, other: str) -> bool:
    """Whether two words are forms of one: "expired" and "expires", "Liste" and "list"."""
    shorter = min(len(word), len(other))
    return word == other or (shorter >= 4 and word[: max(4, shorter - 2)] == other[: max(4, shorter - 2)])


def sentences_of(text: str) -> Iterator[frozenset[str]]:
    """The words of each sentence or line that has three of them."""
    for piece in _SENTENCE_END.split(text):
        words = [word for word in words_of(piece) if not word.isdecimal()]
        if len(words) >= 3:
            yield frozenset(words)


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def is_heap(text: str, frame: tuple[str, ...]) -> bool:
    """Whether these are words and no sentences: pairs that no language has, no small word at all, random typing."""
    pieces = [words_of(piece) for piece in _SENTENCE_END.split(text)]
    words = [word for piece in pieces for word in piece if not word[0].isdigit()]
    letters = [word for word in words if len(word) > 3 and word.isascii() and word.isalpha()]
    typed = [word for word in letters if not _HAS_VOWEL.search(word)]
    impossible = sum(map(_count_impossible, pieces))
    if impossible >= _LEAST_HEAP and impossible * 15 >= len(words):
        return True
    if len(typed) >= 2 and len(typed) * 6 >= len(letters):
        return True
    is_known = len(content_of(words, ())) > len(content_of(words, frame))  # it has words of a known language
    return (
        len(words) >= _LEAST_PROSE
        and is_known
        and not any(word in SMALL for word in words)
        and all(map(str.isascii, words))
    )


def _count_impossible(words: list[str]) -> int:
    count = sum(
        (one == other and one in SMALL and one not in _TWICE) or (one in _ARTICLES and other in _JOINTS)
        for one, other in pairwise(words)
    )
    return count + (len(words) > 3 and words[-1] in _ARTICLES)
