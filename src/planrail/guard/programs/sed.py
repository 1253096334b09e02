"""sed: reads its scripts command by command, and refuses what writes a file or runs a program."""

from planrail.guard.programs.options import INSTEAD
from planrail.guard.shell.words import NAME_CHARACTERS, Word, may_be_option, name_set, shown

_FLAGS = "nErsuz"
_LONG_FLAGS = name_set(
    "--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --help --version"
)
_PLAIN_COMMANDS = "=dDgGhHnNpPxzF"
_UNSAFE = {"w": "writes a file", "W": "writes a file", "e": "runs a program"}
_DIGITS = "0123456789"
_NOT_LITERAL = "the script of {name} is not literal; write it out in single quotes"


class BadScript(Exception):
    """sed itself would refuse the script."""


class UnsafeScript(Exception):
    """The script may write, or holds something that is not judged."""


def judge(name: str, words: list[Word], _line: object) -> str:
    scripts: list[Word] = []
    operands: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        text = word.text
        if word.exact and text == "--":
            operands.extend(words[at:])
            break
        if not may_be_option(word):
            operands.append(word)
        elif not word.exact and not text.startswith("--expression="):
            return f"{shown(word)} may become an option of {name} (-i edits files); put -- before it, or use ./*"
        elif text in _LONG_FLAGS or (text[1:].isalpha() and all(letter in _FLAGS for letter in text[1:])):
            continue
        elif operands and "e" in text:
            return f"{name} {text} after a file is read differently by versions of sed; put it first"
        elif text.startswith("--expression="):
            scripts.append(Word(text[13:], exact=word.exact))
        elif text == "--expression" or (text.endswith("e") and all(letter in _FLAGS for letter in text[1:-1])):
            scripts.extend(words[at : at + 1])
            at += 1
        elif "e" in text and _attached(text):
            scripts.append(Word(_attached(text)))
        else:
            return f"{name} {text} is not known to be read-only; use sed -n '1,20p' FILE, or {INSTEAD}"
    for script in scripts or operands[:1]:
        reason = judge_script(script.text) if script.exact else _NOT_LITERAL.format(name=name)
        if reason:
            return reason
    return ""


def _attached(text: str) -> str:
    """The script in `-es/a/b/` or `-nes/a/b/`."""
    place = text.index("e")
    return text[place + 1 :] if all(letter in _FLAGS for letter in text[1:place]) else ""


def judge_script(script: str) -> str:
    """Why the script is not known to be read-only, or ""."""
    if script.endswith("\\"):
        return "a sed script that ends in a backslash goes on elsewhere; write it whole"
    problems, good = [], 0
    # Versions differ in what a delimiter or a backslash inside [...] means: the script must be harmless either way.
    for brackets in ("posix", "escaped", "none"):
        try:
            _Script(script, brackets).read()
            good += 1
        except BadScript as problem:  # a sed that reads it so refuses it
            problems.append(str(problem))
        except UnsafeScript as problem:
            return f"{problem}; use sed -n with p, or s/// without w and e"
    return "" if good else f"the sed script is not understood ({problems[0]}); use sed -n '1,20p'"


class _Script:
    """One script, read from left to right."""

    def __init__(self, text: str, brackets: str):
        self.text = text + "\n"
        self.at = 0
        self.end = len(text)
        self.brackets = brackets

    def read(self) -> None:
        while True:
            self._skip(" \t\n;")
            if self.at >= self.end:
                return
            self._address()
            self._skip(" \t")
            if self._next() == ",":
                self.at += 1
                self._skip(" \t")
                self._address(second=True)
                self._skip(" \t")
            self._skip("! \t")
            self._command()

    def _next(self) -> str:
        return self.text[self.at] if self.at < self.end else ""

    def _skip(self, characters: str) -> None:
        while self.at < self.end and self.text[self.at] in characters:
            self.at += 1

    def _address(self, *, second: bool = False) -> None:
        character = self._next()
        if second and character and character in "+~":
            self.at += 1
            self._skip(_DIGITS)
        elif character and character in _DIGITS:
            self._skip(_DIGITS)
            self._skip(" \t")
            if self._next() == "~":
                self.at += 1
                self._skip(_DIGITS)
        elif character == "$":
            self.at += 1
        elif character == "/" or character == "\\":
            self.at += 1 if character == "/" else 2
            delimiter = self.text[self.at - 1 : self.at]
            if self.at > self.end or delimiter in "\n\\":
                raise UnsafeScript("a sed address without a usual delimiter is not judged")
            self._delimited(delimiter, regex=True)
            self._skip("IM")

    def _command(self) -> None:
        command = self._next()
        self.at += 1
        if command == "":
            raise BadScript("an address without a command")
        if command == "#":
            self.at = self.text.index("\n", self.at)
        elif command in _PLAIN_COMMANDS:
            self._end_of_command()
        elif command in "lqQL":
            self._skip(" \t")
            self._skip(_DIGITS)
            self._end_of_command()
        elif command in "btT:":
            self._skip(" \t")
            self._skip(NAME_CHARACTERS)
            self._end_of_command()
        elif command == "s":
            delimiter = self._delimiter()
            self._delimited(delimiter, regex=True)
            self._delimited(delimiter, regex=False)
            self._skip(" \tgpiImM" + _DIGITS)
            if self._next() and self._next() in "we":
                raise UnsafeScript(f"the flag {self._next()} of s/// writes a file or runs a program")
            self._end_of_command()
        elif command == "y":
            delimiter = self._delimiter()
            self._delimited(delimiter, regex=False)
            self._delimited(delimiter, regex=False)
            self._end_of_command()
        elif command in "wWerRaicvf":
            raise UnsafeScript(f"the sed command {command} {_UNSAFE.get(command, 'is not judged')}")
        elif command not in "{}":
            raise BadScript(f"unknown command {command!r}")

    def _delimiter(self) -> str:
        delimiter = self._next()
        self.at += 1
        if delimiter in ("", "\n", "\\") or not delimiter.isascii():
            raise UnsafeScript("a sed command without a usual delimiter is not judged")
        return delimiter

    def _delimited(self, delimiter: str, *, regex: bool) -> None:
        """Over a pattern or replacement, and the delimiter that ends it."""
        while self.at < self.end:
            character = self.text[self.at]
            if character == "\\":
                self.at += 2
            elif character == delimiter:
                self.at += 1
                return
            elif character == "\n":
                raise UnsafeScript("a line break inside a sed pattern is not judged")
            elif character == "[" and regex and self.brackets != "none":
                self._bracket()
            else:
                self.at += 1
        raise BadScript("a pattern that is never closed")

    def _bracket(self) -> None:
        """Over a bracket expression; a ] that comes first, and [:class:], do not end it."""
        self.at += 1
        if self._next() == "^":
            self.at += 1
        if self._next() == "]":
            self.at += 1
        while self.at < self.end and self.text[self.at] != "]":
            if self.text[self.at] == "\n":
                raise UnsafeScript("a line break inside a sed pattern is not judged")
            if self.text[self.at] == "\\" and self.brackets == "escaped":
                self.at += 2
                continue
            pair = self.text[self.at : self.at + 2]
            close = self.text.find(pair[1] + "]", self.at + 2, self.end) if pair in ("[:", "[.", "[=") else -1
            self.at = close + 2 if close >= 0 else self.at + 1
        if self.at >= self.end:
            raise BadScript("a bracket that is never closed")
        self.at += 1

    def _end_of_command(self) -> None:
        self._skip(" \t")
        if self._next() not in ("", ";", "\n", "}", "#"):
            raise BadScript(f"unexpected {self._next()!r}")
