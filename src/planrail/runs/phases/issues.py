"""The issues that a plan is linked with, which a run claims together with it."""

import re

_KEY = re.compile(r"[ \t]*issue[ \t]*:(?P<value>.*)", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,18}")


def read_issues(text: str) -> tuple[int, ...]:
    """The numbers of the `issue:` lines in a plan's front matter, each once. What is no number above 0 is none."""
    found: list[int] = []
    for line in _front_matter(text):
        key = _KEY.fullmatch(line)
        number = key["value"].strip().strip("\"'").strip().removeprefix("#").strip() if key else ""
        if _NUMBER.fullmatch(number) and int(number) > 0:
            found.append(int(number))
    return tuple(dict.fromkeys(found))


def _front_matter(text: str) -> list[str]:
    """The lines between the two rules at the top of the file."""
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
    if lines[0].rstrip() != "---":
        return []
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), 0)
    return lines[1:end]
