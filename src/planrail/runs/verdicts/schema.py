"""What a verifier has to answer: a verdict and places for every work item and criterion of a phase, by number."""

import json

from planrail.base.records import record
from planrail.base.run_model import PhaseOrder

DONE, FAILED, UNREAD = "done", "failed", "unread"
VERDICTS = (DONE, FAILED, UNREAD)


@record
class Part:
    """A work item (W1), a criterion (C1), or the phase as a whole (P1) where it has neither."""

    id: str
    text: str

    @property
    def is_criterion(self) -> bool:
        """Whether it says what has to hold, rather than what has to be done."""
        return self.id.startswith("C")


def parts_of(phase: PhaseOrder) -> tuple[Part, ...]:
    """Everything in a phase that needs a verdict of its own."""
    items = [Part(f"W{number}", text) for number, text in enumerate(phase.items, 1)]
    criteria = [Part(f"C{number}", text) for number, text in enumerate(phase.criteria, 1)]
    return tuple([*items, *criteria] or [Part("P1", phase.title or f"phase {phase.id}")])


def verdict_schema(phase: PhaseOrder) -> str:
    """The JSON schema of an answer about this phase. Each field is required, as some agents' programs demand."""
    ids = [part.id for part in parts_of(phase)]
    answer = _object(
        id={"type": "string", "enum": ids},
        text=_text("the work item or criterion, as the plan has it"),
        verdict={"type": "string", "enum": list(VERDICTS), "description": "unread: you could not look at it"},
        places=_list(_text("FILE:LINE in the work, or a command that you or planrail ran, as `$ command`")),
        note=_text("what you saw there"),
    )
    scope = _object(path=_text("a file"), text=_text("what it has to do with the phase"), violates={"type": "boolean"})
    change = _object(path=_text("a test file"), accepted={"type": "boolean"}, reason=_text("why"))
    whole = _object(
        items={**_list(answer), "description": f"one entry for each of {', '.join(ids)}"},
        scope={**_list(scope), "description": "files that the phase does not account for"},
        test_changes={**_list(change), "description": "your word on each change of tests that you were asked about"},
        drift=_list(_text("a line that begins with PLAN-TEXT-DRIFT:")),
        summary=_text("two sentences"),
    )
    return json.dumps(whole, ensure_ascii=True)


def _object(**properties: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: object) -> dict[str, object]:
    return {"type": "array", "items": items}


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}
