"""Regular expressions that are compiled when they are first used.

The ones that read what test runners print, or what a verifier says, take 100 ms of CPU to compile. A run whose checks
print nothing, or that has no verifier, needs none of them.
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class LatePattern:
    """Used like a compiled expression."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text, self._flags = text, flags
        self._compiled: re.Pattern[str] | None = None

    def _get(self) -> "re.Pattern[str]":
        if self._compiled is None:
            self._compiled = re.compile(self._text, self._flags)
        return self._compiled

    def search(self, text: str) -> "re.Match[str] | None":
        """As `re.Pattern.search`."""
        return self._get().search(text)

    def match(self, text: str) -> "re.Match[str] | None":
        """As `re.Pattern.match`."""
        return self._get().match(text)

    def fullmatch(self, text: str) -> "re.Match[str] | None":
        """As `re.Pattern.fullmatch`."""
        return self._get().fullmatch(text)

    def finditer(self, text: str) -> "Iterator[re.Match[str]]":
        """As `re.Pattern.finditer`."""
        return self._get().finditer(text)

    def findall(self, text: str) -> list[str]:
        """The first group of each match, or all of it where there is no group."""
        return [match[1] if match.re.groups else match[0] for match in self.finditer(text)]

    def split(self, text: str) -> list[str]:
        """As `re.Pattern.split`, for expressions without groups."""
        return self._get().split(text)

    def sub(self, instead: str, text: str) -> str:
        """As `re.Pattern.sub`."""
        return self._get().sub(instead, text)
