"""The promise: the tag by which an author says that the plan is finished.

It is said where it stands for itself, on a line of its own or at the very end. In code it is quoted; in a sentence that
says "not" it is denied; in any other sentence it is mentioned, which is no promise, but is not for every phase either.
"""

import re
from bisect import bisect
from collections.abc import Iterator

from planrail.base.records import record
from planrail.planning.answers.page import Page
from planrail.plans.lint.document import code_spans

_TAG = re.compile(r"<promise>((?:(?!</?promise>).){0,1000})</promise>", re.DOTALL | re.IGNORECASE)
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
    """A tag that is not quoted: what stands in it, and whether it is said or denied; if neither, it is mentioned."""

    start: int
    end: int
    text: str
    is_said: bool
    is_denied: bool


def find_promises(page: Page) -> Iterator[Promise]:
    """The promise tags of a text in their order, without those in code, comments and block quotes."""
    text, line, spans = page.said, (-1, -1), []
    for tag in _TAG.finditer(text):
        start, end = tag.span()
        if not line[0] <= start < line[1]:
            last = text.find("\n", end)
            line = text.rfind("\n", 0, start) + 1, len(text) if last < 0 else last
            spans = [(line[0] + span.start, line[0] + span.end) for span in code_spans(text[slice(*line)])]
        following = bisect(spans, (start, start))
        is_code = following > 0 and spans[following - 1][1] > start
        head = text[line[0] : line[0] + 8]
        above = text[text.rfind("\n", 0, max(line[0] - 1, 0)) + 1 : line[0]]
        is_indented = head.startswith(("    ", "\t")) and not above.strip()
        if is_code or is_indented or head.lstrip().startswith(">"):
            continue
        before, after = text[max(line[0], start - _NEAR) : start], text[end : end + _NEAR].replace("</promise>", "")
        is_alone = not (_TAG.sub("", before).strip(_ORNAMENT) or text[end : line[1]].strip(_ORNAMENT))
        is_said = is_alone or not _TAG.sub("", after).strip(_ORNAMENT + "`")
        is_denied = _is_denied(before, text, line[0])
        yield Promise(start, end, " ".join(tag[1].split()), is_said and not is_denied, is_denied)


def makes_promise(page: Page, promise: str) -> bool:
    return any(one.is_said and one.text == " ".join(promise.split()) for one in find_promises(page))


def _is_denied(before: str, text: str, start: int) -> bool:
    """Whether the sentence before a tag says "not": on its line, or on the line above if that ends with a colon."""
    if not before.strip(_ORNAMENT):
        before = text[max(0, start - 500) : start].rstrip().rsplit("\n", 1)[-1]
        before = before if before.endswith((":", "：")) else ""
    return _DENIAL.search(_SENTENCE_END.split(before)[-1]) is not None


def strip_promises(text: str) -> str:
    """The text without promise tags, and without the lines that are nothing else; those that are quoted stay."""
    if not _TAG.search(text):
        return text
    kept, at, page = [], 0, Page(text)
    for one in find_promises(page):
        start, end = one.start, one.end
        line_start = max(page.said.rfind("\n", 0, start) + 1, at)
        line_end = page.said.find("\n", end) + 1 or len(text)
        if not text[line_start:start].strip() and not text[end:line_end].strip():
            start, end = line_start, line_end
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])
