"""Checks the arguments of one command against a row of a table in the spelling of getopt.

A row: the names that it is for, the short options (`-`: none), how many operands there may be (`*`: any number), and
the long options. `nrk:U::`: -n and -r alone, -k with a value, -U with a value only if it is attached; `L=`: -L with a
value that is the next word; a 0: -20 is an option too. Long names: `reverse key= color?`.
Only exact names count: an abbreviation that the program would accept is refused here.
"""

from planrail.guard.shell.words import Word, is_number, may_be_option, name_set, shown

NO_LIMIT = 1_000_000
INSTEAD = "write it into the plan, to run after approval"
# `planrail look` is no help with these: they write, connect or belong to the shell itself.
_NOT_TO_LOOK = name_set(
    "rm rmdir mv cp ln mkdir touch chmod chown chgrp chattr setfacl install dd truncate shred unlink mkfifo"
    " mknod mktemp split csplit patch ed vi vim nvim nano emacs sudo su doas kill pkill killall renice mount"
    " umount reboot shutdown curl wget ssh scp sftp rsync nc ncat telnet ftp docker podman kubectl helm"
    " terraform gh glab systemctl journalctl apt apt-get yum dnf pacman brew crontab at nohup eval exec source ."
    " alias unalias trap umask hash enable builtin let planrail"
)


def or_look(name: str) -> str:
    """What to use instead of a command that the guard does not know, or knows too little of."""
    return INSTEAD if name in _NOT_TO_LOOK else f"use planrail look -- {shown(Word(name))} …, or {INSTEAD}"


def read_table(text: str) -> dict[str, tuple[str, str, int]]:
    """The rows of a table by their names: short options, long options, operands allowed."""
    table = {}
    for line in text.strip().split("\n"):
        names, _, row = line.partition(": ")
        shorts, limit, longs = f"{row} ".split(" ", 2)
        entry = "" if shorts == "-" else shorts, longs, NO_LIMIT if limit == "*" else int(limit)
        table.update(dict.fromkeys(names.split(", "), entry))
    return table


def read_sections(text: str) -> dict[str, str]:
    """The tables of a text by their headings: a name in brackets."""
    sections = (section.partition("]\n") for section in text.split("\n[")[1:])
    return {name: rows for name, _, rows in sections}


class Arguments:
    """What a check found: the options seen (long names, short letters) and the operands."""

    __slots__ = ("operands", "options", "reason")

    def __init__(self) -> None:
        self.options: list[str] = []
        self.operands: list[Word] = []
        self.reason = ""


class _Refused(Exception):
    """An argument is not known to be harmless."""


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
            found.operands += words[at:]
            break
        if not may_be_option(word):
            found.operands.append(word)
            if stops:
                found.operands += words[at:]
                break
        elif not (numbers and word.exact and is_number(word.text[1:])):
            try:
                if _wants_value(name, word, shorts, table, found.options):
                    _check_value(name, word, words[at] if at < len(words) else None)
                    at += 1
            except _Refused as reason:
                found.reason = str(reason)
                break
    return found


def _wants_value(name: str, word: Word, shorts: str, table: list[str], options: list[str]) -> bool:
    """Check one word that may be an option, and note which it holds; True if its value is the next word."""
    text = word.text
    if not word.exact and (not text.startswith("-") or word.splits or not word.single):
        raise _unknown(name, word)
    if text.startswith("--"):
        key, equals, _ = text[2:].partition("=")
        if not equals and not word.exact:
            raise _unknown(name, word)
        if f"{key}=" not in table and f"{key}?" not in table and not (word.exact and text[2:] in table):
            raise _Refused(f"{name} --{key} is not known to be read-only; leave it out, or {INSTEAD}")
        options.append(key)
        return not equals and f"{key}=" in table
    for place in range(1, len(text)):
        letter = text[place]
        at = shorts.find(letter) if letter not in ":=" else -1
        if at < 0:
            raise _Refused(f"{name} -{letter} is not known to be read-only; leave it out, or {INSTEAD}")
        options.append(letter)
        takes = shorts[at + 1 : at + 2]
        if takes not in (":", "="):
            continue
        if shorts[at + 1 : at + 3] == "::":
            return False
        if place < len(text) - 1 and (takes == ":" or is_number(text[place + 1 :])):
            return False
        # An attached part that is unknown may be empty, and then the next word is the value.
        if word.exact and place == len(text) - 1:
            return True
        raise _unknown(name, word)
    if not word.exact:
        raise _unknown(name, word)
    return False


def _unknown(name: str, word: Word) -> _Refused:
    return _Refused(
        f"{shown(word)} may become an option of {name}, and some of its options write or run programs; "
        f"put -- before it, write a literal path, or use ./*"
    )


def _check_value(name: str, option: Word, value: Word | None) -> None:
    """A separate value must not look like an option: then a mistake about the option's arity cannot hide one."""
    if value is None:
        raise _Refused(f"{name} {shown(option)} lacks its value")
    if not value.single or may_be_option(value):
        raise _Refused(
            f"{shown(value)} as the value of {name} {shown(option)} may be read as an option; attach it with ="
        )


def check_table(name: str, words: list[Word], entry: tuple[str, str, int]) -> str:
    shorts, longs, limit = entry
    if len(words) == 1 and words[0].exact and words[0].text in ("--version", "--help"):
        return ""
    is_limited = limit < NO_LIMIT
    reason = check_options(name, words, shorts, longs, numbers=not is_limited and "0" in shorts).reason
    if reason or not is_limited:
        return reason
    # Where operands are counted, what follows the first one counts as an operand too: BSD programs read it so.
    operands = check_options(name, words, shorts, longs, stops=True).operands
    if len(operands) > limit or not all(word.single for word in operands):
        return f"{name} with more than {limit} operand(s) may write; give it fewer"
    return ""
