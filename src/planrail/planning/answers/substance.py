"""Does a plan say anything? What is empty in it although its headings are all there.

The floors of `judging` are about structure. These are about content, and are asked of a draft and of the last revision.
"""

import re

from planrail.base.errors import UnreadablePlan
from planrail.planning.answers.judging import Bar, Problem
from planrail.planning.answers.plan_sections import Mark, Scanned, read_scanned
from planrail.planning.answers.questions import says_none
from planrail.plans.checks import read_checks
from planrail.plans.model import Plan

LEAST_WORDS = 3  # different ones, of a section
MAY_BE_NONE = ("Non-Scope", "Risks", "Open Questions")  # these may say "None", or name one thing

_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLACEHOLDERS = frozenset(("tbd", "tba", "todo", "fixme", "placeholder", "lorem", "ipsum", "xxx"))
_DASHES = frozenset(("-", "–", "—"))
_UNSPACED = "\u1100"  # from Hangul on a word is short, and some scripts do not part words at all
_LONGEST = 20_000  # characters of a section that are looked at
_CODE = re.compile(r"`[^`\n]+`|^[ \t]*(?:`{3}|~{3}|[-*+] \[)", re.MULTILINE)


def judge_content(plan: str, bar: Bar) -> list[Problem]:
    """What is empty in a plan: sections that say nothing, steps without work, nothing that would show success."""
    page = Scanned(plan)
    bodies = _bodies(page)
    empty = [name for name in bar.sections if name in bodies and not _says_something(name, bodies[name])]
    problems = [Problem("empty-section", _about_sections(empty))] if empty else []
    return problems + (_about_work(page, bodies) if "Steps" in bar.sections else [])


def _about_sections(names: list[str]) -> str:
    return (
        f"These sections say nothing: {', '.join(names)}. Write at least {LEAST_WORDS} words into each"
        f' ("None." is enough for {", ".join(MAY_BE_NONE)})'
    )


def _bodies(page: Scanned) -> dict[str, str]:
    found: dict[str, str] = {}
    for at, mark in enumerate(page.marks):
        if mark.names:
            text = _COMMENT.sub(" ", _body(page, at))
            found.update((name, (found.get(name, "") + "\n" + text)[:_LONGEST]) for name in mark.names)
    return found


def _body(page: Scanned, at: int) -> str:
    """The text from a mark to the next section, or heading of its level; a lead-in has some on its own line."""
    marks, mark = page.marks, page.marks[at]
    later = (marks[number] for number in range(at + 1, len(marks)))
    following = next((other for other in later if other.names or other.level <= mark.level), None)
    end = following.start if following else len(page.text)
    text = page.text[mark.start : min(end, mark.start + _LONGEST)]
    return text.partition(mark.text)[2] if mark.level > 6 else _below_heading(text, mark)


def _below_heading(text: str, mark: Mark) -> str:
    below = text.partition(mark.text)[2].partition("\n")[2]
    first, _, rest = below.partition("\n")
    return below if first.strip(" \t\r=-") else rest  # the line under a heading is a part of it


def _says_something(name: str, body: str) -> bool:
    words = set(_WORD.findall(body.lower())) - _PLACEHOLDERS
    if name not in MAY_BE_NONE:
        return sum((len(word) + 1) // 2 if word >= _UNSPACED else 1 for word in words) >= LEAST_WORDS
    plain = " ".join(body.split()).lstrip("-*+•> ").strip("*_ ")
    return says_none(plain) or body.strip() in _DASHES or any(len(word) > 2 or word >= _UNSPACED for word in words)


def _about_work(page: Scanned, bodies: dict[str, str]) -> list[Problem]:
    try:
        plan = read_scanned(page)
    except UnreadablePlan as error:
        return [Problem("unreadable", error.message)]
    problems = []
    if not any(phase.items for phase in plan.phases):
        said = "Steps has no work that planrail can read: give it phases (### Phase 1: name) with items (- [ ] 1.1 …)"
        problems.append(Problem("no-work", said))
    if not _has_criterion(plan) and not _CODE.search(bodies.get("Verification", "")):
        said = "Nothing says when the work is done: give a phase acceptance criteria, or Verification a command"
        problems.append(Problem("no-criterion", said))
    return problems


def _has_criterion(plan: Plan) -> bool:
    return any(phase.criteria or read_checks(list(phase.sections)) for phase in plan.phases)
