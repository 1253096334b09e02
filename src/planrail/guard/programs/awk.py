"""awk: a program may print and compute; it may not write files, start programs or load code."""

from planrail.guard.programs.options import INSTEAD
from planrail.guard.shell.words import ANYTHING, NAME_CHARACTERS, Word, may_be_network, shown

_PATTERN_AFTER = ("", "\n", "{", "}", ";", "(", ",", "!", "~", "&&", "||")


def judge(name: str, words: list[Word], _line: object) -> str:
    """Judge the options before the program, then the program; what follows it are files and values."""
    at = 0
    while at < len(words):
        word = words[at]
        if not word.text.startswith("-") or word.text == "-":
            break
        if word.exact and word.text == "--":
            at += 1
            break
        if word.text in ("-F", "-v") and word.exact:
            if at + 1 < len(words) and not words[at + 1].single:
                return f"the value of {name} {word.text} is not one word; quote it"
            at += 2
        elif word.text.startswith(("-F", "-v")) and len(word.text) > 2 and word.single:
            at += 1
        elif len(words) == 1 and word.exact and word.text in ("--version", "-V", "--help"):
            return ""  # with a program behind it, some versions ignore the question and run that
        else:
            return f"{name} {shown(word)} is not known to be read-only; use -F and -v only, or {INSTEAD}"
    if at >= len(words) or not words[at].exact:
        return f"the program of {name} is not literal; write it out in single quotes"
    return _refuse_operands(name, words[:at], words[at + 1 :]) or judge_program(words[at].text)


def _refuse_operands(name: str, before: list[Word], after: list[Word]) -> str:
    for word in (*before, *after):
        # A variable, of which nothing is known. What xargs appends, and what a glob finds, are names of files.
        is_any = not word.exact and not word.text and word is not ANYTHING and (word.single or word.splits)
        if "/inet" in word.text or is_any:
            return f'{shown(word)} may be a connection to {name}; name the file, or begin with ./ as in "./$f"'
    for word in after:
        if word.exact and word.text.startswith("-") and word.text != "-":
            return f"{name} {shown(word)} after the program; put options first"
    return ""


def judge_program(program: str) -> str:
    """Why the program is not known to be read-only, or ""."""
    if "system(" in "".join(program.split()):
        return f"system() in an awk program; print to standard output only, or {INSTEAD}"
    # Without these nothing can be written or run, however the rest is read.
    if not any(sign in program for sign in ("system", "|", ">", "@", "extension", "getline", "ARGV")):
        return ""
    return _Program(program).read()


class _Program:
    """Walks over the tokens of a program with a suspicious sign in it: is that only text, or a comparison?"""

    def __init__(self, text: str):
        self.text = text + "\n"
        self.at = 0
        self.end = len(text)
        self.previous = ""  # the token before: decides whether / divides or opens a pattern
        self.print_depth = -1  # depth of parentheses at the last print of this statement, -1 outside one
        self.depth = 0

    def read(self) -> str:
        while self.at < self.end:
            reason = self._token()
            if reason:
                return f"{reason} in an awk program; print to standard output only, or {INSTEAD}"
        return ""

    def _token(self) -> str:
        character = self.text[self.at]
        if character in " \t\r":
            self.at += 1
        elif character in NAME_CHARACTERS:
            return self._word()
        elif character == '"':
            return self._quoted('"')
        elif character == "/":
            return self._slash()
        elif character == "#":
            self.at = self.text.index("\n", self.at)
        else:
            return self._sign(character)
        return ""

    def _word(self) -> str:
        start = self.at
        while self.text[self.at] in NAME_CHARACTERS:
            self.at += 1
        word = self.text[start : self.at]
        if word in ("system", "extension"):
            return f"{word}()"
        if word == "ARGV" or (word == "getline" and not self._reads_a_file()):
            return f"{word} with a file that is not written out"
        if word in ("print", "printf"):
            self.print_depth = self.depth
        self.previous = word
        return ""

    def _reads_a_file(self) -> bool:
        """Whether `getline` reads its own input, or a file that is no connection (`/inet/…`)."""
        rest = self.text[self.at :].lstrip(" \t" + NAME_CHARACTERS + "$[]")
        if not rest.startswith("<"):
            return True
        rest = rest[1:].lstrip(" \t")
        literal = rest[1:].partition('"')[0] if rest.startswith('"') else ""
        is_plain = literal != "" and "\\" not in literal and not may_be_network(Word(literal), or_begin=True)
        return rest.startswith("FILENAME") or is_plain

    def _quoted(self, close: str) -> str:
        self.at += 1
        while self.text[self.at] != close:
            if self.at >= self.end or self.text[self.at] == "\n":
                return "a text or pattern that does not end on its line"
            if close == "/" and self.text[self.at] == "[":
                return self._bracket_in_pattern()
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1
        self.previous = '"'
        return ""

    def _bracket_in_pattern(self) -> str:
        """A slash inside [...] ends the pattern in some versions only."""
        odd = "a bracket that versions of awk read differently"
        at = self.at + (2 if self.text[self.at + 1] == "^" else 1)
        if self.text[at] == "]":
            return odd
        while self.text[at] != "]":
            close = self.text.find(":]", at)
            is_class = self.text.startswith("[:", at) and self.text[at + 2 : close].isalpha()
            if self.text[at] in "/\n\\" or (self.text[at] == "[" and not is_class):
                return odd
            at = close + 2 if is_class else at + 1
        self.at = at
        return self._quoted("/")

    def _slash(self) -> str:
        """Where a slash may divide as well as open a pattern, the rest of the program cannot be told for certain."""
        if self.previous.isascii() and self.previous.isdigit():
            return self._sign("/")  # behind a number it divides, in every awk
        return self._quoted("/") if self.previous in _PATTERN_AFTER else "a slash that may divide or open a pattern"

    def _sign(self, character: str) -> str:
        two = self.text[self.at : self.at + 2]
        if two == "\\\n":  # the line goes on
            self.at += 2
            return ""
        if character == "@":
            return "an indirect call or a directive (@)"
        if character == "|" and two != "||":
            return "a pipe"
        if character == ">" and self.print_depth >= 0 and self.depth <= self.print_depth:
            return "output into a file (>)"
        width = 2 if two in ("||", "&&", "++", "--", ">=", "<=", "==", "!=") else 1
        if character in "([":
            self.depth += 1
        elif character in ")]":
            self.depth -= 1
            if self.depth < 0:
                return "a parenthesis too many"
        elif character in ";{}":
            self.print_depth = -1
        self.previous = two if width == 2 else character
        self.at += width
        return ""
