"""Checks the arguments of one command against a table in the spelling of getopt.

`"nrk:U::"`: -n and -r alone, -k with a value, -U with a value only if it is attached; `L=`: -L with a
value that is the next word. Long names: `"reverse key= color?"`.
Only exact names count: an abbreviation that the program would accept is refused here.
"""

from planrail.guard.shell.words import Word, is_number, may_be_option, shown

NO_LIMIT = 1_000_000
INSTEAD = "write it into the plan, to run after approval"


class Arguments:
    """What a check found: the options seen (long names, short letters) and the operands."""

    __slots__ = ("operands", "options", "reason")

    def __init__(self) -> None:
        self.options: list[str] = []
        self.operands: list[Word] = []
        self.reason = ""


def check_options(
    name: str, words: list[Word], shorts: str, longs: str, *, numbers: bool = False, stops: bool = False
) -> Arguments:
    """Read the words as the program would. A `reason` says which argument is not known to be harmless.

    `numbers`: -20 is an option. `stops`: the first operand ends the options (the rest are operands).
    """
    found, table, at = Arguments(), longs.split(), 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.exact and word.text == "--":
            found.operands.extend(words[at:])
            break
        if not may_be_option(word):
            found.operands.append(word)
            if stops:
                found.operands.extend(words[at:])
                break
            continue
        wants_value = _check_one(name, word, shorts, table, found, numbers=numbers)
        if found.reason:
            break
        if wants_value:
            found.reason = _check_value(name, word, words[at] if at < len(words) else None)
            at += 1
            if found.reason:
                break
    return found


def _check_one(name: str, word: Word, shorts: str, table: list[str], found: Arguments, *, numbers: bool) -> bool:
    """Check one word that may be an option; True if its value is the next word."""
    text = word.text
    if not word.exact and (not text.startswith("-") or word.splits or not word.single):
        found.reason = _unknown_word(name, word)
        return False
    if text.startswith("--"):
        return _check_long(name, word, table, found)
    if numbers and word.exact and is_number(text[1:]):
        return False
    return _check_cluster(name, word, shorts, found)


def _unknown_word(name: str, word: Word) -> str:
    return (
        f"{shown(word)} may become an option of {name}, and some of its options write or run programs; "
        f"put -- before it, write a literal path, or use ./*"
    )


def _check_long(name: str, word: Word, table: list[str], found: Arguments) -> bool:
    key, equals, _ = word.text[2:].partition("=")
    if not equals and not word.exact:
        found.reason = _unknown_word(name, word)
    elif (equals and (key + "=" in table or key + "?" in table or (word.exact and word.text[2:] in table))) or (
        not equals and (key in table or key + "?" in table)
    ):
        found.options.append(key)
    elif not equals and key + "=" in table:
        found.options.append(key)
        return True
    else:
        found.reason = f"{name} --{key} is not known to be read-only; leave it out, or {INSTEAD}"
    return False


def _check_cluster(name: str, word: Word, shorts: str, found: Arguments) -> bool:
    text = word.text
    for place in range(1, len(text)):
        letter = text[place]
        at = shorts.find(letter) if letter not in ":=" else -1
        if at < 0:
            found.reason = f"{name} -{letter} is not known to be read-only; leave it out, or {INSTEAD}"
            return False
        found.options.append(letter)
        if shorts[at + 1 : at + 3] == "::":
            return False
        takes = shorts[at + 1 : at + 2]
        if takes in (":", "="):
            if place < len(text) - 1 and (takes == ":" or is_number(text[place + 1 :])):
                return False
            # An attached part that is unknown may be empty, and then the next word is the value.
            if word.exact and place == len(text) - 1:
                return True
            found.reason = _unknown_word(name, word)
            return False
    if not word.exact:
        found.reason = _unknown_word(name, word)
    return False


def _check_value(name: str, option: Word, value: Word | None) -> str:
    """A separate value must not look like an option: then a mistake about the option's arity cannot hide one."""
    if value is None:
        return f"{name} {shown(option)} lacks its value"
    if not value.single or may_be_option(value):
        return f"{shown(value)} as the value of {name} {shown(option)} may be read as an option; attach it with ="
    return ""


def check_table(name: str, words: list[Word], entry: tuple[str, str, int]) -> str:
    """Check against (short options, long options, number of operands allowed)."""
    shorts, longs, limit = entry
    if len(words) == 1 and words[0].exact and words[0].text in ("--version", "--help"):
        return ""
    limited = limit < NO_LIMIT
    # Where operands are counted, what follows the first one counts as an operand too: BSD programs read it so.
    found = check_options(name, words, shorts, longs, numbers=not limited and "0" in shorts)
    if found.reason:
        return found.reason
    if limited and operand_count(name, words, shorts, longs) > limit:
        return f"{name} with more than {limit} operand(s) may write; give it fewer"
    return ""


def operand_count(name: str, words: list[Word], shorts: str, longs: str) -> int:
    """How many operands there are at most, whether or not options may follow the first."""
    operands = check_options(name, words, shorts, longs, stops=True).operands
    return NO_LIMIT if any(not word.single for word in operands) else len(operands)
