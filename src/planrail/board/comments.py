"""Comments of a person on parts of a plan: kept in the ledger by what they quote, found again in every later text."""

from collections.abc import Mapping, Sequence

from planrail.approval.book import PlanFile
from planrail.approval.model import Comment
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.board.showing import PlanPart, squeeze
from planrail.store.facts import Fact, new_id
from planrail.store.ledger import open_ledger

COMMENT, TAKEN_BACK, SENT = "comment", "comment_taken_back", "comments_sent"
# Where the text of a comment is now, and what became of it.
HERE, MOVED, GONE = "here", "moved", "gone"


@record
class Remark:
    """A comment as the ledger has it. `block` is the hash of the part that it was made on, `source` its text."""

    id: str
    line: int
    quote: str
    block: str
    source: str
    text: str
    replacement: str
    who: str
    at: int
    sent: str = ""  # the id of the rejection that it went out with


def read_remarks(facts: Sequence[Fact]) -> list[Remark]:
    """The comments of a plan that were not taken back, the oldest first."""
    gone = {fact.value.get("comment") for fact in facts if fact.kind == TAKEN_BACK}
    sent = {
        str(name): str(fact.value.get("rejection"))
        for fact in facts
        if fact.kind == SENT and isinstance(names := fact.value.get("comments"), list)
        for name in names
    }
    found = [_read(fact, sent) for fact in facts if fact.kind == COMMENT]
    return [remark for remark in found if remark is not None and remark.id not in gone]


def _read(fact: Fact, sent: Mapping[str, str]) -> Remark | None:
    value = fact.value
    names = ("id", "quote", "block", "source", "text", "replacement", "who")
    texts = {name: found for name in names if isinstance(found := value.get(name), str)}
    line = value.get("line")
    if len(texts) < len(names) or not isinstance(line, int):
        return None  # planrail has not written it
    return Remark(line=line, at=fact.at, sent=sent.get(texts["id"], ""), **texts)


def find_block(remark: Remark, blocks: Sequence[PlanPart]) -> tuple[PlanPart | None, str]:
    """Where a comment's words stand in a text now: by the part, else by the quote, nearest to where they stood."""
    same = [block for block in blocks if block.hash == remark.block]
    close = same or [block for block in blocks if remark.quote and squeeze(remark.quote) in block.plain]
    if not close:
        return None, GONE
    return min(close, key=lambda block: abs(block.first - remark.line)), HERE if same else MOVED


def decide_fate(remark: Remark, blocks: Sequence[PlanPart]) -> str:
    """What the author made of a comment that was sent: taken, changed, kept as it was, or the text is gone."""
    wanted = squeeze(remark.replacement)
    if wanted and any(wanted in squeeze(block.source) or wanted in block.plain for block in blocks):
        return "taken"
    return {HERE: "unchanged", MOVED: "changed around it", GONE: "gone"}[find_block(remark, blocks)[1]]


def keep_remark(plan_file: PlanFile, block: PlanPart, said: Mapping[str, str], who: str, at: int) -> str:
    """Put a comment on record; its id. What reaches the ledger holds no secret of a known shape."""
    id = new_id()
    texts = {name: mask(said.get(name, "").strip()) for name in ("quote", "text", "replacement")}
    value = {"id": id, "line": block.first, "block": block.hash, "source": mask(block.source), "who": who, **texts}
    with open_ledger(plan_file.root) as ledger:
        ledger.add(COMMENT, plan_file.id, value, id=f"{COMMENT}-{id}", at=at)
    return id


def take_back(plan_file: PlanFile, id: str, at: int) -> None:
    with open_ledger(plan_file.root) as ledger:
        ledger.add(TAKEN_BACK, plan_file.id, {"comment": id}, id=f"{TAKEN_BACK}-{id}", at=at)


def mark_sent(plan_file: PlanFile, remarks: Sequence[Remark], rejection: str, at: int) -> None:
    """Note with which rejection comments went out."""
    value = {"comments": [remark.id for remark in remarks], "rejection": rejection}
    with open_ledger(plan_file.root) as ledger:
        ledger.add(SENT, plan_file.id, value, id=f"{SENT}-{rejection}", at=at)


def as_comments(remarks: Sequence[Remark], blocks: Sequence[PlanPart]) -> list[Comment]:
    """Comments as the author hears them: with the lines, and what should stand there instead."""
    told = []
    for remark in remarks:
        block, _ = find_block(remark, blocks)
        parts = [f"“{remark.quote}”:" if remark.quote else "", remark.text]
        parts += [f"Write instead:\n{remark.replacement}"] if remark.replacement else []
        line, source = (block.first, block.source) if block is not None else (remark.line, remark.source)
        told.append(Comment(line, source, "\n".join(filter(None, parts))))
    return told
