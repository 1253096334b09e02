"""Which question comes next in a stage, and how far it is. It follows from the answers that are kept alone.

research      research | research-1 … research-n at once, then synthesis
plan, revise  outline, phase-1 … phase-n, then critique-k and revise-k as often as the effort says
revise        description, where there is no plan yet
"""

from planrail.ask.asking import Question
from planrail.tasks.questions import prompts, schemas
from planrail.tasks.questions.assembling import assemble, count_phases, plan_as_data
from planrail.tasks.questions.model import (
    CRITIC,
    DIVIDE,
    PLANNER,
    RESEARCH,
    RESEARCHER,
    REVISE,
    ROUNDS,
    Answers,
    StageOrder,
)

_SCHEMAS: dict[str, schemas.Schema] = {
    "research": schemas.REPORT,
    "synthesis": schemas.REPORT,
    "outline": schemas.OUTLINE,
    "phase": schemas.PHASE,
    "critique": schemas.CRITIQUE,
    "revise": schemas.REVISION,
    "description": schemas.DESCRIPTION,
    "division": schemas.DIVISION,
}


def next_questions(order: StageOrder, answers: Answers) -> tuple[Question, ...]:
    """The questions that can be put now, all at once; none where the stage has all its answers."""
    if order.stage == RESEARCH:
        return _next_research(order, answers)
    if order.stage == DIVIDE:
        asked = _question("division", PLANNER, prompts.division_prompt(order))
        return () if "division" in answers else (asked,)
    if is_about_description(order):
        asked = _question("description", PLANNER, prompts.description_prompt(order))
        return () if "description" in answers else (asked,)
    return _next_plan(order, answers)


def is_about_description(order: StageOrder) -> bool:
    return order.stage == REVISE and not order.has_plan


def schema_of(name: str) -> schemas.Schema:
    return _SCHEMAS[name.partition("-")[0]]


def is_question(name: str) -> bool:
    kind, dash, number = name.partition("-")
    return kind in _SCHEMAS and (not dash or (number.isascii() and number.isdigit() and len(number) < 5))


def needs_of(name: str) -> tuple[str, ...]:
    """The question that has to be answered before this one can be: phases, critiques and revisions are of an outline.

    A revision follows from its critique.
    """
    kind, _, number = name.partition("-")
    if kind == "revise":
        return ("outline", f"critique-{number}")
    return ("outline",) if kind in ("phase", "critique") else ()


def result_of(answers: Answers) -> str:
    return "synthesis" if "synthesis" in answers else "research"


def tell_progress(order: StageOrder, answers: Answers) -> str:
    if order.stage == RESEARCH:
        if order.team > 1:
            done = sum(name.startswith("research-") for name in answers)
            return f"{done} of {order.team} researchers have answered"
        return "the research is answered" if "research" in answers else "nothing is answered yet"
    if "outline" not in answers:
        is_planning = order.stage != DIVIDE and not is_about_description(order)
        return "no phase is planned yet" if is_planning else "nothing is answered yet"
    done, count = sum(name.startswith("phase-") for name in answers), count_phases(answers)
    verb = "is" if done == 1 else "are"
    rounds = sum(name.startswith("critique-") for name in answers)
    reviewed = f", criticised {rounds} time{'s' * (rounds != 1)}" if rounds else ""
    return f"{done} of {count} phases {verb} planned{reviewed}"


def _question(name: str, role: str, prompt: str, following: str = "") -> Question:
    kind, _, number = name.partition("-")
    labels = {
        "research": f"researcher {number}" if number else "research",
        "synthesis": "one report of all",
        "outline": "the outline",
        "phase": f"phase {number}",
        "critique": "the critique" if number in ("", "1") else f"critique {number}",
        "revise": "the revision" if number in ("", "1") else f"revision {number}",
        "description": "the description",
        "division": "the division",
    }
    schema = schemas.write_schema(schema_of(name))
    return Question(name, role, prompt, labels[kind], schema=schema, following=following, again=prompts.again_prompt)


def _next_research(order: StageOrder, answers: Answers) -> tuple[Question, ...]:
    if order.team <= 1:
        alone = _question("research", RESEARCHER, prompts.research_prompt(order))
        return () if "research" in answers else (alone,)
    names = [f"research-{number}" for number in range(1, order.team + 1)]
    missing = [
        _question(name, RESEARCHER, prompts.research_prompt(order, side))
        for name, side in zip(names, prompts.PERSPECTIVES, strict=False)
        if name not in answers
    ]
    if missing:
        return tuple(missing)
    joined = prompts.synthesis_prompt(order, [answers[name] for name in names])
    return () if "synthesis" in answers else (_question("synthesis", RESEARCHER, joined),)


def _next_plan(order: StageOrder, answers: Answers) -> tuple[Question, ...]:
    if "outline" not in answers:
        return (_question("outline", PLANNER, prompts.outline_prompt(order)),)
    outline = answers["outline"]
    for number in range(1, count_phases(answers) + 1):
        if f"phase-{number}" not in answers:
            return (_follow(order, answers, f"phase-{number}", prompts.phase_prompt(order, outline, number)),)
    return _next_round(order, answers)


def _next_round(order: StageOrder, answers: Answers) -> tuple[Question, ...]:
    """Critique and revision in turn, until the critic is content or all rounds are done."""
    for number in range(1, ROUNDS[order.effort] + 1):
        critique, revise = f"critique-{number}", f"revise-{number}"
        if critique not in answers:
            plan = plan_as_data(assemble(answers))
            earlier = [answers[name] for name in (f"critique-{number - 1}", f"revise-{number - 1}") if name in answers]
            prompt = prompts.critique_prompt(order, plan, earlier)
            return (_question(critique, CRITIC, prompt),)
        if answers[critique]["verdict"] == schemas.PASS:
            return ()
        if revise not in answers:
            return (_follow(order, answers, revise, prompts.revise_prompt(answers[critique]["problems"])),)
    return ()


def _follow(order: StageOrder, answers: Answers, name: str, following: str) -> Question:
    mine = {key: answer for key, answer in answers.items() if not key.startswith("critique")}
    alone = prompts.standing_alone(order, following, mine)
    return _question(name, PLANNER, alone, following)
