"""The server: reads a line, answers it, and runs a command where one is asked for, as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
from typing import TextIO

from planrail.mcp import protocol
from planrail.mcp.offers import CommandCall

_LONGEST = 4_000_000  # characters of a line that a client may send
_CANCELLED = "notifications/cancelled"
_MOST_AT_ONCE = 4  # commands; a client that asks for more waits


class McpServer:
    """One client on two streams, for a project."""

    def __init__(self, root: str, given: TextIO, told: TextIO) -> None:
        self.root, self.given, self.told = root, given, told
        self.writing, self.listing = threading.Lock(), threading.Lock()
        self.places = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self.running: dict[str | int, subprocess.Popen[str]] = {}
        self.asked: set[str | int] = set()
        self.unwanted: set[str | int] = set()  # requests that were cancelled

    def serve(self) -> None:
        """Answer until the client closes its end and has all its answers; told to end, what runs is stopped."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        threads = list[threading.Thread]()
        try:
            while line := self.given.readline(_LONGEST):
                if line.strip() and (thread := self._take(line)):
                    threads = [thread, *(one for one in threads if one.is_alive())]
            for thread in threads:
                thread.join()
        finally:
            for number in list(self.asked):
                self._stop(number)

    def _take(self, line: str) -> threading.Thread | None:
        """Answer a line; the thread of its command where one has to run."""
        found = protocol.parse(line)
        if not isinstance(found, protocol.McpRequest):
            self._tell(found) if found is not None else None
            return None
        if found.id is None:
            cancelled = found.params.get("requestId") if found.method == _CANCELLED else None
            self._stop(cancelled) if isinstance(cancelled, (str, int)) else None
            return None
        answer = protocol.answer(found, self.root)
        if not isinstance(answer, CommandCall):
            self._tell(answer)
            return None
        with self.listing:
            self.asked.add(found.id)
        thread = threading.Thread(target=self._run, args=(found, found.id, answer), daemon=True)
        thread.start()
        return thread

    def _run(self, question: protocol.McpRequest, number: str | int, call: CommandCall) -> None:
        """Run a command and tell what it said; nothing, where the client does not want it any more."""
        try:
            with self.places:
                answer = self._carry_out(question, number, call)
        except OSError as error:
            answer = protocol.fail(question, f"planrail could not be started: {error.strerror}")
        with self.listing:
            is_wanted = number not in self.unwanted
            self.asked.discard(number)
            self.unwanted.discard(number)
        if is_wanted:
            self._tell(answer)

    def _carry_out(self, question: protocol.McpRequest, number: str | int, call: CommandCall) -> protocol.Document:
        with self.listing:
            if number in self.unwanted:
                return protocol.fail(question, "cancelled")
            process = self.running[number] = self._start(call)
        out, err = process.communicate()
        with self.listing:
            del self.running[number]
        return protocol.finish(question, call, process.returncode, out, err)

    def _start(self, call: CommandCall) -> "subprocess.Popen[str]":
        # No terminal and no standard input: there is no person here to answer.
        return subprocess.Popen(
            [sys.executable, "-m", "planrail", *call.words],
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def _stop(self, number: str | int) -> None:
        """End the command of a request; as Ctrl-C does, so that it clears away behind itself."""
        with self.listing:
            if number in self.asked:
                self.unwanted.add(number)
            process = self.running.get(number)
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)

    def _tell(self, document: protocol.Document) -> None:
        with self.writing:
            self.told.write(json.dumps(document, ensure_ascii=False) + "\n")
            self.told.flush()
