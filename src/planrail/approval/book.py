"""The book of a plan: its text as it is now, and all that people said to it, from the ledger."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from planrail.approval import model
from planrail.approval.policy import Policy, decide_policy, is_person
from planrail.approval.standing import Needed, Standing, decide_standing
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.git.git import list_committed, show_committed
from planrail.git.workspaces.provisions import list_project_commands
from planrail.plans.canonical.canonical import Canonical, canonicalise, hash_document
from planrail.plans.canonical.owned import read_id
from planrail.plans.files.plan_projects import find_root as find_root
from planrail.plans.files.plan_projects import project_root as project_root
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource, load
from planrail.store.facts import Fact
from planrail.store.ledger import has_ledger, open_ledger, open_store

APPROVAL, REJECTION, REQUEST, WITHDRAWAL = "approval", "rejection", "request", "withdrawal"


@record
class PlanFile:
    """A plan as it is on the disk now, and what it is called."""

    id: str  # what approvals call it
    path: str  # as approvals call it: from the root, or absolute outside
    place: str  # where it lies, links followed
    root: str
    repository: str
    source: PlanSource
    plan: Plan
    canonical: Canonical


@record
class Book:
    """What was said to a plan, in the order of the ledger. `seen` is the last thing that the ledger knew of it."""

    history: list[model.Approval | model.Rejection]
    requests: list[model.Request]
    seen: int

    @property
    def path(self) -> str:
        said = max((*self.history, *self.requests), key=lambda word: word.at, default=None)
        return said.path if said is not None else ""

    @property
    def title(self) -> str:
        named = [word for word in (*self.history, *self.requests) if not isinstance(word, model.Rejection)]
        return max(named, key=lambda word: word.at).title if named else ""

    @property
    def latest(self) -> int:
        """The time of the last word: nothing that follows may be earlier, whatever the clock says."""
        return max((said.at for said in (*self.history, *self.requests)), default=0)


def open_plan_file(path: str, root: str | None = None) -> PlanFile:
    """Read a plan for approval. `root` is its repository, where that is known."""
    place = os.path.realpath(path)
    top = project_root(root) if root else find_root(path)
    source = PlanSource(path, load(place).text)
    plan = read(source)
    name = _name_in(top, place)
    identity = identify(path, top, plan, source.text)
    repository = open_store(top).identity
    return PlanFile(identity, name, place, top, repository, source, plan, canonicalise(plan, source.text))


def identify(path: str, root: str, plan: Plan, text: str) -> str:
    """What a plan is called: by the id in its front matter, else by its path from the root on."""
    known = read_id(text, scan(text)[0]) if plan.dialect in ("markdown", "cursor") else ""
    return known or _name_in(root, os.path.realpath(path))


def _name_in(root: str, place: str) -> str:
    name = os.path.relpath(place, os.path.realpath(root))
    return place if name.startswith("..") else name


def list_facts(root: str | None, kind: str | None = None, plan: str | None = None) -> list[Fact]:
    """The facts of a project's ledger; none where it has none."""
    if not has_ledger(root):
        return []
    with open_ledger(root) as ledger:
        return list(ledger.facts(kind, plan))


def read_book(root: str | None, plan: str) -> Book:
    return make_book(list_facts(root, plan=plan))


def make_book(facts: Sequence[Fact]) -> Book:
    readers = {APPROVAL: model.read_approval, REJECTION: model.read_rejection}
    said = [readers[fact.kind](fact.value) for fact in facts if fact.kind in readers]
    return Book([word for word in said if word is not None], _requests(facts), facts[-1].seq if facts else 0)


def read_books(root: str | None) -> dict[str, Book]:
    facts = list_facts(root)
    plans = dict.fromkeys(fact.plan for fact in facts if fact.kind in (APPROVAL, REJECTION, REQUEST))
    return {plan: make_book([fact for fact in facts if fact.plan == plan]) for plan in plans}


def load_policy(root: str | None, environment: Mapping[str, str]) -> Policy:
    committed = show_committed(root, FILE_NAME) if root is not None else None
    tables = load_settings(root, environment, committed=committed).approval
    signers = {"signers": tables.system["signers"]} if "signers" in tables.system else {}
    return decide_policy({**tables.user, **signers}, tables.system, tables.project)


def read_test_command(root: str) -> str:
    """The project's tests, which are run besides the checks of each phase; "" where there are none."""
    settings = _committed_settings(root)
    return settings.testing.runnable if settings is not None else ""


def read_project_commands(root: str) -> tuple[tuple[str, str], ...]:
    """What a run executes by the project's settings and lock files, each with its occasion."""
    settings = _committed_settings(root)
    if settings is None:
        return ()
    return list_project_commands(settings, set(list_committed(root, settings.run.target or "HEAD")))


def _committed_settings(root: str) -> Settings | None:
    """The settings as a run hears them; None where nobody can read them: that stops a run, and no look at a plan."""
    try:
        return load_settings(root, committed=show_committed(root, FILE_NAME))
    except PlanrailError:
        return None


def stand(
    plan_file: PlanFile, book: Book, policy: Policy, strength: str, verify: Callable[[model.Approval], str]
) -> Standing:
    needed = Needed(plan_file.id, plan_file.repository, strength, verify, policy.leads)
    return decide_standing(plan_file.canonical, book.history, needed)


def open_requests(book: Book) -> list[model.Request]:
    """The requests that still wait: the newest of each plan, where nobody whose word counts has answered it."""
    newest = {request.plan: request for request in book.requests}
    return [request for request in newest.values() if answer_to(request, book) is None]


def answer_to(request: model.Request, book: Book) -> model.Approval | model.Rejection | None:
    """The word that answered a request. An approval that is too weak or not the lead's is none, nor a no by nobody."""
    missing = request.lead.split(", ") if request.lead else [""]
    for said in book.history:
        if isinstance(said, model.Rejection):
            is_meant = said.request == request.id or (said.plan, said.canonical) == (request.plan, request.canonical)
            if is_meant and said.channel != model.NOBODY:
                return said
            continue
        is_text = (said.plan, hash_document(said.phases, said.rest)) == (request.plan, request.canonical)
        if (said.request == request.id or is_text) and model.is_enough(said.strength, request.strength):
            missing = [lead for lead in missing if lead and not is_person(said.who, lead)]
            if not missing:
                return said
    return None


def read_requests(root: str | None) -> list[model.Request]:
    return _requests(list_facts(root, REQUEST))


def recall_plan_file(root: str, request: model.Request) -> PlanFile:
    with open_ledger(root) as ledger:
        text = ledger.text(request.text) or ""
    source, place = PlanSource(request.path, text), os.path.realpath(os.path.join(root, request.path))
    plan = read(source)
    canonical = canonicalise(plan, text)
    return PlanFile(request.plan, request.path, place, root, open_store(root).identity, source, plan, canonical)


def _requests(facts: Iterable[Fact]) -> list[model.Request]:
    """Those that were not withdrawn."""
    known = list(facts)
    withdrawn = {fact.value.get("request") for fact in known if fact.kind == WITHDRAWAL}
    found = filter(None, (model.read_request(fact.value) for fact in known if fact.kind == REQUEST))
    return [request for request in found if request.id not in withdrawn]
