"""One message of the protocol: its answer, or the command that has to be run for it. Pure.

Two generations are spoken. Up to 2025-11-25 a client says `initialize` once; from 2026-07-28 on each request names its
version in `_meta`, and `server/discover` says what there is.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from planrail import __version__
from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.mcp import offers
from planrail.mcp.offers import CommandCall

SHAKEN = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
_VERSION = "io.modelcontextprotocol/protocolVersion"
_SERVER = "io.modelcontextprotocol/serverInfo"
PARSE, INVALID, UNKNOWN, PARAMETERS, INTERNAL, NO_RESOURCE, NO_VERSION = (
    *(-32700, -32600, -32601, -32602, -32603),
    *(-32002, -32022),
)
_ABOUT = {"name": "planrail", "version": __version__}
_CAPABILITIES: dict[str, object] = {"tools": {}, "resources": {}, "prompts": {}}
_INSTRUCTIONS = (
    "planrail holds work to a plan. Before you change code, have an approved plan; do one phase at a time;"
    " a phase is done when `done` says so. Only a person approves."
)
_MOST = 100_000  # characters of an answer
Document = dict[str, object]


class McpRefusal(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.error: Document = {"code": code, "message": message} | ({"data": data} if data is not None else {})


@record
class McpRequest:
    """A request that was understood. `id` is None for a notification, which is never answered."""

    id: str | int | None
    method: str
    params: Mapping[str, object]

    @property
    def is_stateless(self) -> bool:
        """Whether the client is of the newer generation."""
        return self.method == "server/discover" or _version_in(self.params) is not None


def parse(line: str) -> McpRequest | Document | None:
    """A line of the client's: a question, the answer to what is none, or None for an answer to us."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, McpRefusal(PARSE, "not JSON").error)
    if not isinstance(told, dict):
        return _error(None, McpRefusal(INVALID, "not a message").error)
    number, method, params = told.get("id"), told.get("method"), told.get("params")
    if method is None and ("result" in told or "error" in told):
        return None
    is_named = number is None or (isinstance(number, (str, int)) and not isinstance(number, bool))
    if not is_named or not isinstance(method, str) or not isinstance(params, (dict, type(None))):
        return _error(number if is_named else None, McpRefusal(INVALID, "not a request").error)
    return McpRequest(number, method, params or {})


def answer(question: McpRequest, root: str) -> Document | CommandCall:
    """The answer to a request, or the command that it takes; see `finish`."""
    try:
        _hold_version(_version_in(question.params))
        if question.method not in _METHODS:
            raise McpRefusal(UNKNOWN, f"there is no method {question.method}")
        made = _METHODS[question.method](question.params, root)
    except McpRefusal as refused:
        return _error(question.id, refused.error)
    except UsageError as error:
        return _error(question.id, {"code": PARAMETERS, "message": _spell(error)})
    return made if isinstance(made, CommandCall) else reply(question, made)


def reply(question: McpRequest, result: Document) -> Document:
    if question.is_stateless:
        stamp: Document = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": {_SERVER: _ABOUT}}
        result = {**stamp, **result}
    return {"jsonrpc": "2.0", "id": question.id, "result": result}


def finish(question: McpRequest, call: CommandCall, code: int, out: str, err: str) -> Document:
    told = _read_json(out)
    is_error, warned = code not in call.fine, err.strip() or "nothing was said"
    if question.method == "tools/call":
        said = out.strip() or warned if told is None else json.dumps(told, ensure_ascii=False)
        return reply(question, {"content": [{"type": "text", "text": _clip(said)}], "isError": is_error})
    if told is None or is_error:
        return _error(question.id, {"code": NO_RESOURCE, "message": _clip(warned)})
    if question.method == "resources/list":
        return reply(question, {"resources": offers.list_plans(told, call.root)})
    if call.phase:
        found = [phase for phase in told.get("phases", ()) if str(phase.get("id")) == call.phase]
        if not found:
            return _error(question.id, {"code": NO_RESOURCE, "message": f"the plan has no phase {call.phase}"})
        told = found[0]
    text = _clip(json.dumps(told, ensure_ascii=False))
    return reply(question, {"contents": [{"uri": call.uri, "mimeType": "application/json", "text": text}]})


def fail(question: McpRequest, why: str) -> Document:
    return _error(question.id, {"code": INTERNAL, "message": why})


def _initialize(params: Mapping[str, object], _root: str) -> Document:
    asked = params.get("protocolVersion")
    version = asked if asked in SHAKEN else SHAKEN[-1]
    about: Document = {"capabilities": _CAPABILITIES, "serverInfo": _ABOUT, "instructions": _INSTRUCTIONS}
    return {"protocolVersion": version, **about}


def _discover(_params: Mapping[str, object], _root: str) -> Document:
    return {"supportedVersions": list(STATELESS), "capabilities": _CAPABILITIES, "instructions": _INSTRUCTIONS}


def _call_tool(params: Mapping[str, object], root: str) -> Document | CommandCall:
    name, given = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or name not in offers.TOOLS:
        raise McpRefusal(PARAMETERS, f"there is no tool {name}")
    try:
        if not isinstance(given, dict):
            raise UsageError("the arguments are an object")
        return offers.call_tool(name, given, root)
    except UsageError as error:  # to the model, which can correct it; an error of the protocol it would not see
        return {"content": [{"type": "text", "text": _spell(error)}], "isError": True}


def _get_prompt(params: Mapping[str, object], _root: str) -> Document:
    name, given = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or name not in offers.PROMPTS or not isinstance(given, dict):
        raise McpRefusal(PARAMETERS, f"there is no prompt {name}")
    return offers.fill_prompt(name, given)


_METHODS: dict[str, Callable[[Mapping[str, object], str], Document | CommandCall]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": lambda _params, _root: {},
    "tools/list": lambda _params, _root: {"tools": offers.list_tools()},
    "tools/call": _call_tool,
    "resources/list": lambda _params, root: CommandCall(("list", "plans", "--json"), (0, 1), root=root),
    "resources/templates/list": lambda _params, _root: {"resourceTemplates": offers.list_templates()},
    "resources/read": lambda params, root: offers.read_resource(str(params.get("uri") or ""), root),
    "prompts/list": lambda _params, _root: {"prompts": offers.list_prompts()},
    "prompts/get": _get_prompt,
}


def _version_in(params: Mapping[str, object]) -> object:
    meta = params.get("_meta")
    return meta.get(_VERSION) if isinstance(meta, dict) else None


def _hold_version(asked: object) -> None:
    if asked is not None and asked not in STATELESS:
        data = {"supported": [*STATELESS, *SHAKEN], "requested": asked}
        raise McpRefusal(NO_VERSION, f"protocol version {asked} is not spoken here", data)


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _spell(error: UsageError) -> str:
    return f"{error.message}; {error.remedy}" if error.remedy else error.message


def _clip(text: str) -> str:
    rest = len(text) - _MOST
    return text if rest <= 0 else f"{text[:_MOST]}… ({rest} more characters: ask for less)"


def _error(number: str | int | None, error: Document) -> Document:
    return {"jsonrpc": "2.0", "id": number, "error": error}
