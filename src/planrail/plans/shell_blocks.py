"""Fenced blocks of shell commands, as people put them under "Verification": which lines of one are commands to run?

Each line is one, with the folder and the variables that lines before it set. What a comment expects to fail, what does
not end, the content of a script and samples of output are none.
"""

import re
from collections.abc import Iterator

from planrail.base.patterns import pattern
from planrail.plans import command_kinds as kinds
from planrail.plans.asked_commands import expects_failure, leaves_open
from planrail.plans.command_shapes import can_verify, is_script, looks_runnable, without_prompt
from planrail.plans.text.blocks import Fence

PLAIN_SHELL = pattern(
    r"(?:sh|bash|shell|zsh|fish|console|shell-session|shellsession|terminal|powershell|pwsh|cmd)?\s*$", re.IGNORECASE
)
SCRIPT = "it is the content of a script"
CONTRARY = "its words expect a failure or an empty result, and only a success can be proven by running it"
OPEN = "its words leave it open whether it is run"

_CONTROL = pattern(
    r"\s*(?:if|for|while|until|case|function|select|do|then|else|fi|done|esac)\b|\s*[\w-]+\s*\(\)\s*\{|\s*[{}]\s*$|"
    r".*<<-?\s*['\"]?\w+"
)
_LOCAL = pattern(r"\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b")
_STATE = pattern(
    r"(?:cd|pushd|export|source|\.|unset|[A-Za-z_]\w*=\S*$)(?:\s|$)|[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)$"
)
_TRAILING = pattern(r"\s+#\s+(?P<note>.*)$|\s+#\s*(?P<other>[→=✓✗].*)$")
_BACKWARD = pattern(
    r"#\s*(?:expect|should|must|→|->|=>|output|returns?|prints?|result|✓|✗|ожида|erwart|attendu|esperad|期待|预期|예상)",
    re.IGNORECASE,
)
_EMPTY = (
    r"\b(?:nothing|no (?:match\w*|results?|output|hits?|lines?|occurrences?|references?|remaining|other)|"
    r"empty|none|zero|0)\b|нет|无|無|なし|없"
)


def read_block(fence: Fence) -> Iterator[tuple[str, int, str]]:
    """The commands of a block, each with its line and why it is not run ("" where it is)."""
    lines = _logical_lines(fence)
    if _is_script(fence, [text for text, _ in lines]):
        if any(kinds.judges(text) for text, _ in lines):
            yield "; ".join(text.strip() for text, _ in lines if text.strip()), fence.line, SCRIPT
        return
    prompted = any(re.match(r"\s*[$%] ", text) for text, _ in lines)
    state: list[str] = []
    for at, (text, line) in enumerate(lines):
        stripped = text.strip()
        if not stripped or stripped.startswith(("#", "set -")) or (prompted and stripped[:2] not in ("$ ", "% ")):
            continue
        bare = _without_note(without_prompt(stripped.removeprefix("% ")))
        if _STATE.match(bare):
            state.append(bare)
            continue
        command = kinds.without_shortening(bare)
        reason = _why_not(command, _notes(lines, at))
        if reason is not None:
            yield " && ".join([*state, command]), line, reason or kinds.why_never(" && ".join([*state, command]))


def _why_not(command: str, notes: str) -> str | None:
    """Why a line is not run, as far as it tells by itself and its comments; None where it is no command at all."""
    if not (looks_runnable(command) or is_script(command) or kinds.judges(command)):
        return None
    never = kinds.why_never(command)
    if never:
        return never
    is_negated = command.startswith("! ")
    is_search = kinds.shows_only(command)
    if expects_failure(notes) or (
        not kinds.judges(command) and not is_negated and re.search(_EMPTY, notes, re.IGNORECASE)
    ):
        return CONTRARY
    if leaves_open(notes, ""):
        return OPEN
    if is_search:
        return kinds.SHOWS
    if _LOCAL.search(command) and not kinds.judges(command):
        return kinds.NEEDS_SERVER
    return "" if kinds.judges(command) or can_verify(command) else kinds.PREPARES


def _logical_lines(fence: Fence) -> list[tuple[str, int]]:
    """The lines of a block with their numbers, those that go on behind a backslash as one."""
    found: list[tuple[str, int]] = []
    begun = False
    for number, text in enumerate(fence.body.split("\n"), fence.line + 1):
        part = text.rstrip()
        goes_on = part.endswith("\\")
        part = part[:-1].rstrip() if goes_on else part
        if begun:
            found[-1] = f"{found[-1][0]} {part.strip()}", found[-1][1]
        else:
            found.append((part, number))
        begun = goes_on
    return found


def _is_script(fence: Fence, lines: list[str]) -> bool:
    """Whether a block is a program of several lines, or no shell at all: not to be run line by line."""
    if fence.body.lstrip().startswith("#!") or any(_CONTROL.match(text) for text in lines):
        return True
    if fence.info.strip():
        return False
    said = [text.strip() for text in lines if text.strip() and text.strip()[0] != "#"]
    said = [text for text in said if not _STATE.match(text)]
    return not all(looks_runnable(_without_note(text)) or is_script(text) or kinds.judges(text) for text in said)


def _notes(lines: list[tuple[str, int]], at: int) -> str:
    """What comments say of the command on a line: on it, right above it, and below it where they say what to expect."""
    own = _TRAILING.search(lines[at][0])
    notes = [(own["note"] or own["other"]) if own else ""]
    above = at - 1
    while above >= 0 and lines[above][0].strip()[:1] == "#":
        above -= 1
    is_behind = above >= 0 and bool(lines[above][0].strip())  # then what says what to expect speaks of that command
    comments = [text.strip() for text, _ in lines[above + 1 : at]]
    notes += [text for text in comments if not (is_behind and _BACKWARD.match(text))]
    below = at + 1
    while below < len(lines) and _BACKWARD.match(lines[below][0].strip()):
        notes.append(lines[below][0].strip())
        below += 1
    return " ".join(notes)


def _without_note(text: str) -> str:
    return _TRAILING.sub("", text).strip()
