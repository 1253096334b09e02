"""A server on this machine that receives notices, and refuses those that it is told to."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """`taken` is what it took, in order; `tries` counts all that came. `answer` gives the status of a try."""

    def __init__(self, answer: Callable[[int], int]) -> None:
        self.taken: list[dict[str, Any]] = []
        self.tries = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = answer(receiver.tries)
                receiver.tries += 1
                if status == 200:
                    receiver.taken.append({**body, "path": self.path, "key": self.headers["Idempotency-Key"]})
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_words: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@contextlib.contextmanager
def open_receiver(answer: Callable[[int], int] = lambda number: 200) -> Iterator[Receiver]:
    receiver = Receiver(answer)
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        thread.join()
        receiver.server.server_close()
