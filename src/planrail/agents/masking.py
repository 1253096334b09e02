"""What is told of an agent, without secrets: those of known shapes, and those that it was given in its environment.

`base.masking` has the table. It costs ten milliseconds of expressions, so it is loaded where a text may have one.
"""

import os
from collections.abc import Mapping

from planrail.agents.model import Asked, Denied, Event, Outcome, Said, Used
from planrail.base.decoding import decode, encode
from planrail.base.masking import MaskedLines, mask
from planrail.base.records import replace
from planrail.base.secret_signs import has_signs, secret_values

_LONGEST_LOG = 100 << 20  # bytes: an agent that prints without end must not fill the disk


class Masking:
    """Masks events and outcomes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._known = secret_values(environment)
        self._lines: MaskedLines | None = None

    def mask_event(self, event: Event) -> Event:
        """The event without secrets; a private key may go on from one message to the next."""
        if isinstance(event, Said):
            return replace(event, text=self._mask_next(event.text))
        if isinstance(event, Used):
            return replace(event, detail=self._mask(event.detail), command=self._mask(event.command))
        if isinstance(event, Denied):
            return replace(event, reason=self._mask(event.reason), command=self._mask(event.command))
        if isinstance(event, Asked):
            return Asked(tuple(replace(one, text=self._mask(one.text)) for one in event.questions))
        return event

    def mask_outcome(self, outcome: Outcome) -> Outcome:
        masked = replace(outcome, text=self._mask(outcome.text), error=self._mask(outcome.error))
        if not outcome.structured:
            return masked
        return replace(masked, structured=encode(self._mask_value(decode(outcome.structured))))

    def _mask_value(self, value: object) -> object:
        if isinstance(value, dict):
            return {name: self._mask_value(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._mask_value(part) for part in value]
        return self._mask(value) if isinstance(value, str) else value

    def _mask(self, text: str) -> str:
        if not has_signs(text, self._known):
            return text

        return mask(text, self._known)

    def _mask_next(self, text: str) -> str:
        """The next of what is said. Nothing goes on from a text that has no signs."""
        if self._lines is None:
            if not has_signs(text, self._known):
                return text

            self._lines = MaskedLines(self._known)
        return self._lines.mask(text)


class Log:
    """All that is said, each part with a sign of who says it. What it is given has no secrets any more."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600) if path else -1
        self._size = 0

    def add(self, sign: bytes, data: bytes) -> None:
        """A log that cannot be written (the disk is full) is a pity, and no reason to end the work."""
        if self._file < 0 or not data or self._size > _LONGEST_LOG:
            return
        self._size += len(data)
        kept = data.rstrip(b"\n") if self._size <= _LONGEST_LOG else b"the log ends here; the work goes on"
        try:
            os.write(self._file, sign + kept + b"\n")
        except OSError:
            return

    def close(self) -> None:
        """Nothing more is said; more than once does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
