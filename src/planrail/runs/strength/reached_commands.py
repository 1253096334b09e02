"""What a command runs in turn, as the base has it: scripts of package.json, rules of a Makefile, scripts of a shell."""

import shlex
from collections.abc import Callable, Iterator
from itertools import pairwise

from planrail.base.json_reading import object_in, read_object
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.lint.verification import why_it_cannot_fail

_CUT = pattern(r"&&|\|\||[;|&\n()]")
_ASSIGNMENT = pattern(r"[A-Za-z_]\w*=")
_WRAPPERS = frozenset(("env", "time", "nice", "exec", "command", "!", "sudo", "xvfb-run", "dotenv", "cross-env"))
_SEARCHED = pattern(r"\bPYTHONPATH=[\"']?([^\s\"';&|]+)")
_RUN = {"uv": "run", "poetry": "run", "pdm": "run", "hatch": "run", "pipenv": "run", "bundle": "exec", "rye": "run"}
_INTERPRETERS = pattern(r"(?:ba|da|z|k)?sh|python[\d.]*|node|ruby|perl|php|lua|tsx|ts-node|bun|deno|source|\.")

# The text of a file on the base; None where there is none.
ReadText = Callable[[str], str | None]
_MOST = 60  # texts that are followed
_PACKAGES = ("npm", "pnpm", "yarn", "bun")
_MAKEFILES = {"make": ("Makefile", "makefile", "GNUmakefile"), "gmake": ("Makefile", "makefile", "GNUmakefile")}
_RULES = {**_MAKEFILES, "just": ("justfile", "Justfile", ".justfile")}
_WITH_VALUE = ("-C", "-f", "-I", "-o", "-W", "--directory", "--file", "--prefix", "--cwd", "--workspace", "-w")
_INTO = ("-C", "--directory", "--prefix", "--cwd")
_SHELL = pattern(r"(?:ba|da|z|k)?sh|source|\.")
_RULE = pattern(r"([^\s#:=][^:=#]*?)\s*::?(?!=)(.*)")
_WORD = pattern(r"[\w.-]+")
_HEARD = "what stands before the last ;"  # the shell stops there: planrail runs checks with -e


def split_commands(script: str) -> list[list[str]]:
    """The simple commands of a script as words; what cannot be read as words is cut at blanks."""
    found = []
    for part in _CUT.split(script.replace("\\\n", " ")):
        try:
            words = _program_first(shlex.split(part, comments=True))
        except ValueError:
            words = _program_first(part.split())
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


@record
class Reached:
    """A simple command, the folders that it may be run in, and whether the check itself names it."""

    words: list[str]
    folders: tuple[str, ...]
    is_direct: bool

    def places(self, name: str) -> list[str]:
        return [f"{folder}/{name}" if folder else name for folder in self.folders]


def reach_commands(script: str, read: ReadText) -> list[Reached]:
    found: list[Reached] = []
    waiting: list[tuple[str, tuple[str, ...]]] = [(script, ("",))]
    seen: set[str] = set()
    while waiting and len(seen) < _MOST:
        text, above = waiting.pop(0)
        if text in seen:
            continue
        seen.add(text)
        commands = split_commands(text)
        entered = [words[1] for words in commands if words[0] == "cd" and len(words) > 1]
        for words in commands:
            into = [value for option, value in pairwise(words) if option in _INTO]
            folders = (*above, *(folder.removeprefix("./").rstrip("/") for folder in (*entered, *into)))
            command = Reached(words, folders, is_direct=len(seen) == 1)
            found.append(command)
            waiting += [(following, folders) for following in _follow(command, read)]
    return found


def script_names(words: list[str]) -> tuple[str, ...]:
    """The scripts of package.json that a command runs, with those before and after."""
    operands = [word for word in operands_of(words) if word not in ("run", "run-script")]
    name = {"t": "test", "tst": "test"}.get(operands[0], operands[0]) if operands else "test"
    return name, f"pre{name}", f"post{name}"


def operands_of(words: list[str]) -> list[str]:
    """The words of a command that are neither options nor their values: targets, names of scripts."""
    pairs = pairwise(words)
    return [
        word for before, word in pairs if before not in _WITH_VALUE and not word.startswith("-") and "=" not in word
    ]


def reached_rules(text: str, targets: list[str]) -> list[str]:
    """The lines of a Makefile or justfile that decide about some targets: all outside of rules, and the rules that
    these lead to by any word. What a rule with a pattern or a variable in its name is about nobody knows: it counts."""
    outside: list[str] = []
    rules: dict[str, list[str]] = {}
    current = [outside]
    for line in text.replace("\\\n", " ").splitlines():
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if line[0] not in "\t ":
            match = _RULE.match(line)
            names = match[1].split() if match else ["$"]
            is_known = not any(sign in name for name in names for sign in "%$") and not names[0].startswith(".")
            current = [rules.setdefault(name, []) for name in names] if is_known else [outside]
            if names[0] == ".PHONY":
                continue
        for lines in current:
            lines.append(bare)
    waiting = list(targets or list(rules)[:1])
    seen: list[str] = []
    while waiting:
        name = waiting.pop()
        if name in rules and name not in seen:
            seen.append(name)
            waiting += _WORD.findall("\n".join(rules[name]))
    return outside + [line for name in sorted(seen) for line in rules[name]]


def _follow(command: Reached, read: ReadText) -> Iterator[str]:
    words = command.words
    program = words[0].rpartition("/")[2]
    if program in _PACKAGES:
        for text in _texts(command, ("package.json",), read):
            scripts = object_in(read_object(text.encode()), "scripts")
            yield from (str(scripts[name]) for name in script_names(words) if name in scripts)
    elif program in _RULES:
        for text in _texts(command, _RULES[program], read):
            yield "\n".join(line.lstrip("@-+") for line in reached_rules(text, operands_of(words)))
    elif (script := script_of(words)) and (_SHELL.fullmatch(program) or is_shell_script(script)):
        yield from _texts(command, (script,), read)


def _texts(command: Reached, names: tuple[str, ...], read: ReadText) -> Iterator[str]:
    places = [place for name in names for place in command.places(name)]
    return (text for place in places if not place.startswith(("/", "../")) and (text := read(place)) is not None)


def is_shell_script(path: str) -> bool:
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return not dot or suffix in ("sh", "bash")


def why_hollow(command: str) -> str:
    """Why a check passes whatever the work is; "" where it can fail, or where that is not certain."""
    reason = why_it_cannot_fail(command)
    return "" if reason.startswith(_HEARD) else reason
