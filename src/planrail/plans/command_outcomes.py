"""The words behind a command: do they say that it succeeds, that it fails, or what it has to print?"""

import re

from planrail.patterns import pattern

_MODAL = r"(?:(?:must|should|shall|has to|have to|needs? to|still|now|currently|both|all|it|they|which|that) )*"
_SEE = r"(?:(?:and |then |to )?(?:see|check|confirm|verify|ensure|make sure) (?:that )?)?"
_CONTRARY = pattern(
    r"^\W*(?:must |should |still |now |currently )*(?:fail|error|is rejected|is empty|"
    r"exits? (?:with )?(?:an? )?(?:error|(?:code |status )?[1-9]|non-?zero)|"
    r"returns? (?:an? )?(?:error|non-?zero|(?:exit )?(?:code|status) [1-9])|"
    r"(?:return|print|output|find|show|produce|yield|report|match|list|give)\w* (?:nothing|no\b|empty|zero|none)|"
    r"(?:has |gives )?no (?:output|match|hit|result)|不|未|失敗|失败|실패|なし)",
    re.IGNORECASE,
)
_ZERO = pattern(r"^\W*(?:\w+ ){0,2}[`*]*0\b", re.IGNORECASE)
_SEARCHES = pattern(r"(?:git )?(?:grep|egrep|fgrep|rg|ag|ack)\b")
_SUCCEEDS = pattern(
    rf"\W*{_SEE}{_MODAL}(?:pass|succeed|(?:is |are |stays |goes )?(?:green|clean|ok)\b|"
    r"(?:exit|return|finish|end)\w* (?:with )?(?:exit )?(?:code |status )?`?0\b|runs? (?:clean|green|without|through)|"
    r"completes?\b|réussi|passe|läuft|pasa|проходит|без ошибок|успешно|通过|通過|成功|통과|성공)",
    re.IGNORECASE,
)
_NOTHING = pattern(r"\W*$")
_FINE = r"(?!\W{0,8}(?:(?:an?|the|all|with|exit|status|code|tests?)\W{1,8}){0,4}(?:success|clean|green|pass|true\b))"
_CODE_0 = r"(?!\W{1,8}(?:(?:with|an?|exit|status|code)\W{1,8}){0,4}(?:0\b|zero|ok\b))"
_NO_FAULTS = r"(?!\W{1,8}0 (?:error|failure|issue|problem|warning|violation|finding|vulnerabilit))"
# Counted, because it is searched for at every joint of a text of any length.
_FEW_MODALS = _MODAL[:-1] + "{0,4}"
# What has to be seen in the output, of which the exit status says nothing.
_ASKS = pattern(
    rf"(?:^|\b(?:and|that|it|then|but|which)\b|[,;(])\W{{0,8}}{_FEW_MODALS}(?:"
    rf"(?:prints?|outputs?|shows?|displays?|lists?|contains?|includes?|equals?|emits?|yields?|gives?|says?|reports?|"
    rf"responds?|answers?|echoe?s|logs?|match(?:es)?|reads?)\b{_FINE}{_NO_FAULTS}|returns?\b{_FINE}{_CODE_0}{_NO_FAULTS}|"
    r"(?:is|are|has) (?:exactly |at (?:least|most) )?[`\"'“]?\d|"
    r"(?:affiche|renvoie|retourne|contient|zeigt|liefert|gibt|enthält|druckt|muestra|imprime|devuelve|contiene|mostra|"
    r"retorna|restituisce|stampa|выводит|возвращает|показывает|содержит)\b|(?:会|應|应|將|将|必须|は|が|を)?\s?(?:输出|輸出|返回|显示|"
    r"顯示|打印|包含|出力|表示|返す|출력|반환|표시))|"
    rf"^\s*(?:→|⇒|[=-]>|==?|≥|≤|>=|<=){_FINE}(?!\W*(?:exit |status |code )+0)\s*(?=[`\"'“\w])",
    re.IGNORECASE,
)


def says_success(words: str) -> bool:
    """Whether the words behind a command say that it succeeds; behind a name they say how something else does."""
    return _SUCCEEDS.match(words) is not None


def says_nothing(words: str) -> bool:
    """Whether no word follows."""
    return _NOTHING.match(words) is not None


def expects_failure(command: str, words: str) -> bool:
    """Whether the words expect a failure or an empty search."""
    return bool(_CONTRARY.match(words) or (_SEARCHES.match(command) and _ZERO.match(words)))


def asks_for_output(words: str) -> bool:
    """Whether the words ask for more than a success: for something in the output."""
    return _ASKS.search(words) is not None
