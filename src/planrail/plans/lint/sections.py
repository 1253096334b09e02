"""Rules about the whole document: the sections of a good plan, its length, and whether there is anything to do."""

import re
from collections.abc import Iterator
from functools import lru_cache

from planrail.plans.checks import read_checks
from planrail.plans.lint.document import Document, Problem, error, warning
from planrail.plans.text.blocks import split_cells
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import read_label

# Searched in the lower-case text of headings and labels, from the start of a word on.
NON_SCOPE = (
    "non-scope|non scope|nonscope|out of scope|out-of-scope|not in scope|non-goal|non goal|nongoal|not doing|"
    "won't do|will not do|not do|exclusion|excluded|exclude|deferred|limits of|"
    "nicht-ziel|nichtziel|nicht im umfang|außerhalb|abgrenzung|"
    "hors périmètre|hors scope|hors-périmètre|non-objectif|fuera de alcance|fuera del alcance|no objetivo|"
    "fora do escopo|fora de escopo|não objetivo|fuori ambito|non obiettivi|"
    "вне рамок|не входит|не цел|за рамками|не делаем|поза межами|poza zakresem|kapsam dışı|"
    "非目标|非目標|不在范围|不在範圍|范围外|範圍外|範囲外|スコープ外|対象外|やらないこと|不做|"
    "비범위|범위 외|범위 밖|제외|하지 않을"
)

# Open Questions and Non-Scope before Scope and Goal: their words contain the others', and are taken out first.
SECTION_NAMES = {
    "Goal": "goal|objective|overview|purpose|summary|aim|intent|mission|vision|motivation|problem|background|why|"
    "desired|end state|tl;dr|tldr|introduction|context|abstract|executive|about|description|outcome|"
    "ziel|zweck|überblick|zusammenfassung|objectif|but du|but de|résumé|aperçu|objetivo|resumen|propósito|"
    "visão geral|resumo|obiettiv|panoramica|цель|цели|обзор|назначение|описание|мета|ціл|cel|przegląd|amaç|hedef|"
    "genel bakış|目标|目標|目的|概述|概要|背景|总览|總覽|概览|ゴール|概観|はじめに|목표|목적|개요|배경|요약",
    "Scope": "scope|in scope|goals & non-goals|goals and non-goals|goals / non-goals|goals/non-goals|deliverable|"
    "requirement|what we're doing|included|coverage of|affected|files to|impact|"
    "umfang|geltungsbereich|anforderung|périmètre|portée|exigence|alcance|requisito|escopo|ambito|requisiti|"
    "объём|объем|область|рамки|границы|требовани|обсяг|вимог|zakres|wymagani|kapsam|gereksinim|"
    "范围|範圍|范畴|需求|スコープ|範囲|対象|要件|범위|요구",
    "Non-Scope": NON_SCOPE,
    "Steps": "step|phase|implementation|task|plan of work|work plan|work item|milestone|procedure|approach|roadmap|"
    "work breakdown|todo|to do|concrete|execution|schritt|umsetzung|aufgabe|étape|tâche|paso|tarea|fase|etapa|passo|"
    "passi|шаг|этап|фаз|задач|реализац|крок|krok|etap|zadani|adım|görev|aşama|"
    "步骤|步驟|阶段|階段|任务|任務|实施|實施|实现|手順|ステップ|タスク|フェーズ|実装|作業|단계|작업|구현",
    "Verification": "verif|test|validat|acceptance|success|criteria|definition of done|done when|quality|"
    "how to check|checks|evaluation|qa|prüfung|überprüfung|abnahme|akzeptanz|vérification|recette|critère|"
    "verificación|prueba|criterio|aceptación|verificação|teste|critério|verifica|collaudo|criteri|"
    "проверк|тест|критери|верифик|приёмк|приемк|перевірк|weryfikac|kryteria|doğrulama|kabul|"
    "验证|驗證|测试|測試|验收|驗收|検証|テスト|確認|受け入れ|受入|完了条件|검증|테스트|수락|완료 조건|확인",
    "Risks": "risk|mitigation|rollback|recovery|idempotence|failure mode|what could go wrong|contingency|hazard|"
    "risik|risque|riesgo|risco|rischi|риск|ризик|ryzyk|"
    "风险|風險|リスク|危険|리스크|위험|회피",
    "Open Questions": "open question|question|unknown|unresolved|to be decided|decisions needed|decision point|"
    "open decision|open issue|open item|open point|clarification|assumption|"
    "offene frage|offene punkte|fragen|questions ouvertes|question ouverte|preguntas|pregunta|questões|perguntas|"
    "domande|вопрос|питанн|pytani|soru|"
    "未决|未決|待定|待确认|待確認|问题|問題|疑问|疑問|課題|未解決|질문|미해결|미정|논의",
}


_LABEL = re.compile(r"^\W*[*_]{2}(?P<bold>[^*_]{2,60})[*_]{2}|^(?P<plain>[^:：.`]{2,40})[:：](?:\s|$)")
_BOTH = re.compile(r"goals?\s*(?:&|and|/|\+|,|und|et|y|e)\s*non-?\s?goals?")
_OUTSIDE_PHASES = frozenset(("Goal", "Scope", "Non-Scope", "Open Questions"))


def find_missing_sections(document: Document) -> Iterator[Problem]:
    if _is_task_list(document):
        return
    titles = list(_titles(document))
    for name in document.settings.sections:
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


def announces(name: str, title: str, *, in_phase: bool = False) -> bool:
    """Whether a title in lower case heads a section, or anything that means it."""
    if in_phase and name in _OUTSIDE_PHASES:
        return False
    if name in ("Goal", "Scope", "Non-Scope") and _BOTH.search(title):
        return True
    if name in ("Goal", "Scope"):
        title = _pattern(NON_SCOPE).sub("", title)
    return bool(_pattern(SECTION_NAMES.get(name, re.escape(name.lower()))).search(title))


@lru_cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-zà-ÿа-я])(?:{words})")


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
