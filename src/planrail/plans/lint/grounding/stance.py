"""Stance: what the text around a citation says about it. Is it there, is it made by this plan, or is that left open?"""

import re

from planrail.plans.lint.document import PlanLine, titles_over
from planrail.plans.lint.grounding.shapes import Stance

# Words by meaning; those with letters of an alphabet are matched as whole words, the UNSPACED anywhere.
# It does not exist yet, this plan makes it.
CREATES = (
    r"creat(?:e|es|ed|ing)|new|newly|add|adds|added|adding|generat(?:e|es|ed|ing)|scaffold(?:s|ed|ing)?|"
    r"introduc(?:e|es|ed|ing)|implement(?:s|ed|ing)?|writ(?:e|es|ing)|written|draft(?:s|ed)?|"
    r"set up|setup|initiali[sz]e[sd]?|bootstrap|stubs?|emit(?:s|ted)?|produc(?:e|es|ed)|touch|mkdir|"
    r"extract(?:s|ed|ing)?|split(?:s|ting)?|"
    r"erstell(?:en|e|t)|anlegen|neu(?:e|er|es|en)?|hinzufügen|schreiben|implementieren|"
    r"créer|crée|ajouter|ajoute|nouveau|nouvelle|écrire|crear|crea|añadir|agregar|nuev[oa]|escribir|implementar|"
    r"criar|cria|adicionar|nov[oa]|escrever|creare|aggiungere|nuov[oa]|"
    r"созда(?:ть|ём|ние|н|на|но|ны)|добав(?:ить|лен|лена|лено|лены|ление)|нов(?:ый|ая|ое|ые)|написа(?:ть|н|на|но)|"
    r"реализ(?:овать|ован|ована|ация)|створити|додати|новий|utwórz|utworzyć|dodaj|dodać|now[yae]|oluştur|ekle|yeni"
)
CREATES_UNSPACED = (
    "新建|创建|創建|新增|添加|增加|编写|編寫|撰写|撰寫|实现|實現|实作|實作|建立|生成|新規|作成|追加|実装|導入|引入|"
    "抽取|提取|생성|추가|신규|새로|새 |작성|구현|만들|도입"
)
# It is there: the plan changes it, or says so in as many
EXISTS = (
    r"existing|reus(?:e|es|ed|ing)|defined in|lives? in|located (?:in|at)|found in|found at|"
    r"modif(?:y|ies|ied|ying)|updat(?:e|es|ed|ing)|edit(?:s|ed|ing)?|chang(?:e|es|ed|ing)|extend(?:s|ed|ing)?|"
    r"refactor(?:s|ed|ing)?|fix(?:es|ed|ing)?|patch(?:es|ed|ing)?|rewrit(?:e|es|ing)|rework(?:s|ed)?|"
    r"migrat(?:e|es|ed|ing)|adjust(?:s|ed|ing)?|tweak(?:s|ed)?|tighten|harden|simplif(?:y|ies|ied)|clean up|"
    r"optimi[sz]e|bump|amend|append|insert|delete[sd]?|deleting|remov(?:e|es|ing)|drop(?:s|ping)?|ändern|anpassen|"
    r"bearbeiten|aktualisieren|löschen|entfernen|modifier|mettre à jour|supprimer|modificar|actualizar|eliminar|"
    r"atualizar|remover|aggiornare|modificare|измен(?:ить|ение)|обнов(?:ить|ление)|исправ(?:ить|ление)|"
    r"удал(?:ить|ение)|замен(?:ить|а)|змінити|оновити|zmień|zmienić|zaktualizuj|usuń|güncelle|değiştir"
)
EXISTS_UNSPACED = (
    "现有|現有|既存|기존|修改|更新|编辑|編輯|变更|變更|调整|調整|修复|修復|修正|重构|重構|变成|删除|刪除|移除|変更|削除|編集|改修|"
    "수정|변경|업데이트|삭제|제거|편집"
)
# It is there, but only the sentence says so: weaker, because such sentences also describe what will be.
RELIES = (
    r"current|currently|today|already|see|read|reads|reading|review|inspect|open|audit|consult|"
    r"follow(?:s|ing)?|us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|"
    r"import(?:s|ed|ing)?|based on|according to|as in|"
    r"modell?ed (?:on|after)|similar to|relies on|depends on|documented in|described in|handled by|handled in|"
    r"wrap(?:s|ped|ping)?|inherit(?:s|ing)? from|extends|subclass(?:es)?|bestehende[nrs]?|vorhandene[nrs]?|siehe|"
    r"existante?|voir|existente|ver|existentes|veja|esistente|vedi|существующ(?:ий|ая|ее|ие|ем|его)|см\.|"
    r"использ(?:овать|ует|уя)|текущ(?:ий|ая|ее)|існуюч(?:ий|а|е)|istniejąc[yae]|mevcut"
)
RELIES_UNSPACED = "已有|复用|複用|参考|參考|参见|參見|使用|参照|利用|現在の|참조|참고|사용"
# It may be there or be made: the sentence leaves that open.
LEAVES_OPEN = (
    r"verif(?:y|ies|ied)|ensur(?:e|es|ed)|confirm(?:s|ed)?|assert(?:s|ed)?|expect(?:s|ed)?|check(?:s|ed)?|"
    r"test(?:s|ed|ing)?|will|should|would|could|may|might|must|planned|future|run|runs|running|defin(?:e|es|ing)|"
    r"build(?:s|ing)?|design|sav(?:e|es|ed)|persist(?:s|ed)?|output(?:s|ted)?|install(?:s|ed|ing)?|ship(?:s|ped)?|"
    r"declar(?:e|es|ing)|expos(?:e|es|ing)|provid(?:e|es|ing)|propos(?:e|es|ed)|populat(?:e|es|ed)|register(?:s|ed)?|"
    r"record(?:s|ed)?|export(?:s|ed)?|author(?:s|ed)?|deliver(?:s|ed)?|support(?:s|ed)?|provision|archive|provér|"
    r"провер(?:ить|ка)"
)
LEAVES_OPEN_UNSPACED = "确认|確認|验证|驗證|検証|テスト|测试|測試|運行|运行|확인|검증|테스트"
# It is not there, or not here, and the sentence knows it.
EXCUSES = (
    r"no|not|never|without|if|whether|optional|optionally|instead of|rather than|deprecated|formerly|previously|old|"
    r"legacy|was|were|removed|deleted|dropped|retired|superseded|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|"
    r"cop(?:y|ies|ied|ying)|mirror(?:s|ed)?|replac(?:e|es|ed|ing)|port(?:s|ed|ing)?|original|originally|prior|"
    r"hypothetical|e\.g\.|for example|such as|like|upstream|external|another repo|other repo|consumer's?|downstream|"
    r"memory|branch|package|library|dependency|kein(?:e|en)?|nicht|falls|pas de|sans|sin|não|sem|без|не|если|"
    r"переимен(?:овать|ован)"
)
EXCUSES_UNSPACED = "如果|若|不|无|無|没有|沒有|例如|比如|없|않|예:"

# Behind the citation: "`a.py` (new)", "`a.py` - DELETE", "`a.py` is created", "`a.py` に追加".
AFTER_CREATES = (
    r"new|created?|add(?:ed)?(?=\s*(?:[)\]|,;.]|$))|generated|to be (?:created|added|written)|"
    r"(?:is|are|gets?|will be) (?:created|added|generated|written|produced|introduced)|does not exist yet|not yet|"
    r"neu|nouveau|nuevo|novo|nuovo|новый"
)
AFTER_CREATES_UNSPACED = "新建|新增|新規|创建|新文件|作成|を追加|を作成|を新|을 생성|를 생성|을 추가|를 추가|신규"
AFTER_EXISTS = (
    r"modif(?:y|ied)|update[sd]?|edit(?:ed)?|change[sd]?|existing|extend(?:ed)?|refactor(?:ed)?|fix(?:ed)?|"
    r"delete|remove"
)
AFTER_EXISTS_UNSPACED = "修改|更新|变更|変更|を修正|を更新|删除|削除|수정|변경|을 수정|를 수정"
AFTER_RELIES = r"\(?(?:~|at )?(?:lines?|L)\s?\d+(?:\s?[-–]\s?\d+)?|\(?existing|already|currently|today"
AFTER_OPEN = r"(?:will|should|would|must|may|can)\b|exists?|is present|contains?|records?"
AFTER_EXCUSES = (
    r"(?:does not|doesn't|do not|no longer)\b|(?:is|are|was|were|has been|have been) "
    r"(?:deleted|removed|dropped|renamed|moved|gone|absent|replaced|missing|not|retired|superseded)|"
    r"renamed?\b|moved?\b|wrong|incorrect|typo|stale|broken|→|->|=>|deleted|removed|dropped|if\b|once\b"
)

# Labels and headings over a list.
LISTS_NEW = (
    r"new|creates?|created|to create|to add|added|additions|deliverables?|artifacts?|outputs?|artifacts & outputs|"
    r"produces?|neue dateien|nouveaux|nuevos|novos|новые|新建|新增|新規|作成|产出|成果物|신규|생성|산출물"
)
LISTS_EXISTING = (
    r"to modify|to edit|to update|to change|modify|modified|existing|current(?: state)?|to read|key files|"
    r"relevant files|references?|context files|today|code references|related files|как есть|существующие|修改|现有|"
    r"既存|変更|수정|기존"
)
LISTS_OPEN = (
    r"modify/create|create/modify|new/modified|to create or modify|to modify or create|"
    r"and new|or new|and create|or create"
)


_TELLING = (
    (Stance.CREATED, CREATES, CREATES_UNSPACED),
    (Stance.EXISTS, EXISTS, EXISTS_UNSPACED),
    (Stance.RELIED_ON, RELIES, RELIES_UNSPACED),
    (Stance.PLANNED, LEAVES_OPEN, LEAVES_OPEN_UNSPACED),
    (Stance.EXCUSED, EXCUSES, EXCUSES_UNSPACED),
)
# One pattern for all, over text in lower case: five that ignore case took eight times as long.
_BEFORE = re.compile(
    "|".join(rf"(?P<{stance.name}>(?<![\w-])(?:{spaced})(?![\w-])|{other})" for stance, spaced, other in _TELLING)
)
_LEAD = r"^[\s)*_]{0,4}(?:[-–—:：(（\[|→]+[\s*_]*)?(?:the |a |an )?"


def _leading(pattern: str, unspaced: str = "") -> re.Pattern[str]:
    other = f"|{unspaced}" if unspaced else ""
    return re.compile(rf"{_LEAD}(?:(?:{pattern})(?![\w-]){other})", re.IGNORECASE)


_AFTER = (
    (Stance.RELIED_ON, _leading(AFTER_RELIES)),
    (Stance.EXCUSED, re.compile(rf"{_LEAD}(?:{AFTER_EXCUSES})", re.IGNORECASE)),
    (Stance.CREATED, _leading(AFTER_CREATES, AFTER_CREATES_UNSPACED)),
    (Stance.EXISTS, _leading(AFTER_EXISTS, AFTER_EXISTS_UNSPACED)),
    (Stance.PLANNED, re.compile(rf"{_LEAD}(?:{AFTER_OPEN})", re.IGNORECASE)),
)
_LISTS = ((Stance.PLANNED, LISTS_OPEN), (Stance.CREATED, LISTS_NEW), (Stance.EXISTS, LISTS_EXISTING))
_OVER = [(stance, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)) for stance, words in _LISTS]
_CLAUSE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.;!?。；！？](?=\s|$)|\s[–—]\s|\s--\s")
_REACH = 300  # characters: what stands farther off says nothing about a citation
_TO = re.compile(r"(?:\bto|\binto|→|->|=>)\s*(?:the |a |an |new )?[*_(\"]*$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s*(?:the |a |an |existing )?[*_(\"]*$", re.IGNORECASE)
_PREPOSITION = re.compile(
    r"\b(?:in|at|under|inside|within|as|for|via|by|with|of|on|to|into|from|using|against|that|which|and then)\b",
    re.IGNORECASE,
)
_ADDS = re.compile(r"^(?:add|append|insert|register)", re.IGNORECASE)
_MOVES = re.compile(r"^(?:renam|mov|cop|extract|split|mirror|port|migrat|replac)", re.IGNORECASE)
_IF_THERE = re.compile(
    r"\bif (?:it )?(?:is )?(?:present|exists?|applicable|any)\b|\bor (?:a )?new file\b|\bor wherever\b", re.I
)
_LINE_OF = re.compile(r"\blines? \d+(?:\s?[-–]\s?\d+)? (?:of|in)\s*(?:the )?[*_(]*$", re.IGNORECASE)


def stance_of(line: PlanLine, start: int, end: int) -> Stance:
    """What is said about the citation between two offsets of a line: on the line, else by what it stands under."""
    around = line.prose[max(0, start - _REACH) : end + _REACH]
    stance = Stance.EXCUSED if _IF_THERE.search(around) else _said_behind([line.prose[end : end + 60]])
    if stance is None:
        stance = _said_before(line.prose[max(0, start - _REACH) : start])
    if stance is None and line.kind == "row":  # a cell that is an action: "| `a.py` | Create |"
        stance = _said_behind([cell for cell in line.prose.split("|") if len(cell.strip()) < 24])
    if stance is None:
        stance = _said_above(line)
    # An item that is headed by the citation, in a phase: what the phase delivers, there or not.
    is_listed = line.kind == "item" and line.phase is not None and start <= _REACH
    is_first = is_listed and not line.prose[:start].strip(" ,;/&+*_[]")
    return Stance.PLANNED if stance is Stance.NEUTRAL and is_first else stance


def _said_behind(texts: list[str]) -> Stance | None:
    return next((stance for text in texts for stance, pattern in _AFTER if pattern.match(text)), None)


def _said_before(before: str) -> Stance | None:
    """The last telling word in the clause before the citation decides, with the preposition that joins the two."""
    if _LINE_OF.search(before):
        return Stance.RELIED_ON
    clause = _CLAUSE_END.split(before)[-1]
    lower = clause.lower()
    last = next(reversed(list(_BEFORE.finditer(lower if len(lower) == len(clause) else clause))), None)
    return _joined(Stance[last.lastgroup or "NEUTRAL"], last[0], clause[last.end() :]) if last else None


def _joined(stance: Stance, word: str, between: str) -> Stance:
    """The stance of a word, corrected by what stands between it and the citation: "add a test to", "copied from"."""
    if _MOVES.match(word):
        return Stance.CREATED if _TO.search(between) else Stance.EXCUSED
    if stance is not Stance.CREATED:
        return stance
    if _FROM.search(between):
        return Stance.RELIED_ON
    if _TO.search(between) and _ADDS.match(word):
        return Stance.EXISTS
    return Stance.PLANNED if _PREPOSITION.search(between) else Stance.CREATED


def _said_above(line: PlanLine) -> Stance:
    """What the items, the label and the headings over a line say, the nearest first."""
    own = [line.item] if line.item is not None and line.kind != "item" else []
    over = [*own, *line.item.above()] if line.item is not None else []
    labels = [line.label] if line.label and line.label != line.text else []
    for title in (*(item.text for item in over), *labels, *titles_over(line.section)):
        head = re.split(r"[:：]", title, maxsplit=1)[0]
        for stance, pattern in _OVER if len(head) <= 60 else ():  # a long text announces nothing
            if pattern.search(head):
                return stance
    return Stance.NEUTRAL
