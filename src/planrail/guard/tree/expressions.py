"""What a line's variables hold, and what is evaluated in it: conditions in [[ ]] and arithmetic.

Harmless only while nothing is evaluated that could hold a command.
"""

from planrail.guard.programs.shell_builtins import is_integer
from planrail.guard.shell.outputs import through_pipe
from planrail.guard.shell.scanning import ZSH_EXPANDS, Malformed
from planrail.guard.shell.variables import may_assign
from planrail.guard.shell.words import (
    NAME_CHARACTERS,
    TOP_LEVEL,
    Simple,
    Word,
    is_number,
    may_be_network,
    may_be_option,
    name_set,
)
from planrail.guard.tree.words import INTEGER, LITERAL, PLAIN, WordReader, fields, parts_of

_SETTERS = ("read", "declare", "typeset", "local", "readonly", "export", "unset")
_UNSPLIT = NAME_CHARACTERS + "./-+:@%"
_ASSIGNING = ("=", "+=", "-=", "*=", "/=", "%=")
_OPERATORS = ("+", "-", "*", "/", "%", "**", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?", ":", *_ASSIGNING)
_NUMERIC_TESTS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_UNARY_TESTS = name_set("-e -f -d -r -w -x -s -L -h -z -n -p -S -b -c -k -g -u -O -G -N -a !")
# In the groups of a regular expression shfmt takes a process substitution for text.
_SUBSTITUTIONS = ("`", "<(", ">(", *(f"${sign}" for sign in "({[" + ZSH_EXPANDS))
_BINARY_TESTS = ("==", "=", "!=", "=~", "<", ">", "-nt", "-ot", "-ef", "&&", "||")


class Expressions:
    """Reads conditions and arithmetic; raises `Malformed` at the first part that is not known to be harmless."""

    def __init__(self, known: dict[str, str], variables: dict[str, str], words: WordReader):
        self.known = known
        self.variables = variables
        self.words = words

    def test(self, node: object) -> None:
        kind = node.get("Type") if isinstance(node, dict) else None
        if kind == "ParenTest":
            self.test(fields(node, "X").get("X"))
        elif kind == "UnaryTest":
            test = fields(node, "Op", "X")
            if test.get("Op") not in _UNARY_TESTS:
                raise Malformed(f"[[ {test.get('Op')} ]]")
            self.test(test.get("X"))
        elif kind == "BinaryTest":
            test = fields(node, "Op", "X", "Y")
            if test.get("Op") not in (*_NUMERIC_TESTS, *_BINARY_TESTS):
                raise Malformed(f"[[ {test.get('Op')} ]]")
            read = self.arithmetic if test.get("Op") in _NUMERIC_TESTS else self.test
            for side in ("X", "Y"):
                read(test.get(side))
        elif kind == "Word":
            self._pattern(node)
        else:
            raise Malformed(f"{kind} in [[ ]]")

    def _pattern(self, node: object) -> None:
        """A word in [[ ]] is not split; a regular expression may hold any sign."""
        for part, rest in parts_of(node):
            if isinstance(part, dict) and part.get("Type") == "Lit":
                if any(sign in str(part.get("Value", "")) for sign in _SUBSTITUTIONS):
                    raise Malformed("a substitution that shfmt reads as text")
            else:
                self.words.expand(part, rest)

    def arithmetic(self, node: object) -> None:
        """Only whole numbers and variables that hold them: bash evaluates a[$(command)] in a variable's value."""
        kind = node.get("Type") if isinstance(node, dict) else None
        if kind == "BinaryArithm":
            expression = fields(node, "Op", "X", "Y")
            if expression.get("Op") not in _OPERATORS:
                raise Malformed(f"the arithmetic operator {expression.get('Op')}")
            self.arithmetic(expression.get("Y"))
            if expression.get("Op") == "=":
                self._assignment(expression.get("X"))
            else:
                self.arithmetic(expression.get("X"))
        elif kind == "UnaryArithm":
            self.arithmetic(fields(node, "Op", "Post", "X").get("X"))
        elif kind == "ParenArithm":
            self.arithmetic(fields(node, "X").get("X"))
        elif kind == "Word":
            self._word(node)
        else:
            raise Malformed("arithmetic that is not understood")

    def _assignment(self, target: object) -> None:
        word = self.words.word(target)
        if not word.exact or self.known.get(word.text) != INTEGER or not may_assign(word.text):
            raise Malformed("an assignment in arithmetic that is not understood")
        self.variables[word.text] = INTEGER

    def _word(self, node: object) -> None:
        word = self.words.word(node)
        is_known = word.exact and self.variables.get(word.text) == INTEGER and may_assign(word.text)
        if not (is_known or word.stands_for == "0" or (word.exact and is_number(word.text))):
            raise Malformed("arithmetic with a variable that may hold more than a number")

    def command(self, node: object) -> None:
        """((i++)) and ((i+=2)) only: to a plain sh this is a command in two subshells."""
        expression = fields(node, "X").get("X")
        known = expression if isinstance(expression, dict) else {}
        kind = known.get("Type")
        if kind != "UnaryArithm" and not (kind == "BinaryArithm" and known["Op"] == "+="):
            raise Malformed("((...)) other than ((i++))")
        self.arithmetic(expression)


def classify_variables(tree: object) -> dict[str, str]:
    """For each name that is set: all its values are whole numbers, literal words, or words without a leading dash."""
    values: dict[str, list[object]] = {}
    _collect(tree, values)
    kinds = {name: _kind([_word(node) for node in nodes]) for name, nodes in values.items()}
    return {name: kind for name, kind in kinds.items() if kind and not (kind == LITERAL and "IFS" in values)}


def _collect(node: object, values: dict[str, list[object]]) -> None:
    """Walk over everything; a setting that is not understood makes its name unknown (a None among the values)."""
    if isinstance(node, list):
        for child in node:
            _collect(child, values)
    if not isinstance(node, dict):
        return
    kind, given, arguments = node.get("Type"), node.get("Name"), node.get("Args")
    value = given.get("Value") if isinstance(given, dict) else None
    name = value if isinstance(value, str) else ""
    if kind == "WordIter":
        values.setdefault(name, []).extend(node.get("Items") or [None])
    elif name and kind is None:
        is_plain = node.get("Value") is not None and not node.get("Append") and not node.get("Index")
        values.setdefault(name, []).append(node.get("Value") if is_plain else None)
    elif kind == "CallExpr":
        # `read NAME` sets NAME to anything, and `command declare NAME=x` is no assignment to shfmt.
        words = [_word(argument) for argument in arguments] if isinstance(arguments, list) else []
        if any(word is None or (word.exact and word.text in _SETTERS) for word in words):
            for word in filter(None, words):
                values.setdefault(word.text.partition("=")[0].rstrip("+"), []).append(None)
    elif kind == "BinaryArithm" and node.get("Op") == "=":
        target = _word(node.get("X"))
        values.setdefault(target.text if target else "", []).append(node.get("Y"))
    for child in node.values():
        _collect(child, values)


def _word(node: object) -> Word | None:
    """The value, read without any knowledge of variables; None where it is not understood."""
    if node is None:
        return None
    try:
        return WordReader({}, _printing, lambda _node: None).word(node)
    except Exception:
        return None


def _printing(statements: list[object]) -> Simple | None:
    """The simple command that prints, read without judging it."""
    statement = statements[0] if len(statements) == 1 else None
    command = statement.get("Cmd") if isinstance(statement, dict) else None
    if not isinstance(command, dict) or not isinstance(statement, dict):
        return None
    redirections = statement.get("Redirs") or []
    is_list = isinstance(redirections, list)
    if not is_list or not all(isinstance(one, dict) and one.get("Op") == "<" for one in redirections):
        return None
    if command.get("Type") == "BinaryCmd" and command.get("Op") == "|":
        return through_pipe(_printing([command.get("X")]), _printing([command.get("Y")]))
    words = [_word(argument) for argument in command.get("Args") or []]
    if command.get("Type") != "CallExpr" or command.get("Assigns") or None in words:
        return None
    return Simple([], [word for word in words if word is not None], [])


def _kind(words: list[Word | None]) -> str:
    values = [word for word in words if word is not None]
    if len(values) < len(words):
        return ""
    if all(is_integer(word) for word in values):
        return INTEGER
    if all(_is_literal(word) for word in values):
        return LITERAL
    if all(not may_be_option(word) and not word.splits and not _may_begin_network(word) for word in values):
        return PLAIN
    return ""


def _may_begin_network(word: Word) -> bool:
    """Whether a word made of this one may name a device or a connection; what git prints begins with a folder."""
    is_network = word.text.startswith("/dev") or may_be_network(word, or_begin=True)
    return is_network and word.stands_for != TOP_LEVEL


def _is_literal(word: Word) -> bool:
    is_plain = word.exact and word.text[:1] not in ("-", "") and all(sign in _UNSPLIT for sign in word.text)
    return word.stands_for == "a" or (is_plain and not _may_begin_network(word))
