"""The scripted model, without any agent: what it says in each dialect, and what it remembers of what it was told."""

import http.client
import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest

from planrail.testing.model_server import Cut, ModelServer, Script, Turn, Usage, call, fail, say

TOOLS = [{"name": "Write"}]
BODIES: dict[str, tuple[str, dict[str, object]]] = {
    "anthropic": (
        "/v1/messages?beta=true",
        {"model": "m", "system": "rules", "tools": TOOLS, "messages": [{"role": "user", "content": "hello"}]},
    ),
    "responses": (
        "/v1/responses",
        {
            "model": "m",
            "instructions": "rules",
            "tools": TOOLS,
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        },
    ),
    "chat": (
        "/v1/chat/completions",
        {
            "model": "m",
            "tools": [{"type": "function", "function": {"name": "Write"}}],
            "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}],
        },
    ),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {
            "systemInstruction": {"parts": [{"text": "rules"}]},
            "tools": [{"functionDeclarations": [{"name": "Write"}]}],
            "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        },
    ),
}
PATH, BODY = BODIES["anthropic"]


def post(server: ModelServer, path: str, body: Mapping[str, object], **headers: str) -> tuple[int, str]:
    """Send a request; the status and the whole answer."""
    connection = http.client.HTTPConnection(str(urlsplit(server.url).netloc), timeout=10)
    try:
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("dialect", BODIES)
@pytest.mark.parametrize("is_streamed", [True, False])
def test_text_a_tool_call_and_figures_arrive_in_each_dialect(dialect: str, is_streamed: bool) -> None:
    path, body = BODIES[dialect]
    if is_streamed:
        path, body = path.replace(":generate", ":streamGenerate"), {**body, "stream": True}
    turn = Turn("I write.", call("Write", file_path="/a").calls, Usage(input=611, output=7))
    with ModelServer(Script(turn)) as server:
        status, answer = post(server, path, body)
    assert status == 200
    assert all(part in answer for part in ("I write.", "Write", "file_path"))
    assert is_streamed or "611" in answer
    request = server.requests[0]
    assert (request.dialect, request.model, request.tools) == (dialect, "m", ("Write",))
    assert [(heard.role, heard.text) for heard in request.heard] == [("system", "rules"), ("user", "hello")]


def test_turns_come_in_order_of_the_conversation_and_of_the_sub_agent() -> None:
    """A question without tools uses up none; an input can depend on what the model was told; the end is counted."""
    told = call("Write", lambda request: {"content": request.said_by("user").upper()})
    script = Script(say("one"), told, subagents=(say("below"),), aside="a title")
    with ModelServer(script) as server:
        below = post(server, PATH, BODY, **{"x-claude-code-agent-id": "a1"})[1]
        answers = [post(server, PATH, sent)[1] for sent in (BODY, {**BODY, "tools": []}, BODY, BODY)]
    expected = ("one", "a title", "HELLO", "The script is over.")
    assert [part in answer for part, answer in zip(expected, answers, strict=True)] == [True] * 4
    assert "below" in below
    assert [request.subagent for request in server.subagent_turns] == ["a1"]
    assert (len(server.turns), script.overrun) == (3, 1)


def test_a_streamed_message_is_whole_when_its_pieces_are_put_together_and_a_cut_one_breaks_off() -> None:
    content, streamed = "a long text " * 20, {**BODY, "stream": True}
    with ModelServer(Script(call("Write", content=content), Turn("never whole", fault=Cut(1)))) as server:
        _, answer = post(server, PATH, streamed)
        with pytest.raises(http.client.IncompleteRead):
            post(server, PATH, streamed)
    events = [json.loads(line[6:]) for line in answer.splitlines() if line.startswith("data: ")]
    pieces = [event["delta"]["partial_json"] for event in events if event["type"] == "content_block_delta"]
    assert json.loads("".join(pieces)) == {"content": content}
    assert len(pieces) > 1


def test_refusals_and_failures_can_be_seen_and_nothing_else_is_answered() -> None:
    broken = call("Write", lambda request: {"a": 1 // len(request.subagent)})
    with ModelServer(Script(fail(529, "overloaded_error"), broken)) as server:
        status, answer = post(server, PATH, BODY)
        assert (status, json.loads(answer)["error"]["type"]) == (529, "overloaded_error")
        assert post(server, PATH, BODY)[0] == 500
        assert post(server, "/v1/elsewhere", {})[0] == 404
        assert urlsplit(server.url).hostname == "127.0.0.1"
    assert "ZeroDivisionError" in server.errors[0]
    assert len(server.requests) == 2
