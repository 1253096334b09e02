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
def test_the_model_remembers_what_it_was_told_in_each_dialect(dialect: str) -> None:
    path, body = BODIES[dialect]
    with ModelServer(Script(say("fine"))) as server:
        post(server, path, body)
    request = server.requests[0]
    assert (request.dialect, request.model, request.tools) == (dialect, "m", ("Write",))
    assert [(heard.role, heard.text) for heard in request.heard] == [("system", "rules"), ("user", "hello")]


@pytest.mark.parametrize("dialect", BODIES)
@pytest.mark.parametrize("is_streamed", [True, False])
def test_text_and_a_tool_call_arrive_in_each_dialect(dialect: str, is_streamed: bool) -> None:
    path, body = BODIES[dialect]
    if is_streamed:
        path, body = path.replace(":generate", ":streamGenerate"), {**body, "stream": True}
    turn = Turn("I write.", call("Write", file_path="/a").calls)
    with ModelServer(Script(turn)) as server:
        status, answer = post(server, path, body)
    assert status == 200
    assert "I write." in answer
    assert "Write" in answer
    assert "file_path" in answer


@pytest.mark.parametrize("dialect", BODIES)
def test_the_figures_of_a_turn_are_reported_in_each_dialect(dialect: str) -> None:
    path, body = BODIES[dialect]
    with ModelServer(Script(say("fine", Usage(input=611, output=7)))) as server:
        _, answer = post(server, path, body)
    assert "611" in answer


def test_a_streamed_message_is_whole_when_its_pieces_are_put_together() -> None:
    path, body = BODIES["anthropic"]
    content = "a long text " * 20
    with ModelServer(Script(call("Write", content=content))) as server:
        _, answer = post(server, path, {**body, "stream": True})
    events = [json.loads(line[6:]) for line in answer.splitlines() if line.startswith("data: ")]
    pieces = [event["delta"]["partial_json"] for event in events if event["type"] == "content_block_delta"]
    assert json.loads("".join(pieces)) == {"content": content}
    assert len(pieces) > 1


def test_turns_come_in_order_and_a_question_without_tools_uses_up_none() -> None:
    path, body = BODIES["anthropic"]
    script = Script(say("one"), say("two"), aside="a title")
    with ModelServer(script) as server:
        answers = [post(server, path, sent)[1] for sent in (body, {**body, "tools": []}, body)]
    assert ["one" in answers[0], "a title" in answers[1], "two" in answers[2]] == [True] * 3
    assert len(server.turns) == 2


def test_a_subagent_is_answered_from_its_own_turns() -> None:
    path, body = BODIES["anthropic"]
    with ModelServer(Script(say("main"), subagents=(say("below"),))) as server:
        _, below = post(server, path, body, **{"x-claude-code-agent-id": "a1"})
        _, main = post(server, path, body)
    assert "below" in below
    assert "main" in main
    assert [request.subagent for request in server.subagent_turns] == ["a1"]


def test_an_input_can_depend_on_what_the_model_was_told() -> None:
    path, body = BODIES["anthropic"]
    turn = call("Write", lambda request: {"content": request.said_by("user").upper()})
    with ModelServer(Script(turn)) as server:
        _, answer = post(server, path, body)
    assert "HELLO" in answer


def test_a_script_that_is_over_says_so_and_counts_it() -> None:
    path, body = BODIES["anthropic"]
    script = Script()
    with ModelServer(script) as server:
        _, answer = post(server, path, body)
    assert "The script is over." in answer
    assert script.overrun == 1


def test_a_refusal_has_its_status_and_its_kind() -> None:
    path, body = BODIES["anthropic"]
    with ModelServer(Script(fail(529, "overloaded_error"))) as server:
        status, answer = post(server, path, body)
    assert (status, json.loads(answer)["error"]["type"]) == (529, "overloaded_error")


def test_a_cut_stream_breaks_off() -> None:
    path, body = BODIES["anthropic"]
    with ModelServer(Script(Turn("never whole", fault=Cut(1)))) as server, pytest.raises(http.client.IncompleteRead):
        post(server, path, {**body, "stream": True})


def test_a_script_that_fails_is_an_error_that_can_be_seen() -> None:
    path, body = BODIES["anthropic"]
    with ModelServer(Script(call("Write", lambda request: {"a": 1 // len(request.subagent)}))) as server:
        status, _ = post(server, path, body)
    assert status == 500
    assert "ZeroDivisionError" in server.errors[0]


def test_a_path_that_no_dialect_has_is_not_found() -> None:
    with ModelServer(Script()) as server:
        status, _ = post(server, "/v1/elsewhere", {})
    assert (status, server.requests) == (404, [])


def test_the_model_listens_on_loopback_only() -> None:
    with ModelServer(Script()) as server:
        assert urlsplit(server.url).hostname == "127.0.0.1"
