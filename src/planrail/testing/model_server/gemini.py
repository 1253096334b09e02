"""Gemini generateContent: what the Gemini CLI speaks."""

import json
from collections.abc import Iterator, Mapping

from planrail.testing.model_server.requests import ASSISTANT, SYSTEM, TOOL, USER, Heard, Reading, dicts, text_of
from planrail.testing.model_server.script import Reply, ServiceError, chunks

NAME = "gemini"
_STREAM, _WHOLE = ":streamGenerateContent", ":generateContent"
PATHS: tuple[str, ...] = (_STREAM, _WHOLE)


def read(path: str, body: Mapping[str, object]) -> Reading:
    """What the model is told. The model's name is in the path."""
    instruction = body.get("systemInstruction")
    parts = instruction.get("parts") if isinstance(instruction, dict) else ""
    heard = [Heard(SYSTEM, text_of(parts))]
    for content in dicts(body.get("contents")):
        role = ASSISTANT if content.get("role") == "model" else USER
        heard.extend(_heard(role, part) for part in dicts(content.get("parts")))
    model = path.rpartition("/")[2].partition(":")[0]
    declared = [dicts(tool.get("functionDeclarations")) for tool in dicts(body.get("tools"))]
    tools = tuple(str(function.get("name")) for functions in declared for function in functions)
    return model, tuple(heard), tools, path.endswith(_STREAM)


def _heard(role: str, part: dict[str, object]) -> Heard:
    if "functionResponse" in part:
        return Heard(TOOL, json.dumps(part["functionResponse"]))
    if "functionCall" in part:
        return Heard(role, json.dumps(part["functionCall"]))
    return Heard(role, text_of(part))


def whole(reply: Reply) -> dict[str, object]:
    text: list[dict[str, object]] = [{"text": reply.text}] if reply.text else []
    return _body(reply, [*text, *_calls(reply)], is_last=True)


def _calls(reply: Reply) -> list[dict[str, object]]:
    return [{"functionCall": {"name": use.name, "args": use.input}} for use in reply.uses]


def _body(reply: Reply, parts: list[dict[str, object]], *, is_last: bool) -> dict[str, object]:
    candidate: dict[str, object] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if is_last:
        candidate["finishReason"] = "STOP"
    told = reply.usage.input + reply.usage.cache_read
    usage = {
        "promptTokenCount": told,
        "cachedContentTokenCount": reply.usage.cache_read,
        "candidatesTokenCount": reply.usage.output,
        "totalTokenCount": told + reply.usage.output,
    }
    return {"candidates": [candidate], "modelVersion": reply.model, "responseId": reply.id, "usageMetadata": usage}


def events(reply: Reply) -> Iterator[tuple[str, object]]:
    for part in chunks(reply.text):
        yield "", _body(reply, [{"text": part}], is_last=False)
    for part_call in _calls(reply):
        yield "", _body(reply, [part_call], is_last=False)
    yield "", _body(reply, [{"text": ""}], is_last=True)


def failure(refusal: ServiceError) -> dict[str, object]:
    return {
        "error": {"code": refusal.status, "status": refusal.kind, "message": refusal.message, **dict(refusal.fields)}
    }
