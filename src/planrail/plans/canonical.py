"""Canonical texts: what each phase of a plan says, and what stands outside all phases, without the marks of progress.

An approval holds the hashes of these texts. Every byte of a document belongs to one phase or to the rest, and to no
other; only the spans that planrail owns are left out: status marks, the insides of boxes, status cells, its own keys
of the front matter, its audit comments. What is left out is recognised by what it says, never by its place alone, so
that nothing but a status can hide there.

Texts are normalised by three things only: line ends, blanks at the ends of lines, and blank lines around a text.
"""

import hashlib
from bisect import bisect_left

from planrail.plans.divisions import REST, Division, Span
from planrail.plans.model import Plan
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

HOLE = (
    "\x00"  # stands in a text where a part of the document was taken out that belongs to somebody else; no plan has it
)


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
    """A document, divided: the phases in their order, and the text outside all of them."""

    rest: str
    rest_hash: str
    phases: tuple[PhaseText, ...]

    @property
    def hash(self) -> str:
        """The hash of all of it: two documents with the same one say the same."""
        return hash_document(((phase.key, phase.hash) for phase in self.phases), self.rest_hash)


def canonicalise(plan: Plan, text: str) -> Canonical:
    """The canonical texts of a plan that was read from this text."""
    if plan.dialect in ("task-master", "prd"):
        from planrail.plans.canonical_json import canonicalise_json

        return canonicalise_json(plan, text)
    return assemble(_divide(plan, text), text)


def _divide(plan: Plan, text: str) -> Division:
    if plan.dialect == "markdown":
        from planrail.plans.canonical_markdown import divide_markdown

        return divide_markdown(plan, text)
    from planrail.plans.canonical_yaml import divide_yaml

    return divide_yaml(plan, text)


def hash_text(text: str) -> str:
    """The hash of a text, as approvals hold it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_document(phases: "Iterable[tuple[str, str]]", rest: str) -> str:
    """The hash of a whole document, from those of its parts in their order."""
    return hash_text("\n".join([rest, *(f"{hash} {key!r}" for key, hash in phases)]))


def make_phase(key: str, title: str, text: str, lines: tuple[int, int]) -> PhaseText:
    """A phase with the hash of its text."""
    return PhaseText(key, title, text, hash_text(text), *lines)


def assemble(division: Division, text: str) -> Canonical:
    """The texts of the units of a division, and the rest."""
    parts: dict[int, list[str]] = {REST: [], **{owner: [] for owner in range(len(division.units))}}
    largest: dict[int, Span] = {}
    last = None
    for span in _cover(division.spans, len(text)):
        if span.owner == REST and last is not None:
            parts[REST].append(f"{HOLE}\n")
        elif span.owner != REST and parts[span.owner]:
            parts[span.owner].append(f"{HOLE}\n")
        parts[span.owner].append(_without(text, span, division.cuts))
        if span.owner not in largest or span.end - span.start > largest[span.owner].end - largest[span.owner].start:
            largest[span.owner] = span
        last = span
    if last is not None and last.owner != REST:
        parts[REST].append(f"{HOLE}\n")
    ends = line_ends(text)
    phases = tuple(
        make_phase(key, title, _normalise("".join(parts[owner])), _lines(text, largest.get(owner), ends))
        for owner, (key, title) in enumerate(division.units)
    )
    rest = _normalise("".join(parts[REST]))
    return Canonical(rest, hash_text(rest), phases)


def _cover(spans: "Sequence[Span]", length: int) -> "Iterator[Span]":
    """The spans with the rest between them: all of the document."""
    at = 0
    for span in spans:
        if span.start > at:
            yield Span(at, span.start, REST)
        yield span
        at = span.end
    if at < length:
        yield Span(at, length, REST)


def _without(text: str, span: Span, cuts: "Sequence[tuple[int, int]]") -> str:
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


def _normalise(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).strip("\n")


def _lines(text: str, span: Span | None, ends: "Sequence[int]") -> tuple[int, int]:
    if span is None:
        return 1, 1
    last = span.start + len(text[span.start : span.end].rstrip())
    return line_of(ends, span.start), line_of(ends, last)


def line_ends(text: str) -> list[int]:
    """Where the lines of a text end."""
    return [at for at, char in enumerate(text) if char == "\n"]


def line_of(ends: "Sequence[int]", offset: int) -> int:
    """The line, from 1, that an offset lies in."""
    return bisect_left(ends, offset) + 1
