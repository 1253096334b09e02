"""Judges one simple command: redirections, assignments, its name, and its arguments by the rule for that name."""

from planrail.guard.places import Line
from planrail.guard.programs.options import INSTEAD, check_table, or_look
from planrail.guard.shell.words import Simple, Word, is_number, may_be_network, shown

TRUSTED_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/")
MAX_NESTING = 6

# The rule of a command, loaded only when it is met: its module in this package and its function, then the commands.
RULES = """
git.judge git
sed.judge sed gsed
awk.judge awk gawk mawk nawk
searching.judge grep
finding.judge_find find gfind
finding.judge_xargs xargs gxargs
wrappers.judge_command command
wrappers.judge_env env
wrappers.judge_wrapper nice time stdbuf timeout gtimeout
wrappers.judge_shell bash sh zsh dash
shell_builtins.judge_test test [
shell_builtins.judge_declaration export local declare typeset readonly
shell_builtins.judge_number exit return break continue wait
shell_builtins.judge_cd cd pushd popd
shell_builtins.judge_listed set shopt
shell_builtins.judge_printf printf
shell_builtins.judge_read read
shell_builtins.judge_unset unset
files.judge_tar tar bsdtar
files.judge_compressed gzip gunzip xz bzip2 zstd
files.judge_operands date less more man
files.judge_binary nm objdump readelf size
files.judge_tee tee
files.judge_unzip unzip
files.judge_xxd xxd
"""
_HINTS = {
    "python": "use jq, grep or sed -n to look at files", "python3": "use jq, grep or sed -n to look at files",
    "node": "use jq, grep or sed -n to look at files", "perl": "use grep or sed -n",
    "curl": "use the agent's web tool", "wget": "use the agent's web tool",
    "nohup": "start it without nohup", "eval": "write the command itself", "exec": "write the command itself",
    "source": "read the file with cat", ".": "read the file with cat",
}  # fmt: skip


def judge_simple(command: Simple, line: Line) -> str:
    """Why this command is not known to be read-only, or ""."""
    reasons = (_judge_redirection(operator, target) for operator, _, target in command.redirections)
    reason = next(filter(None, reasons), "")
    if reason:
        return reason
    name = command.words[0] if command.words else None
    line.names.update(variable for variable, _ in command.assignments)
    reason = _judge_assignments(command.assignments, name)
    return reason if reason or name is None else judge_words(command.words, line)


def judge_inner(words: list[Word], line: Line) -> str:
    """Judge a command that another one runs: xargs, env, find -exec."""
    line.nesting += 1
    reason = judge_words(words, line)
    line.nesting -= 1
    return reason


def judge_words(words: list[Word], line: Line) -> str:
    if not words or not words[0].exact:
        return "the name of the command is not literal; write it out"
    if line.nesting > MAX_NESTING:
        return "commands inside commands, too deep to judge; write the inner command itself"
    name, rest = base_name(words[0].text), words[1:]
    from planrail.guard.programs.readers import FREE, SAME, TABLES

    if name in FREE or (name == "grep" and line.nesting):  # see `searching`: another program runs the system's own
        return ""
    name = SAME.get(name, name)
    if name in TABLES:
        return check_table(name, rest, TABLES[name])
    rule = next((place for place, *names in map(str.split, RULES.strip().split("\n")) if name in names), "")
    if rule:
        module, _, function = rule.partition(".")
        judge = getattr(__import__(f"planrail.guard.programs.{module}", fromlist=(function,)), function)
        refusal: str = judge(name, rest, line)
        return refusal
    from planrail.guard.programs.programs import judge_program

    reason = judge_program(name, rest, line)
    if reason is not None:
        return reason
    what, hint = f"`{shown(Word(name))}` is not known to be read-only", _HINTS.get(name)
    return f"{what}; {hint}, or {or_look(name)}" if hint else f"{what}; {or_look(name)}"


def base_name(text: str) -> str:
    """The name of a command, without the folder where that is one of the system's."""
    for folder in TRUSTED_FOLDERS:
        if text.startswith(folder) and "/" not in text[len(folder) :]:
            return text[len(folder) :]
    return text


def _judge_redirection(operator: str, target: Word) -> str:
    text = target.text
    if operator == "<" and (may_be_network(target) or (not target.single and target.splits)):
        return f'input from {shown(target)} may be a connection; use cat "$f" | instead, or begin with ./'
    is_copy = operator in (">&", "<&") and target.exact and (is_number(text) or text == "-")
    is_nowhere = operator in (">", ">>", ">|", "&>", "&>>", ">&") and target.exact and text == "/dev/null"
    if operator in ("<", "<<<", "<<", "<<-") or is_copy or is_nowhere:
        return ""
    return f"the redirection {operator} {shown(target)} writes; only /dev/null and 2>&1 are allowed while planning"


def _judge_assignments(assignments: list[tuple[str, Word]], name: Word | None) -> str:
    if not assignments:
        return ""
    from planrail.guard.shell.variables import may_assign, may_export

    for variable, value in assignments:
        if name is None:
            fine = may_assign(variable) or may_export(variable, value)
        else:
            fine = may_export(variable, value) or (variable == "IFS" and name.exact and name.text == "read")
        if any(network in value.text for network in ("/dev/tcp", "/dev/udp", "/inet")):
            return f"{variable} names a network connection; leave it out"
        if not fine:
            return f"setting {variable} may change what a program does; leave it out, or {INSTEAD}"
    return ""
