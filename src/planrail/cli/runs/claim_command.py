"""Who holds a plan: acquire, release, list, takeover.

A claim is held while the process that `--pid` names lives, and no longer. Exit codes: 0 done, or already yours;
2 wrong call; 10 held by another live owner; 11 the disk failed; 12 not the owner.

With --json, acquire and takeover print {"decision": "acquired|already_yours|held|taken_over", "claim": {...},
"former": {...} or null, "reason": ..., "error": ..., "next": ...}; release the same with "released|nothing_held|
not_yours"; list {"claims": [{..., "alive": true}]}.
"""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import open_plan_file, project_root
from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.wording import Answer, quote
from planrail.cli.screen import warn
from planrail.store import claim_rules as rules
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process

Decided = (
    rules.Acquired
    | rules.AlreadyYours
    | rules.HeldBy
    | rules.TakenOver
    | rules.Released
    | rules.NothingHeld
    | rules.NotYours
)
HELD, NOT_OWNER = 10, 12


@record
class Thing:
    """The plan that a claim is about. `word` is what to type for it."""

    root: str
    name: str
    path: str
    word: str


def configure(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    acquire = actions.add_parser("acquire", help="take it, if nobody who lives has it")
    takeover = actions.add_parser("takeover", help="take it from the process that has it, for a reason")
    release = actions.add_parser("release", help="let go of it")
    listing = actions.add_parser("list", help="all claims of this project")
    for action in (acquire, takeover, release):
        action.add_argument("plan", metavar="PLAN", help="the plan file, or its id")
        action.add_argument("--owner", required=True, metavar="ID", help="who you are")
    for action in (acquire, takeover):
        action.add_argument("--pid", required=True, type=int, metavar="PID", help="held while this process lives")
    takeover.add_argument("--reason", default="", metavar="TEXT", help="why; it is kept on record")
    for action in (acquire, takeover, release, listing):
        action.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    if arguments.action == "list":
        return _list()
    thing = _find_plan(arguments.plan)
    if not arguments.owner.strip():
        raise UsageError("the owner has no name", remedy=f"planrail claim {arguments.action} {thing.word} --owner ID")
    if arguments.action == "release":
        found = open_store(thing.root).claims.release(rules.PLAN, thing.name, arguments.owner)
        return _answer(arguments, thing, found)
    return _take(arguments, thing)


def _find_plan(word: str) -> Thing:
    """The plan at a path, else the one that is held under that name: a plan may be gone while it is held."""
    if os.path.isfile(word):
        plan_file = open_plan_file(word)
        return Thing(_repository(plan_file.root), plan_file.id, plan_file.path, quote(word))
    root = _repository(os.getcwd())
    inside = os.path.relpath(os.path.realpath(word), os.path.realpath(root))
    for claim in open_store(root).claims.list_claims():
        if claim.kind == rules.PLAN and (word == claim.name or claim.path in (word, inside)):
            return Thing(root, claim.name, claim.path, quote(word))
    if not word or "/" in word or word.endswith(".md"):
        raise UsageError(f"there is no plan {word!r} here", remedy="planrail plans")
    return Thing(root, word, word, quote(word))


def _repository(folder: str) -> str:
    """The repository around a folder: claims are for runs, and a run needs one."""
    root = project_root(folder)
    if not os.path.exists(os.path.join(root, ".git")):
        raise UsageError(f"{folder} is in no git repository", remedy="git init")
    return root


def _take(arguments: Namespace, thing: Thing) -> Answer:
    owner, claims = describe_process(arguments.pid, arguments.owner), open_store(thing.root).claims
    asked = (rules.PLAN, thing.name, owner, int(time.time()))
    taken: rules.Acquired | rules.AlreadyYours | rules.HeldBy | rules.TakenOver | rules.ReasonMissing
    if arguments.action == "acquire":
        taken = claims.acquire(*asked, path=thing.path)
    else:
        taken = claims.takeover(*asked, reason=arguments.reason, path=thing.path)
    if isinstance(taken, rules.ReasonMissing):
        raise UsageError("a takeover needs a reason", remedy="add: --reason TEXT")
    if not isinstance(taken, rules.HeldBy):
        claims.hold_for_good(taken.claim)
    return _answer(arguments, thing, taken)


def _list() -> Answer:
    claims = open_store(_repository(os.getcwd())).claims.list_leases()
    lines = []
    for claim, alive in claims:
        state = "" if alive else "  (dead: the next one takes it over)"
        lines.append(f"{claim.kind:<5}  {claim.path or claim.name}  {_whom(claim)}  {claim.current_phase}{state}")
    told = {"claims": [{**describe(claim), "alive": alive} for claim, alive in claims]}
    return Answer(told, lines or ["nothing is held"], command="planrail status")


def describe(claim: rules.Claim) -> dict[str, object]:
    """A claim for programs: as it is kept, with the time as people write it."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(claim.started_at))
    return {**rules.to_json(claim), "host": rules.name_host(claim.owner.host), "started_at": stamp}


def _answer(arguments: Namespace, thing: Thing, decision: Decided) -> Answer:
    claim = None if isinstance(decision, rules.NothingHeld) else decision.claim
    taken = decision if isinstance(decision, rules.TakenOver) else None
    code, name, text = _tell(f"plan {thing.path or thing.name}", decision)
    command = "planrail claim list"
    if name == "held":
        command = f"planrail claim takeover {thing.word} --owner ID --pid PID --reason TEXT"
    elif claim is not None and name in ("acquired", "already_yours", "taken_over"):
        command = f"planrail claim release {thing.word} --owner {quote(claim.owner.id)}"
    document = {
        "decision": name,
        "claim": describe(claim) if claim is not None else None,
        "former": describe(taken.former) if taken is not None and taken.former is not None else None,
        "reason": taken.reason if taken is not None else None,
        "error": text if code else None,
        "next": command,
    }
    if not code:
        return Answer(document, [text], command=command)
    if arguments.json:
        warn(text, command)
    return Answer(document, warnings=[(text, command)], code=code)


def _tell(what: str, decision: Decided) -> tuple[int, str, str]:
    """The exit code, the word for programs, and the sentence for people."""
    match decision:
        case rules.Acquired(claim=claim):
            return 0, "acquired", f"{what} is yours, {claim.owner.id}"
        case rules.AlreadyYours():
            return 0, "already_yours", f"{what} is yours already"
        case rules.TakenOver(reason=reason):
            return 0, "taken_over", f"{what} was taken over: {reason}; this is on record"
        case rules.HeldBy(claim=claim):
            return HELD, "held", f"{what} is held by {_whom(claim)}: {claim.current_phase}"
        case rules.NotYours(claim=claim):
            return NOT_OWNER, "not_yours", f"{what} is held by {_whom(claim)}; nothing was changed"
        case rules.Released():
            return 0, "released", f"{what} is free"
        case rules.NothingHeld():
            return 0, "nothing_held", f"nobody held {what}"


def _whom(claim: rules.Claim) -> str:
    return f"{claim.owner.id} (process {claim.owner.pid} on {rules.name_host(claim.owner.host)})"
