"""What does the last message of an agent say about its work: that it is done, that it is not, or neither? Pure.

Sentence by sentence, by the words of `words`. A message that says both is neither believed nor held against the agent.
Who asks the user, and claims nothing, waits for them.
"""

import re

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.states import State
from planrail.plans.words import phrases
from planrail.plans.words.names import UNIT_WORDS
from planrail.plans.words.words import CONDITIONS, NEGATIONS, NOT_IN_TITLES, STATUS, word_set, words


@record
class LastWords:
    """`claims`: that work is done; `opens`: that some is not, or a question; `is_whole`: it speaks of all the plan.

    `is_vague`: it claims by words alone that may speak of other things, or of how they were before: "the tests pass".
    """

    claims: bool = False
    opens: bool = False
    is_whole: bool = False
    is_vague: bool = False


# That work is finished, beyond the words by which a plan states it; that something was made; and how things are.
_FINISHED = words(
    "wrapped up|wraps up|wrap up|all set|in place|should do it|that's it|that's everything|that's all of it|"
    "that does it|good to go|good to merge|taken care of|took care of|as described|as planned|according to the plan|"
    "did it|in the bag|mission accomplished|nothing left|nothing is left|now available|now possible|now live|"
    "can now|c'est bon|pronta|gemacht|steht"
)
_MADE = words("added|created|wrote|written|built|updated|fixed|made|set up|removed|renamed|replaced")
_MADE_ELSEWHERE = words(
    "hinzugefügt|erstellt|geschrieben|ajouté|ajoutée|créé|créée|écrit|añadido|añadida|creado|creada|escrito|adicionado|"
    "adicionada|criado|criada|aggiunto|aggiunta|creato|creata|scritto|добавил|добавила|добавлен|добавлена|добавлено|"
    "создал|создан|создано|написал|сделал|сделала|выполнил|реализовал|закончил|додано|створено|зроблено|dodano|dodałem|"
    "utworzono|zrobiłem|eklendi|oluşturuldu|yazıldı"
)
_STATES = words(
    "works|working|passing|pass|passes|passed|green|ready|succeeds|succeed|läuft|klappt|grün|bestehen|funktioniert|fonctionne|"
    "marche|marchent|passent|prêt|prête|funciona|pasan|passam|funziona|passano|работает|проходят|działa|przechodzą|"
    "çalışıyor|geçiyor"
)
_BY_THEM = word_set("i|i've|we|we've|been|now|just|both|successfully")  # before what was made: by the one who speaks
_ASKED_HOW = word_set("how|why|wie|warum|wieso|comment|pourquoi|cómo|come|perché|как|почему|jak|dlaczego|nasıl")
_DENSE_CLAIMS = words(
    "好了|已添加|已创建|已新增|已建立|写好|做好|搞定|实现了|通过|通過|追加しました|作成しました|終わりました|できました|実装しました|"
    "通りました|通ります|しました|추가했|작성했|끝났|마쳤|구현했|만들었|통과"
)
_SIGNS = pattern(r"[✅✔☑🎉]|\[x\]")
_OPEN = words(
    "incomplete|unfinished|remaining|remains|blocked|blocker|blockers|stuck|unable|cannot|can't|couldn't|missing|fails|fail|failing|"
    "could not|did not|have not|i need|still need|still needs|still to|half of|the rest|waiting for|need your|"
    "needs your|let me know which|let me know what|let me know whether|let me know how|"
    "halb|unvollständig|fehlt|fehlen|schlägt fehl|brauche|échoue|échouent|manque|reste|restent|falta|faltan|falla|"
    "fallan|"
    "falham|manca|mancano|fallisce|falliscono|осталось|остаётся|не хватает|падает|падают|nie udało|brakuje|eksik|"
    "kaldı"
)
_DENSE_OPEN = words(
    "还没|還沒|尚未|没有|沒有|剩下|缺少|失败|失敗|未完|まだ|残って|残り|できません|않았|못했|아직|남았|남은|실패|부족"
)
_DENSE_DENIALS = words("不|未|没|沒|ない|ません|ていな|않|못|안 ")
_NOT_ORDINARY = frozenset(STATUS) - NOT_IN_TITLES - word_set("open|yes|planned|proposed|scheduled|queued|drafted")
_STATED_OPEN = tuple(
    word for word in sorted(_NOT_ORDINARY) if STATUS[word] in (State.TODO, State.PARTIAL, State.BLOCKED)
)
_STATED_DONE = tuple(
    word for word in sorted(STATUS) if STATUS[word] is State.DONE and word not in ("yes", "live", "passed")
)
_DENIALS = (NEGATIONS | frozenset(phrases.DENIALS) | word_set("cannot|hardly|neither")) - word_set("no|un")
_NONE = word_set("no|none|nothing|0|zero|without|kein|keine|nichts|aucun|aucune|nada|ningún|ninguna|nessun|nenhum|нет")
_COMING = word_set(
    "will|would|should|must|may|might|could|can|i'll|we'll|needs|need|soll|sollte|muss|wird|werden|doit|sera|debe|"
    "será|"
    "deve|sarà|должна|должен|будет|powinno|będzie"
)
_WHOLE = word_set(
    "all|everything|plan|phases|entire|whole|fully|alle|alles|ganze|gesamte|phasen|tout|toutes|tous|todo|todos|todas|"
    "tutto|"
    "tutti|tutte|tudo|fases|все|всё|весь|план|wszystko|wszystkie|hepsi|tüm"
)
_DENSE_WHOLE = words("全部|所有|整个|整個|すべて|全て|計画|计划|모두|모든|전체|계획")
_CHANGES = words(
    "change|point|änderung|punkt|modification|changement|cambio|alteração|modifica|изменение|变更|変更|변경"
)
_UNITS = "|".join(sorted({*UNIT_WORDS, *_CHANGES}, key=len, reverse=True))
_ORDINALS = (
    "first|1st|erste|premi|primer|primeir|prim[oa]|перв|第一|첫",
    "second|2nd|zweite|deuxième|segund|второ|втора|第二|두 번째",
    "third|3rd|dritte|troisième|tercer|terceir|terz|трет|第三|세 번째",
    "fourth|4th|vierte|quatrième|cuart|quart|четв|第四|네 번째",
    "fifth|5th|fünfte|cinquième|quint|пят|第五|다섯 번째",
)
# What makes a word like "done" speak of the work of the one who says it.
_SHORT = 6  # words of a sentence that says little else
_FIRST_PERSON = word_set(
    "i|i've|i'm|we|we've|we're|ich|wir|je|j'ai|nous|yo|nosotros|hemos|eu|nós|io|ho|abbiamo|я|мы|ми|ben|biz"
)
_SINCE_NOW = word_set("now|been|jetzt|nun|worden|maintenant|été|ahora|sido|agora|ora|adesso|теперь|teraz|artık|şimdi")
_NO_WORK = word_set(
    "pr|commit|module|part|version|release|lot|unit|bloc|block|level|round|track|priority|tier|vague|tag|jour|dia|día|"
    "giorno|day|день|week|woche|semaine|semana|неделя"
)
_OF_WORK = (frozenset(UNIT_WORDS) | frozenset(_CHANGES) | _WHOLE | _SINCE_NOW) - _NO_WORK
_PAST = pattern(
    r"\b(?:last|past|letzt|vorig|geçen)\w{0,2} (?:year|month|week|quarter|jahr|monat|woche|yıl|hafta)|\bl'an dernier\b"
    r"|\b(?:years?|months?|weeks?|days?) ago\b|\b(?:yesterday|gestern|ayer|ontem|ieri|вчера|wczoraj|dün)\b"
    r"|\b(?:año|mes) pasado\b|\b(?:ano|mês) passado\b|\b(?:anno|mese) scorso\b|\bпрошл\w{2,3} (?:год|месяц|недел)"
    r"|\b(?:in|since|im jahr|seit|en|em|nel|w|в) (?:19|20)\d\d\b"
)
_ASIDE = pattern(r"\b(?:that|which|who|qui|que|che) (?:was|were|had|got|fue|fueron|foi|foram|fu|fut|était|avait)\b")
_NOTHING = pattern(
    r"\b(?:nothing|none|nichts|rien|nada|niente|nulla|keine?[rs])(?: of(?: \w+){1,2}| davon)?"
    r"(?: (?:is|are|was|were|has|have|got|gets|ist|sind|wurde|n'est|n'a|est|está|fue|foi|è))?"
    r"(?: (?:been|yet|really|fully|noch|encore|été|sido))?$"
)
_UNSAID = pattern(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|^[ \t]*>.*?$")
_CODE = pattern(r"`[^`\n]*`")
_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_IN_THIRD_PERSON = pattern(r"(?!needs|fails|lacks|misses|breaks|remains|this|plus|always|has|was)[a-z]{2,}[^s]s")
_NEAR = 4  # words before another that can turn it around


def read_ending(message: str) -> LastWords:
    """What a message says about the work of the one who wrote it."""
    claims = opens = is_whole = is_sure = asks = False
    for sentence in re.split(r"(?<=[!?。！？;；\n])|(?<=\.)(?=\s)", _CODE.sub("`", _UNSAID.sub("\n", message)).lower()):
        if sentence.strip():
            read = _read(sentence)
            asks = sentence.rstrip().endswith(("?", "？"))
            claims, opens = claims or (read.claims and not asks), opens or (read.opens and not asks)
            is_whole = is_whole or (read.claims and _speaks_of_all(sentence))
            is_sure = is_sure or (read.claims and not asks and not read.is_vague)
    return LastWords(claims, opens or (asks and not claims), is_whole, is_vague=claims and not is_sure)


def names_unit(message: str, id: str) -> bool:
    """Whether a message speaks of a unit of work by its number: step 1, change 1 of 2, the first change."""
    by_number = rf"(?:{_UNITS})\W{{0,3}}{re.escape(id.lower())}(?![.-]?[a-z0-9])|第\s?{re.escape(id)}"
    ordinal = _ORDINALS[int(id) - 1] if id.isdecimal() and 0 < int(id) <= len(_ORDINALS) else ""
    by_place = rf"|(?<!\w)(?:{ordinal})\w*\W{{0,2}}(?:\w+\W)?(?:{_UNITS})" if ordinal else ""
    return re.search(by_number + by_place, message.lower()) is not None


def _read(sentence: str) -> LastWords:
    said = _WORD.findall(sentence.replace("’", "'"))
    is_denied = any(word in sentence for word in _DENSE_DENIALS)
    sure = [not _is_turned(said, at) for at in (*_find_finished(said), *_find_results(said))]
    vague = [not _is_turned(said, at) for at in (*_places(said, (*_MADE, *_STATED_DONE)), *_find_states(said))]
    dense = any(word in sentence for word in (*_DENSE_CLAIMS, *_dense(_STATED_DONE)))
    is_sure = (
        (any(sure) and not _PAST.search(" ".join(said)))
        or (dense and not is_denied)
        or _SIGNS.search(sentence) is not None
    )
    opens = any(not _NONE & set(said[max(0, at - 2) : at]) for at in _places(said, (*_STATED_OPEN, *_OPEN)))
    opens = opens or any(word in sentence for word in (*_DENSE_OPEN, *_dense(_STATED_OPEN))) or (dense and is_denied)
    is_taken_back = any(_is_turned(said, at) for at in _places(said, _STATED_DONE))
    claims = (is_sure or any(vague)) and not (opens and not any((*sure, *vague)))
    return LastWords(claims, opens or is_taken_back, is_vague=claims and not is_sure)


def _find_finished(said: list[str]) -> list[int]:
    """Where work is said to be finished, or something to be made by the one who speaks."""
    made = [at for at in _places(said, _MADE) if at == 0 or _BY_THEM & set(_before(said, at))]
    stated = [at for at in _places(said, _STATED_DONE) if _is_of_work(said, at)]
    return [*_places(said, (*_FINISHED, *_MADE_ELSEWHERE)), *stated, *made]


def _is_of_work(said: list[str], at: int) -> bool:
    """Whether a word like "done" is about the speaker's work, and not about how things are elsewhere."""
    if _ASIDE.search(" ".join(_before(said, at))):
        return False
    names_work = any(word in _OF_WORK or word[:-1] in _OF_WORK for word in said)
    return at == 0 or len(said) <= _SHORT or names_work or bool(_FIRST_PERSON & set(said))


def _find_states(said: list[str]) -> list[int]:
    """Where a thing is said to work or to pass, but not how it does."""
    return [at for at in _places(said, _STATES) if not _ASKED_HOW & set(said[:at])]


def _places(said: list[str], table: tuple[str, ...]) -> list[int]:
    joined = f" {' '.join(said)} "
    found = [word for word in table if f" {word} " in joined]
    return [joined[: joined.index(f" {word} ")].count(" ") for word in found]


def _find_results(said: list[str]) -> list[int]:
    """Where a thing is said to do something since now: "it now returns the name"."""
    after = [at + 1 for at, word in enumerate(said[:-1]) if word == "now"]
    return [at - 1 for at in after if _IN_THIRD_PERSON.fullmatch(said[at])]


def _before(said: list[str], at: int) -> list[str]:
    near = said[max(0, at - _NEAR) : at]
    return [*near, *("not" for word in near if word.endswith("n't"))]


def _is_turned(said: list[str], at: int) -> bool:
    """Whether what stands before a word takes it back, or puts it off."""
    near = set(_before(said, at))
    if _NOTHING.search(" ".join(said[max(0, at - 6) : at])):
        return True
    is_put_off = bool(near & _COMING) or "to be" in " ".join(said[max(0, at - _NEAR) : at])
    return (
        bool(near & _DENIALS) or is_put_off or bool(set(said[:at]) & CONDITIONS - {"的", "after", "before", "se", "si"})
    )


def _dense(table: tuple[str, ...]) -> tuple[str, ...]:
    """The words of scripts that are written without blanks, or whose words have endings of their own."""
    return tuple(word for word in table if word[0] >= "\u0e00")


def _speaks_of_all(sentence: str) -> bool:
    return bool(_WHOLE & set(_WORD.findall(sentence))) or any(word in sentence for word in _DENSE_WHOLE)
