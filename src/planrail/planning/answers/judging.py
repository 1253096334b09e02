"""Is an answer good enough for its phase? What must be there, and what must not be there yet.

Structure is judged, not formatting, and the same text gets the same judgement every time. These are the floors; the
prompts ask for more.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import SECTIONS as _SECTIONS
from planrail.planning.answers.alternatives import count_alternatives, weighs_by_marks
from planrail.planning.answers.page import ITEM_LEVEL, Page
from planrail.planning.answers.promises import Promise, find_promises, makes_promise
from planrail.planning.answers.references import find_references
from planrail.planning.answers.section_titles import SectionTitles
from planrail.planning.answers.verdicts import read_from
from planrail.planning.answers.words import SHIPPED, Words, count_lines, has_word, is_in_known_language
from planrail.planning.principles import IDS

SECTIONS = tuple(_SECTIONS)
LEAST_POINTS = 3  # of an analysis or a critique
LEAST_ASPECTS = 2  # lines about the problem, its purpose, its constraints and the like
LEAST_REFERENCES = 2
LEAST_ALTERNATIVES = 2
LEAST_VERDICTS = 3
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
    def lowered(self) -> str:
        return self.said.lower()

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


def _analysis(answer: _Answer) -> Iterator[AnswerProblem]:
    points = answer.count_points()
    aspects = count_lines(answer.lowered, answer.words.aspects, enough=LEAST_ASPECTS)
    if points < LEAST_POINTS or aspects < LEAST_ASPECTS:
        yield AnswerProblem(
            "analysis",
            f"Not enough problem analysis. Found {points} numbered items (at least {LEAST_POINTS}) and {aspects} lines "
            f"about the problem, its purpose, success, constraints, assumptions, impact (at least {LEAST_ASPECTS})"
            f"{_about_language(answer)}",
        )


def _about_language(answer: _Answer) -> str:
    if is_in_known_language(answer.lowered):
        return ""
    return ". In a language that planrail has no words for, its words belong in planrail.toml, under [planning.words]"


def _exploration(answer: _Answer) -> Iterator[AnswerProblem]:
    bar = answer.bar
    needed = LEAST_REFERENCES if bar.file_count is None else min(LEAST_REFERENCES, bar.file_count)
    found = len(list(islice(find_references(answer.said, bar.exists, listed=answer.fenced), needed)))
    if found < needed:
        where = "files" if bar.exists is None else "files that are in the repository"
        yield AnswerProblem(
            "exploration",
            f"Not enough codebase exploration. Found {found} references to {where}, such as src/app.py:10 "
            f"(at least {needed}; addresses do not count)",
        )


def _alternatives(answer: _Answer) -> Iterator[AnswerProblem]:
    missing = []
    count = count_alternatives(answer, answer.words)
    if count < LEAST_ALTERNATIVES:
        missing.append(f"at least {LEAST_ALTERNATIVES} alternatives (found {count})")
    if not has_word(answer.lowered, answer.words.recommendation):
        missing.append("a recommendation")
    if not (has_word(answer.lowered, answer.words.trade_off) or weighs_by_marks(answer.said)):
        missing.append("what speaks for and against each (pros, cons)")
    if missing:
        said = f"Incomplete alternatives. Missing: {'; '.join(missing)}"
        yield AnswerProblem("alternatives", said + _about_language(answer))


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
    is_open, refuted = answer.bar.open_critique, answer.bar.refuted
    verdicts = [] if is_open else read_from(answer.said, answer.words)
    failed = {verdict.principle for verdict in verdicts if not verdict.passed}
    passed = {verdict.principle for verdict in verdicts} - failed
    judged = len(passed | failed)
    points = max(answer.count_points(), judged)
    if points < LEAST_POINTS:
        yield AnswerProblem(
            "critique", f"Not enough specific critiques. Found {points} numbered points (at least {LEAST_POINTS})"
        )
    if not is_open and judged < LEAST_VERDICTS:
        yield AnswerProblem(
            "principles",
            f"Insufficient principle evaluation. Found {judged} principles judged (at least {LEAST_VERDICTS}); write "
            "each as: P3: FAIL - why, or P3: PASS - why",
        )
    elif not is_open and not failed:
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
    "understand": (_no_plan, _analysis),
    "explore": (_no_plan, _exploration),
    "alternatives": (_no_promise, _no_plan, _alternatives),
    "draft": (_all_sections, _not_yet),
    "critique": (_no_promise, _critique),
    "revise": (_revision,),
}
PHASES = tuple(_RULES)
