"""What stands around a plan and speaks of its phases: progress documents that it names, files and commits.

A companion that a plan names is read with it. What files and commits show is evidence, heard where the plan marks
nothing; claims, not proof.
"""

import re
from collections.abc import Callable, Sequence

from planrail.base.errors import UnreadablePlan
from planrail.base.patterns import pattern
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Plan
from planrail.plans.statements.statements import Account
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section
from planrail.plans.text.source import PlanSource
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.marks import read_phrase
from planrail.plans.words.words import words

_SINGLE = (Kind.TITLE, Kind.SIGN, Kind.STATUS_LINE, Kind.STATEMENT)
_PROGRESS = words(
    "progress|track|status|state of|fortschritt|stand|avancement|progreso|прогресс|статус|进度|進度|状态|狀態|進捗|진행"
)
_SUFFIXES = (".md", ".json", ".yaml", ".yml")
_FILE = pattern(r"(?:\]\(|`|(?<![\w./-]))([\w./-]+\.(?:md|markdown|ya?ml|json))(?=[)`\s.,;:]|$)")
_CREATES = pattern(
    r"\b(?:create|creates|creating|new file|write|scaffold|generate|anlegen|erstell\w*|créer|crear|criar|creare)\b|"
    "создать|создан|新建|创建|建立|新增|作成|追加|생성",
    re.IGNORECASE,
)
_PATH = pattern(r"`([\w.@-]+(?:/[\w.@-]+)*/?)`")


def add_claims(
    surroundings: Surroundings,
    source: PlanSource,
    sections: list[Section],
    units: list[Unit],
    accounts: dict[str, Account],
    own: dict[str, list[Section]],
    read: Callable[[PlanSource], Plan],
) -> None:
    """Add what companions say of the units, and, where nothing marks any of them, what files and commits show."""
    names = _named_companions(source.text, sections, source.path)
    said = _companion_claims(names, surroundings, read) if names else {}
    for unit in units:
        accounts[unit.id].claims.extend(said.get(id_key(unit.id), ()))
    if any(claim.kind not in _SINGLE for account in accounts.values() for claim in account.claims):
        return  # a tracker or boxes speak for all phases; marks on single ones do not
    for name, claim in _find_evidence(units, own, surroundings).items():
        if not accounts[name].claims:
            accounts[name].claims.append(claim)


def _named_companions(text: str, sections: list[Section], path: str) -> list[str]:
    suffixes = [suffix for suffix in _SUFFIXES if suffix in text]
    lower = text.lower() if suffixes else ""
    said = [word for word in _PROGRESS if word in lower]
    if not said:
        return []
    names: dict[str, None] = {}
    own = path.replace("\\", "/").rsplit("/", 1)[-1]
    for section in sections:
        for block in section.blocks:
            if not isinstance(block, Text | Item) or not any(suffix in block.text for suffix in suffixes):
                continue
            line = block.text.lower()
            if any(word in line for word in said):
                names.update(dict.fromkeys(name for name in _FILE.findall(block.text) if name != own))
    return list(names)[:5]


def _companion_claims(
    names: list[str], surroundings: Surroundings, read: Callable[[PlanSource], Plan]
) -> dict[str, list[StatusClaim]]:
    """What the companions say about phases, by key; a document that says nothing of them says nothing here."""
    found: dict[str, list[StatusClaim]] = {}
    for name in names:
        text = surroundings.read(name)
        try:
            phases = read(PlanSource(name, text)).phases if text is not None else []
        except UnreadablePlan:  # what is no plan says nothing of this one
            continue
        for phase in phases:
            if phase.claim is not None and phase.proof is not None:
                reason = f"{name}: {phase.claim.reason}"
                claim = StatusClaim(Kind.COMPANION, phase.status, phase.claim.line, reason, path=name)
                found.setdefault(id_key(phase.id), []).append(claim)
    return found


def _created_paths(sections: list[Section]) -> list[str]:
    found: dict[str, None] = {}
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Text | Item) and "`" in block.text and _CREATES.search(block.text):
                names = [name for name in _PATH.findall(block.text) if "/" in name or "." in name[1:-1]]
                found.update(dict.fromkeys(names[:1]))
    return list(found)


def _find_evidence(
    units: list[Unit], own: dict[str, list[Section]], surroundings: Surroundings
) -> dict[str, StatusClaim]:
    """For each unit's id what the surroundings say about it."""
    found: dict[str, StatusClaim] = {}
    named = _newest_commits(units, surroundings.subjects())
    is_followed = False  # a later unit is named by a commit
    for unit in reversed(units):
        claim = None
        paths = _created_paths(own.get(unit.id, []))
        present = [path for path in paths if surroundings.exists(path)]
        if present:
            shown = ", ".join(present[:3]) + (", …" if len(present) > 3 else "")
            reason = f"evidence: {len(present)} of {len(paths)} files that it creates exist ({shown})"
            state = State.DONE if len(present) == len(paths) else State.IN_PROGRESS
            claim = StatusClaim(Kind.EVIDENCE, state, unit.line, reason)
        name, subject = named.get(id_key(unit.id), ("", ""))
        if claim is None and name:
            # One that says a phase is finished, or that is followed by one of a later phase, finished it.
            said = {read_phrase(word) for word in re.findall(r"[^\W\d_]+", subject.lower())}
            state = State.DONE if State.DONE in said or is_followed else State.IN_PROGRESS
            claim = StatusClaim(Kind.EVIDENCE, state, unit.line, f"evidence: commit {name[:9]} “{subject}”")
        is_followed = is_followed or bool(name)
        if claim:
            found[unit.id] = claim
    return found


def _newest_commits(units: list[Unit], subjects: Sequence[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    words = sorted({re.escape(unit.word) for unit in units if unit.word and unit.word != "number"})
    if not words:
        return {}
    name = re.compile(rf"(?<!\w)(?:{'|'.join(words)})[\s#-]*([\w.-]*\w)", re.IGNORECASE)
    found: dict[str, tuple[str, str]] = {}
    for commit, subject in subjects:
        for identity in name.findall(subject):
            found.setdefault(id_key(identity), (commit, subject))
    return found
