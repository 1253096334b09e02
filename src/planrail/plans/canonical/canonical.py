"""Canonical texts: what each phase of a plan says, and what stands outside all phases, without the marks of progress.

An approval holds the hashes of these texts. Every byte of a document belongs to one phase, to the rest or to the drift
log, and to no other; only the spans that planrail owns are left out: the marks that the reader takes as the claim of a
phase or a work item, boxes, the plan's own status, its own keys of the front matter, its audit comments. What is left
out is recognised by what it says, never by its place alone, so that nothing but a status can hide there.

Texts are normalised by three things only: line ends where a part has one kind of them, blanks at the ends of lines
outside code, and blank lines around a part.
"""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from planrail.base.records import record
from planrail.plans.canonical.owned import LOG, REST, Division, Outside, OwnedSpan
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.model import Plan

# A seal says the text outside the phases, where each phase stood in it, and how long the drift log was. It is kept
# whole rather than as one hash, because what is compared later depends on which phases are still the same: one that was
# added, removed or edited since says nothing about the order of the others.
Places = Sequence[tuple[str, int]]

LOG_KEY = "\x00log"  # the drift log among the places; no phase has this key
_NONE: tuple[str, Places, int, str] = ("", (), 0, "")

HELD = ""
TEXT_CHANGED = "the text outside the phases has changed"
ORDER_CHANGED = "the order of the phases has changed, or text has moved past one"
LOG_REWRITTEN = "the drift log was rewritten"
LOG_GROWN = "the drift log has grown since"  # rows were added, and nothing else: no phase is another for it


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def write_seal(outside: Outside) -> str:
    parts = [hash_text(outside.text), outside.places, len(outside.log), _hash_lines(outside.log)]
    return json.dumps(parts, separators=(",", ":"))


def compare_seal(seal: str, outside: Outside, unchanged: Collection[str]) -> str:
    """What no longer stands of what was sealed; `HELD` where all of it does.

    `unchanged` are the phases whose text is the sealed one: only they have to stand where they stood.
    """
    text, places, lines, log = _read(seal)
    if text != hash_text(outside.text):
        return TEXT_CHANGED
    if len(outside.log) < lines or _hash_lines(outside.log[:lines]) != log:
        return LOG_REWRITTEN
    known = {*unchanged, LOG_KEY} if lines else set(unchanged)
    if _among(places, known) != _among(outside.places, known):
        return ORDER_CHANGED
    return LOG_GROWN if len(outside.log) > lines else HELD


def _hash_lines(lines: "Sequence[str]") -> str:
    return hash_text("\n".join(lines))


def _among(places: Places, known: Collection[str]) -> "list[tuple[str, int]]":
    """The places of some phases; one that follows itself stands there once, since only others stood between."""
    found: list[tuple[str, int]] = []
    for place in places:
        if place[0] in known and found[-1:] != [place]:
            found.append(place)
    return found


def _read(seal: str) -> tuple[str, Places, int, str]:
    """The seal that was written. What is none holds no text: any process of the user can write to the ledger."""
    try:
        text, places, lines, log = json.loads(seal)
    except (ValueError, TypeError, RecursionError):
        return _NONE
    is_list = isinstance(places, list) and all(isinstance(place, list) and len(place) == 2 for place in places)
    if type(lines) is not int or lines < 0 or not is_list:
        return _NONE
    pairs = [(key, at) for key, at in places if isinstance(key, str) and type(at) is int]
    return (text, pairs, lines, log) if len(pairs) == len(places) else _NONE


HOLE = "\x00"  # stands in a phase where a part of the document was taken out that belongs to another owner


@record
class PhaseText:
    """The canonical text of one phase. The lines are those of the place in the document that says most of it."""

    key: str
    title: str
    text: str
    hash: str
    first_line: int
    last_line: int


@record
class Canonical:
    """A document, divided: the phases in their order, and what stands outside all of them.

    `rest_hash` is what an approval holds of the outside: a seal, which `compare_seal` compares.
    """

    outside: Outside
    rest_hash: str
    phases: tuple[PhaseText, ...]

    @property
    def rest(self) -> str:
        return self.outside.text

    @property
    def hash(self) -> str:
        """The hash of all of it: two documents with the same one say the same."""
        return hash_document(((phase.key, phase.hash) for phase in self.phases), self.rest_hash)


def canonicalise(plan: Plan, text: str) -> Canonical:
    if dialect_of(plan).layout == "json":
        from planrail.plans.canonical.json import take_apart

        outside, tasks = take_apart(plan, text)
        line_of = _line_finder(text)
        phases = [PhaseText(*task, hash_text(task[2]), line_of(start), line_of(end)) for task, start, end in tasks]
        return Canonical(outside, write_seal(outside), tuple(phases))
    return assemble(divide(plan, text), text)


def divide(plan: Plan, text: str) -> Division:
    """The division of a plan whose phases are parts of its text, as tasks in JSON are not."""
    if dialect_of(plan).layout == "markdown":
        from planrail.plans.canonical.markdown import divide_markdown

        return divide_markdown(plan, text)
    from planrail.plans.canonical.yaml import divide_yaml

    return divide_yaml(plan, text)


def hash_document(phases: Iterable[tuple[str, str]], rest: str) -> str:
    """The hash of a whole document, from those of its parts in their order."""
    return hash_text("\n".join([rest, *(f"{hash} {key!r}" for key, hash in phases)]))


def assemble(division: Division, text: str) -> Canonical:
    parts: dict[int, list[str]] = {}  # by owner, in their order
    places: list[tuple[str, int]] = []
    before = 0  # lines of the rest
    spans: dict[int, list[OwnedSpan]] = {}
    for span in _cover(division.spans, len(text)):
        piece = _without(text, span, division.cuts)
        # One line end of another kind than the others is a part of the text.
        is_crlf = piece.count("\r\n") == piece.count("\n")
        piece = (piece.replace("\r\n", "\n") if is_crlf else piece).strip("\n")
        if span.owner != REST:
            places.append((LOG_KEY if span.owner == LOG else division.units[span.owner][0], before))
        elif not piece:
            continue  # blank lines between two parts
        else:
            before += piece.count("\n") + (2 if before else 1)
        parts.setdefault(span.owner, []).append(piece)
        spans.setdefault(span.owner, []).append(span)
    line_of = _line_finder(text)
    phases = []
    for owner, (key, title) in enumerate(division.units):
        said = f"\n{HOLE}\n".join(parts.get(owner, ()))
        span = max(spans.get(owner, [OwnedSpan(0, 0, owner)]), key=lambda span: span.end - span.start)
        last = span.start + len(text[span.start : span.end].rstrip())
        phases.append(PhaseText(key, title, said, hash_text(said), line_of(span.start), line_of(last)))
    log = "\n".join(parts.get(LOG, ())).split("\n")
    outside = Outside("\n\n".join(parts.get(REST, ())), tuple(places), tuple(line for line in log if line))
    return Canonical(outside, write_seal(outside), tuple(phases))


def _cover(spans: Sequence[OwnedSpan], length: int) -> Iterator[OwnedSpan]:
    """The spans with the rest between them, be it empty: all of the document."""
    at = 0
    for span in spans:
        yield OwnedSpan(at, span.start, REST)
        yield span
        at = span.end
    yield OwnedSpan(at, length, REST)


def _without(text: str, span: OwnedSpan, cuts: Sequence[tuple[int, int]]) -> str:
    """A part of the text without what is left out, and without the blanks before that: a mark brings them along."""
    kept, at = [], span.start
    for index in range(bisect_left(cuts, (span.start, -1)), len(cuts)):
        start, end = cuts[index]
        if start >= span.end:
            break
        kept.append(text[at : max(start, at)].rstrip(" \t"))
        at = max(min(end, span.end), at)
    kept.append(text[at : span.end])
    return "".join(kept)


def _line_finder(text: str) -> Callable[[int], int]:
    ends = [at for at, char in enumerate(text) if char == "\n"]
    return lambda offset: bisect_left(ends, offset) + 1
