"""Secrets of known shapes: taken out of a text before it is kept or shown, and found in what is about to land.

A mask says what stood there and not how it began: `[masked token]`. Words are not secrets: "password: required" stays.
"""

import re

from planrail.base.records import record
from planrail.base.secret_shapes import SEARCHED, SHAPES, STANDS_FOR
from planrail.base.secret_signs import IN_ADDRESSES, IN_HEADERS, IN_NAMES, IN_QUERIES, KEY, has_signs
from planrail.base.secret_signs import secret_values as secret_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NAMES = r"(?:api[_-]?key|access[_-]?key|account[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|비밀번호)"
# Where a word may begin: behind what is no letter, a line end as JSON spells it, a sign as an address spells it, or the
# end of a colour's code.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2})|(?<=[0-9;\[]m))"
_BEGUN, _SEARCHED = (
    tuple((kind, tuple(words.split()), shape) for kind, words, shape in table) for table in (SHAPES, SEARCHED)
)
_ASSIGNED = rf"{_NAMES}\w{{0,20}}[\"']?\s*(?:=|:=|:)\s*"
# Bounded looks ahead: a long line without spaces must not cost the square of its length.
_UNLIKE_WORDS = r"(?=\S{0,80}?(?:\d|[a-z][A-Z]))(?![\[\"'`$<{(]|[^\s/]{0,80}/\S{0,80}?\.\w{1,5}\b|[\w.]{1,80}\()"
_BEGIN, _END = r"-----BEGIN [\w ]{0,40}PRIVATE KEY[\w ]{0,20}-----", r"-----END [\w ]{0,60}-----"
_AROUND = r"[ \t\"'+,>|]*+"  # of a line of a key in code, in a quotation
# The lines of a key, also with their ends as JSON spells them: nothing with words in it. Nothing is ever tried twice.
_LINES = (
    rf"(?:{_AROUND}(?:\r?\n|\\r|\\n)++{_AROUND}"
    rf"(?:(?:Proc-Type|DEK-Info):[^\n\\]*+|[A-Za-z0-9+/=]{{16,}}+|[A-Za-z0-9+/=]*+(?={_AROUND}(?:[\r\n\\]|\Z)))"
    rf"| [A-Za-z0-9+/=]{{16,}}+)*+"
)
_KEY = rf"(?s:{_BEGIN}(?:(?:(?!-----BEGIN).){{0,12000}}?{_END}|{_LINES}))"  # one that is cut off is a key all the same
_OPEN_KEY = rf"{_BEGIN}{_LINES}\s*\Z"
_KEY_GOES_ON = rf"{_LINES}(?P<end>\s*{_END})?"
_KEY_CONTENT = r"(?m)(?:^|\\[nr]|[\s\"'])[A-Za-z0-9+/]{16,}={0,2}(?:\\[nr]|[\s\"',]|$)"
_KEY_END = r"-----END [\w ]{0,40}PRIVATE KEY[\w ]{0,20}-----"
_KEY_LINE = r"[ \t]*[A-Za-z0-9+/=]{1,100}\s*"
_IN_ADDRESS = r"(?P<before>://[^\s/@:'\"<>]{0,200}:)(?P<secret>[^\s/@'\"<>]+)(?=@(?P<host>[^\s/:'\"<>]*))"
# Whatever is not a token: words of it in lower case, and its shapes with what is put there instead.
_SHAPES = (
    (IN_ADDRESSES, _IN_ADDRESS, r"\g<before>[masked]"),
    (IN_ADDRESSES, r"(://)(?=[^\s/@:'\"<>]*\d)[^\s/@:'\"<>]{16,}(?=@)", r"\1[masked]"),
    (IN_QUERIES, r"(?i)([?&](?:sig|signature|access_token)=)[^\s&'\"<>]{12,}", r"\1[masked]"),
    (
        IN_HEADERS,
        rf"(?i){_START}((?:bearer|basic|authorization:\s*token)\s+)(?=[\w.~+/-]*\d)[\w.~+/-]{{12,}}=*",
        r"\1[masked]",
    ),
    (IN_NAMES, rf"(?i)({_ASSIGNED})([\"'])(?!\[masked)[^\"'\s]{{6,}}\2", r"\1\2[masked]\2"),
    # Without quotes only what no word looks like: a digit in it, or another letter case inside. No path, no call.
    (IN_NAMES, rf"((?i:{_ASSIGNED})){_UNLIKE_WORDS}[^\s\"'`,;)]{{8,}}", r"\1[masked]"),
)
_COLOUR = r"(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;:?]{0,40}[A-Za-z]"  # also as JSON and code spell it
_FEWEST_SIGNS = 8  # different ones: a row of x is no token
# Names that lead nowhere by RFC 2606 and 6761: what is told to them is told to nobody.
_NOWHERE = r"(?i)(?:^|\.)(?:localhost|test|example|invalid|example\.(?:com|org|net))$|^127\.|^\[?::1|^$"


def mask(text: str, known: "Iterable[str]" = ()) -> str:
    """The text with a mask in the place of each key, token, password or private key of a known shape, and of each
    value that is known to be secret. A line in which colours cut one in two loses its colours."""
    values = tuple(known)
    if not has_signs(text, values):
        return text
    masked = _mask(text, values)
    if not re.search(_COLOUR, masked):
        return masked
    lines = masked.splitlines(keepends=True)
    plain = [re.sub(_COLOUR, "", line) for line in lines]
    bare = [_mask(text, values) if text != line else text for text, line in zip(plain, lines, strict=True)]
    return "".join(new if new != text else line for new, text, line in zip(bare, plain, lines, strict=True))


def _mask(text: str, known: tuple[str, ...]) -> str:
    for value in known:
        text = text.replace(value, "[masked]")
    if KEY in text:
        text = _without_key_ends(re.sub(_KEY, "[masked key]", text))
    text = _without_tokens(text)
    lower = text.lower()
    for words, shape, instead in _SHAPES:
        if any(word in lower for word in words):
            text = re.sub(shape, instead, text)
    return text


def _without_tokens(text: str) -> str:
    kept, at = [], 0
    for start, end in sorted((token.start(), token.end()) for _, token in _tokens_in(text)):
        if end > at:  # one may be a part of another
            kept.append(f"{text[at:start]}[masked token]" if start >= at else "")
            at = end
    return "".join([*kept, text[at:]])


def _tokens_in(text: str) -> "Iterator[tuple[str, re.Match[str]]]":
    """The tokens of issuers in a text, by their kinds. A shape is tried only where its word stands."""
    for kind, words, shape in _BEGUN:
        for word in words:
            at = text.find(word)
            while at >= 0:
                token = re.compile(shape).match(text, at) if _may_begin(text, at) else None
                if token is not None:
                    yield kind, token
                at = text.find(word, token.end() if token is not None else at + 1)
    for kind, words, shape in _SEARCHED:
        if any(word in text for word in words):
            yield from ((kind, token) for token in re.finditer(_START + shape, text))


def _may_begin(text: str, at: int) -> bool:
    before = text[at - 1 : at]
    return not (before.isascii() and before.isalnum()) or re.compile(_START).match(text, at) is not None


def _without_key_ends(text: str) -> str:
    line, kept, at = re.compile(_KEY_LINE), [], 0
    for end in re.finditer(_KEY_END, text):
        start = max(at, text.rfind("\n", 0, end.start()) + 1)
        while start > at and line.fullmatch(text, before := max(at, text.rfind("\n", 0, start - 1) + 1), start):
            start = before
        kept.append(f"{text[at:start]}[masked key]")
        at = end.end()
    return "".join([*kept, text[at:]])


class MaskedLines:
    """Masks pieces of one stream that end with a line each: a private key goes on from one to the next."""

    def __init__(self, known: "Iterable[str]" = ()) -> None:
        self._known = tuple(known)
        self._is_in_key = False

    def mask(self, text: str) -> str:
        if self._is_in_key:
            whole = f"\n{text}"
            inside = re.match(_KEY_GOES_ON, whole)
            assert inside is not None  # it may be empty
            rest = whole[max(1, inside.end()) :]
            self._is_in_key = not rest.strip() and not inside["end"]
            return "" if self._is_in_key else self.mask(rest)
        self._is_in_key = KEY in text and re.search(_OPEN_KEY, text) is not None
        return mask(text, self._known)


@record
class Secret:
    """A secret in a text: what kind it is, where it begins, and its value, which is told to nobody."""

    kind: str
    start: int
    value: str


def find_secrets(text: str, known: "Iterable[str]" = ()) -> "Iterator[Secret]":
    """What is certainly meant as a secret: keys, tokens of issuers, passwords in addresses, values that are known.

    A value that code merely calls a password is masked, and is not among these: tests are full of them.
    """
    for value in known:
        at = text.find(value)
        if at >= 0:
            yield Secret("value of a secret variable", at, value)
    for key in re.finditer(_KEY, text) if KEY in text else ():
        if re.search(_KEY_CONTENT, key[0]):
            yield Secret("private key", key.start(), key[0])
    for kind, token in _tokens_in(text):
        if _is_meant(token[0]):
            yield Secret(kind, token.start(), token[0])
    for address in re.finditer(_IN_ADDRESS, text) if "://" in text else ():
        word = address["secret"]
        if not (
            re.search(_NOWHERE, address["host"]) or word.startswith(("$", "{", "%", "[")) or re.search(STANDS_FOR, word)
        ):
            yield Secret("password in an address", address.start("secret"), word)


def _is_meant(token: str) -> bool:
    """Whether this is a token and not one that documents or tests have in the place of one."""
    is_mixed = any(sign.isdigit() for sign in token) or (token != token.lower() and token != token.upper())
    return is_mixed and len(set(token)) >= _FEWEST_SIGNS and not re.search(STANDS_FOR, token)
