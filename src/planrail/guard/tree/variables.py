"""What is known about the variables that one command line sets itself."""

from planrail.guard.programs.shell_builtins import is_integer
from planrail.guard.shell.outputs import through_pipe
from planrail.guard.shell.words import NAME_CHARACTERS, TOP_LEVEL, Simple, Word, may_be_network, may_be_option
from planrail.guard.tree.words import INTEGER, LITERAL, PLAIN, WordReader

_SETTERS = ("read", "declare", "typeset", "local", "readonly", "export", "unset")
_UNSPLIT = NAME_CHARACTERS + "./-+:@%"


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
