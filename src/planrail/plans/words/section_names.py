"""How the sections of plans are headed, in many languages."""

import re
from functools import lru_cache

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
    "Constraints": "constraint|guardrail|guard rail|invariant|must not|must keep|must stay|do not|don't|hard rule|"
    "ground rule|non-negotiable|forbidden|prohibited|einschränkung|randbedingung|rahmenbedingung|vorgaben|verboten|"
    "contrainte|interdit|restriccion|restricción|prohibid|restriç|proibid|vincol|vietat|ограничени|запрет|обмеженн|"
    "заборон|ogranicze|kısıt|约束|約束|禁止|制約|제약|금지",
    "Design": "design|architecture|key decision|technical decision|interface|data model|technical context|tech stack|"
    "technical approach|entwurf|architektur|schnittstelle|conception|diseño|arquitectura|arquitetura|progettazione|"
    "architettura|архитектур|дизайн|архітектур|architektura|tasarım|mimari|设计|設計|架构|架構|アーキテクチャ|설계|아키텍처",
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
_BOTH = re.compile(r"goals?\s*(?:&|and|/|\+|,|und|et|y|e)\s*non-?\s?goals?")
_OUTSIDE_PHASES = frozenset(("Goal", "Scope", "Non-Scope", "Open Questions"))


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
