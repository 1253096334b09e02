"""The second opinion: walks over shfmt's syntax tree and judges each simple command in it with the same rules.

Loops, conditions, cases, [[ ]] and arithmetic are understood; definitions of functions and whatever is not listed
here are refused.
"""

from planrail.guard.places import Line
from planrail.guard.programs.commands import judge_simple
from planrail.guard.shell.outputs import through_pipe
from planrail.guard.shell.scanning import Malformed, is_name
from planrail.guard.shell.variables import may_assign
from planrail.guard.shell.words import Simple, Word, is_number
from planrail.guard.tree.expressions import Expressions, classify_variables
from planrail.guard.tree.words import WordReader, fields, items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_INPUTS = ("<", "<<<", ">&", "<&", ">", ">>", ">|", "&>", "&>>")


def judge_file(command: str, tree: object, line: Line) -> str:
    """Why the command is not known to be read-only, or ""."""
    from planrail.guard.shell.parsing import has_continued_comment, has_tight_continuation

    if tree is None:
        return "the command has a syntax error, or shfmt is not there to read it; use a plain command"
    if "<<" in command and ("`" in command or "\\\n" in command):
        return "a here-document beside backticks or continued lines; use a plain command"
    if has_tight_continuation(command) or any(character < " " and character not in "\t\n" for character in command):
        return "a control character, or a line continued in the middle of a word; use a plain command"
    if has_continued_comment(command):
        return "a # in a line that is continued; write the command without comments"
    if not isinstance(tree, dict) or tree.get("Type") != "File":
        return "a syntax tree that is not understood; use a plain command"
    if not command.strip() or not tree.get("Stmts"):
        return "there is no command to judge"  # an empty text stands for a mistake of the caller, never for approval
    end = tree["End"].get("Offset", 0) if isinstance(tree.get("End"), dict) else 0
    if command.encode()[end if isinstance(end, int) else 0 :].strip():
        return "a syntax tree that ends before the command does; use a plain command"
    judge = _TreeJudge(classify_variables(tree), line)
    try:
        judge.statements(items(fields(tree, "Type", "Stmts", "Last", "Name").get("Stmts")))
        return judge.reason or _unseen(command, judge.judged)
    except Malformed as problem:
        return f"{problem} is refused while planning; use a plain command"


def _unseen(command: str, judged: list[Simple]) -> str:
    """Why the tree is not believed: the quick reading found a command that is not in it."""
    from planrail.guard.shell.parsing import parse_commands

    left: dict[tuple[object, ...], int] = {}
    for simple in judged:
        for part in simple.signature():
            left[part] = left.get(part, 0) + 1
    for simple in parse_commands(command, readable=True):
        for part in simple.signature():
            left[part] = left.get(part, 0) - 1
            if left[part] < 0:
                return "two readings of this command differ; use a plain command"
    return ""


class _TreeJudge:
    """Walks over statements. `reason` is the first reason to refuse.

    `known` says what each variable holds wherever this command sets it, `variables` which of them are surely set at
    the place that is being read: before that they hold whatever the environment gave them.
    """

    def __init__(self, known: dict[str, str], line: Line):
        self.reason = ""
        self.judged: list[Simple] = []
        self.line = line
        self.depth = 0
        self.substitutions = 0
        self.known = known
        self.variables: dict[str, str] = {}
        self.words = WordReader(self.variables, self._substitution, lambda node: self.expressions.arithmetic(node))
        self.expressions = Expressions(known, self.variables, self.words)

    def statements(self, nodes: list[object]) -> Simple | None:
        """Judge each; the simple command that prints, if just one does. What they set is forgotten behind them."""
        self.depth += 1
        if self.depth > 40:
            raise Malformed("commands nested this deeply")
        before = dict(self.variables)
        found = [self._statement(node) for node in nodes]
        self._forget(before)
        self.depth -= 1
        return found[0] if len(found) == 1 else None

    def _substitution(self, nodes: list[object]) -> Simple | None:
        self.substitutions += 1
        printing = self.statements(nodes)
        self.substitutions -= 1
        return printing

    def _forget(self, before: dict[str, str]) -> None:
        self.variables.clear()
        self.variables.update(before)

    def _set(self, name: str) -> None:
        if name in self.known:
            self.variables[name] = self.known[name]

    def _judge(self, simple: Simple) -> Simple:
        self.judged.append(simple)
        self.reason = self.reason or judge_simple(simple, self.line)
        return simple

    def _statement(self, node: object) -> Simple | None:
        statement = fields(node, "Cmd", "Redirs", "Negated", "Background")
        redirections = [self._redirection(one) for one in items(statement.get("Redirs"))]
        command = statement.get("Cmd")
        if command is None:
            return self._judge(Simple([], [], redirections))
        kind = command.get("Type") if isinstance(command, dict) else None
        if kind == "CallExpr":
            found = self._call(command, redirections)
            if not found.words and not statement.get("Background"):
                for name, _ in found.assignments:
                    self._set(name)
            return found
        if redirections:
            self._judge(Simple([], [], redirections))
        handler = self._handlers().get(str(kind))
        if handler is None:
            raise Malformed(_NAMES.get(str(kind), f"the construct {kind}"))
        before = dict(self.variables)
        printing = handler(command)
        if statement.get("Background"):
            self._forget(before)
        return printing

    def _handlers(self) -> "dict[str, Callable[[object], Simple | None]]":
        return {
            "BinaryCmd": self._binary,
            "Subshell": self._group,
            "Block": self._group,
            "IfClause": self._if,
            "WhileClause": self._while,
            "ForClause": self._for,
            "CaseClause": self._case,
            "TestClause": lambda node: self.expressions.test(fields(node, "X").get("X")),
            "ArithmCmd": lambda node: self.expressions.command(node),
            "TimeClause": lambda node: self._statement(fields(node, "PosixFormat", "Stmt").get("Stmt")),
            "DeclClause": self._declaration,
        }

    def _call(self, node: object, redirections: list[tuple[str, str, Word]]) -> Simple:
        call = fields(node, "Assigns", "Args")
        assignments = [self._assignment(one) for one in items(call.get("Assigns"))]
        return self._judge(Simple(assignments, [self.words.word(one) for one in items(call.get("Args"))], redirections))

    def _assignment(self, node: object) -> tuple[str, Word]:
        assignment = fields(node, "Name", "Value", "Append", "Array", "Naked")
        name = str(fields(assignment.get("Name"), "Value").get("Value", ""))
        if not is_name(name) or assignment.get("Naked"):
            raise Malformed("an assignment without a plain name")
        if assignment.get("Array") is not None:
            for element in items(fields(assignment["Array"], "Elems").get("Elems")):
                self.words.word(fields(element, "Value").get("Value"))
            return name, Word("", exact=False, single=False, splits=True)
        value = assignment.get("Value")
        return name, self.words.word(value) if value is not None else Word("")

    def _redirection(self, node: object) -> tuple[str, str, Word]:
        redirection = fields(node, "Op", "N", "Word", "Hdoc")
        operator = str(redirection.get("Op"))
        descriptor = redirection.get("N")
        number = str(fields(descriptor, "Value").get("Value", "")) if descriptor is not None else ""
        if number and not is_number(number):
            raise Malformed("a redirection with a named descriptor")
        if operator in ("<<", "<<-"):
            return self._here_document(operator, redirection)
        if operator not in _INPUTS:
            raise Malformed(f"the redirection {operator}")
        return operator, number, self.words.word(redirection.get("Word"))

    def _here_document(self, operator: str, redirection: dict[str, object]) -> tuple[str, str, Word]:
        if self.substitutions:
            raise Malformed("a here-document inside a substitution (old versions of bash misread it)")
        delimiter = items(fields(redirection.get("Word"), "Parts").get("Parts"))
        part = delimiter[0] if len(delimiter) == 1 and isinstance(delimiter[0], dict) else {}
        quoted = part.get("Type") in ("SglQuoted", "DblQuoted")
        word = self.words.word(redirection.get("Word"))
        if not word.exact or not is_name(word.text) or not (quoted or part.get("Value") == word.text):
            raise Malformed("the delimiter of a here-document that is no plain word")
        if redirection.get("Hdoc") is not None and not quoted:
            self.words.document(redirection["Hdoc"])
        return operator, "", word

    def _binary(self, node: object) -> Simple | None:
        binary = fields(node, "Op", "X", "Y")
        if binary.get("Op") not in ("&&", "||", "|", "|&"):
            raise Malformed(f"the operator {binary.get('Op')}")
        before = dict(self.variables)
        first = self._statement(binary.get("X"))
        if binary.get("Op") not in ("&&", "||"):
            self._forget(before)
        before = dict(self.variables)
        printing = self._statement(binary.get("Y"))
        self._forget(before)
        return through_pipe(first, printing) if binary.get("Op") == "|" else None

    def _group(self, node: object) -> None:
        self.statements(items(fields(node, "Stmts").get("Stmts")))

    def _if(self, node: object) -> None:
        clause = fields(node, "Cond", "Then", "Else")
        self.statements(items(clause.get("Cond")))
        self.statements(items(clause.get("Then")))
        if clause.get("Else") is not None:
            self._if(clause["Else"])

    def _while(self, node: object) -> None:
        clause = fields(node, "Until", "Cond", "Do")
        self._loop(clause.get("Cond"), clause.get("Do"))

    def _loop(self, *bodies: object) -> None:
        begun = self.line.begin_loop()
        for body in bodies:
            self.statements(items(body))
        self.reason = self.reason or self.line.end_loop(begun)

    def _for(self, node: object) -> None:
        clause = fields(node, "Loop", "Do")
        loop, before = clause.get("Loop"), dict(self.variables)
        if isinstance(loop, dict) and loop.get("Type") == "CStyleLoop":
            for key in ("Init", "Cond", "Post"):
                part = fields(loop, "Init", "Cond", "Post").get(key)
                if part is not None:
                    self.expressions.arithmetic(part)
        else:
            words = fields(loop, "Name", "Items")
            name = str(fields(words.get("Name"), "Value").get("Value", ""))
            if not is_name(name) or not may_assign(name):
                raise Malformed(f"setting {name}")
            for item in items(words.get("Items")):
                self._judge(Simple([(name, self.words.word(item))], [], []))
            self._set(name)
        self._loop(clause.get("Do"))
        self._forget(before)

    def _case(self, node: object) -> None:
        clause = fields(node, "Word", "Items")
        self.words.word(clause.get("Word"))
        for item in items(clause.get("Items")):
            branch = fields(item, "Op", "Patterns", "Stmts", "Last")
            for pattern in items(branch.get("Patterns")):
                self.words.word(pattern)
            self.statements(items(branch.get("Stmts")))

    def _declaration(self, node: object) -> None:
        clause = fields(node, "Variant", "Args")
        variant = str(fields(clause.get("Variant"), "Value").get("Value", ""))
        assignments = [self._assignment(argument) for argument in items(clause.get("Args"))]
        words = [Word(f"{name}={value.text}", exact=value.exact) for name, value in assignments]
        self.judged.append(Simple([], [Word(variant), *words], []))  # to the quick reading it is such a command
        if assignments and variant not in ("export", "local", "readonly", "declare", "typeset"):
            raise Malformed(f"the declaration {variant}")
        for assignment in assignments:
            self._judge(Simple([assignment], [Word("true")] if variant == "export" else [], []))


_NAMES = {
    "FuncDecl": "the definition of a function",
    "CoprocClause": "a coprocess",
    "LetClause": "let",
    "None": "an empty command",
}
