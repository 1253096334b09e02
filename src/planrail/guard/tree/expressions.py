"""Conditions in [[ ]] and arithmetic: harmless only while nothing in them is evaluated that could hold a command."""

from planrail.guard.shell.scanning import ZSH_EXPANDS, Malformed
from planrail.guard.shell.variables import may_assign
from planrail.guard.shell.words import is_number, name_set
from planrail.guard.tree.words import INTEGER, WordReader, fields, parts_of

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
            self._binary_test(fields(node, "Op", "X", "Y"))
        elif kind == "Word":
            self._pattern(node)
        else:
            raise Malformed(f"{kind} in [[ ]]")

    def _binary_test(self, test: dict[str, object]) -> None:
        operator = test.get("Op")
        if operator in _NUMERIC_TESTS:
            self.arithmetic(test.get("X"))
            self.arithmetic(test.get("Y"))
        elif operator in _BINARY_TESTS:
            self.test(test.get("X"))
            self.test(test.get("Y"))
        else:
            raise Malformed(f"[[ {operator} ]]")

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
