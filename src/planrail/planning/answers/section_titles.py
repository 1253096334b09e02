"""Which sections of a plan a heading opens. A title is compared by what it says, never by how it begins:
`## 1. Goals:`, `**Non-Goals**` and `Risks & Mitigations` open sections, `Goals of the auth module` does not.

Korean, Chinese and Japanese put what English puts in front of a noun, or says with "and" and "of", behind it: a
particle (목표와), or a word for a kind of text (风险分析, 위험 분석). Those are taken off; the rest has to be
a title. Whether words are parted by a blank says nothing there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from planrail.base.settings import SECTIONS
from planrail.plans.words.labels import read_label
from planrail.plans.words.names import UNIT_WORDS
from planrail.plans.words.section_names import announces
from planrail.plans.words.words import word_set, words

# How the sections are headed: whole titles, in lower case, with spaces for hyphens. A title stands here only if nobody
# would head an exploration with it: the same words say that a plan was begun too early. So no "Overview", no "Tests".
# Those that an exploration may have as well, and that mean a section in a plan, are in a table of their own.
SECTION_ALIASES = {
    "Goal": "goal|goals|objective|objectives|goal statement|project goal|the goal|main goal|primary goal|"
    "목표|목적|ziel|ziele|zielsetzung|objectif|objectifs|objetivo|objetivos|objetivo general|obiettivo|obiettivi|"
    "цель|цели|мета|цілі|cel|cele|hedef|hedefler|amaç|目标|目標|目的|ゴール",
    "Scope": "scope|in scope|scope of work|project scope|the scope|"
    "범위|작업 범위|포함 범위|umfang|im umfang|geltungsbereich|périmètre|portée|dans le périmètre|alcance|"
    "dentro del alcance|"
    "escopo|âmbito|dentro do escopo|ambito|perimetro|объём|объем|объём работ|область|рамки|охват|обсяг|обсяг робіт|"
    "межі|"
    "zakres|zakres prac|kapsam|范围|範圍|范畴|范围内|範圍內|工作范围|範囲|対象範囲|スコープ",
    "Non-Scope": "non scope|nonscope|out of scope|not in scope|non goal|non goals|nongoals|nongoal|"
    "what is out of scope|"
    "what's out of scope|scope exclusions|exclusions from scope|outside the scope|outside of scope|what we will not do|"
    "what we won't do|"
    "비범위|범위 외|범위외|범위 밖|범위 제외|제외 범위|제외 사항|제외|비목표|하지 않을 것|"
    "nicht ziele|nichtziele|nicht ziel|nicht im umfang|außerhalb des umfangs|abgrenzung|nicht umfang|"
    "hors périmètre|hors scope|hors portée|non objectifs|non objectif|hors du périmètre|"
    "fuera de alcance|fuera del alcance|no objetivos|no alcance|exclusiones|"
    "fora do escopo|fora de escopo|fora do âmbito|não objetivos|não escopo|fuori ambito|non obiettivi|fuori perimetro|"
    "fuori dall'ambito|"
    "вне рамок|за рамками|не цели|вне области|вне объёма|вне охвата|не входит|не входит в объём|поза межами|"
    "поза обсягом|не цілі|"
    "poza zakresem|nie cele|kapsam dışı|hedef dışı|非目标|非目標|范围外|範圍外|不在范围|不在范围内|不在範圍內|非范围|"
    "非範圍|不做|"
    "範囲外|対象外|スコープ外|非ゴール|やらないこと",
    "Steps": "step|steps|phases|implementation steps|implementation phases|implementation plan|execution steps|"
    "execution plan|step by step plan|plan of action|action plan|work plan|plan of work|implementation tasks|"
    "work items|"
    "steps to implement|phases of work|"
    "단계|구현 단계|단계별 구현|단계별 실행|단계별 작업|단계별 진행|단계별 개발|"
    "실행 단계|작업 단계|구현 계획|실행 계획|작업 계획|절차|"
    "schritte|schritt|umsetzungsschritte|umsetzungsplan|phasen|arbeitsschritte|"
    "étapes|étape|étapes de mise en œuvre|plan d'implémentation|plan d'action|"
    "pasos|paso|pasos de implementación|plan de implementación|fases|etapas|passos|passo|passos de implementação|"
    "plano de implementação|passi|passaggi|fasi|fasi di implementazione|piano di implementazione|"
    "шаги|шаг|этапы|шаги реализации|этапы реализации|план реализации|план работ|кроки|етапи|план реалізації|"
    "kroki|etapy|kroki implementacji|plan implementacji|plan wdrożenia|adımlar|uygulama adımları|aşamalar|"
    "uygulama planı|"
    "步骤|步驟|阶段|階段|实施步骤|實施步驟|实施阶段|实现步骤|实施计划|實施計劃|执行步骤|執行步驟|执行计划|实现计划|"
    "手順|ステップ|実装手順|実装ステップ|フェーズ|実装計画|実施手順|作業手順",
    "Verification": "verification|verification plan|verification steps|verification strategy|"
    "verification and validation|"
    "how to verify|test plan|"
    "검증|검증 계획|검증 방법|검증 단계|검증 절차|확인 방법|"
    "verifikation|verifizierung|überprüfung|prüfung|nachweis|testplan|vérification|vérifications|"
    "plan de vérification|plan de test|"
    "verificación|plan de verificación|comprobación|plan de pruebas|verificação|plano de verificação|plano de testes|"
    "verifica|piano di verifica|piano di test|проверка|план проверки|верификация|перевірка|верифікація|план перевірки|"
    "weryfikacja|sprawdzenie|plan weryfikacji|plan testów|doğrulama|doğrulama planı|"
    "验证|驗證|验证计划|验证方法|验证步骤|验证方案|驗證計劃|驗證方法|验收|驗收|検証|検証計画|検証方法|検証手順",
    "Risks": "risk|risks|key risks|known risks|potential risks|main risks|"
    "리스크|위험|위험 요소|위험요소|위험 요인|리스크 요인|주요 리스크|"
    "risiko|risiken|risque|risques|riesgo|riesgos|risco|riscos|rischio|rischi|риск|риски|ризик|ризики|ryzyko|ryzyka|"
    "risk|riskler|风险|風險|风险点|リスク|危険",
    "Open Questions": "open question|open questions|unresolved questions|outstanding questions|remaining questions|"
    "questions still open|"
    "오픈 질문|오픈질문|열린 질문|미해결 질문|미결 질문|남은 질문|미결정 사항|미결 사항|"
    "offene frage|offene fragen|offene punkte|question ouverte|questions ouvertes|questions en suspens|"
    "preguntas abiertas|pregunta abierta|cuestiones abiertas|questões em aberto|perguntas em aberto|questões abertas|"
    "perguntas abertas|domande aperte|questioni aperte|открытые вопросы|открытый вопрос|нерешённые вопросы|"
    "відкриті питання|відкрите питання|otwarte pytania|pytania otwarte|açık sorular|"
    "未决问题|未決問題|开放问题|開放問題|待解决问题|待解決問題|待确认问题|待定问题|遗留问题|"
    "未解決の質問|未解決事項|未決事項|オープンな質問|オープンクエスチョン|未解決の問題|残課題",
}

ALIASES_IN_PLANS = {
    "Goal": "aim|aims|purpose|outcome|desired outcome|zweck|absicht|but|buts|propósito|finalidad|finalidade|finalità|"
    "scopo|назначение|призначення|zamierzenie|kazanım",
    "Scope": "included|what is included|what's included|what we will do|coverage|포함|포함 사항|enthalten|inclus|"
    "incluido|incluído|incluso|включено|входит|включає|objęte|dahil|包括|包含|対象",
    "Non-Scope": "exclusions|excluded|not included|not covered|anti goals|not doing|won't do|will not do|deferred|"
    "불포함|미포함|ausgeschlossen|ausschlüsse|nicht enthalten|exclusions|exclu|exclus|non inclus|excluido|no incluido|"
    "excluído|exclusões|não incluído|escluso|esclusioni|non incluso|исключения|не включено|винятки|не включено|"
    "wykluczenia|wyłączenia|hariç|dahil değil|不包括|不包含|排除|除外|除外事項",
    "Steps": "tasks|task list|work breakdown|action items|milestones|roadmap|implementation|execution|to do|todo|"
    "작업|작업 목록|할 일|구현|aufgaben|umsetzung|meilensteine|tâches|mise en œuvre|jalons|tareas|implementación|hitos|"
    "tarefas|implementação|marcos|attività|implementazione|задачи|реализация|завдання|реалізація|zadania|wdrożenie|"
    "görevler|uygulama|任务|任務|实施|實施|实现|里程碑|タスク|実装|作業",
    "Verification": "testing|tests|test strategy|testing strategy|testing plan|validation|qa|quality assurance|"
    "테스트|테스트 계획|테스트 방법|시험|test|teststrategie|validierung|abnahme|validation|essais|recette|pruebas|"
    "validación|testes|validação|collaudo|validazione|тестирование|тесты|тестування|тести|testy|testowanie|walidacja|"
    "testler|test planı|测试|測試|测试计划|測試計劃|テスト|テスト計画|動作確認",
    "Risks": "risk assessment|risk analysis|caveats|pitfalls|what could go wrong|dangers|위험성|우려 사항|"
    "risikoanalyse|gefahren|dangers|peligros|perigos|pericoli|опасности|небезпеки|zagrożenia|tehlikeler|注意点|懸念事項|懸念点|隐患",
    "Open Questions": "questions|unknowns|clarifications|open issues|open points|questions for you|to be clarified|"
    "질문|질문 사항|확인 사항|미해결 사항|확인 필요|fragen|rückfragen|klärungsbedarf|questions|points ouverts|"
    "points à clarifier|preguntas|dudas|puntos abiertos|perguntas|dúvidas|questões|pontos em aberto|domande|dubbi|"
    "punti aperti|вопросы|питання|запитання|pytania|sorular|疑问|疑問|待确认|待確認|待定|質問|質問事項|確認事項|不明点",
}

# What may stand beside a section in one title, "Risks & Mitigations", without being one itself.
COMPANIONS = word_set(
    "mitigation|mitigations|mitigation strategies|rollback|rollback plan|recovery|contingency|contingencies|"
    "dependencies|validation|testing|tests|test|acceptance|acceptance criteria|success criteria|checks|qa|"
    "review|context|background|motivation|overview|summary|rationale|purpose|vision|constraints|assumptions|"
    "requirements|deliverables|limitations|limits|boundaries|impact|issues|unknowns|decisions|next steps|tasks|"
    "milestones|timeline|estimates|effort|tradeoffs|trade offs|concerns|edge cases|완화|완화책|완화 방안|대응|대응책|"
    "대응 방안|"
    "롤백|테스트|배경|맥락|제약|제약 조건|가정|성공 기준|수락 기준|의존성|일정|작업|결정|gegenmaßnahmen|maßnahmen|"
    "hintergrund|annahmen|tests|"
    "atténuations|mesures|mitigaciones|mitigación|mitigações|mitigação|mitigazioni|contesto|contexto|contexte|"
    "меры|снижение|контекст|тесты|заходи|контекст|środki|kontekst|önlemler|bağlam|缓解|緩解|缓解措施|應對|应对|对策|"
    "對策|应对措施|"
    "测试|測試|背景|约束|假设|対策|軽減策|緩和策|テスト|制約|前提"
)

# What follows a title in languages that put it behind: particles, and words for a kind of text.
PARTICLES = words("은|는|이|가|을|를|의|에|로|으로|들|별|에대한|에대하여|에관한|을위한|를위한|について|に関する|的|の")
TEXT_KINDS = words(
    "계획|계획서|방법|방안|방식|전략|분석|평가|관리|정의|설정|설명|목록|사항|항목|내용|요약|개요|절차|정리|기술|명세|"
    "说明|說明|分析|评估|評估|管理|定义|定義|列表|清单|清單|事项|事項|内容|內容|概述|概要|总结|總結|方式|方法|方案|策略|计划|計劃|描述|"
    "説明|一覧|方針|計画|評価|まとめ|リスト|戦略|項目"
)


LONGEST = 160  # characters; what is longer is a sentence

_MARKUP = re.compile(r"<[^<>]*>|\{#[^{}]*\}|\]\([^()]*\)|[*_`\[\]#\u200b-\u200f\u2060\ufe0f]")
_HYPHENS = dict.fromkeys((*range(0x2010, 0x2016), ord("-"), ord("_")), " ")
_NUMBERED = re.compile(
    r"(?:(?:section|part|섹션|부분|abschnitt|section|sección|seção|sezione|раздел|розділ|bölüm|第)\s*)?"
    r"(?:\d{1,3}(?:\.\d{1,3})*(?:[.):]|\s+|(?=[^\W\d]))|[a-z][.)]\s|[ivx]{1,5}[.)]\s|[\u2460-\u249b\u2776-\u2793])\s*"
)
_NUMBER = re.compile(r"^\W*(?:\(?\d{1,2}[.):]\)?|[①-⑩]|[a-zA-Z][.)])?\s*")
_EDGES = re.compile(r"^(?:(?![(（])[\W_])+|(?:(?![)）])[\W_])+$")
_LEAD_IN = re.compile(r"[:：]| [–—-]+ ")
_REMARK = re.compile(r"\s*[(（][^()（）]*[)）]$")
_JOINT_CHARACTERS = frozenset("&/+,、・·|与與和及と")
_JOINT_WORDS = frozenset(("and", "und", "et", "y", "e", "ed", "и", "і", "та", "oraz", "i", "ve", "및", "와", "과"))
_JOINT = re.compile(
    rf" ?(?:[{re.escape(''.join(sorted(_JOINT_CHARACTERS)))}]|(?<!\S)(?:{'|'.join(sorted(_JOINT_WORDS))})(?!\S)) ?"
    r"|(?<=[\uac00-\ud7a3])[와과] "
)
_MOST_WORDS = 4  # of a title that only means a section
# Those whose words contain another's come first: "Non-Scope" before "Scope", "Open Questions" before "Goal".
_KIND_ORDER = ("Open Questions", "Non-Scope", "Risks", "Verification", "Steps", "Scope", "Goal")


class SectionTitles:
    """Titles and the sections that they open: the shipped words, more words from settings, and sections by name.

    `only_plain` leaves out the titles that stand for a section in a plan alone.
    """

    def __init__(
        self, sections: Sequence[str], more: Mapping[str, Sequence[str]] | None = None, *, only_plain: bool = False
    ) -> None:
        tables = (SECTION_ALIASES,) if only_plain else (ALIASES_IN_PLANS, SECTION_ALIASES)
        named = [(name, aliases) for table in tables for name, aliases in table.items()]
        self._meanings = {alias: name for name, aliases in named for alias in aliases.split("|")}
        for name in sections:
            if (folded := _fold(name)) not in self._meanings:
                self._meanings |= {folded: name, folded + "s": name}
        for name, titles in (more or {}).items():
            self._meanings.update((_fold(title), name) for title in titles)
        self._closed_up = {
            title.replace(" ", ""): name for title, name in self._meanings.items() if not title.isascii()
        }
        self._endings = PARTICLES if only_plain else PARTICLES + TEXT_KINDS
        self.required = {name: self._meanings[_fold(name)] for name in sections}

    def opened_by(self, title: str) -> frozenset[str]:
        if len(title) > LONGEST:
            return frozenset()
        plain = _without_marks(title)
        found = self._of(_fold(plain))
        lead_in = _LEAD_IN.search(plain) if not found else None
        return self._of(_fold(plain[: lead_in.start()])) if lead_in else found

    def opened_by_any(self, titles: Iterable[str]) -> set[str]:
        return {section for title in set(titles) for section in self.opened_by(title)}

    def _of(self, folded: str) -> frozenset[str]:
        whole = self._meaning(folded)
        if whole is not None:
            return frozenset((whole,))
        parts = [part for part in _JOINT.split(folded) if part]
        sections = [self._meaning(part) for part in parts]
        is_known = all(section or part in COMPANIONS for section, part in zip(sections, parts, strict=True))
        return frozenset(section for section in sections if section) if is_known else frozenset()

    def _meaning(self, folded: str) -> str | None:
        """The section that a title without "and" opens."""
        known = self._meanings.get(folded)
        if known is not None or folded.isascii():
            return known
        beginnings = [folded.replace(" ", "")]
        for text in beginnings:
            if text in self._closed_up:
                return self._closed_up[text]
            shorter = (text.removesuffix(end) for end in self._endings)
            beginnings += [found for found in dict.fromkeys(shorter) if found not in beginnings]
        return None


@lru_cache
def _titles() -> SectionTitles:
    return SectionTitles(SECTIONS)


@lru_cache(maxsize=16_384)
def name_sections(title: str) -> tuple[str, ...]:
    """Which of the seven sections a heading names, in their order; () where it names none, or a unit of work.

    What the judge of a draft takes for a section is one here. A plan is looked for more kindly than it is judged:
    titles that mean a section ("Implementation Steps") count as well.
    """
    opened = _titles().opened_by(title)
    names = tuple(name for name in SECTIONS if name in opened)
    if not names:
        plain = _NUMBER.sub("", title.replace("’", "'")).strip(" \t*_:：`.").lower()
        meant = (name for name in _KIND_ORDER if announces(name, plain))
        names = tuple(meant)[:1] if len(plain.split()) <= _MOST_WORDS else ()
    return () if names and names_unit(title) else names


def names_unit(title: str) -> bool:
    label = read_label(title)
    return bool(label.id) and label.word in UNIT_WORDS


def _without_marks(title: str) -> str:
    plain = _trim(_MARKUP.sub("", title).lower())
    if plain.isalpha():
        return plain
    numbered = _NUMBERED.match(plain)
    plain = plain[numbered.end() :] if numbered and numbered.end() < len(plain) else plain
    return _trim(_REMARK.sub("", plain) or plain) if plain.endswith((")", "）")) else plain


def _trim(text: str) -> str:
    return _EDGES.sub("", text)


def _fold(title: str) -> str:
    return " ".join(_trim(title.lower()).translate(_HYPHENS).split())
