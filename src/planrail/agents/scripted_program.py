"""The program of the scripted agent. It stands alone: only the standard library, so that it starts anywhere.

A script is a JSON list of replies. The first reply that fits and is not used up answers; several processes share one
script, so what is used is kept beside it. A reply is chosen by

    role      "author", "explorer", "critic"; absent: any
    match     a text that the prompt holds;  pattern  a regular expression that it matches
    times     how often it may answer: 1; 0 is for ever

and then does, in this order, what it has of

    garbage   lines printed as they are        say       messages before the answer
    delay     seconds to wait                  child     seconds that a child lives which ignores every polite end
    ask       questions: [{"text": "Which?", "options": ["A", "B"]}]
    run       shell commands, each if allowed  write     {"path": "text"}, each if allowed
    usage     {"tokens_in": 10, "tokens_out": 5, "cost": 0.1}
    error     an error, with `reason`          crash     true: dies by a signal
    echo      answers with the "prompt", the "earlier" prompts of the conversation, the "environment" or the "answers"
    text      the answer;  text_file  a file with it, beside the script
    exit      the exit code
"""

import contextlib
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator

Json = dict[str, object]
_NULL = subprocess.DEVNULL
# In a session of its own, and deaf to every polite end.
_CHILD = """
import os, signal, sys, time
os.setsid()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print("up", flush=True)
time.sleep(float(sys.argv[1]))
"""


def main() -> int:
    script = sys.argv[1]
    assignment = json.loads(sys.stdin.readline())
    with open(script, encoding="utf-8") as file:
        replies = json.load(file)
    assert isinstance(replies, list), "a script is a list of replies"
    with _state(script) as state:
        reply = _choose(replies, assignment, state)
        conversation = str(assignment["conversation"]) or uuid.uuid4().hex
        earlier = _remember(state, conversation, assignment)
    if earlier is None:
        return _fail(f"no conversation found with the id {conversation}", "no_conversation")
    _tell("began", conversation=conversation)
    if reply is None:
        beginning = str(assignment["prompt"])[:200]
        return _fail(f"the script has no reply left for the {assignment['role']}; the prompt begins: {beginning}")
    return _Performance(script, reply, assignment, earlier).play()


class _Performance:
    def __init__(self, script: str, reply: Json, assignment: Json, earlier: list[str]) -> None:
        self.script, self.reply, self.assignment, self.earlier = script, reply, assignment, earlier
        self.answers: object = {}

    def play(self) -> int:
        reply = self.reply
        self._warm_up()
        if reply.get("ask"):
            self.answers = _request("ask", questions=reply["ask"])["answers"]
        for command in map(str, _list(reply.get("run"))):
            if _request("use", tool="Bash", input={"command": command})["refused"] is None:
                subprocess.run(["/bin/sh", "-c", command], stdin=_NULL, stdout=_NULL, check=False)
        for path, text in _object(reply.get("write")).items():
            given = {"file_path": os.path.abspath(path), "content": str(text)}
            if _request("use", tool="Write", input=given)["refused"] is None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(str(text))
        if reply.get("usage"):
            _tell("spent", **_object(reply["usage"]))
        if reply.get("crash"):
            os.kill(os.getpid(), signal.SIGKILL)
        if reply.get("error"):
            return _fail(str(reply["error"]), str(reply.get("reason", "")))
        if "exit" not in reply or "text" in reply:
            _tell("answer", text=self._text())
        return int(str(reply.get("exit", 0)))

    def _warm_up(self) -> None:
        for line in _list(self.reply.get("garbage")):
            print(line, flush=True)
        for text in _list(self.reply.get("say")):
            _tell("said", text=text)
        if self.reply.get("child"):
            seconds = str(self.reply["child"])
            child = subprocess.Popen([sys.executable, "-c", _CHILD, seconds], stdout=subprocess.PIPE, text=True)
            assert child.stdout is not None
            child.stdout.readline()
        time.sleep(float(str(self.reply.get("delay", 0))))

    def _text(self) -> str:
        echo = self.reply.get("echo")
        if echo == "prompt":
            return str(self.assignment["prompt"])
        if echo:
            told = {"earlier": self.earlier, "environment": dict(os.environ), "answers": self.answers}
            return json.dumps(told[str(echo)])
        if self.reply.get("text_file"):
            folder = os.path.dirname(self.script)
            with open(os.path.join(folder, str(self.reply["text_file"])), encoding="utf-8") as file:
                return file.read()
        return str(self.reply.get("text", ""))


def _choose(replies: list[Json], assignment: Json, state: Json) -> Json | None:
    used = _object(state.setdefault("used", {}))
    for number, reply in enumerate(replies):
        count, times = int(str(used.get(str(number), 0))), int(str(reply.get("times", 1)))
        if _fits(reply, assignment) and (times == 0 or count < times):
            used[str(number)] = count + 1
            return reply
    return None


def _fits(reply: Json, assignment: Json) -> bool:
    prompt = str(assignment["prompt"])
    return (
        reply.get("role", assignment["role"]) == assignment["role"]
        and str(reply.get("match", "")) in prompt
        and re.search(str(reply.get("pattern", "")), prompt) is not None
    )


def _remember(state: Json, conversation: str, assignment: Json) -> list[str] | None:
    """The earlier prompts of the conversation; None where it is to be continued and nobody knows it."""
    kept = _object(state.setdefault("conversations", {}))
    if assignment["conversation"] and conversation not in kept:
        return None
    earlier = [str(prompt) for prompt in _list(kept.get(conversation))]
    kept[conversation] = [*earlier, str(assignment["prompt"])]
    return earlier


@contextlib.contextmanager
def _state(script: str) -> Iterator[Json]:
    with open(script + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = script + ".state"
        state: Json = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                state = json.load(file)
        yield state
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(state, file)
        os.replace(path + ".new", path)


def _tell(kind: str, **fields: object) -> None:
    print(json.dumps({"type": kind, **fields}), flush=True)


def _request(kind: str, **fields: object) -> Json:
    _tell(kind, **fields)
    answer: Json = json.loads(sys.stdin.readline())
    return answer


def _fail(error: str, reason: str = "") -> int:
    _tell("error", text=error, reason=reason)
    return 1


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


if __name__ == "__main__":
    sys.exit(main())
