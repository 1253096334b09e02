"""What a process says, without secrets, as it comes. Expressions are loaded only where something may be a secret."""

from planrail.base.secret_signs import has_signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from planrail.base.masking import MaskedLines

_HELD = 1 << 16  # bytes of a line without an end that a stream holds back
_OF_SECRETS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~:@-"


class MaskedStream:
    """Masks bytes that come in chunks of any size: what may be a part of a secret is held back until more is known."""

    def __init__(self, known: "Iterable[str]" = ()) -> None:
        self._known, self._held = tuple(known), b""
        self._lines: MaskedLines | None = None  # nothing goes on from a text that has no signs

    def feed(self, chunk: bytes) -> bytes:
        """What can be told by now."""
        self._held += chunk
        end = self._held.rfind(b"\n") + 1
        if self._held[:end].rstrip().endswith((b":", b"=")):  # its value may follow on the next line
            end = self._held.rfind(b"\n", 0, end - 1) + 1
        if not end and len(self._held) > _HELD:
            end = len(self._held.rstrip(_OF_SECRETS)) or len(self._held)
        ready, self._held = self._held[:end], self._held[end:]
        return self._mask(ready) if ready else b""

    def rest(self) -> bytes:
        """What was held back; the stream is over."""
        ready, self._held = self._held, b""
        return self._mask(ready)

    def _mask(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        if self._lines is None:
            if not has_signs(text, self._known):
                return data
            from planrail.base.masking import MaskedLines

            self._lines = MaskedLines(self._known)
        return self._lines.mask(text).encode("utf-8", "surrogateescape")
