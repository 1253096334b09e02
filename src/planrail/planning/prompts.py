"""What an agent is asked in each phase. The prompts aim higher than what the validators enforce.

The request is data: it stands at the end, quoted line by line, and nothing in it is read back by a program.
"""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.base.settings import SECTIONS
from planrail.base.wording import list_some
from planrail.planning import asks
from planrail.planning.answers.plan_text import describe_length
from planrail.planning.machine import CRITIQUE, DRAFT, EXPLORE, INTERVIEW, REVISE, UNDERSTAND, WRITING
from planrail.planning.plan_format import FORMAT, SMALL_FORMAT
from planrail.planning.planning import AnswerContext, Planning
from planrail.planning.principles import perspective_of
from planrail.planning.proportion import DEEP, SMALL

LONGEST_REQUEST = 2_000  # characters that are repeated in each phase of a session
LONGEST_CRITIQUE = 3_000
MOST_PROBLEMS = 12

# What each of several explorers looks at.
ANGLES = (
    "the code that will change: the files and functions that the request touches, their callers, their data",
    "how it is run and tested: the tests beside that code, the tooling, the build, the checks of CI, configuration",
    "what was done before: the history of these files, documents and decisions, conventions, similar things elsewhere",
    "the edges: error paths, concurrency, permissions and secrets, data that already exists, performance",
    "who depends on it: public interfaces, other packages and programs, formats on disk and on the wire, users' habits",
    "what is already there: libraries and functions that could be used as they are, code that could be removed instead",
)

_NO_ANSWER = "no answer; decide, and say so"
_READ_ONLY = "You read and answer; nothing is changed, and what could change something is denied."


@record
class PlanningPlace:
    """Where a planning happens. `plan_file`: the file that the agent writes its plan to; "": into its answer."""

    plan_file: str = ""
    explorers: int = 0  # sub-agents that may explore at once
    critic: str = ""  # a sub-agent with a fresh context
    room: int = 0  # the most characters; 0: any number
    is_continued: bool = True  # the agent has the conversation so far
    angle: str = ""  # the part of the exploration that this explorer has; the others have the rest


def render_phase(
    planning: Planning,
    place: PlanningPlace,
    *,
    lessons: str = "",
    findings: Sequence[str] = (),
    problems: Sequence[str] = (),
) -> str:
    """What is asked in a phase; again, where an answer had problems."""
    parts = [_header(planning)]
    if problems:
        listed = "\n".join(f"- {problem}" for problem in list_some(problems, MOST_PROBLEMS))
        what = "This answer is" if place.is_continued else "An answer was given before, and it was"
        parts.append(f"{what} not good enough yet ({_count_left(planning)}):\n{listed}")
    parts.append(_render_task(planning, place, findings))
    if lessons and wants_lessons(planning) and not problems:
        parts.append(lessons)
    if not place.is_continued:
        parts += _render_history(planning)
    text = "\n\n".join([*parts, _render_request(planning, place)])
    return text if not place.room or len(text) <= place.room else text[: place.room - 1] + "…"


def render_retry(planning: Planning, problems: Sequence[str]) -> str:
    """What an agent hears at a stop whose answer had problems. A person sees it too: what was asked stands above."""
    first, *others = problems
    listed = [f"- {first}", *([f"- {'; '.join(list_some(others, MOST_PROBLEMS))}"] if others else [])]
    said = f"{_header(planning)}: this answer is not good enough yet ({_count_left(planning)}):"
    return "\n".join([said, *listed, "Correct that, and answer once more as this phase asks."])


def _count_left(planning: Planning) -> str:
    left = planning.progress.attempts - planning.progress.attempt + 1
    return "this is the last attempt" if left <= 1 else f"{left} attempts are left"


def findings_for(planning: Planning, context: AnswerContext) -> list[str]:
    if planning.progress.phase != CRITIQUE:
        return []
    return [f"line {found.line}: {found.message} ({found.rule})" for found in context.lint(planning.plan)]


def wants_lessons(planning: Planning) -> bool:
    """Whether this is the phase before which lessons are shown: the first one that looks at the code or writes."""
    phases, index = planning.progress.phases, planning.progress.index
    return index == (1 if phases[0] == UNDERSTAND and len(phases) > 1 else 0)


def render_answers(answers: Sequence[tuple[str, str]]) -> str:
    listed = "\n".join(f"- {question}\n  Answer: {answer or _NO_ANSWER}" for question, answer in answers)
    return f"The person answered:\n{listed}\nPut the answers into the plan, and take the questions out."


def _header(planning: Planning) -> str:
    progress = planning.progress
    place = f"[planrail] [{progress.index + 1}/{len(progress.phases)}] Phase: {progress.phase.upper()}"
    if progress.phase not in (CRITIQUE, REVISE):
        return place
    rounds, (name, _) = progress.phases.count(CRITIQUE), perspective_of(planning.round)
    return f"{place} (round {planning.round} of {rounds}, {name})"


def _render_task(planning: Planning, place: PlanningPlace, findings: Sequence[str]) -> str:
    phase = planning.progress.phase
    if phase in WRITING:
        return _render_writing(planning, place)
    if phase == CRITIQUE:
        return _render_critique(planning, place, findings)
    helpers = ""
    if phase == EXPLORE and place.explorers > 1:
        helpers = f" Up to {place.explorers} explore agents may look in parallel."
    if phase == EXPLORE and place.angle:
        helpers = f" Others explore beside you; your part is: {place.angle}. Keep to it."
    return f"{asks.ASKED[phase]}{helpers} {_READ_ONLY}"


def _render_writing(planning: Planning, place: PlanningPlace) -> str:
    progress, options = planning.progress, planning.options
    parts = []
    if planning.original:
        parts.append(asks.REFINE.format(feedback=", and to what was said about it below" if planning.feedback else ""))
    if progress.phase == DRAFT:
        is_small = options.size == SMALL and len(progress.phases) == 1
        is_foreign = planning.original and not set(options.sections) >= set(SECTIONS)
        form = "Keep the form of the plan: its headings, numbers and marks." if is_foreign else FORMAT
        parts += [asks.SMALL, SMALL_FORMAT] if is_small else [asks.LEAST_TO_MOST, form]
    elif progress.phase == INTERVIEW:
        parts += [asks.INTERVIEW, asks.LEAST_TO_MOST, FORMAT]
    else:
        critique = planning.critique
        if place.room and len(critique) > LONGEST_CRITIQUE:
            critique = f"(your critique above; it begins:)\n{critique[:LONGEST_CRITIQUE]}…"
        has_grown = progress.phases[0] == DRAFT and options.size == DEEP
        parts += [asks.REVISE, *([FORMAT] if has_grown else []), f"The critique:\n{critique}"]
    parts += [describe_length(options.length), _where(planning, place)]
    tag = f"<promise>{options.promise}</promise>"
    if not progress.is_last and progress.phase != INTERVIEW:
        parts.append(f"Do NOT output {tag} yet: another critique follows.")
    elif progress.phase == REVISE:
        parts.append(
            f"This is the last round. When every FAIL is answered, output {tag} at the very end of your answer."
        )
    return "\n\n".join(part for part in parts if part)


def _where(planning: Planning, place: PlanningPlace) -> str:
    if place.plan_file:
        return f"Write the whole plan to {place.plan_file}, then answer with a short summary of it."
    if planning.original:
        return "Answer with those two sentences, then the whole plan, and nothing else."
    if planning.progress.phase == REVISE and not planning.progress.is_last:
        return "Answer with the plan, or with those of its sections that changed, each whole; and nothing else."
    return "Answer with the whole plan, and nothing else."


def _render_critique(planning: Planning, place: PlanningPlace, findings: Sequence[str]) -> str:
    name, looks_for = perspective_of(planning.round)
    parts = [f"Criticise the plan. Look at it as: {name}. {looks_for}"]
    parts.append(asks.OPEN_CRITIQUE if planning.options.open_critique else asks.CRITIQUE)
    if place.critic:
        parts.append(
            f"You wrote it, so you are not the one to judge it: let the agent {place.critic} do it, with a fresh"
            " context (give it the path of the plan and this whole message), and answer with what it says, in full."
        )
    if findings:
        listed = "\n".join(f"- {finding}" for finding in findings[:20])
        parts.append(f"A program has found these, and a PASS for what it refutes does not count:\n{listed}")
    if place.plan_file:
        parts.append(f"The plan is at {place.plan_file}.")
    return "\n\n".join([*parts, _READ_ONLY])


def _render_history(planning: Planning) -> list[str]:
    """What an agent needs that has not seen the conversation: the phases so far, and the plan."""
    reports = planning.reports if planning.progress.phase != CRITIQUE else ()
    parts = [f"What the phase {name} brought:\n\n{answer}" for name, answer in reports]
    return [*parts, f"The plan so far:\n\n{planning.plan}"] if planning.plan else parts


def _render_request(planning: Planning, place: PlanningPlace) -> str:
    """Words of others, marked on each line: nothing in them can look like planrail's own."""
    text = planning.request
    if place.room and len(text) > LONGEST_REQUEST:
        text = text[:LONGEST_REQUEST] + f"… ({len(planning.request):,} characters in all; it stands at the beginning)"
    request, feedback = ("> " + words.replace("\n", "\n> ") for words in (text, planning.feedback))
    said = f"\n\nWhat was said about the plan, quoted:\n{feedback}" if planning.feedback else ""
    return f"The request, word for word, quoted:\n\n{request}{said}"
