"""Which files does the text of a phase say that it will change? Pure.

A name alone permits nothing: "follow AGENTS.md" is no request to change it. A file is permitted by an order ("add a job
to `.github/workflows/ci.yml`"), by a list of files under a label such as `Files:`, or by a column of a table with such
a title. What is not clear is not permitted; `name_line` is a line that always is.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.runs.strength import permitted_words as words

_UNSEEN = pattern(r"<!--.*?(?:-->|\Z)|~~.*?~~|^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.DOTALL | re.MULTILINE)
_HEADING = pattern(r"#{1,6}\s+(.*)")
_ITEM = pattern(r"(?:[-*+]|\d+[.)])\s+(.*)")
_PREFIX = pattern(r"\A(?:\[.?\]\s*)?(?:[A-Z]{0,3}\d+(?:\.\d+)*[.:)]?\s+)?(?:\[[\w ,-]+\]\s*)*")
_LABEL = pattern(r"([^:`]{3,60}):(?:\s+|$)(.*)")
_TOKEN = pattern(r"`([^`\n]+)`|([\w.@~*/'’-]+)|(\S)")
_LONGEST = 300  # words of a sentence
_TITLE, _INTRODUCTION = -2, -1  # left of every item
_SENTENCE_ENDS = frozenset(".;!?")


@record
class _Token:
    """A word in small letters, a sign, or a path as it is written."""

    text: str
    is_path: bool = False


@record
class _Block:
    """A paragraph, item or row, with the label or title that it stands under."""

    text: str
    above: tuple[str, ...]
    titles: tuple[str, ...] = ()  # of a table


def find_permitted(text: str, is_path: Callable[[str], bool]) -> frozenset[str]:
    """The paths that a text says it changes, without a `/` at their end. `is_path` knows those that look like words."""
    found: set[str] = set()
    for block in _blocks(text):
        titles = [_tokens(above, is_path) for above in block.above]
        # One may say that what stands under it is not done: "Out of scope", "Do not:".
        if not any(_refuses(title if title and title[-1].text == ":" else title[:1]) for title in titles):
            found.update(_judge(block, is_path))
    return frozenset(found)


def name_line(path: str) -> str:
    """A line of a plan that says that a file will be changed."""
    return f"Files: `{path}`"


def _judge(block: _Block, is_path: Callable[[str], bool]) -> Iterator[str]:
    if block.text.startswith("|"):
        cells = [_tokens(cell, is_path) for cell in _cells(block.text)]
        for index, cell in enumerate(cells if not any(_refuses(cell) or _reads(cell) for cell in cells) else ()):
            yield from _ordered(cell)
            if index < len(block.titles) and _is_label(block.titles[index]):
                yield from _listed(cell)
        return
    label = _LABEL.match(block.text)
    if label and _is_label(label[1]):
        yield from _listed(_tokens(label[2], is_path))
    elif block.above and _is_label(block.above[-1]):
        yield from _listed(_tokens(block.text, is_path))
    for sentence in _sentences(_tokens(block.text, is_path)):
        yield from _ordered(sentence)
        if _is_about(sentence):
            yield sentence[0].text


def _listed(tokens: Sequence[_Token]) -> Iterator[str]:
    """The paths that are parts of a list, alone or with a remark behind a sign, up to the first word that refuses."""
    begins = True
    for index, token in enumerate(tokens):
        if not token.is_path and token.text in words.REFUSING:
            return
        if token.is_path and begins:
            rest = list(
                takewhile(lambda one: one.is_path or one.text not in words.JOINING | {";"}, tokens[index + 1 :])
            )
            remark = [one for one in rest if one.is_path or one.text not in words.ENDING]
            is_part = not rest or rest[0].text in words.CHANGED or (rest[0].text in words.ENDING and not _reads(remark))
            if is_part and not _refuses(rest):
                yield token.text
        goes_on = not token.is_path and token.text in words.ARTICLES | words.CHANGING | words.CHANGED
        begins = (begins and goes_on) or (not token.is_path and token.text in words.JOINING | {";", ":"})


def _ordered(sentence: Sequence[_Token]) -> Iterator[str]:
    """The paths that are an order's object, or the place that it names. Nobody reads a sentence without an end."""
    verb, state = "", ""
    sentence = sentence[:_LONGEST]
    for index, token in enumerate(sentence):
        if token.is_path:
            if state and _may_end(sentence, index, verb, is_direct=state == "direct"):
                yield token.text
            continue
        if token.text in words.REFUSING:
            return
        is_order = token.text in words.CHANGING
        if is_order and (before := sentence[:index]):
            is_told = before[0].is_path or before[0].text in words.SUBJECTS
            is_told = is_told or any(one.text in words.TELLING for one in before)
            is_order = not is_told and not before[-1].is_path and before[-1].text in words.BEGINNING
        if is_order:
            verb, state = token.text, "direct"
        elif state:
            state = _follow(state, token.text, verb)


def _follow(state: str, word: str, verb: str) -> str:
    """What a path after this word would be to the order; "" for nothing."""
    if word in words.ARTICLES:
        return state
    if word in words.PLACES or word == "from":  # what the order changes: "set X in .env", not "set the path to .env"
        is_put = verb in words.PUTTING or (verb in words.MOVING and state == "direct")
        is_place = word in words.INSIDE or (verb in words.TAKING if word == "from" else is_put)
        return "place" if is_place else ""
    if word in words.JOINING:
        return "joined"
    is_told = state == "noun" and (word.endswith("ed") or word in words.TOLD)
    is_noun = state in ("direct", "noun") and word[0].isalnum() and not word.endswith("ing") and not is_told
    return "noun" if is_noun and word not in words.READING else ""


def _may_end(sentence: Sequence[_Token], index: int, verb: str, *, is_direct: bool) -> bool:
    """Whether what follows leaves a path what it is: "write AGENTS.md", but not "write AGENTS.md rules into x"."""
    rest = list(sentence[index + 1 :])
    if verb in words.ADDING and is_direct and any(token.text in words.PLACES for token in rest):
        return False
    is_joined = False
    while rest and (rest[0].is_path or rest[0].text in words.JOINING | words.ARTICLES):
        token = rest.pop(0)
        is_joined = not token.is_path and (is_joined or token.text in words.JOINING)
    if not rest or is_joined or rest[0].text in words.ENDING:
        return True
    return rest[0].text in words.AFTER or (verb in words.MOVING and rest[0].text in words.PLACES | {"from"})


def _is_about(sentence: Sequence[_Token]) -> bool:
    """A sentence that begins with a path and tells its change: "`.envrc`: add X", "AGENTS.md is updated"."""
    if len(sentence) < 3 or not sentence[0].is_path or _refuses(sentence):
        return False
    following = [token.text for token in sentence[1:]]
    if following[0] in words.ENDING and following[1] in words.CHANGING:
        return True
    while following and following[0] in words.BEING | words.ENDING:
        following.pop(0)
    is_changed = len(following) < len(sentence) - 1 and bool(following) and following[0] in words.CHANGED
    return is_changed and "by" not in following and (len(following) == 1 or following[1] in words.AFTER_CHANGED)


def _refuses(tokens: Sequence[_Token]) -> bool:
    return any(not token.is_path and token.text in words.REFUSING for token in tokens)


def _reads(tokens: Sequence[_Token]) -> bool:
    return bool(tokens) and not tokens[0].is_path and tokens[0].text in words.READING


def _is_label(text: str) -> bool:
    """Whether a title or label says "these files are changed" and nothing else."""
    found = [
        token.text for token in _tokens(text.rstrip(": "), lambda _: False) if token.text not in words.JOINING | {"/"}
    ]
    said = words.LABELS | words.CHANGING | words.CHANGED
    return any(word in said for word in found) and all(word in said | words.IN_LABELS for word in found)


def _sentences(tokens: Sequence[_Token]) -> Iterator[list[_Token]]:
    sentence: list[_Token] = []
    for token in tokens:
        sentence.append(token)
        if not token.is_path and token.text in _SENTENCE_ENDS:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _tokens(text: str, is_path: Callable[[str], bool]) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(text):
        if match[1] is not None:
            found.append(_Token(_path(match[1]), is_path=True))
        elif match[2] is not None:
            found += _read_word(match[2], is_path)
        else:
            found.append(_Token(match[3]))
    return found


def _read_word(word: str, is_path: Callable[[str], bool]) -> Iterator[_Token]:
    bare = word.rstrip(".")
    small = bare.casefold()
    if not bare.strip("-'’"):
        yield _Token(word[:1])
    elif small not in words.READING and (is_path(_path(bare)) or "/" in bare or "." in bare):
        yield _Token(_path(bare), is_path=True)
    else:
        yield _Token(small)
    if bare and bare != word and small not in ("e.g", "i.e"):
        yield _Token(".")


def _path(name: str) -> str:
    return name.strip().removeprefix("./").rstrip("/.,:;")


def _blocks(text: str) -> Iterator[_Block]:
    """The parts of a text, each with what it stands under; wrapped lines are put together."""
    above: list[tuple[int, str]] = []  # how far each title, label or item above is indented
    titles: tuple[str, ...] = ()
    lines: list[str] = []
    for line in _UNSEEN.sub("", text).replace("**", "").split("\n"):
        bare, last = line.strip(), lines[-1].strip() if lines else ""
        # what is no item, title or row goes on with the line before it
        if not bare or bare[0] in "|>#" or _ITEM.match(bare) or not last or last[0] in "|>#":
            lines.append(line)
        else:
            lines[-1] += f" {bare}"
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        bare = line.strip()
        titles = titles if bare.startswith("|") else ()
        if not bare or bare.startswith(">"):
            continue
        if heading := _HEADING.match(bare):
            above = [(_TITLE, heading[1])]
        elif "|" in bare and "-" in following and all(sign in " \t\r:|-" for sign in following):
            titles = tuple(_cells(bare))
        elif titles or bare.startswith("|"):
            yield _Block(bare, tuple(text for _, text in above), titles)
        else:
            item = _ITEM.match(bare)
            depth = len(line) - len(line.lstrip()) if item else _INTRODUCTION
            above = [one for one in above if one[0] < depth]
            content = _PREFIX.sub("", item[1] if item else bare)
            yield _Block(content, tuple(text for _, text in above))
            above.append((depth, content))


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]
