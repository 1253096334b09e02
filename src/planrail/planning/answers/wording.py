"""Finding words of a table in a long text: each word by one plain search, and no more of them than are needed."""

from collections.abc import Iterable, Iterator, Sequence

from planrail.planning.answers.words import COMMON

_ENOUGH = 20_000  # characters that tell a language
_UNSPACED = "\u1100"  # from Hangul on: scripts whose words are found inside others


def count_lines(text: str, words: Sequence[str], *, enough: int) -> int:
    """How many lines of a lower-case text have one of the words, counted up to `enough`."""
    lines: set[int] = set()
    for word in _possible(text, words):
        line_end = -1
        for at in _places(text, word):
            if at > line_end:  # each line once, or one long line were gone through again for every word in it
                line_end = _line_end(text, at)
                lines.add(line_end)
            if len(lines) >= enough:
                return enough
    return len(lines)


def has_word(text: str, words: Sequence[str]) -> bool:
    """Whether a lower-case text has one of the words."""
    return any(True for word in _possible(text, words) for _ in _places(text, word))


def is_in_known_language(text: str) -> bool:
    """Whether a lower-case text has one of the words that everybody uses, of a language with shipped words."""
    return has_word(text[:_ENOUGH], COMMON.split("|"))


def begins_with_word(text: str, words: Sequence[str]) -> bool:
    """Whether a lower-case text begins with one of the words."""
    return any(next(_places(text[: len(word) + 1], word), -1) == 0 for word in _possible(text, words))


def _possible(text: str, words: Sequence[str]) -> Iterable[str]:
    return [word for word in words if word.isascii()] if text.isascii() else words


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands as a word. A `*` at its end stands for any ending."""
    stem = word.removesuffix("*")
    is_whole, is_unspaced = stem == word, stem[0] >= _UNSPACED
    at = text.find(stem)
    while at >= 0:
        end = at + len(stem)
        if is_unspaced or not (_is_letter(text, at - 1) or (is_whole and _is_letter(text, end))):
            yield at
        at = text.find(stem, end)


def _is_letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and text[at].isalnum() and text[at] < _UNSPACED


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
