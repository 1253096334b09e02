"""The review of a plan: what will be run, first; the text in parts, with what lint and people say to each; what changed
since the last approval; what became of each comment.
"""

import difflib
from collections.abc import Sequence
from functools import lru_cache

from planrail.approval.book import (
    Book,
    PlanFile,
    list_facts,
    load_policy,
    make_book,
    open_requests,
    read_project_commands,
    stand,
)
from planrail.approval.diffing import compare
from planrail.approval.model import Approval, Rejection, to_json
from planrail.approval.person import find_person, verifier
from planrail.base.wording import pick, quote
from planrail.board.comments import Remark, decide_fate, find_block, read_remarks
from planrail.board.showing import PlanPart, render_plan
from planrail.plans.canonical.canonical import canonicalise, hash_text
from planrail.plans.execution.executions import list_commands, order_phases
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.projects.linting import lint_file
from planrail.runs.request.approve_screen import describe_standing, render_fingerprint
from planrail.store.ledger import has_ledger, open_ledger

_MARKDOWN = (".md", ".markdown", ".mdc", ".txt")


@lru_cache(16)
def make_blocks(text: str, path: str) -> tuple[PlanPart, ...]:
    """The parts of a text; those of a large plan are not made anew for each look."""
    return tuple(render_plan(text, is_markdown=path.endswith(_MARKDOWN)))


def describe_review(plan_file: PlanFile, now: float) -> dict[str, object]:
    """All that a person should know before they answer."""
    facts = list_facts(plan_file.root, plan=plan_file.id)
    book, remarks = make_book(facts), read_remarks(facts)
    blocks = make_blocks(plan_file.source.text, plan_file.path)
    last = next((said for said in reversed(book.history) if isinstance(said, Rejection)), None)
    return {
        **pick(plan_file, "plan=id path title=plan.title"),
        "hash": hash_text(plan_file.source.text),
        "fingerprint": render_fingerprint(plan_file.source.text),
        "now": now,
        "blocks": [pick(block, "first last hash html") for block in blocks],
        "runs": _describe_runs(plan_file),
        "problems": _describe_problems(plan_file),
        "standing": _describe_standing(plan_file, book),
        "request": next((to_json(request) for request in open_requests(book)), None),
        "since": _since_approval(plan_file, book),
        "comments": [_describe_remark(remark, blocks) for remark in remarks if not remark.sent],
        "rejection": _describe_rejection(plan_file, last, remarks, blocks) if last is not None else None,
        "commands": {
            verb: f"planrail {verb} {quote(plan_file.source.path)}" for verb in ("approve", "reject", "refine", "run")
        },
    }


def _describe_runs(plan_file: PlanFile) -> dict[str, object]:
    """What a run would execute, from what it freezes when it begins."""
    orders = order_phases(plan_file.plan, plan_file.source.text)
    phases = [
        {
            **pick(order, "id title state"),
            "commands": list(list_commands(order)),
            "unrun": [{"command": command, "reason": reason} for command, reason in order.unrun],
        }
        for order in orders
    ]
    around = [{"when": when, "command": command} for when, command in read_project_commands(plan_file.root)]
    return {"phases": phases, "around": around}


def _describe_problems(plan_file: PlanFile) -> list[dict[str, object]]:
    found = lint_file(plan_file.source.path).problems
    return [{**pick(one, "rule line message suggestion?"), "severity": str(one.severity.value)} for one in found]


def _describe_standing(plan_file: PlanFile, book: Book) -> dict[str, object]:
    person = find_person()
    policy = load_policy(plan_file.root, person.environment)
    verify = verifier(person, policy, plan_file.root)
    found = {use: stand(plan_file, book, policy, strength, verify) for use, strength in policy.strengths.items()}
    shown = next(iter(found.values()))
    return {
        "state": shown.state,
        "required": policy.required,
        "needed": policy.strengths,
        "leads": list(policy.leads),
        "enough_for": [use for use, standing in found.items() if standing.is_approved],
        "phases": describe_standing(shown),
    }


def _since_approval(plan_file: PlanFile, book: Book) -> dict[str, object] | None:
    """The difference since the last approval, phase by phase; None where there is none."""
    last = next((said for said in reversed(book.history) if isinstance(said, Approval)), None)
    text = _recall(plan_file, last.text) if last is not None else None
    if last is None or text is None:
        return None
    before = canonicalise(read(PlanSource(plan_file.source.path, text)), text)
    changes = [pick(one, "key title kind lines") for one in compare(before, plan_file.canonical)]
    return {**pick(last, "who at strength"), "changes": changes}


def _describe_remark(remark: Remark, blocks: Sequence[PlanPart]) -> dict[str, object]:
    block, place = find_block(remark, blocks)
    own = pick(remark, "id line quote? source text replacement? who at")
    return {**own, "place": place, "at_line": block.first if block is not None else None}


def _describe_rejection(
    plan_file: PlanFile, said: Rejection, remarks: Sequence[Remark], blocks: Sequence[PlanPart]
) -> dict[str, object]:
    """The last no: its words, what became of each comment, and this text beside the one that was rejected."""
    sent = [remark for remark in remarks if remark.sent == said.id]
    comments = [{**_describe_remark(remark, blocks), "fate": decide_fate(remark, blocks)} for remark in sent]
    before, now = _recall(plan_file, said.text), plan_file.source.text
    lines = difflib.unified_diff(before.split("\n"), now.split("\n"), lineterm="", n=3) if before is not None else ()
    own = pick(said, "who at channel feedback?")
    is_same = said.canonical == plan_file.canonical.hash
    return {**own, "comments": comments, "is_same": is_same, "diff": list(lines)[2:]}


def _recall(plan_file: PlanFile, text_hash: str) -> str | None:
    if not has_ledger(plan_file.root):
        return None
    with open_ledger(plan_file.root) as ledger:
        return ledger.text(text_hash)


def find_commented(plan_file: PlanFile, block_hash: str, line: str) -> PlanPart | None:
    """The part that a page means: by its hash, and the line where there are several."""
    blocks = make_blocks(plan_file.source.text, plan_file.path)
    same = [block for block in blocks if block.hash == block_hash]
    wanted = int(line) if line.isdecimal() else 0
    return min(same, key=lambda block: abs(block.first - wanted), default=None)


def list_open(plan_file: PlanFile) -> list[Remark]:
    """The comments that were not sent yet."""
    return [one for one in read_remarks(list_facts(plan_file.root, plan=plan_file.id)) if not one.sent]
