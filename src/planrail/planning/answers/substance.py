"""Does an answer say something, and is it about this request and this project? Only what is empty or false is refused.

Nothing here asks for a form: no list, no number, no word that has to be there. What an answer names is looked up.
"""

import re
from collections.abc import Callable, Collection

from planrail.base.records import record
from planrail.planning.answers.page import Page
from planrail.planning.answers.sentences import (
    are_alike,
    content_of,
    is_heap,
    language_of,
    sentences_of,
    similarity,
    without_placeholders,
    words_of,
)
from planrail.plans.lint.document import code_spans
from planrail.plans.words.words import word_set

NO_SENTENCES, REPETITION = "no-sentences", "repetition"
_ALIKE = 0.75  # of the words of two sentences: one of them repeats the other
_LONGEST = 12_000  # characters of a text that are looked at: more say the same
_MOST_SENTENCES = 300
_GRAM = 4  # words in a row that are a copy
_COPIED = 0.5
_MOST_NAMES = 200
_NAME = re.compile(
    r"\w*[a-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z][A-Z_]{3,}|\w+(?=\(\))|[\w-]+\.[a-z]{1,5}\b"
)
_CODE_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?![\w.])")
_PHASE = re.compile(r"\b(?:phase|fase|schritt|étape|paso|step)\s*(\d+)\b|阶段\s*(\d+)", re.IGNORECASE)
_QUOTE = re.compile(r"[\"“„«»”]([^\"“”„«»\n]{4,200})[\"”“»«]")
_SHARED = 2  # words of the draft or the request that a critique has, where it quotes nothing
_TELLING = 3  # words of a request by which an answer can be told from others: "fix the bug" has one
# Verbs of wishing, which any request may have.
_WISH = word_set("add|change|do|fix|get|help|let|make|need|please|run|show|use|want|work|wants|would|like|new")


@record
class Subject:
    """What an answer can be about. `names` says which of some names occur in the project; None: nobody can tell."""

    request: str = ""
    asked: str = ""  # the question; giving it back is no answer
    known: str = ""  # what earlier phases brought
    plan: str = ""  # the draft that is criticised
    names: Callable[[Collection[str]], Collection[str]] | None = None


@record
class Emptiness:
    """Why a text says nothing: the rule, and what to do."""

    rule: str
    message: str


def find_emptiness(text: str, subject: Subject, frame: tuple[str, ...], *, least: int) -> Emptiness | None:
    """Why a text says nothing, or nothing of its own, or nothing about its subject; None where it does.

    `least` is how many different words it needs that carry something, beyond the `frame` that any answer has.
    """
    said = without_placeholders(text[:_LONGEST])
    words = words_of(said)
    content = content_of(words, frame)
    if len(content) < least:
        what = "it is empty, or placeholders and words that any text has"
        return Emptiness("empty", f"The answer says nothing yet: {what}. Say what holds here, in your own words")
    if is_heap(said, frame):
        return Emptiness(NO_SENTENCES, "These are words without sentences. Write what you mean, in plain sentences")
    if _repeats_itself(said):
        return Emptiness(REPETITION, "The answer says one thing again and again. Say each thing once, and go on")
    if _is_copied(words, subject):
        return Emptiness("copied", "The answer repeats the question. Answer it")
    if not _is_about(said, content, subject, frame):
        return Emptiness(
            "off-topic",
            "Nothing in the answer is about the request or this project: no word of the one, no file or name of the"
            " other. Say what it has to do with them",
        )
    return None


def _repeats_itself(text: str) -> bool:
    seen: list[frozenset[str]] = []
    again = 0
    for sentence in sentences_of(text):
        again += any(similarity(sentence, other) >= _ALIKE for other in seen)
        seen.append(sentence)
        if len(seen) >= _MOST_SENTENCES:
            break
    return len(seen) >= 3 and again * 5 >= len(seen) * 3


def _grams(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + _GRAM]) for at in range(len(words) - _GRAM + 1)}


def _is_copied(words: list[str], subject: Subject) -> bool:
    mine = _grams(words)
    theirs = _grams(words_of(subject.asked))
    return bool(mine) and len(mine & theirs) >= _COPIED * len(mine)


def _is_about(text: str, content: set[str], subject: Subject, frame: tuple[str, ...]) -> bool:
    """Whether a word is one of the request, in some form, or a name one of the project."""
    wished = content_of(words_of(subject.request[:_LONGEST]), ()) - _WISH
    if len(wished) < _TELLING or subject.plan:
        return True  # hardly anything says what it is about, or it is about a plan
    mine, theirs = language_of(text), language_of(subject.request)
    if mine and theirs and mine != theirs and not subject.known:
        return True  # nobody can tell by words of another language
    known = wished | content_of(words_of(subject.known[:_LONGEST]), frame)
    if any(are_alike(word, other) for word in content | (set(words_of(text)) & wished) for other in known):
        return True
    return _names_known(text, subject)


def _names_known(text: str, subject: Subject) -> bool:
    code = [word for line in text.split("\n") for span in code_spans(line) for word in _CODE_WORD.findall(span.text)]
    named = list(dict.fromkeys([*_NAME.findall(text), *code]))[:_MOST_NAMES]
    return bool(subject.names is not None and named and subject.names(named))


# ---- several ways ----

_OPTION = re.compile(
    r"^[ \t>#*_-]*(?:\(?[a-dA-D1-9][.):][ \t]|(?:\w+[ \t]+){0,2}?(?:option|alternative|approach|variant|variante|"
    r"solution|way|choice|möglichkeit|lösung|weg|voie|opción|alternativa|vía|方案|选项)\b[^\n:：]{0,12}[:：])|方案.{1,2}[:：]",
    re.IGNORECASE | re.MULTILINE,
)


_CONTRAST = re.compile(
    r"\b(?:or|either|instead|others?|another|alternativ\w*|rather|versus|vs|second|two|both|oder|entweder|statt\w*|ander\w+|"
    r"zweite\w*|zwei|ou|soit|autres?|seconde?|deux\w*|plutôt|o|u|otr[oa]s?|segund[oa]|dos|или|либо|або|lub|albo|veya|oppure)\b|"
    r"或|还是|還是|另|第二|또는|아니면|または|もしくは",
    re.IGNORECASE,
)


def weighs_several(text: str) -> bool:
    """Whether prose speaks of more than one way: by a word, or in more than one sentence."""
    return _CONTRAST.search(text) is not None or len(list(sentences_of(text))) > 1


def count_ways(page: Page, frame: tuple[str, ...]) -> int | None:
    """How many ways that differ a text lists; None where it lists none and is prose."""
    listed = [segment for segment in _segments(page) if segment]
    ways: list[frozenset[str]] = []
    for words in (frozenset(content_of(words_of(segment), frame)) for segment in listed):
        if words and not any(similarity(words, other) >= _ALIKE for other in ways):
            ways.append(words)
    return len(ways) if len(listed) > 1 else None


def _segments(page: Page) -> list[str]:
    """What stands behind each label of an option, up to the next one; else the items or rows."""
    starts = [match.start() for match in _OPTION.finditer(page.said)]
    if len(starts) > 1:
        ends = [*starts[1:], len(page.said)]
        parts = [page.said[start:end] for start, end in zip(starts, ends, strict=True)]
        return [re.split(r"\n[ \t]*\n", part)[0] for part in parts]
    return [point.text for point in page.outer_points] or [" ".join(row) for row in page.rows()]


# ---- a critique and its draft ----


def cites(text: str, subject: Subject, frame: tuple[str, ...]) -> bool:
    """Whether a text speaks of this plan: by a number, a quotation, two of its words; or of names in the project."""
    text, plan = text[:_LONGEST], " ".join(subject.plan.lower().split())
    if any(_is_in(match[0], plan) for match in _NUMBER.finditer(text)):
        return True
    if any(f"phase {match[1] or match[2]}:" in plan for match in _PHASE.finditer(text)):
        return True
    quoted = [match[1] for match in _QUOTE.finditer(text)]
    quoted += [span.text for line in text.split("\n") for span in code_spans(line)]
    if any(" ".join(one.lower().split()) in plan for one in quoted if len(one) > 3):
        return True
    about = f"{plan[:_LONGEST]}\n{subject.request[:_LONGEST]}"
    mine, theirs = content_of(words_of(text), frame), content_of(words_of(about), frame)
    shared = sum(any(are_alike(word, other) for other in theirs) for word in mine)
    return shared >= _SHARED or _names_known(text, subject)


def _is_in(number: str, plan: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w]|\.\d)", plan) is not None
