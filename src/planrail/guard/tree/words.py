"""From the words of shfmt's syntax tree to the guard's words, and to the commands that are nested in them.

Every node must be of a known type and hold known fields only; anything else raises `Malformed`.
"""

from planrail.guard.shell.outputs import stand_in
from planrail.guard.shell.scanning import ZSH_EXPANDS, Malformed, Scanner, refuse_length
from planrail.guard.shell.words import Simple, Word, WordBuilder, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Node = dict[str, object]

_EXPANSIONS = (":-", "-", ":+", "+", ":?", "?", "#", "##", "%", "%%", "^", "^^", ",", ",,")
_POSITION = {"Offset", "Line", "Col"}
_BEYOND_A_NAME = {"Index", "Slice", "Repl", "Exp"}
LITERAL, PLAIN, INTEGER = "literal", "plain", "integer"


def fields(node: object, *known: str) -> "Node":
    """The node, if it has no field but these (and positions)."""
    if not isinstance(node, dict):
        raise Malformed("a syntax tree that is not understood")
    for key, value in node.items():
        is_position = isinstance(value, dict) and set(value) <= _POSITION
        if key not in known and key not in ("Type", "Comments") and not is_position:
            raise Malformed(f"the field {key} of {node.get('Type', 'a node')}")
    return node


def items(value: object) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise Malformed("a syntax tree that is not understood")
    return value


def parts_of(node: object) -> "list[tuple[object, list[object]]]":
    """The parts of a word, each with those behind it: what follows decides what zsh reads (`$=x`, `$x[i]`, `$#x[i]`).

    Neighbouring literals are one, since shfmt gives `$=x` as `$` and `=x`.
    """
    joined: list[object] = []
    for part in items(fields(node, "Parts").get("Parts")):
        before, text = _text_of(joined[-1:]), _text_of([part])
        if before and text:
            joined[-1] = {"Type": "Lit", "Value": before + text}
        else:
            joined.append(part)
    return [(part, joined[at + 1 :]) for at, part in enumerate(joined)]


class WordReader:
    """Reads words. `walk` judges nested statements and says which simple command prints, if just one does."""

    def __init__(
        self, variables: "Mapping[str, str]", walk: "Callable[[list[object]], Simple | None]",
        arithmetic: "Callable[[object], None]",
    ):  # fmt: skip
        self.variables = variables
        self.walk = walk
        self.arithmetic = arithmetic

    def word(self, node: object) -> Word:
        parts = parts_of(node) if isinstance(node, dict) and "Parts" in node else []
        builder = WordBuilder()
        if len(parts) == 1 and _text_of([parts[0][0]]) in ("{", "}"):
            raise Malformed("a brace that stands alone (zsh closes a group with it); quote it")
        for at, (part, rest) in enumerate(parts):
            self._part(builder, part, rest, is_first=at == 0, quoted=False)
        return builder.build()

    def expand(self, part: object, rest: list[object], *, quoted: bool = False) -> None:
        """Judge what one part of a text substitutes, where its value is no word of a command."""
        self._part(WordBuilder(), part, rest, is_first=False, quoted=quoted)

    def _part(self, builder: WordBuilder, part: object, rest: list[object], *, is_first: bool, quoted: bool) -> None:
        kind = part.get("Type") if isinstance(part, dict) else None
        if kind == "Lit":
            value = str(fields(part, "Value").get("Value", ""))
            _quoted_literal(builder, value) if quoted else _literal(builder, value, is_first=is_first)
        elif kind == "SglQuoted" and not quoted:
            node = fields(part, "Value", "Dollar")
            value = str(node.get("Value", ""))
            if node.get("Dollar") is True and "\\" in value:
                if "\\'" in value:
                    raise Malformed("\\' inside $'...'")
                builder.unknown(single=True, splits=False)
            builder.literal(value)
        elif kind == "DblQuoted" and not quoted:
            builder.literal("")
            for inner, behind in parts_of(part):
                self._part(builder, inner, behind or rest, is_first=False, quoted=True)
        elif kind == "ParamExp":
            self._parameter(builder, part, rest, quoted=quoted)
        elif kind == "CmdSubst":
            printing = self.walk(items(fields(part, "Stmts", "Backquotes").get("Stmts")))
            begins = stand_in(printing) if _follows_safely(rest) else ""
            builder.output(begins, quoted=quoted)
        elif kind == "ArithmExp":
            self.arithmetic(fields(part, "X").get("X"))
            builder.unknown(single=True, splits=False, stands_for="0")
        elif kind == "ProcSubst" and not quoted and isinstance(part, dict) and part.get("Op") == "<(":
            self.walk(items(fields(part, "Op", "Stmts").get("Stmts")))
            builder.unknown(single=True, splits=False, begins="/dev/fd/")
        else:
            raise Malformed(f"{kind or 'something unknown'} inside a word")

    def document(self, node: object) -> None:
        """The body of a here-document: judge what it substitutes."""
        for part, rest in parts_of(node):
            if isinstance(part, dict) and part.get("Type") == "Lit":
                value = str(part.get("Value", ""))
                if any(sign in value for sign in "`$\\"):
                    raise Malformed("a $, a backtick or a backslash in a here-document; quote its delimiter")
            elif isinstance(part, dict) and set(part) & _BEYOND_A_NAME:
                raise Malformed("a ${...} that is more than a name in a here-document")
            else:
                self.expand(part, rest, quoted=True)

    def _parameter(self, builder: WordBuilder, part: object, rest: list[object], *, quoted: bool) -> None:
        node = fields(part, "Short", "Param", "Length", "Index", "Slice", "Repl", "Exp")
        name = str(fields(node.get("Param"), "Value").get("Value", ""))
        if node.get("Short") and _text_of(rest).startswith("["):
            raise Malformed("a [ directly after a variable (zsh evaluates it); write ${NAME}")
        if node.get("Short") and name == "#" and rest:
            is_quote = isinstance(rest[0], dict) and rest[0].get("Type") in ("SglQuoted", "DblQuoted")
            refuse_length("'" if is_quote else _text_of(rest)[:1] or "$")
        if node.get("Length") or (name in ("?", "#", "$") and not set(node) & _BEYOND_A_NAME):
            if node.get("Index") is not None:
                self._index(node["Index"])
            builder.unknown(single=True, splits=False, begins="0", stands_for="0")
            return
        is_many = self._expansion(node, quoted=quoted) or name == "@"
        kind = "" if set(node) & _BEYOND_A_NAME else self.variables.get(name, "")
        if kind == INTEGER:
            builder.unknown(single=quoted, splits=False, stands_for="0")  # it may be negative: no beginning is known
        elif (kind == LITERAL or (kind == PLAIN and quoted)) and _follows_safely(rest):
            builder.unknown(single=quoted, splits=False, begins="./")
        else:
            builder.unknown(single=quoted and not is_many, splits=not quoted or is_many)

    def _expansion(self, node: "Node", *, quoted: bool) -> bool:
        """Judge what stands inside ${...}; True if it may become many words."""
        is_many = node.get("Index") is not None and self._index(node["Index"])
        if node.get("Slice") is not None:
            bounds = fields(node["Slice"], "Offset", "Length")
            for key in ("Offset", "Length"):
                if bounds.get(key) is not None:
                    self.arithmetic(bounds[key])
        if node.get("Repl") is not None:
            replacement = fields(node["Repl"], "All", "Orig", "With")
            for key in ("Orig", "With"):
                if replacement.get(key) is not None:
                    self._inside_braces(replacement[key], quoted=quoted)
        if node.get("Exp") is not None:
            expansion = fields(node["Exp"], "Op", "Word")
            if expansion.get("Op") not in _EXPANSIONS:
                raise Malformed(f"the expansion {expansion.get('Op')} in ${{...}}")
            if expansion.get("Word") is not None:
                self._inside_braces(expansion["Word"], quoted=quoted)
        return is_many

    def _inside_braces(self, node: object, *, quoted: bool) -> None:
        """The word in ${x:-word}. Shells and shfmt disagree about quotes there, most of all inside double quotes.

        To shfmt `<(...)`, zsh's `=(...)` and glob qualifiers are text there; bash and zsh run them.
        """
        for part, rest in parts_of(node):
            kind = part.get("Type") if isinstance(part, dict) else None
            text = str(part.get("Value", "")) if isinstance(part, dict) and kind == "Lit" else ""
            if kind == "SglQuoted" or any(sign in text for sign in "'\"`\\$("):
                raise Malformed("a quote, a backslash or a parenthesis inside ${...}")
            if kind != "Lit":
                self.expand(part, rest, quoted=quoted)

    def _index(self, node: object) -> bool:
        parts = items(fields(node, "Parts").get("Parts"))
        text = _text_of(parts) if len(parts) == 1 else ""
        if text not in ("@", "*") and not is_number(text):
            raise Malformed("an index that is not a literal number")
        return text in ("@", "*")


def _text_of(parts: list[object]) -> str:
    """The text of the first part, if it is literal."""
    first = parts[0] if parts else None
    return str(first.get("Value", "")) if isinstance(first, dict) and first.get("Type") == "Lit" else ""


def _follows_safely(rest: list[object]) -> bool:
    """Whether the word cannot begin with a dash even if what stands before `rest` is empty."""
    begins = _text_of(rest)[:1]
    return not rest or (begins != "" and (begins.isalnum() or begins in "._/~^"))  # `$x:t` is another text in zsh


def _literal(builder: WordBuilder, value: str, *, is_first: bool) -> None:
    scanner = Scanner(value, 0, [], _no_nesting)
    scanner.read_into(builder, 0 if is_first else -1)
    if scanner.at < scanner.end:
        raise Malformed(f"{scanner.peek()!r} inside a word")


def _no_nesting(_scanner: Scanner, _closer: str) -> None:
    raise Malformed("a substitution that shfmt reads as text")


def _quoted_literal(builder: WordBuilder, value: str) -> None:
    at = 0
    while at < len(value):
        following = value[at + 1 : at + 2]
        if value[at] == "\\" and following and following in '$`"\\\n':
            builder.literal("" if following == "\n" else following)
            at += 2
            continue
        if value[at] == "`" or (value[at] == "$" and following and following in "({[" + ZSH_EXPANDS):
            raise Malformed("a substitution that shfmt reads as text")
        builder.literal(value[at])
        at += 1
