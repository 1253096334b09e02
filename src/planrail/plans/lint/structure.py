"""Rules about the structure of the phases: ids, dependencies, and what reading the plan brought to light."""

import re
from collections.abc import Callable, Iterator

from planrail.plans.lint.document import Document, Problem, Severity, error, warning
from planrail.plans.model import Phase
from planrail.plans.text.outline import Section, is_aside, is_criteria, key_of
from planrail.plans.units.trackers import Tracker, read_tracker
from planrail.plans.units.units import id_key
from planrail.plans.words.names import DEPENDENCY_KEYS, UNIT_WORDS


def find_late_dependencies(document: Document, severity: Severity = Severity.WARNING) -> Iterator[Problem]:
    """Each open phase that depends on an open one further down: a worker that begins at the top gets stuck."""
    if not document.is_markdown:
        return  # the files of other tools are sorted by number or by status, and not meant to be read from the top
    phases = {phase.id: phase for phase in document.plan.phases}
    places = {phase.id: at for at, phase in enumerate(document.plan.phases)}
    for phase in document.plan.phases:
        for name in phase.depends_on:
            later = phases.get(name)
            if later is None or places[name] <= places[phase.id] or later.first_line <= phase.first_line:
                continue
            is_open = not phase.status.is_terminal and not later.status.is_terminal
            is_part = later.first_line <= phase.last_line or id_key(later.id).startswith(f"{id_key(phase.id)}.")
            if is_open and not is_part and not _waits(later, phase, phases):
                message = f"phase {phase.id} depends on phase {name}, which stands after it: put {name} first"
                named = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w]|\.\d)")
                stated = [block for section in phase.sections for block in section.needs or ()]
                line = next((block.line for block in stated if named.search(block.text)), phase.first_line)
                yield Problem("late-dependency", severity, line, message)


def _waits(one: Phase, other: Phase, phases: dict[str, Phase]) -> bool:
    pending, seen = [one.id], {one.id}
    while pending:
        for name in phases[pending.pop()].depends_on:
            if name == other.id:
                return True
            if name in phases and name not in seen:
                seen.add(name)
                pending.append(name)
    return False


# A phase of another plan, one that is gone because it has landed, or a sentence that denies the dependency.
_ELSEWHERE = re.compile(
    r"^\W*(?:none|no\b|nothing|n/?a\b|keine|нет|无|無|なし|없음)|\.md\b|\bplan\b|\bproject\b|\brepo|\bupstream\b|"
    r"\b(?:landed|merged|shipped|completed?|done|already|soft|optional|not)\b|✅|другого|计划|計画",
    re.IGNORECASE,
)
_ID = r"[A-Z]{0,4}-?\d+(?:\.\d+)*[a-z]?(?:-[ivx]+)?|[A-Z](?!\w)"
_MORE = re.compile(
    rf"\s*(?:,|&|\+|/|\band\b|\bund\b|\bet\b|\by\b|\bи\b|、|，)\s*(?:and\s+)?(?:[A-Z][a-z]+\s+)?(?P<id>{_ID})(?!\.?\w|%)"
)


def find_duplicate_ids(document: Document) -> Iterator[Problem]:
    reported: set[str] = set()
    for names in _named_once(document):
        first: dict[str, int] = {}
        for name, line in names:
            key = id_key(name)
            if key in first and key not in reported:
                reported.add(key)
                message = f"the id {name} is given to two phases, here and on line {first[key]}"
                yield error("duplicate-id", line, message)
            first.setdefault(key, line)


def _named_once(document: Document) -> Iterator[list[tuple[str, int]]]:
    """The places that name each phase once, as ids with their lines: the plan itself, headings, trackers."""
    phases = document.plan.phases
    yield [(phase.id, phase.line) for phase in phases]
    words, lines = {phase.word for phase in phases if phase.word}, {phase.first_line for phase in phases}
    for parent in document.outline.sections:  # headings of one kind under one parent
        named = [child for child in parent.children if child.label.id and child.label.word in words]
        plain = [child for child in named if not _is_part(child)]
        if lines & {child.line for child in plain}:
            yield [(child.label.id, child.line) for child in plain]
    known = {id_key(phase.id) for phase in phases}
    for tracker in _trackers(document):
        rows = [(row.id, row.line) for row in tracker.rows if id_key(row.id) in known and row.id]
        if len({id_key(name) for name, _ in rows}) * 2 > len(rows):  # a table of tasks repeats the phase in most rows
            yield rows


def _is_part(section: Section) -> bool:
    """Whether a heading is a part of the phase that it names: "Phase 1 Verification" beside "Phase 1"."""
    title = section.label.title
    is_look_back = title.lower().rsplit(" ", 1)[-1] in ("verification", "validation", "review", "compliance")
    return bool(title) and (is_look_back or is_aside(title) or is_criteria(title)) and len(title.split()) < 4


def _trackers(document: Document) -> list[Tracker]:
    return [found for section, table in document.outline.tables if (found := read_tracker(section, table))]


def find_unknown_dependencies(document: Document) -> Iterator[Problem]:
    known = {id_key(phase.id) for phase in document.plan.phases}
    known |= {id_key(section.label.id) for section in document.outline.sections if section.label.id}
    for phase, line, name in _dependencies(document):
        if id_key(name) not in known and not _is_part_of(name, known, exact=not document.is_markdown):
            message = f"phase {phase.id} depends on phase {name}, which the plan does not have"
            yield error("unknown-dependency", line, message)


def find_cycles(document: Document) -> Iterator[Problem]:
    """What the reader has found, and phases that depend on themselves."""
    for diagnostic in document.plan.diagnostics:
        if diagnostic.rule == "cycle":
            yield error("cycle", diagnostic.line, diagnostic.message)
    for phase, line, name in _dependencies(document):
        if id_key(name) == id_key(phase.id):
            yield error("cycle", line, f"phase {phase.id} depends on itself")


def _dependencies(document: Document) -> Iterator[tuple[Phase, int, str]]:
    """Each phase with the ids that it is said to depend on, known or not, and the line that says so."""
    if not document.is_markdown:
        yield from ((phase, phase.line, name) for phase in document.plan.phases for name in phase.depends_on)
        return
    # What the plan calls its phases. A tracker that only counts them leaves it at "phase".
    words = {phase.word for phase in document.plan.phases} - {"", "number"} or {"phase"}
    phases = {id_key(phase.id): phase for phase in document.plan.phases}
    rows = [row for tracker in _trackers(document) for row in tracker.rows if row.depends_on and row.id]
    tracked = [(phases[id_key(row.id)], row.line, row.depends_on) for row in rows if id_key(row.id) in phases]
    for phase, line, text in [*_stated_needs(document, words), *tracked]:
        yield from ((phase, line, name) for name in _named_ids(text, words))


def _is_part_of(name: str, known: set[str], *, exact: bool) -> bool:
    """Whether an id counts something inside a known phase: 2.1 in 2, 3b in 3. A data file means its ids exactly."""
    key = id_key(name)
    parts = None if exact else re.match(r"(.*?\d)[a-z]$", key) or re.match(r"(.+)[.\-]\w+$", key)
    return parts is not None and (parts[1] in known or _is_part_of(parts[1], known, exact=False))


def _stated_needs(document: Document, words: set[str]) -> Iterator[tuple[Phase, int, str]]:
    """Lines such as `Depends on: Phase 2`, and lines under a heading "Dependencies" that begin with a phase."""
    begins = re.compile(rf"\W*(?:{'|'.join(map(re.escape, words))})(?:s|es)?\W*\w*\d", re.IGNORECASE)
    for line in document.lines:
        if line.phase is None or line.kind in ("row", "heading"):
            continue
        if key_of(line.text) in DEPENDENCY_KEYS:
            yield line.phase, line.number, re.split(r"[:：]", line.text, maxsplit=1)[1]
        elif line.section.text.strip(" :*").lower() in DEPENDENCY_KEYS and begins.match(line.text):
            yield line.phase, line.number, line.text


def _named_ids(text: str, words: set[str]) -> list[str]:
    if _ELSEWHERE.search(text):
        return []
    found: list[str] = []
    for word in words:
        gap = r"\s*" if not word.isascii() else r"[\s#]+"
        code = rf"(?<!\w)(?P<id>{re.escape(word)}-?\d+(?:\.\d+)*)(?![\w.%])"
        unit = rf"(?<!\w)(?i:{re.escape(word)}(?:s|es)?){gap}(?P<id>{_ID})(?!\.?\w|%)"
        named = re.compile(unit if word in UNIT_WORDS else code)
        match = named.search(text)
        while match:
            found.append(match["id"])
            match = _MORE.match(text, match.end()) or named.search(text, match.end())
    return list(dict.fromkeys(found))


def pass_on_diagnostics(rule: str) -> Callable[[Document], Iterator[Problem]]:
    """The rule that reports, as warnings, what the reader of the plan has already found under this name."""

    def find(document: Document) -> Iterator[Problem]:
        for diagnostic in document.plan.diagnostics:
            if diagnostic.rule == rule:
                yield warning(rule, diagnostic.line, diagnostic.message)

    return find
