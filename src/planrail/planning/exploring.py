"""Several explorers of one planning: each looks from an angle of its own, and the good reports are one answer."""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.planning.machine import GiveUp, Retry
from planrail.planning.planning import Answer, Ground, Planning, take_answer
from planrail.planning.prompts import Place, render_phase

ANGLES = (
    "the code that will change: the files and functions that the request touches, their callers, their data",
    "how it is run and tested: the tests beside that code, the tooling, the build, the checks of CI, configuration",
    "what was done before: the history of these files, documents and decisions, conventions, similar things elsewhere",
    "the edges: error paths, concurrency, permissions and secrets, data that already exists, performance",
    "who depends on it: public interfaces, other packages and programs, formats on disk and on the wire, users' habits",
    "what is already there: libraries and functions that could be used as they are, code that could be removed instead",
)


@record
class Exploration:
    """The task of one explorer, who has seen nothing yet; `number` counts from 1."""

    number: int
    title: str
    prompt: str


@record
class Report:
    """What an explorer brought, good enough or not; `problem` is why it is left out, "" where it is not."""

    exploration: Exploration
    text: str
    problem: str = ""


def split_exploration(planning: Planning, count: int, *, lessons: str = "") -> list[Exploration]:
    """The tasks of `count` explorers. Past the last angle they come round again."""
    angles = [ANGLES[number % len(ANGLES)] for number in range(count)]
    return [
        Exploration(
            number,
            angle.partition(":")[0],
            render_phase(planning, Place(is_continued=False, angle=angle), lessons=lessons),
        )
        for number, angle in enumerate(angles, 1)
    ]


def judge_report(planning: Planning, exploration: Exploration, text: str, ground: Ground) -> Report:
    decision = take_answer(planning, Answer(text), ground).decision
    problem = decision.problems[0].message if isinstance(decision, Retry | GiveUp) else ""
    return Report(exploration, text, problem)


def join_reports(reports: Sequence[Report]) -> str:
    """The good reports as one answer; where none is good, all of them, for the judge to say what is missing."""
    good = [report for report in reports if not report.problem] or reports
    parts = [f"[Explorer {one.exploration.number}: {one.exploration.title}]\n\n{one.text.strip()}" for one in good]
    return "\n\n".join(parts)
