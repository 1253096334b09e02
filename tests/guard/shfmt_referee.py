"""A second reading of an accepted command, independent of the guard: shfmt parses it, and each part has to be innocent.

The lists here were written without looking at the guard's. They are wider than a guard need be in what a command's
arguments may be (the sandbox judges effects), and strict about structure: names, redirections, assignments.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Node = dict[str, Any]


def _load(name: str) -> frozenset[str]:
    return frozenset((Path(__file__).parent / "commands" / f"{name}.txt").read_text("utf-8").split())


READERS = _load("readers")
_VERSION_ONLY = _load("readers_of_version")
_GIT = _load("readers_of_git")
_SHELLS = {"bash", "sh", "dash", "zsh"}
_SILENT = {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2"}
_POISON = (
    "GIT_",
    "LD_",
    "DYLD_",
    "BASH_",
    "LESS",
    "PYTHON",
    "NODE_",
    "PERL",
    "RUBY",
    "TAR_",
    "RIPGREP_",
    "JAVA_",
    "ZDOT",
)
_POISONED = {
    "PATH",
    "ENV",
    "PS4",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "SHELL",
    "PROMPT_COMMAND",
    "HOME",
    "TMPDIR",
}
_FOUND = {"-exec", "-execdir", "-ok", "-okdir"}
# Options of wrappers that take the next word.
_VALUED: dict[str, set[str]] = {
    "env": {"-u", "--unset"},
    "xargs": {"-E", "-a", "-n", "-L", "-P", "-I", "-d", "-s"},
    "timeout": {"-k", "-s"},
    "nice": {"-n"},
    "stdbuf": {"-i", "-o", "-e"},
    "command": set(),
    "time": set(),
}
_FIND_WRITES = {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls", "-ok", "-okdir"}


def locate_shfmt() -> str | None:
    """The shfmt of this environment, or of the system."""
    beside = Path(sys.executable).with_name("shfmt")
    return str(beside) if beside.exists() else shutil.which("shfmt")


def parse(shfmt: str, command: str) -> Node | None:
    """shfmt's tree, or None where it is no bash."""
    try:
        text = command.encode()
    except UnicodeEncodeError:
        return None
    answer = subprocess.run([shfmt, "-ln", "bash", "--to-json"], input=text, capture_output=True, check=False)
    return None if answer.returncode else json.loads(answer.stdout)


def is_bash(command: str) -> bool:
    """Whether bash itself can read it; shfmt stumbles over a redirection before `declare` or `time`."""
    answer = subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False)
    return answer.returncode == 0 and not answer.stderr


def complaints(tree: Node) -> list[str]:
    """Everything in the tree that an innocent command would not have."""
    return [complaint for node in _nodes(tree) for complaint in _complain(node)]


def _nodes(node: Any) -> Iterator[Node]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from _nodes(value)


def _complain(node: Node) -> Iterator[str]:
    kind = node.get("Type")
    if kind == "CallExpr" and node.get("Args"):
        yield from _complain_call([_literal(word) for word in node["Args"]])
    if kind in {"FuncDecl", "CoprocClause", "LetClause"}:
        yield f"{kind} is no reading"
    if kind == "ParamExp" and (node.get("Excl") or (node.get("Exp") or {}).get("Op") == "@"):
        yield "a value is read as code"
    if kind == "ExtGlob":
        yield "an extended glob is code in another shell"
    for redirection in node.get("Redirs") or []:
        yield from _complain_redirection(redirection)
    for assignment in node.get("Assigns") or []:
        yield from _complain_name((assignment.get("Name") or {}).get("Value", ""))
    if kind == "DeclClause":
        for assignment in node.get("Args") or []:
            yield from _complain_name((assignment.get("Name") or {}).get("Value", ""))
    if kind == "WordIter":
        yield from _complain_name(node["Name"]["Value"])


def _complain_name(name: str) -> Iterator[str]:
    if name in _POISONED or name.startswith(_POISON):
        yield f"the variable {name} decides what runs"


def _complain_redirection(redirection: Node) -> Iterator[str]:
    operator, target = redirection["Op"], _literal(redirection.get("Word") or {})
    if operator in {"<", "<<", "<<-", "<<<", "<&"}:
        if target is not None and target.startswith(("/dev/tcp", "/dev/udp")):
            yield "a connection"
    elif not (operator == ">&" and _is_descriptor(target)) and not (operator[-1] in ">|&" and target in _SILENT):
        yield f"the redirection {operator} {target}"


def _is_descriptor(target: str | None) -> bool:
    return target is not None and target.isascii() and (target == "-" or target.isdigit())


def _complain_call(words: list[str | None]) -> Iterator[str]:
    name = words[0]
    if name is None:
        yield "the name of the command is not a plain word"
        return
    if name.startswith(("/bin/", "/usr/bin/", "/usr/local/bin/")) and name.count("/") in {2, 3, 4}:
        name = name.rsplit("/", 1)[1]
    if name not in READERS:
        yield f"{name} is not a reader"
    elif name in _SHELLS and "-c" in words:
        yield from _complain_script(words)
    elif name in _VERSION_ONLY and not _asks_for_version(words):
        yield f"{name} is asked for more than its version"
    elif name == "git":
        yield from _complain_git(words[1:])
    elif name == "find":
        yield from _complain_find(words)
    elif name in {"sort", "shuf"}:
        options = words[1 : words.index("--")] if "--" in words else words[1:]
        yield from (f"{name} {word}" for word in options if word and (word == "-o" or word.startswith("--o")))
    elif name == "sed":
        yield from (
            f"sed {word}" for word in words[1:] if word and (word.startswith(("--i", "--f")) or word in {"-i", "-f"})
        )
    elif name == "tee":
        yield from (f"tee {word}" for word in words[1:] if word not in _SILENT | {"-a", "-i", "--"})
    elif name in {"command", "env", "xargs", "timeout", "nice", "stdbuf", "time"}:
        yield from _complain_wrapper(name, words[1:])


def _complain_script(words: list[str | None]) -> Iterator[str]:
    """A script in a string is read like the command around it."""
    script = words[words.index("-c") + 1] if words.index("-c") + 1 < len(words) else ""
    shfmt = locate_shfmt()
    tree = None if script is None or shfmt is None else parse(shfmt, script)
    yield from ("a script that cannot be read",) if tree is None else complaints(tree)


def _asks_for_version(words: list[str | None]) -> bool:
    asks = {
        "--version",
        "-V",
        "-v",
        "-version",
        "version",
        "--help",
        "-h",
        "help",
        "-n",
        "-m",
        "json.tool",
        "package.json",
    }
    return len(words) > 1 and all(word in asks for word in words[1:])


def _complain_git(words: list[str | None]) -> Iterator[str]:
    position = 0
    while position < len(words):
        word = words[position]
        if word is None:
            yield "git with a word that is not plain before its subcommand"
            return
        if not word.startswith("-"):
            if word == "apply":
                yield from () if _only_looks(words[position:]) else ("git apply changes files",)
            elif word not in _GIT:
                yield f"git {word} is not a reader"
            return
        if word.startswith(("-c", "--config-env", "--exec-path=")) and not _is_colour(words[position : position + 2]):
            yield f"git {word}"
        position += 2 if word in {"-C", "-c", "--git-dir", "--work-tree", "--namespace"} else 1


def _only_looks(words: list[str | None]) -> bool:
    looks = {"--stat", "--numstat", "--summary", "--check"}
    return bool(looks & set(words)) and "--apply" not in words


def _is_colour(words: list[str | None]) -> bool:
    return (
        words[0] == "-c"
        and len(words) == 2
        and str(words[1]).startswith(("color.", "core.quotePath=", "core.quotepath="))
    )


def _complain_find(words: list[str | None]) -> Iterator[str]:
    position = 1
    while position < len(words):
        word = words[position]
        position += 1
        if word in _FIND_WRITES:
            yield f"find {word}"
        if word in _FOUND:
            end = _end_of_exec(words, position)
            yield from _complain_call(words[position:end] or [None])
            position = end + 1


def _end_of_exec(words: list[str | None], position: int) -> int:
    for end in range(position, len(words)):
        if words[end] == ";" or (words[end] == "+" and words[end - 1] == "{}"):
            return end
    return len(words)


def _complain_wrapper(name: str, words: list[str | None]) -> Iterator[str]:
    """What a wrapper runs is a call like any other; one that runs nothing is innocent."""
    if name == "command" and words and words[0] in {"-v", "-V"}:
        return
    position = 0
    while position < len(words) and _belongs_to_wrapper(name, words[position]):
        position += 2 if words[position] in _VALUED[name] else 1
    inner = words[position + (name == "timeout") :]
    if inner:
        yield from _complain_call(inner)


def _belongs_to_wrapper(name: str, word: str | None) -> bool:
    return word is not None and (word.startswith("-") or (name == "env" and "=" in word))


def _literal(word: Node) -> str | None:
    """The text of a word that needs no expansion; None where it does."""
    pieces = [_piece(part) for part in word.get("Parts") or []]
    return None if None in pieces else "".join(piece for piece in pieces if piece is not None)


def _piece(part: Node) -> str | None:
    if part["Type"] == "Lit":
        return str(part.get("Value", "")).replace("\\\n", "").replace("\\", "")
    if part["Type"] == "SglQuoted" and not (part.get("Dollar") and "\\" in part.get("Value", "")):
        return str(part.get("Value", ""))
    if part["Type"] == "DblQuoted":
        return _literal(part) if part.get("Parts") else ""
    return None
