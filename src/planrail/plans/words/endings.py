"""What does the last message of an agent say about its work: that it is done, that it is not, or neither? Pure.

Sentence by sentence, by the words of `words`. A message that says both is neither believed nor held against the agent.
Who asks the user, and claims nothing, waits for them.
"""

import re

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.states import State
from planrail.plans.words import phrases
from planrail.plans.words.words import CONDITIONS, NEGATIONS, NOT_IN_TITLES, STATUS, word_set, words


@record
class LastWords:
    """`claims`: that work is done; `opens`: that some is not, or a question; `is_whole`: it speaks of all the plan."""

    claims: bool = False
    opens: bool = False
    is_whole: bool = False


# How agents say that they did something, beyond the words by which a plan states it.
_CLAIMS = words(
    "added|created|wrote|written|built|updated|wrapped up|works|working|passing|pass|passes|green|ready|all set|"
    "in place|succeeds|succeed|should do it|that's it|that does it|"
    "good to go|taken care of|as described|as planned|according to the plan|done|fixed|did it|made|set up|removed|"
    "renamed|replaced|hinzugefügt|erstellt|geschrieben|"
    "läuft|klappt|grün|bestehen|funktioniert|steht|gemacht|ajouté|ajoutée|créé|créée|écrit|fonctionne|"
    "marche|marchent|c'est bon|passent|prêt|prête|"
    "añadido|añadida|creado|creada|escrito|funciona|pasan|listo|lista|adicionado|adicionada|criado|criada|passam|"
    "pronto|"
    "pronta|aggiunto|aggiunta|creato|creata|scritto|funziona|passano|добавил|добавила|добавлен|добавлена|добавлено|"
    "создал|создан|создано|написал|сделал|сделала|выполнил|реализовал|закончил|работает|проходят|додано|створено|"
    "зроблено|dodano|dodałem|utworzono|zrobiłem|działa|przechodzą|eklendi|oluşturuldu|yazıldı|çalışıyor|geçiyor"
)
_DENSE_CLAIMS = words(
    "已添加|已创建|已新增|已建立|写好|做好|搞定|实现了|通过|通過|追加しました|作成しました|終わりました|できました|実装しました|"
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
_STATED_DONE = tuple(word for word in sorted(STATUS) if STATUS[word] is State.DONE and word not in ("yes", "live"))
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
_UNSAID = pattern(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|^[ \t]*>.*?$")
_CODE = pattern(r"`[^`\n]*`")
_WORD = pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_IN_THIRD_PERSON = pattern(r"(?!needs|fails|lacks|misses|breaks|remains|this|plus|always)[a-z]{3,}[^s]s")
_NEAR = 4  # words before another that can turn it around


def read_ending(message: str) -> LastWords:
    """What a message says about the work of the one who wrote it."""
    claims = opens = is_whole = asks = False
    for sentence in re.split(r"(?<=[!?。！？;；\n])|(?<=\.)(?=\s)", _CODE.sub("`", _UNSAID.sub("\n", message)).lower()):
        if sentence.strip():
            is_claim, is_open = _read(sentence)
            asks = sentence.rstrip().endswith(("?", "？"))
            claims, opens = claims or (is_claim and not asks), opens or (is_open and not asks)
            is_whole = is_whole or (is_claim and _speaks_of_all(sentence))
    return LastWords(claims, opens or (asks and not claims), is_whole)


def _read(sentence: str) -> tuple[bool, bool]:
    said = _WORD.findall(sentence.replace("’", "'"))
    is_denied = any(word in sentence for word in _DENSE_DENIALS)
    done = [not _is_turned(said, at) for at in (*_places(said, (*_STATED_DONE, *_CLAIMS)), *_find_results(said))]
    dense = any(word in sentence for word in (*_DENSE_CLAIMS, *_dense(_STATED_DONE)))
    claims = any(done) or (dense and not is_denied) or _SIGNS.search(sentence) is not None
    opens = any(not _NONE & set(said[max(0, at - 2) : at]) for at in _places(said, (*_STATED_OPEN, *_OPEN)))
    opens = opens or any(word in sentence for word in (*_DENSE_OPEN, *_dense(_STATED_OPEN))) or (dense and is_denied)
    is_taken_back = any(_is_turned(said, at) for at in _places(said, _STATED_DONE))
    return claims and not (opens and not any(done)), opens or is_taken_back


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
    is_put_off = bool(near & _COMING) or "to be" in " ".join(said[max(0, at - _NEAR) : at])
    return (
        bool(near & _DENIALS) or is_put_off or bool(set(said[:at]) & CONDITIONS - {"的", "after", "before", "se", "si"})
    )


def _dense(table: tuple[str, ...]) -> tuple[str, ...]:
    """The words of scripts that are written without blanks, or whose words have endings of their own."""
    return tuple(word for word in table if word[0] >= "\u0e00")


def _speaks_of_all(sentence: str) -> bool:
    return bool(_WHOLE & set(_WORD.findall(sentence))) or any(word in sentence for word in _DENSE_WHOLE)
