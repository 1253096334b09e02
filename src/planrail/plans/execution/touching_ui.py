"""Which phases touch what people see: named before a run starts, and looked at by a person before they land."""

import re

_WORDS = (
    *("editor", "toolbar", "canvas", "panel", "dialog", "css", "scss", "button", "menu", "viewport", "renderer"),
    *("layout", "ui", "gui"),
)
_PLURAL = r"(?:s|es)?"
_NAMED = re.compile(rf"(?<![^\W_])(?:{'|'.join(_WORDS)}){_PLURAL}(?![^\W_])|\bdark[ -]?mode\b", re.IGNORECASE)
_FOLDER = re.compile(r"(?:^|[\s`'\"(/])(?:ui|editor|styles)/", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|non|without|not)[ -](?:any |the |a )?(?:user[ -]facing )?(?:ui|gui)\b", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def find_ui_words(text: str) -> tuple[str, ...]:
    """The words of a phase that speak of a user interface, each once: whole words, parts of `camelCase` names too."""
    plain = _DENIED.sub(" ", text)
    found = [match[0].strip(" \t\n`'\"(/").lower() for match in _FOLDER.finditer(plain)]
    found += [match[0].lower() for match in _NAMED.finditer(_HUMP.sub("_", plain))]
    return tuple(dict.fromkeys(found))


def is_ui_phase(text: str) -> bool:
    """Whether a phase touches the user interface, as far as its text says."""
    return bool(find_ui_words(text))


def announce_ui(phases: list[tuple[str, str]]) -> str:
    """The sentence that names the phases, as (id, text), that a person will be asked to look at; "" where none is."""
    named = [f"{name} ({', '.join(words[:3])})" for name, text in phases if (words := find_ui_words(text))]
    return "a person has to look at: phase " + ", phase ".join(named) if named else ""
