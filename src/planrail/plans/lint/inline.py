"""The inside of a line: code in backticks, links, and the prose that is left when what is quoted is taken out."""

import re

from planrail.base.records import record


@record
class Span:
    """A piece of a line: its text, where it starts and where it ends, the marks around it included."""

    text: str
    start: int
    end: int


_TICKS = re.compile(r"`+")
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\((?P<target><[^<>]*>|[^()\s]+)(?:\s+[\"'][^\"']*[\"'])?\)")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)")
_URL = re.compile(r"\b(?:https?|ssh|git|ftp|file)://[^\s)>\]]+")
_QUOTED = re.compile(
    r"“[^“”]*”|«[^«»]*»|「[^「」]*」|『[^『』]*』|„[^„“]*“|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)'[^']*'(?!\w)"
)


def code_spans(text: str) -> list[Span]:
    """The pieces of inline code, in order. As in CommonMark, a run of backticks is closed by one of its length."""
    runs = list(_TICKS.finditer(text)) if "`" in text else []
    spans: list[Span] = []
    at = 0
    while at < len(runs):
        later = range(at + 1, len(runs))
        closing = next((other for other in later if len(runs[other][0]) == len(runs[at][0])), None)
        if closing is None:
            at += 1
            continue
        start, end = runs[at].end(), runs[closing].start()
        spans.append(Span(text[start:end].strip(), runs[at].start(), runs[closing].end()))
        at = closing + 1
    return spans


def link_targets(text: str) -> list[Span]:
    if "](" not in text:
        return []
    return [Span(match["target"].strip("<>"), match.start(), match.end()) for match in _LINK.finditer(text)]


def without_code(text: str) -> str:
    """The line with its code, comments and addresses blanked; every offset stays what it was."""
    for span in code_spans(text):
        text = _blank(text, span.start, span.end)
    for pattern in (_COMMENT, _URL):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for match in _LINK.finditer(text) if "](" in text else ():
        text = _blank(text, match.start("target"), match.end("target"))
    return text


def without_quotations(text: str) -> str:
    """The line with what it quotes blanked as well: somebody else's words, or words that are talked about."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
