"""Plans and approvals to decide about."""

from planrail.approval.model import TERMINAL, Approval, Rejection
from planrail.plans.canonical.canonical import Canonical, canonicalise, hash_text
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource

PLAN = "# Greeter\n\nGoal: greet.\n\n## Phase 1: Read\n\nread\n\n## Phase 2: Write\n\n- [ ] write\n\n## Phase 3: Ship\n\nship\n"


def canonical_of(text: str) -> Canonical:
    return canonicalise(read(PlanSource("plan.md", text)), text)


def approval_of(
    text: str,
    *,
    at: int = 1,
    strength: str = TERMINAL,
    who: str = "lena <lena@example.org>",
    plan: str = "plan.md",
    repository: str = "here",
    signature: str = "",
) -> Approval:
    canonical = canonical_of(text)
    phases = tuple((phase.key, phase.hash) for phase in canonical.phases)
    return Approval(
        f"a{at}",
        plan,
        plan,
        "Greeter",
        repository,
        phases,
        canonical.rest_hash,
        hash_text(text),
        who,
        at,
        strength,
        strength,
        signature=signature,
    )


def rejection_of(text: str, *, at: int, channel: str = TERMINAL) -> Rejection:
    return Rejection(f"r{at}", "plan.md", hash_text(text), canonical_of(text).hash, "lena", at, channel)
