"""The corpus of `substance/`: answers as people and agents write them, to wishes about one small project.

`honest-PHASE.txt` has cases `=== WISH LANGUAGE`, the other files cases `=== PHASE WISH KIND LANGUAGE`. Those of `blind-*` and
`fresh-*` were written after the rules, one after the other; the figures of their first contact are in `docs/benchmarks.md`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from planrail.base.records import record, replace
from planrail.base.settings import load_settings
from planrail.planning.in_session.facts import open_context
from planrail.planning.machine import CRITIQUE, REVISE, GiveUp, Retry
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import AgentAnswer, Planning, begin, take_answer

_FOLDER = Path(__file__).parent / "substance"
_CASE = re.compile(r"^=== (.*)\n", re.MULTILINE)


@record
class Case:
    """An answer, the phase and the wish that it is given to; `kind` is "honest", or how it is nonsense."""

    phase: str
    wish: str
    kind: str
    language: str
    text: str


def parts_of(name: str) -> list[tuple[str, str]]:
    _, *parts = _CASE.split((_FOLDER / name).read_text("utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def cases(pattern: str) -> Iterator[Case]:
    """The cases of the files that match, in their order."""
    for path in sorted(_FOLDER.glob(pattern)):
        words = path.stem.split("-")
        for head, text in parts_of(path.name):
            if words[0] == "honest":
                wish, language = head.split()
                yield Case(words[1], wish, "honest", language, text)
            else:
                phase, wish, kind, language = head.split()
                yield Case(phase, wish, kind, language, text)


def build_project(root: Path) -> None:
    for name, text in parts_of("project.txt"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def problems_of(case: Case, root: Path) -> list[str]:
    """What is wrong with an answer, as a planning of the project says it; [] where it goes on."""
    planning = _planning_at(case)
    context = open_context(str(root), str(root / "plan.md"), load_settings(str(root)), count=True)
    decision = take_answer(planning, AgentAnswer(case.text), context).decision
    problems = decision.problems if isinstance(decision, Retry | GiveUp) else ()
    return [f"{problem.rule}: {problem.message}" for problem in problems]


def _planning_at(case: Case) -> Planning:
    wishes, drafts = dict(parts_of("wishes.txt")), dict(parts_of("drafts.txt"))
    planning = begin("p", wishes[case.wish].strip(), PlanningOptions())
    progress, is_late = planning.progress, case.phase in (CRITIQUE, REVISE)
    index = len(progress.phases) - 1 if case.phase == REVISE else progress.phases.index(case.phase)
    plan = drafts[case.wish] if is_late else ""
    earlier = progress.phases[: progress.phases.index(case.phase)]
    reports = tuple((name, _first_honest(name, case.wish)) for name in ("understand", "explore") if name in earlier)
    return replace(planning, progress=replace(progress, index=index), plan=plan, reports=reports)


def _first_honest(phase: str, wish: str) -> str:
    """What an earlier phase brought, which later ones are known by."""
    found = [text for head, text in parts_of(f"honest-{phase}.txt") if head.split()[0] == wish]
    more = [case.text for case in cases("*-honest.txt") if (case.phase, case.wish) == (phase, wish)]
    return (found + more)[0]
