"""Ralph loops: an agent that is sent back to the same prompt again and again, by a plugin of its own.

The loop lives in a file with front matter above the prompt. The prompt is the user's text: whatever it contains, only
the front matter is read and changed.
"""

from planrail.base.records import record

_FENCE = "---"


@record
class Loop:
    path: str
    kind: str  # "loop" or "orchestrator"
    iteration: int
    max: int  # 0: without end
    promise: str
    prompt: str
    task: str = ""
    has_limit: bool = True  # a number of iterations stands in the file, by which it can be ended

    def to_json(self) -> dict[str, object]:
        """What has to be kept to take it up again after a clear."""
        kept = {name: getattr(self, name) for name in self.__slots__ if name != "has_limit"}  # type: ignore[attr-defined]
        return {**kept, "remaining": max(1, self.max - self.iteration) if self.max else 0}


def read_loop(text: str, path: str) -> Loop | None:
    """The loop that a file describes; None where it is not active, or no loop."""
    keys, prompt = _parts(text)
    if keys is None or _value(keys, "active") != "true":
        return None
    kind = "orchestrator" if path.endswith("ralph-orchestrator.local.md") else "loop"
    iteration, most = _number(keys, "iteration"), _number(keys, "max_iterations")
    promise, task = _value(keys, "completion_promise"), _value(keys, "current_task")
    promise = "" if promise == "null" else promise
    return Loop(path, kind, iteration, most, promise, prompt, task, end_loop(text) is not None)


def end_loop(text: str) -> str | None:
    """The file with the loop at its last iteration, so that it ends by itself; None where it has no such key."""
    lines = text.split("\n")
    keys, _ = _parts(text)
    for number, line in enumerate(keys or [], 1):
        name, colon, _ = line.partition(":")
        if colon and name.strip() == "max_iterations":
            # An iteration of 0 would mean a loop without end.
            line_end = "\r" if line.endswith("\r") else ""
            lines[number] = f"{name}: {max(1, _number(keys or [], 'iteration'))}{line_end}"
            return "\n".join(lines)
    return None


def _parts(text: str) -> tuple[list[str] | None, str]:
    """The lines of the front matter and the prompt behind them."""
    first, *lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE]
    if first.rstrip() != _FENCE or not ends:
        return None, ""
    return lines[: ends[0]], "\n".join(lines[ends[0] + 1 :]).strip()


def _value(keys: list[str], name: str) -> str:
    for line in keys:
        key, colon, value = line.partition(":")
        if colon and key.strip() == name:
            value = value.strip()
            return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return ""


def _number(keys: list[str], name: str) -> int:
    value = _value(keys, name)
    return int(value) if value.isascii() and value.isdigit() else 0
