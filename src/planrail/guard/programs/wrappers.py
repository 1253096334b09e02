"""Commands that run another command: env, command, timeout, nice, stdbuf, time, and `bash -c`."""

from planrail.guard.places import Line
from planrail.guard.programs.commands import judge_inner, judge_simple
from planrail.guard.programs.options import check_options
from planrail.guard.shell.words import Word, may_be_option, shown

_OPTIONS = {
    "timeout": ("vfpk:s:", "foreground preserve-status verbose kill-after= signal="),
    "nice": ("n:", "adjustment="),
    "stdbuf": ("i:o:e:", "input= output= error="),
    "time": ("pv", "portability verbose"),
}
_SHELL_FLAGS = "lceuxf"


def judge_wrapper(name: str, words: list[Word], line: Line) -> str:
    name = name.removeprefix("g")
    found = check_options(name, words, *_OPTIONS[name], stops=True)
    is_timed = name == "timeout"
    if not found.reason and is_timed and (len(found.operands) < 2 or not found.operands[0].exact):
        return "timeout needs a literal duration and a command"
    return found.reason or judge_inner(found.operands[is_timed:], line)


def judge_command(_name: str, words: list[Word], line: Line) -> str:
    if words and words[0].exact and words[0].text in ("-v", "-V"):
        return ""
    if words and may_be_option(words[0]):
        return f"command {shown(words[0])} is not known to be read-only; use command -v"
    return judge_inner(words, line)


def judge_env(name: str, words: list[Word], line: Line) -> str:
    from planrail.guard.shell.variables import may_export

    # Without a PATH, shells have one of their own, with the folder in it.
    found = check_options(name, words, "0", "null", stops=True)
    if found.reason:
        return found.reason
    rest = found.operands
    while rest and "=" in rest[0].text:
        variable, _, value = rest[0].text.partition("=")
        if not rest[0].single or not may_export(variable, Word(value, exact=rest[0].exact)):
            return f"env with {variable}= may change what a program does; leave it out"
        rest = rest[1:]
    return judge_inner(rest, line) if rest else ""


def judge_shell(name: str, words: list[Word], line: Line) -> str:
    if len(words) == 1 and words[0].exact and words[0].text == "--version":
        return ""
    is_check = len(words) == 2 and words[0].exact and words[0].text == "-n"  # of the syntax: runs nothing
    if is_check and not may_be_option(words[1]) and words[1].single and not words[1].text.startswith("+"):
        return ""
    at, reads_command = 0, False
    while at < len(words) and words[at].exact and words[at].text.startswith("-") and not reads_command:
        text = words[at].text
        if text == "-o" and at + 1 < len(words) and words[at + 1].exact and words[at + 1].text == "pipefail":
            at += 1
        elif len(text) < 2 or not all(letter in _SHELL_FLAGS for letter in text[1:]):
            return f"{name} {text} is not known to be read-only; use {name} -c with a literal command"
        reads_command = "c" in text[1:] and text != "-o"
        at += 1
    if not reads_command or at >= len(words):
        return f"{name} runs a script that the guard cannot see; write the commands themselves"
    if not words[at].exact:
        return f"the command given to {name} -c is not literal; write it out"
    text = words[at].text
    from planrail.guard.shell.parsing import parse_commands
    from planrail.guard.shell.scanning import Beyond, Malformed

    if text.startswith(("-", "+")):
        return f"the command given to {name} -c begins with {text[0]}; write it out"
    line.nesting += 1
    try:
        return next((reason for found in parse_commands(text) if (reason := judge_simple(found, line))), "")
    except (Beyond, Malformed) as problem:
        return f"{problem} inside {name} -c is not judged; write the command without {name} -c"
    finally:
        line.nesting -= 1
