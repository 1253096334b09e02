"""Messages of both generations, and what is none."""

import json
from typing import Any

import pytest

from planrail.mcp.offers import CommandCall
from planrail.mcp.protocol import McpRequest, answer, finish, parse

VERSION = "io.modelcontextprotocol/protocolVersion"
NEW = {"_meta": {VERSION: "2026-07-28"}}


def ask(method: str, params: dict[str, Any] | None = None) -> Any:
    question = parse(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}))
    assert isinstance(question, McpRequest)
    return answer(question, "/")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[" * 100_000, -32700),
        ("[]", -32600),
        ('{"id": true, "method": "ping"}', -32600),
        ('{"id": 1, "method": 2}', -32600),
        ('{"id": 1, "method": "ping", "params": []}', -32600),
    ],
)
def test_what_is_no_request_is_answered(line: str, code: int) -> None:
    told: Any = parse(line)
    assert told["error"]["code"] == code


def test_an_answer_to_nothing_is_passed_over() -> None:
    assert parse('{"jsonrpc": "2.0", "id": 1, "result": {}}') is None


@pytest.mark.parametrize(
    ("asked", "told"), [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")]
)
def test_a_handshake_names_a_version_that_is_spoken(asked: str, told: str) -> None:
    result = ask("initialize", {"protocolVersion": asked})["result"]
    assert result["protocolVersion"] == told
    assert "resultType" not in result


def test_a_client_without_handshake_says_its_version_each_time() -> None:
    assert ask("server/discover", NEW)["result"]["supportedVersions"] == ["2026-07-28"]
    told = ask("tools/list", NEW)["result"]
    assert (told["resultType"], told["cacheScope"], told["ttlMs"]) == ("complete", "private", 0)
    refused = ask("tools/list", {"_meta": {VERSION: "2031-01-01"}})["error"]
    assert refused["code"] == -32022
    assert "2026-07-28" in refused["data"]["supported"]


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "approve"}, -32602),
        ("tools/call", {}, -32602),
        ("prompts/get", {"name": "nothing"}, -32602),
        ("prompts/get", {"name": "plan"}, -32602),
        ("resources/read", {"uri": "file:///etc/passwd"}, -32602),
        ("sampling/createMessage", {}, -32601),
    ],
)
def test_what_there_is_not(method: str, params: dict[str, Any], code: int) -> None:
    assert ask(method, params)["error"]["code"] == code


def test_a_wrong_argument_is_told_to_the_model() -> None:
    told = ask("tools/call", {"name": "show", "arguments": {"file": "plan.md"}})["result"]
    assert told["isError"]
    assert "takes no 'file'" in told["content"][0]["text"]


def test_what_a_command_said_is_the_answer() -> None:
    call = McpRequest(7, "tools/call", {})
    told: Any = finish(call, CommandCall(("lint",), (0, 1)), 1, '{"problems": [1]}', "")
    assert told["result"] == {"content": [{"type": "text", "text": '{"problems": [1]}'}], "isError": False}
    told = finish(call, CommandCall(("done",)), 11, "", "planrail: no git\n")
    assert told["result"] == {"content": [{"type": "text", "text": "planrail: no git"}], "isError": True}
    told = finish(call, CommandCall(("show",)), 0, json.dumps(["x" * 200_000]), "")
    assert len(told["result"]["content"][0]["text"]) < 101_000


def test_a_phase_is_taken_out_of_its_plan() -> None:
    read = McpRequest(7, "resources/read", {})
    out = json.dumps({"phases": [{"id": "1"}, {"id": "2", "title": "b"}]})
    told: Any = finish(read, CommandCall(("show",), (0, 1), "planrail://phase/p.md/2", "2"), 0, out, "")
    assert told["result"]["contents"][0]["text"] == '{"id": "2", "title": "b"}'
    told = finish(read, CommandCall(("show",), (0, 1), "planrail://phase/p.md/3", "3"), 0, out, "")
    assert "no phase 3" in told["error"]["message"]
