"""The words of headings, entries and sentences that speak of work as a whole: what is left, what it brings.

Data only, as in `words`: a new language needs no code.
"""

from planrail.plans.words import word_set, words

# How an entry says that there is nothing to list.
NOTHING = word_set(
    "none|nothing|n/a|not applicable|keine|keiner|nichts|entfällt|aucun|aucune|néant|ninguno|ninguna|nada|nenhum|"
    "nenhuma|nessun|nessuna|niente|нет|отсутствует|немає|brak|yok|无|無|沒有|没有|なし|無し|없음|해당 없음"
)
NOTHING_FIRST = word_set("no|keine|kein|aucun|aucune|ningún|ninguna|nenhum|nenhuma|nessun|nessuna")
NOTHING_MORE = words(
    "by design|for now|at this time|required|needed|necessary|to do|identified|known|yet|here|erforderlich|nötig|"
    "requis|necesario"
)

# Words that stand beside a status in a heading over work: "Completed phases", "Remaining work".
GROUPED = word_set(
    "phases|tasks|work|items|steps|milestones|features|stages|sprints|issues|todos|things|the|all|already|still|"
    "so|far|to|be|of|list|bereits|schon|déjà|ya|já|già|уже|phasen|aufgaben|schritte|arbeiten|tâches|phases|étapes|travaux|les|fases|tareas|pasos|"
    "etapas|tarefas|las|as|compiti|attività|fasi|фазы|этапы|задачи|работы|zadania|etapy|fazy|görevler|aşamalar|"
    "阶段|階段|任务|任務|工作|功能|项目|項目|事项|事項|的|タスク|フェーズ|機能|作業|の|단계|작업|항목"
)
# Headings over work that somebody may do some day.
LATER = word_set(
    "next steps|future|future work|future phases|future enhancements|future improvements|future features|"
    "future tasks|future steps|later|backlog|remaining|open|roadmap ahead|what's next|what is next|upcoming|"
    "possible extensions|nice to have|nice-to-have|stretch goals|nächste phasen|fases siguientes|fases futuras|"
    "próximas fases|phases suivantes|phases futures|следующие фазы|nächste schritte|ausblick|später|"
    "próximos pasos|futuro|mejoras futuras|próximos passos|melhorias futuras|prochaines étapes|"
    "améliorations futures|évolutions futures|prossimi passi|sviluppi futuri|следующие шаги|будущее|"
    "дальнейшие шаги|następne kroki|sonraki adımlar|后续计划|後續計劃|下一步|未来计划|"
    "后续|后续优化|后续可选优化|后续工作|后续任务|可选优化|後続|今後|今後の予定|"
    "향후 계획|다음 단계"
)

# What a plan's status calls the work itself, as opposed to the planning of it.
WORK_NOUNS = words(
    "implementation|development|execution|coding|code|work|build|umsetzung|implementierung|entwicklung|"
    "implémentation|développement|implementación|desarrollo|ejecución|implementação|desenvolvimento|execução|"
    "implementazione|sviluppo|реализация|разработка|внедрение|realizacja|uygulama|genomförande|实施|實施|实现|"
    "實現|开发|開發|実装|開発|구현|개발"
)

# Words with which a sentence about a whole phase begins: "All tasks ...", "This phase ...".
WHOLE = word_set(
    "all|this|everything|alle|alles|diese|dieser|dieses|tous|toutes|tout|cette|ce|todas|todos|todo|esta|este|"
    "tutte|tutti|questa|questo|все|всё|эта|этот|весь|wszystkie|wszystko|ta|ten|tüm|bütün|bu|alla|allt|denna|"
    "allemaal|deze"
)

# Words in headings and labels over what work will bring, or why it is worth it.
PROMISES = words(
    "expected|outcome|result|benefit|advantage|pros|impact|effect|why |improvement|what we keep|goal|feature|"
    "deliverable|ergebnis|vorteil|nutzen|résultat|avantage|bénéfice|attendu|beneficio|resultado|ventaja|vantagem|"
    "benefício|vantaggi|benefici|risultat|результат|эффект|преимуществ|ожидаем|korzyś|wynik|结果|結果|效果|优势|"
    "優勢|好处|收益|価値|メリット|効果|결과|효과|장점|이점|기대"
)
