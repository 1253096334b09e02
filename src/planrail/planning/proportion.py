"""How much planning does a wish deserve? Decided from its words alone, in several languages, and said with its reasons.

A small wish gets one phase: a draft of one phase with its checks. What is risky or wide goes through all of them.
"""

import re

from planrail.base.records import record
from planrail.planning.answers.references import find_references
from planrail.planning.answers.sentences import words_of

SMALL, MIDDLE, DEEP = "small", "middle", "deep"

MOST_FILES = 4  # of a small plan; a wish that names as many is none
_FEW_FILES, _MANY_FILES = 2, 6
_FEW_WORDS, _MANY_WORDS = 40, 150
_FEW_ITEMS, _MANY_ITEMS = 1, 4
# What can lose something for good, or that others rely on; then what is wide. Words, or their beginnings.
_RISKS = (
    "migrat*|schema|schemas|auth|authent*|authoriz*|authoris*|oauth|login|password*|credential*|secret*|encrypt*|"
    "decrypt*|"
    "token|tokens|payment*|billing|invoice*|refund*|checkout|delete|deletes|deleting|deletion|erase*|wipe|purge|"
    "truncate|drop|drops|"
    "security|permission*|privilege*|production|deploy*|rollback|backup*|concurren*|transaction*|breaking|api|apis|"
    "database*|gdpr|privacy|irreversib*|data|protocol*|"
    "datenbank*|anmeldung|passwort*|zahlung*|rechnung*|löschen|löscht|sicherheit*|berechtigung*|verschlüssel*|"
    "schnittstelle*|datenschutz|produktion|umstellung|daten|nutzerdaten|"
    "migration*|authentif*|paiement*|facture*|supprim*|effacer|sécurité|chiffr*|données|mot de passe|droits|"
    "migra*|autentic*|contraseña*|pago|pagos|factura*|borrar|eliminar|seguridad|cifr*|permisos|datos|producción|"
    "миграц*|аутентиф*|парол*|платеж*|оплат*|удал*|безопасн*|данны*|"
    "迁移|认证|登录|密码|支付|付款|删除|加密|权限|安全|数据库|数据|接口|移行|認証|決済|削除|마이그레이션|인증|결제|삭제"
)
_WIDE = (
    "rewrite|rewrites|redesign*|refactor*|rearchitect*|architecture|overhaul|framework|platform|everywhere|entire|"
    "throughout|across|all files|all modules|whole|from scratch|replace all|every module|multi-tenant|microservice*|"
    "system|subsystem|engine|plugin system|"
    "umbauen|umbau|überall|gesamte*|komplett*|neu schreiben|alle module|architektur|"
    "réécri*|partout|refonte|entière|entier|tous les modules|reescrib*|todo el|por todas partes|rediseñ*|arquitectura|"
    "переписа*|везде|重写|重构|整个|所有模块|架构|全面|書き直|全体|재작성|전체"
)
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_UNSPACED = "\u1100"


@record
class Proportion:
    """How much planning, and what decided that."""

    size: str
    why: str


def decide_size(request: str) -> Proportion:
    words = words_of(request)
    count = sum(1 if word < _UNSPACED else 0.6 for word in words)
    files, items = len(set(find_references(request))), len(_ITEM.findall(request))
    risks, wide = _found(request, words, _RISKS), _found(request, words, _WIDE)
    large = [f"it is risky: {', '.join(risks[:3])}"] if risks else []
    large += [f"it is wide: {', '.join(wide[:3])}"] if wide else []
    large += _above(int(count), _MANY_WORDS, "words") + _above(files, _MANY_FILES, "files")
    large += _above(items, _MANY_ITEMS, "points")
    if large:
        return Proportion(DEEP, " and ".join(large))
    more = _above(int(count), _FEW_WORDS, "words") + _above(files, _FEW_FILES, "files")
    more += _above(items, _FEW_ITEMS, "points")
    if more:
        return Proportion(MIDDLE, " and ".join(more))
    return Proportion(SMALL, "the request is short, names few files and nothing risky")


def _above(count: int, most: int, what: str) -> list[str]:
    return [f"it has {count} {what}"] if count > most else []


def _found(request: str, words: list[str], table: str) -> list[str]:
    """The words of a table that stand in a request, each as the request has it."""
    listed = table.split("|")
    whole = {word for word in listed if not word.endswith("*") and " " not in word and word < _UNSPACED}
    stems = tuple(word[:-1] for word in listed if word.endswith("*"))
    lowered = " ".join(request.lower().split())
    inside = [word for word in listed if (" " in word or word >= _UNSPACED) and word.rstrip("*") in lowered]
    return list(dict.fromkeys([*(word for word in words if word in whole or word.startswith(stems)), *inside]))


# ---- a plan that has outgrown its planning ----


def find_excess(phases: int, files: int, questions: int) -> str:
    """Why a plan is too large for a small planning; "" where it is not."""
    found = [f"{phases} phases"] * (phases > 1) + [f"{files} files"] * (files > MOST_FILES)
    found += [f"{questions} open questions"] * (questions > 1)
    return " and ".join(found)
