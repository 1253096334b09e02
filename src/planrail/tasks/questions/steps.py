"""Which question comes next in a stage, and how far it is. It follows from the answers that are kept alone.

research   research | research-1 … research-n at once, then synthesis
revise     description, where there is no plan yet
divide     division

A plan is no question with a schema: it is written in the flow of `planrail plan`.
"""

from planrail.ask.asking import Question
from planrail.tasks.questions import prompts, schemas
from planrail.tasks.questions.model import DIVIDE, PLANNER, RESEARCH, RESEARCHER, REVISE, Answers, StageOrder

_SCHEMAS: dict[str, schemas.Schema] = {
    "research": schemas.REPORT,
    "synthesis": schemas.REPORT,
    "description": schemas.DESCRIPTION,
    "division": schemas.DIVISION,
}


def next_questions(order: StageOrder, answers: Answers) -> tuple[Question, ...]:
    """The questions that can be put now, all at once; none where the stage has all its answers."""
    if order.stage == RESEARCH:
        return _next_research(order, answers)
    name = "division" if order.stage == DIVIDE else "description"
    prompt = (prompts.division_prompt if order.stage == DIVIDE else prompts.description_prompt)(order)
    return () if name in answers else (_question(name, PLANNER, prompt),)


def is_about_description(order: StageOrder) -> bool:
    return order.stage == REVISE and not order.has_plan


def writes_plan(order: StageOrder) -> bool:
    return order.stage not in (RESEARCH, DIVIDE) and not is_about_description(order)


def schema_of(name: str) -> schemas.Schema:
    return _SCHEMAS[name.partition("-")[0]]


def is_question(name: str) -> bool:
    kind, dash, number = name.partition("-")
    return kind in _SCHEMAS and (not dash or (number.isascii() and number.isdigit() and len(number) < 5))


def result_of(answers: Answers) -> str:
    return "synthesis" if "synthesis" in answers else "research"


def tell_progress(order: StageOrder, answers: Answers) -> str:
    if order.stage == RESEARCH and order.team > 1:
        done = sum(name.startswith("research-") for name in answers)
        return f"{done} of {order.team} researchers have answered"
    return "the research is answered" if "research" in answers else "nothing is answered yet"


def _question(name: str, role: str, prompt: str) -> Question:
    kind, _, number = name.partition("-")
    labels = {
        "research": f"researcher {number}" if number else "research",
        "synthesis": "one report of all",
        "description": "the description",
        "division": "the division",
    }
    schema = schemas.write_schema(schema_of(name))
    return Question(name, role, prompt, labels[kind], schema=schema, again=prompts.again_prompt)


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
