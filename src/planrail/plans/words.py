"""The words planrail reads in plans, by meaning and language. Data only: a new language needs no code.

English, German, French, Spanish, Portuguese, Italian, Russian, Ukrainian, Polish, Turkish, Chinese (both scripts),
Japanese and Korean. All entries are lower case; the reader lowers what it compares.
"""

from planrail.plans.states import State


def _table(**columns: str) -> dict[str, State]:
    return {word.strip(): State(state) for state, words in columns.items() for word in words.split("|")}


# Words that state how far work is, wherever a status is expected: a tracker cell, a tag, a status line.
STATUS = _table(
    done="done|complete|completed|completion|finished|shipped|merged|landed|closed|resolved|implemented|delivered|"
    "verified|passed|released|deployed|achieved|fixed|all done|fully complete|fully done|fully implemented|"
    "complete and verified|code complete|implementation complete|completed successfully|live|d|yes|"
    "fertig|erledigt|abgeschlossen|umgesetzt|"
    "terminé|terminée|termine|fini|fait|achevé|complété|livré|"
    "hecho|hecha|completado|completada|terminado|terminada|finalizado|finalizada|listo|lista|"
    "concluído|concluída|concluido|concluida|feito|feita|pronto|completo|completa|"
    "fatto|completato|completata|finito|concluso|"
    "готово|готов|готова|завершено|завершён|завершен|завершена|завершены|выполнено|выполнен|выполнена|сделано|"
    "реализовано|закрыто|завершення|"
    "gotowe|zrobione|ukończone|zakończone|"
    "tamamlandı|bitti|yapıldı|"
    "完成|已完成|完了|已实现|已實現|已实作|已實作|已修复|已修復|已上线|已交付|实现完成|全部完成|済|済み|完了済み|実装済み|対応済み|"
    "완료|완료됨|완성|끝",
    in_progress="in progress|in-progress|in_progress|inprogress|progress|wip|doing|started|ongoing|active|current|"
    "currently|underway|under way|implementing|working|work in progress|in work|in development|developing|running|"
    "in review|review|reviewing|ready for review|under review|in testing|testing|in qa|executing|researching|planning|"
    "revising|being implemented|begun|next up|verifying|"
    "in arbeit|in bearbeitung|laufend|läuft|"
    "en cours|"
    "en progreso|en curso|en proceso|"
    "em andamento|em progresso|em curso|em desenvolvimento|"
    "in corso|"
    "в процессе|в работе|выполняется|в разработке|текущая|текущий|в процесі|в роботі|"
    "w toku|w trakcie|"
    "devam ediyor|"
    "进行中|進行中|正在进行|开发中|開發中|实施中|實施中|執行中|执行中|作業中|対応中|着手|継続中|継続|実装中|処理中|"
    "진행 중|진행중|작업 중|작업중",
    todo="todo|to do|to-do|not started|not-started|not_started|notstarted|unstarted|pending|planned|open|queued|backlog|"
    "not done|not yet|not yet started|not complete|not completed|not implemented|upcoming|scheduled|proposed|draft|"
    "drafted|future|new|waiting to start|to be done|tbd|no|ready|ready to start|ready-for-dev|ready for dev|"
    "ready for development|contexted|optional|later|next|outstanding|remaining|unplanned|unassigned|"
    "offen|ausstehend|nicht begonnen|geplant|zu erledigen|"
    "à faire|a faire|non commencé|en attente|prévu|planifié|"
    "pendiente|por hacer|sin empezar|no iniciado|no iniciada|planificado|planificada|"
    "pendente|a fazer|não iniciado|não iniciada|planejado|planejada|"
    "da fare|non iniziato|pianificato|"
    "не начато|не начата|не начат|ожидает|запланировано|запланирована|к выполнению|в планах|не выполнено|не готово|"
    "заплановано|не розпочато|"
    "do zrobienia|nierozpoczęte|oczekuje|planowane|"
    "bekliyor|yapılacak|başlamadı|"
    "未开始|未開始|待办|待辦|待开始|待開始|待处理|待處理|待开发|待開發|待实现|待實現|计划中|計劃中|規劃中|规划中|未着手|予定|未対応|"
    "未实现|未實現|未实作|未實作|未完成|未完了|待定|"
    "예정|대기|대기 중|미착수|시작 전|미완료|할 일",
    partial="partial|partially|partially done|partially complete|partially completed|partially implemented|mostly done|"
    "mostly complete|mostly completed|mostly implemented|almost done|almost complete|nearly done|nearly complete|"
    "incomplete|half done|partly done|teilweise|teilweise erledigt|partiel|partielle|parcial|parcialmente|parziale|"
    "частично|частично завершено|частично выполнено|частично готово|częściowo|kısmen|"
    "部分完成|部分|部分完了|一部完了|部分实现|부분 완료|일부 완료",
    blocked="blocked|on hold|on-hold|paused|waiting|stalled|suspended|stuck|needs decision|failed|failing|error|broken|"
    "blockiert|pausiert|bloqué|bloquée|bloqueado|bloqueada|pausado|bloccato|заблокировано|приостановлено|на паузе|"
    "заблоковано|zablokowane|engellendi|阻塞|被阻塞|已阻塞|暂停|暫停|受阻|ブロック|保留|中断|차단|차단됨|보류",
    skipped="skipped|skip|deferred|postponed|cancelled|canceled|abandoned|dropped|won't do|wont do|wontfix|won't fix|n/a|"
    "na|not applicable|not needed|obsolete|superseded|removed|descoped|out of scope|rejected|archived|expanded|"
    "moved|merged into|replaced|withdrawn|not planned|"
    "übersprungen|verworfen|zurückgestellt|entfällt|reporté|reportée|annulé|annulée|ignoré|ignorée|omitido|omitida|"
    "cancelado|cancelada|aplazado|aplazada|adiado|adiada|ignorado|saltato|annullato|rimandato|"
    "пропущено|отложено|отложена|отменено|отменена|скасовано|відкладено|pominięte|anulowane|odłożone|iptal|ertelendi|"
    "跳过|跳過|已跳过|已取消|取消|延期|已延期|推迟|推遲|搁置|擱置|废弃|不需要|スキップ|延期済み|中止|見送り|"
    "건너뜀|취소|취소됨|연기|연기됨",
)

# Of these, the ones that are too ordinary to be a status at the end of a title: "Phase 2: Review", "Step 3 - Testing".
NOT_IN_TITLES = frozenset(
    "d|yes|no|new|live|open|review|testing|planning|current|active|progress|ready|future|later|next|optional|draft|verified|"
    "running|working|doing|moved|removed|replaced|error|waiting|error|completion|release|closed|fixed|begun|"
    "researching|revising|verifying|reviewing|developing|executing|skip|na|next up|failing|failed|broken|listo|lista|"
    "pronto|completo|completa|fini|fait|partial|部分|取消|予定|保留|中断|着手|대기|보류|끝|completado|expanded|backlog|"
    "backlog|archived|implementing|started|remaining|deployed|scheduled|delivered|released|achieved|passed|incomplete".split("|")
)

# Words before a done-word that take something back from it: "mostly complete", "almost done", "частично завершено".
QUALIFIERS = frozenset(
    "mostly|partially|partly|almost|nearly|half|largely|teilweise|fast|presque|casi|quase|parcialmente|почти|частично|"
    "部分|一部|大部分|기본|거의|일부".split("|")
)
NEGATIONS = frozenset("not|no|never|isn't|un|nicht|pas|não|non|не|ещё|еще|nie|未|没有|沒有|尚未|미|안".split("|"))

# Words behind a done-word that take it back ("done, except ...") or make it a condition ("done when ...").
EXCEPTIONS = frozenset("but|except|aber|außer|mais|sauf|pero|salvo|mas|ma|но|кроме|ale|但|除了|ただし|단".split("|"))
CONDITIONS = frozenset("when|if|once|after|before|until|wenn|sobald|quand|cuando|si|quando|se|когда|если|gdy|当|的".split("|"))

GLYPHS = _table(
    done="✅|✔|☑|✓|🟢|🏁|⬛|◼|●|🗹",
    in_progress="🟡|🔄|🚧|🔨|🏗|▶|⏩|🔧|🟠|◐|🏃|🔁|⚙|🛠|🔃|🌗|✏|📝|👷|🔶|🚜|🟨",
    todo="⬚|⬜|☐|□|◻|▢|⚪|🔲|🔳|⏳|⌛|📋|🕐|📅|○|◯|🔜|❌|✗|✘|✖|🆕|📌|🔵|🟦|❎|🗓|💤|🌑|📍|⏰|🔘",
    blocked="⛔|🚫|🔴|🛑|⏸|🔒|❗|🟥|‼",
    skipped="⏭|➖|⊘|🗑|🪦|🚮",
)
# A glyph that decorates as often as it states: it is read only where a status is expected, never at the end of a title.
DECORATIONS = frozenset("📝🔧🔨⚙🛠📋📅🗓📌📍✏🏗🆕●○◯🟦🔶⏰🔘🏃👷❗‼🔒🚜💤🔜")

BOXES = {
    "": State.TODO,
    " ": State.TODO,
    "_": State.TODO,
    "x": State.DONE,
    "X": State.DONE,
    "х": State.DONE,  # the Cyrillic letter, typed by mistake
    "v": State.DONE,
    "V": State.DONE,
    "✓": State.DONE,
    "✔": State.DONE,
    "✅": State.DONE,
    "√": State.DONE,
    "~": State.IN_PROGRESS,
    ">": State.IN_PROGRESS,
    "…": State.IN_PROGRESS,
    "◐": State.IN_PROGRESS,
    "/": State.PARTIAL,
    "-": State.SKIPPED,
    "—": State.SKIPPED,
    "–": State.SKIPPED,
    "!": State.BLOCKED,
}

# Keys of a line that states something about the section it stands in.
STATUS_KEYS = frozenset(
    "status|state|current status|overall status|phase status|task status|implementation status|plan status|"
    "project status|step status|progress status|completion status|stand|zustand|statut|état|etat|estado|situação|stato|"
    "статус|состояние|текущий статус|стан|stan|durum|状态|狀態|当前状态|當前狀態|进度状态|状況|ステータス|状態|進捗|상태|진행 상태".split(
        "|"
    )
)
DEPENDENCY_KEYS = frozenset(
    "depends on|depends|dependencies|dependency|dependent on|blocked by|requires|prerequisite|prerequisites|pre-requisites|"
    "needs|after|abhängig von|abhängigkeiten|dépend de|dépendances|depende de|dependencias|dependências|dipende da|"
    "зависит от|зависимости|залежить від|依赖|依賴|前置|前置条件|前置條件|依存|依存関係|의존|의존성|선행".split("|")
)

# What a unit of work is called, by language; the value is its rank: lower ranks are likelier to be the plan's phases.
UNIT_WORDS = {
    "phase": 0,
    "phases": 0,
    "stage": 1,
    "milestone": 1,
    "sprint": 1,
    "iteration": 1,
    "step": 2,
    "task group": 1,
    "task": 2,
    "work package": 1,
    "workstream": 1,
    "work stream": 1,
    "work item": 3,
    "epic": 1,
    "version": 1,
    "release": 1,
    "versión": 1,
    "versão": 1,
    "versione": 1,
    "версия": 1,
    "版本": 1,
    "バージョン": 1,
    "버전": 1,
    "story": 2,
    "user story": 3,
    "chunk": 2,
    "slice": 1,
    "increment": 1,
    "wave": 1,
    "part": 2,
    "block": 3,
    "module": 3,
    "week": 3,
    "day": 3,
    "level": 3,
    "round": 3,
    "batch": 3,
    "track": 3,
    "pr": 2,
    "commit": 3,
    "feature": 3,
    "item": 3,
    "unit": 2,
    "priority": 3,
    "tier": 3,
    "etappe": 0,
    "schritt": 2,
    "aufgabe": 2,
    "meilenstein": 1,
    "étape": 1,
    "etape": 1,
    "tâche": 2,
    "jalon": 1,
    "fase": 0,
    "etapa": 1,
    "paso": 2,
    "passo": 2,
    "tarea": 2,
    "tarefa": 2,
    "hito": 1,
    "marco": 1,
    "tappa": 1,
    "passaggio": 2,
    "фаза": 0,
    "этап": 0,
    "шаг": 2,
    "задача": 2,
    "спринт": 1,
    "веха": 1,
    "стадия": 1,
    "этапы": 0,
    "етап": 0,
    "крок": 2,
    "faza": 0,
    "etap": 0,
    "krok": 2,
    "zadanie": 2,
    "aşama": 0,
    "adım": 2,
    "görev": 2,
    "阶段": 0,
    "階段": 0,
    "步骤": 2,
    "步驟": 2,
    "任务": 2,
    "任務": 2,
    "里程碑": 1,
    "迭代": 1,
    "フェーズ": 0,
    "フェイズ": 0,
    "段階": 0,
    "ステップ": 2,
    "タスク": 2,
    "マイルストーン": 1,
    "スプリント": 1,
    "단계": 0,
    "페이즈": 0,
    "스텝": 2,
    "작업": 2,
    "태스크": 2,
    "마일스톤": 1,
    "스프린트": 1,
}

# Headings and labels over boxes that are criteria of success, not work.
CRITERIA = (
    "criteria|criterion|acceptance|definition of done|(dod)|success metric|done when|exit condition|quality gate|"
    "akzeptanz|kriterien|critère|criterio|critério|критери|определение готовности|готовност|критерії|kryteria|kriter|"
    "验收|驗收|標準|标准|完了条件|受け入れ|受入|완료 조건|수락"
).split("|")
# Headings over boxes that are neither work nor, by themselves, criteria: checklists, reviews, questions, risks.
ASIDES = (
    "checklist|verification|validation|review|sign-off|sign off|compliance|prerequisite|pre-requisite|constitution|"
    "open question|question|risk|out of scope|non-goal|not doing|assumption|reference|note|follow-up|follow up|future|"
    "decision|glossary|appendix|legend|resources|приёмк|приемк|offene fragen|риск|вопрос|检查清单|檢查清單|チェックリスト|"
    "確認項目|체크리스트|검증|风险|問題|リスク|위험"
).split("|")
# Headings and header cells that announce a list or table of the plan's units.
TRACKER_TITLES = (
    "progress|tracker|status|phases|phase overview|roadmap|milestones|tasks|task list|overview|summary|todo|plan|backlog|"
    "sprint|steps|fortschritt|übersicht|progreso|progresso|avancement|прогресс|статус|план|фазы|этапы|дорожная карта|"
    "进度|進度|状态|狀態|总览|概览|任务|進捗|状況|一覧|진행|현황"
).split("|")
# Headings whose counted sub-headings are steps of work, marked or not: "## Implementation Steps".
STEP_TITLES = (
    "steps|step-by-step|step by step|phases|stages|milestones|task list|tasks|work plan|implementation order|execution order|"
    "execution plan|schritte|umsetzung|étapes|pasos|passos|etapas|fases|passi|шаг|этап|крок|kroki|etapy|adımlar|"
    "步骤|步驟|阶段|階段|任务|任務|手順|ステップ|タスク|フェーズ|단계|작업"
).split("|")
LEGEND_TITLES = ("legend", "légende", "legende", "leyenda", "legenda", "легенда", "图例", "圖例", "凡例", "범례", "symbol", "status key", "emoji")
TABLE_STATUS = STATUS_KEYS | frozenset(
    "done|done?|complete|complete?|completed|completed?|✓|✔|✅|progress|completion|progression|progreso|progresso|avancement|fortschritt|进度|進度|完成|完成情况|진행|현황|"
    "готово|прогресс|fertig|erledigt|hecho|feito|fatto|fait".split("|")
)
TABLE_KEYS = frozenset(
    "#|no|no.|nr|nr.|n°|id|name|title|item|description|feature|component|deliverable|what|goal|wp|story|requirement|"
    "area|topic|scope|action|todo|issue|задача|название|описание|номер|№|序号|編號|编号|名称|項目|项目|内容|功能|번호|항목|이름".split(
        "|"
    )
)

NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
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
    for word in words.split("|")
}
