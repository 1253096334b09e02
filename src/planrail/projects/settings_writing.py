"""Changing one setting in the text of a `planrail.toml`, and not one other byte. Pure."""

import re
import tomllib

from planrail.base.errors import UsageError
from planrail.base.settings.tables import TABLES


def read_value(table: str, key: str, words: str) -> object:
    """What a person typed as the value of a setting: TOML, or a text without its quotes; `UsageError` for others."""
    accepts, what = TABLES[table][key]
    try:
        given = tomllib.loads(f"value = {words}")["value"]
    except tomllib.TOMLDecodeError:
        given = words
    for found in (given, words):
        if accepts(found):
            return found
    raise UsageError(f"{table}.{key} is {what}, and not {words!r}", remedy=f"planrail config {table}.{key}")


def spell_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(spell_value, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{spell_value(name)} = {spell_value(part)}" for name, part in value.items()) + " }"
    if isinstance(value, str):
        escaped = re.sub(r'[\\"\x00-\x1f\x7f]', lambda found: f"\\u{ord(found[0]):04x}", value)
        return f'"{escaped}"'
    return str(value)


def set_value(text: str, table: str, key: str, value: object) -> str:
    """The text with the setting in it, or without it for None. Raises `UsageError` where more would change."""
    line = f"{key} = {spell_value(value)}"
    header = re.search(rf"^[ \t]*\[[ \t]*{table}[ \t]*\][ \t]*(#.*)?$", text, re.MULTILINE)
    if header is None and value is None:
        changed = text
    elif header is None:
        ending = "" if not text or text.endswith("\n") else "\n"
        blank = "\n" if text.strip() else ""
        changed = f"{text}{ending}{blank}[{table}]\n{line}\n"
    else:
        following = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, header.end())
        end = following.start() if following else len(text)
        old = re.compile(rf"^[ \t]*{key}[ \t]*=.*$", re.MULTILINE).search(text, header.end(), end)
        bottom = len(text[:end].rstrip())
        place = old.span() if old else (bottom, bottom)
        if value is None:
            line, place = "", (place[0], min(place[1] + 1, len(text)) if old else place[0])
        changed = text[: place[0]] + (f"\n{line}" if line and not old else line) + text[place[1] :]
    _compare(text, changed, table, key, value)
    return changed


def _compare(text: str, changed: str, table: str, key: str, value: object) -> None:
    wanted = tomllib.loads(text)
    if value is None:
        wanted.get(table, {}).pop(key, None)
    else:
        wanted.setdefault(table, {})[key] = value
    try:
        is_right = tomllib.loads(changed) == wanted
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        write = f"take {key} out" if value is None else f"write {key} = {spell_value(value)}"
        message = f"[{table}] {key} is written in a way that planrail does not change; the file is as it was"
        raise UsageError(message, remedy=f"{write} under [{table}] by hand")
