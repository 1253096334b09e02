"""A wire between programs and a server on this machine: it can be cut, hang, lose an answer, and counts what passes."""

import contextlib
import socket
import threading


class Wire:
    """A way to a port. Where that is a PostgreSQL, `transactions` counts those that ended, if nothing is encrypted."""

    def __init__(self, port: int, *, is_postgres: bool = False) -> None:
        self._is_postgres = is_postgres
        self._to, self._open, self._lock = port, set[socket.socket](), threading.Lock()
        self._is_cut, self._flows, self._word = False, threading.Event(), b""
        self._flows.set()
        self.transactions, self.lost = 0, 0
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let nobody in any more."""
        self.cut()
        self._flows.set()
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._open) // 2

    def cut(self) -> None:
        """Break what is open; nothing gets through from now on."""
        with self._lock:
            self._is_cut = True
            broken, self._open = self._open, set()
        for end in broken:
            _break(end)

    def hang(self) -> None:
        """Connections stay open, new ones too, and nothing arrives."""
        self._flows.clear()

    def repair(self) -> None:
        """Let everything through again."""
        self._is_cut = False
        self._flows.set()

    def lose(self, word: str) -> None:
        """The answer to the next request with this word is kept back, and the connection breaks: the server did it."""
        self._word = word.encode()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            self._join(near)

    def _join(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", self._to))
        except OSError:
            near.close()
            return
        with self._lock:
            is_cut = self._is_cut
            self._open |= set() if is_cut else {near, far}
        if is_cut:
            _break(near)
            _break(far)
            return
        kept_back = threading.Event()
        for work, ends in ((self._ask, (near, far)), (self._answer, (far, near))):
            threading.Thread(target=work, args=(*ends, kept_back), daemon=True).start()

    def _ask(self, near: socket.socket, far: socket.socket, kept_back: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while told := near.recv(65536):
                self._flows.wait()
                if self._word and self._word in told:
                    self._word = b""
                    self.lost += 1
                    kept_back.set()
                far.sendall(told)
                if kept_back.is_set():
                    break
        with contextlib.suppress(OSError):
            far.shutdown(socket.SHUT_WR)  # the server does what it was asked, and ends

    def _answer(self, far: socket.socket, near: socket.socket, kept_back: threading.Event) -> None:
        rest = b""
        with contextlib.suppress(OSError):
            while told := far.recv(65536):
                self._flows.wait()
                if not kept_back.is_set():
                    near.sendall(told)
                rest = self._count(rest + told) if self._is_postgres else b""
        with self._lock:
            self._open -= {near, far}
        _break(near)
        _break(far)

    def _count(self, told: bytes) -> bytes:
        """Count the times that the server says it is ready, outside of a transaction; what is left of the bytes."""
        at = 0
        while len(told) >= at + 5 and len(told) > (end := at + int.from_bytes(told[at + 1 : at + 5])):
            with self._lock:
                self.transactions += told[at : at + 1] == b"Z" and told[end : end + 1] == b"I"
            at = end + 1
        return told[at:]


def _break(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
