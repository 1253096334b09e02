"""systemd's own reading of a unit, written from its manual alone (systemd.syntax, systemd.unit, systemd.service)."""

import re

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    '"': '"',
    "'": "'",
    "s": " ",
}


def read_unit(text: str) -> dict[str, list[tuple[str, str]]]:
    """The settings of each section, in their order, as raw values."""
    found: dict[str, list[tuple[str, str]]] = {}
    section = ""
    for line in text.split("\n"):
        assert not line.endswith("\\"), "a line that goes on in the next one"
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = line.strip()[1:-1]
            found.setdefault(section, [])
            continue
        key, sign, value = line.partition("=")
        assert sign, line
        found[section].append((key.strip(), value.strip()))
    return found


def split_words(value: str) -> list[str]:
    """The words of a value: quotes may begin a word, and C escapes hold inside and outside of them."""
    words: list[str] = []
    at = 0
    while at < len(value):
        if value[at] in " \t":
            at += 1
            continue
        word, at = _read_word(value, at)
        words.append(word)
    return words


def _read_word(value: str, at: int) -> tuple[str, int]:
    quote = value[at] if value[at] in "\"'" else ""
    at += len(quote)
    said = ""
    while at < len(value):
        sign = value[at]
        if sign == "\\":
            piece, at = _unescape(value, at)
            said += piece
        elif quote and sign == quote:
            assert at + 1 == len(value) or value[at + 1] in " \t", "text behind a closing quote"
            return said, at + 1
        elif not quote and sign in " \t":
            return said, at
        else:
            assert quote or sign not in "\"'", "a quote inside a word"
            said += sign
            at += 1
    assert not quote, "a quote that is not closed"
    return said, at


def _unescape(value: str, at: int) -> tuple[str, int]:
    sign = value[at + 1]
    if sign in _SIMPLE:
        return _SIMPLE[sign], at + 2
    assert sign == "x", f"an escape that systemd does not know: {sign!r}"
    return chr(int(value[at + 2 : at + 4], 16)), at + 4


def expand_specifiers(text: str) -> str:
    """`%%` is a percent sign; anything else would be a specifier, which is never meant here."""
    assert not re.search("%", text.replace("%%", "")), f"a specifier: {text}"
    return text.replace("%%", "%")


def read_command(value: str) -> list[str]:
    """What is started for an ExecStart, with no variable set."""
    program, *arguments = [expand_specifiers(word) for word in split_words(value)]
    assert program.startswith("/")
    assert not re.search("[\"'\\\\\x00-\x1f\x7f]", program), "Executable name contains special characters"
    return [_expand_variables(word) for word in (program, *arguments)]


def _expand_variables(word: str) -> str:
    assert not re.fullmatch(r"\$[A-Za-z_]\w*", word)  # alone it would become any number of words
    return re.sub(r"\$\$|\$\{\w+\}", lambda found: "$" if found[0] == "$$" else "", word)


def read_pattern(value: str) -> str:
    """A path where a pattern may stand; none is meant."""
    text = expand_specifiers(value.removeprefix("-"))
    assert not re.search(r"(?<!\\)[*?\[]", text.replace("\\\\", ""))
    return re.sub(r"\\(.)", r"\1", text)


def read_environment_file(text: str) -> dict[str, str]:
    """The variables of an EnvironmentFile: in double quotes, a backslash escapes four signs and is itself otherwise."""
    found = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        name, _, value = line.partition("=")
        if value.startswith('"'):
            assert value.endswith('"')
            value = re.sub(r'\\(["\\`$])', r"\1", value[1:-1])
        found[name] = value
    return found
