"""From the text of a shell command to words: quoting, variables, globs, braces, substitutions.

Only what is read the same way by bash, zsh and dash is read here. Whatever is beyond it raises `Beyond` (ask for the
second opinion) or `Malformed` (no reading is safe).
"""

from planrail.guard.shell.words import NAME_CHARACTERS, NAME_START, Simple, Word, WordBuilder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

META = " \t\n|&;()<>"
_INSIDE_BRACES = NAME_CHARACTERS + "-"
# Behind a $: in zsh $=X splits X, $~X globs it and runs what a qualifier (e:...:) in it names, $+X[i] evaluates i.
ZSH_EXPANDS = "=~^+"
_ENDS_COUNT = META + "\"',.:/]}%"  # behind $#: zsh takes $#X for the length of X, and evaluates i in $#X[i]
MAX_DEPTH = 12


class Beyond(Exception):
    """A construct that the tokeniser does not read; the second opinion may."""


class Malformed(Exception):
    """Text that no shell should be given while planning."""


class Scanner:
    """Walks over one command line. `commands` collects every simple command that it could run, nested ones too."""

    def __init__(
        self, text: str, depth: int, commands: "list[Simple]", parse: "Callable[[Scanner, str], Simple | None]"
    ):
        if depth > MAX_DEPTH:
            raise Malformed("substitutions nested this deeply")
        self.text = text + "\n\n\n\n"  # a sentinel: every word ends, and looking ahead is safe
        self.end = len(text)
        self.at = 0
        self.depth = depth
        self.commands = commands
        self.parse = parse

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def skip_blanks(self) -> None:
        """Over spaces, tabs, joined lines and a comment; the newline after it stays."""
        text = self.text
        while self.at < self.end:
            if text[self.at] in " \t":
                self.at += 1
            elif text.startswith("\\\n", self.at) and self.at + 1 < self.end:
                self.at += 2
            elif text[self.at] == "#":
                if self.depth:
                    raise Malformed("a comment inside a substitution or a group")
                self.at = text.index("\n", self.at)
            else:
                return

    def word(self) -> Word:
        """Read one word; the next character does not end a word."""
        if self.text[self.at] in "{}" and self.text[self.at + 1] in META:
            raise Malformed("a brace that stands alone (zsh closes a group with it); quote it")
        builder = WordBuilder()
        self.read_into(builder, self.at)
        return builder.build()

    def read_into(self, builder: WordBuilder, start: int) -> None:
        """Read up to the end of the word; `start` is where the word began."""
        text = self.text
        while True:
            character = text[self.at]
            if character in META:
                if character == "<" and text[self.at + 1] == "(":  # a process substitution
                    self.at += 2
                    self._inside_parentheses()
                    builder.unknown(single=True, splits=False, begins="/dev/fd/")
                    continue
                if character == "(":
                    raise Beyond("a parenthesis inside a word (a function or an extended glob)")
                return
            reader = _READERS.get(character)
            if reader is not None:
                reader(self, builder, start)
            elif character < " " or character == "\x7f":
                raise Malformed(f"the control character {character!r} outside quotes")
            else:
                if character > "\x7f":  # some shells take a byte of it for a blank, so the word may fall apart
                    if character.isspace() or not character.isprintable():
                        raise Malformed(f"the invisible character {character!r} outside quotes")
                    builder.unknown(single=False, splits=True)
                builder.literal(character)
                self.at += 1

    def _single_quoted(self, builder: WordBuilder, _start: int) -> None:
        close = self.text.find("'", self.at + 1, self.end)
        if close < 0:
            raise Malformed("a quote ' that is never closed")
        builder.literal(self.text[self.at + 1 : close])
        self.at = close + 1

    def _escaped(self, builder: WordBuilder, _start: int) -> None:
        if self.at + 1 >= self.end:
            raise Malformed("a backslash at the very end")
        following = self.text[self.at + 1]
        if following != "\n":
            builder.literal(following)
        self.at += 2

    def _double_quoted(self, builder: WordBuilder, _start: int) -> None:
        text = self.text
        self.at += 1
        builder.literal("")
        while text[self.at] != '"':
            if self.at >= self.end:
                raise Malformed('a quote " that is never closed')
            character = text[self.at]
            if character == "\\":
                following = text[self.at + 1]
                if following in '$`"\\':
                    builder.literal(following)
                elif following != "\n":
                    builder.literal(character + following)
                self.at += 2
            elif character == "$":
                self._dollar(builder, quoted=True)
            elif character == "`":
                self._backtick(builder, quoted=True)
            else:
                builder.literal(character)
                self.at += 1
        self.at += 1

    def _dollar(self, builder: WordBuilder, _start: int = 0, *, quoted: bool = False) -> None:
        following = self.text[self.at + 1]
        if following == "(":
            if self.text[self.at + 2] == "(":
                raise Beyond("arithmetic $((...))")
            self.at += 2
            self._add_output(builder, self._inside_parentheses(), quoted=quoted)
        elif following == "{":
            self._braced_name(builder, quoted=quoted)
        elif following in NAME_START:
            self.at += 2
            while self.text[self.at] in NAME_CHARACTERS:
                self.at += 1
            self._refuse_subscript()
            builder.unknown(single=quoted, splits=not quoted)
        elif following in "?#$":
            self.at += 2
            self._refuse_subscript()
            if following == "#":
                refuse_length(self.peek())
            builder.unknown(single=True, splits=False, begins="0", stands_for="0")
        elif following in "@*!-" or following in "0123456789":
            self.at += 2
            self._refuse_subscript()
            builder.unknown(single=quoted and following != "@", splits=not quoted or following == "@")
        elif not quoted and following == "'":
            self._ansi_quoted(builder)
        elif following == "[" or (not quoted and following == '"'):
            raise Malformed(f"the old or translated form ${following}")
        elif following in ZSH_EXPANDS:
            raise Malformed(f"${following} (zsh expands a variable with it; write \\$ for the sign)")
        else:
            builder.literal("$")
            self.at += 1

    def _ansi_quoted(self, builder: WordBuilder) -> None:
        close = self.text.find("'", self.at + 2, self.end)
        body = self.text[self.at + 2 : close]
        if close < 0 or body.endswith("\\"):
            raise Malformed("a $'...' that is never closed, or with \\' inside")
        if "\\" in body:  # dash takes the $ and the escapes literally, so the value is never exact
            decoded = body.replace("\\t", "\t").replace("\\n", "\n")
            builder.unknown(single=True, splits=False, begins="" if "\\" in decoded else decoded)
        builder.literal(body)
        self.at = close + 1

    def _refuse_subscript(self) -> None:
        if self.text[self.at] == "[":
            raise Malformed("a [ directly after a variable (zsh evaluates it); write ${NAME}")

    def _braced_name(self, builder: WordBuilder, *, quoted: bool) -> None:
        close = self.text.find("}", self.at, self.end)
        name = self.text[self.at + 2 : close]
        if close < 0 or not is_name(name):
            raise Beyond("a ${...} that is more than a name")
        self.at = close + 1
        builder.unknown(single=quoted, splits=not quoted)

    def _inside_parentheses(self) -> Simple | None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Malformed("substitutions nested this deeply")
        printing = self.parse(self, ")")
        self.depth -= 1
        return printing

    def _add_output(self, builder: WordBuilder, printing: Simple | None, *, quoted: bool) -> None:
        from planrail.guard.shell.outputs import stand_in

        following = self.peek(2)[-1] if quoted and self.peek() == '"' else self.peek()
        # The output may be empty, so what follows must not begin an option either.
        begins = stand_in(printing) if following in META or following in ".^~:/" else ""
        builder.output(begins, quoted=quoted)

    def _backtick(self, builder: WordBuilder, _start: int = 0, *, quoted: bool = False) -> None:
        close = self.text.find("`", self.at + 1, self.end)
        if close < 0:
            raise Malformed("a backtick that is never closed")
        inner = self.text[self.at + 1 : close]
        if "\\" in inner or (quoted and '"' in inner):
            raise Malformed("a backslash or a quote inside backticks; write $(...)")
        scanner = Scanner(inner, self.depth + 1, self.commands, self.parse)
        printing = scanner.parse(scanner, "")
        self.at = close + 1
        self._add_output(builder, printing, quoted=quoted)

    def _glob(self, builder: WordBuilder, _start: int) -> None:
        character = self.text[self.at]
        if character != "[" or self.text[self.at + 1] not in META:  # a lone [ is the command
            builder.unknown(single=False, splits=False)
        builder.literal(character)
        self.at += 1

    def _repetition(self, builder: WordBuilder, start: int) -> None:
        """zsh's extended globs: `x#` is any number of x, so that what stands before it may not be there."""
        if self.at > start:
            builder.forget()
        self._glob(builder, start)

    def _brace(self, builder: WordBuilder, _start: int) -> None:
        at = self.at + 1
        while self.text[at] in _INSIDE_BRACES:
            at += 1
        if self.text[at] == "}":  # {}, HEAD@{1}: no expansion without a comma or two dots
            builder.literal(self.text[self.at : at + 1])
            self.at = at + 1
        else:
            builder.unknown(single=False, splits=False)
            self.at += 1

    def _tilde(self, builder: WordBuilder, start: int) -> None:
        character, following = self.text[self.at], self.text[self.at + 1]
        is_operator = character == "=" and (following in META or (following == "=" and self.text[self.at + 2] in META))
        if self.at == start and not is_operator:  # ~user, and zsh's =program: a path
            builder.unknown(single=True, splits=False, begins=character)
        builder.literal(character)
        self.at += 1


def refuse_length(following: str) -> None:
    """`$#` must not be the beginning of more than the number of arguments."""
    if following not in _ENDS_COUNT:
        raise Malformed("$# with a name behind it (zsh evaluates what follows); write ${#NAME} or ${#}")


def is_name(text: str) -> bool:
    return bool(text) and text[0] in NAME_START and all(character in NAME_CHARACTERS for character in text)


_READERS = {
    **dict.fromkeys("*?[^", Scanner._glob),
    **dict.fromkeys("~=", Scanner._tilde),
    "'": Scanner._single_quoted,
    '"': Scanner._double_quoted,
    "\\": Scanner._escaped,
    "$": Scanner._dollar,
    "`": Scanner._backtick,
    "#": Scanner._repetition,
    "{": Scanner._brace,
}
