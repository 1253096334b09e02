"""The words of headings, entries and sentences that speak of work as a whole: what is left, what it brings.

Data only, as in `words`: a new language needs no code.
"""

from planrail.plans.words.words import word_set, words

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
# Headings over work that may be done some day.
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

# How the words behind a command say that it succeeds, besides the English ones: `command_outcomes` has their grammar.
SUCCEEDS = words(
    "besteht|bestehen|läuft|laufen|gelingt|gelingen|klappt|funktioniert|funktionieren|erfolgreich|ist erfolgreich|"
    "ist grün|sind grün|grün sein|ist sauber|grün|passe|passent|passer|réussit|réussissent|réussir|réussi|fonctionne|"
    "aboutit|est vert|est verte|pasa|pasan|pasar|funciona|funcionan|tiene éxito|con éxito|en verde|passa|passam|"
    "passar|funcionam|com sucesso|é bem-sucedido|passano|riesce|riescono|funziona|ha successo|con successo|è verde|"
    "проходит|проходят|пройти|работает|успешно|завершается успешно|проходить|проходять|працює|успішно|przechodzi|"
    "przechodzą|działa|kończy się sukcesem|geçer|geçiyor|geçmeli|başarılı|çalışır|slaagt|slagen|werkt|lyckas|"
    "fungerar|går igenom|通过|通過|全部通过|全部通過|成功|执行成功|執行成功|运行成功|運行成功|正常|通る|合格|"
    "パスする|正常終了|모두 통과|통과|성공|정상"
)
NO_FAULTS = words(
    "fehlerfrei|ohne fehler|keine fehler|sans erreur|sans erreurs|aucune erreur|sin errores|sin error|sem erros|"
    "sem erro|senza errori|без ошибок|без помилок|bez błędów|hatasız|无错误|無錯誤|没有错误|不报错|エラーなし|"
    "エラー無し|오류 없이|에러 없이|오류 없음"
)
# How they say that it fails. Only for the reason that is told: what is not known to be a success is none.
FAILS = words(
    "schlägt|scheitert|scheitern|bricht|échoue|échouent|falla|fallan|fracasa|falha|falham|fallisce|falliscono|падает|"
    "падают|завершается с ошибкой|ошибка|помилка|zawodzi|kończy się błędem|başarısız|hata|失敗|失败|报错|報錯|エラー|"
    "실패|오류|なし"
)
# Words that turn it around, wherever they stand in its clause.
DENIALS = words(
    "nicht|kein|keine|nie|niemals|nirgends|ne|pas|jamais|nunca|jamás|não|nem|mai|не|ні|никогда|ніколи|nigdy|değil|"
    "asla|niet|inte|不|未|没|沒|ない|ません|않|못|안 "
)
# Words that leave it open whether it has to: "exits 0 or 1", "passes only on Windows".
ALTERNATIVES = words(
    "or|only|unless|except|manual|manually|manuell|manuel|oder|nur|außer|ou|seulement|sauf|solo|solamente|salvo|só|"
    "apenas|soltanto|или|только|кроме|або|тільки|lub|tylko|veya|sadece|或|或者|只|仅|除了|または|のみ|だけ|또는|만 |"
    "제외"
)
# What has to be, before a verb.
MUST = words(
    "muss|müssen|soll|sollen|sollte|doit|doivent|debe|deben|deve|devem|devono|должен|должна|должно|должны|має|musi|"
    "muszą|必须|必須|應|应|能|可以|は|が|를|을|이|가|도"
)
# What may go on behind such a success without taking anything from it.
GOES_ON = words(
    "and|with|without|on|in|for|from|at|across|against|under|within|after|when|while|once|via|by|using|as|to|if|then|"
    "but|plus|all|both|every|each|the|this|its|these|again|locally|cleanly|successfully|fully|reliably|repeatedly|"
    "consistently|always|twice|everywhere|there|here|too|today|now|because|any|und|auf|im|mit|ohne|für|nach|unter|"
    "durch|fehlerfrei|sauber|erfolgreich|weiterhin|wieder|et|sur|dans|avec|sans|pour|après|toujours|y|en|con|sin|"
    "para|después|e|em|com|sem|após|su|per|senza|dopo|и|на|в|с|без|для|после|успешно|з|після|i|w|z|na|bez|dla|po"
)
# Words of a label before a command that is there to be run, or that shows that something is as it should be.
AFFIRMS = words(
    "pass|passes|passing|succeed|succeeds|green|clean|cleanly|ok|work|works|valid|validates|validate|validation|"
    "exist|exists|present|has|have|contain|contains|include|includes|updated|added|created|installed|intact|"
    "preserved|correct|available|executable|registered|apply|applies|test|tests|suite|lint|linter|linting|build|"
    "builds|compile|compiles|type|types|typecheck|type-check|format|formatting|formatted|coverage|check|checks|"
    "verify|verified|verification|automated|automatic|run|command|commands|ci|smoke|unit|integration|e2e|regression|"
    "gate|proof|prüfung|prüfen|prüfe|bestehen|vérification|vérifier|verificación|verificar|prueba|pruebas|"
    "verificação|teste|testes|verifica|prova|проверка|тест|тесты|сборка|линтер|перевірка|тести|testy|sprawdzenie|"
    "testler|测试|測試|验证|驗證|检查|檢查|构建|編譯|编译|通过|通過|テスト|検証|確認|ビルド|테스트|검증|빌드|통과"
)
# Words of one that says what is not, or no more.
ABSENT = words(
    "no|without|nothing|none|empty|gone|removed|deleted|dropped|absent|missing|rejected|refused|denied|forbidden|"
    "blocked|red|negative|weg|entfernt|gelöscht|fehlt|ohne|supprimé|sans|eliminado|borrado|sin|removido|sem|rimosso|"
    "senza|удалён|удалено|нет|без|usunięte|brak|bez|silindi|删除|移除|刪除|没有|沒有|无|無|削除|なし|삭제|없음"
)
