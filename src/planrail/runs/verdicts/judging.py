"""The verdict on a phase: a verifier's answer, judged, or the checks themselves where nobody else judges.

An answer is believed only where it approves every single part, names a place for each that planrail has looked up,
and takes nothing back in its notes. Everything else is a no, with the reason.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from planrail.base.patterns import pattern
from planrail.base.records import record, replace
from planrail.base.run_model import RULE, Evidence, ItemVerdict, PhaseOrder, Verdict, Work
from planrail.runs.evidence.judging import TESTS
from planrail.runs.strength.files import name_check
from planrail.runs.strength.reasons import OPEN, name_reason, open_changes
from planrail.runs.verdicts.reading import (
    DONE,
    UNREAD,
    CitationContext,
    Part,
    PartVerdict,
    WholeAnswer,
    check_places,
    find_part,
    parts_of,
    read_answer,
)

_DOUBTS = (
    r"unverified|(?:could|can|did|was|were|does|is)(?: ?not|n['’]t)(?: be)? "
    r"(?:verif|check|test|run|confirm|read|look)\w*|"
    r"unable to|assum(?:e|ed|ing)|presumably|not sure|unclear"
)
_DOUBT = pattern(rf"\b(?P<absent>)(?:{_DOUBTS})\b", re.IGNORECASE)
_RETREAT = pattern(
    r"\b(?:gaps?|defer(?:s|red|ring)?|partially|partial (?:implementation|support|coverage|fix)|to-?dos?|tbd|fixme|"
    r"stub(?:s|bed)?|placeholders?|follow-?ups?|postponed?|left (?:open|out|for later|undone)|for now|"
    r"(?P<absent>(?:is|are|was|were|still) (?:missing|incomplete)|still (?:open|pending|broken|fail\w*))|"
    r"(?:in|to|until|for) (?:a|the|some|another) (?:later|future|next|subsequent) (?:phase|change|pr|step)|future work|"
    r"not (?:yet )?(?:implemented|done|verified|tested|checked|run|covered|complete|finished)|"
    r"(?:could|can|did|does)(?: ?not|n['’]t)(?: be)? implement\w*|isn['’]t implemented|"
    rf"{_DOUBTS})\b",
    re.IGNORECASE,
)
# Right before it, with nothing but a few words between: "no gaps", "removes the last TODO".
_TURNED = pattern(
    r"(?:\b(?:no|not|never|without|zero|none|neither|nor|nothing|gone|remov(?:ed|es)|replac(?:ed|es)|fix(?:ed|es)?|"
    r"clos(?:ed|es)|resolv(?:ed|es)|fill(?:ed|s)|delet(?:ed|es))\b|n['’]t\b)(?:[\s'\"`(/-]+\w+){0,3}[\s'\"`(/-]*$",
    re.IGNORECASE,
)
_CONDITION = pattern(r"\b(?:if|when|whenever|where|whose|unless|because|on|for)\b[^.;]{0,40}$", re.IGNORECASE)
_LOOK_BACK = 80  # characters

_SHARED = "it names no check of its own: it shares those of the phase, and nobody judged it alone"
_NOBODY = "it names no check of its own, and nobody has read it"
_MOST_TEXT = 100


def takes_back(note: str, subject: str = "", words: "re.Pattern[str]" = _RETREAT) -> str:
    """The words of a note that take its approval back; "" where none do. What the subject is about is no retreat."""
    known = subject.lower()
    for match in words.finditer(note):
        before = note[max(0, match.start() - _LOOK_BACK) : match.start()]
        is_turned = _TURNED.search(before) or (match["absent"] and _CONDITION.search(before))
        if not is_turned and match[0].lower() not in known:
            return match[0]
    return ""


@record
class VerdictFacts:
    """What an answer is held against: the context of its citations, and the evidence that planrail gathered."""

    context: CitationContext
    evidence: Evidence
    by: str = "verifier"


def judge_verdict(structured: str, phase: PhaseOrder, facts: VerdictFacts, work: Work | None = None) -> Verdict:
    """The verdict that follows from a verifier's answer by the schema. Only a whole and grounded approval passes."""
    whole = read_answer(structured)
    parts = parts_of(phase)
    if whole.problem:
        return Verdict(False, facts.by, tuple(ItemVerdict(part.text, UNREAD) for part in parts), (whole.problem,), work)
    matched, problems = _match(whole, parts)
    items = tuple(
        ItemVerdict(part.text, answer.verdict, "\n".join(answer.places), answer.note)
        if (answer := matched.get(part.id)) is not None
        else ItemVerdict(part.text, UNREAD)
        for part in parts
    )
    for part, item in zip(parts, items, strict=True):
        problems += _judge_item(part, item)
    scope = [f"out of scope: {one}" for one in whole.scope]
    rules = [item for part, item in zip(parts, items, strict=True) if part.is_rule]
    problems += check_places(items[: len(items) - len(rules)], facts.context)
    problems += [*check_places(rules, facts.context, are_rules=True), *scope]
    accepted = {path for path, reason in whole.accepted if reason}  # by name, with a reason of the verifier's own
    problems += [
        f"the verifier did not accept a change of tests: {finding.text}{name_reason(finding)}"
        for path, findings in open_changes(facts.evidence.findings).items()
        for finding in findings
        if path not in accepted
    ]
    return Verdict(not problems, facts.by, items, tuple(problems), work)


def verdict_by_checks(phase: PhaseOrder, evidence: Evidence) -> Verdict:
    """The verdict where nobody but the checks judges: every check of the phase was run on this tree and succeeded."""
    own = [run for run in evidence.runs if run.origin not in (TESTS, RULE)]
    place = _shell(run.command for run in own)
    problems = [finding.text for finding in evidence.failures]
    opened = [finding for finding in evidence.findings if finding.kind.startswith(OPEN)]
    problems += [f"{finding.text}: nobody can accept that here" for finding in opened]
    ran = {(run.command, run.origin) for run in own if run.tree == evidence.tree and not run.exit}
    for check in phase.own_checks:  # a rule that is broken is among the failures
        if (check.command, check.origin) not in ran:
            problems.append(f"{name_check(check.command)} did not succeed on this tree")
    if not own:
        problems.append("the phase has no check of its own, and nobody else judges it")
    verdict = "failed" if problems else DONE
    held = {run.command for run in evidence.runs if not run.exit}  # what the base breaks as well is no failure
    judged = replace(phase, checks=tuple(one for one in phase.checks if one.origin != RULE or one.command in held))
    items = tuple(_item_by_checks(part, judged, verdict, place) for part in parts_of(phase))
    return Verdict(not problems, "checks", items, tuple(dict.fromkeys(problems)))


def _item_by_checks(part: Part, phase: PhaseOrder, verdict: str, place: str) -> ItemVerdict:
    """A criterion is judged by the checks that it names, where all that it names was run, and else by nobody.

    A work item that names no check shares those of the phase, which is said.
    """
    if part.is_rule:
        kept = [check.command for check in phase.checks if check.origin == RULE and f"`{check.command}`" in part.text]
        return ItemVerdict(part.text, verdict, _shell(kept)) if kept else ItemVerdict(part.text, UNREAD, note=_NOBODY)
    if part.is_criterion:
        number = int(part.id[1:]) - 1
        named = phase.proofs[number] if number < len(phase.proofs) else ()
        unrun = [(command, reason) for command, reason in named if reason]
        if named and not unrun:
            return ItemVerdict(part.text, verdict, _shell(command for command, _ in named))
        return ItemVerdict(part.text, UNREAD, note=_not_run(unrun) if unrun else _NOBODY)
    run = [check.command for check in phase.checks if check.origin == "criterion" and f"{check.command}`" in part.text]
    unrun = [one for one in phase.unrun if f"{one[0]}`" in part.text and one[0] not in run]
    if unrun and verdict == DONE:
        return ItemVerdict(part.text, UNREAD, note=_not_run(unrun))
    return ItemVerdict(part.text, verdict, _shell(run)) if run else ItemVerdict(part.text, verdict, place, _SHARED)


def _not_run(unrun: Sequence[tuple[str, str]]) -> str:
    return "not judged: " + "; ".join(f"`{command}` was not run, because {reason}" for command, reason in unrun)


def _shell(commands: Iterable[str]) -> str:
    return "\n".join(f"$ {command}" for command in commands)


def count_unread(verdict: Verdict) -> int:
    """How many parts of work that is proven were judged by nobody."""
    return sum(item.verdict == UNREAD for item in verdict.items) if verdict.passed else 0


def tell_unread(count: int) -> str:
    return f"nobody has read {'1 criterion' if count == 1 else f'{count} criteria'}" if count else ""


def drift_text(structured: str) -> str:
    """The drift tokens of an answer, one on a line, to be read as an agent's words are."""
    return "\n".join(read_answer(structured).drift)


def cited_in(structured: str) -> tuple[str, ...]:
    return tuple(place for answer in read_answer(structured).answers for place in answer.places)


def _match(whole: WholeAnswer, parts: Sequence[Part]) -> tuple[dict[str, PartVerdict], list[str]]:
    """The answers by part, and what is wrong with those that are about none, or about one again."""
    found: dict[str, PartVerdict] = {}
    problems: list[str] = []
    named = [(find_part(answer, parts), answer) for answer in whole.answers]
    counts = Counter(part.id for part, _ in named if part is not None)
    for part, answer in named:
        if part is None:
            problems.append(f"the verifier judges {answer.id or answer.text!r}, which is no part of the phase")
        else:
            found.setdefault(part.id, answer)
    problems += [f"{name} is judged {count} times" for name, count in counts.items() if count > 1]
    return found, problems


def _judge_item(part: Part, item: ItemVerdict) -> list[str]:
    name = f"{part.id} ({_short(part.text)})"
    if item.verdict == UNREAD:
        return [f"{name} has no verdict"] if not item.note else [f"{name} was not read: {item.note}"]
    if item.verdict != DONE:
        return [f"{name} failed: {item.note or 'without a reason'}"]
    # what a non-goal names may well be "not implemented": there only a doubt takes it back
    words = takes_back(item.note, part.text, _DOUBT) if part.is_rule else takes_back(item.note, part.text)
    return [f"{name} is called done, and its note says {words!r}: {_short(item.note)}"] if words else []


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else line[: _MOST_TEXT - 1] + "…"
