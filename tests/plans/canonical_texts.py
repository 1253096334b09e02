"""Plans to divide for approval, and what differs between two of them."""

from pathlib import Path

from planrail.base.errors import PlanrailError
from planrail.plans.canonical.canonical import (
    HELD,
    LOG_GROWN,
    LOG_REWRITTEN,
    ORDER_CHANGED,
    TEXT_CHANGED,
    Canonical,
    canonicalise,
    compare_seal,
)
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource, load
from tests.plans.cases import sound_documents

_SHARED = Path(__file__).parents[3] / "shared"
_FOREIGN = [
    *sorted((_SHARED / "plans").glob("*.md")),
    *(path for path in sorted((_SHARED / "wild_plans").glob("*.*")) if path.suffix in (".md", ".json")),
]
PLAN = """---
title: Greeter
---
# Greeter

Goal: greet.

| Phase | Status | Depends on |
|---|---|---|
| 1 | ⬚ | |
| 2 | ⬚ | 1 |

## Phase 1: Read [NOT STARTED]

Read the code.

- [ ] read it

```sh check
true
```

### Notes

With care.

## Phase 2: Write

**Status:** todo

- [ ] write it

## Risks

None.
"""


def canonical_of(text: str, path: str = "plan.md") -> Canonical:
    return canonicalise(read(PlanSource(path, text)), text)


_NAMES: dict[str, list[str]] = {
    HELD: [],
    TEXT_CHANGED: ["rest"],
    ORDER_CHANGED: ["order"],
    LOG_REWRITTEN: ["rewritten"],
    LOG_GROWN: ["log"],
}


def changed(before: Canonical, after: Canonical) -> list[str]:
    """The units that both documents have and whose text is another now; what changed outside them."""
    now = {phase.key: phase.hash for phase in after.phases}
    other = [phase.key for phase in before.phases if phase.key in now and now[phase.key] != phase.hash]
    unchanged = {phase.key for phase in before.phases if now.get(phase.key) == phase.hash}
    return [*other, *_NAMES[compare_seal(before.rest_hash, after.outside, unchanged)]]


def _readable(paths: list[Path]) -> list[PlanSource]:
    found = []
    for path in paths:
        try:
            source = load(str(path))
            read(source)
        except PlanrailError:
            continue
        found.append(source)
    return found


DOCUMENTS = _readable([*sound_documents(), *_FOREIGN])
