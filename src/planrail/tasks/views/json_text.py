"""JSON as the views have it: two spaces for each level, letters as they are. `json` itself is too dear to import."""

from collections.abc import Callable, Iterable

from planrail.base.decoding import decode as decode
from planrail.base.decoding import encode as encode

quote: Callable[[str], str]


try:
    from _json import encode_basestring as quote
except ImportError:  # not CPython
    from json.encoder import encode_basestring as quote

_WORDS = {None: "null", True: "true", False: "false"}


def render_json(value: object, margin: str = "") -> str:
    """A value, its further lines indented by the margin. Halves of characters are escaped, all else is as it is."""
    text = _render(value, margin)
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"\\u{ord(sign):04x}" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
    return text


def _render(value: object, margin: str) -> str:
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int | float):
        return encode(value)
    inner = f"{margin}  "
    if isinstance(value, list | tuple):
        return _enclose("[", (_render(item, inner) for item in value), "]", margin)
    if hasattr(value, "items"):
        return _enclose("{", (f"{quote(str(key))}: {_render(item, inner)}" for key, item in value.items()), "}", margin)
    raise ValueError(f"JSON has no form for {type(value).__name__}")


def _enclose(opening: str, items: Iterable[str], closing: str, margin: str) -> str:
    inner = f",\n{margin}  ".join(items)
    return f"{opening}\n{margin}  {inner}\n{margin}{closing}" if inner else opening + closing
