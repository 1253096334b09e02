"""The ways in which a plan says that paths stay as they are, by language. What makes an exception behind it is none."""

import re

from planrail.base.patterns import pattern
from planrail.plans.words.section_names import NON_SCOPE
from planrail.plans.words.words import words

_PATH = r"(?:`[^`\n]{1,200}`|(?<![\w./-])(?:[\w.-]{1,100}/[\w./-]{0,200}|[\w-]{1,100}\.[a-z]{1,5})(?<!\.)(?![\w/-]))"
_JOINED = ", (?:and |or )?| (?:and|or|und|oder|et|ou|y|o|e|i|и|ve|및) | ?[、，和と] ?|[와과] "
_PATHS = rf"({_PATH}(?:(?:{_JOINED}){_PATH}){{0,8}})"
_STAY = "(?:as (?:it is|they are|is)|alone|untouched|unchanged|the same)"
_CHANGED = "(?:change|be (?:changed|touched|modified|edited))"
_BEHIND = (  # directly behind the paths
    f" (?:must|may|shall|should|is|are)(?: not| never)(?: to)? {_CHANGED}",
    f" (?:(?:must|should|is to|are to) )?(?:stays?|remains?|is left|are left) {_STAY}",
    " (?:is|are) (?:off[- ]limits|frozen|not touched|not changed|read-only)",
    " (?:bleibt|bleiben) (?:unverändert|unberührt|wie (?:es|sie|er) (?:ist|sind)|so)",
    " (?:darf|dürfen) nicht (?:geändert|verändert|angefasst) werden",
    " nicht (?:ändern|verändern|anfassen|anrühren)",
    " (?:reste|restent) (?:inchangée?s?|en l'état)",
    " ne (?:doit|doivent) pas (?:changer|être modifiée?s?)",
    " (?:no (?:debe|deben) (?:cambiar|modificarse)|(?:queda|quedan) sin cambios)",
    " não (?:deve|devem|pode|podem) (?:mudar|ser (?:alterad|modificad)[oa]s?)",
    " (?:permanece|permanecem|fica|ficam) (?:inalterad[oa]s?|sem alterações)",
    " non (?:deve|devono|va|vanno) (?:cambiare|(?:essere )?(?:modificat|toccat|cambiat)[oaie])",
    " (?:resta|restano|rimane|rimangono) invariat[oaie]",
    " не (?:должен|должна|должно|должны) (?:меняться|изменяться)",
    " (?:оста[её]тся|остаются) без изменений",
    " nie (?:może|mogą|powinien|powinna|powinno|powinny) (?:być zmienion[aey]|się zmienić|się zmieniać)",
    " (?:pozostaje|pozostają) bez zmian",
    " (?:değiştirilmemeli|değişmemeli|değiştirilmeyecek)(?:dir)?",
    "(?:['’]\\w{1,3})?(?: dosyasın[ıa])? (?:değiştirme|dokunma)(?:y[ıi]n(?:[ıi]z)?)?",
    " ?[はを] ?(?:変更|修正|編集)(?:しない(?:こと|でください)?|しません|禁止|しては(?:いけない|ならない))",
    " ?(?:には?|は) ?(?:触れない|触らない|手を加えない|そのままにする)(?:こと)?",
    " ?(?:不得|不要|不能|不可|不应|禁止)被?(?:修改|改动|更改|变更|變更)",
    " ?保持(?:不变|不變|原样|原樣)",
    " ?[은는을를이가]? ?(?:변경|수정)(?:하지 (?:않는다|않습니다|않음|않기|말 것|마세요)|하면 안 (?:된다|됩니다)| 금지)",
    " ?[은는을를]? ?그대로 (?:둔다|둡니다|유지(?:한다)?)",
)
_BEFORE = (  # directly before them
    "(?:do not|don't|never|must not) (?:touch|change|edit|modify) (?:the )?",
    "no (?:changes?|edits?|modifications?) (?:to|in) (?:the )?",
    "keine änderungen an ",
    "ne (?:pas )?(?:touche[rz]?|modifie[rz]?)(?: pas)?(?: à)? ",
    "no (?:tocar|modificar|cambiar) ",
    "não (?:alterar|altere|modificar|modifique|mudar|tocar em|mexer em) ",
    "non (?:modificare|toccare|cambiare) ",
    "не (?:изменять|менять|трогать|править|редактировать) ",
    "nie (?:zmieniać|zmieniaj|modyfikować|modyfikuj|ruszać|dotykać) ",
    "(?:不要|不得|请勿|請勿|禁止|不可|不能|不)(?:修改|改动|更改|变更|變更|触碰) ?",
    # a point of a list that is headed so, which says nothing else
    rf"^[^:：`\n]{{0,40}}(?:{NON_SCOPE})[^:：`\n]{{0,40}}[:：] ",
)
_AROUND = (
    f"nothing (?:in|under|below|inside) (?:the )?PATHS (?:(?:may|must|can|shall|should|is to) {_CHANGED}|changes)",
    f"(?:leave|keep) (?:the )?PATHS {_STAY}",
)
# One of these is in each of the ways: most sentences have none, and need no pattern.
_SIGNS = words(
    "not |don't|never |no change|no edit|no modif|nothing |leave |keep |stay|remain| left |off-limits|off limits|"
    "frozen|read-only|"
    "bleib|nicht |keine |reste |restent |ne pas|ne touche|ne modifie|ne doi|no tocar|no modificar|no cambiar|no debe|"
    "queda|não |permanece|fica |ficam |non |resta |restano |rimane|rimangono|не |оста|nie |pozosta|"
    "değiş|dokunma|変更|修正|編集|触|手を|そのまま|不|禁止|勿|保持|변경|수정|그대로|" + NON_SCOPE
)
_OF = ("in", "of", "from", "for", "von", "de", "di", "del", "do", "da", "nel", "em", "в", "из", "w", "z")
_PART_OF = "".join(f"(?<!\\b{word} )" for word in _OF)  # not the path itself, but something about it
_ORDERS = (f"{_PART_OF}PATHS(?:{'|'.join(_BEHIND)})", f"(?:{'|'.join(_BEFORE)})PATHS", *_AROUND)
_KEPT = pattern(rf"(?:{'|'.join(_ORDERS).replace('PATHS', _PATHS)})(?=\s*(?:[.;!(。；！（]|$))", re.IGNORECASE)
_NAMED = pattern(_PATH, re.IGNORECASE)


def list_kept(rule: str) -> list[str]:
    """The paths that a rule keeps as they are."""
    plain = rule.lower()
    if not any(sign in plain for sign in _SIGNS):
        return []
    told = [paths for match in _KEPT.finditer(rule) for paths in match.groups() if paths]
    return [name.strip("`").removeprefix("./") for paths in told for name in _NAMED.findall(paths)]
