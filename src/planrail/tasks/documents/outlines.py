"""What a report, a plan and a summary say, as values: an agent gives them by schema, planrail writes the document."""

from planrail.base.records import record


@record
class PlanPhase:
    """A phase to be. `depends_on` are numbers of phases, from 1; `criteria` are pairs of a command and what it shows.

    The command exits with 0 when the phase is done; where it is empty, the text alone is the criterion.
    """

    title: str
    goal: str = ""
    tasks: tuple[str, ...] = ()
    timing: str = ""
    depends_on: tuple[int, ...] = ()
    criteria: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()


@record
class Outline:
    """A plan to be. `risks` are pairs of a risk and its mitigation; `research_inputs` are paths of reports."""

    title: str
    overview: str = ""
    goals: tuple[str, ...] = ()
    non_goals: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()
    phases: tuple[PlanPhase, ...] = ()
    testing: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    rollback: str = ""
    research_inputs: tuple[str, ...] = ()
    effort: str = ""
    open_questions: tuple[str, ...] = ()


@record
class Report:
    """A research report to be. `findings` are pairs of a title and a text; times are as the views have them."""

    title: str
    executive_summary: tuple[str, ...] = ()
    context: str = ""
    findings: tuple[tuple[str, str], ...] = ()
    decisions: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    risks: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    appendix: str = ""
    started: str = ""
    completed: str = ""
    effort: str = ""


@record
class Summary:
    """A summary to be: what was done, from evidence. `status` is that of the task."""

    title: str
    overview: str = ""
    changes: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    impacts: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    status: str = "completed"
    started: str = ""
    completed: str = ""


def sound_dependencies(phases: tuple[PlanPhase, ...]) -> list[tuple[int, ...]]:
    """For each phase the phases that it waits for: those before it. So no circle can be written."""
    return [
        tuple(sorted({other for other in phase.depends_on if 1 <= other < number}))
        for number, phase in enumerate(phases, 1)
    ]
