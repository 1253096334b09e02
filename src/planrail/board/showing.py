"""A plan as HTML.

Markdown is rendered with HTML off, then sanitised; each part of it knows its lines, so that people can speak of it.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from planrail.base.records import record
from planrail.base.visible import show_text

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre"),
    *("s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_HASH = 16
_BLANKS = re.compile(r"\s+")


@record
class PlanPart:
    """A part of a plan that can be commented on: a paragraph, an item, a table. Lines count from one, both included."""

    first: int
    last: int
    source: str
    html: str
    plain: str  # what a reader sees, blanks as one

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.source.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]


def squeeze(text: str) -> str:
    """A text as it is looked for: blanks of any kind and number are one."""
    return _BLANKS.sub(" ", text).strip()


def render_plan(text: str, *, is_markdown: bool = True) -> list[PlanPart]:
    """The parts of a plan, each rendered by itself."""
    lines = text.split("\n")
    if not is_markdown:
        return [_make_code(lines, 0, len(lines))] if text.strip() else []
    begin = _end_of_head(lines)
    blocks = [_make_code(lines, 0, begin)] if begin else []
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    parser.validateLink = _is_link  # type: ignore[method-assign] # that is how it is set
    tokens = parser.parse(show_text("\n".join(lines[begin:])))
    for part in _split(tokens):
        place = next((token.map for token in part if token.map), None)
        if place is not None:
            source = "\n".join(lines[begin + place[0] : begin + place[1]]).rstrip()
            html = nh3.clean(
                parser.renderer.render(part, parser.options, {}),
                tags=_TAGS,
                attributes=_ATTRIBUTES,
                url_schemes={"http", "https"},
                link_rel="noopener noreferrer nofollow",
            )
            plain = squeeze(" ".join(_texts(part)))
            first = begin + place[0] + 1
            blocks.append(PlanPart(first, first + source.count("\n"), source, html, plain))
    return blocks


def _end_of_head(lines: Sequence[str]) -> int:
    """How many lines the front matter has."""
    if lines[0].rstrip() != "---":
        return 0
    return next((at + 1 for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)


def _make_code(lines: Sequence[str], begin: int, end: int) -> PlanPart:
    source = "\n".join(lines[begin:end])
    shown = show_text(source)
    return PlanPart(begin + 1, end, source, f"<pre><code>{nh3.clean_text(shown)}</code></pre>", squeeze(shown))


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each part: what stands at the top, and of a list there each item in a list of its own."""
    part, around, number = list[Token](), list[Token](), 0
    for token in tokens:
        if token.level == 0 and token.type in ("bullet_list_open", "ordered_list_open"):
            around, number = [token], int(token.attrs.get("start", 1))
            continue
        if token.level == 0 and around and token.nesting == -1:
            around = []
            continue
        part.append(token)
        if token.level == (1 if around else 0) and token.nesting <= 0:
            yield _wrap(part, around[0], number) if around else part
            part, number = [], number + 1


def _wrap(part: list[Token], opening: Token, number: int) -> list[Token]:
    tag = opening.tag
    attrs: dict[str, str | int | float] = {"start": number} if tag == "ol" else {}
    closing = opening.type.replace("open", "close")
    return [Token(opening.type, tag, 1, attrs=attrs, block=True), *part, Token(closing, tag, -1, block=True)]


def _texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children:
            yield "".join(child.content or " " for child in token.children)
        elif token.type in ("fence", "code_block"):
            yield token.content


def _is_link(url: str) -> bool:
    return url.lower().startswith(("https://", "http://"))
