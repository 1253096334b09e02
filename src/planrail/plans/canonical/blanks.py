"""Line ends that mean nothing: blanks behind text, and the audit comments of planrail.

Both are left out only in lines that the reader takes for plain Markdown. In code a blank behind a backslash makes two
commands of one, and a comment is a redirection; there, every byte is a part of the text.
"""

from collections.abc import Iterator, Sequence

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text
from planrail.plans.text.lines import split_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.text.blocks import FrontMatter

_STAMP = r"[0-9a-fA-F:TZ+.\-]{1,64}"
_STATES = "|".join(State)
# Values that cannot carry a sentence: a comment of planrail's form with other words in it is the author's.
_AUDIT = pattern(
    rf"[ \t]<!-- planrail:(?: (?:at|attempt|commit|evidence|run)={_STAMP}| (?:set|status|was)=(?:{_STATES})){{1,8}} -->"
    r"[ \t]*$"
)
_CODE = pattern(r"(?<!`)(`+)(?!`)[^`]++(?<!`)\1(?!`)")
_ENTRY = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?![ \t]|~~~)\S")  # more blanks would make it code


def find_blanks(text: str, front_matter: "FrontMatter | None", blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The blanks at the ends of lines of text, and those that are all of a line outside fences and front matter."""
    lines, starts = split_lines(text)
    plain = _plain_lines(blocks)
    kept = {line for fence in blocks if isinstance(fence, Fence) for line in range(fence.line, fence.end_line + 1)}
    first = front_matter.end_line if front_matter is not None else 0
    for number, line in enumerate(lines[first:], first + 1):
        if line[-1:] in (" ", "\t"):
            body = line.rstrip(" \t")
            if (number in plain and not body.endswith("\\")) or (not body and number not in kept):
                yield starts[number - 1] + len(body), starts[number - 1] + len(line)


def _plain_lines(blocks: Sequence[Block]) -> set[int]:
    """The lines that are headings, items, text or tables; one in which a fence opens is none."""
    plain: set[int] = set()
    for block in blocks:
        if isinstance(block, Table):
            plain.update(range(block.line, block.line + 2 + len(block.rows)))
        elif not isinstance(block, Fence):
            plain.add(block.line)
    return plain - {block.line for block in blocks if isinstance(block, Fence)}


def find_audits(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The audit comments at the ends of headings, items and rows."""
    if "<!-- planrail:" not in text:
        return
    lines, starts = split_lines(text)
    items = {block.line for block in blocks if isinstance(block, Item)}
    for number in _plain_lines([block for block in blocks if not isinstance(block, Text)]):
        line = lines[number - 1]
        match = _AUDIT.search(line)
        if match and _may_end(line[: match.start()], is_item=number in items):
            yield starts[number - 1] + match.start(), starts[number - 1] + match.end()


def _may_end(before: str, *, is_item: bool) -> bool:
    """Whether a comment behind this beginning of a line is one: no code is open there, no other tag, no escape."""
    bare = _CODE.sub("", before)
    is_open = any(sign in bare for sign in "`<") or before.endswith("\\")
    return bool(bare.strip()) and not is_open and (not is_item or _ENTRY.match(before) is not None)
