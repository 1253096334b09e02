"""What planrail answers to an event, in one form for every agent, and what else is to be done."""

from planrail.base.records import record, replace

GO_ON = ""
ALLOW = "allow"  # the tool is used without asking the person
DENY = "deny"  # the tool is not used
ASK = "ask"  # the person is asked, whatever the agent's mode
HOLD = "hold"  # the stop is held: the agent goes on, and reads the reason
REFUSE = "refuse"  # the prompt is not sent; the person reads the reason


@record
class Answer:
    """`reason` belongs to the decision; `context` is told to the agent, `message` to the person."""

    decision: str = GO_ON
    reason: str = ""
    context: str = ""
    message: str = ""


SILENCE = Answer()


def join(first: Answer, second: Answer) -> Answer:
    """Two answers to one event, one after the other; the second decides, if it does."""
    decided = second if second.decision else first
    return Answer(
        decided.decision,
        decided.reason,
        "\n\n".join(filter(None, (first.context, second.context))),
        "\n".join(filter(None, (first.message, second.message))),
    )


def add_context(answer: Answer, text: str) -> Answer:
    """The answer with something more to tell the agent."""
    if not text:
        return answer
    return replace(answer, context=f"{answer.context}\n\n{text}" if answer.context else text)


def add_message(answer: Answer, text: str) -> Answer:
    """The answer with something more to tell the person."""
    if not text:
        return answer
    return replace(answer, message=f"{answer.message}\n{text}" if answer.message else text)
