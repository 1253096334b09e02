"""The words of headings in the plans that coding agents write: changes, files, context. Data only."""

from planrail.plans.words.words import word_set, words

# One of these makes a heading one of changes, where all its other words are among those beside them.
CHANGES = word_set(
    "changes|change|implementation|approach|solution|fix|fixes|modifications|edits|steps|tasks|plan|updates|work|todo|"
    "todos|actions|"
    "refactor|refactoring|execution|proposal|design|"
    "änderungen|umsetzung|vorgehen|lösung|schritte|implementierung|maßnahmen|arbeitsschritte|modifications|"
    "changements|implémentation|"
    "étapes|approche|cambios|implementación|pasos|enfoque|solución|alterações|mudanças|implementação|passos|abordagem|"
    "solução|etapas|"
    "modifiche|implementazione|passi|approccio|soluzione|изменения|реализация|шаги|подход|решение|план|зміни|zmiany|"
    "kroki|implementacja|"
    "wijzigingen|stappen|ändringar|steg|değişiklikler|adımlar"
)
BESIDE_CHANGES = word_set(
    "proposed|key|code|required|details|detailed|items|to|make|do|what|will|the|of|order|sequence|technical|step|by|"
    "per|breakdown|main|core|"
    "planned|needed|necessary|concrete|specific|suggested|recommended|we|ll|need|in|for|and|a|file|files|module|"
    "component|components|layer|"
    "backend|frontend|minimal|overall|high|level|list|be|made|with|my|our|this|die|der|das|zu|geplante|notwendige|"
    "technische|mise|en|œuvre|"
    "les|des|de|du|à|propuestos|los|las|propostas|as|os|da|previste|le|предлагаемые|необходимые|по|шагам|konkrete"
)
FILES = word_set(
    "files|file|dateien|datei|fichiers|fichier|archivos|archivo|ficheros|arquivos|arquivo|ficheiros|file|файлы|файлов|"
    "pliki|bestanden|dosyalar"
)
BESIDE_FILES = word_set(
    "changed|modified|touched|affected|create|created|new|modify|critical|delete|deleted|edit|edited|update|updated|"
    "involved|relevant|add|"
    "added|remove|removed|important|context|summary|overview|table|betroffene|geänderte|neue|modifier|modifiés|"
    "modificar|criar|alterar|"
    "изменяемые|новые"
)
# First or last words of a heading over what is told rather than done.
PARTS = word_set(
    "context|background|overview|summary|problem|goal|goals|objective|objectives|motivation|introduction|findings|"
    "analysis|cause|state|"
    "assumptions|risks|questions|scope|notes|constraints|requirements|decisions|considerations|references|"
    "alternatives|tradeoffs|rollback|"
    "architecture|behavior|behaviour|success|outcome|outcomes|dependencies|timeline|estimate|reuse|patterns|edge|"
    "cases|why|understanding|"
    "kontext|hintergrund|ziel|ziele|überblick|zusammenfassung|annahmen|risiken|ausgangslage|contexte|objectif|résumé|"
    "risques|hypothèses|"
    "contexto|objetivo|resumen|resumo|riesgos|riscos|supuestos|premissas|contesto|obiettivo|rischi|sommario|контекст|"
    "цель|риски|обзор|"
    "kontekst|cel|ryzyka|doel|samenvatting|bağlam|amaç"
)
# Chinese, Japanese and Korean (and what is written together with them): a part of the heading.
OTHER_FILES = words("文件|ファイル|파일|檔案")
OTHER_CHANGES = words(
    "变更|變更|修改|实现|實現|实施|實施|改动|步骤|步驟|方案|変更|実装|手順|修正|対応|변경|구현|수정|단계|작업"
)
OTHER_PARTS = words(
    "背景|目标|目標|概要|概述|问题|問題|上下文|风险|リスク|目的|前提|배경|목표|개요|위험|문제|컨텍스트|コンテキスト"
)
