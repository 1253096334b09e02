"""Judges one simple command: redirections, assignments, its name, and its arguments by the rule for that name."""

from planrail.guard.programs.options import INSTEAD, check_table
from planrail.guard.shell.words import Simple, Word, is_number, may_be_network, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.places import Line

TRUSTED_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/sbin/", "/usr/sbin/")
MAX_NESTING = 6

# Which module of this package holds the rule of a command (`judge_NAME`), loaded only when it is met.
_RULES = {
    "git": "git",
    "sed": "sed", "gsed": "sed",
    "awk": "awk", "gawk": "awk", "mawk": "awk", "nawk": "awk",
    "grep": "searching",
    "find": "finding", "gfind": "finding", "xargs": "finding", "gxargs": "finding",
    **dict.fromkeys(
        ("env", "command", "timeout", "gtimeout", "nice", "time", "stdbuf", "bash", "sh", "zsh", "dash"), "wrappers"
    ),
    **dict.fromkeys(
        ("test", "[", "printf", "read", "export", "exit", "return", "break", "continue", "cd", "pushd", "popd", "set",
         "shopt", "wait", "unset", "local", "declare", "typeset", "readonly"), "shell_builtins"
    ),
    **dict.fromkeys(
        ("tee", "date", "tar", "bsdtar", "unzip", "gzip", "gunzip", "xz", "bzip2", "zstd", "xxd", "less", "more",
         "man", "nm", "objdump", "readelf", "size"), "files"
    ),
}  # fmt: skip
_HINTS = {
    "touch": "", "mkdir": "", "rm": "", "mv": "", "cp": "", "ln": "", "chmod": "", "dd": "", "install": "",
    "python": "use jq, grep or sed -n to look at files", "python3": "use jq, grep or sed -n to look at files",
    "node": "use jq, grep or sed -n to look at files", "perl": "use grep or sed -n",
    "curl": "use the agent's web tool", "wget": "use the agent's web tool",
    "nohup": "start it without nohup", "eval": "write the command itself", "exec": "write the command itself",
    "source": "read the file with cat", ".": "read the file with cat",
}  # fmt: skip


def judge_simple(command: Simple, line: "Line") -> str:
    """Why this command is not known to be read-only, or ""."""
    for operator, _, target in command.redirections:
        reason = _judge_redirection(operator, target)
        if reason:
            return reason
    name = command.words[0] if command.words else None
    line.names.update(variable for variable, _ in command.assignments)
    reason = _judge_assignments(command.assignments, name)
    if reason or name is None:
        return reason
    return judge_words(command.words, line)


def judge_inner(words: list[Word], line: "Line") -> str:
    """Judge a command that another one runs: xargs, env, find -exec."""
    line.nesting += 1
    reason = judge_words(words, line)
    line.nesting -= 1
    return reason


def judge_words(words: list[Word], line: "Line") -> str:
    """Judge a command given as its words."""
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
    if name in _RULES:
        rules = __import__("planrail.guard.programs." + _RULES[name], fromlist=("judge",))
        refusal: str = rules.judge(name, rest, line)
        return refusal
    from planrail.guard.programs.programs import judge_program

    reason = judge_program(name, rest, line)
    if reason is not None:
        return reason
    what, hint = f"`{shown(Word(name))}` is not known to be read-only", _HINTS.get(name)
    return f"{what}; {hint}, or {INSTEAD}" if hint else f"{what}; {INSTEAD}"


def base_name(text: str) -> str:
    """The name of a command, without the folder where that is one of the system's."""
    for folder in TRUSTED_FOLDERS:
        if text.startswith(folder) and "/" not in text[len(folder) :]:
            return text[len(folder) :]
    return text


def _judge_redirection(operator: str, target: Word) -> str:
    text = target.text
    if operator in ("<", "<<<", "<<", "<<-"):
        if operator == "<" and (may_be_network(target) or (not target.single and target.splits)):
            return f'input from {shown(target)} may be a connection; use cat "$f" | instead, or begin with ./'
        return ""
    if operator in (">&", "<&") and target.exact and (is_number(text) or text == "-"):
        return ""
    if operator in (">", ">>", ">|", "&>", "&>>", ">&") and target.exact and text == "/dev/null":
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
