"""JSON that other programs have written, and sometimes half written: what can be read of it is read."""

import json
import re
from collections.abc import Callable
from math import isfinite

from planrail.base.records import record

_ENTRY = re.compile(r'\{\s*"project_(?:number|name)"\s*:')
_DEEPEST = 100  # levels; the files have six
_LONGEST_NUMBER = 300  # digits; a longer one is kept as it is spelled


@record
class ReadJson:
    """A JSON text. `problem` says why it is no JSON; then `entries` are those of its tasks that could be read alone."""

    value: object = None
    problem: str = ""
    entries: tuple[dict[str, object], ...] = ()
    repeated: tuple[str, ...] = ()


def read_json(text: str) -> ReadJson:
    """What a text says; where it is broken, the entries of tasks in it that are whole."""
    repeated: list[str] = []
    decoder = _decoder(lambda pairs: _make(pairs, repeated))
    text = text.removeprefix("\ufeff")
    try:
        value = decoder.decode(text)
    except (ValueError, RecursionError) as error:
        problem = "it is empty" if not text.strip() else f"it is no JSON: {error}"
        return ReadJson(None, problem, tuple(_salvage(text)))
    if _is_deep(value):
        return ReadJson(None, "it is nested too deeply", tuple(_salvage(text)))
    return ReadJson(value, "", (), tuple(repeated))


def _decoder(make: Callable[[list[tuple[str, object]]], object] | None = None) -> json.JSONDecoder:
    """One that never gives a number which could not be written again: such a one stays the text that it was."""
    return json.JSONDecoder(parse_int=_whole, parse_float=_broken, parse_constant=str, object_pairs_hook=make)


def _whole(text: str) -> int | str:
    return int(text) if len(text) <= _LONGEST_NUMBER else text


def _broken(text: str) -> float | str:
    number = float(text)
    return number if isfinite(number) else text


def _make(pairs: list[tuple[str, object]], repeated: list[str]) -> dict[str, object]:
    """An object. A name that comes twice keeps both values: the last, and the one before under a name of its own."""
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made and made[name] != value:
            repeated.append(name)
            made[f"{name} (said before)"] = made[name]
        made[name] = value
    return made


def _salvage(text: str) -> list[dict[str, object]]:
    """The objects that begin like the entry of a task and are whole."""
    decoder, found, at = _decoder(), list[dict[str, object]](), 0
    while (match := _ENTRY.search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        if not _is_deep(value):
            found.append(value)
    return found


def _is_deep(value: object, left: int = _DEEPEST) -> bool:
    """Whether something would be too deep for those who write it again."""
    if left == 0:
        return True
    if isinstance(value, dict):
        return any(_is_deep(item, left - 1) for item in value.values())
    return isinstance(value, list) and any(_is_deep(item, left - 1) for item in value)
