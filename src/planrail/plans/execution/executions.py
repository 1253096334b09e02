"""What is executed: the phases of a plan as a run takes them over, verbatim, with their scripts, checks and manner.

A run freezes these orders when it starts; nothing that happens to the plan's file afterwards changes them.
"""

import re
from collections.abc import Iterable, Sequence

from planrail.base.run_model import CheckOrder, Execution, PhaseOrder
from planrail.plans.canonical.canonical import assemble, canonicalise, divide
from planrail.plans.checks import read_checks, read_unrun
from planrail.plans.execution.items import read_criteria, read_items, read_needs
from planrail.plans.execution.touching_ui import is_ui_phase
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.model import Phase, Plan, Unrun
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, fences, key_of, outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source

_BLOCK = re.compile(r"(?:sh|bash|shell|zsh)[ \t]+(run|check|fix)\b", re.IGNORECASE)
_EXECUTION = re.compile(r"[*_]*execution[*_]*\s*[:：][*_]*\s*(?P<how>\S.*)$", re.IGNORECASE)
_KINDS = {"worktree": "workspace", "workspace": "workspace", "direct": "direct", "delegate": "delegate"}


def order_phases(plan: Plan, text: str) -> tuple[PhaseOrder, ...]:
    """All phases of a plan that was read from this text, in its order."""
    texts: dict[str, tuple[str, int]] = {}  # its own words, verbatim, with the line that they begin on
    if dialect_of(plan).layout == "json":
        canonical = canonicalise(plan, text)
        texts = {part.key: (part.text, part.first_line) for part in canonical.phases}
    else:
        division, source = divide(plan, text), Source(plan.path, text)
        canonical = assemble(division, text)
        for owner, (key, _) in enumerate(division.units):
            parts = [(text[span.start : span.end], span.start) for span in division.spans if span.owner == owner]
            # A row of the tracker is a status, not work.
            words = [part for part in parts if part[0].strip()[:1] != "|" or "\n" in part[0].strip()] or parts
            if words and key not in texts:
                texts[key] = ("".join(part for part, _ in words).strip("\r\n"), source.line_at(words[0][1]))
    hashes = {part.key: part.hash for part in canonical.phases}
    needs = read_needs(plan, text)
    is_text = plan.dialect == "markdown"
    places = [(phase, texts.get(phase.id, (phase.title, phase.line))) for phase in plan.phases]
    found = [(phase, place, hashes.get(phase.id, ""), needs[phase.id]) for phase, place in places]
    return tuple(_order(*one, is_text=is_text) for one in found)


def order_phase(plan: Plan, phase: Phase, text: str) -> PhaseOrder:
    """One phase of a plan that was read from this text."""
    return next(order for order in order_phases(plan, text) if order.id == phase.id)


def _order(
    phase: Phase, place: tuple[str, int], canonical: str, needs: tuple[str, ...], *, is_text: bool
) -> PhaseOrder:
    """A phase as a run takes it over. In a data file the points of lists are its entries, and no work items."""
    text, line = place
    sections, shift = (list(phase.sections), 0) if phase.sections else (outline(scan(text)[1]).sections, line - 1)
    criteria, unrun = read_criteria(phase, sections, shift), read_unrun(sections)
    blocks = {fence.line for fence in fences(sections)}
    kinds = [(check, "block" if check.line in blocks else "criterion") for check in read_checks(sections)]
    checks = tuple(CheckOrder(check.command, check.line + shift, kind) for check, kind in kinds)
    asked = (phase.id, phase.title, text, read_items(phase, sections if is_text else ()), tuple(criteria.values()))
    how = (checks, _read_blocks(sections, "run"), needs, read_execution(sections))
    stated = (is_ui_phase(f"{phase.title}\n{text}"), str(phase.status), canonical, _read_blocks(sections, "fix"))
    told = tuple((found.command, found.reason) for found in unrun)
    return PhaseOrder(*asked, *how, *stated, tuple(phase.depends_on), told, _find_proofs(criteria, sections, unrun))


def _find_proofs(
    criteria: Iterable[int], sections: list[Section], unrun: list[Unrun]
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """For the criterion of each line the commands that it names, or has in a block under it, and why one is not run."""
    found: dict[int, list[tuple[str, str]]] = {line: [] for line in criteria}
    nested = {fence.line for fence in fences(sections) if fence.depth}
    for check in read_checks(sections):
        line = max((line for line in found if line < check.line), default=0) if check.line in nested else check.line
        found.get(line, []).append((check.command, ""))
    for one in unrun:
        found.get(one.line, []).append((one.command, one.reason))
    return tuple(map(tuple, found.values()))


def _read_blocks(sections: list[Section], kind: str) -> tuple[str, ...]:
    """The blocks of a kind: `sh run` is work for which no model is asked; `sh fix` is done once where a check fails."""
    found = [(_BLOCK.match(fence.info), fence.body.strip("\n")) for fence in fences(sections)]
    return tuple(body for match, body in found if match and match[1].lower() == kind)


def read_execution(sections: Sequence[Section]) -> Execution:
    """How a phase says that it is carried out: `### Execution: delegate NAME [ARGUMENTS]`, `workspace`, `direct`.

    `worktree` is the older word for `workspace`, which is also what a phase gets that says nothing.
    """
    # In headings first, then in lines of the phase.
    lines = [block.text for section in sections for block in section.blocks if isinstance(block, Text | Item)]
    keyed = [line for line in lines if key_of(line) == "execution"]
    matches = [_EXECUTION.match(text) for text in (*(section.text for section in sections), *keyed)]
    for text in [match["how"] for match in matches if match]:
        kind, _, rest = text.replace("`", "").strip(" *_").partition(" ")
        how = _KINDS.get(kind.lower().rstrip(".,;:"))
        if how == "delegate":
            to, _, arguments = rest.strip().partition(" ")
            return Execution("delegate", to, arguments.strip())
        if how is not None:
            return Execution(how)
    return Execution()


def work_of(phase: PhaseOrder) -> tuple[str, ...]:
    """The scripts that carry out a phase where no model is asked: its blocks, or the program it is delegated to."""
    how = phase.execution
    if how.kind == "delegate" and how.to.startswith("./"):
        return (f"{how.to} {how.arguments}".strip(),)
    return phase.scripts


def list_commands(phase: PhaseOrder) -> tuple[str, ...]:
    """All that planrail itself would execute for a phase: what does it, what fixes it, what checks it."""
    return (*work_of(phase), *phase.fixes, *(check.command for check in phase.checks))


def find_stray_blocks(plan: Plan, text: str) -> list[int]:
    """The lines of `sh run`, `sh fix` and `sh check` blocks that stand in no phase: nobody would ever run them."""
    if plan.dialect != "markdown" or any(not phase.sections for phase in plan.phases):
        return []
    sections = outline(scan(text)[1]).sections
    blocks = [fence.line for fence in fences(sections) if _BLOCK.match(fence.info)]
    spans = [(section.line, section.last_line) for phase in plan.phases for section in phase.sections]
    return [line for line in blocks if not any(first <= line <= last for first, last in spans)]


def refuse_execution(execution: Execution, landing: str) -> str:
    """Why a phase cannot be carried out as it says; "" where it can."""
    if execution.kind == "direct" and landing == "pr":
        return "the phase says `Execution: direct`, but the run lands by pull request: the two cannot be mixed"
    if execution.kind == "delegate" and not execution.to:
        return "the phase says `Execution: delegate` and does not name to whom"
    return ""


def refuse_runbook(phase: PhaseOrder) -> str:
    """Why the runbook agent cannot carry out a phase; "" where it can.

    Its checks are the verdict, which the work items share, so there has to be one.
    """
    if not phase.scripts:
        return f"phase {phase.id} has no `sh run` block, and the runbook agent executes nothing else"
    if not phase.checks:
        return f"phase {phase.id} has no check (a `sh check` block, or a criterion that begins with a command)"
    return ""
