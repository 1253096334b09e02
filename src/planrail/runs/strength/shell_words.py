"""The commands inside a check, as far as they can be seen: which programs it starts, with which arguments."""

import shlex

from planrail.base.patterns import pattern

_CUT = pattern(r"&&|\|\||[;|&\n()]")
_ASSIGNMENT = pattern(r"[A-Za-z_]\w*=")
_WRAPPERS = frozenset(("env", "time", "nice", "exec", "command", "!", "sudo", "xvfb-run", "dotenv", "cross-env"))
_SEARCHED = pattern(r"\bPYTHONPATH=[\"']?([^\s\"';&|]+)")
_RUN = {"uv": "run", "poetry": "run", "pdm": "run", "hatch": "run", "pipenv": "run", "bundle": "exec", "rye": "run"}
_INTERPRETERS = pattern(r"(?:ba|da|z|k)?sh|python[\d.]*|node|ruby|perl|php|lua|tsx|ts-node|bun|deno|source|\.")


def split_commands(script: str) -> list[list[str]]:
    """The simple commands of a script as words; what cannot be read as words is cut at blanks."""
    found = []
    for part in _CUT.split(script.replace("\\\n", " ")):
        words = _program_first(_words(part))
        if words:
            found.append(words)
    return found


def script_of(words: list[str]) -> str:
    """The file that a command runs as a program: its first word if that is a path, or what an interpreter is given."""
    program = words[0]
    if "/" in program:
        return program.removeprefix("./")
    if not _INTERPRETERS.fullmatch(program):
        return ""
    operands = [word for word in words[1:] if not word.startswith("-")]
    if any(word in ("-c", "-e", "-m", "--eval") for word in words[1:2]):
        return ""
    return operands[0].removeprefix("./") if operands else ""


def folders_of(script: str) -> list[str]:
    """The folders in which a script's programs look for modules first: those that it enters, those of its programs,
    and those that it names for Python."""
    found = [place for match in _SEARCHED.finditer(script) for place in match[1].split(":")]
    for words in split_commands(script):
        program = script_of(words)
        found += [*words[1:2], *(f"{word}/src" for word in words[1:2])] if words[0] == "cd" else []
        found += [program, program.rpartition("/")[0]] if program else []
    return [place.removeprefix("./").rstrip("/") for place in found]


def _words(part: str) -> list[str]:
    try:
        return shlex.split(part, comments=True)
    except ValueError:
        return part.split()


def _program_first(words: list[str]) -> list[str]:
    """Without what stands before the program: assignments, `time`, `timeout 60`, `uv run`."""
    while words:
        if _ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS:
            words = words[1:]
        elif words[0] == "timeout":
            words = [word for word in words[1:] if not word.startswith("-")][1:]
        elif words[1:2] == [_RUN.get(words[0])] and len(words) > 2:
            words = words[2:]
        else:
            break
    return words
