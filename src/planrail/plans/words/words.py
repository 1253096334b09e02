"""The words and signs that state how far work is, by meaning and language. Data only: a new language needs no code.

English, German, French, Spanish, Portuguese, Italian, Russian, Ukrainian, Polish, Turkish, Chinese (both scripts),
Japanese and Korean. All entries are lower case; the reader lowers what it compares.
"""

from planrail.plans.states import State


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split("|"))


def word_set(text: str) -> frozenset[str]:
    """The same, to look words up in."""
    return frozenset(words(text))


def _table(**columns: str) -> dict[str, State]:
    return {word: State(state) for state, column in columns.items() for word in words(column)}


# Words that state how far work is, wherever a status is expected: a tracker cell, a tag, a status line.
STATUS = _table(
    done="done|complete|completed|completion|finished|shipped|merged|landed|closed|resolved|implemented|delivered|"
    "verified|passed|released|deployed|achieved|fixed|all done|fully complete|fully done|fully implemented|"
    "complete and verified|code complete|implementation complete|completed successfully|live|yes|"
    "fertig|erledigt|abgeschlossen|umgesetzt|"
    "terminé|terminée|termine|fini|fait|achevé|complété|livré|"
    "hecho|hecha|completado|completada|terminado|terminada|finalizado|finalizada|listo|lista|"
    "completos|completas|concluído|concluída|concluido|concluida|feito|feita|pronto|completo|completa|"
    "fatto|completato|completata|finito|concluso|"
    "готово|готов|готова|завершено|завершён|завершен|завершена|завершены|выполнено|выполнен|выполнена|сделано|"
    "реализовано|закрыто|завершення|виконано|виконані|виконана|готові|реалізовано|сделаны|реализованы|"
    "gotowe|zrobione|ukończone|zakończone|"
    "tamamlandı|bitti|yapıldı|"
    "klaar|voltooid|afgerond|gereed|klar|klart|färdig|färdigt|slutförd|slutfört|avslutad|færdig|ferdig|fullført|valmis|tehty|"
    "hotovo|dokončeno|kész|befejezve|finalizat|finalizată|gata|selesai|hoàn tất|hoàn thành|đã hoàn thành|xong|đã xong|"
    "ολοκληρώθηκε|مكتمل|مكتملة|تم|منتهي|הושלם|בוצע|انجام شد|تکمیل شد|पूर्ण|पूरा|เสร็จแล้ว|เสร็จสิ้น|"
    "completadas|completados|terminadas|terminados|finalizadas|finalizados|concluídas|concluídos|completate|completati|"
    "terminées|terminés|achevée|achevées|réalisé|réalisée|wykonane|wykonano|zakończona|zakończony|ukończona|ukończony|"
    "выполнены|готовы|ejecutado|ejecutada|realizado|realizada|implementado|implementada|implementiert|committed|pushed|"
    "完成|已完成|完了|已实现|已實現|已实作|已實作|已修复|已修復|已上线|已交付|实现完成|全部完成|済|済み|完了済み|実装済み|対応済み|"
    "완료|완료됨|완성|끝",
    in_progress="in progress|in-progress|in_progress|inprogress|progress|wip|doing|started|ongoing|active|current|"
    "currently|underway|under way|implementing|working|work in progress|in work|in development|developing|running|"
    "in review|review|reviewing|ready for review|under review|in testing|testing|in qa|executing|researching|planning|"
    "revising|being implemented|begun|verifying|current phase|текущий этап|текущая фаза|aktuelle phase|当前阶段|現在のフェーズ|현재 단계|current step|current task|current focus|you are here|"
    "we are here|"
    "in arbeit|in bearbeitung|laufend|läuft|"
    "en cours|"
    "en progreso|en curso|en proceso|"
    "em andamento|em progresso|em curso|em desenvolvimento|"
    "in corso|"
    "в процессе|в работе|выполняется|в разработке|текущая|текущий|в процесі|в роботі|"
    "w toku|w trakcie|"
    "devam ediyor|"
    "bezig|in uitvoering|lopend|pågående|pågår|i gang|kesken|käynnissä|probíhá|rozpracováno|folyamatban|în curs|în lucru|"
    "sedang berjalan|dalam proses|sedang dikerjakan|đang làm|đang thực hiện|đang tiến hành|đang triển khai|σε εξέλιξη|"
    "قيد التنفيذ|جاري|בתהליך|בעבודה|در حال انجام|प्रगति में|กำลังดำเนินการ|begonnen|gestartet|iniciado|iniciada|iniciados|iniciadas|commencé|commencée|iniziato|iniziata|начато|начата|"
    "进行中|進行中|正在进行|开发中|開發中|实施中|實施中|執行中|执行中|作業中|対応中|着手|継続中|継続|実装中|処理中|"
    "진행 중|진행중|작업 중|작업중",
    todo="todo|to do|to-do|not started|not-started|not_started|notstarted|unstarted|pending|planned|open|queued|backlog|"
    "aguardando|aguarda|en espera|wartet|待确认|待審核|next up|not done|not yet|not yet started|not complete|not completed|not implemented|upcoming|scheduled|proposed|draft|"
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
    "noch nicht gestartet|nicht gestartet|noch nicht begonnen|noch offen|pas commencé|pas encore commencé|aún no iniciado|"
    "sin iniciar|ainda não iniciado|non ancora iniziato|ещё не начато|не начаты|niet gestart|nog niet gestart|te doen|gepland|"
    "ej påbörjad|ej påbörjat|inte påbörjad|att göra|planerad|ikke startet|ikke påbegynt|aloittamatta|nezahájeno|čeká|"
    "plánováno|tervezett|neînceput|planificat|belum|belum dimulai|chưa bắt đầu|chưa làm|chưa|δεν ξεκίνησε|لم يبدأ|معلق|"
    "טרם התחיל|ממתין|شروع نشده|लंबित|ยังไม่เริ่ม|unbegonnen|has not started|not begun|to be started|to start|awaiting|"
    "未开始|未開始|待完成|待执行|待執行|待实施|待验证|待测试|待办|待辦|待开始|待開始|待处理|待處理|待开发|待開發|待实现|待實現|计划中|計劃中|規劃中|规划中|未着手|予定|未対応|"
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
NOT_IN_TITLES = word_set(
    "yes|no|new|live|open|review|testing|planning|current|active|progress|ready|future|later|next|optional|draft|verified|"
    "running|working|doing|ongoing|laufend|en proceso|devam ediyor|継続|継続中|moved|removed|replaced|error|waiting|error|completion|release|closed|fixed|begun|"
    "researching|revising|verifying|reviewing|developing|executing|skip|na|next up|failing|failed|broken|listo|lista|"
    "pronto|completo|completa|fini|fait|partial|部分|取消|予定|保留|中断|着手|대기|보류|끝|completado|expanded|backlog|"
    "backlog|archived|implementing|started|remaining|deployed|scheduled|delivered|released|achieved|passed|incomplete"
)

# Of those again, the ones that state something where nothing but them stands in parentheses: "Phase 2: Search (current)".
PARTICIPLES = word_set(
    "current|active|started|begun|verified|closed|fixed|deployed|delivered|released|achieved|passed|archived|removed|moved|"
    "replaced|failed|incomplete|partial|completado|completo|completa|fini|fait|listo|lista|pronto|"
    "部分|取消|保留|中断|着手|予定|대기|보류|끝"
)

# Words before a done-word that take something back from it: "mostly complete", "almost done", "частично завершено".
QUALIFIERS = word_set(
    "mostly|partially|partly|almost|nearly|half|largely|teilweise|fast|presque|casi|quase|parcialmente|почти|частично|"
    "部分|一部|大部分|기본|거의|일부"
)
NEGATIONS = word_set("not|no|never|isn't|un|nicht|pas|não|non|не|ещё|еще|nie|未|没有|沒有|尚未|미|안")

# Words behind a done-word that take it back ("done, except ...") or make it a condition ("done when ...").
EXCEPTIONS = word_set("but|except|aber|außer|mais|sauf|pero|salvo|mas|ma|но|кроме|ale|但|除了|ただし|단")
CONDITIONS = word_set(
    "soon|tomorrow|later|eventually|pending|tbd|when|if|once|after|before|until|wenn|sobald|quand|cuando|si|quando|se|когда|если|gdy|当|的"
)

# Words that make a sentence a request, a plan or a rule.
UNDECIDED = word_set(
    "that|which|who|que|qui|які|который|которые|który|which|ensures|makes|allows|will|would|shall|should|must|may|might|can|could|to|need|needs|have-to|cannot|can't|unless|assuming|soll|sollen|sollte|muss|"
    "müssen|wird|werden|doit|doivent|sera|seront|debe|deben|será|serão|deve|devono|sarà|должна|должен|должны|будет|будут|musi|"
    "powinny|będą|ska|måste|moet|moeten"
)

# Words by which a plan says that the document is ready, which is not that the work has not begun.
PREPARED = word_set("ready|approved|final|accepted|reviewed")
# Words with which a status begins that says what a thing waits for: "ready-for-agent", "needs triage".
WAITING = word_set("ready|needs|need|awaiting|awaits|requires|wartet|braucht|attend|espera|requiere|ждёт|требует")
# Words by which a plan says that it is in force, rather than how far it is.
LIVE = word_set("active|live|current|aktiv|actif|activo|activa|ativo|ativa|attivo|активен|активный|活跃|有効|활성")

GLYPHS = _table(
    done="✅|✔|☑|✓|√|🟢|🏁|⬛|◼|●|🗹",
    in_progress="🟡|🔄|🚧|🔨|🏗|▶|⏩|🔧|🟠|◐|🏃|🔁|⚙|🛠|🔃|🌗|✏|📝|👷|🔶|🚜|🟨",
    todo="⬚|⬜|☐|□|◻|▢|⚪|🔲|🔳|⏳|⌛|📋|🕐|📅|○|◯|🔜|❌|✗|✘|✖|🆕|📌|🔵|🟦|❎|🗓|💤|🌑|📍|⏰|🔘",
    blocked="⛔|🚫|🔴|🛑|⏸|🔒|❗|🟥|‼",
    skipped="⏭|➖|⊘|🗑|🪦|🚮",
)
LIGHTS = "🟢🟡🟠🔴🔵⚪🟣"  # how things go, or how urgent they are, as often as how far they are
# A glyph that decorates as often as it states: it is read only where a status is expected, never at the end of a title.
# Signs that may stand before a status, whether they state something themselves or not.
PICTURES = "\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
DECORATIONS = frozenset("📝🔧🔨⚙🛠📋📅🗓📌📍✏🏗🆕●○◯🟦🔶⏰🔘🏃👷❗‼🔒🚜💤🔜")

# What stands in a check box; the Cyrillic letter is typed by mistake.
BOXES = _table(todo="| |_", done="x|X|х|v|V|✓|✔|✅|√", in_progress="~|>|…|◐", partial="/", skipped="-|—|–", blocked="!")
