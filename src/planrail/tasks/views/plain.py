"""Texts that people wrote, so that they cannot be taken for a part of the document that shows them."""

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # all that some reader takes for the end of a line
_CONTROL = [*range(0x20), *range(0x7F, 0xA0)]
_LINE = {**dict.fromkeys(_CONTROL, " "), **dict.fromkeys(map(ord, _BREAKS), " ")}
_TEXT = {**dict.fromkeys(_CONTROL, " "), **dict.fromkeys(map(ord, _BREAKS), "\n"), ord("\t"): "\t"}
# Lines that begin so mean something in TODO.md: headings, rules, HTML, and the fields of an entry.
_FIELDS = ("Effort", "Status", "Task Type", "Topic", "Dependencies", "Research", "Plan", "Summary", "Description")
_STARTS = ("#", "<", *(f"{sign} **{name}**" for sign in "-*+" for name in _FIELDS), "**Description**")
_RULES = "-*_="
_FENCES = ("```", "~~~")


def plain_line(text: str) -> str:
    """A text as one line that can be written anywhere; what it says is not shortened."""
    return flat(text).strip()


def flat(text: str) -> str:
    """A text as one line, with the blanks around it."""
    return text if text.isascii() and text.isprintable() else whole(text).translate(_LINE)


def plain_text(text: str) -> str:
    """A text of several lines, none of which can be taken for the structure around it."""
    lines = whole(text).replace("\r\n", "\n").translate(_TEXT).strip().split("\n")
    fences = _find_fences(lines)
    first, *rest = lines
    return "\n".join([first, *(_escape(line, is_fence=at in fences) for at, line in enumerate(rest, 1))])


def whole(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _escape(line: str, *, is_fence: bool) -> str:
    bare = line.lstrip(" \t")
    if is_fence or not bare or not _is_structure(bare):
        return line.rstrip()
    return f"{line[: len(line) - len(bare)]}\\{bare}".rstrip()


def _is_structure(bare: str) -> bool:
    if bare.startswith((*_STARTS, *_FENCES)):
        return True
    return bare[0] in _RULES and not bare.replace(" ", "").replace("\t", "").strip(bare[0])


def _find_fences(lines: list[str]) -> set[int]:
    """Which lines open or close a block of code that is whole. One that nobody closes would swallow what follows."""
    found: set[int] = set()
    opened, mark = -1, ""
    for at, line in enumerate(lines):
        bare = line.strip()
        if opened < 0 and at > 0 and line.startswith(_FENCES):
            opened, mark = at, bare[: len(bare) - len(bare.lstrip(bare[0]))]
            if mark[0] in bare[len(mark) :]:
                opened = -1
        elif opened >= 0 and bare and bare.startswith(mark) and not bare.strip(mark[0]) and line.startswith(mark[0]):
            found |= {opened, at}
            opened = -1
    return found
