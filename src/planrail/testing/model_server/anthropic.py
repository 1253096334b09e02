"""Anthropic Messages: what Claude Code speaks."""

import json
from collections.abc import Iterator, Mapping

from planrail.testing.model_server.requests import SYSTEM, TOOL, Heard, Reading, dicts, text_of
from planrail.testing.model_server.script import Reply, ServiceError, chunks

NAME = "anthropic"
PATHS: tuple[str, ...] = ("/messages",)


def read(path: str, body: Mapping[str, object]) -> Reading:
    """What the model is told. Newer models get system messages in the middle of the conversation, too."""
    heard = [Heard(SYSTEM, text_of(body.get("system", "")))]
    for message in dicts(body.get("messages")):
        heard.extend(_heard(str(message.get("role")), message.get("content")))
    tools = tuple(str(tool.get("name", tool.get("type"))) for tool in dicts(body.get("tools")))
    return (str(body.get("model", "")), tuple(heard), tools, bool(body.get("stream")))


def _heard(role: str, content: object) -> Iterator[Heard]:
    if isinstance(content, str):
        yield Heard(role, content)
    for block in dicts(content):
        if block.get("type") == "tool_use":
            yield Heard(role, f"{block.get('name')} {json.dumps(block.get('input'))}")
        else:
            yield Heard(TOOL if block.get("type") == "tool_result" else role, text_of(block))


def whole(reply: Reply) -> dict[str, object]:
    content: list[dict[str, object]] = [{"type": "text", "text": reply.text}] if reply.text else []
    content += [{"type": "tool_use", "id": use.id, "name": use.name, "input": use.input} for use in reply.uses]
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": "tool_use" if reply.uses else "end_turn",
        "stop_sequence": None,
        "usage": _usage(reply),
    }


def _usage(reply: Reply) -> dict[str, object]:
    return {
        "input_tokens": reply.usage.input,
        "cache_creation_input_tokens": reply.usage.cache_write,
        "cache_read_input_tokens": reply.usage.cache_read,
        "output_tokens": reply.usage.output,
    }


def events(reply: Reply) -> Iterator[tuple[str, object]]:
    message = whole(reply)
    yield _event("message_start", message={**message, "content": [], "stop_reason": None})
    blocks = dicts(message["content"])
    for index, block in enumerate(blocks):
        yield from _block(index, block)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=message["usage"])
    yield _event("message_stop")


def _block(index: int, block: dict[str, object]) -> Iterator[tuple[str, object]]:
    if block["type"] == "text":
        empty = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": part} for part in chunks(str(block["text"]))]
    else:
        empty = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in chunks(json.dumps(block["input"]))]
    yield _event("content_block_start", index=index, content_block=empty)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **fields: object) -> tuple[str, object]:
    return kind, {"type": kind, **fields}


def failure(refusal: ServiceError) -> dict[str, object]:
    return {"type": "error", "error": {"type": refusal.kind, "message": refusal.message, **dict(refusal.fields)}}
