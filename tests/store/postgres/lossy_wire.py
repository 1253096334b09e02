"""A wire between planrail and its database that loses an answer: the server has done what was asked, nobody hears it."""

import contextlib
import socket
import threading
from collections.abc import Iterator


class LossyWire:
    """Hands on what both sides say. After `lose` the answer to the next request that has the word in it is kept back,
    and the connection breaks. `lost` counts those."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._word = b""
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.lost = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def lose(self, word: str) -> None:
        """Lose the answer to the next request with this word."""
        self._word = word.encode()

    def close(self) -> None:
        """Let nobody in any more."""
        self._door.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._door.accept()[0]
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        kept_back = threading.Event()
        with client, socket.create_connection(("127.0.0.1", self._port)) as server:
            back = threading.Thread(target=_hand_on, args=(server, client, kept_back), daemon=True)
            back.start()
            with contextlib.suppress(OSError):
                while said := client.recv(65536):
                    if is_lost := bool(self._word) and self._word in said:
                        self._word = b""
                        self.lost += 1
                        kept_back.set()
                    server.sendall(said)
                    if is_lost:
                        server.shutdown(socket.SHUT_WR)  # the server does this one, and ends
                        back.join()
                        return


def _hand_on(server: socket.socket, client: socket.socket, kept_back: threading.Event) -> None:
    """What the server says, until it ends; then the client hears that too."""
    with contextlib.suppress(OSError):
        while said := server.recv(65536):
            if not kept_back.is_set():
                client.sendall(said)
    with contextlib.suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def open_wire(port: int) -> Iterator[LossyWire]:
    """A wire to a server on this machine."""
    wire = LossyWire(port)
    try:
        yield wire
    finally:
        wire.close()
