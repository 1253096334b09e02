"""Is an answer good enough for its phase? What must be there, and what must not be there yet.

Structure is judged, not formatting, and the same text gets the same judgement every time. These are the floors; the
prompts ask for more.
"""

from collections.abc import Callable, Iterator, Mapping

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.base.settings import SECTIONS as _SECTIONS
from planrail.planning.answers.alternatives import count_alternatives, weighs_by_marks
from planrail.planning.answers.promises import Promise, find_promises, squeeze
from planrail.planning.answers.references import find_references
from planrail.planning.answers.section_titles import SectionTitles
from planrail.planning.answers.structure import ITEM_LEVEL, Structure
from planrail.planning.answers.verdicts import Verdict, read_from
from planrail.planning.answers.words import SHIPPED, Words, count_lines, has_word, is_in_known_language

SECTIONS = tuple(_SECTIONS)
LEAST_POINTS = 3  # of an analysis or a critique
LEAST_ASPECTS = 2  # lines about the problem, its purpose, its constraints and the like
LEAST_REFERENCES = 2
LEAST_ALTERNATIVES = 2
LEAST_VERDICTS = 3


@record
class Problem:
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


def judge(phase: str, text: str, bar: Bar) -> list[Problem]:
    rules = _RULES.get(phase)
    if rules is None:
        raise UsageError(f"no answer to {phase!r} can be judged", remedy=f"use one of: {', '.join(_RULES)}")
    answer = _Answer(text, bar)
    return [problem for rule in rules for problem in rule(answer)]


class _Answer:
    """A text under judgement: its structure and its bar."""

    def __init__(self, text: str, bar: Bar) -> None:
        self.bar = bar
        self.structure = Structure(text)
        self.words = bar.words or SHIPPED
        self._titles: SectionTitles | None = None

    @property
    def titles(self) -> SectionTitles:
        if self._titles is None:
            self._titles = SectionTitles(self.bar.sections, self.words.sections)
        return self._titles

    @property
    def lowered(self) -> str:
        return self.structure.text.lower()

    def sections(self) -> set[str]:
        """The sections that are there, in headings of any style, items that begin in bold included."""
        return self.titles.opened_by_any(one.title for one in self.structure.headings)

    def early_sections(self) -> set[str]:
        """The sections of a plan where no plan belongs: by titles that nothing else has, and not in items."""
        titles = SectionTitles(self.bar.sections, self.words.sections, only_plain=True)
        return titles.opened_by_any(one.title for one in self.structure.headings if one.level < ITEM_LEVEL)

    def is_promised(self) -> bool:
        return any(one.is_said and one.text == squeeze(self.bar.promise) for one in self._promises())

    def mentions_promise(self) -> bool:
        """Whether the promise stands anywhere, outside code and not denied."""
        return any(one.text == squeeze(self.bar.promise) for one in self._promises())

    def has_any_promise(self) -> bool:
        return next(self._promises(), None) is not None

    def _promises(self) -> Iterator[Promise]:
        return find_promises(self.structure.text)


def _no_plan(answer: _Answer) -> Iterator[Problem]:
    found = answer.early_sections() & set(SECTIONS)
    if found:
        named = ", ".join(name for name in SECTIONS if name in found)
        yield Problem("plan-heading", f"Do NOT write a plan yet: take out the headings of a plan ({named})")


def _no_promise(answer: _Answer) -> Iterator[Problem]:
    if answer.has_any_promise():
        yield Problem("early-promise", f"Do NOT finalize yet: take out <promise>{answer.bar.promise}</promise>")


def _not_yet(answer: _Answer) -> Iterator[Problem]:
    if not answer.bar.is_final and answer.mentions_promise():
        tag = f"<promise>{answer.bar.promise}</promise>"
        yield Problem("early-promise", f"Do NOT output {tag} yet: a critique follows. Take the tag out")


def _analysis(answer: _Answer) -> Iterator[Problem]:
    points = answer.structure.count_points()
    aspects = count_lines(answer.lowered, answer.words.aspects, enough=LEAST_ASPECTS)
    if points < LEAST_POINTS or aspects < LEAST_ASPECTS:
        yield Problem(
            "analysis",
            f"Not enough problem analysis. Found {points} numbered items (at least {LEAST_POINTS}) and {aspects} lines "
            f"about the problem, its purpose, success, constraints, assumptions, impact (at least {LEAST_ASPECTS})"
            f"{_about_language(answer)}",
        )


def _about_language(answer: _Answer) -> str:
    if is_in_known_language(answer.lowered):
        return ""
    return ". In a language that planrail has no words for, its words belong in planrail.toml, under [planning.words]"


def _exploration(answer: _Answer) -> Iterator[Problem]:
    bar = answer.bar
    needed = LEAST_REFERENCES if bar.file_count is None else min(LEAST_REFERENCES, bar.file_count)
    found = 0
    for _ in find_references(answer.structure.text, bar.exists, listed=answer.structure.fenced):
        found += 1
        if found >= needed:
            return
    if found < needed:
        where = "files" if bar.exists is None else "files that are in the repository"
        yield Problem(
            "exploration",
            f"Not enough codebase exploration. Found {found} references to {where}, such as src/app.py:10 "
            f"(at least {needed}; addresses do not count)",
        )


def _alternatives(answer: _Answer) -> Iterator[Problem]:
    missing = []
    count = count_alternatives(answer.structure, answer.words)
    if count < LEAST_ALTERNATIVES:
        missing.append(f"at least {LEAST_ALTERNATIVES} alternatives (found {count})")
    if not has_word(answer.lowered, answer.words.recommendation):
        missing.append("a recommendation")
    if not (has_word(answer.lowered, answer.words.trade_off) or weighs_by_marks(answer.structure)):
        missing.append("what speaks for and against each (pros, cons)")
    if missing:
        said = f"Incomplete alternatives. Missing: {'; '.join(missing)}"
        yield Problem("alternatives", said + _about_language(answer))


def _all_sections(answer: _Answer) -> Iterator[Problem]:
    found = answer.sections()
    missing = [name for name, meaning in answer.titles.required.items() if meaning not in found]
    if missing:
        yield Problem("sections", f"Missing sections: {', '.join(missing)}{_hint(answer, missing)}")


def _hint(answer: _Answer, missing: list[str]) -> str:
    if answer.structure.is_cut:
        return " (a code fence is opened and never closed; what follows it is quoted)"
    inside = answer.titles.opened_by_any(heading.title for heading in Structure(answer.structure.fenced).headings)
    if any(answer.titles.required[name] in inside for name in missing):
        return " (inside a code fence headings are quoted: write the plan without a fence around it)"
    return _about_language(answer) if len(missing) == len(answer.titles.required) else ""


def _some_section(answer: _Answer) -> Iterator[Problem]:
    if not answer.sections() & set(answer.titles.required.values()):
        named = ", ".join(answer.bar.sections)
        yield Problem("revision", f"No revised section. Give the changed sections, each under its heading: {named}")


def _finished(answer: _Answer) -> Iterator[Problem]:
    if not answer.is_promised():
        tag = f"<promise>{answer.bar.promise}</promise>"
        yield Problem("promise", f"The plan is not declared finished: end with {tag}, on a line of its own")


def _critique(answer: _Answer) -> Iterator[Problem]:
    points = answer.structure.count_points()
    verdicts = [] if answer.bar.open_critique else read_from(answer.structure.text, answer.words)
    points = max(points, len({verdict.principle for verdict in verdicts}))
    if points < LEAST_POINTS:
        yield Problem(
            "critique", f"Not enough specific critiques. Found {points} numbered points (at least {LEAST_POINTS})"
        )
    if not answer.bar.open_critique:
        yield from _verdicts(verdicts, answer.bar)


def _verdicts(verdicts: list[Verdict], bar: Bar) -> Iterator[Problem]:
    failed = {verdict.principle for verdict in verdicts if not verdict.passed}
    passed = {verdict.principle for verdict in verdicts} - failed
    if len(passed | failed) < LEAST_VERDICTS:
        yield Problem(
            "principles",
            f"Insufficient principle evaluation. Found {len(passed | failed)} principles judged (at least "
            f"{LEAST_VERDICTS}); write each as: P3: FAIL - why, or P3: PASS - why",
        )
    elif not failed:
        yield Problem("all-pass", "No principle FAILs. A critique finds at least one weakness: look again, and harder")
    explained = {verdict.principle for verdict in verdicts if not verdict.passed and verdict.evidence}
    if failed - explained:
        yield Problem("evidence", f"FAIL without a reason: {_listed(failed - explained)}. Say what is wrong, and where")
    for principle in sorted(passed & set(bar.refuted), key=_number):
        yield Problem("refuted", f"{principle} is judged PASS, but planrail lint found: {bar.refuted[principle]}")


def _listed(principles: set[str]) -> str:
    return ", ".join(sorted(principles, key=_number))


def _number(principle: str) -> int:
    return int(principle[1:])


def _revision(answer: _Answer) -> Iterator[Problem]:
    if not answer.bar.is_final:
        yield from _some_section(answer)
        yield from _not_yet(answer)
        return
    yield from _finished(answer)
    yield from _all_sections(answer)


_RULES: dict[str, tuple[Callable[[_Answer], Iterator[Problem]], ...]] = {
    "understand": (_no_plan, _analysis),
    "explore": (_no_plan, _exploration),
    "alternatives": (_no_promise, _no_plan, _alternatives),
    "draft": (_all_sections, _not_yet),
    "critique": (_no_promise, _critique),
    "revise": (_revision,),
}
PHASES = tuple(_RULES)
