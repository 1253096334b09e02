"""Checks: the commands by which a phase verifies itself.

A fenced block with the info string `sh check` is a check, and so is a bullet under "Acceptance Criteria" or
"Verification" that begins with a command in backticks. planrail runs both and believes their exit status alone. A
bullet that expects a failure or an empty search ("`grep -r TODO src` finds nothing") says the opposite of its exit
status, and is left to a verifier. What looks like a command and is not run is told, with the reason.
"""

import re

from planrail.plans.blocks import Item, Text
from planrail.plans.command_shapes import can_verify, is_likely, is_script, looks_runnable, may_run, without_prompt
from planrail.plans.model import Check, Unrun
from planrail.plans.outline import Section, any_criteria, fences, is_criteria

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_INFO = re.compile(r"(?:sh|bash|shell|zsh)[ \t]+check\b", re.IGNORECASE)
_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!(?P=ticks)).)+)(?P=ticks)(?!`)")
_LEADING_CODE = re.compile(r"\**(?P<ticks>`+)(?P<code>(?:(?!(?P=ticks)).)+)(?P=ticks)")
_LABEL = re.compile(r"[*_]{1,2}[^*_]{2,60}[*_]{1,2}.{0,60}$|.{2,60}[:：][*_]{0,2}$")
_VERIFICATION = re.compile(r"[\W\d_]*(?:automated |automatic )?(?:verification|verify)\b\W*$", re.IGNORECASE)
_CONTRARY = re.compile(
    r"^\W*(?:must |should |still |now |currently )*(?:fail|error|is rejected|is empty|"
    r"exits? (?:with )?(?:an? )?(?:error|(?:code |status )?[1-9]|non-?zero)|"
    r"returns? (?:an? )?(?:error|non-?zero|(?:exit )?(?:code|status) [1-9])|"
    r"(?:return|print|output|find|show|produce|yield|report|match|list|give)\w* (?:nothing|no\b|empty|zero|none)|"
    r"(?:has |gives )?no (?:output|match|hit|result)|不|未|失敗|失败|실패|なし)",
    re.IGNORECASE,
)
_ZERO = re.compile(r"^\W*(?:\w+ ){0,2}[`*]*0\b", re.IGNORECASE)
_SEARCHES = re.compile(r"(?:git )?(?:grep|egrep|fgrep|rg|ag|ack)\b")
# The words behind a command that say how it ends; behind a name they say how something else does.
_SUCCEEDS = re.compile(
    r"\W*(?:must |should |still |now |both |all )*(?:pass|succeed|(?:is |stays |goes )?(?:green|clean|ok)\b|"
    r"(?:exit|return|finish|end)\w* (?:with )?(?:exit )?(?:code |status )?`?0\b|runs? (?:clean|green|without|through)|"
    r"completes?\b|réussi|passe|läuft|pasa|проходит|без ошибок|успешно|通过|通過|成功|통과|성공)",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"\W*$")
_IS_A_FILE = re.compile(
    r"\W*(?:now |also |is |are |has been |was )*(?:exist|contain|ha[sv]|include|document|mirror|moved|created|added|"
    r"updated|removed|deleted|renamed|registered|registers|executable|present|gone|accept|export|and\b|or\b|,)",
    re.IGNORECASE,
)

# What a criterion may have before its command: "AC-1 — ", "All tests pass: ". Not where that turns the meaning around.
_LABELLED = re.compile(r"[^`]{1,60}?(?::|：|\s[—–-])[*_]{0,2}\s+(?=\**`)")
_REVERSES = re.compile(
    r"\b(?:no|not|never|without|fails?|failing|errors?|rejects?|manual(?:ly)?|empty|nothing)\b", re.IGNORECASE
)
_CRITERIA, _VERIFIED = 1, 2

_CONTRARY_REASON = "its words expect a failure or an empty result, and only a success can be proven by running it"
_NOT_FIRST = "the criterion does not begin with it"
_NO_OUTCOME = "the words behind it do not say that it has to succeed"
_NO_JUDGE = "it ends by preparing or printing something, which judges nothing"
_UNKNOWN = "it could be a name as well as a command"
_NO_PHASE = "no phase has it"


def read_checks(sections: list[Section]) -> list[Check]:
    """The checks in the sections of a phase, its own section first, in document order."""
    blocks = [Check(fence.body.strip("\n"), fence.line) for fence in fences(sections) if _INFO.match(fence.info)]
    bullets = [found for found in _read_criteria(sections) if isinstance(found, Check)]
    return sorted(blocks + bullets, key=lambda check: check.line)


def read_unrun(sections: list[Section], *, in_phase: bool = True) -> list[Unrun]:
    """What looks like a command where criteria stand, and is not run; outside of a phase, that is all of it."""
    found = list(_read_criteria(sections))
    unrun = [one for one in found if isinstance(one, Unrun)]
    strays = [Unrun(one.command, one.line, _NO_PHASE) for one in found if isinstance(one, Check) and not in_phase]
    return unrun + strays


def _read_criteria(sections: list[Section]) -> "Iterator[Check | Unrun]":
    for item, is_verification in _criteria(sections):
        yield from _read_bullet(item, is_verification=is_verification)


def _read_bullet(item: Item, *, is_verification: bool) -> "Iterator[Check | Unrun]":
    """What a criterion names to run: a check where it begins with a command, else what is not run, with the reason."""
    label = _LABELLED.match(item.text)
    is_labelled = label is not None and not _REVERSES.search(label[0])
    text = item.text[label.end() :] if label is not None and is_labelled else item.text
    leading = _LEADING_CODE.match(text)
    if leading is None:
        yield from _mentioned(item)
        return
    command, rest = without_prompt(leading["code"]), text[leading.end() :]
    reason = _why_not_run(command, rest, is_plain=not is_verification and not is_labelled)
    if reason:
        yield Unrun(command, item.line, reason)
    elif reason is not None:
        yield Check(command, item.line)


def _mentioned(item: Item) -> "Iterator[Unrun]":
    """The commands in the middle of a criterion of which it says that they succeed, and those that end it."""
    for code in _CODE.finditer(item.text):
        command, rest = without_prompt(code["code"]), item.text[code.end() :]
        if looks_runnable(command) and can_verify(command) and (_SUCCEEDS.match(rest) or _NOTHING.match(rest)):
            yield Unrun(command, item.line, _NOT_FIRST)


def _why_not_run(command: str, rest: str, *, is_plain: bool) -> str | None:
    """Why what begins a criterion is not run; "" where it is run, None where it is the name of something.

    A plain criterion that begins with a command is about its success unless it says otherwise; under "Verification",
    and behind a label, people describe output as well, so that the success has to be said.
    """
    succeeds, nothing = _SUCCEEDS.match(rest), _NOTHING.match(rest)
    if looks_runnable(command):
        if _expects_failure(command, rest):
            return _CONTRARY_REASON
        if is_plain or ((succeeds or nothing) and can_verify(command)):
            return ""
        return _NO_OUTCOME if can_verify(command) else _NO_JUDGE
    if is_script(command):
        if succeeds or nothing:
            return ""
        return None if _IS_A_FILE.match(rest) else _NO_OUTCOME
    if not is_plain or not may_run(command) or not (succeeds or nothing):
        return None
    return "" if succeeds and is_likely(command) else _UNKNOWN


def _expects_failure(command: str, rest: str) -> bool:
    searches = _SEARCHES.match(command) is not None
    return bool(_CONTRARY.match(rest) or (searches and _ZERO.match(rest)))


def _criteria(sections: list[Section]) -> "Iterator[tuple[Item, bool]]":
    """The list items under a heading, a label or an item that announces criteria, or (True) verification."""
    for section in sections:
        heading = _CRITERIA if any_criteria(section, sections[0]) else _announced(section.text) & _VERIFIED
        label = 0
        for block in section.blocks:
            if isinstance(block, Text) and block.depth == 0 and _LABEL.match(block.text):
                label = _announced(block.text)
            elif isinstance(block, Item) and (kinds := heading | label | _announced_above(block)):
                yield block, not kinds & _CRITERIA


def _announced(text: str) -> int:
    return _CRITERIA if is_criteria(text) else _VERIFIED if _VERIFICATION.match(text) else 0


def _announced_above(item: Item) -> int:
    parent, found = item.parent, 0
    while parent is not None:
        found |= _announced(parent.text[:80]) if _LABEL.match(parent.text) else 0
        parent = parent.parent
    return found
