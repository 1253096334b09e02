"""The words by which plans name things: keys of lines, units of work, kinds of sections, columns of tables, numbers.

Data only, as in `words`: a new language needs no code.
"""

from planrail.plans.words.words import word_set, words

# Keys of a line that states something about the section it stands in.
STATUS_KEYS = word_set(
    "status|state|current status|overall status|phase status|task status|implementation status|plan status|"
    "project status|step status|progress status|completion status|stand|zustand|statut|état|etat|estado|situação|stato|"
    "статус|состояние|текущий статус|стан|stan|durum|状态|狀態|当前状态|當前狀態|进度状态|状況|ステータス|状態|進捗|상태|진행 상태"
)
DEPENDENCY_KEYS = word_set(
    "depends on|depends|dependencies|dependency|dependent on|blocked by|requires|prerequisite|prerequisites|pre-requisites|"
    "needs|after|abhängig von|abhängigkeiten|dépend de|dépendances|depende de|dependencias|dependências|dipende da|"
    "зависит от|зависимости|залежить від|依赖|依賴|前置|前置条件|前置條件|依存|依存関係|前提|先行|"
    "의존|의존성|의존 관계|의존 단계|선행|선행 단계|선행 조건|선행 작업"
)
# How a line or a heading says where the work is now: "Current phase: 3", "Currently in Phase 3".
CURRENT_KEYS = word_set(
    "current phase|current step|current task|current milestone|current stage|current sprint|active phase|active task|"
    "active milestone|currently|currently in|currently on|currently at|now|now in|now at|where we are|we are here|"
    "current position|aktuelle phase|aktueller schritt|phase actuelle|étape actuelle|fase actual|etapa actual|"
    "fase atual|etapa atual|fase attuale|текущая фаза|текущий этап|текущий шаг|当前阶段|當前階段|现阶段|当前任务|"
    "現在のフェーズ|現在の段階|현재 단계|현재 페이즈"
)

# What a unit of work is called, by language; the value is its rank: lower ranks are likelier to be the plan's phases.
UNIT_WORDS = {
    word: rank
    for rank, column in enumerate(
        (
            "phase|giai đoạn|fas|vaihe|fáze|fázis|tahap|φάση|المرحلة|שלב|مرحله|चरण|ระยะ|etappe|fase|фаза|этап|"
            "этапы|етап|faza|etap|aşama|阶段|階段|フェーズ|フェイズ|段階|단계|페이즈",
            "stage|milestone|sprint|iteration|task group|work package|workstream|work stream|epic|version|"
            "release|versión|versão|versione|версия|版本|バージョン|버전|slice|increment|wave|welle|arbeitspaket|"
            "mijlpaal|vague|onda|ola|волна|fala|iteración|iteração|итерация|meilenstein|étape|etape|jalon|"
            "etapa|hito|marco|tappa|спринт|веха|стадия|里程碑|迭代|マイルストーン|スプリント|마일스톤|스프린트",
            "step|task|story|chunk|bước|nhiệm vụ|stap|taak|steg|uppgift|lépés|úkol|langkah|tugas|trin|opgave|"
            "βήμα|الخطوة|ขั้นตอน|lot|part|pr|unit|schritt|aufgabe|tâche|paso|passo|tarea|tarefa|passaggio|шаг|"
            "задача|крок|krok|zadanie|adım|görev|步骤|步驟|任务|任務|ステップ|タスク|스텝|작업|태스크",
            "work item|user story|bloc|bloque|bloco|блок|semana|semaine|woche|неделя|block|module|week|주차|일차|"
            "день|tag|jour|día|dia|giorno|day|level|round|batch|track|commit|feature|item|priority|优先级|優先級|"
            "tier",
        )
    )
    for word in words(column)
}

# Words that are counted as units are, but never are work.
NO_UNITS = word_set(
    "option|approach|alternative|variant|strategy|example|appendix|figure|table|chapter|page|risk|question|scenario|"
    "decision|principle|assumption|persona|hypothesis|lesson|observation|note|goal|objective|problem|layer|pillar|"
    "variante|beispiel|anhang|abbildung|tabelle|kapitel|risiko|frage|szenario|entscheidung|ziel|opción|opción|ejemplo|"
    "anexo|riesgo|pregunta|escenario|opção|exemplo|risco|pergunta|exemple|annexe|risque|scénario|décision|opzione|esempio|"
    "вариант|пример|приложение|риск|вопрос|сценарий|решение|рисунок|таблица|opcja|przykład|ryzyko"
)
# Headings and labels over boxes that are criteria of success, not work.
CRITERIA = words(
    "criteria|criterion|acceptance|definition of done|(dod)|success metric|done when|erfolgsmetrik|métricas de|metriche di successo|"
    "indicateurs de succès|метрики успеха|成功指标|成功指標|성공 지표|exit condition|quality gate|"
    "akzeptanz|kriterien|critère|criterio|critério|критери|определение готовности|готовност|критерії|kryteria|kriter|"
    "验收|驗收|標準|标准|完了条件|受け入れ|受入|완료 조건|완료 기준|수락|인수 조건|인수 기준|수용 기준|수용 조건|승인 기준|검증 기준|성공 기준|합격 기준"
)
# Last words of headings over boxes that are neither work nor criteria: checklists, questions, risks.
ASIDES = word_set(
    "checklist|checklists|question|questions|risk|risks|mitigations|scope|non-goals|doing|assumptions|references|notes|"
    "follow-up|follow-ups|glossary|appendix|legend|resources|prerequisites|constraints|decisions|considerations|guidelines|"
    "principles|invariants|limitations|caveats|gotchas|pitfalls|warnings|"
    "приёмка|приемка|fragen|риски|вопросы|检查清单|檢查清單|チェックリスト|確認項目|체크리스트|검증|风险|問題|リスク|위험"
)
# First or last words of headings over what every document has: no work.
DOCUMENT_PARTS = word_set(
    "background|rationale|overview|introduction|context|goal|goals|objective|objectives|summary|architecture|strategy|motivation|"
    "scope|requirements|approach|assumptions|references|appendix|conclusion|vision|purpose|problem|principles|decisions|constraints|"
    "considerations|stack|structure|diagram|glossary|faq|timeline|estimates|estimation|budget|team|roles|stakeholders|metrics|"
    "kpis|risks|dependencies|deliverables|questions|notes|changelog|history|resources|links|analysis|findings|audit|"
    "hintergrund|überblick|übersicht|einleitung|kontext|ziel|ziele|zielsetzung|zusammenfassung|architektur|strategie|motivation|"
    "umfang|anforderungen|risiken|fragen|fazit|contexte|objectif|objectifs|résumé|introduction|risques|contexto|objetivo|objetivos|"
    "resumen|resumo|introducción|introdução|riesgos|riscos|arquitectura|arquitetura|contesto|obiettivi|obiettivo|rischi|sintesi|"
    "контекст|цель|цели|обзор|введение|архитектура|риски|вывод|итоги|cel|cele|kontekst|ryzyka|podsumowanie|amaç|"
    "背景|目标|目標|概述|概要|简介|架构|架構|总结|總結|风险|目的|構成|まとめ|リスク|개요|목표|배경|요약|아키텍처|구조"
)
# Headings and header cells that announce a list or table of the plan's units.
TRACKER_TITLES = words(
    "progress|tracker|status|phases|phase overview|roadmap|milestones|tasks|task list|overview|summary|todo|plan|backlog|"
    "sprint|steps|fortschritt|übersicht|progreso|progresso|avancement|прогресс|статус|план|фазы|этапы|дорожная карта|"
    "进度|進度|状态|狀態|总览|概览|任务|計画|计划|計劃|待办|待辦|清单|進捗|状況|一覧|予定|진행|현황|계획|일정|할 일"
)
# Headings whose counted sub-headings are steps of work, marked or not: "## Implementation Steps".
# Last words of headings over the steps of a plan: "Minimal refactor plan".
PLAN_ENDS = words("plan|roadmap|план|计划|計劃|方案|計画|계획|aktionsplan|umsetzungsplan")
# Words by which a document is called a list of work.
TODO_TITLES = words(
    "todo|to-do|to do|task list|待办|待辦|やること|할 일|aufgabenliste|liste des tâches|tareas pendientes"
)
STEP_TITLES = words(
    "steps|step-by-step|step by step|phases|stages|milestones|task list|tasks|task breakdown|work breakdown|work plan|implementation order|execution order|build order|order of work|"
    "execution plan|schritte|umsetzung|étapes|pasos|passos|etapas|fases|passi|шаг|этап|крок|kroki|etapy|adımlar|"
    "步骤|步驟|阶段|階段|任务|任務|手順|ステップ|タスク|フェーズ|단계|작업"
)
LEGEND_TITLES = words("legend|légende|legende|leyenda|legenda|легенда|图例|圖例|凡例|범례|symbol|status key|emoji")
TOTALS = word_set(
    "total|totals|sum|overall|all|gesamt|summe|total général|totale|итого|всего|разом|razem|toplam|合计|总计|合計|總計|합계"
)
TABLE_NUMBERS = word_set("#|no|no.|nr|nr.|n°|№|id|номер|序号|編號|编号|번호")
# Columns that name a row by a ticket, where nothing else does.
TABLE_TICKETS = word_set("ticket|tickets|key|jira|ref|code|issue|fall|vorgang|тикет|ключ|код|工单|チケット|티켓")
# Columns that are ticked rather than filled in.
TABLE_TICKS = word_set(
    "done|complete|completed|✓|✔|✅|fertig|erledigt|hecho|feito|fatto|fait|готово|完成|완료|gotowe|tamamlandı"
)
TABLE_STATUS = STATUS_KEYS | word_set(
    "done|done?|complete|complete?|completed|completed?|✓|✔|✅|progress|completion|progression|progreso|progresso|avancement|fortschritt|进度|進度|完成|完成情况|진행|현황|"
    "готово|прогресс|fertig|erledigt|hecho|feito|fatto|fait"
)
TABLE_KEYS = word_set(
    "#|no|no.|nr|nr.|n°|id|name|title|item|description|feature|component|deliverable|what|goal|wp|story|requirement|"
    "area|topic|scope|action|todo|issue|задача|название|описание|номер|№|序号|編號|编号|名称|項目|项目|内容|功能|번호|항목|이름"
)

NUMBER_WORDS = {
    word: str(number)
    for number, spellings in enumerate(
        (
            "zero|null|ноль|零",
            "one|eins|un|uno|um|один|первая|первый|一|壹|①",
            "two|zwei|deux|dos|dois|due|два|вторая|второй|二|贰|②",
            "three|drei|trois|tres|três|tre|три|третья|третий|三|叁|③",
            "four|vier|quatre|cuatro|quatro|quattro|четыре|четвёртая|четвертая|四|④",
            "five|fünf|cinq|cinco|cinque|пять|пятая|五|⑤",
            "six|sechs|seis|sei|шесть|шестая|六|⑥",
            "seven|sieben|sept|siete|sete|sette|семь|седьмая|七|⑦",
            "eight|acht|huit|ocho|oito|otto|восемь|восьмая|八|⑧",
            "nine|neun|neuf|nueve|nove|девять|девятая|九|⑨",
            "ten|zehn|dix|diez|dez|dieci|десять|десятая|十|⑩",
        )
    )
    for word in words(spellings)
}
