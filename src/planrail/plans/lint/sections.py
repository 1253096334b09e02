"""Rules about the whole document: the sections of a good plan, its length, and whether there is anything to do."""

import re
from collections.abc import Iterator

from planrail.base.settings import SECTIONS, SMALL_SECTIONS
from planrail.plans.checks import read_checks
from planrail.plans.lint.document import Document, Problem, error, warning
from planrail.plans.text.blocks import split_cells
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label
from planrail.plans.words.section_names import announces

_LABEL = re.compile(r"^\W*[*_]{2}(?P<bold>[^*_]{2,60})[*_]{2}|^(?P<plain>[^:：.`]{2,40})[:：](?:\s|$)")


def find_missing_sections(document: Document) -> Iterator[Problem]:
    if _is_task_list(document):
        return
    titles = list(_titles(document))
    wanted = document.settings.sections
    if len(document.plan.phases) == 1 and wanted == SECTIONS:
        wanted = SMALL_SECTIONS
    for name in wanted:
        is_there = name == "Steps" and bool(document.plan.phases)
        is_there |= name == "Verification" and bool(read_checks(document.outline.sections))
        # What is to be reached and what is not: together they say the scope.
        is_there |= name == "Scope" and _has(titles, "Goal") and _has(titles, "Non-Scope")
        if not is_there and not _has(titles, name):
            yield warning("missing-section", 1, f"no section is headed {name}, or anything that means it")


def _has(titles: list[tuple[str, bool]], name: str) -> bool:
    return any(announces(name, title, in_phase=in_phase) for title, in_phase in titles)


def _is_task_list(document: Document) -> bool:
    """A list of boxes, or the file of a tool that keeps goal and scope in files of its own."""
    plan = document.plan
    if not document.is_markdown or plan.dialect != "markdown" or plan.format == "checklist":
        return True
    lines = [line for line in document.lines if line.kind in ("item", "text")]
    items = [line.item for line in lines if line.item is not None]
    boxed = sum(any(one.box is not None for one in (item, *item.above())) for item in items)
    return plan.path.lower().endswith("tasks.md") or (len(lines) > 3 and boxed >= len(lines) * 0.8)


def _titles(document: Document) -> Iterator[tuple[str, bool]]:
    """The headings and labels in lower case, each with whether it stands inside a phase."""
    for line in document.lines:
        is_inner = line.kind == "row" or (line.item is not None and line.item.depth > 0)
        label = _LABEL.match(line.text) if not is_inner else None
        title = line.text if line.kind == "heading" else (label["bold"] or label["plain"]) if label else ""
        if title and not (line.kind == "heading" and line.section.level == 1):
            yield title.lower().replace("’", "'"), line.phase is not None


def measure_length(document: Document) -> Iterator[Problem]:
    length, limit = len(document.source.text), document.settings.max_characters
    if length > limit and document.is_markdown:
        message = (
            f"the plan has {length:,} characters, more than {limit:,}; reviewers reject 20 % of plans under 2,000 "
            "characters and 50 % of those over 20,000: split it, or move reference material to files of its own"
        )
        yield warning("length", 1, message)


def find_no_phases(document: Document) -> Iterator[Problem]:
    if not document.plan.phases:
        message = "there is no phase to execute: no tracker, no phase headings, no boxes"
        yield error("no-phases", 1, message, "## Phase 1 — Title")


KEYS = (
    "(?:(?:estimated|expected|approx\\.?|rough|total) )?(?:effort|estimate|estimation|duration|timing|time|size|hours|"
    "days|work|story points|points)(?: estimate)?|est\\.?|t-shirt(?: size)?|"
    "(?:geschätzter )?aufwand|dauer|(?:effort|durée|charge|temps)(?: estimée?)?|(?:esfuerzo|estimación|duración|tiempo)"
    "(?: estimad[oa])?|(?:esforço|estimativa|duração|tempo)(?: estimad[oa])?|(?:sforzo|impegno|stima|durata|tempo)"
    "(?: stimat[oa])?|(?:оценка|трудозатраты|трудоёмкость|трудоемкость|усилия|длительность|время)|зусилля|оцінка|"
    "nakład pracy|szacunek|czas|efor|süre|tahmin|"
    "工作量|预计时间|预估时间|预计工时|估时|耗时|工时|時間|工数|見積もり|見積り|見積|所要時間|"
    "예상 ?시간|소요 ?시간|예상 ?소요 ?시간|작업량|노력|공수|예상 ?공수|규모|난이도"
)
SIZES = (
    "x{0,3}s|m|x{0,3}l|small|medium|large|extra large|tiny|trivial|low|moderate|high|klein|mittel|groß|petit|moyen|"
    "grand|pequeño|mediano|grande|pequeno|médio|малый|средний|большой|小|中|大|하|중|상|작음|보통|큼"
)
UNITS = (
    "h|hr|hrs|hours?|m|min|mins|minutes?|d|days?|w|wks?|weeks?|months?|pd|person-?days?|man-?days?|sp|pts?|points?|"
    "story points?|std\\.?|stunden?|minuten?|tage?n?|wochen?|heures?|jours?|semaines?|horas?|días?|dias?|semanas?|"
    "minutos?|ore|ora|giorn[oi]|settiman[ae]|час(?:а|ов)?|ч|мин(?:ут[аы]?)?|дн(?:я|ей)?|день|недел[яьи]|годин[аи]?|"
    "godzin[ay]?|dni|dzień|saat|gün|hafta|小时|小時|分钟|分鐘|天|周|時間|分|日|週間?|人日|人天|시간|분|일|주"
)

_MANY = 3
_SUGGESTION = "**Effort:** M"


def find_missing_effort(document: Document) -> Iterator[Problem]:
    given = _given(document)
    if len(given) * 2 > len(document.plan.phases):
        yield from _missing(document, given)


def find_all_missing_effort(document: Document) -> Iterator[Problem]:
    """The same for any plan, where it is held to the principles; one problem where that is all of many phases."""
    given = _given(document)
    opened = [phase for phase in document.plan.phases if not phase.status.is_terminal]
    if not given and len(opened) > _MANY and document.is_markdown:
        message = f"none of the {len(opened)} open phases says how much work it is: S, M or L, hours or days"
        yield warning("effort", opened[0].first_line, message, _SUGGESTION)
        return
    yield from _missing(document, given)


def _missing(document: Document, given: set[int]) -> Iterator[Problem]:
    for phase in document.plan.phases if document.is_markdown else ():
        if id(phase) not in given and not phase.status.is_terminal:
            message = f"phase {phase.id} does not say how much work it is: S, M or L, hours or days"
            yield warning("effort", phase.first_line, message, _SUGGESTION)


def _given(document: Document) -> set[int]:
    """The phases that say how much work they are: in a line, in their heading, or in a column of a table."""
    value = _value()
    if not document.plan.phases:
        return set()
    stated = re.compile(rf"(?<![\w-])(?:{KEYS})\s*(?:\([^)]*\))?[*_`\s]*[:：=][*_`\s]*{value}")
    titled = re.compile(rf"[(\[（]\s*(?:(?:{KEYS})\W*)?{value}\s*[,;)\]）]|[-–—·|]\s+~?{value}\s*$")
    found = {id(line.phase) for line in document.lines if line.phase is not None and stated.search(line.text.lower())}
    titles = [(id(phase), phase.sections[0].text if phase.sections else phase.title) for phase in document.plan.phases]
    return found | {phase for phase, title in titles if titled.search(title.lower())} | set(_tabled(document))


def _value() -> str:
    number = r"[~≈<]?\s*(?:about |ca\.? |约|約|약\s*)?\d+(?:[.,]\d+)?(?:\s*(?:-|–|—|~|to|bis|à|до)\s*\d+(?:[.,]\d+)?)?"
    return rf"(?:{number}\s*-?(?:{UNITS})|half a day|an? (?:hour|day|week)|(?:{SIZES}))(?![\w])"


def _tabled(document: Document) -> Iterator[int]:
    phases = {id_key(phase.id): phase for phase in document.plan.phases}
    whole = rf"[*_`\s]*{_value()}"
    for _, table in document.outline.tables:
        names = [re.sub(r"\s*\(.*", "", cell.text.strip(" *_`").lower()) for cell in table.header]
        column = next((at for at, name in enumerate(names) if at and re.fullmatch(KEYS, name)), None)
        for _, start, row in table.rows if column is not None else ():
            cells = [cell.text for cell in split_cells(row, start)]
            name = cells[0].strip(" *_`") if cells else ""
            phase = phases.get(id_key(read_label(name).id or name))
            if phase is not None and column is not None and re.match(whole, (cells[column:] or ["-"])[0].lower()):
                yield id(phase)
