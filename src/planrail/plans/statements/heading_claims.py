"""What headings say about a unit: its own, the status line under it, those over it and those inside it."""

from planrail.plans.claims import Claim, Kind
from planrail.plans.model import Diagnostic
from planrail.plans.states import State
from planrail.plans.text.outline import Section, has_parts, key_of, key_parts
from planrail.plans.words.groups import group_state
from planrail.plans.words.marks import is_checkpoint, is_weak, read_phrase, read_sentence, read_status, read_waiting
from planrail.plans.words.names import STATUS_KEYS
from planrail.plans.words.words import NOT_IN_TITLES


def short(text: str) -> str:
    """A text as a reason quotes it."""
    return text if len(text) <= 60 else text[:59] + "…"


def title_claims(section: Section) -> list[Claim]:
    """The claims of a heading: its mark, and the checkpoint that it records."""
    label = section.label
    claims = []
    mark, line = label.mark, section.line
    if mark:
        text = section.text[mark.start : mark.end] or "struck through"
        start, end = section.start + mark.start, section.start + mark.end
        reason, weak = f"heading, line {line}: {text}", is_weak(mark.state, text)
        kind = Kind.TITLE if any(map(str.isalnum, text)) else Kind.SIGN
        claims.append(Claim(kind, mark.state, line, reason, start, end, is_weak=weak))
    elif (state := _whole_title(section)) is not None:
        claims.append(Claim(Kind.TITLE, state, line, f"heading, line {line}: {short(section.text)}"))
    for tag in label.tags:
        if is_checkpoint(tag):
            claims.append(Claim(Kind.CHECKPOINT, State.DONE, line, f"heading, line {line}: [{tag}]"))
    return claims


def _whole_title(section: Section) -> State | None:
    """The state that stands in place of a title, directly behind the number: "PHASE 1 COMPLETED SUCCESSFULLY"."""
    label = section.label
    if not label.id or f"{label.id} " not in section.text:
        return None
    title = label.title.rstrip("*_ !.🎉").lower()
    if title in NOT_IN_TITLES or f"{label.id.lower()} {title}" not in section.text.lower():
        return None
    return read_phrase(title)


def line_claim(section: Section, problems: list[Diagnostic]) -> Claim | None:
    """The claim of a status line in the unit's section."""
    block = section.status
    if block is None:
        return None
    value, start = value_of(block.text, block.start)
    mark = read_status(value) or read_sentence(value) or read_waiting(value)
    if mark is None:
        if value.strip(" *_"):
            message = f"the status line says “{short(value)}”, which is no status I know"
            problems.append(Diagnostic(block.line, "unknown-mark", message))
        return None
    reason, weak = f"status line, line {block.line}: {short(value.strip(' *_'))}", is_weak(mark.state, value)
    return Claim(Kind.STATUS_LINE, mark.state, block.line, reason, start + mark.start, start + mark.end, is_weak=weak)


def value_of(text: str, start: int) -> tuple[str, int]:
    """The value of a line such as `**Status:** done`, and its offset; of several, the first that states something."""
    if not has_parts(text):
        return _value(text, start)
    stated = [(at, part) for at, part in key_parts(text) if key_of(part) in STATUS_KEYS]
    values = [_value(part, start + at) for at, part in stated] or [_value(text, start)]
    return next((value for value in values if read_status(value[0])), values[-1])


def _value(text: str, start: int) -> tuple[str, int]:
    at = text.find(":")
    if at < 0 or not text.isascii():
        at = min((found for found in (at, text.find("：")) if found >= 0), default=len(text))
    value = text[at + 1 :].lstrip(" \t*_")
    return value, start + max(at + 1, len(text) - len(value))


def add_up(done: int, begun: int, total: int) -> State:
    """The state of something of whose parts so many are done or begun."""
    if done == total:
        return State.DONE
    return State.IN_PROGRESS if done or begun else State.TODO


def parts_claim(section: Section) -> Claim | None:
    """The claim that the marked headings inside a section make together, where all that hold work are marked."""
    if len(section.children) < 2:
        return None
    parts = [part for part in section.children if part.has_boxes] or section.children
    stated = [part.label.mark or line_claim(part, []) for part in parts]
    states = [one.state for one in stated if one is not None]
    if len(states) < 2 or len(states) < len(parts):
        return None
    done = sum(1 for state in states if state.is_terminal)
    begun = sum(1 for state in states if state.is_started)
    reason = f"{done} of {len(parts)} parts marked as finished, from line {parts[0].line}"
    return Claim(Kind.PARTS, add_up(done, begun, len(parts)), parts[0].line, reason)


def group_claim(section: Section | None) -> Claim | None:
    """The claim of the nearest heading, from this one upwards, that states how far what stands under it is."""
    while section is not None and section.level > 1:
        state = group_state(section.text) if not section.label.id else None
        if state is not None and state is not State.IN_PROGRESS:  # what is in hand is not so in all of its parts
            reason, weak = f"under “{short(section.text)}”, line {section.line}", state is State.TODO
            return Claim(Kind.GROUP, state, section.line, reason, is_weak=weak)
        section = section.parent
    return None
