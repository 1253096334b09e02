"""The shell's own commands that set or evaluate something: test, printf, read, export, cd and the like.

bash and zsh evaluate `a[$(command)]` wherever they expect a number, so numbers have to be literal here.
"""

from planrail.guard.places import Line
from planrail.guard.programs.options import INSTEAD, check_options
from planrail.guard.shell.scanning import is_name
from planrail.guard.shell.words import Word, is_number, may_be_option, name_set, shown

_NUMERIC_TESTS = ("-eq", "-ne", "-lt", "-le", "-gt", "-ge")
_UNARY_TESTS = frozenset("-" + letter for letter in "abcdefghkprstuwxGLNOSzn")
_BINARY_TESTS = frozenset(("=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", *_NUMERIC_TESTS))
_JOINTS = ("!", "(", ")", "-a", "-o")
# Those of which every word has to be one of these, and what to do where one is not.
_SET = name_set("-e -u -x -o +e +u +x +o -eu -euo -ex -eo -uo -f +f -eux -euxo -- pipefail")
_SHOPT = name_set("-s -u globstar nullglob dotglob")
_LISTED = {"set": (_SET, "leave it out"), "shopt": (_SHOPT, "only globstar, nullglob and dotglob are judged")}


def judge_listed(name: str, words: list[Word], _line: object) -> str:
    known, instead = _LISTED[name]
    is_known = words and all(word.exact and word.text in known for word in words)
    return "" if is_known else f"{name} may change how commands are read; {instead}"


def is_integer(word: Word) -> bool:
    """A literal whole number, or something that is surely one, such as $?."""
    text = word.text[1:] if word.text[:1] == "-" else word.text
    return word.stands_for == "0" or (word.exact and is_number(text))


def judge_test(name: str, words: list[Word], _line: object) -> str:
    for at, word in enumerate(words):
        if word.exact and word.text in ("-v", "-R"):
            return f"{name} {word.text} evaluates a name; compare the value with -n instead"
        if word.exact and word.text in _NUMERIC_TESTS:
            sides = words[at - 1 : at] + words[at + 1 : at + 2]
            if not all(is_integer(side) for side in sides):
                return f"{name} {word.text} evaluates its operands as arithmetic; compare literal numbers, or use = "
        if word.exact and word.text == "-t" and not all(is_integer(side) for side in words[at + 1 : at + 2]):
            return f"{name} -t evaluates its operand as arithmetic; give it a literal number"
        if not word.single and may_be_option(word) and word.stands_for != "0":
            return f"{shown(word)} may become an operator of {name}; quote it"
    if any(not word.exact and may_be_option(word) for word in words) and len(words) > 5:
        return f"{name} with this many operands and unknown words; split it with &&"
    return _test_positions(name, words)


def _test_positions(name: str, words: list[Word]) -> str:
    """An unknown word must stand where only an operand can: "$x" could be -v, and what follows it a subscript."""
    for at, word in enumerate(words):
        if word.exact or not may_be_option(word):
            continue
        before, after = words[at - 1] if at else None, words[at + 1] if at + 1 < len(words) else None
        is_operand = before is not None and before.exact and before.text in (_UNARY_TESTS | _BINARY_TESTS)
        is_left = after is not None and after.exact and after.text in _BINARY_TESTS
        is_alone = after is None or (after.exact and after.text in ("]", *_JOINTS))
        if not (is_operand or is_left or is_alone):
            return f"{name} with an unknown word where an operator may stand; write the operator out"
    return ""


def judge_printf(_name: str, words: list[Word], line: Line) -> str:
    line.names.update(word.text.partition("=")[0] for word in words)
    rest = words[1:] if words and words[0].exact and words[0].text == "--" else words
    if not rest:
        return ""
    form = rest[0]
    if not form.exact or (form.text.startswith("-") and rest is words):
        return "the format of printf is not a literal text; use printf '%s\\n' ..."
    kinds, values = conversions(form.text), rest[1:]
    is_matched = "?" not in kinds and all(word.single for word in values)  # each value has its conversion
    for at, word in enumerate(values if any(kind not in "sbqc" for kind in kinds) else []):  # anything but text
        if not is_integer(word) and not (is_matched and kinds[at % len(kinds)] in "sbqc"):
            return "printf may evaluate a number that is not literal as arithmetic; use %s"
    return ""


def conversions(form: str) -> list[str]:
    """The letter of each conversion in a format; an unusual one (a width from the arguments, a time) is a `?`."""
    found, at = [], form.find("%")
    while at >= 0:
        at += 1
        while at < len(form) and form[at] in "-+ #0123456789.":
            at += 1
        letter = form[at] if at < len(form) else "?"
        if letter != "%":
            found.append(letter if letter in "sbqcdiouxXeEfFgG" else "?")
        at = form.find("%", at + 1)
    return found


def judge_read(name: str, words: list[Word], line: Line) -> str:
    from planrail.guard.shell.variables import may_assign

    line.names.update(word.text.partition("=")[0] for word in words)
    found = check_options(name, words, "rsd:", "")
    if found.reason:
        return found.reason
    for word in found.operands:
        if not word.exact or not is_name(word.text) or not may_assign(word.text):
            return f"read into {shown(word)} may change what a program does; use a lower-case name"
    return ""


def judge_declaration(name: str, words: list[Word], line: Line) -> str:
    from planrail.guard.shell.variables import may_assign, may_export

    line.names.update(word.text.partition("=")[0] for word in words)
    for word in words:
        variable, equals, value = word.text.partition("=")
        if not word.single or not is_name(variable) or not (word.exact or equals):
            return f"{name} {shown(word)} is not a plain assignment; {INSTEAD}"
        if name == "export":
            fine = bool(equals) and may_export(variable, Word(value, exact=word.exact))
        else:
            fine = may_assign(variable)
        if not fine:
            return f"{name} {variable} may change what a program does; leave it out"
    return ""


def judge_number(name: str, words: list[Word], _line: object) -> str:
    if len(words) <= 1 and all(is_integer(word) for word in words):
        return ""
    return f"{name} may evaluate {shown(words[0])} as arithmetic; give it a literal number"


def judge_cd(name: str, words: list[Word], line: Line) -> str:
    if name != "cd" and any(may_be_option(word) for word in words):
        return f"{name} with an option; use cd"
    targets = [word for word in words if not (word.exact and word.text in ("-P", "-L", "-e", "--"))]
    if name == "cd" and not targets:
        line.move(Word(line.home))
    elif targets:  # popd goes back to a folder that is known; + and - name one by its number, or the one before
        is_path = len(targets) == 1 and targets[0].text[:1] not in ("-", "+")
        line.move(targets[0] if is_path else None)
    return ""


def judge_unset(_name: str, words: list[Word], _line: object) -> str:
    from planrail.guard.shell.variables import may_assign

    if all(word.exact and is_name(word.text) and may_assign(word.text) for word in words):
        return ""
    return "unset may change what a program does; leave it out"
