"""JSON in and out for the hook, without the price of importing `json`.

`json` pulls in `re` and `enum`: 13 ms of CPU at every start, more than the interpreter itself. Its C half, `_json`,
costs next to nothing, and does all the work here. An interpreter that lacks it gets the ordinary library.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

try:
    import _json
except ImportError:  # not CPython
    _json = None  # type: ignore[assignment]

_SPACE = " \t\n\r"


def decode(text: str) -> object:
    """The value of one JSON document. Raises ValueError for anything else, also for one that is nested too deeply.

    Stricter than `json.loads` in one thing: `NaN` and `Infinity` are not JSON.
    """
    try:
        value, end = _scan(text, len(text) - len(text.lstrip(_SPACE)))
    except (StopIteration, RecursionError, SystemError):
        # SystemError: up to Python 3.11 the C code wants to raise an error of `json.decoder`, and finds it not loaded.
        raise ValueError("this is not JSON") from None
    if text[end:].strip(_SPACE):
        raise ValueError("there is something after the JSON document")
    return value


def encode(value: object) -> str:
    """JSON in ASCII on one line, without spaces. Raises ValueError for what JSON cannot say: NaN, a set, a circle."""
    try:
        return _write(value)
    except (RecursionError, TypeError):
        raise ValueError("this value is nested too deeply, or has keys that are no text") from None


def object_in(holder: "Mapping[str, object]", key: str) -> dict[str, object]:
    """The object under a key; empty where there is none."""
    value = holder.get(key)
    return value if isinstance(value, dict) else {}


def text_in(holder: "Mapping[str, object]", key: str) -> str:
    """The text under a key; "" where there is none."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _refuse_constant(name: str) -> "NoReturn":
    raise ValueError(f"{name} is not JSON")


def _refuse_type(value: object) -> "NoReturn":
    raise ValueError(f"JSON has no form for {type(value).__name__}")


if _json is not None:

    class _Rules:
        """What the scanner in C asks for."""

        strict = True
        object_hook = None
        object_pairs_hook = None
        array_hook = None  # since Python 3.15
        parse_float = float
        parse_int = int
        parse_constant = staticmethod(_refuse_constant)

    _scan = _json.make_scanner(_Rules)  # type: ignore[arg-type]

    def _write(value: object) -> str:
        # Markers, which find circles, belong to one call: an error leaves them filled.
        encoder = _json.make_encoder(
            {}, _refuse_type, _json.encode_basestring_ascii, None, ":", ",", False, False, False
        )
        return "".join(encoder(value, 0))

else:

    def _scan(text: str, start: int) -> tuple[object, int]:  # type: ignore[unreachable]
        import json

        return json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(text, start)

    def _write(value: object) -> str:
        import json

        return json.dumps(value, default=_refuse_type, allow_nan=False, separators=(",", ":"))
