"""Checks: the commands by which a phase, or the plan as a whole, verifies itself. The one reader of them.

A fenced block with the info string `sh check` is a check. So is what stands as verification: under "Acceptance
Criteria", "Verification" or "How to test", behind "Verify:" or "Run:", in a sentence that asks for it, and the lines of
a shell block there. planrail runs them and believes their exit status alone, so that the words around a command have to
mean success: known words for any command, and none to the contrary for a program that judges (`command_kinds`). What
expects a failure, an empty search or something in the output, what does not end, has a placeholder or prepares
something is left to a verifier. What looks like a command and is not run is told, with the reason.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from planrail.base.patterns import pattern
from planrail.plans.asked_commands import expects_failure
from planrail.plans.command_kinds import judges
from planrail.plans.command_shapes import can_verify, is_script, looks_runnable, without_prompt
from planrail.plans.criteria import CODE, read_criterion, read_promise
from planrail.plans.model import Check, Unrun
from planrail.plans.shell_blocks import CONTRARY, PLAIN_SHELL, read_block
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text, split_cells
from planrail.plans.text.outline import LABEL_LINE, Section, fences, is_criteria, is_verification, key_of
from planrail.plans.words.verifying import BESIDE, BY_HAND, RUN_WORDS

_INFO = pattern(r"(?:sh|bash|shell|zsh)[ \t]+check\b", re.IGNORECASE)
_LETTERS = pattern(r"[^\W\d_]+")
_EXPECTED = pattern(
    r"[*_\s>-]*(?:expect|should|output|→|=>|erwartet|attendu|esperad|ожида|预期|期待|예상)", re.IGNORECASE
)
# What is behind it is the content of a file that is written.
_WRITES = pattern(r"\b(?:create|add|write|new|update|contents?)\b[^`]*`[^`]+\.\w{1,5}`[^`]*[:：]\W*$", re.IGNORECASE)
# What a heading, a label or a key announces: criteria, verification, something to run, what a person does by hand.
_CRITERIA, _VERIFIED, _RUN, _MANUAL = 1, 2, 4, 8
_SHORT = 60  # characters of an entry over a block that may announce it

_NO_PHASE = "no phase has it"
_BY_HAND = "it stands under what a person does by hand"
_IN_TABLE = "it stands in a table"


def read_checks(sections: list[Section]) -> list[Check]:
    """The checks in the sections of a phase, its own section first, in document order."""
    blocks = [Check(fence.body.strip("\n"), fence.line) for fence in fences(sections) if _INFO.match(fence.info)]
    bullets = [found for found in _read_criteria(sections) if isinstance(found, Check)]
    return sorted(blocks + bullets, key=lambda check: check.line)


def read_whole_checks(sections: list[Section], owned: Collection[int]) -> list[Check]:
    """The checks of a plan as a whole: those under headings of verification that stand in no phase.

    `owned` are the lines of the sections that belong to phases. These checks are run with the last phase.
    """
    others = [section for section in sections if section.line not in owned]
    outside = [section for section in others if _is_verifying(section)]
    said = [one for section in others if section not in outside for one in _read_keyed(section)]
    blocks = [Check(fence.body.strip("\n"), fence.line) for fence in fences(outside) if _INFO.match(fence.info)]
    found = [one for one in _read_criteria(outside, in_phase=False) if isinstance(one, Check)]
    return sorted(blocks + found + said, key=lambda check: check.line)


def _read_keyed(section: Section) -> Iterator[Check]:
    """What a sentence outside of all phases and lists names behind a key: "Validation: `npm test` passes"."""
    for block, text in _statements(section.blocks):
        if isinstance(block, Text) and not block.depth and _announced(key_of(text)) & (_CRITERIA | _VERIFIED):
            found = read_criterion(text, block.line, is_verification=True)
            yield from (one for one in found if isinstance(one, Check))


def read_unrun(sections: list[Section], *, in_phase: bool = True) -> list[Unrun]:
    """What looks like a command that verifies, and is not run.

    Outside of a phase that is also what is announced by a label alone: such sentences describe the plan as a whole.
    """
    unrun: list[Unrun] = []
    whole = {section.line for section in sections if _is_verifying(section)} if not in_phase else set[int]()
    for section, found in _read_sections(sections, in_phase=in_phase):
        if isinstance(found, Unrun):
            unrun.append(found)
        elif not in_phase and section.line not in whole and found not in _read_keyed(section):
            unrun.append(Unrun(found.command, found.line, _NO_PHASE))
    return unrun


def _is_verifying(section: Section) -> bool:
    return bool(_heading_kind(section, None) & (_CRITERIA | _VERIFIED))


def _heading_kind(section: Section, top: Section | None) -> int:
    """What the heading of a section announces, or else the nearest one over it, up to that of the phase."""
    kind = 0
    for part in section.path():
        own = _announced(part.text) if not (part.level == 1 and part.children) else 0
        if part is top:
            return kind or own & _VERIFIED
        kind = kind or own
        if own & _CRITERIA and not kind & _MANUAL:
            kind |= _CRITERIA
    return kind


def _read_criteria(sections: list[Section], *, in_phase: bool = True) -> Iterator[Check | Unrun]:
    return (found for _, found in _read_sections(sections, in_phase=in_phase))


def _read_sections(sections: list[Section], *, in_phase: bool) -> Iterator[tuple[Section, Check | Unrun]]:
    """What is under a heading, a label or an item that announces criteria or verification, and what is promised."""
    for section in sections:
        heading = _heading_kind(section, sections[0] if in_phase else None)
        for found in _read_section(section, heading, has_sentences=in_phase or bool(heading)):
            yield section, found


def _read_section(section: Section, heading: int, *, has_sentences: bool) -> Iterator[Check | Unrun]:
    label = 0
    statements = _statements(section.blocks)
    for at, (block, text) in enumerate(statements):
        if isinstance(block, Text) and block.depth == 0:
            is_label = LABEL_LINE.match(block.text) is not None
            label = _announced(block.text) if is_label else 0 if label & _RUN else label
        kinds = label if label & _MANUAL else heading if heading & _MANUAL and not label else heading | label
        for over in block.above() if isinstance(block, Item) else ():
            kinds |= _announced(over.text[:80]) if LABEL_LINE.match(over.text) else 0
        if isinstance(block, Fence):
            yield from _read_fence(block, kinds, statements, at)
        elif isinstance(block, Table):
            yield from _read_table(block, kinds & ~_RUN)
        else:
            yield from _read_statement(block, text, kinds & ~_RUN, has_sentences=has_sentences)


def _read_statement(block: Block, text: str, kinds: int, *, has_sentences: bool) -> Iterator[Check | Unrun]:
    """What an entry or a paragraph names, by what it stands under."""
    key = _announced(key_of(text))
    if kinds & _MANUAL or key & _MANUAL:
        found = read_criterion(text, block.line, is_verification=True)
        yield from (Unrun(one.command, one.line, _BY_HAND) for one in found if judges(one.command))
    elif kinds and isinstance(block, Item):
        yield from read_criterion(text, block.line, is_verification=not kinds & _CRITERIA)
    elif key & ~_RUN or (kinds and has_sentences):
        yield from read_criterion(text, block.line, is_verification=True)
    elif has_sentences:
        yield from read_promise(text, block.line, lambda name: bool(_announced(name) & ~_RUN))


def _read_fence(fence: Fence, kinds: int, statements: list[tuple[Block, str]], at: int) -> Iterator[Check | Unrun]:
    """The commands of a shell block under verification, or behind a line that says that they are run."""
    if _INFO.match(fence.info) or not PLAIN_SHELL.match(fence.info):
        return
    above = statements[at - 1][1] if at else ""
    below = statements[at + 1][1] if at + 1 < len(statements) else ""
    if fence.depth and not kinds:
        kinds = _announced(key_of(above + ":")) if LABEL_LINE.match(above) or len(above) <= _SHORT else 0
    if _WRITES.search(above):
        return
    is_contrary = expects_failure(above[-200:]) or (_EXPECTED.match(below) is not None and expects_failure(below))
    for command, line, reason in read_block(fence) if kinds else ():
        if kinds & _MANUAL:
            reason = reason or _BY_HAND
        elif is_contrary:
            reason = reason or CONTRARY
        if not reason and not kinds & (_CRITERIA | _VERIFIED) and not judges(command):
            continue
        yield Unrun(command, line, reason) if reason else Check(command, line)


def _read_table(table: Table, kinds: int) -> Iterator[Unrun]:
    """The commands in the cells of a table of criteria, and in columns that are headed so."""
    headed = [kinds | _announced(cell.text) for cell in table.header]
    for line, start, text in table.rows if any(headed) else ():
        for cell, is_headed in zip(split_cells(text, start), headed, strict=False):
            for code in CODE.finditer(cell.text) if is_headed else ():
                command = without_prompt(code["code"])
                if (looks_runnable(command) or is_script(command)) and can_verify(command):
                    yield Unrun(command, line, _IN_TABLE)


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


def _announced(text: str) -> int:
    """What a heading, a label or a key announces; 0 where it is another one."""
    if is_criteria(text):
        return _CRITERIA
    words = {word.lower() for word in _LETTERS.findall(text)}
    if is_verification(text):
        is_manual = not BY_HAND.isdisjoint(words) or any(part in text for part in ("手动", "手動", "人工", "수동"))
        return _MANUAL if is_manual else _VERIFIED
    return _RUN if words and words <= BESIDE and not RUN_WORDS.isdisjoint(words) else 0
