"""Companions: a progress document that a plan names is read with it."""

from planrail.base.errors import UnreadablePlan
from planrail.base.patterns import pattern
from planrail.plans.claims import Claim, Kind
from planrail.plans.model import Phase, Plan
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section
from planrail.plans.text.source import Source
from planrail.plans.units.units import id_key
from planrail.plans.words.words import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.plans.surroundings import Surroundings

_PROGRESS = words(
    "progress|track|status|state of|fortschritt|stand|avancement|progreso|прогресс|статус|进度|進度|状态|狀態|進捗|진행"
)
_SUFFIXES = (".md", ".json", ".yaml", ".yml")
_FILE = pattern(r"(?:\]\(|`|(?<![\w./-]))([\w./-]+\.(?:md|markdown|ya?ml|json))(?=[)`\s.,;:]|$)")


def named_companions(text: str, sections: list[Section], path: str) -> list[str]:
    """The documents that a plan names in a line about its progress."""
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


def companion_claims(
    names: list[str], surroundings: "Surroundings", read: "Callable[[Source], Plan]"
) -> dict[str, list[Claim]]:
    """What the companions say about phases, by key; a document that says nothing of them says nothing here."""
    found: dict[str, list[Claim]] = {}
    for name in names:
        text = surroundings.read(name)
        if text is None:
            continue
        for phase in _phases(Source(name, text), read):
            if phase.claim is not None and phase.proof is not None:
                reason = f"{name}: {phase.claim.reason}"
                claim = Claim(Kind.COMPANION, phase.status, phase.claim.line, reason, path=name)
                found.setdefault(id_key(phase.id), []).append(claim)
    return found


def _phases(source: Source, read: "Callable[[Source], Plan]") -> list[Phase]:
    """The phases of a document that a plan names; none where it is no plan: that says nothing of the plan itself."""
    try:
        return read(source).phases
    except UnreadablePlan:
        return []
