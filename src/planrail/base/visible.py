"""The words of others on a person's screen: all of them can be seen, and none steers the terminal.

`show_text` is for prose: it keeps line ends and tabs, and what people write with (emoji that are joined, letters of
scripts that need a joiner). `show_code` is for commands and paths, where what is seen must be what is run: nothing
invisible is kept, and no blank but the common one. Both replace a character by its escape: `\\r`, `\\x1b`, `\\u200b`.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
# What Unicode lets a program not draw at all, what turns lines around or ends them, what has no meaning of its own.
_UNDRAWN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\ue000-\uf8ff\U0001bca0-\U0001bca3"
    "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_PILED = f"(?<=[{_MARKS}]{{3}})[{_MARKS}]"  # marks that would grow over the lines around
# Patterns as texts: compiling them takes longer than reading a plan, and most of what is printed needs none.
_HIDDEN = f"[{_CONTROLS}{_UNDRAWN}]|{_PILED}"
_IN_CODE = f"[\n{_CONTROLS}{_UNDRAWN}{_BLANKS}{_MARKS}]"

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_STYLES = ("\ufe0e", "\ufe0f")  # a sign as text, a sign as a picture
_PICTURE = "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_KEYCAP = "\u20e3"
# Scripts whose words are written with joiners: Arabic and its neighbours, those of India and of South-East Asia.
_JOINED_SCRIPT = "[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"


def show_text(text: str) -> str:
    """Prose of others, as it may be printed: lines stay lines."""
    return text if _is_plain(text) else re.sub(_HIDDEN, _show_in_text, text)


def spell_hidden(text: str, spell: "Callable[[re.Match[str]], str]") -> str:
    """A text with what cannot be seen in it spelled in another way."""
    return text if _is_plain(text.replace("\n", "")) else re.sub(_HIDDEN, spell, text)


def show_line(text: str) -> str:
    """Prose of others on one line: a title, a note, a name."""
    return show_text(text.replace("\n", "\\n"))


def show_code(text: str) -> str:
    """A command, a path or a part of one, on one line: every character can be seen."""
    return text if _is_plain(text) else re.sub(_IN_CODE, lambda found: escape(found[0]), text)


def _is_plain(text: str) -> bool:
    """Whether a text is ASCII, dashes, quotes, arrows and signs only, which can all be seen; a quick look."""
    return text.isprintable() and (text.isascii() or all(char.isascii() or _is_sign(char) for char in text))


def _is_sign(char: str) -> bool:
    return "\u2010" <= char <= "\u2027" or ("\u2190" <= char <= "\u2bff" and char != "\u2800")


def find_unseen(text: str) -> list[int]:
    """Where a text has characters that a reader does not see, or takes for the common blank."""
    if text.isascii() and text.isprintable():
        return []
    found = re.finditer(f"{_HIDDEN}|[{_BLANKS}]", text)
    return [one.start() for one in found if not _is_writing(one[0], *_neighbours(one))]


def as_seen(text: str) -> str:
    """The text that a reader takes it for: without what is not seen, and with common blanks."""
    unseen = set(find_unseen(text))
    if not unseen:
        return text
    blanks = re.compile(f"[{_BLANKS}]")
    signs = (sign if at not in unseen else " " if blanks.match(sign) else "" for at, sign in enumerate(text))
    return "".join(signs)


def escape(character: str) -> str:
    """A character as people, and a shell in `$'…'`, spell one that cannot be seen."""
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"  # a byte of a name that is no UTF-8
    if 0x80 <= number <= 0xFF:
        return f"\\u{number:04x}"
    return character.encode("unicode_escape").decode("ascii")


def _show_in_text(found: re.Match[str]) -> str:
    sign, (before, after) = found[0], _neighbours(found)
    if sign == "\r" and after == "\n":
        return ""  # the line end of another system
    return sign if _is_writing(sign, before, after) else escape(sign)


def _neighbours(found: re.Match[str]) -> tuple[str, str]:
    text = found.string
    return text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]


def _is_writing(sign: str, before: str, after: str) -> bool:
    """Whether an invisible sign does here what it is there for: it joins emoji or letters, or says how to draw one."""
    if sign in _STYLES:
        return bool(re.match(_PICTURE, before)) or (after == _KEYCAP and before in tuple("0123456789#*"))
    if sign == _JOINER and re.match(_PICTURE, after):
        return bool(re.match(_PICTURE, before)) or before in _STYLES
    return sign in (_JOINER, _NON_JOINER) and bool(re.match(_JOINED_SCRIPT, before) and re.match(_JOINED_SCRIPT, after))
