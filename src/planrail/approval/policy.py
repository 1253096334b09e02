"""The `[approval]` settings: which strength is enough for what, and whose approval is needed.

The user's own file may loosen the strengths that planrail demands by default. The repository's may only tighten them:
an agent can edit and commit it. So may the machine's, which only root can write. That a project does without approval
(`required = false`) may stand in any of them, and one that says `true` beats it.
"""

from collections.abc import Mapping

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
    leads: tuple[str, ...] = ()  # the approval of each of them is needed
    signers: str = ""  # the file of those whose keys count; "" for the usual places
    agents: tuple[str, ...] = ()  # further programs that are agents

    @property
    def strengths(self) -> dict[str, str]:
        return {use: getattr(self, use) for use in USES}


DEFAULT = Policy()


def decide_policy(user: Mapping[str, object], *others: Mapping[str, object]) -> Policy:
    """The policy that follows from the table in the user's file and those in others, each checked before.

    The others are the machine's file and the repository's: each can only tighten.
    """
    chosen = {use: str(user.get(use, getattr(DEFAULT, use))) for use in USES}
    for table in others:
        stricter = {use: str(table[use]) for use in USES if table.get(use) in STRENGTHS}
        chosen = {use: max(said, stricter.get(use, said), key=STRENGTHS.index) for use, said in chosen.items()}
    said = [table["required"] for table in (user, *others) if "required" in table]
    return Policy(
        required=all(value is not False for value in said) or any(value is True for value in said),
        leads=_gather("lead", user, *others),
        signers=str(user.get("signers", "")),
        agents=_gather("agents", user, *others),
        **chosen,
    )


def _gather(key: str, *tables: Mapping[str, object]) -> tuple[str, ...]:
    said = [table.get(key, "") for table in tables]
    found = [name for value in said for name in (value if isinstance(value, list) else [value])]
    return tuple(dict.fromkeys(name.strip() for name in found if isinstance(name, str) and name.strip()))


def is_person(who: str, named: str) -> bool:
    """Whether `who` is the person that is named: by the login name, the e-mail, or both as `name <e-mail>`."""
    whole = who.strip().lower()
    name, _, rest = whole.partition("<")
    return named.strip().lower() in {whole, name.strip(), rest.rstrip("> ").strip()} - {""}
