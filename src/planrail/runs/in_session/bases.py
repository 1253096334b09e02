"""The base of a phase in a session: the commit that the work began on, which its checks have to tell from the work.

`execute plan` puts on record where a phase began, so that work which an agent has committed since is still work.
Without that record the base is HEAD. The record is believed only as far as git bears it out: its commit has to be an
ancestor of HEAD, and it has to be about this very text of the phase.
"""

from planrail.base.records import replace
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.git.git_writing import ask_git
from planrail.git.trailers import find_landed
from planrail.runs.in_session.cases import Base, Case
from planrail.store.facts import Fact
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.places import common_directory

ASSIGNMENT = "assignment"  # the fact that a phase was handed to an agent in its session


def stand_on_base(case: Case) -> Case:
    """The case with its base, and with the project's settings as the base has them: no agent has edited those."""
    base = locate_base(case)
    return replace(case, base=base, settings=_settings(case, base)) if base.commit else case


def locate_base(case: Case) -> Base:
    """Where the phase began: as it was handed out, else before its own commit, else HEAD."""
    if common_directory(case.root) is None:
        return Base()
    head = _ask(case.root, "HEAD^{commit}")
    for fact in _assignments(case):
        commit, began = str(fact.value.get("base") or ""), str(fact.value.get("tree") or "")
        if commit and is_ancestor(case.root, commit, head):
            return Base(commit, _tree(case.root, commit), _tree(case.root, began) if began else "", fact.at)
    commit = _before_own_commit(case, head) or head
    return Base(commit, _tree(case.root, commit)) if commit else Base()


def is_ancestor(root: str, commit: str, head: str) -> bool:
    """Whether a commit is HEAD or one before it. What is no full name of a commit is none."""
    is_name = len(commit) in (40, 64) and set(commit) <= set("0123456789abcdef")
    return bool(head) and is_name and ask_git(root, "merge-base", "--is-ancestor", commit, head) is not None


def _assignments(case: Case) -> list[Fact]:
    """Each time that this text of the phase was handed out here, the first one first."""
    if not has_ledger(case.paper.root):
        return []
    with open_ledger(case.paper.root) as ledger:
        facts = ledger.facts(ASSIGNMENT, case.paper.id)
    wanted = (case.order.id, case.root, case.order.canonical)
    return [fact for fact in facts if tuple(fact.value.get(name) for name in ("phase", "root", "text")) == wanted]


def _before_own_commit(case: Case, head: str) -> str:
    """The parent of HEAD, where HEAD is the commit of this phase: who died after making it says `done` again."""
    if not head or find_landed(case.root, head, case.paper.id, case.order.id) != head:
        return ""
    return _ask(case.root, f"{head}^1^{{commit}}")


def _settings(case: Case, base: Base) -> Settings:
    return load_settings(case.paper.root, committed=ask_git(case.root, "show", f"{base.commit}:{FILE_NAME}"))


def _tree(root: str, name: str) -> str:
    return _ask(root, f"{name}^{{tree}}")


def _ask(root: str, name: str) -> str:
    return (ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name) or "").strip()
