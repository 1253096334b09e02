"""The words by which a plan says whether what it cites is there already, by meaning and language. Data only.

Regular expressions; those with letters of an alphabet are matched as whole words, the others anywhere.
"""

# It does not exist yet, this plan makes it.
CREATES = (
    r"creat(?:e|es|ed|ing)|new|newly|add|adds|added|adding|generat(?:e|es|ed|ing)|scaffold(?:s|ed|ing)?|"
    r"introduc(?:e|es|ed|ing)|implement(?:s|ed|ing)?|writ(?:e|es|ing)|written|author(?:s|ed)?|draft(?:s|ed)?|"
    r"defin(?:e|es|ing)|build(?:s|ing)?|set up|setup|initiali[sz]e[sd]?|bootstrap|stubs?|emit(?:s|ted)?|produc(?:e|es|ed)|"
    r"sav(?:e|es|ed)|persist(?:s|ed)?|output(?:s|ted)?|touch|mkdir|install(?:s|ed|ing)?|ship(?:s|ped)?|"
    r"declar(?:e|es|ing)|expos(?:e|es|ing)|provid(?:e|es|ing)|design|propos(?:e|es|ed)|extract(?:s|ed|ing)?|"
    r"split(?:s|ting)?|port(?:s|ed|ing)?|populat(?:e|es|ed)|register(?:s|ed)?|record(?:s|ed)?|export(?:s|ed)?|"
    r"erstell(?:en|e|t)|anlegen|neu(?:e|er|es|en)?|hinzufügen|schreiben|implementieren|"
    r"créer|crée|ajouter|ajoute|nouveau|nouvelle|écrire|crear|crea|añadir|agregar|nuev[oa]|escribir|implementar|"
    r"criar|cria|adicionar|nov[oa]|escrever|creare|aggiungere|nuov[oa]|"
    r"созда(?:ть|ём|ние|н|на|но|ны)|добав(?:ить|лен|лена|лено|лены|ление)|нов(?:ый|ая|ое|ые)|написа(?:ть|н|на|но)|"
    r"реализ(?:овать|ован|ована|ация)|створити|додати|новий|utwórz|utworzyć|dodaj|dodać|now[yae]|oluştur|ekle|yeni"
)
CREATES_UNSPACED = (
    "新建|创建|創建|新增|添加|增加|编写|編寫|撰写|撰寫|实现|實現|实作|實作|建立|生成|新規|作成|追加|実装|導入|引入|抽取|提取|"
    "생성|추가|신규|새로|새 |작성|구현|만들|도입"
)
# It is there: the plan changes it, reads it or leans on it.
CHANGES = (
    r"modif(?:y|ies|ied|ying)|updat(?:e|es|ed|ing)|edit(?:s|ed|ing)?|chang(?:e|es|ed|ing)|extend(?:s|ed|ing)?|"
    r"refactor(?:s|ed|ing)?|fix(?:es|ed|ing)?|patch(?:es|ed|ing)?|rewrit(?:e|es|ing)|rework(?:s|ed)?|migrat(?:e|es|ed|ing)|"
    r"adjust(?:s|ed|ing)?|tweak(?:s|ed)?|tighten|harden|simplif(?:y|ies|ied)|clean up|optimi[sz]e|bump|amend|append|insert|"
    r"delete[sd]?|deleting|remov(?:e|es|ing)|drop(?:s|ping)?|ändern|anpassen|bearbeiten|aktualisieren|löschen|entfernen|"
    r"modifier|mettre à jour|supprimer|modificar|actualizar|eliminar|atualizar|remover|aggiornare|modificare|"
    r"измен(?:ить|ение)|обнов(?:ить|ление)|исправ(?:ить|ление)|удал(?:ить|ение)|замен(?:ить|а)|змінити|оновити|"
    r"zmień|zmienić|zaktualizuj|usuń|güncelle|değiştir"
)
CHANGES_UNSPACED = "修改|更新|编辑|編輯|变更|變更|调整|調整|修复|修復|修正|重构|重構|变成|删除|刪除|移除|変更|削除|編集|改修|수정|변경|업데이트|삭제|제거|편집"
# It is there, but only the sentence says so: weaker, because such sentences also describe what will be.
RELIES = (
    r"existing|current|currently|today|already|see|read|reads|reading|review|inspect|open|audit|consult|follow(?:s|ing)?|"
    r"reus(?:e|es|ed|ing)|us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|import(?:s|ed|ing)?|defined in|lives? in|"
    r"located (?:in|at)|found in|found at|based on|according to|as in|modell?ed (?:on|after)|similar to|relies on|depends on|"
    r"documented in|described in|handled by|handled in|wrap(?:s|ped|ping)?|inherit(?:s|ing)? from|extends|subclass(?:es)?|"
    r"bestehende[nrs]?|vorhandene[nrs]?|siehe|existante?|voir|existente|ver|existentes|veja|esistente|vedi|"
    r"существующ(?:ий|ая|ее|ие|ем|его)|см\.|использ(?:овать|ует|уя)|текущ(?:ий|ая|ее)|існуюч(?:ий|а|е)|istniejąc[yae]|mevcut"
)
RELIES_UNSPACED = (
    "现有|現有|已有|复用|複用|参考|參考|参见|參見|使用|既存|参照|利用|現在の|기존|참조|참고|사용"
)
# Whether it is there, the sentence leaves open; or it says that it is not.
LEAVES_OPEN = (
    r"verif(?:y|ies|ied)|ensur(?:e|es|ed)|confirm(?:s|ed)?|assert(?:s|ed)?|expect(?:s|ed)?|check(?:s|ed)?|test(?:s|ed|ing)?|"
    r"will|should|would|could|may|might|must|if|whether|optional(?:ly)?|planned|future|e\.g\.|for example|such as|like|"
    r"no|not|never|without|instead of|rather than|deprecated|formerly|previously|old|legacy|was|were|removed|deleted|dropped|"
    r"retired|renam(?:e|es|ed|ing)|mov(?:e|es|ed|ing)|cop(?:y|ies|ied|ying)|mirror(?:s|ed)?|replac(?:e|es|ed|ing)|"
    r"upstream|external|another repo|other repo|memory|branch|package|library|dependency|tool|run|runs|running|"
    r"kein(?:e|en)?|nicht|falls|pas de|sans|sin|não|sem|без|не|если|провер(?:ить|ка)|переимен(?:овать|ован)"
)
LEAVES_OPEN_UNSPACED = "如果|若|不|无|無|没有|沒有|例如|比如|确认|確認|验证|驗證|検証|テスト|测试|測試|運行|运行|없|않|확인|검증|테스트|예:"

# Behind the citation: "`a.py` (new)", "`a.py` - DELETE", "`a.py` is created", "`a.py` に追加".
AFTER_CREATES = (
    r"new|create[sd]?|add(?:ed)?|creates|generated|to be (?:created|added|written)|neu|nouveau|nuevo|novo|nuovo|новый|"
    r"(?:is|are|gets?|will be) (?:created|added|generated|written|produced|introduced)|does not exist yet|not yet"
)
AFTER_CREATES_UNSPACED = (
    "新建|新增|新規|创建|新文件|作成|を追加|を作成|を新|을 생성|를 생성|을 추가|를 추가|신규"
)
AFTER_CHANGES = r"modif(?:y|ied)|update[sd]?|edit(?:ed)?|change[sd]?|existing|extend(?:ed)?|refactor(?:ed)?|fix(?:ed)?|delete|remove"
AFTER_CHANGES_UNSPACED = "修改|更新|变更|変更|を修正|を更新|删除|削除|수정|변경|을 수정|를 수정"
AFTER_OPEN = (
    r"(?:will|should|would|must|may|can|does not|doesn't|no longer)\b|(?:is|are|was|were) (?:deleted|removed|dropped|renamed|moved|"
    r"gone|absent|replaced|missing|not)|exists?|renamed?|moved?|→|->|=>|deleted|removed|if|when|once"
)

# Labels and headings over a list.
LISTS_NEW = (
    r"new|creates?|created|to create|to add|added|additions|deliverables?|artifacts?|outputs?|artifacts & outputs|produces?|"
    r"neue dateien|nouveaux|nuevos|novos|новые|新建|新增|新規|作成|产出|成果物|신규|생성|산출물"
)
LISTS_EXISTING = (
    r"to modify|to edit|to update|to change|modify|modified|existing|current(?: state)?|to read|key files|relevant files|"
    r"references?|context files|today|code references|related files|как есть|существующие|修改|现有|既存|変更|수정|기존"
)
LISTS_OPEN = r"modify/create|create/modify|new/modified|to create or modify|to modify or create|and new|or new|and create|or create"
