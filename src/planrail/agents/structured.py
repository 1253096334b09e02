"""Answers by schema from agents that have no flag for that: asked for in the prompt, read from the text."""

import json

from planrail.agents.model import Assignment, Outcome

_ASK = """

End your answer with one JSON object, and nothing after it, that has this JSON schema:

```json
{schema}
```
"""


def ask_for(prompt: str, schema: str) -> str:
    """The prompt, with the wish for an answer by schema where there is one."""
    return prompt + _ASK.format(schema=schema) if schema else prompt


def answered(text: str, assignment: Assignment, conversation: str) -> Outcome:
    """An answer that came as a text, by its schema where one was given."""
    structured = last_object(text) if assignment.schema else ""
    return Outcome(text, ok=True, conversation=conversation, structured=structured)


def last_object(text: str) -> str:
    """The last JSON object that a text holds, as JSON; "" where it holds none. One inside another does not count.

    Where another object has the same fields and says otherwise, one of them is a quotation, and nobody knows which: "".
    """
    decoder, found, at = json.JSONDecoder(), "", text.find("{")
    others: list[str] = []
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = json.dumps(value)
            others.append(found)
        at = text.find("{", end)
    rivals = [other for other in others if other != found and _fields(other) & _fields(found)]
    return "" if rivals else found


def _fields(text: str) -> set[str]:
    value = json.loads(text)
    return set(value) if isinstance(value, dict) else set()


def plain_json(value: object) -> str:
    return json.dumps(value)
