"""The words of a shell command, with what is known about each before the shell has expanded it."""

_LOWER = "abcdefghijklmnopqrstuvwxyz"
NAME_START = _LOWER + _LOWER.upper() + "_"
TOP_LEVEL = "/"  # what a word stands for that is the output of `git rev-parse --show-toplevel`
NAME_CHARACTERS = NAME_START + "0123456789"


class Word:
    """One word as written.

    `exact`: `text` is its value. Otherwise `text` holds only the literal characters before the first unknown part.
    `single`: it becomes exactly one argument (a glob or an unquoted variable may become none or many).
    `splits`: a part of it is split by the shell, so that a later argument may begin with any character.
    `stands_for`: not exact, but surely a whole number (`0`: `$?`), names of commits (`a`), or nothing.
    """

    # Not a @record: making one costs a fifth of a millisecond, and every shell command pays for it.
    __slots__ = ("exact", "single", "splits", "stands_for", "text")

    def __init__(
        self, text: str, *, exact: bool = True, single: bool = True, splits: bool = False, stands_for: str = ""
    ):
        self.text = text
        self.exact = exact
        self.single = single
        self.splits = splits
        self.stands_for = stands_for


class WordBuilder:
    """Collects the parts of one word, and how certain its value still is."""

    __slots__ = ("characters", "exact", "parts", "single", "splits", "stands_for")

    def __init__(self) -> None:
        self.characters: list[str] = []
        self.exact = True
        self.single = True
        self.splits = False
        self.stands_for = ""
        self.parts = 0

    def literal(self, text: str) -> None:
        self.parts += bool(text)
        if self.exact:
            self.characters.append(text)

    def unknown(self, *, single: bool, splits: bool, begins: str = "", stands_for: str = "") -> None:
        """A part that the shell fills in; `begins` is a stand-in where its first character is surely harmless."""
        self.parts += 1
        if self.exact and begins:
            self.characters.append(begins)
        self.stands_for = stands_for
        self.exact = False
        self.single = self.single and single
        self.splits = self.splits or splits

    def forget(self) -> None:
        """No beginning of the word is certain any more."""
        self.characters.clear()

    def output(self, stands_for: str, *, quoted: bool) -> None:
        """What a substituted command prints, as `outputs.stand_in` knows it; a path without quotes may fall apart."""
        is_word = stands_for != "" and (quoted or stands_for != TOP_LEVEL)
        begins = stands_for if is_word else ""
        self.unknown(single=quoted, splits=not quoted and not is_word, begins=begins, stands_for=stands_for)

    def build(self) -> Word:
        stands_for = self.stands_for if self.parts == 1 else ""
        text = "".join(self.characters)
        return Word(text, exact=self.exact, single=self.single, splits=self.splits, stands_for=stands_for)


class Simple:
    """One simple command: assignments before it, its words, and redirections as (operator, descriptor, target)."""

    __slots__ = ("assignments", "redirections", "words")

    def __init__(
        self, assignments: list[tuple[str, Word]], words: list[Word], redirections: list[tuple[str, str, Word]]
    ):
        self.assignments = assignments
        self.words = words
        self.redirections = redirections

    def is_literal(self) -> bool:
        """Whether the shell fills in nothing: no variable can make another command of it."""
        targets = [target for _, _, target in self.redirections]
        return all(word.exact for word in (*self.words, *(value for _, value in self.assignments), *targets))

    def signature(self) -> list[tuple[object, ...]]:
        """What two readings of the same text agree on: the command with its exact words, and each redirection."""
        values = [_exactly(value) for _, value in self.assignments]
        names = [name for name, _ in self.assignments]
        found: list[tuple[object, ...]] = [(*names, *values, " ", *map(_exactly, self.words))]
        redirections = [(operator, number, _exactly(target)) for operator, number, target in self.redirections]
        return (found if self.assignments or self.words else []) + redirections


def _exactly(word: Word) -> str | None:
    return word.text if word.exact else None


def name_set(text: str) -> frozenset[str]:
    """The names in a text, which is how the tables are written."""
    return frozenset(text.split())


# What xargs appends, and what an unquoted variable may be: anything at all.
ANYTHING = Word("", exact=False, single=False, splits=True)
# A quoted variable: one argument, but it may be an option.
ANY_ONE = Word("", exact=False)


def is_number(text: str) -> bool:
    """Digits only, and only those that every program takes for digits."""
    return text != "" and all(character in "0123456789" for character in text)


def may_be_option(word: Word) -> bool:
    """Whether the program could take the word, or a word made of it, for an option."""
    if word.exact:
        return word.text.startswith("-") and word.text != "-"
    return word.splits or not word.text or word.text[0] == "-"


# What bash and gawk take for a connection in place of a file.
_NETWORK = ("/dev/tcp/", "/dev/udp/", "/inet")


def may_be_network(word: Word, *, or_begin: bool = False) -> bool:
    """Whether the word, or with `or_begin` what another part makes of it, may name a connection."""
    if word.exact and not or_begin:
        return word.text.startswith(_NETWORK)
    return any(name.startswith(word.text) or word.text.startswith(name) for name in _NETWORK)


def shown(word: Word) -> str:
    """The word as a message names it."""
    if word.exact:
        return word.text if len(word.text) < 60 else word.text[:57] + "..."
    return (word.text[:40] + "…") if word.text else "an expanded word"
