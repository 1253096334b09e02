"""The rule about scope: what a plan leaves out and works on all the same.

Two sentences that share words seldom contradict each other: "refactoring `auth.py`" is left out where `auth.py` is
changed. So only what is named in the same words counts: the same entry in Scope and Non-Scope, a phase or a work item
that is what Non-Scope names, a file that is left out as a whole.
"""

import re
from collections.abc import Iterator

from planrail.base.records import record
from planrail.plans.lint.document import Document, PlanLine, Problem, code_spans, warning
from planrail.plans.words.section_names import NON_SCOPE, SECTION_NAMES
from planrail.plans.words.words import word_set

_LABEL = re.compile(r"^\W*[*_]{2}(?P<bold>[^*_]{2,40})[*_]{2}|^(?P<plain>[^:：.`]{2,40})[:：](?:\s|$)")
_NOT_IN = re.compile(rf"(?<![a-zà-ÿа-я])(?:{NON_SCOPE})")
_IN = re.compile(rf"(?<![a-zà-ÿа-я])(?:{SECTION_NAMES['Scope']})")
_IN_SHORT = re.compile(r"goals?|objectives?")
_BOTH = re.compile(r"\b(?:goals?|scope)\s*(?:&|and|/|\+|,|und|et|y|e)\s*(?:non|out)")
# Where the name of a thing ends and what is said about it begins.
_END_OF_NAME = re.compile(r"\s+[-–—]+\s+|\s*[(（:：;；]|[.。](?:\s|$)|,\s|、|\*\*\s")
_NONE = re.compile(r"\W*(?:none|nothing|n/?a|tbd|keine|aucun|nessun|ninguno|нет|无|無|なし|없음)\b", re.I)
_WORD = re.compile(r"[^\W_][\w./-]*[\w/]|[^\W_]")
_SMALL = word_set("a|an|the|this|that|its|our|any|all|some|of|to|for|in|on|new|existing|der|die|das|le|la|les")
_EDITS = word_set("add|change|modify|update|edit|rewrite|refactor|rename|remove|delete|extend|replace|touch")
_VERBS = _EDITS | word_set(
    "implement|create|build|write|introduce|support|drop|migrate|port|move|convert|upgrade|redesign"
)
_TOUCHING = re.compile(
    r"(?:no |any |all |other )*(?:changes? (?:to|in)|changing|modif(?:y|ying|ications? (?:to|of))|edit(?:s to|ing)|"
    r"touch(?:ing)?|everything (?:in|under)|anything (?:in|under)|the files?)\s+",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:not?|never|without|don't|except|besides|leave|keep|unchanged|untouched|later|instead|only)\b", re.I
)


@record
class ScopedThing:
    """Something that the plan includes or leaves out: its words, the verb before them, and the path that it is."""

    line: int
    name: str
    verb: str
    words: tuple[str, ...]
    path: str


class LeftOut:
    """What Non-Scope names, to be looked up by its first words or as a path."""

    def __init__(self, things: list[ScopedThing]) -> None:
        self.things = things
        self.paths = [thing for thing in things if thing.path]
        self._by_words: dict[tuple[str, ...], list[ScopedThing]] = {}
        for thing in things:
            if len(thing.words) > 1 and not thing.path:  # one word alone is in too many sentences to prove anything
                self._by_words.setdefault(thing.words[:2], []).append(thing)

    def begin(self, verb: str, words: tuple[str, ...]) -> Iterator[ScopedThing]:
        """The things that these words begin with; one that has a verb of its own only where it is this verb."""
        for thing in self._by_words.get(words[:2], ()):
            if words[: len(thing.words)] == thing.words and thing.verb in ("", verb):
                yield thing


def find_scope_conflicts(document: Document) -> Iterator[Problem]:
    left_out = LeftOut([thing for line in document.lines if _place(line) == "out" for thing in _things(line)])
    if not left_out.things:
        return
    others = {(thing.verb, thing.words, thing.path): thing for thing in left_out.things}
    for line in document.lines:
        for thing in _things(line) if _place(line) == "in" else ():
            if other := others.get((thing.verb, thing.words, thing.path)):
                yield _conflict(line.number, "Scope includes what Non-Scope leaves out", other)
    for phase in document.plan.phases:
        verb, words = _split_verb(_words(phase.title))
        named = next((thing for thing in left_out.begin(verb, words) if thing.words == words), None)
        if named is not None and not phase.status.is_terminal:
            yield _conflict(phase.first_line, f"phase {phase.id} is what Non-Scope leaves out", named)
    for line in document.lines:
        is_work = line.phase is not None and line.kind == "item" and not line.is_finished
        if is_work and line.phase is not None and (found := _worked_on(line, left_out)):
            yield _conflict(line.number, f"phase {line.phase.id} works on what Non-Scope leaves out", found)


def _conflict(line: int, what: str, thing: ScopedThing) -> Problem:
    return warning("scope", line, f"{what}: “{thing.name}” (line {thing.line})")


def _place(line: PlanLine) -> str:
    """Whether a line outside all phases says what is in, or out, or neither; a label decides before the heading."""
    if line.phase is not None or line.kind not in ("item", "text") or (line.item and line.item.depth > 0):
        return ""
    label = _LABEL.match(line.label)
    own = _announced((label["bold"] or label["plain"]).lower()) if label else ""
    if own or (label and line.kind == "item"):
        return "" if line.text == line.label else own
    return _announced(line.section.text.lower()) if len(line.section.text) <= 40 else ""


def _announced(title: str) -> str:
    if _BOTH.search(title):
        return ""
    if _NOT_IN.search(title.replace("’", "'")):
        return "out"
    return "in" if _IN.search(title) or _IN_SHORT.fullmatch(title.strip(" :.*")) else ""


def _things(line: PlanLine) -> Iterator[ScopedThing]:
    parts = [line.text] if line.kind == "item" else re.split(r"[;；]|\.\s", line.text)
    for part in parts:
        thing = _thing(part, line.number)
        if thing.words and not _NONE.match(part) and (len(thing.words) > 1 or thing.path or len(thing.words[0]) > 3):
            yield thing


def _thing(text: str, line: int) -> ScopedThing:
    plain = re.sub(r"^(?:not|no|don't|do not|won't|will not|never)\s+", "", text.strip(" *_-."), flags=re.I)
    name = _END_OF_NAME.split(plain, maxsplit=1)[0].strip(" *_.,")
    bare = _TOUCHING.sub("", name, count=1) if _TOUCHING.match(name) else name
    spans = code_spans(bare)
    is_path = len(spans) == 1 and spans[0].end - spans[0].start == len(bare.strip()) and "/" in spans[0].text
    verb, words = _split_verb(_words(name))
    return ScopedThing(line, name, verb, words, spans[0].text.removeprefix("./") if is_path else "")


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower().replace("`", "")) if word not in _SMALL]


def _split_verb(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """The verb of work that words begin with, in its plain form, and the others; no verb where they are the thing."""
    first = words[0] if len(words) > 1 else ""
    stem = first.removesuffix("ing")
    forms = (first, stem, f"{stem}e", stem[:-1]) if stem != first else (first,)
    verb = next((form for form in forms if form in _VERBS), "")
    return (verb, tuple(words[1:])) if verb else ("", tuple(words))


def _worked_on(line: PlanLine, left_out: LeftOut) -> ScopedThing | None:
    """The thing that a work item is about: it begins with a verb of work and the thing's words, or edits its file."""
    text = re.sub(r"^[\W\d.]*", "", line.text)
    verb, words = _split_verb(_words(_END_OF_NAME.split(text, maxsplit=1)[0]))
    if not verb or _DENIES.search(line.prose):
        return None
    for path in [span.text.removeprefix("./") for span in code_spans(text)[:1] if verb in _EDITS]:
        for thing in left_out.paths:
            if path.split(":")[0] == thing.path or path.startswith(f"{thing.path.rstrip('/*')}/"):
                return thing
    return next(left_out.begin(verb, words), None)
