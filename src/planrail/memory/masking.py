"""Secrets of known shapes, taken out of a text before it is kept or shown.

A mask says what stood there and not how it began: `[masked token]`. Words are not secrets: "password: required" stays.
"""

import re

_NAMES = r"(?:api[_-]?key|access[_-]?key|account[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|비밀번호)"
# The shapes that issuers document, by their fixed beginnings.
_TOKENS = (
    r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bgithub_pat_\w{20,}",
    r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w-]{16,}",
    r"\bxox[abceoprs]-[\w-]{10,}",
    r"\bxapp-\d-[\w-]{10,}",
    r"\bsk-[A-Za-z0-9_-]{16,}",
    r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}",
    r"\bwhsec_[A-Za-z0-9+/=]{16,}",
    r"\bAIza[\w-]{30,}",
    r"\bya29\.[\w-]{20,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    r"\bpypi-[\w-]{30,}",
    r"\bhf_[A-Za-z0-9]{20,}",
    r"\bdop_v1_[a-f0-9]{40,}",
    r"\bSG\.[\w-]{16,}\.[\w-]{16,}",
    r"\bage-secret-key-1[a-z0-9]{30,}|\bAGE-SECRET-KEY-1[A-Z0-9]{30,}",
    r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
    r"https://hooks\.slack\.com/services/[\w/]{20,}",
    r"\bhv[sbr]\.[\w-]{20,}",
    r"\blin_api_[A-Za-z0-9]{20,}",
    r"\bdapi[a-f0-9]{32}\b",
    r"\bshp(?:at|ca|pa|ss)_[a-f0-9]{32}",
    r"\bglsa_[A-Za-z0-9]{20,}_[a-f0-9]{8}",
    r"\bsbp_[a-f0-9]{40}",
    r"\b\d{8,10}:AA[\w-]{33}\b",
)
_ASSIGNED = rf"{_NAMES}\w{{0,20}}[\"']?\s*(?:=|:=|:)\s*"
# Bounded looks ahead: a long line without spaces must not cost the square of its length.
_UNLIKE_WORDS = r"(?=\S{0,80}?(?:\d|[a-z][A-Z]))(?![\[\"'`$<{(]|[^\s/]{0,80}/\S{0,80}?\.\w{1,5}\b|[\w.]{1,80}\()"
_SHAPES = (
    # A block that was cut off is a key all the same: masked up to where the text ends.
    (re.compile(r"-----BEGIN [\w ]*PRIVATE KEY[\w ]*-----.*?(?:-----END [\w ]*-----|\Z)", re.S), "[masked key]"),
    (re.compile("|".join(_TOKENS)), "[masked token]"),
    (re.compile(r"(://[^\s/@:'\"<>]*:)[^\s/@'\"<>]+(?=@)"), r"\1[masked]"),
    (re.compile(r"(://)(?=[^\s/@:'\"<>]*\d)[^\s/@:'\"<>]{16,}(?=@)"), r"\1[masked]"),
    (re.compile(r"([?&](?:sig|signature|access_token)=)[^\s&'\"<>]{12,}", re.I), r"\1[masked]"),
    (
        re.compile(r"\b((?:bearer|basic|authorization:\s*token)\s+)(?=[\w.~+/-]*\d)[\w.~+/-]{12,}=*", re.I),
        r"\1[masked]",
    ),
    (re.compile(rf"({_ASSIGNED})([\"'])(?!\[masked)[^\"'\s]{{6,}}\2", re.I), r"\1\2[masked]\2"),
    # Without quotes only what no word looks like: a digit in it, or another letter case inside. No path, no call.
    (re.compile(rf"((?i:{_ASSIGNED})){_UNLIKE_WORDS}[^\s\"'`,;)]{{8,}}"), r"\1[masked]"),
)


def mask(text: str) -> str:
    """The text with a mask in the place of each key, token, password or private key of a known shape."""
    for shape, instead in _SHAPES:
        text = shape.sub(instead, text)
    return text
