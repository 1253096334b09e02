"""The promise: the tag by which an author says that the plan is finished.

It is said where it stands for itself, on a line of its own or at the very end. In code it is quoted; in a sentence that
says "not" it is denied; in any other sentence it is mentioned, which is no promise, but is not for every phase either.
"""

import re
from bisect import bisect
from collections.abc import Iterator

from planrail.base.records import record
from planrail.planning.answers.structure import unquote
from planrail.plans.lint.inline import code_spans

_TAG = re.compile(r"<promise>((?:(?!</?promise>).){0,1000})</promise>", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$)")
_DENIAL = re.compile(
    r"\b(?:not|never|cannot|nicht|kein\w*|nie|pas|"
    r"jamais|nunca|não|non|не|нельзя|ні|nie|henüz|değil)\b|n[’']t\b|"
    r"않|아직|못|말고|안 |없이|不|未|别|別|没|沒|ない|ません|せず",
    re.IGNORECASE,
)
_NEAR = 200  # characters around a tag that say how it is meant
_ORNAMENT = " \t\n*_#-.!:✅🎉"


@record
class Promise:
    """A tag outside code: what stands in it, and whether it is said, or only mentioned in a sentence."""

    text: str
    is_said: bool


def makes_promise(text: str, promise: str) -> bool:
    return any(one.is_said and one.text == squeeze(promise) for one in find_promises(unquote(text).text))


def find_promises(unquoted: str) -> Iterator[Promise]:
    """The promises of a text without quotations, in their order; those in code and those denied are none."""
    line: tuple[int, int] = (-1, -1)
    spans: list[tuple[int, int]] = []
    for tag in _TAG.finditer(unquoted):
        start, end = tag.span()
        if not line[0] <= start < line[1]:
            line = unquoted.rfind("\n", 0, start) + 1, _line_end(unquoted, end)
            spans = [(line[0] + span.start, line[0] + span.end) for span in code_spans(unquoted[line[0] : line[1]])]
        before = unquoted[max(line[0], start - _NEAR) : start]
        if _is_in(spans, start) or _is_quoted(unquoted, line[0]):
            continue
        if not _is_denied(before, unquoted, line[0]):
            yield Promise(squeeze(tag[1]), _stands_alone(unquoted, before, end, line[1]))


def squeeze(text: str) -> str:
    return " ".join(text.split())


def _is_in(spans: list[tuple[int, int]], at: int) -> bool:
    following = bisect(spans, (at, at))
    return following > 0 and spans[following - 1][1] > at


def _is_quoted(text: str, start: int) -> bool:
    """Whether the line that begins here is a block quote or, after an empty line, indented code."""
    head = text[start : start + 8]
    if head.lstrip().startswith(">"):
        return True
    return head.startswith(("    ", "\t")) and text[max(0, start - 2) : start] == "\n\n"


def _is_denied(before: str, text: str, start: int) -> bool:
    """Whether the sentence before a tag says "not": on its line, or on the line above if that ends with a colon."""
    if before.strip(_ORNAMENT):
        return _DENIAL.search(_last_sentence(before)) is not None
    above = text[max(0, start - 500) : start].rstrip().rsplit("\n", 1)[-1]
    return above.endswith((":", "：")) and _DENIAL.search(_last_sentence(above)) is not None


def _last_sentence(text: str) -> str:
    return _SENTENCE_END.split(text)[-1]


def _stands_alone(text: str, before: str, end: int, line_end: int) -> bool:
    after = text[end : end + _NEAR].replace("</promise>", "")
    is_last = not _TAG.sub("", after).strip(_ORNAMENT + "`")
    return is_last or not (_TAG.sub("", before).strip(_ORNAMENT) or text[end:line_end].strip(_ORNAMENT))


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
