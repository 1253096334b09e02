"""Is a phase still about the code that is there? Asked before an agent is sent to it.

A plan may say itself that it was drafted before what it depends on, its numbers may no longer add up, and what it cites
may be gone. Then it is refined first, or a person decides, or the run stops.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

from planrail.base.settings import DEFAULT_LINT, LintSettings
from planrail.base.values import value
from planrail.base.wording import plural
from planrail.plans.editing.corrections import evaluate, find_bullets, measure
from planrail.plans.lint.arithmetic import find_wrong_sums
from planrail.plans.lint.document import FileTree, Severity, open_document
from planrail.plans.lint.grounding.rule import find_broken_citations
from planrail.plans.model import Phase, Plan
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.source import PlanSource
from planrail.plans.words.names import DEPENDENCY_KEYS
from planrail.runs.drift.deciding import LARGE

_DESIGN = re.compile(r"design|constraint", re.IGNORECASE)
_FILE = re.compile(r"(?<![\w/.-])[\w./-]*\w\.[A-Za-z]\w{0,9}(?![\w/])")
_SUM = re.compile(r"(?<![\w.,/-])\d+(?:\s+[-−]\s+\d+|\s*\+\s*\d+)+(?![\w/]|[.,]\d|\s*[*×/^%])")
_LINES = re.compile(r"\blines?\s+(?P<first>\d+)\s*(?:\.\.|-|–|to)\s*(?P<last>\d+)\b", re.IGNORECASE)
_STATED = re.compile(
    r"(?P<stated>(?:(?:≤|<=|≥|>=|~)\s*|(?:at most|at least|approximately|expected|exactly)\s+)?\d+(?:[-–]\d+)?)"
    r"\s+(?:[a-z-]+\s+)?(?P<unit>lines?|tests?|cases?|files?|commits?|functions?|rows?|entries|entry)\b"
)
_FROM = re.compile(r"\b(?:down|up|reduced|shrunk|grown) from\s+(?P<was>\d+)\b|\bfrom\s+(?P<old>\d+)\s+to\s+\d+\b", re.I)
_UNIT = re.compile(r"\b(lines?|tests?|cases?|files?|commits?|functions?|rows?|entries|entry)\b", re.IGNORECASE)
_SAYS_SO = re.compile(
    r"\b(?:drafted|written|designed) before\b|\bmay need (?:a |to be )?refresh|\bneeds? (?:a )?refresh|"
    r"\bdesign, not (?:the )?actual code\b",
    re.IGNORECASE,
)
_CITED = "if the phase is to make it, let the line say so (Create …), else "
_CORRECT = "refine it, or correct that in the plan; commit it, and have it approved"


@value
class Staleness:
    """A sign that a phase is out of date. `kind`: drafted, arithmetic, sum, citation; `percent` where one is known."""

    kind: str
    text: str
    percent: int = 0

    @property
    def is_serious(self) -> bool:
        """Whether an agent should not be sent to it unattended."""
        return self.kind in ("drafted", "citation") or self.percent > LARGE


# Numbers that a phase expects and numbers that it derives: do its criteria still say what its own rules give? A rule
# stands in the design of the phase: a sum (`417 - 153 + 13 lines`) or a range of lines (`lines 20-59`). It speaks of a
# criterion where both name the same file and count the same thing; where that is not certain, nothing is said.


def find_contradictions(text: str, phase: Phase) -> list[Staleness]:
    design = [section for section in phase.sections[1:] if _DESIGN.search(section.text)]
    blocks = [block for section in design for block in section.blocks if isinstance(block, Item | Text)]
    rules = [rule for block in blocks for rule in _rules_in(block.text)]
    found: list[Staleness] = []
    for bullet in find_bullets(text, phase) if rules else ():
        stated = _STATED.search(bullet.text)
        if stated is None:
            continue
        wanted, names = _singular(stated["unit"]), _files(bullet.text)
        # the one rule that speaks of the same file and counts the same thing; none where several do and disagree
        fitting = [(value, rule) for files, unit, value, rule in rules if unit == wanted and files & names]
        if len({value for value, _ in fitting}) != 1:
            continue
        says = re.sub(r"\s+", " ", stated["stated"]).strip()
        derived, rule = fitting[0]
        percent = measure(says, str(derived))
        if percent:
            said = f"criterion {bullet.number} (line {bullet.line}) says {says}, but {rule} is {derived}"
            found.append(Staleness("arithmetic", said, percent))
    return found


def find_old_lengths(text: str, phase: Phase, tree: FileTree) -> list[Staleness]:
    """The criteria that say how long a file is before the work ("60 lines, down from 100") and are wrong about that."""
    found: list[Staleness] = []
    for bullet in find_bullets(text, phase):
        said, names = _FROM.search(bullet.text), _files(bullet.text)
        if said is None or len(names) != 1 or not re.search(r"\blines?\b", bullet.text, re.IGNORECASE):
            continue
        (name,), was = names, said["was"] or said["old"]
        paths = [path for path in tree.files() if path.rpartition("/")[2].lower() == name]
        content = tree.read(paths[0]) if len(paths) == 1 else None
        count = len(content.splitlines()) if content is not None else 0
        if count and (percent := measure(was, str(count))):
            where = f"criterion {bullet.number} (line {bullet.line}) says {said[0]}"
            found.append(Staleness("arithmetic", f"{where}, but {paths[0]} has {plural(count, 'line')} now", percent))
    return found


def _rules_in(line: str) -> Iterator[tuple[frozenset[str], str, int, str]]:
    """The values that rules give: for which files, of what, how much, and how it is written."""
    files = _files(line)
    for match in _SUM.finditer(line):
        value = evaluate(match[0].replace("−", "-"))
        unit = _UNIT.search(line, match.end()) or _UNIT.search(line)
        if value is not None and unit is not None:
            yield files, _singular(unit[0]), value, match[0]
    for match in _LINES.finditer(line):
        count = int(match["last"]) - int(match["first"]) + 1
        if count > 0:
            yield files, "line", count, match[0]


def _files(line: str) -> frozenset[str]:
    """The names of the files that a line speaks of, without their folders."""
    return frozenset(match[0].rpartition("/")[2].lower() for match in _FILE.finditer(line))


def _singular(unit: str) -> str:
    word = unit.lower()
    return "entry" if word == "entries" else word.removesuffix("s")


@value
class Freshness:
    """Whether a phase is still about the code that is there: a refusal, a question for a person, notes, or nothing.
    `feedback` is what the plan is to be refined by."""

    refusal: str = ""
    feedback: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()


def judge_freshness(
    plan: Plan, text: str, phase: Phase, settings: LintSettings = DEFAULT_LINT, tree: FileTree | None = None
) -> list[Staleness]:
    """What speaks against sending a phase of this plan to an agent now.

    `tree` are the files that its citations are looked up in; None: they are not.
    """
    lines = {line for section in phase.sections for line in range(section.line, section.last_line + 1)}
    found = []
    for section in phase.sections:  # the lines about its dependencies in which it says that it may be out of date
        is_about_them = section.text.strip(" :*").lower() in DEPENDENCY_KEYS
        for block in section.blocks if is_about_them else section.needs or ():
            if isinstance(block, Item | Text) and _SAYS_SO.search(block.text):
                found.append(Staleness("drafted", f"line {block.line}: {block.text}"))
    found += find_contradictions(text, phase)
    found += find_old_lengths(text, phase, tree) if tree is not None else []
    source = PlanSource(plan.path, text)
    sums = find_wrong_sums(open_document(source, plan, DEFAULT_LINT, None))
    found += [Staleness("sum", f"line {sum_.line}: {sum_.message}") for sum_ in sums if sum_.line in lines]
    broken = find_broken_citations(open_document(source, plan, settings, tree)) if tree is not None else ()
    certain = [known for known in broken if known.severity is Severity.ERROR and known.line in lines]
    return found + [Staleness("citation", f"line {known.line}: {known.message}") for known in certain]


def decide_staleness(found: Sequence[Staleness], *, auto: bool) -> Freshness:
    """What to do about it: a person is asked. Unattended, the run stops where it is serious, and the rest is noted."""
    told = [f"{known.text} ({known.percent} % off)" if known.percent else known.text for known in found]
    if not auto:
        return Freshness(question="\n".join(told))
    serious = [text for known, text in zip(found, told, strict=True) if known.is_serious]
    if not serious:
        return Freshness(notes=tuple(told))
    is_cited = any(known.kind == "citation" for known in found)
    refusal = "\n".join(serious) + f"; {_CITED if is_cited else ''}{_CORRECT}"
    return Freshness(refusal=refusal, feedback="" if is_cited else "; ".join(serious))


def name_refinement(path: str, found: Freshness) -> str:
    """What to type where a run stops at a stale plan: what is left of it is refined by what was found."""
    plan = shlex.quote(path)
    return (
        f"planrail refine {plan} --feedback {shlex.quote(found.feedback)}"
        if found.feedback
        else f"planrail lint {plan}"
    )
