"""Spellings: how a document writes a status, so that planrail writes it the same way."""

from collections.abc import Mapping

from planrail.plans.states import State
from planrail.plans.words.marks import read_box, read_status
from planrail.plans.words.words import BOXES, GLYPHS, STATUS

# How planrail writes each state itself: in words, as a sign, in a box.
_WRITTEN = {
    State.TODO: ("Not started", "⬚", " "),
    State.IN_PROGRESS: ("In progress", "🟡", "~"),
    State.DONE: ("Done", "✅", "x"),
    State.PARTIAL: ("Partial", "🟡 Partial", "/"),
    State.BLOCKED: ("Blocked", "⛔", "!"),
    State.SKIPPED: ("Skipped", "⏭", "-"),
}
_WORDS, _GLYPHS, _BOX_MARKS = ({state: ways[at] for state, ways in _WRITTEN.items()} for at in range(3))
_TAG_WORDS = _WORDS | {State.DONE: "Completed"}


def spell(state: State, old: str, examples: dict[State, str]) -> list[str]:
    """A state as the document writes it elsewhere, then in the style of the mark that it replaces."""
    model = old if old.strip() else next(iter(examples.values()), "")
    styled = _in_style(state, model)
    return [examples[state], styled] if state in examples else [styled]


def _in_style(state: State, model: str) -> str:
    has_glyph = model[:1] in GLYPHS
    words = model.lstrip("".join(GLYPHS) + "\ufe0f").strip()
    if not words:
        return _GLYPHS[state]
    is_tag = words.startswith(("[", "【"))
    if is_tag and len(words) == 3 and words[1] in BOXES:
        return f"[{_BOX_MARKS[state]}]"
    text = _in_case(_TAG_WORDS[state] if is_tag else _WORDS[state], words)
    text = f"{words[0]}{text}{words[-1]}" if is_tag else text
    return f"{_GLYPHS[state][:1]} {text}" if has_glyph else text


def _in_case(text: str, model: str) -> str:
    letters = "".join(char for char in model if char.isalpha())
    if len(letters) > 1 and letters.isupper():
        return text.upper()
    return text.lower() if letters[:1].islower() else text


def is_sign(box: str) -> bool:
    """Whether a box is a sign in front of an entry, rather than a mark between brackets."""
    return box.rstrip("\ufe0f") in GLYPHS and box not in BOXES


def spell_box(state: State, old: str, text: str) -> list[str]:
    """What may stand in a check box for a state: the tick that the document uses; a dash, which some read as begun."""
    if len(old) > 2:
        return [_in_case(_WORDS[state], old).lower()]
    if state is State.DONE and "[X]" in text and "[x]" not in text:
        return ["X"]
    if state is State.IN_PROGRESS:
        return ["-", "~"]
    return [_BOX_MARKS[state], "—"] if state is State.SKIPPED else [_BOX_MARKS[state]]


def spell_word(words: Mapping[State, str], state: State, old: str) -> str | None:
    """The status word of another tool's file, in the separator that the file uses; None where it has none."""
    if old.lower() in ("true", "false"):
        word = {State.DONE: "true", State.TODO: "false"}.get(state)
        return _in_case(word.capitalize(), old) if word else None
    word = words.get(state)
    if word and "_" in old:
        return word.replace("-", "_")
    return word


def spell_header(state: State, old: str) -> str:
    """The status of a whole plan, in the style of the one that it replaces."""
    words = {State.DONE: "complete", State.IN_PROGRESS: "active", State.TODO: "not started"}
    if STATUS.get(old.lower().strip("[]")) is None and old.lower() != "active":
        return _in_case(_TAG_WORDS[state], old)
    text = _TAG_WORDS[state] if old.startswith("[") or old.isupper() else words[state]
    text = _in_case(text, old.strip("[]"))
    return f"[{text}]" if old.startswith("[") else text


def read_spelling(text: str) -> State | None:
    """The state that the caller names, in any of the ways that planrail writes or reads one; None for anything else."""
    word = text.strip()
    is_tag = word[:1] + word[-1:] in ("[]", "【】", "()")
    inner = word[1:-1] if is_tag else word
    named = _NAMES.get(inner.strip().lower().replace("-", "_").replace(" ", "_"))
    if named is not None:
        return named
    mark = read_status(inner)
    by_word, by_box = mark.state if mark else None, read_box(inner) if inner else None
    return by_box or by_word if is_tag else by_word or by_box


_NAMES = {str(state.value): state for state in State} | {"true": State.DONE, "false": State.TODO}
