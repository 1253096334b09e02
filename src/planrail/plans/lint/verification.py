"""Rules about verification: a phase that names nothing to run, a check that cannot fail, a command that is not run."""

import re
from collections.abc import Iterator
from itertools import dropwhile
from operator import ge, gt, le, lt

from planrail.base.visible import show_code
from planrail.plans.checks import read_checks, read_unrun, read_whole_checks
from planrail.plans.command_shapes import can_verify, looks_runnable
from planrail.plans.lint.document import Document, Problem, code_spans, error, warning
from planrail.plans.model import Check, Unrun
from planrail.plans.words.words import word_set

# A test that the phase names can be run, whatever runs it.
_TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|spec|specs|__tests__|e2e)/\S+\.\w+(?:::\S+)?$|(?:^|/)test[_-][\w.-]+\.\w+$|[._-](?:test|tests|spec)\.\w+$|"
    r"Tests?\.\w+$"
)
_SHELL = re.compile(r"(?:sh|bash|shell|zsh|console|shell-session|powershell|pwsh)\b", re.IGNORECASE)
_MANY = 3


def find_unchecked_phases(document: Document) -> Iterator[Problem]:
    """Each open phase for which planrail runs nothing; one problem where all of many name nothing that could be run."""
    if not document.is_markdown or (not any(phase.sections for phase in document.plan.phases)):
        return
    opened = [phase for phase in document.plan.phases if not phase.status.is_terminal]
    codes = [(line.phase, one.text) for line in document.lines if line.phase for one in code_spans(line.text)]
    named = [(phase, code) for phase, code in codes if looks_runnable(code) or _TEST_FILE.search(code)]
    naming = {id(phase) for phase, code in named if can_verify(code) or _TEST_FILE.search(code)}
    owned = {section.line for phase in document.plan.phases for section in phase.sections}
    checked_with_all = document.plan.phases[-1:] if read_whole_checks(document.outline.sections, owned) else []
    unchecked = [one for one in opened if one not in checked_with_all and not read_checks(list(one.sections))]
    scripts = [fence for fence in document.fences if _SHELL.match(fence.info)]
    lines = {one.line: [line.strip() for line in one.body.split("\n")] for one in scripts}
    verifying = [at for at, one in lines.items() if any(line and line[0] != "#" and can_verify(line) for line in one)]
    unnamed = [
        phase
        for phase in unchecked
        if id(phase) not in naming and not any(phase.first_line <= at <= phase.last_line for at in verifying)
    ]
    if len(unnamed) > _MANY and len(unnamed) == len(opened):
        message = f"none of the {len(opened)} open phases names a command that could be run to verify it"
        yield warning("no-check", unnamed[0].first_line, message, "```sh check")
        return
    for phase in unchecked:
        lacks = "names no command that could be run to verify it"
        idle = "has no check: nothing that it names is run to verify it"
        message = f"phase {phase.id} {lacks if phase in unnamed else idle}"
        yield warning("no-check", phase.first_line, message, "```sh check")


def find_idle_checks(document: Document) -> Iterator[Problem]:
    for check in read_checks(document.outline.sections):
        reason = why_it_cannot_fail(check.command)
        if reason:
            yield error("check-cannot-fail", check.line, f"the check {_shown(check)} cannot fail: {reason}")


def find_unrun(document: Document) -> Iterator[Problem]:
    for found in _list_unrun(document):
        message = f"not run: {_shown(found)}, because {found.reason}; a `sh check` block in a phase is run"
        yield warning("not-run", found.line, message, "```sh check")


def _list_unrun(document: Document) -> list[Unrun]:
    phases = document.plan.phases
    if any(not phase.sections for phase in phases):  # entries of lists: the sections do not tell them apart
        return read_unrun(document.outline.sections)
    root, *sections = document.outline.sections
    owned = {section.line for phase in phases for section in phase.sections}
    outside = [section for section in sections if section.line not in owned]
    opened = [phase for phase in phases if not phase.status.is_terminal]
    inside = [found for phase in opened for found in read_unrun(list(phase.sections))]
    return [*inside, *read_unrun([root, *outside], in_phase=False)]


def _shown(check: Check | Unrun) -> str:
    command = show_code(check.command.strip().replace("\n", "; "))
    if not command:
        return "here"
    return f"`{command[:60]}…`" if len(command) > 60 else f"`{command}`"


_TOKEN = re.compile(
    r"(?P<quoted>\"(?:\\.|[^\"\\])*\"|'[^']*')|(?P<comment>(?:(?<=\s)|(?<![\s\S]))#[^\n]*)|"
    r"(?P<operator>&&|\|\||\|&|;;|;|\||(?<![<>&])&(?![>&\d])|\n)|(?P<space>[ \t\r]+)|"
    r"(?P<word>\\.|[^\s;&|\"'#\\]+|[#&\\])",
    re.DOTALL,
)
_COMPOUND = re.compile(r"(?:^|[;\n&|])\s*(?:if|for|while|until|case|function)\b|[(){}]|<<")
# Something earlier in the script is heard after all.
_STRICT = re.compile(r"\bset\s+-[a-z]*e|\bset\s+-[a-z]*o\s+(?:errexit|pipefail)|\bexit\s+(?!0\b)\S")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_REDIRECTION = re.compile(r"\d*(?:>>?|<)&?\S*")

_ALWAYS_SUCCEED = word_set("true|:|echo|printf|pwd|date|whoami|uname|export|sleep|clear")
_PASS_THROUGH = word_set("cat|tee|head|tail|wc|sort|uniq|tr|cut|less|more|column|nl")
_ONLY_SHOW = re.compile(
    r"git (?:status|log|branch)$|git (?:status|log)(?: (?:-s|--short|--oneline|-\d+))+$|git diff(?: --stat)?$"
)
_NUMBER = re.compile(r"-?\d+$")


def why_it_cannot_fail(script: str) -> str:
    """Why a script succeeds whatever the state of the work is; "" where it can fail, or where that is not certain."""
    tokens = [match[0] for match in _TOKEN.finditer(script.replace("\\\n", " ")) if not match["comment"]]
    lines = [line for line in _cut(tokens, ("\n",)) if "".join(line).strip()]
    if not lines:
        return "it is empty" if not script.strip() else "it is a comment"
    plain = re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'", "''", script)
    if _STRICT.search(plain) or _COMPOUND.search(plain):
        return ""
    reasons = [_line_reason(line) for line in lines]
    return reasons[-1] if all(reasons) else ""


def _line_reason(tokens: list[str]) -> str:
    lists = [part for part in _cut(tokens, (";",)) if "".join(part).strip()]
    if not lists:
        return ""
    if "".join(lists[-1]).rstrip().endswith("&"):
        return "it does not wait for the command that it starts with &"
    reason = _list_reason(lists[-1])
    if reason and len(lists) > 1:
        return f"what stands before the last ; is not heard: {reason}"
    return reason


def _list_reason(tokens: list[str]) -> str:
    reason, joint = "", ""
    joints = [token for token in tokens if token in ("&&", "||")]
    for part, following in zip(_cut(tokens, ("&&", "||")), [*joints, ""], strict=True):
        own = _pipeline_reason(part)
        if not joint:
            reason = own
        elif joint == "&&":
            reason = own if reason and own else ""
        elif own:
            reason = f"|| {''.join(part).strip()} turns a failure into success"
        joint = following
    return reason


def _pipeline_reason(tokens: list[str]) -> str:
    commands = _cut(tokens, ("|", "|&"))
    words = _words(commands[-1])
    if len(commands) > 1 and words and words[0] in _PASS_THROUGH:
        return f"{words[0]} succeeds whatever is piped into it"
    if not words:
        return "it only sets variables"
    words = [words[0].removeprefix("/usr").removeprefix("/bin/"), *words[1:]]
    text = " ".join(words)
    if words[0] in _ALWAYS_SUCCEED or text in ("exit 0", "return 0", "ls", "! false", "cat /dev/null"):
        return f"{text if len(words) < 3 else words[0]} always succeeds"
    if _ONLY_SHOW.match(text):
        return f"{text} shows something and succeeds whatever it is"
    if words[0] in ("test", "[", "[["):
        operands = [word for word in words[1:] if word not in ("]", "]]")]
        return "it compares constants" if _is_constant_truth(operands) else ""
    return ""


def _is_constant_truth(operands: list[str]) -> bool:
    if any("$" in word or "`" in word or "*" in word for word in operands):
        return False
    values = [word.strip("\"'") for word in operands]
    match values:
        case [value]:
            return bool(value) and not value.startswith("-")
        case ["-n", value]:
            return bool(value)
        case ["-z", value]:
            return not value
        case [left, "=" | "==" | "-eq", right]:
            return left == right
        case [left, "!=" | "-ne", right]:
            return left != right
        case [left, "-gt" | "-ge" | "-lt" | "-le" as operator, right]:
            compare = {"-gt": gt, "-ge": ge, "-lt": lt, "-le": le}[operator]
            return bool(_NUMBER.match(left) and _NUMBER.match(right)) and compare(int(left), int(right))
        case _:
            return False


def _words(tokens: list[str]) -> list[str]:
    """The words of a command, each quotation part of the word that it touches; assignments in front are none."""
    parts = [""]
    for token in tokens:
        if token.isspace():
            parts.append("")
        else:
            parts[-1] += token
    plain = [word for word in parts if word and not _REDIRECTION.fullmatch(word)]
    return list(dropwhile(_ASSIGNMENT.match, plain))


def _cut(tokens: list[str], separators: tuple[str, ...]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token in separators:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
