"""A stage of a task: what was ordered, and the JSON schemas of the answers that it wants."""

from collections.abc import Mapping

from planrail.base.json_reading import a_list, a_text, an_object
from planrail.base.records import record

# The answers that are kept so far, by the names of their questions; each as JSON has it, read and tidied.
Answer = Mapping[str, object]
Answers = Mapping[str, Answer]
Schema = dict[str, object]

RESEARCH, PLAN, REVISE = "research", "plan", "revise"
DIVIDE = "divide"  # how a task could be divided: a question of its own, without a document
RESEARCHER, PLANNER = "researcher", "planner"
FAST, NORMAL, HARD = "fast", "normal", "hard"
ROUNDS = {FAST: 0, NORMAL: 1, HARD: 2}  # of critique, by the effort
MOST_TEAM = 6


@record
class StageOrder:
    """What was asked for, as it was when the stage began: the call that goes on with it later asks the same.

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

    @property
    def kind(self) -> str:
        return kind_of(self.stage)

    @property
    def is_about_description(self) -> bool:
        return self.stage == REVISE and not self.has_plan

    @property
    def writes_plan(self) -> bool:
        """A plan is no question with a schema: it is written in the flow of `planrail plan`."""
        return self.stage not in (RESEARCH, DIVIDE) and not self.is_about_description


def kind_of(stage: str) -> str:
    """What a stage is to its task, research or plan: its events and rounds are named by that."""
    return RESEARCH if stage == RESEARCH else PLAN


# ---- schemas: strict, as some agents' programs demand: each field required, no other allowed ----

CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
MOST_MEMORIES = 3
FEWEST_PARTS, MOST_PARTS = 2, 5


_MEMORY = an_object(
    content=a_text("what others should know who work here next, in one or two sentences"),
    category={"type": "string", "enum": list(CATEGORIES)},
    confidence={"type": "number", "description": "0 to 1"},
    keywords=a_list(a_text("a word")),
)
REPORT: Schema = an_object(
    title=a_text("what was researched, in a few words"),
    summary=a_list(a_text("one line"), "the 3 to 6 most important results"),
    context=a_text("what was looked at, and within which limits"),
    findings=a_list(
        an_object(
            title=a_text("a few words"),
            text=a_text("what is so, with the place as FILE:LINE where there is one"),
        )
    ),
    decisions=a_list(a_text("what was decided, and why")),
    recommendations=a_list(a_text("what to do, the most important first")),
    risks=a_list(an_object(risk=a_text("what may go wrong"), mitigation=a_text("what is done about it"))),
    sources=a_list(a_text("a file, a command or an address that was looked at")),
    memory_candidates=a_list(
        _MEMORY, f"0 to {MOST_MEMORIES} things worth remembering beyond this task; most often none"
    ),
)
DESCRIPTION: Schema = an_object(
    description=a_text("the description of the task as it is to be now, whole"),
    changes=a_list(a_text("what changed, in a few words")),
)
DIVISION: Schema = an_object(
    parts=a_list(a_text("a smaller task: what is to be done, in one or two sentences"), "2 to 5, in their order"),
    why=a_text("one sentence"),
)
_SCHEMAS = {"research": REPORT, "synthesis": REPORT, "description": DESCRIPTION, "division": DIVISION}


def schema_of(name: str) -> Schema:
    return _SCHEMAS[name.partition("-")[0]]


def is_question(name: str) -> bool:
    kind, dash, number = name.partition("-")
    return kind in _SCHEMAS and (not dash or (number.isascii() and number.isdigit() and len(number) < 5))
