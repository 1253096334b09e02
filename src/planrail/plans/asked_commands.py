"""Verification as people write it: do the words around a command ask for it to be run, and to succeed?

Only for programs that judge (`command_kinds`): what they are named for is their success, unless words say otherwise.
That a command is only named ("the parser accepts `npm test`") is no reason to run it.
"""

import re

from planrail.plans.command_outcomes import CommandOutcome, read_outcome, says_nothing
from planrail.plans.words import phrases


def _any(words: tuple[str, ...]) -> str:
    return "|".join(one if one[-1] > "\u3000" else rf"\b{one}\b" for one in words)


# What is said of faults that are not there: it speaks of a success, although its words are those of a failure.
_FAULTS = (
    r"(?:errors?|fail\w*|issues?|problems?|warnings?|violations?|regress\w*|broke\w*|break\w*|crash\w*|diagnostics?|"
    r"complain\w*|"
    r"vulnerab\w*|differences?|changes?|diff|noise)\b"
)
_NO_FAULT = (
    rf"(?:\b(?:no|not|never|without|zero|0|any|free of|nothing|does ?n[o'’]t)\b|"
    rf"n['’]t\b)[\s`*(]+(?:[\w-]+[\s/,]+){{0,4}}?{_FAULTS}|"
    rf"\b(?:errors?|failures?|fail(?:ed|ing)|warnings?)\s*[:=]\s*0\b|\b0 (?:failed|failing)\b|{_any(phrases.NO_FAULTS)}"
)
_FLIPS = (
    r"\bfail\w*|\bred\b|\bnon-?zero\b|\bexits? (?:with )?(?:an? )?(?:code |status )?[1-9]|\breject\w*|\brefus\w*|"
    r"\b(?:should|must|do|does|did|will|can)(?: not|n['’]t)\b|\bnot (?:pass|succeed|compile|build|work)|\bno longer\b|"
    r"\bcannot\b|"
    r"\bbroken\b|\bcrash\w*|\bbreaks?\b|"
    rf"{_any(phrases.FAILS)}"
)
_OPEN = (
    r"\b(?:optional(?:ly)?|manual(?:ly)?|e\.g\.|for example|such as|instead of|rather than|"
    r"if (?:available|applicable|needed|necessary|present|possible|desired)|when available|nice to have|unless|by eye|"
    r"by hand|eyeball)\b"
)
_SENTENCE = r"[.;!?。；] |[.。]$|\s[+&]\s|,\s"  # what comes behind says it of something else
_OR = r"\b(?:or|oder|ou|или|lub)\b[\s*]*$|(?:或|或者|または|또는)\s*$"

# Where a command is asked for: at the end of what stands before it ...
_RUN = (
    r"re-?run|run|running|execute|executing|invoke|führe|starte|ausführen|lancer|lance|lancez|exécuter|exécute|"
    r"exécutez|ejecutar|"
    r"ejecuta|correr|executar|execute|rodar|rode|eseguire|esegui|запустить|запусти|выполнить|запуск|uruchom|运行|執行|执行|"
    r"運行|実行|실행"
)
_ASKED = (
    rf"(?:^|[\s(,;:：—–*_-]|[\u3040-\u9fff\uac00-\ud7af])(?:{_RUN}|then)"
    r"\s*[:：(（]?[\s*_(\"'“]*$|[:：(（\[—–]\s*[*_\"'“]*$|\s-\s[*_]*$"
)
# ... by a word that says how, where the others speak of verifying ...
_BY_MEANS = (
    r"(?:^|[\s(,;]|[\u3040-\u9fff])(?:with|by|via|using|through|mit|avec|con|com|через|用|で)\s*[:：]?[\s*_(\"'“]*$"
)
_VERIFYING = (
    r"\b(?:tests?|tested|suites?|check\w*|verif\w*|valid\w*|lint\w*|build\w*|pass\w*|run\w*|confirm\w*|ensure\w*|"
    r"type\w*|compil\w*|"
    r"prüf\w*|vérif\w*|prueb\w*|провер\w*)\b|验证|测试|検証|確認|テスト|검증|테스트"
)
# ... at its beginning, where the words are those of work ...
_BEGINS = (
    r"\W*(?:\d+[.)]\s*)?(?:(?:then|finally|now|next|also|and|afterwards|lastly|after that|at the end)\b,?\s+)?"
    rf"(?:{_RUN}|verify|validate|check|confirm|ensure|make sure|tests?|testing|verification|validation|commands?|"
    rf"prüfe|prüfen|überprüfe|"
    r"teste|vérifier|vérifie|vérifiez|verificar|verifica|comprobar|comprueba|verificare|проверить|проверь|проверка|"
    r"sprawdź|验证|驗證|"
    r"检查|確認|検証|확인|검증)(?![\w-])"
)
_THEN_RUN = rf"(?:→|=>|->|—|–|;|\.)\s+(?:then |and )?(?:{_RUN})\s*[:：]?\s*[*_]*$"
# ... or behind it.
_FOLLOWS = (
    r"[\s*_]*(?:を|을|를)?\s*(?:実行|실행|运行|執行|执行|で確認|로 확인)|"
    r"[\s*_,;.—–-]*(?:(?:and|then|to|so that|—|–)\s+)*(?:verify|confirm|check|ensure|make sure|see|validate|expect\w*|"
    r"should|must)\b|"
    r"[\s*_]*(?:→|⇒|->|=>|—|–|-|:|\(|,)\s*(?:[^.;`]{0,60}?)\b(?:pass\w*|green|succeed\w*|success\w*|clean\w*|ok|"
    r"0 errors|no (?:\w+ ){0,2}errors)\b"
)


def expects_failure(words: str) -> bool:
    """Whether words say that something fails, or has to: "should fail", but not "without failures"."""
    return _has(_FLIPS, re.sub(_NO_FAULT, " ", words[:400], flags=re.IGNORECASE))


def leaves_open(before: str, words: str) -> bool:
    """Whether words leave it to the reader if a command is run at all, or another one."""
    is_one_of_two = _has(_OR, before) or _has(_OR, words)
    return is_one_of_two or _has(_OPEN, before) or _has(_OPEN, re.split(_SENTENCE, words[:200], maxsplit=1)[0])


def is_asked(command: str, before: str, words: str, *, is_work: bool) -> bool:
    """Whether a command is asked for by what stands before and behind it; among work by a sentence that begins so."""
    if read_outcome(command, words) is CommandOutcome.SUCCESS and not says_nothing(words):
        return True
    if is_work:
        return re.match(_BEGINS, before, re.IGNORECASE) is not None or _has(_THEN_RUN, before)
    is_told = not before.strip(" *_-") and re.match(_FOLLOWS, words, re.IGNORECASE) is not None
    by_means = _has(_BY_MEANS, before) and _has(_VERIFYING, before)
    return is_told or (bool(before.strip(" *_")) and (by_means or _has(_ASKED, before)))


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
