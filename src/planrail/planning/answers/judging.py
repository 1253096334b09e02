"""Is an answer good enough for its phase? What must be there, and what must not be there yet.

Only what is empty or false is refused, and the same text gets the same judgement every time. The prompts ask for more,
and a critic judges the rest.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import SECTIONS as _SECTIONS
from planrail.planning.answers.page import ITEM_LEVEL, Page
from planrail.planning.answers.promises import Promise, find_promises, makes_promise
from planrail.planning.answers.references import find_references
from planrail.planning.answers.section_titles import SectionTitles
from planrail.planning.answers.substance import (
    NO_SENTENCES,
    REPETITION,
    Subject,
    cites,
    count_ways,
    find_emptiness,
    weighs_several,
)
from planrail.planning.answers.verdicts import read_from
from planrail.planning.answers.words import SHIPPED, Words, is_in_known_language
from planrail.planning.principles import IDS

SECTIONS = tuple(_SECTIONS)
LEAST_WAYS = 2
LEAST_VERDICTS = 3  # from which on a critique is one of principles
LEAST_WORDS = 6  # different ones that carry something
_MOST_REFERENCES = 100
_LONG = 4_000  # characters
_LIST_TAG = re.compile(r"(?<![ \t])[ \t]*<li(?:\s[^<>\n]*)?>", re.IGNORECASE)


@record
class AnswerProblem:
    """Why an answer is not good enough."""

    rule: str
    message: str


@record
class Bar:
    """What an answer is judged by, beyond its text.

    `exists` says whether a path is in the repository, None where none is at hand; `file_count` how many files it has;
    `refuted` are principles with what lint has found against them.
    """

    promise: str = "PLAN_OK"
    sections: tuple[str, ...] = SECTIONS
    is_final: bool = False
    open_critique: bool = False
    exists: Callable[[str], bool] | None = None
    file_count: int | None = None
    refuted: Mapping[str, str] = {}
    words: Words | None = None
    subject: Subject = Subject()
    broken: tuple[str, ...] = ()  # what the text names and is not there


def judge(phase: str, text: str, bar: Bar) -> list[AnswerProblem]:
    rules = _RULES.get(phase)
    if rules is None:
        raise UsageError(f"no answer to {phase!r} can be judged", remedy=f"use one of: {', '.join(_RULES)}")
    answer = _Answer(_LIST_TAG.sub("\n- ", text.removeprefix("\ufeff")), bar)
    return [problem for rule in rules for problem in rule(answer)]


class _Answer(Page):
    """A text under judgement, and its bar."""

    def __init__(self, text: str, bar: Bar) -> None:
        super().__init__(text)
        self.bar, self.words = bar, bar.words or SHIPPED
        self.tag = f"<promise>{bar.promise}</promise>"

    @cached_property
    def section_titles(self) -> SectionTitles:
        return SectionTitles(self.bar.sections, self.words.sections)

    @cached_property
    def sections(self) -> set[str]:
        """The sections that are there, in headings of any style, items that begin in bold included."""
        return self.section_titles.opened_by_any(title.text for title in self.headings)

    def promises(self) -> list[Promise]:
        return [promise for promise in find_promises(self) if not promise.is_denied]


def _no_plan(answer: _Answer) -> Iterator[AnswerProblem]:
    """A plan is told by titles that nothing else has, and not in items."""
    titles = SectionTitles(answer.bar.sections, answer.words.sections, only_plain=True)
    opened = titles.opened_by_any(title.text for title in answer.headings if title.level < ITEM_LEVEL)
    if found := opened & set(SECTIONS):
        named = ", ".join(name for name in SECTIONS if name in found)
        yield AnswerProblem("plan-heading", f"Do NOT write a plan yet: take out the headings of a plan ({named})")


def _no_promise(answer: _Answer) -> Iterator[AnswerProblem]:
    if answer.promises():
        yield AnswerProblem("early-promise", f"Do NOT finalize yet: take out {answer.tag}")


def _not_yet(answer: _Answer) -> Iterator[AnswerProblem]:
    is_mentioned = any(one.text == " ".join(answer.bar.promise.split()) for one in answer.promises())
    if not answer.bar.is_final and is_mentioned:
        yield AnswerProblem("early-promise", f"Do NOT output {answer.tag} yet: a critique follows. Take the tag out")


def _says_something(answer: _Answer) -> Iterator[AnswerProblem]:
    """In words of its own, and about the request."""
    yield from _find_emptiness(answer, LEAST_WORDS)


def _names_ways(answer: _Answer) -> Iterator[AnswerProblem]:
    """Two names and what is good about each are enough."""
    yield from _find_emptiness(answer, LEAST_WORDS - 2)


def _speaks(answer: _Answer) -> Iterator[AnswerProblem]:
    """Sections and verdicts are counted elsewhere; beside them stands no nonsense. Long plans are of all kinds."""
    excused = (REPETITION, NO_SENTENCES) if len(answer.said) > _LONG else ()
    yield from (problem for problem in _find_emptiness(answer, 0) if problem.rule not in excused)


def _reports(answer: _Answer) -> Iterator[AnswerProblem]:
    """Several explorers may have seen the same."""
    yield from (problem for problem in _find_emptiness(answer, 0) if problem.rule != REPETITION)


def _find_emptiness(answer: _Answer, least: int) -> Iterator[AnswerProblem]:
    if found := find_emptiness(answer.said, answer.bar.subject, answer.words.frame, least=least):
        yield AnswerProblem(found.rule, found.message)


def _nothing_false(answer: _Answer) -> Iterator[AnswerProblem]:
    yield from (AnswerProblem("not-there", message) for message in answer.bar.broken)


def _about_language(answer: _Answer) -> str:
    if is_in_known_language(answer.said.lower()):
        return ""
    return ". In a language that planrail has no words for, its words belong in planrail.toml, under [planning.words]"


def _exploration(answer: _Answer) -> Iterator[AnswerProblem]:
    """At least one file that is there, and not more that are not."""
    bar = answer.bar
    if bar.file_count == 0:
        return
    found = list(islice(find_references(answer.said, bar.exists, listed=answer.fenced), _MOST_REFERENCES))
    if not found:
        where = "file" if bar.exists is None else "file that is in the repository"
        said = f"No {where} is named, such as src/app.py:10 (addresses do not count). Say what you read, by its path"
        yield AnswerProblem("exploration", said)
    named = list(islice(find_references(answer.said), _MOST_REFERENCES)) if bar.exists else []
    missing = [name for name in named if not bar.exists or not bar.exists(name.partition(":")[0])]
    if found and len(missing) > len(found):
        said = f"Most of the files that are named are not in the repository: {', '.join(missing[:5])}"
        yield AnswerProblem("exploration", said)


def _alternatives(answer: _Answer) -> Iterator[AnswerProblem]:
    ways = count_ways(answer, answer.words.frame)
    if ways is not None and ways < LEAST_WAYS:
        yield AnswerProblem("alternatives", "The alternatives do not differ: describe two ways that are not the same")
    elif ways is None and is_in_known_language(answer.said.lower()) and not weighs_several(answer.said):
        yield AnswerProblem("alternatives", "There is only one way: say what else could be done, and what you take")


def _all_sections(answer: _Answer) -> Iterator[AnswerProblem]:
    titles = answer.section_titles
    missing = [name for name, meaning in titles.required.items() if meaning not in answer.sections]
    if not missing:
        return
    inside = titles.opened_by_any(title.text for title in Page(answer.fenced).headings)
    hint = _about_language(answer) if len(missing) == len(titles.required) else ""
    if answer.is_cut:
        hint = " (a code fence is opened and never closed; what follows it is quoted)"
    elif any(titles.required[name] in inside for name in missing):
        hint = " (inside a code fence headings are quoted: write the plan without a fence around it)"
    yield AnswerProblem("sections", f"Missing sections: {', '.join(missing)}{hint}")


def _revision(answer: _Answer) -> Iterator[AnswerProblem]:
    if not answer.bar.is_final:
        if not answer.sections & set(answer.section_titles.required.values()):
            named = ", ".join(answer.bar.sections)
            yield AnswerProblem(
                "revision", f"No revised section. Give the changed sections, each under its heading: {named}"
            )
        yield from _not_yet(answer)
        return
    if not makes_promise(answer, answer.bar.promise):
        said = f"The plan is not declared finished: end with {answer.tag}, on a line of its own"
        yield AnswerProblem("promise", said)
    yield from _all_sections(answer)


def _critique(answer: _Answer) -> Iterator[AnswerProblem]:
    is_open, refuted, plan = answer.bar.open_critique, answer.bar.refuted, answer.bar.subject.plan
    verdicts = [] if is_open else read_from(answer.said, answer.words)
    failed = {verdict.principle for verdict in verdicts if not verdict.passed}
    passed = {verdict.principle for verdict in verdicts} - failed
    is_cited = bool(plan) and cites(answer.said, answer.bar.subject, answer.words.frame)
    if not failed and not is_cited:
        yield from _find_emptiness(answer, LEAST_WORDS)
    if plan and not is_cited:
        said = "The critique speaks of nothing in the plan: name the phase or item that is weak, or quote it"
        yield AnswerProblem("critique", said)
    if len(passed) >= LEAST_VERDICTS and not failed:
        yield AnswerProblem(
            "all-pass", "No principle FAILs. A critique finds at least one weakness: look again, and harder"
        )
    bare = failed - {verdict.principle for verdict in verdicts if not verdict.passed and verdict.evidence}
    if bare:
        named = ", ".join(sorted(bare, key=IDS.index))
        yield AnswerProblem("evidence", f"FAIL without a reason: {named}. Say what is wrong, and where")
    for principle in sorted(passed & set(refuted), key=IDS.index):
        yield AnswerProblem("refuted", f"{principle} is judged PASS, but planrail lint found: {refuted[principle]}")


_RULES: dict[str, tuple[Callable[[_Answer], Iterator[AnswerProblem]], ...]] = {
    "understand": (_no_plan, _says_something, _nothing_false),
    "explore": (_no_plan, _exploration, _reports, _nothing_false),
    "alternatives": (_no_promise, _no_plan, _names_ways, _alternatives),
    "draft": (_all_sections, _not_yet, _speaks),
    "critique": (_no_promise, _speaks, _critique),
    "revise": (_revision,),
}
PHASES = tuple(_RULES)
