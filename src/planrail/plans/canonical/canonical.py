"""Canonical texts: what each phase of a plan says, and what stands outside all phases, without the marks of progress.

An approval holds the hashes of these texts. Every byte of a document belongs to one phase, to the rest or to the drift
log, and to no other; only the spans that planrail owns are left out: the marks that the reader takes as the claim of a
phase or a work item, boxes, the plan's own status, its own keys of the front matter, its audit comments. What is left
out is recognised by what it says, never by its place alone, so that nothing but a status can hide there.

Texts are normalised by three things only: line ends where a part has one kind of them, blanks at the ends of lines
outside code, and blank lines around a part.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence

from planrail.base.records import record
from planrail.plans.canonical.owned import LOG, REST, Division, Span
from planrail.plans.canonical.seals import LOG_KEY, Outside, write_seal
from planrail.plans.canonical.seals import hash_text as hash_text
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.model import Plan

HOLE = "\x00"  # stands in a phase where a part of the document was taken out that belongs to somebody else


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

    `rest_hash` is what an approval holds of the outside: a seal, which `seals.compare_seal` compares.
    """

    outside: Outside
    rest_hash: str
    phases: tuple[PhaseText, ...]

    @property
    def rest(self) -> str:
        """The text outside all phases and the drift log."""
        return self.outside.text

    @property
    def hash(self) -> str:
        """The hash of all of it: two documents with the same one say the same."""
        return hash_document(((phase.key, phase.hash) for phase in self.phases), self.rest_hash)


def canonicalise(plan: Plan, text: str) -> Canonical:
    """The canonical texts of a plan that was read from this text."""
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
    """The texts of the units of a division, and what stands outside them."""
    parts: dict[int, list[str]] = {}  # by owner, in their order
    places: list[tuple[str, int]] = []
    before = 0  # lines of the rest
    largest: dict[int, Span] = {}
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
        known = largest.setdefault(span.owner, span)
        largest[span.owner] = span if span.end - span.start > known.end - known.start else known
    line_of = _line_finder(text)
    phases = []
    for owner, (key, title) in enumerate(division.units):
        said, span = f"\n{HOLE}\n".join(parts.get(owner, ())), largest.get(owner, Span(0, 0, owner))
        last = span.start + len(text[span.start : span.end].rstrip())
        phases.append(PhaseText(key, title, said, hash_text(said), line_of(span.start), line_of(last)))
    log = "\n".join(parts.get(LOG, ())).split("\n")
    outside = Outside("\n\n".join(parts.get(REST, ())), tuple(places), tuple(line for line in log if line))
    return Canonical(outside, write_seal(outside), tuple(phases))


def _cover(spans: Sequence[Span], length: int) -> Iterator[Span]:
    """The spans with the rest between them: all of the document."""
    at = 0
    for span in spans:
        if span.start > at:
            yield Span(at, span.start, REST)
        yield span
        at = span.end
    if at < length:
        yield Span(at, length, REST)


def _without(text: str, span: Span, cuts: Sequence[tuple[int, int]]) -> str:
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
    """A function that tells the line, from 1, that an offset lies in."""
    ends = [at for at, char in enumerate(text) if char == "\n"]
    return lambda offset: bisect_left(ends, offset) + 1
