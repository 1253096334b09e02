"""From the text of a shell command to the flat list of simple commands that it could run.

Which of them run, and in what order, does not matter to the guard: each of them has to be harmless.
"""

from planrail.guard.shell.scanning import META, Beyond, Malformed, Scanner, is_name
from planrail.guard.shell.words import Simple, Word

_BEYOND = frozenset(("if", "for", "while", "until", "case", "select", "function", "coproc", "[["))
_MISPLACED = frozenset(("then", "do", "done", "fi", "esac", "elif", "else", "in", "}", "]]"))
_OPERATORS = ("&>>", "<<<", "<<-", "&>", ">>", ">|", "<>", "<<", "<&", ">&", "<", ">")


def parse_commands(text: str, *, readable: bool = False) -> list[Simple]:
    """Every simple command in the text; raises `Beyond` or `Malformed` where there is no certain reading.

    `readable`: only those before the first construct that is beyond this reading.
    """
    commands: list[Simple] = []
    if "\0" in text:
        raise Malformed("a NUL character")
    if has_tight_continuation(text):
        raise Malformed("a line that is continued in the middle of a word")
    try:
        parse_list(Scanner(text, 0, commands, parse_list), "")
    except Beyond:
        if not readable:
            raise
    return commands


def has_tight_continuation(text: str) -> bool:
    """Whether a backslash joins two lines with no blank before it: it could hide `$(` or a keyword."""
    return any(not part.endswith((" ", "\t")) for part in text.split("\\\n")[:-1])


def has_continued_comment(text: str) -> bool:
    """Whether a line that may hold a comment ends in a backslash: shfmt takes the next line for a part of it."""
    return "#" in text and any("#" in line and line.endswith("\\") for line in text.split("\n"))


def parse_list(scanner: Scanner, closer: str) -> Simple | None:
    """Commands and the operators between them, up to and over the closer ("" is the end of the text).

    The simple command whose output is the output of the whole list, if there is just one.
    """
    operator = "(" if closer else ""  # an empty $() or (): not worth a reading of its own
    printing: Simple | None = None
    pipelines = 0
    while True:
        scanner.skip_blanks()
        while scanner.at < scanner.end and scanner.text[scanner.at] == "\n":
            scanner.at += 1
            scanner.skip_blanks()
        if _at_closer(scanner, closer):
            if operator:
                raise Malformed("an operator without a command after it, or nothing in parentheses")
            scanner.at += len(closer)
            return printing if pipelines == 1 else None
        command = _parse_command(scanner, is_piped=operator in ("|", "|&"))
        if operator == "|":
            from planrail.guard.shell.outputs import through_pipe

            printing = through_pipe(printing, command) if closer else None
        else:
            printing = command
            pipelines += 1
        operator = _parse_operator(scanner, closer)


def _at_closer(scanner: Scanner, closer: str) -> bool:
    if scanner.at < scanner.end:
        is_closed = closer != "" and scanner.peek() == closer
        return is_closed and (closer == ")" or scanner.text[scanner.at + 1] in META)
    if closer:
        raise Malformed(f"a missing {closer}")
    return True


def _parse_operator(scanner: Scanner, closer: str) -> str:
    """Over the operator behind a command. The operator, if a further command has to follow it."""
    scanner.skip_blanks()
    if scanner.at >= scanner.end or scanner.peek() == "\n" or (closer == ")" and scanner.peek() == ")"):
        return ""
    two = scanner.peek(2)
    if two in ("&&", "||", "|&"):
        scanner.at += 2
        return two
    if two in (";;", ";&", "&|", "&!"):
        raise Malformed(f"the operator {two}")
    one = two[0]
    if one not in "|;&":
        raise Malformed(f"{one!r} where an operator should stand")
    scanner.at += 1
    if one == "|":
        return one
    scanner.skip_blanks()
    if scanner.peek() in ";&|":
        raise Malformed(f"{scanner.peek()!r} without a command before it")
    return ""


def _parse_command(scanner: Scanner, *, is_piped: bool) -> Simple | None:
    """Read one command; the simple command, if it was one."""
    if scanner.peek() == "!" and not is_piped and scanner.text[scanner.at + 1] in " \t":
        scanner.at += 1
        scanner.skip_blanks()
    character = scanner.peek()
    if character == "(":
        if scanner.text[scanner.at + 1] == "(":
            raise Beyond("arithmetic ((...))")
        _parse_group(scanner, ")")
        return None
    if character == "{" and scanner.text[scanner.at + 1] in " \t\n":
        _parse_group(scanner, "}")
        return None
    return _parse_simple(scanner)


def _parse_group(scanner: Scanner, closer: str) -> None:
    scanner.at += 1
    scanner.depth += 1
    if scanner.depth > 40:
        raise Malformed("groups nested this deeply")
    parse_list(scanner, closer)
    scanner.depth -= 1
    redirections: list[tuple[str, str, Word]] = []
    scanner.skip_blanks()
    while _parse_redirection(scanner, redirections):
        scanner.skip_blanks()
    if scanner.text[scanner.at] not in "\n|&;)}":
        raise Malformed("a word behind a group")
    if redirections:
        scanner.commands.append(Simple([], [], redirections))


def _parse_simple(scanner: Scanner) -> Simple:
    command = Simple([], [], [])
    while True:
        scanner.skip_blanks()
        if _parse_redirection(scanner, command.redirections):
            continue
        if scanner.text[scanner.at] in META and scanner.peek(2) != "<(":
            break
        if not command.words and (_parse_assignment(scanner, command) or _starts_keyword(scanner, command)):
            continue
        command.words.append(scanner.word())
    if not (command.words or command.assignments or command.redirections):
        raise Malformed(f"{scanner.peek()!r} where a command should stand")
    if scanner.peek() == "(":
        raise Malformed("a function definition")
    scanner.commands.append(command)
    return command


def _starts_keyword(scanner: Scanner, command: Simple) -> bool:
    """Raise at a reserved word; True where it was `time`, which only measures what follows."""
    end = scanner.at
    while scanner.text[end] not in META:
        end += 1
    raw = scanner.text[scanner.at : end]
    if raw in _BEYOND:
        raise Beyond(f"`{raw}`")
    if raw in _MISPLACED or raw == "!":
        raise Malformed(f"`{raw}` where a command should stand")
    if raw != "time" or command.assignments or command.redirections:
        return False
    scanner.at = end
    scanner.skip_blanks()
    if scanner.peek(3) in ("-p ", "-p\t"):
        scanner.at += 2
        scanner.skip_blanks()
    if scanner.peek() in "({":
        raise Beyond("`time` before a group")
    if scanner.text[scanner.at] in META or scanner.peek() in "!-" or scanner.peek(5) in ("time ", "time\t"):
        raise Malformed("`time` before something that is not a simple command")
    return True


def _parse_assignment(scanner: Scanner, command: Simple) -> bool:
    text, end = scanner.text, scanner.at
    while text[end].isalnum() or text[end] == "_":
        end += 1
    name = text[scanner.at : end]
    if not is_name(name):
        return False
    if text[end] == "[" and "=" in text[end:]:
        raise Beyond("an element of an array")
    if text.startswith("+=", end):
        end += 1
    if text[end] != "=":
        return False
    if text[end + 1] == "(":
        raise Beyond("an array")
    scanner.at = end + 1
    ends_here = text[scanner.at] in META and scanner.peek(2) != "<("
    command.assignments.append((name, Word("") if ends_here else scanner.word()))
    return True


def _parse_redirection(scanner: Scanner, redirections: list[tuple[str, str, Word]]) -> bool:
    text, at = scanner.text, scanner.at
    while text[at] in "0123456789":
        at += 1
    descriptor = text[scanner.at : at]
    operator = next((known for known in _OPERATORS if text.startswith(known, at)), "")
    if not operator or (descriptor and operator[0] == "&") or (operator == "<" and text[at + 1] == "("):
        return False
    if operator in ("<<", "<<-"):
        raise Beyond("a here-document")
    if operator == ">" and text[at + 1] == "(":
        raise Malformed("an output process substitution >(...)")
    scanner.at = at + len(operator)
    scanner.skip_blanks()
    if (scanner.text[scanner.at] in META and scanner.peek(2) != "<(") or scanner.at >= scanner.end:
        raise Malformed(f"a redirection {operator} without a target")
    redirections.append((operator, descriptor, scanner.word()))
    return True
