"""The `[approval]` settings: which strength is enough for what, and whose yes is needed.

The user's own file may loosen the strengths that planrail demands by default. The repository's may only tighten them:
an agent can edit and commit it. So may the machine's, which only root can write. That a project does without approval
(`required = false`) may stand in any of them, and one that says `true` beats it.
"""

from collections.abc import Mapping, Sequence

from planrail.approval.model import DIALOG, STRENGTHS, TERMINAL
from planrail.base.records import record

IN_SESSION, HEADLESS, AUTO = "in_session", "headless", "auto"
USES = (IN_SESSION, HEADLESS, AUTO)


@record
class Policy:
    """What an approval must be."""

    required: bool = True
    in_session: str = DIALOG
    headless: str = TERMINAL
    auto: str = TERMINAL
    leads: tuple[str, ...] = ()  # the yes of each of them is needed
    signers: str = ""  # the file of those whose keys count; "" for the usual places
    agents: tuple[str, ...] = ()  # further programs that are agents

    def strength_for(self, use: str) -> str:
        needed: str = getattr(self, use)
        return needed

    @property
    def strengths(self) -> dict[str, str]:
        return {use: self.strength_for(use) for use in USES}


DEFAULT = Policy()


def decide_policy(user: Mapping[str, object], *others: Mapping[str, object]) -> Policy:
    """The policy that follows from the table in the user's file and those in others, each checked before.

    The others are the machine's file and the repository's: each can only tighten.
    """
    chosen = {use: str(user.get(use, getattr(DEFAULT, use))) for use in USES}
    for table in others:
        chosen = {use: _stricter(strength, table.get(use)) for use, strength in chosen.items()}
    said = [table["required"] for table in (user, *others) if "required" in table]
    return Policy(
        required=all(value is not False for value in said) or any(value is True for value in said),
        leads=_gather("lead", user, *others),
        signers=str(user.get("signers", "")),
        agents=_gather("agents", user, *others),
        **chosen,
    )


def _stricter(strength: str, other: object) -> str:
    if other not in STRENGTHS:
        return strength
    return max(strength, str(other), key=STRENGTHS.index)


def _gather(key: str, *tables: Mapping[str, object]) -> tuple[str, ...]:
    found: list[str] = []
    for table in tables:
        value = table.get(key, "")
        found += [value] if isinstance(value, str) else [name for name in _list(value) if isinstance(name, str)]
    return tuple(dict.fromkeys(name.strip() for name in found if name.strip()))


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []


def is_person(who: str, named: str) -> bool:
    """Whether somebody is the one who is named: by the login name, the e-mail, or both as `name <e-mail>`."""
    return named.strip().lower() in _names(who) if named.strip() else False


def _names(who: str) -> set[str]:
    name, _, rest = who.strip().lower().partition("<")
    return {who.strip().lower(), name.strip(), rest.rstrip("> ").strip()} - {""}
