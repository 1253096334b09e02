"""What the agents of a stage are told. Everything that others wrote stands in one document, quoted as data."""

from collections.abc import Mapping, Sequence

from planrail.base.records import record
from planrail.tasks.questions.context import quote_context, quote_data
from planrail.tasks.questions.model import FAST, HARD, REVISE, Answer, StageOrder

_LOOK = {
    FAST: "Look at what is needed for a sound answer, and no further.",
    HARD: "Take your time: follow every lead, read the code that is concerned, question your own first idea.",
}
_READING = """You read; nothing is changed. Do not write, edit or commit anything: planrail writes the document from \
your answer. Look for yourself: open the files, search, run what only reads. State nothing that you have not seen, and \
name the place as FILE:LINE. What you could not find out is said plainly."""

_RESEARCH = """[planrail] Research task {number}, so that somebody else can plan it.

Find out what the task means here: the code and the documents that it concerns, how they work now, what has to change, \
what speaks against it, which ways there are and which one you recommend. {look}

{reading}"""

_SYNTHESIS = """[planrail] {count} researchers have looked at task {number}, each from another side. Make one report \
of theirs: what they agree on, where they contradict each other and who is right, what all of them missed. Look into \
the project where they differ; do not merely join their texts.

{reading}"""

_OUTLINE = """[planrail] Plan task {number}: first the outline. You will be asked for the details of each phase \
afterwards, one by one, in this conversation.

Plan phases of one to two hours, each of which leaves the project working and can be checked by itself. A phase names \
the earlier phases that it needs, and only those, so that others can be done at the same time. {look}

{reading}"""

_REVISED_OUTLINE = """[planrail] Revise the plan of task {number}, which is in the document as `plan`: write it anew, \
first the outline. What is to be different is in the document as `focus`, and in its newest research. You will be \
asked for the details of each phase afterwards, one by one, in this conversation.

What the plan states as done stays done: do not plan it again, plan what is left. Keep what is good, word for word. \
{look}

{reading}"""

_PHASE = """[planrail] Now the details of phase {phase} of {count}: "{title}".

The tasks say what is done where, so that somebody can do it who has seen neither the research nor this conversation. \
The criteria say how anybody can tell that the phase is done: at least one of them has a command, one line, run by sh \
in the project's root, which succeeds when the phase is done and fails before that. Use programs and files that are \
there, or that the phase makes."""

_CRITIQUE = """[planrail] Criticise the plan of task {number}. You have not written it, and you owe its author nothing.

Look into the project and hold the plan against it: Does it do what the task asks for, all of it, and nothing else? \
Are the files, functions and commands that it names there? Is the order right, and does each phase depend on what it \
needs? Would each criterion fail today, and succeed when the phase is done? What is missing, what is wrong, what is \
vague?

Name each problem with the number of its phase, 0 for the plan as a whole. The verdict is `revise` if anything has to \
change before somebody carries it out, else `pass`. Matters of taste are no problems.

{reading}"""

_REVISE = """[planrail] Somebody else has criticised the plan, and found what is in the list below. Revise the phases \
that it concerns, and answer with each of them whole. If a problem is mistaken, say why, and change nothing for it."""

_DESCRIPTION = """[planrail] Revise the description of task {number}. What is to be different is in the document as \
`focus`; without one, make it clear, complete and true to the project. It says what is wanted and how anybody can tell \
that it is done; it is no plan.

{reading}"""

_DIVISION = """[planrail] Divide task {number} into 2 to 5 smaller tasks that take its place. Each can be researched, \
planned and done by itself, and leaves the project working; together they are the whole task and nothing else. They \
stand in the order in which they can be done.

{reading}"""

_AGAIN = """[planrail] Your last answer cannot be used: it does not keep to what was asked for. Answer once more, \
whole, by the schema. What was wrong:"""

GO_ON = """[planrail] You were stopped before you had answered. Go on where you were; everything that you were told \
still holds. The question was:

"""


@record
class Perspective:
    """From where one of several researchers looks."""

    name: str
    looks_for: str


PERSPECTIVES = (
    Perspective("the straight way", "how this is best done with what is here: the code concerned, and the way to go."),
    Perspective("other ways", "what else could be done: prior art in this project and elsewhere, simpler ways, none."),
    Perspective("risks and gaps", "what speaks against it: false assumptions, what breaks, what nobody has asked yet."),
    Perspective("what it touches", "who else is concerned: callers, data, documents, operations, other open tasks."),
    Perspective("how to prove it", "how anybody can tell that it works: tests that are there, tests that are missing."),
    Perspective("those who use it", "what people see and expect: interfaces, messages, habits, what they will miss."),
)


def research_prompt(order: StageOrder, perspective: Perspective | None = None) -> str:
    """What a researcher is told; one of several looks from a side of its own."""
    asked = _RESEARCH.format(number=order.number, look=_look(order), reading=_READING)
    side = (
        f"Others research it at the same time from other sides. Yours is {perspective.name}: {perspective.looks_for}"
        if perspective
        else ""
    )
    return _join(asked, side, quote_context(order.context))


def synthesis_prompt(order: StageOrder, reports: Sequence[Answer]) -> str:
    """What the one is told who makes one report of several."""
    asked = _SYNTHESIS.format(count=len(reports), number=order.number, reading=_READING)
    named = [{"side": side.name, "report": report} for side, report in zip(PERSPECTIVES, reports, strict=False)]
    return _join(asked, quote_context(order.context), "What they answered:", quote_data("reports", named))


def outline_prompt(order: StageOrder) -> str:
    """What the planner is told first."""
    text = _REVISED_OUTLINE if order.stage == REVISE else _OUTLINE
    asked = text.format(number=order.number, look=_look(order), reading=_READING)
    roadmap = order.context.get("roadmap")
    offered = "The project has a roadmap; its open items are in the document as `roadmap`." if roadmap else ""
    return _join(asked, offered, quote_context(order.context))


def phase_prompt(order: StageOrder, outline: Answer, number: int) -> str:
    """The question for the details of a phase, inside the planner's conversation."""
    phases = outline["phases"]
    assert isinstance(phases, list)
    title = " ".join(str(phases[number - 1]["title"]).split()).replace('"', "'")[:200]
    return _PHASE.format(phase=number, count=len(phases), title=title)


def critique_prompt(order: StageOrder, plan: object, earlier: Sequence[object]) -> str:
    """What the critic is told: the plan as it stands, and what was found and answered before."""
    asked = _CRITIQUE.format(number=order.number, reading=_READING)
    before = ["What was found before, and answered:", quote_data("earlier critique", list(earlier))] if earlier else []
    return _join(asked, quote_context(order.context), "The plan:", quote_data("plan", plan), *before)


def revise_prompt(problems: object) -> str:
    """The question for a revision, inside the planner's conversation."""
    return _join(_REVISE, quote_data("problems", problems))


def description_prompt(order: StageOrder) -> str:
    """What the one is told who revises a description."""
    return _join(_DESCRIPTION.format(number=order.number, reading=_READING), quote_context(order.context))


def division_prompt(order: StageOrder) -> str:
    """What the one is told who divides a task."""
    return _join(_DIVISION.format(number=order.number, reading=_READING), quote_context(order.context))


def standing_alone(order: StageOrder, question: str, so_far: Mapping[str, object]) -> str:
    """A question of a conversation for somebody who was not part of it: with all that was known there."""
    known = "You go on with the work of another planner. What they have answered so far:"
    return _join(question, _READING, quote_context(order.context), known, quote_data("answers", dict(so_far)))


def again_prompt(problems: Sequence[str], question: str = "") -> str:
    """The question after an answer that cannot be used; with the question itself where nobody remembers it."""
    return _join(question, _AGAIN, quote_data("problems", list(problems)))


def _look(order: StageOrder) -> str:
    return _LOOK.get(order.effort, "")


def _join(*parts: str) -> str:
    return "\n\n".join(part.strip() for part in parts if part) + "\n"
