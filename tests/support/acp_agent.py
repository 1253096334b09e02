"""A scripted agent that speaks the Agent Client Protocol: a real process, for tests of the driver.

    python acp_agent.py SCRIPT

SCRIPT is a JSON list of turns; each prompt takes the next one, in whichever process. A turn is a list of acts:

    {"say": TEXT}            a message, line by line         {"run": COMMAND}    a shell command, if it is allowed
    {"write": PATH}          a file, if it is allowed        {"ask_client": PATH}  the same through the client
    {"unasked": PATH}        a file, without asking          {"read_client": PATH}  says what the client reads there
    {"environment": true}    says its own environment        {"echo": true}      says the word MARK-... of the prompt
    {"error": TEXT}          the turn fails                  {"usage": [10, 5]}  tokens in and out
    {"child": SECONDS}       a child that ignores every polite end; {"exit": CODE} dies

What was said in each session is kept beside the script, so that a session can be loaded.
"""

import fcntl
import json
import os
import re
import subprocess
import sys
import uuid
from typing import Any

Json = dict[str, Any]
_CHILD = """
import os, signal, sys, time
os.setsid()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
time.sleep(float(sys.argv[1]))
"""
_OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


class Agent:
    """One connection. Requests of the client are answered in order; ours are answered by the next fitting line."""

    def __init__(self, script: str) -> None:
        self._script = script
        self._session, self._cwd, self._number, self._uses = "", "", 0, 0
        self._usage: list[int] = []

    def serve(self) -> int:
        for line in sys.stdin:
            request = json.loads(line)
            answer = self._answer(request["method"], request.get("params", {}))
            _print({"jsonrpc": "2.0", "id": request["id"], **answer})
        return 0

    def _answer(self, method: str, given: Json) -> Json:
        if method == "initialize":
            return {"result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}}
        if method == "session/new":
            self._session, self._cwd = uuid.uuid4().hex, given["cwd"]
            self._keep(lambda state: state["sessions"].setdefault(self._session, []))
            modes = {"currentModeId": "yolo", "availableModes": [{"id": "yolo"}, {"id": "default"}]}
            return {"result": {"sessionId": self._session, "modes": modes}}
        if method == "session/load":
            self._session, self._cwd = given["sessionId"], given["cwd"]
            known = self._keep(lambda state: self._session in state["sessions"])
            self._update("agent_message_chunk", content={"type": "text", "text": "what was said before"})
            return {"result": {}} if known else {"error": {"code": -32602, "message": "unknown session"}}
        if method in ("session/set_mode", "session/set_model"):
            return {"result": {}}
        if method == "session/prompt":
            return self._turn(given["prompt"][0]["text"])
        return {"error": {"code": -32601, "message": method}}

    def _turn(self, prompt: str) -> Json:
        with open(self._script, encoding="utf-8") as file:
            turns = json.load(file)

        def take(state: Json) -> int:
            state["sessions"].setdefault(self._session, []).append(prompt)
            state["used"] += 1
            return int(state["used"]) - 1

        at = self._keep(take)
        acts = turns[at] if at < len(turns) else turns[-1] if turns and {"echo": True} in turns[-1] else None
        if acts is None:
            return {"error": {"code": -32603, "message": "Internal error", "data": {"details": "no turn is left"}}}
        for act in acts:
            if "error" in act:
                return {"error": {"code": -32603, "message": "Internal error", "data": {"details": act["error"]}}}
            self._perform(act, prompt)
        usage = {"usage": {"inputTokens": self._usage[0], "outputTokens": self._usage[1]}} if self._usage else {}
        return {"result": {"stopReason": "end_turn", **usage}}

    def _perform(self, act: Json, prompt: str) -> None:
        for name, value in act.items():
            if name == "say":
                self._say(str(value))
            elif name == "run":
                call = {"title": value, "kind": "execute", "rawInput": {"command": value}}
                self._use(call, lambda value=value: self._shell(value))
            elif name in ("write", "unasked"):
                call = {"title": "write", "kind": "edit", "locations": [{"path": value}]}
                self._use(call, lambda value=value: _write(value), asks=name == "write")
            elif name == "ask_client":
                self._request("fs/write_text_file", sessionId=self._session, path=value, content="written")
            elif name == "read_client":
                answer = self._request("fs/read_text_file", sessionId=self._session, path=value)
                self._say(json.dumps(answer.get("result") or answer.get("error")))
            elif name == "environment":
                self._say(json.dumps(dict(os.environ)))
            elif name == "echo":
                self._say(" ".join(re.findall(r"MARK-\d+", prompt)))
            elif name == "usage":
                self._usage = value
            elif name == "child":
                child = subprocess.Popen([sys.executable, "-c", _CHILD, str(value)], stdout=subprocess.PIPE)
                assert child.stdout is not None
                child.stdout.readline()
            elif name == "exit":
                os._exit(int(value))

    def _shell(self, command: str) -> None:
        subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=self._cwd)

    def _use(self, call: Json, do: Any, *, asks: bool = True) -> None:
        self._uses += 1
        use = f"call-{self._uses}"
        self._update("tool_call", toolCallId=use, status="pending", **call)
        if asks:
            told = {"toolCallId": use, "title": call["title"], "kind": call["kind"]}
            answer = self._request(
                "session/request_permission", sessionId=self._session, toolCall=told, options=_OPTIONS
            )
            if answer["result"]["outcome"].get("optionId") != "yes":
                self._update("tool_call_update", toolCallId=use, status="failed")
                return
        do()
        self._update("tool_call_update", toolCallId=use, status="completed")

    def _say(self, text: str) -> None:
        for piece in text.splitlines(keepends=True):
            self._update("agent_message_chunk", content={"type": "text", "text": piece})

    def _update(self, kind: str, /, **more: object) -> None:
        update = {"sessionUpdate": kind, **more}
        _print({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": self._session, "update": update}})

    def _request(self, method: str, **given: object) -> Json:
        self._number += 1
        _print({"jsonrpc": "2.0", "id": self._number, "method": method, "params": given})
        answer: Json = json.loads(sys.stdin.readline())
        assert answer["id"] == self._number
        return answer

    def _keep(self, change: Any) -> Any:
        """Change what is kept beside the script, one process at a time."""
        with open(self._script + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            path = self._script + ".state"
            state: Json = {"used": 0, "sessions": {}}
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    state = json.load(file)
            result = change(state)
            with open(path + ".new", "w", encoding="utf-8") as file:
                json.dump(state, file)
            os.replace(path + ".new", path)
        return result


def _write(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("written")


def _print(message: Json) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(Agent(sys.argv[1]).serve())
