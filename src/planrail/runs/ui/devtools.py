"""A browser's own protocol over two pipes: calls with answers, and events in between. No port is opened for it."""

import json
import os
import select
import time
from collections.abc import Callable

Message = dict[str, object]
Listener = Callable[[str, Message], None]


_CHUNK = 1 << 20
_END = b"\0"
_SECONDS = 30.0  # for one answer


class BrowserFailed(Exception):
    """The browser is gone, says nothing any more, or refused a call."""


class BrowserEnded(BrowserFailed):
    """The browser is gone."""

    def __init__(self) -> None:
        super().__init__("the browser has ended")


class DevTools:
    """A conversation with a browser. `listen` is told of each event."""

    def __init__(self, reading: int, writing: int, listen: Listener) -> None:
        self._reading, self._writing, self._listen = reading, writing, listen
        self._rest, self._number = bytearray(), 0
        self._answers: dict[int, Message] = {}

    def call(
        self, method: str, parameters: Message | None = None, *, to: str = "", seconds: float = _SECONDS
    ) -> Message:
        """The answer to a call; `to` is the session of a page, "" the browser itself."""
        number = self.send(method, parameters, to=to)
        deadline = time.monotonic() + seconds
        while number not in self._answers:
            if not self.hear(deadline):
                raise BrowserFailed(f"the browser did not answer to {method} within {seconds:g} seconds")
        answer = self._answers.pop(number)
        error = answer.get("error")
        if isinstance(error, dict):
            raise BrowserFailed(f"{method}: {error.get('message')}")
        result = answer.get("result")
        return result if isinstance(result, dict) else {}

    def send(self, method: str, parameters: Message | None = None, *, to: str = "") -> int:
        """Say something, and do not wait; the number of the call."""
        self._number += 1
        said: Message = {"id": self._number, "method": method, "params": parameters or {}}
        rest = memoryview(json.dumps({**said, "sessionId": to} if to else said).encode() + _END)
        try:
            while rest:
                rest = rest[os.write(self._writing, rest) :]
        except OSError as error:
            raise BrowserEnded from error
        return self._number

    def hear(self, deadline: float) -> bool:
        """Take in what the browser says next; False where it says nothing until then."""
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self._reading], [], [], left)[0]:
            return False
        chunk = os.read(self._reading, _CHUNK)
        if not chunk:
            raise BrowserEnded
        at = len(self._rest) + chunk.find(_END) if _END in chunk else -1
        self._rest += chunk
        while at >= 0:
            self._take(bytes(self._rest[:at]))
            del self._rest[: at + 1]
            at = self._rest.find(_END)
        return True

    def _take(self, raw: bytes) -> None:
        try:
            message = json.loads(raw)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        if isinstance(message.get("id"), int):
            self._answers[message["id"]] = message
        elif isinstance(message.get("params"), dict):
            self._listen(str(message.get("method")), {**message["params"], "sessionId": message.get("sessionId", "")})
