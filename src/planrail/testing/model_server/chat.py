"""OpenAI Chat Completions: what opencode speaks."""

import json
from collections.abc import Iterator, Mapping

from planrail.testing.model_server.requests import ASSISTANT, SYSTEM, TOOL, USER, Heard, Reading, dicts, text_of
from planrail.testing.model_server.responses import failure as failure
from planrail.testing.model_server.script import Reply, Use, chunks

NAME = "chat"
PATHS: tuple[str, ...] = ("/chat/completions",)
_ROLES = {"system": SYSTEM, "developer": SYSTEM, "assistant": ASSISTANT, "tool": TOOL}


def read(path: str, body: Mapping[str, object]) -> Reading:
    heard = []
    for message in dicts(body.get("messages")):
        uses = dicts(message.get("tool_calls"))
        made = [f"{text_of(use.get('id'))} {json.dumps(use.get('function'))}" for use in uses]
        said = "\n".join([text_of(message.get("content")), *made])
        heard.append(Heard(_ROLES.get(str(message.get("role")), USER), said))
    functions = [tool.get("function") for tool in dicts(body.get("tools"))]
    tools = tuple(str(function["name"]) for function in dicts(functions))
    return (str(body.get("model", "")), tuple(heard), tools, bool(body.get("stream")))


def whole(reply: Reply) -> dict[str, object]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text or None}
    if reply.uses:
        message["tool_calls"] = [_use(index, use) for index, use in enumerate(reply.uses)]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return {**_base(reply, "chat.completion"), "choices": [choice], "usage": _usage(reply)}


def _base(reply: Reply, kind: str) -> dict[str, object]:
    return {"id": f"chatcmpl-{reply.id}", "object": kind, "created": 0, "model": reply.model}


def _use(index: int, use: Use) -> dict[str, object]:
    function = {"name": use.name, "arguments": json.dumps(use.input)}
    return {"index": index, "id": use.id, "type": "function", "function": function}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.uses else "stop"


def _usage(reply: Reply) -> dict[str, object]:
    told = reply.usage.input + reply.usage.cache_read
    return {
        "prompt_tokens": told,
        "completion_tokens": reply.usage.output,
        "total_tokens": told + reply.usage.output,
        "prompt_tokens_details": {"cached_tokens": reply.usage.cache_read},
    }


def events(reply: Reply) -> Iterator[tuple[str, object]]:
    """The answer as a stream, which ends with a word that is no JSON."""
    yield _delta(reply, {"role": "assistant", "content": ""})
    for part in chunks(reply.text):
        yield _delta(reply, {"content": part})
    for index, use in enumerate(reply.uses):
        yield _delta(reply, {"tool_calls": [_use(index, use)]})
    yield _delta(reply, {}, _finish(reply))
    yield "", {**_base(reply, "chat.completion.chunk"), "choices": [], "usage": _usage(reply)}
    yield "", "[DONE]"


def _delta(reply: Reply, delta: dict[str, object], finish: str | None = None) -> tuple[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return "", {**_base(reply, "chat.completion.chunk"), "choices": [choice]}
