"""Checks: the commands by which a phase verifies itself.

A fenced block with the info string `sh check` is a check, and so is what begins with a command in backticks under
"Acceptance Criteria" or "Verification", or behind "Verify:"; "`a` and `b` pass" are two. planrail runs them and
believes their exit status alone, so that the words around a command have to be known to mean success. What expects a
failure, an empty search ("`grep -r TODO src` finds nothing"), something in the output ("prints 3") or anything else is
left to a verifier. What looks like a command and is not run is told, with the reason.
"""

import re
from collections.abc import Iterator, Sequence

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.visible import find_unseen
from planrail.plans.command_outcomes import CommandOutcome, is_remark, read_label, read_outcome, says_nothing
from planrail.plans.command_shapes import can_verify, is_likely, is_script, looks_runnable, may_run, without_prompt
from planrail.plans.model import Check, Unrun
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text, split_cells
from planrail.plans.text.outline import LABEL_LINE, Section, any_criteria, fences, is_criteria, key_of

_INFO = pattern(r"(?:sh|bash|shell|zsh)[ \t]+check\b", re.IGNORECASE)
_PLAIN_SHELL = pattern(r"(?:sh|bash|shell|zsh|console|shell-session)?\s*$", re.IGNORECASE)
_CODE = pattern(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!(?P=ticks)).)+)(?P=ticks)(?!`)")
_VERIFICATION = pattern(
    r"[\W\d_]*(?:automated |automatic )?(?:verification|verify|checks?|überprüfung|verifikation|vérification|"
    r"verificación|verificação|verifica|проверка|验证|驗證|検証|검증)\W*$",
    re.IGNORECASE,
)
_IS_A_FILE = pattern(
    r"\W*(?:now |also |is |are |has been |was )*(?:exist|contain|ha[sv]|include|document|mirror|moved|created|added|"
    r"updated|removed|deleted|renamed|registered|registers|executable|present|gone|accept|export|and\b|or\b|,)",
    re.IGNORECASE,
)

# What a criterion may have before its command: "AC-1 — ", "All tests pass: ".
_LABELLED = pattern(r"[^`]{1,60}?(?::|：|\s[—–-])[*_]{0,2}\s+(?:run |execute )?(?=\**`)", re.IGNORECASE)
_LABEL_INSIDE = pattern(r"(?P<name>[^.;,:()]{2,40})[:：][*_\s]*(?:run |execute )?$", re.IGNORECASE)
# Between two commands: what says that the second is asked for as the first is, and what says when it is run.
_AND = r"(?:and|then|plus|as well as|followed by|also|und|et|y|e|и|和|と|및)"
_JOINT = pattern(rf"\W*(?:{_AND}\b\W*)*$", re.IGNORECASE)
_ENDS_IN_JOINT = pattern(rf"(?:(?:^|\s){_AND}|[,;.&+])[\s*]*$", re.IGNORECASE)
_WHEN = pattern(r"\b(?:after|before|once|nach|vor|après|avant|después de|antes de|после|перед)[\s*]*$", re.I)
_CRITERIA, _VERIFIED = 1, 2

_CONTRARY_REASON = "its words expect a failure or an empty result, and only a success can be proven by running it"
_OUTPUT_REASON = "its words ask for something in its output, and running it proves its exit code alone"
_NOT_FIRST = "the criterion does not begin with it"
_NOT_JOINED = "the criterion does not say that it has to succeed as well"
_NO_OUTCOME = "the words around it do not say that it has to succeed"
_REASONS = {CommandOutcome.FAILURE: _CONTRARY_REASON, CommandOutcome.OUTPUT: _OUTPUT_REASON}
_NO_JUDGE = "it ends by preparing or printing something, which judges nothing"
_UNKNOWN = "it could be a name as well as a command"
_UNSEEN = "it has a character that cannot be seen, so that it is not the command that it looks like"
_NO_PHASE = "no phase has it"
_PLAIN_BLOCK = "the block is not marked as a check"
_IN_TABLE = "it stands in a table"
_AMONG_WORK = "it stands among the work, and not under criteria or verification"


@record
class _Piece:
    """A command in a criterion, what stands before it, and the words that say how it ends: "`a` and `b` pass"."""

    command: str
    before: str
    words: str


def read_checks(sections: list[Section]) -> list[Check]:
    """The checks in the sections of a phase, its own section first, in document order."""
    blocks = [Check(fence.body.strip("\n"), fence.line) for fence in fences(sections) if _INFO.match(fence.info)]
    bullets = [found for found in _read_criteria(sections) if isinstance(found, Check)]
    return sorted(blocks + bullets, key=lambda check: check.line)


def read_unrun(sections: list[Section], *, in_phase: bool = True) -> list[Unrun]:
    """What looks like a command that verifies, and is not run; outside of a phase, that is every criterion.

    The sentences outside of all phases describe the plan as a whole.
    """
    found = list(_read_criteria(sections, has_sentences=in_phase))
    unrun = [one for one in found if isinstance(one, Unrun)]
    strays = [Unrun(one.command, one.line, _NO_PHASE) for one in found if isinstance(one, Check) and not in_phase]
    return unrun + strays


def _read_criteria(sections: list[Section], *, has_sentences: bool = True) -> Iterator[Check | Unrun]:
    """What is under a heading, a label or an item that announces criteria or verification, and what is promised."""
    for section in sections:
        heading = _CRITERIA if any_criteria(section, sections[0]) else _announced(section.text) & _VERIFIED
        label = 0
        for block, text in _statements(section.blocks):
            if isinstance(block, Text) and block.depth == 0 and LABEL_LINE.match(block.text):
                label = _announced(block.text)
            kinds = heading | label
            for over in block.above() if isinstance(block, Item) else ():
                kinds |= _announced(over.text[:80]) if LABEL_LINE.match(over.text) else 0
            if isinstance(block, Fence):  # a block of shell commands, as one
                lines = [without_prompt(line) for line in block.body.split("\n") if line.strip()[:1] not in ("", "#")]
                is_shell = kinds and _PLAIN_SHELL.match(block.info)
                if is_shell and any(can_verify(one) and _runs(one) for one in lines):
                    yield Unrun("; ".join(lines), block.line, _PLAIN_BLOCK)
            elif isinstance(block, Table):
                yield from _read_table(block, kinds)
            elif kinds and isinstance(block, Item):
                yield from _read_criterion(text, block.line, is_verification=not kinds & _CRITERIA)
            elif _announced(key_of(text)) or (kinds and has_sentences):
                yield from _read_criterion(text, block.line, is_verification=True)
            elif has_sentences:
                yield from _promised(text, block.line)


def _statements(blocks: Sequence[Block]) -> list[tuple[Block, str]]:
    """The blocks, each with its text: an entry or a paragraph with the lines that it goes on with."""
    found: list[tuple[Block, str]] = []
    end = -1
    for block in blocks:
        text = block.text if isinstance(block, Item | Text) else ""
        is_own = not isinstance(block, Text) or LABEL_LINE.match(text) or _announced(key_of(text))
        if found and block.line == end + 1 and not is_own:
            found[-1] = found[-1][0], f"{found[-1][1]} {text}"
        else:
            found.append((block, text))
        end = block.line if isinstance(block, Item | Text) else -1
    return found


def _read_criterion(text: str, line: int, *, is_verification: bool) -> Iterator[Check | Unrun]:
    """What a criterion names to run: checks where it begins with commands, else what is not run, with the reason."""
    label = _LABELLED.match(text)
    pieces, is_plain = _pieces(text[label.end() :] if label else text), not is_verification and label is None
    reason = _why_not_run(pieces[0].command, pieces[0].words, is_plain=is_plain) if pieces else None
    if reason is None or pieces[0].before.strip("*"):
        for piece in pieces:  # those in the middle of which it says how they end, and those that end it
            is_meant = read_outcome(piece.command, piece.words) is not CommandOutcome.UNKNOWN
            if is_meant and looks_runnable(piece.command) and can_verify(piece.command):
                yield Unrun(piece.command, line, _NOT_FIRST)
        return
    said = read_label(label[0], pieces[0].command, pieces[0].words) if label else CommandOutcome.SUCCESS
    against = "" if said is CommandOutcome.SUCCESS else _REASONS.get(said, _NO_OUTCOME)
    yield _told(pieces[0].command, line, reason or against)
    is_joined = True
    for piece in pieces[1:]:
        is_joined = is_joined and _ENDS_IN_JOINT.search(piece.before) is not None
        runs = looks_runnable(piece.command)
        if is_joined:
            reason = _why_not_run(piece.command, piece.words, is_plain=is_plain and not runs)
        else:
            is_told = (runs and can_verify(piece.command)) or _WHEN.search(piece.before)
            reason = _NOT_JOINED if is_told else None
        if reason is not None:
            yield _told(piece.command, line, reason or against)


def _told(command: str, line: int, reason: str) -> Check | Unrun:
    reason = reason or (_UNSEEN if find_unseen(command) else "")
    return Unrun(command, line, reason) if reason else Check(command, line)


def _pieces(text: str) -> list[_Piece]:
    """What could be commands in a criterion; whatever it begins with is one."""
    codes = [(code, without_prompt(code["code"])) for code in _CODE.finditer(text)]
    shaped = codes[:1] + [(code, command) for code, command in codes[1:] if _runs(command) or may_run(command)]
    found: list[_Piece] = []
    end, words = len(text), ""
    for number in range(len(shaped) - 1, -1, -1):
        code, command = shaped[number]
        between = text[code.end() : end]
        words = words if found and _JOINT.match(between) else between
        begin = shaped[number - 1][0].end() if number else 0
        found.insert(0, _Piece(command, text[begin : code.start()], words))
        end = code.start()
    return found


def _promised(text: str, line: int) -> Iterator[Unrun]:
    """The commands of which a work item or a sentence says that they succeed, or that they are its check."""
    for piece in _pieces(text) if "`" in text else ():
        is_said = not says_nothing(piece.words) and read_outcome(piece.command, piece.words) is CommandOutcome.SUCCESS
        is_check = (label := _LABEL_INSIDE.search(piece.before)) is not None and _announced(label["name"]) > 0
        if (is_said or is_check) and looks_runnable(piece.command) and can_verify(piece.command):
            yield Unrun(piece.command, line, _AMONG_WORK)


def _read_table(table: Table, kinds: int) -> Iterator[Unrun]:
    """The commands in the cells of a table of criteria, and in columns that are headed so."""
    headed = [kinds | _announced(cell.text) for cell in table.header]
    for line, start, text in table.rows if any(headed) else ():
        for cell, is_headed in zip(split_cells(text, start), headed, strict=False):
            for code in _CODE.finditer(cell.text) if is_headed else ():
                command = without_prompt(code["code"])
                if _runs(command) and can_verify(command):
                    yield Unrun(command, line, _IN_TABLE)


def _runs(command: str) -> bool:
    return looks_runnable(command) or is_script(command)


def _why_not_run(command: str, words: str, *, is_plain: bool) -> str | None:
    """Why what begins a criterion is not run; "" where it is run, None where it is the name of something.

    It is run where nothing follows, or words that are known to mean success; a bullet that begins with a command also
    with a remark set apart from it that says nothing against it. Under "Verification" and behind a label, where people
    also list what is to be done, it has to be something that verifies as well.
    """
    outcome = read_outcome(command, words)
    is_meant, why = outcome is CommandOutcome.SUCCESS, _REASONS.get(outcome, _NO_OUTCOME)
    if looks_runnable(command):
        if is_meant or (is_plain and outcome is CommandOutcome.UNKNOWN and is_remark(words)):
            return "" if is_plain or can_verify(command) else _NO_JUDGE
        return why if is_plain or can_verify(command) or outcome is not CommandOutcome.UNKNOWN else _NO_JUDGE
    if is_script(command):
        return "" if is_meant else None if _IS_A_FILE.match(words) else why
    if outcome is CommandOutcome.OUTPUT and is_likely(command) and may_run(command):
        return why
    if not is_plain or not may_run(command) or not is_meant:
        return None
    return _UNKNOWN if says_nothing(words) or not is_likely(command) else ""


def _announced(text: str) -> int:
    return _CRITERIA if is_criteria(text) else _VERIFIED if _VERIFICATION.match(text) else 0
