"""Secrets of known shapes: taken out of a text before it is kept or shown, and found in what is about to land.

A mask says what stood there and not how it began: `[masked token]`. Words are not secrets: "password: required" stays.
"""

import re

from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_NAMES = r"(?:api[_-]?key|access[_-]?key|account[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|비밀번호)"
_NAME_PARTS = ("key", "secret", "token", "passw", "passphrase", "pwd", "credential", "비밀번호")
# Where a word may begin: behind what is no letter, a line end as JSON spells it, or the end of a colour's code.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})|(?<=[0-9;\[]m))"
# The shapes that issuers document: what it is, the words that it cannot be without, and the whole. The words are looked
# for first, since that costs next to nothing: nearly no text has one. Shapes are compiled where one is needed.
_TOKENS = tuple(
    (kind, tuple(words.split()), _START + shape)
    for kind, words, shape in (
        ("AWS access key", "AKIA ASIA AGPA AIDA AROA", r"(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
        ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,}"),
        ("GitHub token", "github_pat_", r"github_pat_\w{20,}"),
        ("GitLab token", "gl", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{16,}"),
        ("Slack token", "xox", r"xox[abceoprs]-[\w-]{10,}"),
        ("Slack token", "xapp-", r"xapp-\d-[\w-]{10,}"),
        ("Slack address", "hooks.slack.com", r"https://hooks\.slack\.com/services/[\w/]{20,}"),
        ("API key", "sk-", r"sk-[A-Za-z0-9_-]{16,}"),
        ("Stripe key", "k_live_ k_test_", r"[srp]k_(?:live|test)_[A-Za-z0-9]{10,}"),
        ("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
        ("Google key", "AIza", r"AIza[\w-]{30,}"),
        ("Google token", "ya29.", r"ya29\.[\w-]{20,}"),
        ("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
        ("PyPI token", "pypi-", r"pypi-[\w-]{30,}"),
        ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{20,}"),
        ("DigitalOcean token", "dop_v1_", r"dop_v1_[a-f0-9]{40,}"),
        ("SendGrid key", "SG.", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
        ("age key", "age-secret-key-1", r"age-secret-key-1[a-z0-9]{30,}"),
        ("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{30,}"),
        ("JSON web token", "eyJ", r"eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
        ("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
        ("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{20,}"),
        ("Databricks token", "dapi", r"dapi[a-f0-9]{32}\b"),
        ("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[a-f0-9]{32}"),
        ("Grafana token", "glsa_", r"glsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}"),
        ("Supabase token", "sbp_", r"sbp_[a-f0-9]{40}"),
        ("Telegram token", ":AA", r"\d{8,10}:AA[\w-]{33}\b"),
    )
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
_KEY_END = r"-----END [\w ]{0,40}PRIVATE KEY[\w ]{0,20}-----"
_KEY_LINE = r"[ \t]*[A-Za-z0-9+/=]{1,100}\s*"
_IN_ADDRESS = r"(?P<before>://[^\s/@:'\"<>]{0,200}:)(?P<secret>[^\s/@'\"<>]+)(?=@(?P<host>[^\s/:'\"<>]*))"
# Whatever is not a token: words of it in lower case, and its shapes with what is put there instead.
_SHAPES = (
    (("://",), _IN_ADDRESS, r"\g<before>[masked]"),
    (("://",), r"(://)(?=[^\s/@:'\"<>]*\d)[^\s/@:'\"<>]{16,}(?=@)", r"\1[masked]"),
    (("sig", "access_token"), r"(?i)([?&](?:sig|signature|access_token)=)[^\s&'\"<>]{12,}", r"\1[masked]"),
    (
        ("bearer", "basic", "authorization"),
        rf"(?i){_START}((?:bearer|basic|authorization:\s*token)\s+)(?=[\w.~+/-]*\d)[\w.~+/-]{{12,}}=*",
        r"\1[masked]",
    ),
    (_NAME_PARTS, rf"(?i)({_ASSIGNED})([\"'])(?!\[masked)[^\"'\s]{{6,}}\2", r"\1\2[masked]\2"),
    # Without quotes only what no word looks like: a digit in it, or another letter case inside. No path, no call.
    (_NAME_PARTS, rf"((?i:{_ASSIGNED})){_UNLIKE_WORDS}[^\s\"'`,;)]{{8,}}", r"\1[masked]"),
)
_SECRET_NAME = r"(?i)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|KEY|_PWD|_PASS)$"
_SHORTEST_VALUE = 8
_FEWEST_SIGNS = 8  # different ones: a row of x is no token
# Names that lead nowhere by RFC 2606 and 6761: what is told to them is told to nobody.
_NOWHERE = r"(?i)(?:^|\.)(?:localhost|test|example|invalid|example\.(?:com|org|net))$|^127\.|^\[?::1|^$"
_HELD = 1 << 16  # bytes of a line without an end that a stream holds back
_OF_SECRETS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~:@-"


def mask(text: str, known: "Iterable[str]" = ()) -> str:
    """The text with a mask in the place of each key, token, password or private key of a known shape, and of each
    value that is known to be secret."""
    for value in known:
        text = text.replace(value, "[masked]")
    if "PRIVATE KEY" in text:
        text = _without_key_ends(re.sub(_KEY, "[masked key]", text))
    for _, words, shape in _TOKENS:
        if any(word in text for word in words):
            text = re.sub(shape, "[masked token]", text)
    lower = text.lower()
    for words, shape, instead in _SHAPES:
        if any(word in lower for word in words):
            text = re.sub(shape, instead, text)
    return text


def _without_key_ends(text: str) -> str:
    """The text without the last lines of keys whose beginning is cut off."""
    line, kept, at = re.compile(_KEY_LINE), [], 0
    for end in re.finditer(_KEY_END, text):
        start = max(at, text.rfind("\n", 0, end.start()) + 1)
        while start > at and line.fullmatch(text, before := max(at, text.rfind("\n", 0, start - 1) + 1), start):
            start = before
        kept.append(f"{text[at:start]}[masked key]")
        at = end.end()
    return "".join([*kept, text[at:]])


def secret_values(environment: "Mapping[str, str]") -> tuple[str, ...]:
    """The values of variables whose names say that they are secret, the longest first. A path or a word is none."""
    found = {value for name, value in environment.items() if re.search(_SECRET_NAME, name) and _is_unlike_words(value)}
    return tuple(sorted(found, key=len, reverse=True))


def _is_unlike_words(value: str) -> bool:
    is_path = value.startswith(("/", "~/", "./"))
    return len(value) >= _SHORTEST_VALUE and not is_path and not value.isalpha() and not value.isspace()


class MaskedLines:
    """Masks pieces of one stream that end with a line each: a private key goes on from one to the next."""

    def __init__(self, known: "Iterable[str]" = ()) -> None:
        self._known = tuple(known)
        self._is_in_key = False

    def mask(self, text: str) -> str:
        """The next piece."""
        if self._is_in_key:
            whole = f"\n{text}"
            inside = re.match(_KEY_GOES_ON, whole)
            assert inside is not None  # it may be empty
            rest = whole[max(1, inside.end()) :]
            self._is_in_key = not rest.strip() and not inside["end"]
            return "" if self._is_in_key else self.mask(rest)
        self._is_in_key = "PRIVATE KEY" in text and re.search(_OPEN_KEY, text) is not None
        return mask(text, self._known)


class MaskedStream:
    """Masks bytes that come in chunks of any size: what may be a part of a secret is held back until more is known."""

    def __init__(self, known: "Iterable[str]" = ()) -> None:
        self._lines, self._held = MaskedLines(known), b""

    def feed(self, chunk: bytes) -> bytes:
        """What can be told by now."""
        self._held += chunk
        end = self._held.rfind(b"\n") + 1
        if self._held[:end].rstrip().endswith((b":", b"=")):  # its value may follow on the next line
            end = self._held.rfind(b"\n", 0, end - 1) + 1
        if not end and len(self._held) > _HELD:
            end = len(self._held.rstrip(_OF_SECRETS)) or len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._mask(ready) if ready else b""

    def rest(self) -> bytes:
        """What was held back; the stream is over."""
        ready, self._held = self._held, b""
        return self._mask(ready)

    def _mask(self, data: bytes) -> bytes:
        return self._lines.mask(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


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
    for key in re.finditer(_KEY, text):
        yield Secret("private key", key.start(), key[0])
    for kind, words, shape in _TOKENS:
        for token in re.finditer(shape, text) if any(word in text for word in words) else ():
            if len(set(token[0])) >= _FEWEST_SIGNS and any(sign.isdigit() for sign in token[0]):
                yield Secret(kind, token.start(), token[0])
    for address in re.finditer(_IN_ADDRESS, text):
        if not re.search(_NOWHERE, address["host"]) and not address["secret"].startswith(("$", "{", "%", "[")):
            yield Secret("password in an address", address.start("secret"), address["secret"])
