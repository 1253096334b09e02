"""Evidence: what files and commits say about the phases of a plan that marks none of them. Claims, not proof."""

import re

from planrail.base.patterns import pattern
from planrail.plans.claims import Claim, Kind
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.marks import read_phrase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.plans.surroundings import Surroundings

_CREATES = pattern(
    r"\b(?:create|creates|creating|new file|write|scaffold|generate|anlegen|erstell\w*|créer|crear|criar|creare)\b|"
    "создать|создан|新建|创建|建立|新增|作成|追加|생성",
    re.IGNORECASE,
)
_PATH = pattern(r"`([\w.@-]+(?:/[\w.@-]+)*/?)`")


def created_paths(sections: list[Section]) -> list[str]:
    """The paths that a phase says it will create."""
    found: dict[str, None] = {}
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Text | Item) and "`" in block.text and _CREATES.search(block.text):
                names = [name for name in _PATH.findall(block.text) if "/" in name or "." in name[1:-1]]
                found.update(dict.fromkeys(names[:1]))
    return list(found)


def find_evidence(units: list[Unit], own: dict[str, list[Section]], surroundings: "Surroundings") -> dict[str, Claim]:
    """For each unit's id what the surroundings say about it."""
    found: dict[str, Claim] = {}
    named = _named(units, surroundings.subjects())
    later = False  # a later unit is named by a commit
    for unit in reversed(units):
        claim = _files_claim(unit, created_paths(own.get(unit.id, [])), surroundings)
        naming = named.get(id_key(unit.id))
        claim = claim or _commit_claim(unit, naming, is_followed=later)
        later = later or naming is not None
        if claim:
            found[unit.id] = claim
    return found


def _files_claim(unit: Unit, paths: list[str], surroundings: "Surroundings") -> Claim | None:
    present = [path for path in paths if surroundings.exists(path)]
    if not present:
        return None
    state = State.DONE if len(present) == len(paths) else State.IN_PROGRESS
    shown = ", ".join(present[:3]) + (", …" if len(present) > 3 else "")
    reason = f"evidence: {len(present)} of {len(paths)} files that it creates exist ({shown})"
    return Claim(Kind.EVIDENCE, state, unit.line, reason)


def _named(units: list[Unit], subjects: "Sequence[tuple[str, str]]") -> dict[str, tuple[str, str]]:
    """The newest commit that names each unit, by key."""
    words = sorted({re.escape(unit.word) for unit in units if unit.word and unit.word != "number"})
    if not words:
        return {}
    name = re.compile(rf"(?<!\w)(?:{'|'.join(words)})[\s#-]*([\w.-]*\w)", re.IGNORECASE)
    found: dict[str, tuple[str, str]] = {}
    for commit, subject in subjects:
        for identity in name.findall(subject):
            found.setdefault(id_key(identity), (commit, subject))
    return found


def _commit_claim(unit: Unit, naming: tuple[str, str] | None, *, is_followed: bool) -> Claim | None:
    """A commit that says a phase is finished, or that is followed by one of a later phase, finished it."""
    if naming is None:
        return None
    name, subject = naming
    says_done = any(read_phrase(word) is State.DONE for word in re.findall(r"[^\W\d_]+", subject.lower()))
    state = State.DONE if says_done or is_followed else State.IN_PROGRESS
    return Claim(Kind.EVIDENCE, state, unit.line, f"evidence: commit {name[:9]} “{subject}”")
