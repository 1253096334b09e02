"""What is executed: the phases of a plan as a run takes them over, verbatim, with their scripts, checks and manner.

A run freezes these orders when it starts; nothing that happens to the plan's file afterwards changes them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from planrail.base.records import replace
from planrail.base.run_model import RULE, CheckOrder, Execution, PhaseOrder
from planrail.plans.canonical.canonical import assemble, canonicalise, divide
from planrail.plans.checks import read_checks, read_unrun, read_whole_checks
from planrail.plans.contract import PlanRule, read_rules
from planrail.plans.criteria import read_criterion
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.model import Check, Phase, Plan, Unrun
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, fences, is_aside, key_of, labelled_items, outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.plans.words.names import DEPENDENCY_KEYS, STATUS_KEYS

_BLOCK = re.compile(r"(?:sh|bash|shell|zsh)[ \t]+(run|check|fix)\b", re.IGNORECASE)
_EXECUTION = re.compile(r"[*_]*execution[*_]*\s*[:：][*_]*\s*(?P<how>\S.*)$", re.IGNORECASE)
_KINDS = {"worktree": "workspace", "workspace": "workspace", "direct": "direct", "delegate": "delegate"}


def order_phases(plan: Plan, text: str) -> tuple[PhaseOrder, ...]:
    texts: dict[str, tuple[str, int]] = {}  # its own words, verbatim, with the line that they begin on
    if dialect_of(plan).layout == "json":
        canonical = canonicalise(plan, text)
        texts = {part.key: (part.text, part.first_line) for part in canonical.phases}
    else:
        division, source = divide(plan, text), PlanSource(plan.path, text)
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
    rules = read_rules(text, plan) if plan.dialect in ("markdown", "cursor") else []
    orders = [_add_rules(_order(*one, is_text=is_text), rules) for one in found]
    whole = tuple(CheckOrder(check.command, check.line, "criterion") for check in find_whole_checks(plan, text))
    if whole and orders:
        known = {check.command for check in orders[-1].checks}
        added = tuple(check for check in whole if check.command not in known)
        orders[-1] = replace(orders[-1], checks=orders[-1].checks + added)
    return tuple(orders)


def _add_rules(order: PhaseOrder, rules: Sequence[PlanRule]) -> PhaseOrder:
    """A phase with the rules of the plan; one that begins with a command is a check of every phase."""
    told = [one for rule in rules for one in read_criterion(rule.text, rule.line, is_verification=True)]
    known = {check.command for check in order.checks}
    checks = [CheckOrder(one.command, one.line, RULE) for one in told if isinstance(one, Check)]
    added = tuple(check for check in checks if check.command not in known)
    return replace(order, rules=tuple(map(str, rules)), checks=order.checks + added)


def find_whole_checks(plan: Plan, text: str) -> list[Check]:
    """The checks that stand in no phase, under a heading of verification: they are run with the last phase."""
    if plan.dialect != "markdown" or not plan.phases:
        return []
    owned = {section.line for phase in plan.phases for section in phase.sections}
    return read_whole_checks(outline(scan(text)[1]).sections, owned)


def order_phase(plan: Plan, phase: Phase, text: str) -> PhaseOrder:
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
    whole = {check.line for check in find_whole_checks(plan, text)}
    return [line for line in blocks if line not in whole and not any(first <= line <= last for first, last in spans)]


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
    if not phase.own_checks:
        return f"phase {phase.id} has no check (a `sh check` block, or a criterion that begins with a command)"
    return ""


_NOT_WORK = {*DEPENDENCY_KEYS, *STATUS_KEYS, "execution", "goal", "timing", "effort", "owner", "files", "notes"}
_ASIDE_TITLES = ("design", "constraint", "dependenc", "context", "background", "note", "reference", "risk", "goal")
_STATED = re.compile(r"[:：]\W*\w|[:：]\s*[-–—]+\s*$")


def read_items(phase: Phase, sections: Sequence[Section]) -> tuple[str, ...]:
    """The work items: the boxes, nested ones too; in a phase that has none, the plain points of its lists."""
    return tuple(item.text for item in phase.items or _plain_points(sections))


def read_criteria(phase: Phase, sections: Sequence[Section], shift: int = 0) -> dict[int, str]:
    """The criteria by their lines: the boxes and the plain points under a heading or a label that announces them.

    The lines are those of the sections, which begin `shift` lines into the document.
    """
    boxes = {item.line - shift: item.text for item in phase.criteria}
    found = [labelled for section in sections for labelled in labelled_items(section, sections[0])]
    points = {item.line: item.text for _, item, is_criterion in found if is_criterion}
    work = {item.line - shift for item in phase.items}
    merged = {**{line: text for line, text in points.items() if line not in work}, **boxes}
    return {line: merged[line] for line in sorted(merged)}


def _plain_points(sections: Sequence[Section]) -> Iterator[Item]:
    """The points of lists that say what to do, without those that only describe."""
    for section in sections:
        titles = [part.text for part in takewhile(lambda part: part is not sections[0], section.path())]
        if any(is_aside(title) or any(word in title.lower() for word in _ASIDE_TITLES) for title in titles):
            continue  # it describes the phase rather than lists its work
        for _, item, is_criterion in labelled_items(section, sections[0]):
            if not is_criterion and item.parent is None and key_of(item.text) not in _NOT_WORK:
                yield item


def read_needs(plan: Plan, text: str) -> dict[str, tuple[str, ...]]:
    """For each phase the ids that have to be done before it starts.

    A phase that does not speak of dependencies follows all before it, except those that the plan marks as blocked:
    they wait for something outside, and the others need not.
    """
    free = _find_free(plan, text)
    found: dict[str, tuple[str, ...]] = {}
    earlier: list[str] = []
    for phase in plan.phases:
        implied = () if phase.id in free else tuple(earlier)
        found[phase.id] = tuple(phase.depends_on) or implied
        if phase.status is not State.BLOCKED:
            earlier.append(phase.id)
    return found


def _find_free(plan: Plan, text: str) -> set[str]:
    """The phases that say that they depend on nothing, or on nothing in this plan."""
    silent = [phase for phase in plan.phases if not phase.depends_on]
    free = {phase.id for phase in silent if any(map(_speaks, phase.sections))}
    if len(free) < len(silent) > 1 and plan.dialect == "markdown":
        free |= {name for name in _rows_that_speak(text) if any(phase.id == name for phase in silent)}
    return free


def _speaks(section: Section) -> bool:
    if section.needs:
        return any(_STATED.search(line.text) for line in section.needs)
    return not section.label.id and section.text.strip(" :*").lower() in DEPENDENCY_KEYS and bool(section.blocks)


def _rows_that_speak(text: str) -> set[str]:
    """The phases whose row of the tracker has something in its column of dependencies."""
    from planrail.plans.text.arranging import arrange
    from planrail.plans.text.scanning import scan
    from planrail.plans.units.finding import find_units

    if "|" not in text:
        return set()
    _, units = find_units(arrange(text, scan(text)[1]))
    return {unit.id for unit in units if unit.row is not None and (unit.row.depends_on or "").strip()}


_WORDS = (
    *("editor", "toolbar", "canvas", "panel", "dialog", "css", "scss", "button", "menu", "viewport", "renderer"),
    *("layout", "ui", "gui"),
)
_PLURAL = r"(?:s|es)?"
_NAMED = re.compile(rf"(?<![^\W_])(?:{'|'.join(_WORDS)}){_PLURAL}(?![^\W_])|\bdark[ -]?mode\b", re.IGNORECASE)
_FOLDER = re.compile(r"(?:^|[\s`'\"(/])(?:ui|editor|styles)/", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|non|without|not)[ -](?:any |the |a )?(?:user[ -]facing )?(?:ui|gui)\b", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def find_ui_words(text: str) -> tuple[str, ...]:
    """The words of a phase that speak of a user interface, each once: whole words, parts of `camelCase` names too."""
    plain = _DENIED.sub(" ", text)
    found = [match[0].strip(" \t\n`'\"(/").lower() for match in _FOLDER.finditer(plain)]
    found += [match[0].lower() for match in _NAMED.finditer(_HUMP.sub("_", plain))]
    return tuple(dict.fromkeys(found))


def is_ui_phase(text: str) -> bool:
    return bool(find_ui_words(text))


def announce_ui(phases: list[tuple[str, str]]) -> str:
    """The sentence that names the phases, as (id, text), that a person will be asked to look at; "" where none is."""
    named = [f"{name} ({', '.join(words[:3])})" for name, text in phases if (words := find_ui_words(text))]
    return "a person has to look at: phase " + ", phase ".join(named) if named else ""
