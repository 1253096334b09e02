"""A stage of a task: what was ordered, and the questions that it puts to agents."""

from collections.abc import Mapping

from planrail.base.records import record

# The answers that are kept so far, by the names of their questions; each as JSON has it, read and tidied.
Answer = Mapping[str, object]
Answers = Mapping[str, Answer]


RESEARCH, PLAN, REVISE = "research", "plan", "revise"
DIVIDE = "divide"  # how a task could be divided: a question of its own, without a document
RESEARCHER, PLANNER = "researcher", "planner"
FAST, NORMAL, HARD = "fast", "normal", "hard"
ROUNDS = {FAST: 0, NORMAL: 1, HARD: 2}  # of critique, by the effort
MOST_TEAM = 6


@record
class StageOrder:
    """What was asked for, as it was when the stage began: whoever goes on with it later asks the same.

    `context` is the document that agents are given: data, and nothing but data. `has_plan` says what `revise` revises:
    a plan, or the description where there is none yet.
    """

    stage: str
    number: int
    round: int
    title: str
    context: Mapping[str, object]
    effort: str = NORMAL
    team: int = 1
    has_plan: bool = False
