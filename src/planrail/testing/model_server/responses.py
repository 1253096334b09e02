"""OpenAI Responses: what Codex speaks."""

import json
from collections.abc import Iterator, Mapping

from planrail.testing.model_server.requests import ASSISTANT, SYSTEM, TOOL, USER, Heard, Reading, dicts, text_of
from planrail.testing.model_server.script import Reply, ServiceError, Use, chunks

NAME = "responses"
PATHS: tuple[str, ...] = ("/responses",)
_ROLES = {"developer": SYSTEM, "system": SYSTEM, "assistant": ASSISTANT}


def read(path: str, body: Mapping[str, object]) -> Reading:
    """What the model is told: instructions, messages, and the outputs of tools."""
    items = dicts(body.get("input"))
    heard = (Heard(SYSTEM, str(body.get("instructions", ""))), *map(_heard, items))
    tools = tuple(str(tool.get("name", tool.get("type"))) for tool in dicts(body.get("tools")))
    return (str(body.get("model", "")), heard, tools, bool(body.get("stream")))


def _heard(item: dict[str, object]) -> Heard:
    kind = str(item.get("type", "message"))
    if kind.endswith("_call_output"):
        return Heard(TOOL, text_of(item.get("output")))
    if kind.endswith("_call"):
        return Heard(ASSISTANT, f"{item.get('name')} {item.get('arguments') or item.get('input')}")
    return Heard(_ROLES.get(str(item.get("role")), USER), text_of(item.get("content")))


def whole(reply: Reply) -> dict[str, object]:
    output = [_message(reply)] if reply.text else []
    return _response(reply, "completed", [*output, *map(_use, reply.uses)])


def _response(reply: Reply, status: str, output: list[dict[str, object]]) -> dict[str, object]:
    told = reply.usage.input + reply.usage.cache_read
    usage = {
        "input_tokens": told,
        "input_tokens_details": {"cached_tokens": reply.usage.cache_read},
        "output_tokens": reply.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": told + reply.usage.output,
    }
    return {
        "id": f"resp_{reply.id}",
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": reply.model,
        "output": output,
        "usage": usage if status == "completed" else None,
    }


def _message(reply: Reply) -> dict[str, object]:
    content = [{"type": "output_text", "text": reply.text, "annotations": []}]
    return {"type": "message", "id": f"msg_{reply.id}", "role": "assistant", "status": "completed", "content": content}


def _use(use: Use) -> dict[str, object]:
    shared = {"call_id": use.id, "name": use.name, "status": "completed"}
    if isinstance(use.input, str):
        return {"type": "custom_tool_call", "id": f"ctc_{use.id}", "input": use.input, **shared}
    return {"type": "function_call", "id": f"fc_{use.id}", "arguments": json.dumps(use.input), **shared}


def events(reply: Reply) -> Iterator[tuple[str, object]]:
    done = whole(reply)
    yield _event("response.created", response=_response(reply, "in_progress", []))
    for index, item in enumerate(dicts(done["output"])):
        yield from _item(index, item, reply.text)
    yield _event("response.completed", response=done)


def _item(index: int, item: dict[str, object], text: str) -> Iterator[tuple[str, object]]:
    is_message = item["type"] == "message"
    started = {**item, "content": []} if is_message else item
    yield _event("response.output_item.added", output_index=index, item=started)
    if is_message:
        place = {"output_index": index, "content_index": 0, "item_id": item["id"]}
        for part in chunks(text):
            yield _event("response.output_text.delta", delta=part, **place)
        yield _event("response.output_text.done", text=text, **place)
    yield _event("response.output_item.done", output_index=index, item=item)


def _event(kind: str, **fields: object) -> tuple[str, object]:
    return kind, {"type": kind, **fields}


def failure(refusal: ServiceError) -> dict[str, object]:
    return {"error": {"type": refusal.kind, "message": refusal.message, **dict(refusal.fields)}}
