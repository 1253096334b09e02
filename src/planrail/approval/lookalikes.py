"""Which letters of a command or a path look like others? Pure.

A word with letters of several alphabets, a letter of another width or style, a sign that looks like one of the shell's,
a word of another alphabet that reads like Latin, and what is not seen at all: each runs something else than a reader
sees.
"""

import re
import unicodedata

from planrail.base.visible import find_unseen, show_code

_WORD = re.compile(r"[^\W_]+")
_ALIKE = ("LATIN", "CYRILLIC", "GREEK", "COPTIC", "ARMENIAN", "CHEROKEE", "GEORGIAN", "LISU")  # they share shapes
# Letters of Cyrillic and Greek that are drawn as Latin ones are.
_TWINS = dict(
    zip(
        "аеіорсухѕјһԁԛԝАВЕЅІЈКМНОРСТУХѴԌԚԜοαινυκρτχγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeiopcyxsjhdqwABESIJKMHOPCTYXVGQWoaivukptxywABEZHIKMNOPTYX",
        strict=True,
    )
)
_SIGNS = dict(
    zip("‐‑‒–—−⁃∕⁄╱⧸∖⧵․‚‘’‛′“”″ǀ∣│׀ꓸ։∶꞉⁏˜∼‹›˂˃", "-------////" + "\\\\.,''''" + '"""||||.:::;~~<><>', strict=True)
)
# Of the Latin alphabet, or of none, and drawn as another sign.
_SIGNS |= dict(zip("ɡɑıǃʼʹˊ⟋⟍", "gai!'''/\\", strict=True))
_MOST_BLANKS = 40
_BLANKS = re.compile(rf"[ \t]{{{_MOST_BLANKS},}}(?=\S)")


def find_lookalikes(text: str) -> list[tuple[int, str]]:
    """What a reader of one line of a command, or of a path, would take for something else: columns from 1, and why."""
    found = []
    for at, looks in _suspects(text).items():
        name, is_letter = (
            unicodedata.name(text[at], "a character without a name"),
            unicodedata.category(text[at])[0] not in "MCZ",
        )
        unknown = ", among Latin letters" if is_letter else ", which may not be seen"
        like = f", which looks like {looks}" if looks else unknown
        found.append((at + 1, f"{show_code(text[at])} is {name} (U+{ord(text[at]):04X}){like}"))
    return sorted(
        [*found, *((run.start() + 1, f"{len(run[0])} blanks, then more text") for run in _BLANKS.finditer(text))]
    )


def _suspects(text: str) -> dict[int, str]:
    """The offsets of characters that look like others, with what they look like; "" where that is not known."""
    if text.isascii():
        return {}
    found = {}
    for at, sign in enumerate(text):
        plain = unicodedata.normalize("NFKC", sign)
        looks = _SIGNS.get(sign, "") or (plain if plain.isascii() and plain.strip() else "")
        if looks and not sign.isascii():
            found[at] = looks
        # a mark on a sign of ASCII with which it makes no letter: many fonts draw nothing there
        before, is_mark = text[at - 1 : at], unicodedata.category(sign).startswith("M")
        if is_mark and before.isascii() and before and len(unicodedata.normalize("NFC", before + sign)) > 1:
            found[at] = ""
    found |= dict.fromkeys(find_unseen(text), "")
    for word in _WORD.finditer(
        text
    ):  # the letters that are not of its Latin alphabet; all where it only reads as Latin
        alphabets = [_alphabet(letter) for letter in word[0]]
        others = {at: name for at, name in enumerate(alphabets, word.start()) if name not in ("", "LATIN")}
        twins = {at: _TWINS.get(text[at], "") for at in others}
        if ("LATIN" in alphabets and others) or (len(others) > 1 and all(twins.values())):
            found |= twins
    return found


def _alphabet(letter: str) -> str:
    if letter.isascii():
        return "LATIN" if letter.isalpha() else ""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return name if name in _ALIKE else ""
